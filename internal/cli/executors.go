package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
)

func (t *tool) executorsCommand() *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "executors", Short: "List the executors that are alive, and those entered by hand", Args: cobra.NoArgs,
		Long: "List the executors that are alive, and those entered by hand: of the groups of all namespaces that you may see, or\n" +
			"with --namespace of one.\n\n" +
			"An executor that registers and that the server cannot reach is \"unreachable\": it is sent tasks only while no\n" +
			"other of its group can be reached. The reasons stand below the table.",
		Example: "  orth executors\n  orth executors add reports http://10.0.0.5:9999\n" +
			"  orth executors rewrite reports --from http://172.17. --to 'http://gateway:{port}'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			executors, err := c.ExecutorsOfKind(cmd.Context(), t.named(), kind)
			if err != nil {
				return err
			}
			if t.forPrograms() {
				return t.encode(executors)
			}
			defer t.warn(cmd.Context(), c)
			if len(executors) == 0 {
				t.tell("there are no executors: start one with 'orth executor'")
				return nil
			}
			return t.executors(executors)
		},
	}
	cmd.AddCommand(t.executorsAddCommand(), t.executorsRemoveCommand(), t.executorsRewriteCommand(), t.executorsDialectCommand(),
		t.executorsDrainCommand(), t.executorsFactsCommand())
	t.everySpaceUsual(cmd)
	cmd.Flags().StringVar(&kind, "kind", "", "only executors that tell facts of this `kind` about themselves, such as solana")
	return cmd
}

// executors prints executors, and why some of them cannot be reached.
func (t *tool) executors(executors []api.Executor) error {
	rows, head := make([][]string, len(executors)), "GROUP ADDRESS STATE STARTED SEEN LEASE DIALECT LOAD FEATURES"
	placed := t.everywhere || slices.ContainsFunc(executors, func(e api.Executor) bool { return e.Namespace != executors[0].Namespace })
	if placed {
		head = "NAMESPACE " + head
	}
	for i := range executors {
		e := &executors[i]
		rows[i] = []string{
			e.Group, e.Address, condition(e), t.time(e.StartedAt), t.time(e.SeenAt), t.time(e.LeaseUntil), dialect(e), load(e), featureNames(e.Features),
		}
		if placed {
			rows[i] = append([]string{e.Namespace}, rows[i]...)
		}
	}
	if err := t.table(head, rows); err != nil {
		return err
	}
	registering := false
	for i := range executors {
		e := &executors[i]
		if e.RegisteredAs != "" {
			t.tell("%s registers as %s", e.Address, printable(e.RegisteredAs))
		}
		if e.Trouble != "" {
			t.tell("%s: %s", e.Address, printable(e.Trouble))
		}
		if e.Unreachable != "" {
			t.tell("%s cannot be reached by the server: %s", e.Address, printable(e.Unreachable))
			registering = registering || !e.Manual
		}
		if b := e.Breaker; b != nil && b.State != "closed" {
			until := "until a task finds it well"
			if !b.Until.IsZero() {
				until = "until " + t.time(b.Until)
			}
			t.tell("%s is left alone %s: %s in a row %s failed, the last one: %s", e.Address, until,
				plural.Count(b.Failures, "call"), plural.Verb(b.Failures, "has", "have"), printable(b.Reason))
		}
	}
	if registering {
		t.tell("an executor in a container or behind a router registers an address that others may not reach: start it with\n" +
			"--address, or replace the address with 'orth executors rewrite GROUP --from PREFIX --to URL'")
	}
	return nil
}

// condition says in a word or two where an executor stands.
func condition(e *api.Executor) string {
	switch {
	case e.Manual && e.Unreachable != "":
		return "by hand, silent"
	case e.Unreachable != "":
		return "unreachable"
	case e.Breaker != nil && e.Breaker.State != "closed":
		return "left alone"
	case e.Trouble != "":
		return "in doubt"
	case e.Draining:
		return "draining"
	case e.Manual:
		return "by hand"
	}
	return "ok"
}

