package app

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// TestRegistrationElsewhere lets executors of all generations register for a group that
// is in another namespace, by its key alone, as they know no more: they are of that
// group and make none in the namespace default, run the jobs of theirs, and stay when
// the group moves.
func TestRegistrationElsewhere(t *testing.T) {
	t.Parallel()
	for name, g := range generations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := begin(t)
			must(t, s, http.StatusCreated, "POST", "/groups?namespace=team", `{"key":"g"}`)
			p := &foreigner{T: t, generation: g, name: name, token: madeFor(s, "g"), server: s.URL()}
			if !g.named {
				p.token = tokenOf(t, s, "g") // its own; the others name their group beside that of the server
			}
			door := httptest.NewServer(p)
			t.Cleanup(door.Close)
			if p.address = door.URL + "/"; p.hand {
				enter(t, s, p.address)
			} else {
				p.register()
			}
			known := func(namespace string) {
				t.Helper()
				until(t, "it is known in "+namespace, func() bool {
					all, err := s.Jobs().Executors(t.Context())
					return err == nil && len(all) == 1 && all[0].Namespace == namespace && all[0].Dialect == p.dialect && all[0].Unreachable == ""
				})
				if listed := must(t, s, http.StatusOK, "GET", "/executors?namespace="+namespace, ""); !strings.Contains(listed, p.address) {
					t.Errorf("the executors of %s: %s", namespace, listed)
				}
			}
			known("team")
			if groups := must(t, s, http.StatusOK, "GET", "/groups?namespace=default", ""); strings.Contains(groups, `"key":"g"`) {
				t.Errorf("there is a group in the namespace default too: %s", groups)
			}
			carryOut(t, s, p, "team")
			must(t, s, http.StatusOK, "PATCH", "/groups/g", `{"namespace":"other"}`)
			if !p.hand {
				p.register()
			}
			known("other")
			carryOut(t, s, p, "team") // its jobs stay where they are
		})
	}
}

// must asks the API for what must be answered so.
func must(t *testing.T, s *Server, want int, method, path, body string) string {
	t.Helper()
	answer := askAPI(t, s, method, path, body)
	if answer.StatusCode != want {
		t.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, answer.body)
	}
	return answer.body
}

// carryOut has an executor run a job of a namespace.
func carryOut(t *testing.T, s *Server, p *foreigner, namespace string) {
	t.Helper()
	c := s.Jobs()
	_, err := c.CreateJob(t.Context(), job.Job{
		Namespace: namespace, Key: "work", Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "demo"},
	})
	if err != nil && !job.Is(err, job.Conflict) && !job.Is(err, job.Duplicate) {
		t.Fatal(err)
	}
	run, err := c.Trigger(t.Context(), namespace, "work", jobs.Trigger{})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "it gets the task", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.runs) == 1
	})
	p.report()
	until(t, "the run ends", func() bool {
		run, err = c.Run(t.Context(), run.ID)
		return err == nil && run.State == job.Succeeded
	})
}
