package cli

import (
	"context"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
)

// WarnUnservedJobs warns about the jobs that a plan creates or changes.
func WarnUnservedJobs(ctx context.Context, t *kit.Tool, plan *manifest.Plan) {
	var jobs []api.NewJob
	for _, o := range plan.Wanted(manifest.KindJob) {
		var wanted api.NewJob
		if o.As(&wanted) == nil {
			wanted.Key = o.Key
			jobs = append(jobs, wanted)
		}
	}
	if len(jobs) == 0 {
		return
	}
	c, err := t.Connect()
	if err != nil {
		return
	}
	defer c.Close()
	t.WarnUnserved(ctx, c, jobs...)
}
