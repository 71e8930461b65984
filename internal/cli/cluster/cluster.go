package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
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
