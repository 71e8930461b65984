package registry

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

func TestOffer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newRows()
		r := start(t, Config{Store: store, Facts: store})
		beat := func(group, address string, d job.Dialect, handlers ...string) {
			t.Helper()
			b := job.Beat{Group: group, Address: address, Dialect: d, Features: []string{"shell"}, Handlers: handlers}
			if err := r.Register(t.Context(), b); err != nil {
				t.Fatal(err)
			}
		}
		offers := func(group string, want job.Offer) {
			t.Helper()
			got, err := r.Offer(t.Context(), group)
			if err != nil {
				t.Fatal(err)
			}
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("group %s offers (-want +got)\n%s", group, diff)
			}
		}
		// What cannot be kept of a list keeps no executor away.
		beat("a", "http://e1", job.DialectNative, "pay", "", "bell\a", "\xff", strings.Repeat("x", job.MaxHandlerName+1), "report")
		beat("a", "http://e2", job.DialectXXL2)
		beat("b", "http://e3", job.DialectNative, "other")
		offers("a", job.Offer{Executors: 2, Silent: 1, Handlers: []job.OfferedHandler{
			{Kind: job.HandlerShell, Executors: 2}, {Kind: job.HandlerNamed, Name: "pay", Executors: 1}, {Kind: job.HandlerNamed, Name: "report", Executors: 1},
		}})
		offers("unknown", job.Offer{Handlers: []job.OfferedHandler{}})
		time.Sleep(60 * time.Second)
		beat("a", "http://e1", job.DialectNative, "report")
		time.Sleep(60 * time.Second)
		offers("a", job.Offer{Executors: 1, Handlers: []job.OfferedHandler{
			{Kind: job.HandlerShell, Executors: 1}, {Kind: job.HandlerNamed, Name: "report", Executors: 1},
		}})
		store.mu.Lock()
		store.fail = job.Errorf(job.Unavailable, "the database is away")
		store.mu.Unlock()
		if _, err := r.Offer(t.Context(), "a"); !job.Is(err, job.Unavailable) {
			t.Errorf("without a database: %v", err)
		}
	})
}
