package cli

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
	"github.com/orthd/orth/internal/control"
	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
)

func (t *tool) queueCommand() *cobra.Command {
	cmd := parent(
		&cobra.Command{
			Use: "queue", Aliases: []string{"queues"}, Short: "Look into the queues of an executor on this machine, and mend them",
			Long: "Look into the queues of an executor on this machine, and mend them.\n\n" +
				"The queue tasks holds what was accepted and is not finished, the queue outbox the outcomes that no\n" +
				"server has taken yet. Whatever could not be finished is dead, until somebody redrives or purges it.\n\n" +
				"The executor may run, or be stopped. The keys are the ids of attempts, as 'orth run show' has them.",
		},
		t.queueListCommand(), t.queueShowCommand(), t.queueRedriveCommand(), t.queuePurgeCommand(),
		t.queueStatsCommand(), t.queueBackupCommand(),
	)
	flags := cmd.PersistentFlags()
	flags.StringVar(&t.data, "data", "", "data `folder` of the executor (env ORTH_DATA; default: "+defaultExecutorData+
		", or the one of 'orth dev' here)")
	t.outputFlags(flags)
	flags.BoolFunc("json", "the same as -o json", func(string) error { return t.output.Set(outJSON) })
	_ = flags.MarkHidden("json") // It exists.
	return cmd
}

// queueFlag adds the flag that names a queue.
func queueFlag(cmd *cobra.Command) *choice {
	name := newChoice(tasksQueue, tasksQueue, outboxQueue)
	cmd.Flags().Var(&name, "queue", "which queue")
	return &name
}

func (t *tool) queueListCommand() *cobra.Command {
	places := []string{}
	for _, p := range control.Places() {
		places = append(places, p.String())
	}
	place, limit := newChoice("", places...), 20
	cmd := &cobra.Command{
		Use: listName, Aliases: []string{"ls"}, Short: "List items, place by place, the oldest first", Args: cobra.NoArgs,
		Example: "  orth queue list\n  orth queue list --place dead\n  orth queue list --queue outbox --data /var/lib/orth-executor",
	}
	name := queueFlag(cmd)
	cmd.Flags().Var(&place, "place", "only items in this place")
	cmd.Flags().IntVar(&limit, "limit", limit, "at most so many")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if limit < 1 {
			return usagef("--limit: %d is not at least 1", limit)
		}
		wanted := control.Places()
		if place.value != "" {
			one, err := control.ParsePlace(place.value)
			if err != nil {
				return err
			}
			wanted = []queue.Place{one}
		}
		return t.operate(cmd.Context(), func(o control.Operations, _ string) error {
			items, more, err := listItems(cmd.Context(), o, name.value, wanted, limit)
			if err != nil {
				return err
			}
			return t.showItems(name.value, items, more)
		})
	}
	return cmd
}

