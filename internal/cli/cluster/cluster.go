package cluster

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/mcp"
	"github.com/orthd/orth/internal/output"
)

// NewClusterCommand returns the command orth cluster.
func NewClusterCommand(t *kit.Tool) *cobra.Command {
	list := func(cmd *cobra.Command, _ []string) error { return listServers(cmd.Context(), t) }
	const long = "List the servers of the cluster with their health, and the reasons for degraded servers. Stopped and lost servers\n" +
		"are listed for one day. The command needs the permission to administer the server."
	cmd := &cobra.Command{
		Use: "cluster", Short: "List and drain the servers of the cluster", Args: cobra.NoArgs,
		Long: long, Example: "  orth cluster\n  orth cluster -o json\n  orth cluster --watch\n  orth cluster drain orth-1:8080", RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the servers with their health", Args: cobra.NoArgs, Long: long,
			Example: "  orth cluster list\n  orth cluster list -o wide", RunE: list,
		},
		&cobra.Command{
			Use: "show SERVER", Short: "Show a server with its health", Args: cobra.ExactArgs(1),
			Example: "  orth cluster show orth-1:8080",
			RunE: func(cmd *cobra.Command, args []string) error {
				return withClient(t, func(c *client.Client) error {
					s, err := c.Server(cmd.Context(), args[0])
					if err != nil {
						return err
					}
					return t.Show(s, func() error { return serverCard(t, &s) })
				})
			},
		},
		newDrainServerCommand(t, "drain", true, "Drain a server before maintenance", "Drain a server: it finishes its current work and plans and claims no new work, which other servers take over. It still\n"+
			"accepts the reports of executors. The state lasts until the server restarts, or until 'orth cluster resume'. Ctrl-C and\n"+
			"SIGTERM drain as well, within --drain-timeout of the server. The last active server cannot be drained."),
		newDrainServerCommand(t, "resume", false, "Return a drained server to work", ""),
	)
	return cmd
}

// withClient calls f with a client of the server.
func withClient(t *kit.Tool, do func(*client.Client) error) error {
	c, err := t.Connect()
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// newDrainServerCommand returns the command drain or resume.
func newDrainServerCommand(t *kit.Tool, name string, on bool, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name + " SERVER", Short: short, Long: long, Args: cobra.ExactArgs(1), Example: "  orth cluster " + name + " orth-1:8080",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withClient(t, func(c *client.Client) error {
				s, err := c.DrainServer(cmd.Context(), args[0], on)
				if err != nil {
					return err
				}
				result := fmt.Sprintf("server %s resumed", s.Name)
				if on {
					result = fmt.Sprintf("server %s is draining", s.Name)
				}
				return t.PrintResult(s, result)
			})
		},
	}
}

// listServers prints all servers.
func listServers(ctx context.Context, t *kit.Tool) error {
	return withClient(t, func(c *client.Client) error {
		servers, err := c.Servers(ctx)
		if err != nil {
			return err
		}
		return t.Show(servers, func() error {
			rows := make([][]string, len(servers))
			for i := range servers {
				rows[i] = serverRow(t, &servers[i])
			}
			return t.PrintTable("SERVER STATE READY VERSION STARTED LAG EXECUTORS DATABASE REASON | LEADS SENT HELD SKEW SEEN LISTEN LOOPS", rows)
		})
	})
}

// reasonsOf returns why a server is degraded, and the loops that cause it.
func reasonsOf(t *kit.Tool, s *api.Server) (reasons, loops string) {
	var all, turns []string
	for _, r := range s.Reasons {
		all = append(all, r.Detail)
	}
	for _, l := range s.Loops {
		at := t.FormatTime(l.TurnedAt)
		if at == "" {
			at = "not yet"
		}
		turns = append(turns, l.Name+" "+at)
	}
	return strings.Join(all, "; "), strings.Join(turns, ", ")
}

