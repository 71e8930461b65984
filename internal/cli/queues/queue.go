package queues

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

// NewCommand returns the command orth queue.
func NewCommand(t *kit.Tool) *cobra.Command {
	cmd := output.Parent(
		&cobra.Command{
			Use: "queue", Aliases: []string{"queues"}, Short: "Inspect and repair the queues of an executor on this machine",
			Long: "Inspect and repair the queues of an executor on this machine.\n\n" +
				"The queue tasks holds accepted tasks that are not finished, the queue outbox the outcomes that no server has\n" +
				"acknowledged. An item that cannot be finished is dead until it is retried or purged.\n\n" +
				"The executor may be running or stopped. Keys are ids of attempts, as printed by 'orth run show'.",
		},
		newListCommand(t), newShowCommand(t), newRedriveCommand(t), newPurgeCommand(t),
		newStatsCommand(t), newBackupCommand(t),
	)
	flags := cmd.PersistentFlags()
	flags.StringVar(&t.Data, "data", "", "data `folder` of the executor (env ORTH_DATA; default: "+defaultExecutorData+
		", or the one of 'orth dev' here)")
	t.OutputFlags(flags)
	flags.BoolFunc("json", "same as -o json", func(string) error { return t.Output.Set(output.JSON) })
	_ = flags.MarkHidden("json") // the flag exists: it was added above
	return cmd
}

// flag adds the flag that selects a queue.
func flag(cmd *cobra.Command) *kit.Choice {
	name := kit.NewChoice(tasksQueue, tasksQueue, outboxQueue)
	cmd.Flags().Var(&name, "queue", "queue to use")
	return &name
}

func newListCommand(t *kit.Tool) *cobra.Command {
	places := []string{}
	for _, p := range control.Places() {
		places = append(places, p.String())
	}
	place, limit := kit.NewChoice("", places...), 20
	cmd := &cobra.Command{
		Use: kit.ListName, Aliases: []string{"ls"}, Short: "List items by state, oldest first", Args: cobra.NoArgs,
		Example: "  orth queue list\n  orth queue list --state dead\n  orth queue list --queue outbox --data /var/lib/orth-executor",
	}
	name := flag(cmd)
	cmd.Flags().Var(&place, "state", "only items in this state")
	cmd.Flags().IntVar(&limit, "limit", limit, "maximum number of items")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 {
			return output.Usagef("--limit: must be at least 1, got %d", limit)
		}
		wanted := control.Places()
		if place.Value != "" {
			one, err := control.ParsePlace(place.Value)
			if err != nil {
				return err
			}
			wanted = []queue.Place{one}
		}
		return operate(cmd.Context(), t, func(o control.Operations, _ string) error {
			items, more, err := listItems(cmd.Context(), o, name.Value, wanted, limit)
			if err != nil {
				return err
			}
			return showItems(t, name.Value, items, more)
		})
	}
	return cmd
}

// listItems reads pages of each state until it has limit items. more reports further
// items.
func listItems(
	ctx context.Context, o control.Operations, name string, places []queue.Place, limit int,
) (items []control.Item, more bool, err error) {
	items = []control.Item{}
	for _, place := range places {
		query := control.Query{Queue: name, Place: place}
		for more := true; more; {
			// Request one item beyond the limit to detect further items.
			query.Limit = min(limit+1-len(items), control.MaxLimit)
			page, err := o.List(ctx, query)
			if err != nil {
				return nil, false, err
			}
			items = append(items, page.Items...)
			if len(items) > limit {
				return items[:limit], true, nil
			}
			query.After, more = page.Next, page.Next > 0
		}
	}
	return items, false, nil
}

func showItems(t *kit.Tool, name string, items []control.Item, more bool) error {
	if t.ForPrograms() {
		return t.Encode(items)
	}
	if len(items) == 0 {
		t.PrintNote("No items found in the queue %s.", name)
		return nil
	}
	rows := make([][]string, len(items))
	for i, it := range items {
		rows[i] = []string{
			it.Key.String(), it.Place, t.FormatTime(it.AddedAt), due(t, it), strconv.Itoa(it.Tries), gist(it), it.Note,
		}
	}
	if err := t.PrintTable("KEY STATE ADDED DUE TRIES CONTENT NOTE", rows); err != nil {
		return err
	}
	if more {
		t.PrintNote("More items exist; raise --limit to list them.")
	}
	return nil
}

// due returns when an item becomes due, "" when it is due already.
func due(t *kit.Tool, it control.Item) string {
	if it.Place != queue.Scheduled.String() {
		return ""
	}
	return t.FormatTime(it.DueAt)
}

