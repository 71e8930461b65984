package kit

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

// ActionsAnnotation is the annotation of a command that lists the values of ACTION.
const ActionsAnnotation = "orth.actions"

// maxBulk is the maximum number of objects that one command changes with --all.
const maxBulk = 10_000

// BulkFlags holds the flags of bulk commands.
type BulkFlags struct {
	All, dryRun, yes bool
	after            string
	limit            int
}

// Add adds the flags to a command that changes many things.
func (f *BulkFlags) Add(cmd *cobra.Command, things string) {
	flags := cmd.Flags()
	flags.BoolVar(&f.All, "all", false, "select all "+things+" that match the other flags")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print the result for each; change nothing")
	flags.BoolVar(&f.yes, "yes", false, "do not ask for confirmation with --all")
	flags.IntVar(&f.limit, "limit", 1000, "maximum number of objects with --all")
	flags.StringVar(&f.after, "after", "", "continue --all after this `object`, as the previous output suggested")
}

// Check rejects ambiguous command lines.
func (f *BulkFlags) Check(t *Tool, named int) error {
	switch {
	case f.All && named > 0:
		return output.Usagef("names and --all are mutually exclusive")
	case !f.All && named == 0:
		return output.Usagef("name the objects, or use --all")
	case f.limit < 1 || f.limit > maxBulk:
		return output.Usagef("--limit: must be between 1 and %d, got %d", maxBulk, f.limit)
	case f.All && !f.dryRun && !f.yes && !AsksAPerson(t.Stdin):
		return output.Usagef("--all: standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes")
	}
	return nil
}

// CheckAfter rejects an --after that is not an id of a run.
func (f *BulkFlags) CheckAfter() error {
	if f.after == "" {
		return nil
	}
	_, err := ParseRunID(f.after)
	return err
}

// Portion is the selection of one request of a bulk command: named objects, or a part of
// the matches of a filter.
type Portion struct {
	Names []string
	After string
	Limit int
}

// maxPortion is the maximum number of objects per request. A busy server needs seconds
// for them, and the client times out after half a minute.
const maxPortion = 200

// RunBulk changes many objects and asks for confirmation when a filter selects them. It
// returns an error when an object was not changed.
func (t *Tool) RunBulk(f *BulkFlags, action, thing string, names []string, do func(p Portion, dry bool) (api.Done, error)) error {
	if f.All && !f.dryRun && !f.yes {
		found, err := f.each(nil, func(p Portion) (api.Done, error) { return do(p, true) })
		if err != nil {
			return err
		}
		if sure, err := t.Confirm(fmt.Sprintf("Run '%s' for %s?", action, plural.Count(found.Done, thing))); err != nil || !sure {
			return err
		}
	}
	result, err := f.each(names, func(p Portion) (api.Done, error) { return do(p, f.dryRun) })
	if err != nil {
		if len(result.Items) > 0 { // some were changed before the error
			_ = t.Show(result, func() error { return t.showDone(&result, action, thing, f.dryRun) })
		}
		return err
	}
	if err := t.Show(result, func() error { return t.showDone(&result, action, thing, f.dryRun) }); err != nil {
		return err
	}
	if result.Failed > 0 {
		return ErrShown
	}
	return nil
}

// each sends the requests in sequence and returns the sum of the answers received so far.
func (f *BulkFlags) each(names []string, do func(Portion) (api.Done, error)) (all api.Done, err error) {
	add := func(p Portion) (api.Done, error) {
		done, err := do(p)
		all.Done, all.Failed, all.Unchanged = all.Done+done.Done, all.Failed+done.Failed, all.Unchanged+done.Unchanged
		all.Items = append(all.Items, done.Items...)
		all.More, all.Next = done.More, done.Next
		return done, err
	}
	if !f.All {
		for some := range slices.Chunk(names, maxPortion) {
			if _, err := add(Portion{Names: some}); err != nil {
				return all, err
			}
		}
		return all, nil
	}
	next := Portion{After: f.after}
	for left := f.limit; left > 0; {
		next.Limit = min(left, maxPortion)
		done, err := add(next)
		if err != nil || !done.More || len(done.Items) == 0 || done.Next == next.After {
			return all, err
		}
		left -= len(done.Items)
		next.After = done.Next
	}
	return all, nil
}

// showDone prints the result of each object.
func (t *Tool) showDone(result *api.Done, action, thing string, dry bool) error {
	rows, spaces := make([][]string, len(result.Items)), make([]string, len(result.Items))
	for i := range result.Items {
		item := &result.Items[i]
		spaces[i] = item.Namespace
		became := "ok"
		switch {
		case item.Error != nil:
			became = "failed: " + item.Error.Detail
		case item.Run > 0:
			became = "ok: run " + item.Run.String()
		case dry && item.Would != "":
			became = output.Printable(item.Would)
		}
		rows[i] = []string{item.Key, became}
	}
	if len(rows) > 0 {
		if err := t.PrintTableIn(t.Everywhere && thing == "job", spaces, "KEY RESULT", rows); err != nil {
			return err
		}
	}
	verb := "is"
	if result.Done != 1 {
		verb = "are"
	}
	sentence := fmt.Sprintf("'%s': %s %s done", action, plural.Count(result.Done, thing), verb)
	if dry {
		sentence = fmt.Sprintf("'%s' would change %s", action, plural.Count(result.Done, thing))
	}
	if result.Unchanged > 0 {
		sentence += fmt.Sprintf(", %d already unchanged", result.Unchanged)
	}
	if result.Failed > 0 {
		sentence += fmt.Sprintf(", %d failed", result.Failed)
	}
	if result.More {
		sentence += "; more match: continue with --after " + result.Next
	}
	t.PrintNote("%s", sentence)
	return nil
}

// APIAction returns the name that the API has for an action on jobs.
func APIAction(action string) string {
	switch action {
	case "enable":
		return "start"
	case "disable":
		return "stop"
	}
	return action
}
