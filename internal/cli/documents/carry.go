package documents

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/job"
)

// applied is the result of an apply, for programs.
type applied struct {
	manifest.Plan
	// Steps counts the planned steps, Done the completed ones.
	Steps int `json:"steps"`
	Done  int `json:"done"`
}

// ApplyPlan applies a plan and reports whether the server now has all of it.
func ApplyPlan(ctx context.Context, t *kit.Tool, s *reconcile.Server, plan *manifest.Plan, dry, yes bool) (carried bool, err error) {
	steps := plan.Steps()
	refusals, err := ValidatePlan(ctx, t, s, plan)
	if err != nil {
		return false, err
	}
	if !t.ForPrograms() {
		if err := PrintPlan(t, plan, false); err != nil {
			return false, err
		}
	}
	switch {
	case len(refusals) > 0:
		return false, ExplainRefusals(refusals, len(plan.Changes))
	case dry || len(steps) == 0:
		WarnUnservedJobs(ctx, t, plan)
		return !dry, t.Show(applied{*plan, len(steps), 0}, func() error { return nil })
	case !yes && !kit.AsksAPerson(t.Stdin):
		return false, output.Usagef("standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes")
	case !yes:
		if sure, err := t.Confirm("Apply this plan?"); err != nil || !sure {
			return false, err
		}
	}
	if err := needSecrets(t, steps); err != nil {
		return false, err
	}
	bar, done := terminal.NewBar(t.Stderr), 0
	done, err = manifest.Apply(ctx, s, steps, func(step manifest.Step) {
		done++
		bar.Clear()
		t.PrintNote("%s", inThePast(step.Verb)+" "+step.Object.ID().String())
		bar.Show(done, len(steps), "steps")
	})
	bar.Clear()
	if err != nil {
		t.PrintNote("%d of %s done; not done: %s", done, plural.Count(len(steps), "step"), notDone(steps[done:]))
		return false, wrongStep(&steps[done], err)
	}
	WarnUnservedJobs(ctx, t, plan)
	return true, t.Show(applied{*plan, len(steps), done}, func() error {
		t.PrintNote("all %s done", plural.Count(done, "step"))
		return nil
	})
}

// ValidatePlan asks the server which changes of a plan it would reject.
func ValidatePlan(ctx context.Context, t *kit.Tool, s *reconcile.Server, plan *manifest.Plan) ([]manifest.Refusal, error) {
	bar := terminal.NewBar(t.Stderr)
	refusals, err := plan.Validate(ctx, s.DryRun(), func(done int) { bar.Show(done, len(plan.Changes), "changes checked") })
	bar.Clear()
	if err != nil {
		return nil, fmt.Errorf("validate the plan on the server: %w", err)
	}
	return refusals, nil
}

// ExplainRefusals returns the error of a plan that the server would reject: the error of the
// first rejected change. The printed plan shows the others.
func ExplainRefusals(refusals []manifest.Refusal, changes int) error {
	first := &refusals[0]
	wrong := wrongStep(&first.Step, first.Err)
	wrong.Hint = "nothing was applied"
	if cause, ok := errors.AsType[*job.Error](first.Err); ok && cause.Hint != "" {
		wrong.Hint = cause.Hint + "; nothing was applied"
	}
	if len(refusals) > 1 {
		wrong.Message += fmt.Sprintf(" (the first of %d rejected changes; %d changes in total)", len(refusals), changes)
	}
	return wrong
}

// wrongStep adds the object of the failed step to an error.
func wrongStep(step *manifest.Step, err error) *job.Error {
	known := &job.Error{Kind: job.KindOf(err), Message: err.Error(), Err: err}
	hint, field := "", ""
	if cause, ok := errors.AsType[*job.Error](err); ok {
		known.Message, known.Hint, hint = cause.Message, cause.Hint, cause.Hint
		if cause.Field != "" && cause.Field != "body" {
			field = cause.Field + ": "
		}
	}
	known.Message = string(step.Verb) + " " + step.Object.ID().String() + ": " + field + known.Message
	switch {
	case known.Kind == job.Conflict && hint == "":
		known.Hint = "check the changes with 'orth plan', then apply again"
	case hint == "":
		known.Hint = "completed steps are kept; run the same command again to continue"
	}
	if step.Object.Origin != "" {
		known.Message = step.Object.Origin + ": " + known.Message
	}
	return known
}

// maxNotDone is the number of unfinished steps to list.
const maxNotDone = 10

func notDone(steps []manifest.Step) string {
	var names []string
	for i := range steps {
		if i == maxNotDone {
			names = append(names, "…")
			break
		}
		names = append(names, string(steps[i].Verb)+" "+steps[i].Object.ID().String())
	}
	return strings.Join(names, ", ")
}

// needSecrets reports unset variables that steps need, before any step runs.
func needSecrets(t *kit.Tool, steps []manifest.Step) error {
	var missing []string
	for _, name := range manifest.Variables(steps) {
		if t.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	wrong := job.Errorf(job.Invalid, "missing secrets of channels: %s", strings.Join(missing, ", "))
	wrong.Hint = "set these environment variables; nothing was applied"
	return wrong
}

// inThePast returns the past tense of a verb.
func inThePast(v manifest.Verb) string {
	switch v {
	case manifest.VerbCreate:
		return "created"
	case manifest.VerbChange:
		return "changed"
	case manifest.VerbLink:
		return "linked the children of"
	case manifest.VerbStart:
		return "enabled"
	case manifest.VerbStop:
		return "disabled"
	case manifest.VerbDelete:
		return "deleted"
	}
	return string(v)
}

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
