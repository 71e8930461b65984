package cluster

import (
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/mcp"
)

// NewMCPCommand returns the command orth mcp.
func NewMCPCommand(t *kit.Tool) *cobra.Command {
	allowWrites := false
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve the API as MCP tools for AI assistants", Args: cobra.NoArgs,
		Long: "Serve the API as tools for AI assistants by the Model Context Protocol, on standard input and output.\n\n" +
			"The assistant starts and stops this command. Tools are read-only unless --allow-writes is given. A tool that changes\n" +
			"something first returns a preview with a confirmation code, and acts when it is called again with the code. The\n" +
			"permissions of the token apply. Changes are reported on standard error.",
		Example: "  orth mcp --context prod\n  orth mcp --server https://orth.example.com --token-file ~/assistant.token --allow-writes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := t.FindServer()
			if err != nil {
				return err
			}
			trust, err := t.TrustOf(found)
			if err != nil {
				return err
			}
			s, err := mcp.New(cmd.Context(), mcp.Config{
				Address: found.Address.Value, Token: found.Token, TLS: trust, Namespace: found.Namespace.Value,
				AllowWrites: allowWrites, Version: t.Version, Logger: slog.New(slog.NewTextHandler(t.Stderr, nil)),
			})
			if err != nil {
				return found.Misnamed(err)
			}
			return s.Run(cmd.Context(), io.NopCloser(t.Stdin), unclosed{t.Stdout})
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&allowWrites, "allow-writes", false, "offer tools that run, change and delete objects, within the permissions of the token")
	t.ConnectFlags(flags)
	return cmd
}

// unclosed is a writer whose owner closes it.
type unclosed struct{ io.Writer }

// Close does nothing.
func (unclosed) Close() error { return nil }
