package cluster

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

// versions is the JSON output of the version command.
type versions struct {
	Version  string         `json:"version"`
	Go       string         `json:"go"`
	Platform string         `json:"platform"`
	Server   *serverVersion `json:"server,omitempty"`
}

type serverVersion struct {
	Address string `json:"address"`
	Version string `json:"version,omitempty"`
	Error   string `json:"error,omitempty"`
}

// NewVersionCommand returns the command orth version.
func NewVersionCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the versions of this program and of the server", Args: cobra.NoArgs,
		Example: "  orth version\n  orth version -o json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := versions{
				Version: t.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
				Server: askServerVersion(cmd.Context(), t),
			}
			sentence := fmt.Sprintf("orth %s (%s, %s)", v.Version, v.Go, v.Platform)
			switch {
			case v.Server == nil:
			case v.Server.Error != "":
				sentence += fmt.Sprintf("\nserver at %s: %s", v.Server.Address, v.Server.Error)
			default:
				sentence += fmt.Sprintf("\nserver %s at %s", v.Server.Version, v.Server.Address)
			}
			return t.PrintResult(v, sentence)
		},
	}
}

// askServerVersion returns the version of the selected server, nil without a server.
func askServerVersion(ctx context.Context, t *kit.Tool) *serverVersion {
	found, err := t.FindServer()
	if err != nil {
		return nil
	}
	c, err := t.Connect()
	if err != nil {
		return &serverVersion{Address: found.Address.Value, Error: err.Error()}
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	version, err := c.Version(ctx)
	if err != nil {
		message, _ := kit.ExplainError(err)
		return &serverVersion{Address: found.Address.Value, Error: message}
	}
	return &serverVersion{Address: found.Address.Value, Version: version}
}
