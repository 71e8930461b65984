package intent_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// A context that nobody has said anything about may do nothing and wants nothing.
func TestNobody(t *testing.T) {
	t.Parallel()
	p := intent.Caller(t.Context())
	if intent.Of(t.Context()) != nil || p.Somewhere(access.View) || p.May(access.View, access.Server()) {
		t.Errorf("nobody is %+v", p)
	}
}

func TestWith(t *testing.T) {
	t.Parallel()
	i := &intent.Intent{By: access.Root(), Operation: "delete-job"}
	ctx := intent.With(t.Context(), i)
	if p := intent.Caller(ctx); p.Name != "system" || intent.Of(ctx) != i || i.Written() != 0 {
		t.Errorf("the context says %+v, %+v", p, intent.Of(ctx))
	}
	i.SetWritten(7)
	if n := intent.Of(ctx).Written(); n != 7 {
		t.Errorf("the line is %d", n)
	}
}

// A claim is one transaction's, until that gives it back.
func TestClaim(t *testing.T) {
	t.Parallel()
	i := &intent.Intent{}
	if !i.Claim() || i.Claim() {
		t.Error("two transactions are the first one")
	}
	i.Release()
	if !i.Claim() || i.Kept() {
		t.Error("a claim that was given back is gone, or a key is kept that nobody has kept")
	}
	if i.SetKept(); !i.Kept() {
		t.Error("the key is not kept")
	}
}

// Each of many objects has an intent of its own, of the same caller.
func TestFor(t *testing.T) {
	t.Parallel()
	if ctx := t.Context(); intent.For(ctx, access.Edit, intent.Object{}) != ctx {
		t.Error("a loop of the server has got an intent")
	}
	whole := &intent.Intent{
		By: access.Root(), Address: "10.0.0.1", Operation: "bulk", Right: access.View, Once: "k", Match: []string{intent.Any}, Dry: true, At: time.Unix(9, 0),
	}
	whole.SetWritten(7)
	whole.Claim()
	one := intent.Of(intent.For(intent.With(t.Context(), whole), access.Edit, intent.Object{Kind: "job", Key: "a"}))
	if one.By.Name != "system" || one.Address != whole.Address || one.Operation != "bulk" || one.Right != access.Edit || one.Object.Key != "a" ||
		one.Once != "" || one.Match != nil || !one.Dry || !one.At.Equal(whole.At) || one.Written() != 0 || !one.Claim() {
		t.Errorf("the intent for one object is %+v", one)
	}
}

func TestMismatch(t *testing.T) {
	t.Parallel()
	var err error = &intent.MismatchError{Object: intent.Object{Kind: "job", Key: "nightly"}}
	if _, is := errors.AsType[*intent.MismatchError](fmt.Errorf("save it: %w", err)); !is || job.Is(err, job.Conflict) {
		t.Errorf("rooms would try again: %v", err)
	}
	if !strings.Contains(err.Error(), "job nightly") {
		t.Error(err)
	}
}

// The keys of a user are the same whatever it has shown.
func TestCallerOf(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]access.Principal{
		"user:7": {Kind: access.Person, ID: 7, Credential: 1},
		"user:8": {Kind: access.Token, ID: 8, Credential: 1},
		"system": access.Root(),
	} {
		if got := intent.CallerOf(&p); got != want {
			t.Errorf("%+v is %s, want %s", p, got, want)
		}
	}
}
