package cli

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
)

func (t *tool) clusterCommand() *cobra.Command {
	list := func(cmd *cobra.Command, _ []string) error { return t.listServers(cmd.Context()) }
	const long = "List the servers, with whether they do their work, and why they do not. One that has stopped, or is gone, is shown\n" +
		"for a day. It needs the right to administer the server."
	cmd := &cobra.Command{
		Use: "cluster", Short: "List the servers, with whether they do their work, and drain them", Args: cobra.NoArgs,
		Long: long, Example: "  orth cluster\n  orth cluster -o json\n  orth cluster --watch\n  orth cluster drain orth-1:8080", RunE: list,
	}
	cmd.AddCommand(
		&cobra.Command{
			Use: "list", Aliases: []string{"ls"}, Short: "List the servers, with whether they do their work", Args: cobra.NoArgs, Long: long,
			Example: "  orth cluster list\n  orth cluster list -o wide", RunE: list,
		},
		&cobra.Command{
			Use: "show SERVER", Short: "Show a server, with whether it does its work", Args: cobra.ExactArgs(1),
			Example: "  orth cluster show orth-1:8080",
			RunE: func(cmd *cobra.Command, args []string) error {
				return t.withClient(func(c *client.Client) error {
					s, err := c.Server(cmd.Context(), args[0])
					if err != nil {
						return err
					}
					return t.show(s, func() error { return t.serverCard(&s) })
				})
			},
		},
		t.drainServerCommand("drain", true, "Have a server take no more work", "Tell a server to end what it has and to plan and claim no more, before it is stopped for example: others do its\n"+
			"work. It still takes what executors report. It lasts until the server is started anew, or until 'orth cluster resume'.\n"+
			"A stop with Ctrl-C or SIGTERM drains as well, within the server's --drain-for. The last server that works does not drain."),
		t.drainServerCommand("resume", false, "Have a server that drains work again", ""),
	)
	return cmd
}

// withClient does something with a client of the server.
func (t *tool) withClient(do func(*client.Client) error) error {
	c, err := t.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	return do(c)
}

// drainServerCommand is for the two ways of the tap.
func (t *tool) drainServerCommand(name string, on bool, short, long string) *cobra.Command {
	return &cobra.Command{
		Use: name + " SERVER", Short: short, Long: long, Args: cobra.ExactArgs(1), Example: "  orth cluster " + name + " orth-1:8080",
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.withClient(func(c *client.Client) error {
				s, err := c.DrainServer(cmd.Context(), args[0], on)
				if err != nil {
					return err
				}
				said := fmt.Sprintf("server %s works", s.Name)
				if on {
					said = fmt.Sprintf("server %s ends what it has and takes no more work", s.Name)
				}
				return t.done(s, said)
			})
		},
	}
}

// listServers shows all servers.
func (t *tool) listServers(ctx context.Context) error {
	return t.withClient(func(c *client.Client) error {
		servers, err := c.Servers(ctx)
		if err != nil {
			return err
		}
		return t.show(servers, func() error {
			rows := make([][]string, len(servers))
			for i := range servers {
				rows[i] = t.serverRow(&servers[i])
			}
			return t.table("SERVER STATE READY VERSION STARTED LAG EXECUTORS DATABASE REASON | LEADS SENT HELD SKEW SEEN LISTEN LOOPS", rows)
		})
	})
}

// reasonsOf returns why a server does not do its work, and the loops of which it tells.
func (t *tool) reasonsOf(s *api.Server) (reasons, loops string) {
	var all, turns []string
	for _, r := range s.Reasons {
		all = append(all, r.Detail)
	}
	for _, l := range s.Loops {
		at := t.time(l.TurnedAt)
		if at == "" {
			at = "not yet"
		}
		turns = append(turns, l.Name+" "+at)
	}
	return strings.Join(all, "; "), strings.Join(turns, ", ")
}

// serverRow shows a server as a row.
func (t *tool) serverRow(s *api.Server) []string {
	reasons, loops := t.reasonsOf(s)
	return []string{
		s.Name, string(s.State), answer(s.Ready), s.Version, t.time(s.StartedAt), lasted(s.Lag), strconv.Itoa(s.Executors), databaseOf(s), oneLine(reasons),
		answer(s.Leads), strconv.FormatInt(s.Sent, 10), strconv.Itoa(s.Held), lasted(s.ClockSkew), t.time(s.BeatAt), s.Scheme + "://" + s.Listen, loops,
	}
}

// lasted shows how long something took.
func lasted(d api.Duration) string { return time.Duration(d).Round(time.Millisecond).String() }

func databaseOf(s *api.Server) string {
	return s.Store + " " + humanize.IBytes(uint64(max(s.DatabaseBytes, 0)))
}

// serverCard shows all of a server.
func (t *tool) serverCard(s *api.Server) error {
	reasons, loops := t.reasonsOf(s)
	return t.sheet([][2]string{
		{"Server", s.Name},
		{"State", string(s.State)},
		{"Ready", answer(s.Ready)},
		{"Why not", reasons},
		{"Version", s.Version},
		{"Started", t.time(s.StartedAt)},
		{"Seen", t.time(s.BeatAt)},
		{"Thought alive until", t.time(s.LeaseUntil)},
		{"Address", s.Address},
		{"Listens at", s.Scheme + "://" + s.Listen},
		{"Database", databaseOf(s)},
		{"Clock ahead of it by", lasted(s.ClockSkew)},
		{"Leads", answer(s.Leads)},
		{"Executors", strconv.Itoa(s.Executors)},
		{"Schedule lag", lasted(s.Lag)},
		{"Runs planned", strconv.FormatInt(s.Planned, 10)},
		{"Tasks sent", strconv.FormatInt(s.Sent, 10)},
		{"Runs held", strconv.Itoa(s.Held)},
		{"Loops", loops},
	})
}
