package cli

import (
	"fmt"

	"github.com/spf13/cobra"
)

func (t *tool) executorsDrainCommand() *cobra.Command {
	var off bool
	cmd := &cobra.Command{
		Use: "drain GROUP ADDRESS", Short: "Have an executor take no more tasks", Args: cobra.ExactArgs(2),
		Long: "Tell an executor to finish what it has and take no more tasks, before its machine is shut down for example. It\n" +
			"lasts until the executor stops, or until --off. Only executors that speak the native protocol can be told; any\n" +
			"executor drains when it is stopped with Ctrl-C or SIGTERM.",
		Example: "  orth executors drain reports http://10.0.0.5:9999/\n  orth executors drain reports http://10.0.0.5:9999/ --off",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			d, err := c.Drain(cmd.Context(), args[0], args[1], !off)
			if err != nil {
				return err
			}
			said := fmt.Sprintf("executor %s of group %s takes tasks", d.Address, d.Group)
			if d.Draining {
				said = fmt.Sprintf("executor %s of group %s finishes what it has and takes no more", d.Address, d.Group)
			}
			return t.done(d, said)
		},
	}
	cmd.Flags().BoolVar(&off, "off", false, "let it take tasks again")
	return cmd
}
