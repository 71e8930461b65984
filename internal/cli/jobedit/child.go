package jobedit

import (
	"slices"
	"strings"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

// kin parses the children of the flags.
func (f *jobFlags) kin() ([]api.Child, error) {
	var all []api.Child
	for _, text := range f.children {
		name, param, _ := strings.Cut(text, "=")
		key, on, named := strings.Cut(name, ":")
		child := api.Child{Key: key, On: job.ChildOnSuccess, Param: param}
		if named {
			child.On = job.ChildOn(on)
		}
		if err := job.CheckKey("--child", key); err != nil {
			return nil, output.Usagef("%v", err)
		}
		if !slices.Contains(job.ChildOns(), child.On) {
			return nil, output.Usagef("--child: %q in %q must be success, failure or always", on, name)
		}
		all = append(all, child)
	}
	return all, nil
}
