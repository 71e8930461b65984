package kit

import (
	"context"
	"fmt"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/message"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

const (
	// maxCheckedGroups is the maximum number of groups to check for warnings.
	maxCheckedGroups = 20
	// maxUnservedJobs is the maximum number of jobs to warn about.
	maxUnservedJobs = 10
)

// WarnUnserved warns about jobs that no live executor can run. It never fails, because the
// command itself has succeeded. Groups without read permission are skipped.
func (t *Tool) WarnUnserved(ctx context.Context, c *client.Client, jobs ...api.NewJob) {
	offers := map[string]*api.GroupHandlers{}
	warned := 0
	for i := range jobs {
		group := jobs[i].Group
		offer, checked := offers[group]
		if !checked {
			if len(offers) == maxCheckedGroups {
				return
			}
			found, err := c.GroupHandlers(ctx, group)
			if err == nil || job.Is(err, job.NotFound) {
				offer = &found
			}
			if offers[group] = offer; offer != nil && offer.Executors == 0 {
				t.PrintNote("Warning: group %s has no live executor; runs of its jobs will wait%s", output.Printable(group), likelyGroup(ctx, c, group))
			}
		}
		if offer == nil {
			continue
		}
		if lack := missingHandler(&jobs[i], offer); lack != "" {
			if warned++; warned > maxUnservedJobs {
				return
			}
			t.PrintNote("Warning: job %s will fail: %s", output.Printable(jobs[i].Key), output.Printable(lack))
		}
	}
}

// likelyGroup suggests a group with executors and a similar name; "" for none.
func likelyGroup(ctx context.Context, c *client.Client, group string) string {
	const page = 1000
	list, err := c.Groups(ctx, "", page)
	if err != nil {
		return ""
	}
	var served []string
	for i := range list.Groups {
		if list.Groups[i].Alive > 0 {
			served = append(served, list.Groups[i].Key)
		}
	}
	return didYouMean(group, served)
}

// didYouMean suggests a similar word; "" for none.
func didYouMean(text string, words []string) string {
	if near := message.Nearest(text, words); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	return ""
}

// missingHandler describes code that no executor has, "" when one has it or may have it.
func missingHandler(j *api.NewJob, offer *api.GroupHandlers) string {
	wanted := j.Handler
	if wanted.Kind == "" || offer.Executors == 0 || offer.Silent > 0 {
		return ""
	}
	var names []string
	for _, h := range offer.Handlers {
		if h.Kind == wanted.Kind && h.Name == wanted.Name || h.Kind == wanted.Kind && wanted.Kind != job.HandlerNamed {
			return ""
		}
		if h.Name != "" {
			names = append(names, h.Name)
		}
	}
	if wanted.Kind != job.HandlerNamed {
		return fmt.Sprintf("no executor of group %s runs %s scripts", j.Group, wanted.Kind)
	}
	return fmt.Sprintf("no executor of group %s has a handler %s", j.Group, wanted.Name) + didYouMean(wanted.Name, names)
}

// WarnJob is WarnUnserved for one job.
func (t *Tool) WarnJob(ctx context.Context, c *client.Client, key string) {
	if j, err := c.Job(ctx, key); err == nil {
		t.WarnUnserved(ctx, c, NewJobOf(&j))
	}
}

// NewJobOf returns the fields of a job that determine where it runs.
func NewJobOf(j *api.Job) api.NewJob {
	return api.NewJob{Key: j.Key, Group: j.Group, Handler: j.Handler}
}

// Warn prints the warnings of the server. Older servers report none; a failure does not
// affect the result.
func (t *Tool) Warn(ctx context.Context, c *client.Client) {
	warnings, err := c.Warnings(ctx)
	if err != nil && !job.Is(err, job.NotFound) {
		t.PrintNote("Could not read the warnings of the server: %v", err)
	}
	for _, warning := range warnings {
		t.PrintNote("warning: %s", output.Printable(warning))
	}
}
