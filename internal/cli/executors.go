package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

func (t *tool) executorsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "executors", Short: "List the executors that are alive", Args: cobra.NoArgs, Example: "  orth executors",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			executors, err := c.Executors(cmd.Context())
			if err != nil {
				return err
			}
			if t.asJSON() {
				return t.json(executors)
			}
			if len(executors) == 0 {
				t.tell("there are no executors: start one with 'orth executor'")
				return nil
			}
			rows := make([][]string, len(executors))
			for i, e := range executors {
				rows[i] = []string{e.Group, e.Address, t.time(e.RegisteredAt), t.time(e.SeenAt), t.time(e.LeaseUntil), featureNames(e.Features)}
			}
			return t.table("GROUP ADDRESS REGISTERED SEEN LEASE FEATURES", rows)
		},
	}
}

// featureNames returns the features in short: without what follows a "=", such
// as a version, which the JSON output shows.
func featureNames(features []string) string {
	names := make([]string, len(features))
	for i, feature := range features {
		names[i], _, _ = strings.Cut(feature, "=")
	}
	return strings.Join(names, " ")
}