// load says what an executor has to do, "" when it does not say.
func load(e *api.Executor) string {
	if e.Load == nil {
		return ""
	}
	return fmt.Sprintf("%d running, %d waiting", e.Load.Running, e.Load.Waiting)
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

func (t *tool) executorsAddCommand() *cobra.Command {
	var speaks string
	cmd := &cobra.Command{
		Use: "add GROUP URL", Short: "Enter the address of an executor that does not register", Args: cobra.ExactArgs(2),
		Long: "Enter the address of an executor that does not register. It is alive while it answers; the server asks it\n" +
			"every 10 seconds.",
		Example: "  orth executors add reports http://10.0.0.5:9999\n  orth executors add reports http://10.0.0.6:9999 --dialect xxl-job-3.5",
		RunE: func(cmd *cobra.Command, args []string) error {
			if !isDialect(speaks) {
				return usagef("there is no dialect %q: the dialects are %s", speaks, dialectNames())
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			e, err := c.AddAddress(cmd.Context(), args[0], args[1], speaks)
			if err != nil {
				return err
			}
			said := "it answers"
			if e.Unreachable != "" {
				said = "it does not answer yet: " + printable(e.Unreachable)
			}
			return t.done(e, fmt.Sprintf("executor %s added to group %s; %s", e.Address, e.Group, said))
		},
	}
	cmd.Flags().StringVar(&speaks, "dialect", api.DialectAuto, "how it is `spoken` to: "+dialectNames())
	return cmd
}

func (t *tool) executorsRemoveCommand() *cobra.Command {
	return &cobra.Command{
		Use: "remove GROUP URL", Aliases: []string{"rm"}, Short: "Remove an address that was entered by hand", Args: cobra.ExactArgs(2),
		Long: "Remove an address that was entered by hand. Runs that it has go on; if it does not answer any more they are\n" +
			"recorded as lost.",
		Example: "  orth executors remove reports http://10.0.0.5:9999",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			if err := c.RemoveAddress(cmd.Context(), args[0], args[1]); err != nil {
				return err
			}
			return t.done(map[string]string{"group": args[0], "removed": args[1]}, "executor "+args[1]+" removed from group "+args[0])
		},
	}
}

func (t *tool) executorsRewriteCommand() *cobra.Command {
	var rule api.Rewrite
	var remove string
	cmd := &cobra.Command{
		Use: "rewrite GROUP", Short: "Show or set how addresses that executors register are replaced", Args: cobra.ExactArgs(1),
		Long: "Show how the addresses that executors of a group register are replaced, or add or remove a rule. For\n" +
			"executors in containers, or behind a router, that register an address which the server cannot reach.\n\n" +
			"The first rule that is about an address counts, from the executor's next registration on.",
		Example: "  orth executors rewrite reports\n  orth executors rewrite reports --from http://172.17. --to 'http://gateway:{port}'\n" +
			"  orth executors rewrite reports --from 10.1.0.0/16 --to 'https://{host}.nodes.example.com:{port}'\n" +
			"  orth executors rewrite reports --remove http://172.17.",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case (rule.From == "") != (rule.To == ""):
				return usagef("--from and --to belong together")
			case rule.From != "" && remove != "":
				return usagef("--remove and --from exclude each other")
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			rules, err := c.Rewrites(cmd.Context(), args[0])
			if err != nil && (rule.From == "" || !job.Is(err, job.NotFound)) { // a first rule makes the group
				return err
			}
			if rule.From != "" || remove != "" {
				if rules, err = t.changeRewrites(cmd, c, args[0], rules, rule, remove); err != nil {
					return err
				}
			}
			return t.rewrites(args[0], rules)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&rule.From, "from", "", "the `beginning` of an address, or a network such as 172.17.0.0/16, to add a rule for")
	flags.StringVar(&rule.To, "to", "", "the `URL` that takes its place; {host} and {port} stand for the registered ones")
	flags.StringVar(&remove, "remove", "", "remove the rule with this `from`")
	return cmd
}

// changeRewrites adds a rule, over the one with its From when there is one, or
// removes one.
func (t *tool) changeRewrites(
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
		return nil, fmt.Errorf("group %s has no rule from %q: %s shows those it has", group, remove, t.command("executors", "rewrite", group))
	case remove == "" && !found:
		changed = append(changed, rule)
	}
	return c.SaveRewrites(cmd.Context(), group, changed)
}

// rewrites prints the rules of a group.
func (t *tool) rewrites(group string, rules []api.Rewrite) error {
	if t.forPrograms() {
		return t.encode(orEmpty(rules))
	}
	if len(rules) == 0 {
		t.tell("group %s has no rules: executors are reached at the addresses they register", group)
		return nil
	}
	rows := make([][]string, len(rules))
	for i, r := range rules {
		rows[i] = []string{r.From, r.To}
	}
	return t.table("FROM TO", rows)
}
