package cli

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
	"github.com/orthd/orth/internal/plural"
)

func (t *tool) auditCommand() *cobra.Command {
	return parent(
		&cobra.Command{
			Use: "audit", Short: "See who changed what, and check that nothing of it was tampered with",
			Long: "See who changed what, and check that nothing of it was tampered with. Each change has one line: who asked for it,\n" +
				"from where, by which right, and what was stored before and after. Each line has the digest of the one before, so\n" +
				"that one that is changed, taken out or put in is found. It needs the right to administrate the server.",
		},
		t.auditListCommand(), t.auditVerifyCommand(), t.auditExportCommand(), t.auditPruneCommand(),
	)
}

// auditFlags are the flags that find lines.
type auditFlags struct{ actor, operation, kind, key, since, until string }

func (f *auditFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.actor, "actor", "", "only what the user of this `name` has done")
	flags.StringVar(&f.operation, "operation", "", "only this `operation`, as the API calls it: update-job")
	flags.StringVar(&f.kind, "kind", "", "only what is about objects of this `kind`: job, calendar, alarm rule, …")
	flags.StringVar(&f.key, "key", "", "only what is about objects of this `key`, or number")
	flags.StringVar(&f.since, "since", "", "only lines of this `time` or later: 2030-01-31T08:00, 2030-01-31T08:00:00+01:00, or 2h for two hours ago")
	flags.StringVar(&f.until, "until", "", "only lines of before this `time`")
}

func (t *tool) auditQuery(f *auditFlags) (client.AuditQuery, error) {
	q := client.AuditQuery{Actor: f.actor, Operation: f.operation, Kind: f.kind, Key: f.key, Namespace: t.space()}
	var err error
	if q.From, err = past("since", f.since, t.Location); err == nil {
		q.Until, err = past("until", f.until, t.Location)
	}
	return q, err
}

func (t *tool) auditListCommand() *cobra.Command {
	var f auditFlags
	limit := 20
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List who changed what, the newest first", Args: cobra.NoArgs,
		Example: "  orth audit list\n  orth audit list --kind job --key report --since 24h\n  orth audit list --actor ann -o json\n  orth audit list -A --since 24h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return usagef("--limit: %d is not at least 1", limit)
			}
			q, err := t.auditQuery(&f)
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found := []api.AuditLine{}
			q.Limit = min(limit, pageSize)
			err = eachLine(cmd.Context(), c, q, func(l *api.AuditLine) (bool, error) {
				found = append(found, *l)
				return len(found) < limit, nil
			})
			if err != nil {
				return err
			}
			return t.show(found, func() error { return t.showAudit(found) })
		},
	}
	f.add(cmd.Flags())
	t.everySpaceUsual(cmd)
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	return cmd
}

// eachLine calls take for each line of a query, page by page, until it says that it
// has enough.
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

func (t *tool) showAudit(found []api.AuditLine) error {
	if len(found) == 0 {
		t.tell("there are no such lines")
		return nil
	}
	rows := make([][]string, len(found))
	for i := range found {
		l := &found[i]
		space := oneLine(l.Namespace)
		row := []string{
			l.Seq.String(), t.time(l.At), l.Actor, l.Operation, oneLine(strings.TrimSpace(l.Kind + " " + l.Key)), oneLine(changes(l.Before, l.After)),
			space, oneLine(l.Group), oneLine(l.Address), l.Right,
		}
		if t.everywhere { // it stands before the object
			row = slices.Insert(slices.Delete(row, 6, 7), 4, space)
		}
		rows[i] = row
	}
	heads := "LINE AT ACTOR OPERATION OBJECT CHANGED | NAMESPACE GROUP ADDRESS RIGHT"
	if t.everywhere {
		heads = "LINE AT ACTOR OPERATION NAMESPACE OBJECT CHANGED | GROUP ADDRESS RIGHT"
	}
	return t.table(heads, rows)
}

// changes says in short what is different between two objects.
func changes(before, after json.RawMessage) string {
	var was, is map[string]json.RawMessage
	_, _ = json.Unmarshal(before, &was), json.Unmarshal(after, &is) // what is no object has no parts
	switch {
	case was == nil && is == nil:
		return ""
	case was == nil:
		return "made"
	case is == nil:
		return "removed"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if string(was[name]) == string(is[name]) || name == "version" || name == "updated_at" {
			continue
		}
		if len(was[name])+len(is[name]) > maxCell {
			parts = append(parts, name)
			continue
		}
		parts = append(parts, fmt.Sprintf("%s: %s → %s", name, was[name], is[name]))
	}
	return strings.Join(parts, ", ")
}

func (t *tool) auditExportCommand() *cobra.Command {
	var f auditFlags
	cmd := &cobra.Command{
		Use: "export", Short: "Write the audit as lines of JSON, the oldest first", Args: cobra.NoArgs,
		Long: "Write the audit as lines of JSON, the oldest first, one object a line, as the API shows them. 'orth audit verify'\n" +
			"reads what was written without filters.",
		Example: "  orth audit export > audit.jsonl\n  orth audit export --since 24h | jq -r .operation",
		RunE: func(cmd *cobra.Command, _ []string) error {
			q, err := t.auditQuery(&f)
			if err != nil {
				return err
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			q.Oldest, q.Limit = true, pageSize
			enc := json.NewEncoder(t.Stdout)
			enc.SetEscapeHTML(false)
			return eachLine(cmd.Context(), c, q, func(l *api.AuditLine) (bool, error) { return true, enc.Encode(l) })
		},
	}
	f.add(cmd.Flags())
	t.everySpaceUsual(cmd)
	return cmd
}

func (t *tool) auditPruneCommand() *cobra.Command {
	var before string
	var yes bool
	cmd := &cobra.Command{
		Use: "prune", Short: "Remove the oldest lines", Args: cobra.NoArgs,
		Long: "Remove the oldest lines. A line stays that says who removed them, how many, and the digest of the last one, so that\n" +
			"the rest can still be checked. Nothing else ever removes lines: export them first if anybody may ask for them.",
		Example: "  orth audit export --until 2030-01-01T00:00 > audit-2029.jsonl\n  orth audit prune --before 2030-01-01T00:00",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if before == "" {
				return usagef("--before is missing: name the time from which lines are kept")
			}
			at, err := past("before", before, t.Location)
			if err != nil {
				return err
			}
			if !yes {
				if !asksAPerson(t.Stdin) {
					return usagef("--yes is missing: lines that are removed do not come back")
				}
				if ok, err := t.confirm("Remove all lines of the audit from before " + at.In(t.Location).Format(time.RFC3339) + "?"); err != nil || !ok {
					return err
				}
			}
			c, err := t.connect()
			if err != nil {
				return err
			}
			defer c.Close()
			return t.prune(cmd.Context(), c, at)
		},
	}
	cmd.Flags().StringVar(&before, "before", "", "remove the lines of before this `time`: 2030-01-31T08:00, or 720h for thirty days ago")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

// prune removes lines until there are no more to be removed.
func (t *tool) prune(ctx context.Context, c *client.Client, before time.Time) error {
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
	return t.show(all, func() error {
		if all.Lines == 0 {
			t.tell("there were no lines to remove")
			return nil
		}
		_, err := fmt.Fprintf(t.Stdout, "%s removed: lines %s to %s\n", plural.Count(int(all.Lines), "line"), all.First, all.Last)
		return err
	})
}
