package contexts

import (
	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

// usedSetting is an effective setting and its source.
type usedSetting struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	From    string `json:"from,omitempty"`
}

func newContextExplainCommand(t *kit.Tool) *cobra.Command {
	cmd := &cobra.Command{
		Use: "explain", Short: "Show the effective server, namespace and token source", Args: cobra.NoArgs,
		Long: "Show the effective server, namespace and credentials of commands, and the source of each setting: flag, environment,\n" +
			"context, note of a data folder, or default. The token is never printed, and no server is called.",
		Example: "  orth context explain\n  orth context explain --context prod\n  ORTH_SERVER=http://10.0.0.5:8080 orth context explain",
		RunE: func(*cobra.Command, []string) error {
			found, err := t.FindServer()
			if err != nil {
				return err
			}
			used := usedSettings(&found)
			rows := make([][]string, len(used))
			for i, s := range used {
				rows[i] = []string{s.Setting, s.Value, s.From}
			}
			return t.Show(used, func() error { return t.PrintTable("SETTING VALUE FROM", rows) })
		},
	}
	t.ConnectFlags(cmd.Flags())
	return cmd
}

// usedSettings lists the effective settings without the token.
func usedSettings(found *kit.Target) []usedSetting {
	token := usedSetting{"token", "none", "not set"}
	if found.TokenFrom != "" {
		token = usedSetting{"token", "set, not shown", found.TokenFrom}
	}
	ca := usedSetting{"ca", found.CA.Value, found.CA.From}
	switch {
	case ca.Value != "":
	case found.CertFile != "":
		ca.Value, ca.From = found.CertFile, "the note of the server"
	default:
		ca.Value, ca.From = "system certificates", "the default"
	}
	context := usedSetting{"context", found.Context.Value, found.Context.From}
	if context.Value == "" {
		context.Value, context.From = kit.NoContext, ""
	}
	return []usedSetting{
		context,
		{"server", found.Address.Value, found.Address.From},
		{"namespace", found.Namespace.Value, found.Namespace.From},
		token, ca,
	}
}
