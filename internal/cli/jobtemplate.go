package cli

import (
	"strconv"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
)

// templateFlags are the flags of a job that runs the code of another one.
type templateFlags struct {
	key     string
	version int64
}

// add defines the flags.
func (f *templateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "template", "", "`key` of a job whose code this one runs: what that has when a run is sent")
	flags.Int64Var(&f.version, "template-version", 0, "pin the present `version` of the template: later changes of its code are not followed")
}

// check refuses flags that do not go together.
func (f *templateFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("template-version") && !flags.Changed("template") {
		return usagef("--template-version means nothing without --template")
	}
	return nil
}

// runs says in a few words what a job runs.
func runs(j api.Job) string {
	switch {
	case j.Template == "":
		return code(j.Handler)
	case j.TemplateVersion == 0:
		return "the code of template " + j.Template
	}
	return code(j.Handler) + ", from version " + strconv.FormatInt(j.TemplateVersion, 10) + " of template " + j.Template
}
