package auditlog

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
)

// NewCommand returns the command orth audit.
func NewCommand(t *kit.Tool) *cobra.Command {
	return output.Parent(
		&cobra.Command{
			Use: "audit", Short: "List, export, verify and prune the audit log",
			Long: "List, export, verify and prune the audit log. Every change has one entry: the actor, the address, the permission, and\n" +
				"the object before and after. Each entry includes the digest of the previous one, which makes changed, removed and\n" +
				"inserted entries detectable. The commands need the permission to administer the server.",
		},
		newListCommand(t), newVerifyCommand(t), newExportCommand(t), newPruneCommand(t),
	)
}

// filterFlags holds the flags that filter entries.
type filterFlags struct{ actor, operation, kind, key, since, until string }

func (f *filterFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.actor, "actor", "", "only entries of the user with this `name`")
	flags.StringVar(&f.operation, "operation", "", "only this `operation` of the API, such as update-job")
	flags.StringVar(&f.kind, "kind", "", "only objects of this `kind`: job, calendar, alarm rule, …")
	flags.StringVar(&f.key, "key", "", "only objects with this `key` or number")
	flags.StringVar(&f.since, "since", "", "only entries since this `time`: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only entries before this `time`")
}

func query(t *kit.Tool, f *filterFlags) (client.AuditQuery, error) {
	q := client.AuditQuery{Actor: f.actor, Operation: f.operation, Kind: f.kind, Key: f.key, Namespace: t.SelectedNamespace()}
	var err error
	if q.From, err = kit.ParsePast("since", f.since, t.Location); err == nil {
		q.Until, err = kit.ParsePast("until", f.until, t.Location)
	}
	return q, err
}

func newListCommand(t *kit.Tool) *cobra.Command {
	var f filterFlags
	limit := 20
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List audit entries, newest first", Args: cobra.NoArgs,
		Example: "  orth audit list\n  orth audit list --kind job --key report --since 24h\n  orth audit list --actor ann -o json\n  orth audit list -A --since 24h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			q, err := query(t, &f)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found := []api.AuditLine{}
			q.Limit = min(limit, kit.PageSize)
			err = eachLine(cmd.Context(), c, q, func(l *api.AuditLine) (bool, error) {
				found = append(found, *l)
				return len(found) < limit, nil
			})
			if err != nil {
				return err
			}
			return t.Show(found, func() error { return showAudit(t, found) })
		},
	}
	f.add(cmd.Flags())
	t.AddEverySpaceDefault(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of entries")
	return cmd
}

// eachLine calls take for each entry of a query, page by page, until take returns false.
func eachLine(ctx context.Context, c *client.Client, q client.AuditQuery, take func(*api.AuditLine) (bool, error)) error {
	for {
		page, err := c.Audit(ctx, q)
		if err != nil {
			return err
		}
		for i := range page.Lines {
			if more, err := take(&page.Lines[i]); err != nil || !more {
				return err
			}
		}
		if page.Next == 0 {
			return nil
		}
		q.After = page.Next
	}
}

func showAudit(t *kit.Tool, found []api.AuditLine) error {
	if len(found) == 0 {
		t.PrintNote("No audit entries found.")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		l := &found[i]
		space := output.OneLine(l.Namespace)
		row := []string{
			l.Seq.String(), t.FormatTime(l.At), l.Actor, l.Operation, output.OneLine(strings.TrimSpace(l.Kind + " " + l.Key)), output.OneLine(changes(l.Before, l.After)),
			space, output.OneLine(l.Group), output.OneLine(l.Address), l.Right,
		}
		if t.Everywhere { // the column precedes OBJECT
			row = slices.Insert(slices.Delete(row, 6, 7), 4, space)
		}
		rows[i] = row
	}
	heads := "ID TIME ACTOR OPERATION OBJECT CHANGED | NAMESPACE GROUP ADDRESS PERMISSION"
	if t.Everywhere {
		heads = "ID TIME ACTOR OPERATION NAMESPACE OBJECT CHANGED | GROUP ADDRESS PERMISSION"
	}
	return t.PrintTable(heads, rows)
}

// changes summarizes the differences between two objects.
func changes(before, after json.RawMessage) string {
	var was, is map[string]json.RawMessage
	_, _ = json.Unmarshal(before, &was), json.Unmarshal(after, &is) // a value that is not an object has no fields
	switch {
	case was == nil && is == nil:
		return ""
	case was == nil:
		return "created"
	case is == nil:
		return "deleted"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if string(was[name]) == string(is[name]) || name == "version" || name == "updated_at" {
			continue
		}
		if len(was[name])+len(is[name]) > output.MaxCell {
			parts = append(parts, name)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s → %s", name, was[name], is[name]))
	}
	return strings.Join(parts, ", ")
}

func newExportCommand(t *kit.Tool) *cobra.Command {
	var f filterFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Export the audit log as JSON lines, oldest first", Args: cobra.NoArgs,
		Long: "Export the audit log as JSON lines, oldest first, one API object per line. 'orth audit verify' checks an\n" +
			"unfiltered export.",
		Example: "  orth audit export > audit.jsonl\n  orth audit export --since 24h | jq -r .operation",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := query(t, &f)
			if err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			q.Oldest, q.Limit = true, kit.PageSize
			enc := json.NewEncoder(t.Stdout)
			enc.SetEscapeHTML(false)
			return eachLine(cmd.Context(), c, q, func(l *api.AuditLine) (bool, error) { return true, enc.Encode(l) })
		},
	}
	f.add(cmd.Flags())
	t.AddEverySpaceDefault(cmd)
	return cmd
}

func newPruneCommand(t *kit.Tool) *cobra.Command {
	var before string
	var yes bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove the oldest audit entries", Args: cobra.NoArgs,
		Long: "Remove the oldest audit entries. One entry records who removed them, their number and the last digest, so that the\n" +
			"remaining chain can still be verified. Entries are removed in no other way: export them first if they may be needed.",
		Example: "  orth audit export --until 2030-01-01T00:00 > audit-2029.jsonl\n  orth audit prune --before 2030-01-01T00:00",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before == "" {
				return output.Usagef("--before is required: give the time of the first entry to keep")
			}
			at, err := kit.ParsePast("before", before, t.Location)
			if err != nil {
				return err
			}
			if !yes {
				if !kit.AsksAPerson(t.Stdin) {
					return output.Usagef("--yes is required: removed entries cannot be restored")
				}
				if ok, err := t.Confirm("Remove all audit entries before " + at.In(t.Location).Format(time.RFC3339) + "?"); err != nil || !ok {
					return err
				}
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			return prune(cmd.Context(), t, c, at)
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "remove entries before this `time`: 2030-01-31T08:00, or 720h for thirty days ago")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask for confirmation")
	return cmd
}

// prune removes entries in batches until none is left.
func prune(ctx context.Context, t *kit.Tool, c *client.Client, before time.Time) error {
	var all api.AuditPruned
	for {
		r, err := c.PruneAudit(ctx, before)
		if err != nil {
			return err
		}
		if r.Lines > 0 && all.First == 0 {
			all.First = r.First
		}
		if r.Lines > 0 {
			all.Lines, all.Last, all.Digest = all.Lines+r.Lines, r.Last, r.Digest
		}
		if !r.More {
			break
		}
	}
	return t.Show(all, func() error {
		if all.Lines == 0 {
			t.PrintNote("No audit entries to remove.")
			return nil
		}
		_, err := fmt.Fprintf(t.Stdout, "%s removed: %s to %s\n", plural.Count(int(all.Lines), "entry"), all.First, all.Last)
		return err
	})
}
