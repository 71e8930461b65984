package alerting

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	words "github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/plural"
)

const (
	maxWarnings = 20
	// maxLost bounds the lost messages that are counted.
	maxLost = 1000
)

// Notifications lists messages.
type Notifications interface {
	// Notifications returns the messages of the filter, the newest first, at most
	// 1,000.
	Notifications(ctx context.Context, f NotificationFilter) ([]words.Notification, error)
}

// Warnings describes the channels that fail, and the messages of the last day that could
// not be delivered; at most 20. It is safe for concurrent use.
func Warnings(ctx context.Context, definitions Definitions, sent Notifications, now time.Time) []string {
	var all []string
	defined, err := definitions.Definitions(ctx)
	if err != nil {
		return nil // other users of the definitions report the error
	}
	for i := range defined.Channels {
		c := &defined.Channels[i]
		if c.Enabled && c.Failures > 0 && len(all) < maxWarnings {
			all = append(all, fmt.Sprintf("alarm channel %s has failed %s in a row, the last at %s: %s",
				c.Key, plural.Count(c.Failures, "time"), c.FailedAt.UTC().Format(time.RFC3339), c.Failure))
		}
	}
	lost, err := sent.Notifications(ctx, NotificationFilter{Sight: access.Sight{All: true}, Status: words.GivenUp, Since: now.Add(-24 * time.Hour), Limit: maxLost})
	if err == nil && len(lost) > 0 {
		all = append(all, fmt.Sprintf("%s of the last day could not be delivered; the newest: %s", plural.Count(len(lost), "alarm message"), lost[0].Error))
	}
	return all[:min(len(all), maxWarnings)]
}
