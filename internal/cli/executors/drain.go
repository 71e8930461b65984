package executors

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
)

func newExecutorsDrainCommand(t *kit.Tool) *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "drain GROUP ADDRESS", Short: "Drain an executor before maintenance", Args: cobra.ExactArgs(2),
		Long: "Drain an executor: it finishes its current tasks and accepts no new ones. The state lasts until the executor stops, or\n" +
			"until --off. Only executors with the native protocol can be drained remotely; every executor drains on Ctrl-C or\n" +
			"SIGTERM.",
		Example: "  orth executors drain reports http://10.0.0.5:9999/\n  orth executors drain reports http://10.0.0.5:9999/ --off",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			d, err := c.Drain(cmd.Context(), args[0], args[1], !off)
			if err != nil {
				return err
			}
			result := fmt.Sprintf("executor %s of group %s accepts tasks again", d.Address, d.Group)
			if d.Draining {
				result = fmt.Sprintf("executor %s of group %s is draining", d.Address, d.Group)
			}
			return t.PrintResult(d, result)
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "accept tasks again")
	return cmd
}
