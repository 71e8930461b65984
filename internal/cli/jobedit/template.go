package jobedit

import (
	"github.com/spf13/pflag"

	"github.com/orthd/orth/internal/output"
)

// templateFlags holds the flags for a job with a template.
type templateFlags struct {
	key     string
	version int64
}

// add defines the flags.
func (f *templateFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.key, "template", "", "`key` of the job whose code this job runs, resolved at dispatch")
	flags.Int64Var(&f.version, "template-version", 0, "pin the template to this `version`; later changes of its code are ignored")
}

// check rejects flags that require --template.
func (f *templateFlags) check(flags *pflag.FlagSet) error {
	if flags.Changed("template-version") && !flags.Changed("template") {
		return output.Usagef("--template-version requires --template")
	}
	return nil
}
