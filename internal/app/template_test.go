package app

import (
	"strings"
	"testing"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// TestTemplates follows a template through its life on the real database: its
// instances see new code by a new version, it stays while it has any, and copies
// join them.
func TestTemplates(t *testing.T) {
	t.Parallel()
	c := start(t)
	edit := func(key string, fn func(*job.Job)) (job.Job, error) {
		return c.UpdateJob(t.Context(), "", key, 0, func(j job.Job) (job.Job, error) {
			fn(&j)
			return j, nil
		})
	}
	create(t, c, "base", schedule.Spec{Kind: schedule.KindManual})
	base := find(t, c, "base")
	params := []string{"a", "b"}
	copies, err := c.CopyJob(t.Context(), "", "base", jobs.Copies{
		Each: []jobs.Copy{{Param: &params[0]}, {Param: &params[1]}}, AsInstances: true,
	})
	if err != nil || copies[0].Err != nil || copies[1].Err != nil {
		t.Fatalf("copies %+v: %v", copies, err)
	}
	one := find(t, c, "base-0")
	if one.Template != base.ID || one.TemplateKey != "base" || one.Param != "a" || one.Handler != (job.Handler{}) {
		t.Errorf("instance %+v", one)
	}
	if _, err := edit("base-1", func(j *job.Job) { j.TemplateVersion = base.Version }); err != nil {
		t.Fatal(err)
	}
	if _, err := edit("base", func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerNamed, Name: "new"} }); err != nil {
		t.Fatal(err)
	}
	if got := find(t, c, "base-0"); got.Version != one.Version+1 {
		t.Errorf("follower has version %d after %d", got.Version, one.Version)
	}
	if got := find(t, c, "base-1"); got.Handler != base.Handler || got.Version != 2 {
		t.Errorf("pinned instance %+v", got)
	}

	if _, err := edit("base", func(j *job.Job) { j.Template = one.ID }); !job.Is(err, job.Invalid) {
		t.Errorf("a template with a template: %v", err)
	}
	if _, err := edit("base-0", func(j *job.Job) { j.Key = "base" }); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "exists already") {
		t.Errorf("a key that is taken: %v", err)
	}
	if err := c.DeleteJob(t.Context(), "", "base"); !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), "base-0, base-1") {
		t.Errorf("delete a template: %v", err)
	}
	for _, key := range []string{"base-0", "base-1"} {
		got, err := edit(key, func(j *job.Job) { j.Template = 0 })
		if err != nil || got.Handler.Name == "" {
			t.Errorf("detached %+v: %v", got, err)
		}
	}
	if err := c.DeleteJob(t.Context(), "", "base"); err != nil {
		t.Errorf("delete a template without instances: %v", err)
	}
}
