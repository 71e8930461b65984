package executorauth_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// Who guesses at tokens learns little: after some wrong ones a right one that people made
// up is answered like a wrong one. Tokens that were made here, and those that the very
// address has shown before, are taken all the while; other networks do not notice.
func TestGuessedTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := executorauth.NewGroups(executorauth.Config{Store: newRows("a", "b"), Sealer: newSealer(t), Key: redacted.New(key), Address: intent.Address, Shared: redacted.New("sharedshared"), Executors: fleet{
			{Group: "b", Address: "http://10.1.2.7:9999", TokenID: job.TokenShared},
		}})
		_, strong := add(t, g, "a")
		for _, weak := range []string{"letmein1", "letmein2"} {
			if _, _, err := g.AddToken(t.Context(), "a", "", redacted.New(weak)); err != nil {
				t.Fatal(err)
			}
		}
		from := func(address string) context.Context { return intent.WithAddress(t.Context(), address) }
		here, near, far := from("10.1.2.3"), from("10.1.2.4"), from("10.9.9.9")
		if _, err := g.Caller(here, "letmein1"); err != nil {
			t.Fatal(err)
		}
		answered := map[job.Kind]int{}
		for i := range 1000 {
			_, err := g.Caller(near, fmt.Sprint("guess-", i))
			if job.Is(err, job.Unauthorized) {
				err = g.Wrong(near, fmt.Sprint("guess-", i))
			}
			answered[job.KindOf(err)]++
			_, _, err = g.Key(near, credential.KeyID(fmt.Sprint("guess-", i)))
			answered[job.KindOf(err)]++
		}
		if answered[job.Unauthorized] != 30 || answered[job.Full] != 1970 {
			t.Errorf("answered %v", answered)
		}
		for _, c := range []struct {
			from  context.Context
			token string
			kind  job.Kind
		}{
			{here, "letmein1", ""},
			{here, "letmein2", job.Full},
			{near, "letmein1", job.Full},
			{from("10.1.2.7"), "letmein1", job.Full},
			{from("::ffff:10.1.2.7"), "sharedshared", ""}, // an executor there has shown it, perhaps to another server
			{near, "sharedshared", job.Full},
			{near, strong, ""},
			{near, derived("a"), ""},
			{far, "letmein2", ""},
			{far, "sharedshared", ""},
		} {
			caller, err := g.Caller(c.from, c.token)
			if job.KindOf(err) != c.kind || err == nil && caller == (job.Caller{}) {
				t.Errorf("%s: %+v, %v", c.token, caller, err)
			}
			if _, _, err := g.Key(c.from, credential.KeyID(c.token)); job.KindOf(err) != c.kind {
				t.Errorf("%s as a key: %v", c.token, err)
			}
		}
		time.Sleep(2 * time.Second)
		if _, err := g.Caller(near, "letmein1"); err != nil {
			t.Errorf("two seconds later: %v", err)
		}
	})
}

// Executors that go on with an old token, behind the address of a whole fleet, keep those
// with the new one out for no moment.
func TestOldTokensSlowNobodyDown(t *testing.T) {
	t.Parallel()
	g := executorauth.NewGroups(executorauth.Config{Store: newRows("a"), Sealer: newSealer(t), Key: redacted.New(key), Address: intent.Address})
	if _, _, err := g.AddToken(t.Context(), "a", "", redacted.New("letmein2")); err != nil {
		t.Fatal(err)
	}
	fleet := intent.WithAddress(t.Context(), "10.1.2.3")
	for range 1000 {
		_, err := g.Caller(fleet, "letmein1")
		if job.Is(err, job.Unauthorized) {
			err = g.Wrong(fleet, "letmein1")
		}
		if !job.Is(err, job.Unauthorized) {
			t.Fatal(err)
		}
	}
	if _, err := g.Caller(fleet, "letmein2"); err != nil {
		t.Error(err)
	}
}
