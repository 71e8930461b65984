package executors

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/job"
)

func newExecutorsDialectCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "dialect GROUP URL DIALECT", Short: "Set the protocol dialect of an executor", Args: cobra.ExactArgs(3),
		Long: "Set the protocol dialect of an executor address instead of detecting it from calls and responses. The dialects are\n" +
			dialectNames() + ".\n" +
			"The setting applies until it is set to auto, even if the executor calls in another dialect.",
		Example: "  orth executors dialect reports http://10.0.0.5:9999 xxl-job-3.5\n" +
			"  orth executors dialect reports http://10.0.0.5:9999 auto",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isDialect(args[2]) {
				return output.Usagef("unknown dialect %q: use one of %s", args[2], dialectNames())
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			e, err := c.SetDialect(cmd.Context(), args[0], args[1], args[2])
			if err != nil {
				return err
			}
			result := fmt.Sprintf("executor %s of group %s uses dialect %s", e.Address, e.Group, e.Dialect)
			if e.Dialect == "" {
				result = fmt.Sprintf("executor %s of group %s uses automatic dialect detection", e.Address, e.Group)
			}
			return t.PrintResult(e, result)
		},
	}
}

// isDialect reports whether a word is a dialect or auto.
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

// dialectNames lists the words that isDialect accepts.
func dialectNames() string {
	names := []string{}
	for _, d := range job.Dialects() {
		names = append(names, string(d))
	}
	return strings.Join(names, ", ") + " and " + api.DialectAuto
}

// dialect returns the dialect of an executor and how it was determined.
func dialect(e *api.Executor) string {
	if e.Dialect == "" {
		return ""
	}
	return e.Dialect + " (" + e.DialectBy + ")"
}
