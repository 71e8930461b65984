package executors

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

func newExecutorsFactsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "facts GROUP URL", Short: "Show the facts that an executor publishes", Args: cobra.ExactArgs(2),
		Long: "Show the last facts document that an executor published, as JSON. Such executors have a kind, which\n" +
			"'orth executors -o json' prints and 'orth executors --kind' filters by.",
		Example: "  orth executors --kind solana\n  orth executors facts chain http://10.0.0.5:9999",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			facts, err := c.ExecutorFacts(cmd.Context(), args[0], args[1])
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(facts)
			}
			var text bytes.Buffer
			if err := json.Indent(&text, facts.Facts, "", "  "); err != nil {
				return fmt.Errorf("read the facts of %s: %w", args[1], err)
			}
			t.PrintNote("Facts of %s in group %s (kind %s), published at %s:", facts.Address, facts.Group, facts.Kind, t.FormatTime(facts.At))
			_, err = fmt.Fprintln(t.Stdout, text.String())
			return err
		},
	}
}
