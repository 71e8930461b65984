package executors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

// NewExecutorsCommand returns the command orth executors.
func NewExecutorsCommand(t *kit.Tool) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "executors", Short: "List and manage live and manually added executors", Args: cobra.NoArgs,
		Long: "List the live and the manually added executors of all namespaces that you may read, or of one with --namespace.\n\n" +
			"A registered executor that the server cannot reach is \"unreachable\": it receives tasks only while no other executor of\n" +
			"its group is reachable. The reasons are printed below the table.",
		Example: "  orth executors\n  orth executors add reports http://10.0.0.5:9999\n" +
			"  orth executors rewrite reports --from http://172.17. --to 'http://gateway:{port}'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			executors, err := c.ExecutorsOfKind(cmd.Context(), t.NamespaceName(), kind)
			if err != nil {
				return err
			}
			if t.ForPrograms() {
				return t.Encode(executors)
			}
			defer t.Warn(cmd.Context(), c)
			if len(executors) == 0 {
				t.PrintNote("No executors found. Start one with 'orth executor'.")
				return nil
			}
			return showExecutors(t, executors)
		},
	}
	cmd.AddCommand(newExecutorsAddCommand(t), newExecutorsRemoveCommand(t), newExecutorsRewriteCommand(t), newExecutorsDialectCommand(t),
		newExecutorsDrainCommand(t), newExecutorsFactsCommand(t))
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "only executors that publish facts of this `kind`, such as solana")
	return cmd
}

// showExecutors prints executors and the reasons of unreachable ones.
func showExecutors(t *kit.Tool, executors []api.Executor) error {
	rows, head := make([][]string, len(executors)), "GROUP ADDRESS STATE STARTED SEEN LEASE DIALECT LOAD FEATURES"
	placed := t.Everywhere || slices.ContainsFunc(executors, func(e api.Executor) bool { return e.Namespace != executors[0].Namespace })
	if placed {
		head = "NAMESPACE " + head
	}
	for i := range executors {
		e := &executors[i]
		rows[i] = []string{
			e.Group, e.Address, condition(e), t.FormatTime(e.StartedAt), t.FormatTime(e.SeenAt), t.FormatTime(e.LeaseUntil), dialect(e), load(e), featureNames(e.Features),
		}
		if placed {
			rows[i] = append([]string{e.Namespace}, rows[i]...)
		}
	}
	if err := t.PrintTable(head, rows); err != nil {
		return err
	}
	registering := false
	for i := range executors {
		e := &executors[i]
		if e.RegisteredAs != "" {
			t.PrintNote("%s registers as %s", e.Address, output.Printable(e.RegisteredAs))
		}
		if e.Trouble != "" {
			t.PrintNote("%s: %s", e.Address, output.Printable(e.Trouble))
		}
		if e.Unreachable != "" {
			t.PrintNote("%s is unreachable from the server: %s", e.Address, output.Printable(e.Unreachable))
			registering = registering || !e.Manual
		}
		if b := e.Breaker; b != nil && b.State != "closed" {
			until := "until a call succeeds"
			if !b.Until.IsZero() {
				until = "until " + t.FormatTime(b.Until)
			}
			t.PrintNote("circuit breaker of %s is open %s: %s in a row %s failed, last error: %s", e.Address, until,
				plural.Count(b.Failures, "call"), plural.Verb(b.Failures, "has", "have"), output.Printable(b.Reason))
		}
	}
	if registering {
		t.PrintNote("An executor in a container or behind a router may register an address that the server cannot reach: start it with\n" +
			"--address, or replace the address with 'orth executors rewrite GROUP --from PREFIX --to URL'.")
	}
	return nil
}

// condition names the state of an executor.
func condition(e *api.Executor) string {
	switch {
	case e.Manual && e.Unreachable != "":
		return "manual, not responding"
	case e.Unreachable != "":
		return "unreachable"
	case e.Breaker != nil && e.Breaker.State != "closed":
		return "circuit open"
	case e.Trouble != "":
		return "suspect"
	case e.Draining:
		return "draining"
	case e.Manual:
		return "manual"
	}
	return "ok"
}

// load formats the load of an executor, "" when it reports none.
func load(e *api.Executor) string {
	if e.Load == nil {
		return ""
	}
	return fmt.Sprintf("%d running, %d waiting", e.Load.Running, e.Load.Waiting)
}

// featureNames lists feature names without the part after "=", such as a version, which
// the JSON output includes.
func featureNames(features []string) string {
	names := make([]string, len(features))
	for i, feature := range features {
		names[i], _, _ = strings.Cut(feature, "=")
	}
	return strings.Join(names, " ")
}

