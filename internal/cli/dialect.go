package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

func (t *tool) executorsDialectCommand() *cobra.Command {
	return &cobra.Command{
		Use: "dialect GROUP URL DIALECT", Short: "Say how an executor is spoken to", Args: cobra.ExactArgs(3),
		Long: "Say how an executor is spoken to, in place of what the server finds out by the executor's calls and answers. The\n" +
			"dialects are " + dialectNames() + ".\n" +
			"It stands, also when the executor calls in another one, until it is set to auto.",
		Example: "  orth executors dialect reports http://10.0.0.5:9999 xxl-job-3.5\n" +
			"  orth executors dialect reports http://10.0.0.5:9999 auto",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isDialect(args[2]) {
				return usagef("there is no dialect %q: the dialects are %s", args[2], dialectNames())
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			e, err := c.SetDialect(cmd.Context(), args[0], args[1], args[2])
			if err != nil {
				return err
			}
			said := fmt.Sprintf("executor %s of group %s is spoken to as %s", e.Address, e.Group, e.Dialect)
			if e.Dialect == "" {
				said = fmt.Sprintf("executor %s of group %s is spoken to as its calls and answers tell", e.Address, e.Group)
			}
			return t.done(e, said)
		},
	}
}

// isDialect reports whether a word is a dialect, or auto.
func isDialect(word string) bool {
	if word == api.DialectAuto {
		return true
	}
	for _, d := range job.Dialects() {
		if string(d) == word {
			return true
		}
	}
	return false
}

// dialectNames returns the words that isDialect knows.
func dialectNames() string {
	names := []string{}
	for _, d := range job.Dialects() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ") + " and " + api.DialectAuto
}

// dialect says how an executor is spoken to, and how that is known.
func dialect(e *api.Executor) string {
	if e.Dialect == "" {
		return ""
	}
	return e.Dialect + " (" + e.DialectBy + ")"
}
