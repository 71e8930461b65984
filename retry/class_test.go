package retry

import (
	"errors"
	"fmt"
	"testing"
	"time"
)

func TestClassOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	tests := []struct {
		name  string
		err   error
		class Class
		after time.Duration
	}{
		{"nil", nil, ClassTransient, 0},
		{"unmarked", cause, ClassTransient, 0},
		{"transient", Transient(cause), ClassTransient, 0},
		{"permanent", Permanent(cause), ClassPermanent, 0},
		{"not ready", NotReady(cause, time.Minute), ClassNotReady, time.Minute},
		{"not ready, at once", NotReady(cause, -time.Minute), ClassNotReady, 0},
		{"not ready, too long", NotReady(cause, 2*MaxDelayCap), ClassNotReady, MaxDelayCap},
		{"resource", Resource(cause), ClassResource, 0},
		{"wrapped", fmt.Errorf("deep: %w", Permanent(cause)), ClassPermanent, 0},
		{"the outermost counts", Permanent(Resource(cause)), ClassPermanent, 0},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			class, after := ClassOf(tc.err)
			if class != tc.class || after != tc.after || !class.Known() {
				t.Errorf("ClassOf = %s, %s; want %s, %s", class, after, tc.class, tc.after)
			}
			if tc.err != nil && !errors.Is(tc.err, cause) {
				t.Error("the cause is lost")
			}
		})
	}
}

// TestMarksKeep: a mark changes neither the text nor nil.
func TestMarksKeep(t *testing.T) {
	t.Parallel()
	marks := map[Class]func(error) error{
		ClassTransient: Transient, ClassPermanent: Permanent, ClassResource: Resource,
		ClassNotReady: func(err error) error { return NotReady(err, time.Second) },
	}
	for class, mark := range marks {
		if mark(nil) != nil {
			t.Errorf("%s makes an error of nil", class)
		}
		if got := mark(errors.New("text")).Error(); got != "text" {
			t.Errorf("%s makes %q of the text", class, got)
		}
	}
	if Class("").Known() || Class("often").Known() {
		t.Error("an unknown class is known")
	}
}
