package cli

import (
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
)

func (t *tool) clusterCommand() *cobra.Command {
	return &cobra.Command{
		Use: "cluster", Short: "List the servers, with whether they do their work", Args: cobra.NoArgs,
		Long:    "List the servers, with whether they do their work, and why they do not. It needs the right to administer the server.",
		Example: "  orth cluster\n  orth cluster -o json\n  orth cluster --watch",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			servers, err := c.Servers(cmd.Context())
			if err != nil {
				return err
			}
			return t.show(servers, func() error {
				rows := make([][]string, len(servers))
				for i := range servers {
					rows[i] = t.serverRow(&servers[i])
				}
				return t.table("SERVER READY VERSION STARTED EXECUTORS DATABASE REASON | LISTEN LOOPS", rows)
			})
		},
	}
}

// serverRow shows a server as a row.
func (t *tool) serverRow(s *api.Server) []string {
	var reasons, loops []string
	for _, r := range s.Reasons {
		reasons = append(reasons, r.Detail)
	}
	for _, l := range s.Loops {
		at := t.time(l.TurnedAt)
		if at == "" {
			at = "not yet"
		}
		loops = append(loops, l.Name+" "+at)
	}
	return []string{
		s.Name, answer(s.Ready), s.Version, t.time(s.StartedAt), strconv.Itoa(s.Executors), s.Store + " " + humanize.IBytes(uint64(max(s.DatabaseBytes, 0))),
		oneLine(strings.Join(reasons, "; ")), s.Scheme + "://" + s.Listen, strings.Join(loops, ", "),
	}
}
