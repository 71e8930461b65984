package cli

import (
	"github.com/spf13/cobra"
)

// usedSetting is an effective setting and its source.
type usedSetting struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from,omitempty"`
}

func (t *tool) contextExplainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain", Short: "Show the effective server, namespace and token source", Args: cobra.NoArgs,
		Long: "Show the effective server, namespace and credentials of commands, and the source of each setting: flag, environment,\n" +
			"context, note of a data folder, or default. The token is never printed, and no server is called.",
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

// used lists the effective settings without the token.
func (found *target) used() []usedSetting {
	token := usedSetting{"token", "none", "not set"}
	if found.tokenFrom != "" {
		token = usedSetting{"token", "set, not shown", found.tokenFrom}
	}
	ca := usedSetting{"ca", found.ca.value, found.ca.from}
	switch {
	case ca.Value != "":
	case found.certFile != "":
		ca.Value, ca.From = found.certFile, "the note of the server"
	default:
		ca.Value, ca.From = "system certificates", "the default"
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
