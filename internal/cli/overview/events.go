package overview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/terminal"
)

// eventKinds are the kinds of event subjects.
var eventKinds = [...]string{"run", "job", "executor", "alarm"}

// NewEventsCommand returns the command orth events.
func NewEventsCommand(t *kit.Tool) *cobra.Command {
	var q client.EventQuery
	var run string
	cmd := &cobra.Command{
		Use: "events", Short: "Stream events of runs, jobs, executors and alarms", Args: cobra.NoArgs,
		Long: `Stream events of runs, jobs, executors and alarms that you may read, until Ctrl-C. The command
reconnects after a broken connection, continues after the last event, and reports missed
events. With -o json each event is one line.`,
		Example: "  orth events\n  orth events -f run --job report\n  orth events -o json | jq -r .change",
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, kind := range q.Kinds {
				if !slices.Contains(eventKinds[:], kind) {
					return output.Usagef("--kinds: unknown kind %q; use one of %s", kind, strings.Join(eventKinds[:], ", "))
				}
			}
			if t.Output.Value == output.Name {
				return output.Usagef("-o name is not supported for events; use -o json")
			}
			if run != "" {
				if err := q.Run.UnmarshalText([]byte(run)); err != nil {
					return output.Usagef("--run: %v", err)
				}
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			return followEvents(cmd.Context(), t, c, q)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&q.Kinds, "kinds", "f", nil, "only events of these `kinds`: run, job, executor, alarm")
	flags.StringVarP(&q.Namespace, "namespace", "n", "", "only events of this `namespace`")
	flags.StringVar(&q.Group, "group", "", "only events of this `group`")
	flags.StringVar(&q.Job, "job", "", "only events about the job with this `key` or id")
	flags.StringVar(&run, "run", "", "only events about the run with this `id`")
	flags.StringVar(&q.After, "after", "", "continue after the event with this `id`")
	return cmd
}

// followEvents prints events until ctx ends, which is not an error.
func followEvents(ctx context.Context, t *kit.Tool, c *client.Client, q client.EventQuery) error {
	for e, err := range c.Events(ctx, q) {
		switch {
		case err != nil && ctx.Err() != nil && errors.Is(err, context.Cause(ctx)):
			return nil // Ctrl-C is the normal end
		case err != nil:
			return err
		case e.Opened:
		case e.Reset != "":
			t.PrintNote("Some events were missed: %s.", resetWords(e.Reset))
		default:
			if err := showEvent(t, &e); err != nil {
				return err
			}
		}
	}
	return nil
}

// resetWords explains missed events.
func resetWords(reason string) string {
	switch reason {
	case "restarted":
		return "the server was restarted"
	case "expired":
		return "they are no longer retained"
	case "slow":
		return "the client was too slow"
	case "gap":
		return "too many changes at once"
	}
	return reason
}

// showEvent prints one event.
func showEvent(t *kit.Tool, e *client.Event) error {
	switch t.Output.Value {
	case output.JSON:
		line, err := json.Marshal(struct {
			ID string `json:"id"`
			api.Event
		}{e.ID, e.Event})
		if err == nil {
			_, err = fmt.Fprintf(t.Stdout, "%s\n", line)
		}
		return err
	case output.YAML:
		if _, err := fmt.Fprintln(t.Stdout, "---"); err != nil {
			return err
		}
		return t.Encode(e.Event)
	}
	_, err := fmt.Fprintln(t.Stdout, eventLine(t, &e.Event))
	return err
}

// eventLine formats an event for people.
func eventLine(t *kit.Tool, e *api.Event) string {
	became := strings.ReplaceAll(e.Change, "_", " ")
	begin := e.At.In(t.Location).Format("15:04:05.000") + "  " + terminal.Pad(e.Kind, 8) + "  " +
		t.Painter().Paint(terminal.Pad(output.Printable(became), 13), output.ColourOf(became)) + "  "
	var words []string
	place := e.Namespace
	if e.Group != "" {
		place += "/" + e.Group
	}
	words = append(words, place)
	why := ""
	if e.Job != nil {
		words = append(words, e.Job.Key)
	}
	switch {
	case e.Run != nil:
		words = append(words, "run "+e.Run.ID.String())
		if why = e.Run.Message; why == "" {
			why = e.Run.Reason
		}
	case e.Executor != nil:
		words = append(words, e.Executor.Address)
	case e.Alarm != nil:
		words, why = append(words, "alarm "+e.Alarm.ID.String(), e.Alarm.Rule), e.Alarm.Reason
	}
	if why != "" {
		words = append(words, "- "+why)
	}
	return begin + output.Printable(strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), "  "))
}
