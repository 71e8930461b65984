package api_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

var kinds = []job.Kind{
	job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound, job.Conflict, job.Duplicate, job.Full,
	job.Unavailable, job.Refused, job.Unreachable, job.Ambiguous, job.Interrupted, job.Internal,
}

func TestEveryKindTravels(t *testing.T) {
	t.Parallel()
	for _, kind := range kinds {
		p := api.NewProblem(&job.Error{Kind: kind, Field: "key", Message: "is odd", Hint: "make it even"})
		if p.Code != kind || p.Title == "" || p.Status != api.StatusOf(kind) || p.Status < 400 {
			t.Errorf("%s became %+v", kind, p)
		}
		if got := p.Err(); got.Kind != kind {
			t.Errorf("%s came back as %s", kind, got.Kind)
		}
		if kind == job.Internal {
			continue
		}
		want := &job.Error{Kind: kind, Field: "key", Message: "is odd", Hint: "make it even"}
		if diff := cmp.Diff(want, p.Err()); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

func TestStatuses(t *testing.T) {
	t.Parallel()
	for kind, want := range map[job.Kind]int{
		job.Invalid: 422, job.Unauthorized: 401, job.NotFound: 404, job.Conflict: 409, job.Full: 429,
		job.Unavailable: 503, job.Refused: 502, job.Ambiguous: 504, job.Internal: 500, "odd": 500,
	} {
		if got := api.StatusOf(kind); got != want {
			t.Errorf("StatusOf(%s) = %d, want %d", kind, got, want)
		}
	}
	for status, want := range map[int]job.Kind{
		400: job.Invalid, 401: job.Unauthorized, 404: job.NotFound, 405: job.Invalid, 409: job.Conflict,
		413: job.Invalid, 415: job.Invalid, 422: job.Invalid, 429: job.Full, 500: job.Internal,
		502: job.Ambiguous, 503: job.Unavailable, 504: job.Ambiguous, http.StatusTeapot: job.Internal,
	} {
		if got := api.KindOf(status); got != want {
			t.Errorf("KindOf(%d) = %s, want %s", status, got, want)
		}
	}
}

func TestProblemShowsNothingInternal(t *testing.T) {
	t.Parallel()
	secret := errors.New("open /var/lib/orth/secret.db: permission denied")
	for _, err := range []error{
		secret,
		fmt.Errorf("read: %w", secret),
		job.Errorf(job.Internal, "read %w", secret),
		&job.Error{Kind: "odd", Message: "secret"},
		&job.Error{Kind: job.Unavailable, Message: "the store is away", Err: secret},
		fmt.Errorf("list jobs: %w", &job.Error{Kind: job.Unavailable, Message: "the store is away", Err: secret}),
	} {
		p := api.NewProblem(err)
		if strings.Contains(fmt.Sprintf("%+v", p), "secret") {
			t.Errorf("%v is shown as %+v", err, p)
		}
	}
}

func TestProblemSaysWhatWasTried(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{job.Errorf(job.NotFound, "no job x"), "no job x"},
		{fmt.Errorf("read the log of run 5: %w", job.Errorf(job.Unreachable, "connection refused")), "read the log of run 5: connection refused"},
		{fmt.Errorf("create job x: %w", job.FieldErrorf("key", "is missing")), "is missing"},
		{errors.Join(job.Errorf(job.NotFound, "no job x"), errors.New("secret")), "no job x"},
	} {
		if got := api.NewProblem(c.err).Detail; got != c.want {
			t.Errorf("%v is shown as %q, want %q", c.err, got, c.want)
		}
	}
}

func TestProblemFromAnotherVersion(t *testing.T) {
	t.Parallel()
	got := api.Problem{Status: 409, Code: "brand_new", Detail: "too late"}.Err()
	if got.Kind != job.Conflict || got.Message != "too late" {
		t.Errorf("got %+v, want the kind of status 409", got)
	}
	if got := (api.Problem{Status: 503}).Err(); got.Kind != job.Unavailable || got.Message == "" {
		t.Errorf("an empty problem became %+v", got)
	}
	if got := (api.Problem{Status: 500, Code: job.Internal, Detail: "failed", ID: "ab12"}).Err(); !strings.Contains(got.Message, "ab12") {
		t.Errorf("the id is lost: %+v", got)
	}
}
