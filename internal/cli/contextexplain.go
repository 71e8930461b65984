package cli

import (
	"github.com/spf13/cobra"
)

// usedSetting is a setting that commands use, and where it comes from.
type usedSetting struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from,omitempty"`
}

func (t *tool) contextExplainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain", Short: "Say which server commands talk to, as whom, and what says so", Args: cobra.NoArgs,
		Long: "Say which server commands talk to, as whom, and what says so: a flag, the environment, a context, the note\n" +
			"of a data folder, or the default. The token is never shown. No server is asked.",
		Example: "  orth context explain\n  orth context explain --context prod\n  ORTH_SERVER=http://10.0.0.5:8080 orth context explain",
		RunE: func(*cobra.Command, []string) error {
			found, err := t.find()
			if err != nil {
				return err
			}
			used := found.used()
			rows := make([][]string, len(used))
			for i, s := range used {
				rows[i] = []string{s.Setting, s.Value, s.From}
			}
			return t.show(used, func() error { return t.table("SETTING VALUE FROM", rows) })
		},
	}
	t.connectFlags(cmd.Flags())
	return cmd
}

// used says what was found, without the token.
func (found *target) used() []usedSetting {
	token := usedSetting{"token", "none", "nothing names one"}
	if found.tokenFrom != "" {
		token = usedSetting{"token", "one that is not shown", found.tokenFrom}
	}
	ca := usedSetting{"ca", found.ca.value, found.ca.from}
	switch {
	case ca.Value != "":
	case found.certFile != "":
		ca.Value, ca.From = found.certFile, "the note of the server"
	default:
		ca.Value, ca.From = "the machine's", "the default"
	}
	context := usedSetting{"context", found.context.value, found.context.from}
	if context.Value == "" {
		context.Value, context.From = noContext, ""
	}
	return []usedSetting{
		context,
		{"server", found.address.value, found.address.from},
		{"namespace", found.namespace.value, found.namespace.from},
		token, ca,
	}
}