// gist returns the part of a description that identifies an item: job and handler of a
// task, state and message of an outcome.
func gist(it control.Item) string {
	if it.Unreadable != "" {
		return "unreadable: " + it.Unreadable
	}
	fields, ok := fieldsOf(it.About)
	if !ok {
		return string(it.About)
	}
	var parts []string
	for _, name := range []string{"job", "kind", "name", "state", "message", "param"} {
		if value, ok := fields[name]; ok {
			parts = append(parts, name+"="+valueText(value))
		}
	}
	if len(parts) == 0 {
		return string(it.About)
	}
	return strings.Join(parts, " ")
}

// fieldsOf decodes a description that is an object.
func fieldsOf(about json.RawMessage) (map[string]any, bool) {
	in := json.NewDecoder(bytes.NewReader(about))
	in.UseNumber()
	var fields map[string]any
	err := in.Decode(&fields)
	return fields, err == nil && len(fields) > 0
}

// valueText formats a value for people: a string without quotes, other values as JSON.
func valueText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil { // decoded JSON always encodes
		return fmt.Sprint(value)
	}
	return string(text)
}

func newShowCommand(t *kit.Tool) *cobra.Command {
	var body bool
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show an item and the reason of its state", Args: cobra.ExactArgs(1),
		Long: "Show an item and the reason of its state. Long texts are cut; --body prints the whole body, parameters and scripts\n" +
			"included.",
		Example: "  orth queue show 1024\n  orth queue show 1024 --body",
	}
	name := flag(cmd)
	cmd.Flags().BoolVar(&body, "body", false, "show the whole body")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		keys, err := parseKeys(args)
		if err != nil {
			return err
		}
		return operate(cmd.Context(), t, func(o control.Operations, _ string) error {
			item, err := o.Show(cmd.Context(), name.Value, keys[0], body)
			if err != nil {
				return err
			}
			return showItem(t, name.Value, item)
		})
	}
	return cmd
}

func showItem(t *kit.Tool, name string, it control.Item) error {
	if t.ForPrograms() {
		return t.Encode(it)
	}
	pairs := [][2]string{{"Key", it.Key.String()}, {"Queue", name}, {"Place", it.Place}, {"Note", it.Note}}
	if it.Seq > 0 { // a finished item has no data but its key
		pairs = append(
			pairs, [2]string{"Added", t.FormatTime(it.AddedAt)}, [2]string{"Due", due(t, it)},
			[2]string{"Tries", strconv.Itoa(it.Tries)}, [2]string{"Size", strconv.Itoa(it.Size) + " bytes"},
			[2]string{"Unreadable", it.Unreadable},
		)
	}
	if it.Body == nil {
		pairs = append(pairs, contents(it.About)...)
	} else {
		pairs = append(pairs, contents(it.Body)...)
	}
	return t.PrintSheet(pairs)
}

// contents returns the fields of an object by name, or a single value under "".
func contents(text json.RawMessage) (pairs [][2]string) {
	fields, ok := fieldsOf(text)
	if !ok {
		var plain string
		if json.Unmarshal(text, &plain) != nil {
			plain = string(text)
		}
		return [][2]string{{"Body", plain}}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		pairs = append(pairs, [2]string{"Body " + field, valueText(fields[field])})
	}
	return pairs
}

func newStatsCommand(t *kit.Tool) *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Count the items of each queue", Args: cobra.NoArgs, Example: "  orth queue stats",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return operate(cmd.Context(), t, func(o control.Operations, _ string) error {
				counts, err := o.Stats(cmd.Context())
				if err != nil {
					return err
				}
				return showCounts(t, counts)
			})
		},
	}
}

func showCounts(t *kit.Tool, counts []control.Counts) error {
	if t.ForPrograms() {
		return t.Encode(counts)
	}
	rows := make([][]string, len(counts))
	for i, c := range counts {
		rows[i] = []string{
			c.Queue, strconv.Itoa(c.Scheduled), strconv.Itoa(c.Processing), strconv.Itoa(c.Dead), strconv.Itoa(c.Finished),
			strconv.Itoa(c.Evicted), strconv.Itoa(c.Damaged), t.FormatTime(c.NextAt),
		}
	}
	return t.PrintTable("QUEUE SCHEDULED PROCESSING DEAD FINISHED EVICTED DAMAGED NEXT", rows)
}

// parseKeys parses the keys of items.
func parseKeys(texts []string) ([]api.ID, error) {
	keys := make([]api.ID, len(texts))
	for i, text := range texts {
		if err := keys[i].UnmarshalText([]byte(text)); err != nil || keys[i] == 0 {
			return nil, output.Usagef("KEY: %q is not a key of an item; 'orth queue list' lists the keys", text)
		}
	}
	if len(keys) > control.MaxKeys {
		return nil, job.FieldErrorf("KEY", "at most %d keys are allowed at once: use --all, or several commands", control.MaxKeys)
	}
	return keys, nil
}
