package job

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestKindOf(t *testing.T) {
	t.Parallel()
	full := Errorf(Full, "the queue holds %d tasks", 10)
	tests := []struct {
		name string
		err  error
		want Kind
	}{
		{"none", nil, ""},
		{"itself", full, Full},
		{"wrapped", fmt.Errorf("push a task: %w", full), Full},
		{"wrapped twice", fmt.Errorf("accept: %w", fmt.Errorf("push a task: %w", full)), Full},
		{"joined", errors.Join(fs.ErrClosed, full), Full},
		{"the outer kind wins", Errorf(Unavailable, "the executor is busy: %w", full), Unavailable},
		{"a field", FieldErrorf("key", "is missing"), Invalid},
		{"a stranger", fs.ErrClosed, Internal},
		{"a wrapped stranger", fmt.Errorf("read: %w", fs.ErrClosed), Internal},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := KindOf(tc.err); got != tc.want {
				t.Errorf("KindOf(%v) = %q, want %q", tc.err, got, tc.want)
			}
			for _, kind := range []Kind{Invalid, Full, Unavailable, Internal} {
				if got, want := Is(tc.err, kind), tc.err != nil && kind == tc.want; got != want {
					t.Errorf("Is(%v, %s) = %t, want %t", tc.err, kind, got, want)
				}
			}
		})
	}
}

func TestErrorKeepsItsCauseAndSaysItOnce(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		err  *Error
		want string
	}{
		{"plain", Errorf(NotFound, "job %d does not exist", 7), "job 7 does not exist"},
		{"with a cause", Errorf(Unavailable, "open the store: %w", fs.ErrClosed), "open the store: file already closed"},
		{"with a field", FieldErrorf("key", "%q is taken", "a"), `key: "a" is taken`},
		{"with a field and a cause", FieldErrorf("param", "read it: %w", fs.ErrClosed), "param: read it: file already closed"},
		{"made by hand", &Error{Kind: Internal, Message: "claim due jobs", Err: fs.ErrClosed}, "claim due jobs: file already closed"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if got := tc.err.Error(); got != tc.want {
				t.Errorf("Error() = %q, want %q", got, tc.want)
			}
			if got, want := errors.Is(tc.err, fs.ErrClosed), tc.err.Err != nil; got != want {
				t.Errorf("the cause can be found: %t, want %t", got, want)
			}
		})
	}
}

func TestErrorFieldsSurviveWrapping(t *testing.T) {
	t.Parallel()
	first := FieldErrorf("schedule.cron", "never fires")
	first.Hint = "change the day"
	err := fmt.Errorf("save the job: %w", first)
	got, ok := errors.AsType[*Error](err)
	if !ok || got.Field != "schedule.cron" || got.Hint != "change the day" || got.Kind != Invalid {
		t.Errorf("the error in the chain is %+v, %t", got, ok)
	}
}
