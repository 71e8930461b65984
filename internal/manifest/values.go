package manifest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// misfit reports the first value that a change gives to a job of the same plan and that
// the inputs of this job, as they are to be, do not take. The server cannot know: it has
// the job as it was, or none. Jobs that the plan leaves alone are the server's to check.
func (c *Change) misfit(planned map[ID]*Object) error {
	check := func(field, of string, given map[string]any) error {
		j, err := wantedInputs(planned[ID{KindJob, c.Namespace, of}])
		if err != nil || j == nil {
			return err
		}
		var param *string
		if text, is := given["param"].(string); is {
			param = &text
		}
		return j.CheckRunTemplate(field, param)
	}
	switch c.Kind { //nolint:exhaustive // the others give values to nothing
	case KindWorkflow:
		for i, n := range mapsOf(c.want.Spec[fieldNodes]) {
			of, _ := n[fieldJob].(string)
			if err := check(fmt.Sprintf("%s[%d].param", fieldNodes, i), of, n); err != nil {
				return err
			}
		}
	case KindJob:
		if !slices.ContainsFunc(c.Fields, func(f FieldChange) bool { return strings.HasPrefix(f.Path, fieldChildren) }) {
			return nil // children that stay are not checked again
		}
		for i, child := range mapsOf(c.want.Spec[fieldChildren]) {
			of, _ := child[fieldKey].(string)
			if err := check(fmt.Sprintf("%s[%d].param", fieldChildren, i), of, child); err != nil {
				return err
			}
		}
	}
	return nil
}

// wantedInputs returns a job with the inputs that a document gives it, nil when there is
// no document or it has none.
func wantedInputs(o *Object) (*job.Job, error) {
	if o == nil || o.Spec[fieldInputs] == nil {
		return nil, nil //nolint:nilnil // The comment says so.
	}
	var inputs []api.Input
	if err := reread(o.Spec[fieldInputs], &inputs); err != nil {
		return nil, err
	}
	j := job.Job{Key: o.Key, Inputs: make([]job.Input, len(inputs))}
	for i, input := range inputs {
		j.Inputs[i] = job.Input(input)
	}
	return &j, nil
}