// listItems reads pages of each place until there are limit items. more tells
// whether there are others.
func listItems(
	ctx context.Context, o control.Operations, name string, places []queue.Place, limit int,
) (items []control.Item, more bool, err error) {
	items = []control.Item{}
	for _, place := range places {
		query := control.Query{Queue: name, Place: place}
		for more := true; more; {
			// One beyond the limit is asked for, to know whether there are more.
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

func (t *tool) showItems(name string, items []control.Item, more bool) error {
	if t.forPrograms() {
		return t.encode(items)
	}
	if len(items) == 0 {
		t.tell("there are no such items in the queue %s", name)
		return nil
	}
	rows := make([][]string, len(items))
	for i, it := range items {
		rows[i] = []string{
			it.Key.String(), it.Place, t.time(it.AddedAt), t.due(it), strconv.Itoa(it.Tries), gist(it), it.Note,
		}
	}
	if err := t.table("KEY PLACE ADDED DUE TRIES WHAT NOTE", rows); err != nil {
		return err
	}
	if more {
		t.tell("there are more: raise --limit")
	}
	return nil
}

// due returns when an item may be taken up, "" for one that waits for nothing.
func (t *tool) due(it control.Item) string {
	if it.Place != queue.Scheduled.String() {
		return ""
	}
	return t.time(it.DueAt)
}

// gist returns the few words of a description that tell items apart: for a
// task its job and handler, for an outcome its state and message.
func gist(it control.Item) string {
	if it.Unreadable != "" {
		return "unreadable: " + it.Unreadable
	}
	fields, ok := fieldsOf(it.About)
	if !ok {
		return string(it.About)
	}
	var said []string
	for _, name := range []string{"job", "kind", "name", "state", "message", "param"} {
		if value, ok := fields[name]; ok {
			said = append(said, name+"="+valueText(value))
		}
	}
	if len(said) == 0 {
		return string(it.About)
	}
	return strings.Join(said, " ")
}

// fieldsOf reads a description that is an object.
func fieldsOf(about json.RawMessage) (map[string]any, bool) {
	in := json.NewDecoder(bytes.NewReader(about))
	in.UseNumber()
	var fields map[string]any
	err := in.Decode(&fields)
	return fields, err == nil && len(fields) > 0
}

// valueText returns a value as people read it: a text without quotes, all else
// as JSON.
func valueText(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	text, err := json.Marshal(value)
	if err != nil { // What came from JSON can be JSON.
		return fmt.Sprint(value)
	}
	return string(text)
}

func (t *tool) queueShowCommand() *cobra.Command {
	var body bool
	cmd := &cobra.Command{
		Use: "show KEY", Short: "Show an item, and why it stands where it stands", Args: cobra.ExactArgs(1),
		Long: "Show an item, and why it stands where it stands.\n\n" +
			"Long texts are cut: with --body all of it is shown, parameters and scripts included.",
		Example: "  orth queue show 1024\n  orth queue show 1024 --body",
	}
	name := queueFlag(cmd)
	cmd.Flags().BoolVar(&body, "body", false, "show the whole body")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		keys, err := parseKeys(args)
		if err != nil {
			return err
		}
		return t.operate(cmd.Context(), func(o control.Operations, _ string) error {
			item, err := o.Show(cmd.Context(), name.value, keys[0], body)
			if err != nil {
				return err
			}
			return t.showItem(name.value, item)
		})
	}
	return cmd
}

func (t *tool) showItem(name string, it control.Item) error {
	if t.forPrograms() {
		return t.encode(it)
	}
	pairs := [][2]string{{"Key", it.Key.String()}, {"Queue", name}, {"Place", it.Place}, {"Note", it.Note}}
	if it.Seq > 0 { // a finished item has only its key
		pairs = append(
			pairs, [2]string{"Added", t.time(it.AddedAt)}, [2]string{"Due", t.due(it)},
			[2]string{"Tries", strconv.Itoa(it.Tries)}, [2]string{"Size", strconv.Itoa(it.Size) + " bytes"},
			[2]string{"Unreadable", it.Unreadable},
		)
	}
	if it.Body == nil {
		pairs = append(pairs, contents(it.About)...)
	} else {
		pairs = append(pairs, contents(it.Body)...)
	}
	return t.sheet(pairs)
}

// contents returns the fields of an object by name, or another value as one.
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

func (t *tool) queueStatsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Count the items of each queue", Args: cobra.NoArgs, Example: "  orth queue stats",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.operate(cmd.Context(), func(o control.Operations, _ string) error {
				counts, err := o.Stats(cmd.Context())
				if err != nil {
					return err
				}
				return t.showCounts(counts)
			})
		},
	}
}

func (t *tool) showCounts(counts []control.Counts) error {
	if t.forPrograms() {
		return t.encode(counts)
	}
	rows := make([][]string, len(counts))
	for i, c := range counts {
		rows[i] = []string{
			c.Queue, strconv.Itoa(c.Scheduled), strconv.Itoa(c.Processing), strconv.Itoa(c.Dead), strconv.Itoa(c.Finished),
			strconv.Itoa(c.Evicted), strconv.Itoa(c.Damaged), t.time(c.NextAt),
		}
	}
	return t.table("QUEUE SCHEDULED PROCESSING DEAD FINISHED EVICTED DAMAGED NEXT", rows)
}

// parseKeys reads the keys of items.
func parseKeys(texts []string) ([]api.ID, error) {
	keys := make([]api.ID, len(texts))
	for i, text := range texts {
		if err := keys[i].UnmarshalText([]byte(text)); err != nil || keys[i] == 0 {
			return nil, usagef("KEY: %q is no key of an item: write its digits, as 'orth queue list' shows them", text)
		}
	}
	if len(keys) > control.MaxKeys {
		return nil, job.FieldErrorf("KEY", "at most %d are allowed at once: take --all, or some first", control.MaxKeys)
	}
	return keys, nil
}
