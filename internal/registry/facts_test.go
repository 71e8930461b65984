package registry

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

func TestFacts(t *testing.T) {
	t.Parallel()
	store := newRows()
	store.rules["a"] = []job.Rewrite{{From: "http://172.17.", To: "http://gateway:{port}"}}
	synctest.Test(t, func(t *testing.T) {
		r := start(t, Config{Store: store, Facts: store, Refresh: time.Hour})
		register(t, r, "a", "http://172.17.0.3:9999")
		told := time.Now()
		if err := r.TakeFacts(t.Context(), "a", "http://172.17.0.3:9999", job.Facts{Kind: "solana", Text: `{"n":1}`, At: told.Add(time.Hour)}); err != nil {
			t.Fatal(err)
		}
		f, err := r.Facts(t.Context(), "a", "http://gateway:9999")
		if want := (job.Facts{Kind: "solana", Text: `{"n":1}`, At: told}); err != nil || f != want {
			t.Errorf("facts %+v, %v, want %+v: kept where the executor is reached, by the server's clock", f, err, want)
		}
		time.Sleep(time.Second) // much less than until the next reading
		synctest.Wait()
		if e, _ := r.Executor("a", "http://gateway:9999"); e.Kind != "solana" {
			t.Errorf("a second later the executor has the kind %q", e.Kind)
		}
	})
}

func TestFactsRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		r := start(t, Config{Store: store, Facts: store})
		register(t, r, "a", "http://e1")
		for _, c := range []struct {
			group, address, kind, text string
			want                       job.Kind
		}{
			{"a", "http://e1", "No kind", `{}`, job.Invalid},
			{"a", "http://e1", "solana", `[]`, job.Invalid},
			{"", "http://e1", "solana", `{}`, job.Invalid},
			{"a", "http://e2", "solana", `{}`, job.NotFound},
			{"b", "http://e1", "solana", `{}`, job.NotFound},
		} {
			if err := r.TakeFacts(t.Context(), c.group, c.address, job.Facts{Kind: c.kind, Text: c.text}); !job.Is(err, c.want) {
				t.Errorf("%+v: %v", c, err)
			}
		}
		if _, err := r.Facts(t.Context(), "a", "http://e1"); !job.Is(err, job.NotFound) {
			t.Errorf("what was refused is kept: %v", err)
		}
	})
}

// TestFactsOfNobody: a registry without a keeper says so.
func TestFactsOfNobody(t *testing.T) {
	t.Parallel()
	r := New(Config{Store: newRows()})
	if err := r.TakeFacts(t.Context(), "a", "http://e1", job.Facts{Kind: "solana", Text: "{}"}); !job.Is(err, job.Unavailable) {
		t.Errorf("taken: %v", err)
	}
	if _, err := r.Facts(t.Context(), "a", "http://e1"); !job.Is(err, job.Unavailable) {
		t.Errorf("read: %v", err)
	}
}
