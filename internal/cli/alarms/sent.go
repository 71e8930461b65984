package alarms

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/output"
)

func newSentCommand(t *kit.Tool) *cobra.Command {
	var q client.NotificationQuery
	var since string
	var failed bool
	status, limit := kit.NewChoice("all", "pending", "sent", "failed", "silenced", "dropped", "all"), 20
	cmd := &cobra.Command{
		Use: "messages", Short: "List alarm messages with their delivery status, newest first", Args: cobra.NoArgs,
		Example: "  orth alarm messages --failed\n  orth alarm messages --channel ops --since 24h",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return output.Usagef("--limit: must be at least 1, got %d", limit)
			}
			if failed {
				if cmd.Flags().Changed("status") {
					return output.Usagef("--failed and --status are mutually exclusive")
				}
				status.Value = string(alarm.GivenUp)
			}
			if q.Status = alarm.Delivery(status.Word()); status.Value == "all" {
				q.Status = ""
			}
			var err error
			if q.Since, err = kit.ParsePast("since", since, t.Location); err != nil {
				return err
			}
			c, err := t.Connect()
			if err != nil {
				return err
			}
			defer c.Close()
			found, err := listNotifications(cmd.Context(), c, q, limit)
			if err != nil {
				return err
			}
			return showNotifications(t, found, q.AllNamespaces)
		},
	}
	flags := cmd.Flags()
	kit.AddEverySpaceFlag(flags, &q.AllNamespaces)
	flags.BoolVar(&failed, "failed", false, "only messages whose delivery failed")
	flags.Var(&status, "status", "only messages with this status")
	flags.StringVar(&q.Channel, "channel", "", "only messages of the channel with this `key`")
	flags.StringVar(&q.Rule, "rule", "", "only messages of the rule with this `key`")
	flags.StringVar(&since, "since", "", "only messages created since this `time`: 2030-01-31T08:00, or 2h for two hours ago")
	flags.IntVar(&limit, "limit", limit, "maximum number of messages, newest first")
	return cmd
}

// listNotifications reads pages until it has limit messages.
func listNotifications(ctx context.Context, c *client.Client, q client.NotificationQuery, limit int) ([]api.Notification, error) {
	found := []api.Notification{}
	for {
		q.Limit = min(limit-len(found), kit.PageSize)
		page, err := c.Notifications(ctx, q)
		if err != nil {
			return nil, err
		}
		found = append(found, page.Notifications...)
		if page.Next == 0 || len(found) >= limit {
			return found, nil
		}
		q.Before = page.Next
	}
}

func showNotifications(t *kit.Tool, found []api.Notification, every bool) error {
	switch {
	case t.ForPrograms():
		return t.Encode(found)
	case len(found) == 0:
		t.PrintNote("No messages found.")
		return nil
	}
	rows, spaces := make([][]string, len(found)), make([]string, len(found))
	for i := range found {
		n := &found[i]
		spaces[i] = n.Namespace
		when := t.FormatTime(n.EndedAt)
		if n.Status == alarm.Pending {
			when = "due " + t.FormatTime(n.DueAt)
		}
		rows[i] = []string{
			n.ID.String(), string(n.Status), kit.FirstOf(n.Channel, "none"), kit.FirstOf(n.Rule, "job mail"), when, strconv.Itoa(n.Tries),
			strconv.Itoa(n.Events), n.Title, n.Error,
		}
	}
	return t.PrintTableIn(every, spaces, "ID STATUS CHANNEL RULE WHEN TRIES EVENTS TITLE ERROR", rows)
}

func newRetryCommand(t *kit.Tool) *cobra.Command {
	return newOneCommand(t, "resend ID", "Resend an alarm message that failed", "  orth alarm resend 40",
		func(ctx context.Context, c *client.Client, text string) error {
			id, err := iD(text, "message", "orth alarm messages --failed")
			if err != nil {
				return err
			}
			n, err := c.RetryNotification(ctx, id)
			if err != nil {
				return err
			}
			return t.PrintResult(n, "message "+text+" will be resent through channel "+n.Channel)
		})
}