// serverRow returns a server as a table row.
func serverRow(t *kit.Tool, s *api.Server) []string {
	reasons, loops := reasonsOf(t, s)
	return []string{
		s.Name, string(s.State), kit.YesOrNo(s.Ready), s.Version, t.FormatTime(s.StartedAt), lasted(s.Lag), strconv.Itoa(s.Executors), databaseOf(s), output.OneLine(reasons),
		kit.YesOrNo(s.Leads), strconv.FormatInt(s.Sent, 10), strconv.Itoa(s.Held), lasted(s.ClockSkew), t.FormatTime(s.BeatAt), s.Scheme + "://" + s.Listen, loops,
	}
}

// lasted formats a duration.
func lasted(d api.Duration) string { return time.Duration(d).Round(time.Millisecond).String() }

func databaseOf(s *api.Server) string {
	return s.Store + " " + humanize.IBytes(uint64(max(s.DatabaseBytes, 0)))
}

// serverCard prints the details of a server.
func serverCard(t *kit.Tool, s *api.Server) error {
	reasons, loops := reasonsOf(t, s)
	return t.PrintSheet([][2]string{
		{"Server", s.Name},
		{"State", string(s.State)},
		{"Ready", kit.YesOrNo(s.Ready)},
		{"Reason", reasons},
		{"Version", s.Version},
		{"Started", t.FormatTime(s.StartedAt)},
		{"Seen", t.FormatTime(s.BeatAt)},
		{"Lease until", t.FormatTime(s.LeaseUntil)},
		{"Address", s.Address},
		{"Listen address", s.Scheme + "://" + s.Listen},
		{"Database", databaseOf(s)},
		{"Clock skew", lasted(s.ClockSkew)},
		{"Leads", kit.YesOrNo(s.Leads)},
		{"Executors", strconv.Itoa(s.Executors)},
		{"Schedule lag", lasted(s.Lag)},
		{"Runs planned", strconv.FormatInt(s.Planned, 10)},
		{"Tasks sent", strconv.FormatInt(s.Sent, 10)},
		{"Runs held", strconv.Itoa(s.Held)},
		{"Loops", loops},
	})
}

// NewSettingsCommand returns the command orth settings.
func NewSettingsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "settings", Short: "List the effective settings of the server", Args: cobra.NoArgs,
		Long: `List the effective settings of the server that responds, and the source of each one: flag,
environment, file or default. Secrets are shown as ***. The command needs the permission to
administer the server.`,
		Example: "  orth settings\n  orth settings -o yaml",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			settings, err := c.Settings(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(settings, func() error {
				rows := make([][]string, len(settings))
				for i, s := range settings {
					from := string(s.Source)
					if s.File != "" {
						from += " " + s.File
					}
					rows[i] = []string{s.Name, output.OneLine(s.Value), output.OneLine(from)}
				}
				return t.PrintTable("SETTING VALUE FROM", rows)
			})
		},
	}
}

// NewNamespaceCommand returns the command orth namespace.
func NewNamespaceCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(&cobra.Command{Use: "namespace", Aliases: []string{"ns"}, Short: "List namespaces"}, newNamespaceListCommand(t))
}

func newNamespaceListCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List namespaces with their objects", Args: cobra.NoArgs,
		Long: `List the namespaces that contain jobs, groups, workflows or calendars, or for which a role was
granted, with the number of objects that you may read. A namespace needs no command to be
created: it exists as soon as an object uses it.`,
		Example: "  orth namespace list\n  orth namespace list -o name",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			namespaces, err := c.Namespaces(cmd.Context())
			if err != nil {
				return err
			}
			return t.Show(namespaces, func() error {
				if len(namespaces) == 0 {
					t.PrintNote("No namespaces found.")
					return nil
				}
				rows := make([][]string, len(namespaces))
				for i, n := range namespaces {
					rows[i] = []string{n.Name, strconv.Itoa(n.Jobs), strconv.Itoa(n.Groups), strconv.Itoa(n.Workflows), strconv.Itoa(n.Calendars)}
				}
				return t.PrintTable("NAMESPACE JOBS GROUPS WORKFLOWS CALENDARS", rows)
			})
		},
	}
}

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