func newExecutorsAddCommand(t *kit.Tool) *cobra.Command {
	var speaks string
	cmd := &cobra.Command{
		Use: "add GROUP URL", Short: "Add an executor address that does not register itself", Args: cobra.ExactArgs(2),
		Long: "Add an executor address that does not register itself. The executor is alive while it responds; the server checks it\n" +
			"every 10 seconds.",
		Example: "  orth executors add reports http://10.0.0.5:9999\n  orth executors add reports http://10.0.0.6:9999 --dialect xxl-job-3.5",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isDialect(speaks) {
				return output.Usagef("unknown dialect %q: use one of %s", speaks, dialectNames())
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			e, err := c.AddAddress(cmd.Context(), args[0], args[1], speaks)
			if err != nil {
				return err
			}
			result := "it responds"
			if e.Unreachable != "" {
				result = "it does not respond yet: " + output.Printable(e.Unreachable)
			}
			return t.PrintResult(e, fmt.Sprintf("executor %s added to group %s; %s", e.Address, e.Group, result))
		},
	}
	cmd.Flags().StringVar(&speaks, "dialect", api.DialectAuto, "protocol `dialect`: "+dialectNames())
	return cmd
}

func newExecutorsRemoveCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "remove GROUP URL", Aliases: []string{"rm"}, Short: "Remove a manually added executor address", Args: cobra.ExactArgs(2),
		Long: "Remove a manually added executor address. Its runs continue; if the executor no longer responds, they are recorded as\n" +
			"lost.",
		Example: "  orth executors remove reports http://10.0.0.5:9999",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RemoveAddress(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			return t.PrintResult(map[string]string{"group": args[0], "removed": args[1]}, "executor "+args[1]+" removed from group "+args[0])
		},
	}
}

func newExecutorsRewriteCommand(t *kit.Tool) *cobra.Command {
	var rule api.Rewrite
	var remove string
	cmd := &cobra.Command{
		Use: "rewrite GROUP", Short: "Show or change the address rewrite rules of a group", Args: cobra.ExactArgs(1),
		Long: "Show the address rewrite rules of a group, or add or remove one. A rule replaces registered addresses that the server\n" +
			"cannot reach, such as those of containers or hosts behind a router.\n\n" +
			"The first matching rule applies, from the next registration of the executor on.",
		Example: "  orth executors rewrite reports\n  orth executors rewrite reports --from http://172.17. --to 'http://gateway:{port}'\n" +
			"  orth executors rewrite reports --from 10.1.0.0/16 --to 'https://{host}.nodes.example.com:{port}'\n" +
			"  orth executors rewrite reports --remove http://172.17.",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (rule.From == "") != (rule.To == ""):
				return output.Usagef("--from and --to must be given together")
			case rule.From != "" && remove != "":
				return output.Usagef("--remove and --from are mutually exclusive")
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			rules, err := c.Rewrites(cmd.Context(), args[0])
			if err != nil && (rule.From == "" || !job.Is(err, job.NotFound)) { // the first rule creates the group
				return err
			}
			if rule.From != "" || remove != "" {
				if rules, err = changeRewrites(t, cmd, c, args[0], rules, rule, remove); err != nil {
					return err
				}
			}
			return rewrites(t, args[0], rules)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&rule.From, "from", "", "address `prefix`, or a network such as 172.17.0.0/16, to rewrite")
	flags.StringVar(&rule.To, "to", "", "replacement `URL`; {host} and {port} are those of the registered address")
	flags.StringVar(&remove, "remove", "", "remove the rule with this `prefix`")
	return cmd
}

// changeRewrites adds a rule, replacing the one with the same From, or removes one.
func changeRewrites(
	t *kit.Tool,
	cmd *cobra.Command, c *client.Client, group string, rules []api.Rewrite, rule api.Rewrite, remove string,
) ([]api.Rewrite, error) {
	var changed []api.Rewrite
	found := false
	for _, r := range rules {
		switch r.From {
		case remove:
			found = true
		case rule.From:
			changed, found = append(changed, rule), true
		default:
			changed = append(changed, r)
		}
	}
	switch {
	case remove != "" && !found:
		return nil, fmt.Errorf("group %s has no rule for %q: %s lists its rules", group, remove, t.CommandLine("executors", "rewrite", group))
	case remove == "" && !found:
		changed = append(changed, rule)
	}
	return c.SaveRewrites(cmd.Context(), group, changed)
}

// rewrites prints the rules of a group.
func rewrites(t *kit.Tool, group string, rules []api.Rewrite) error {
	if t.ForPrograms() {
		return t.Encode(kit.OrEmpty(rules))
	}
	if len(rules) == 0 {
		t.PrintNote("Group %s has no rules: the server uses the registered addresses.", group)
		return nil
	}
	rows := make([][]string, len(rules))
	for i, r := range rules {
		rows[i] = []string{r.From, r.To}
	}
	return t.PrintTable("FROM TO", rows)
}

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
