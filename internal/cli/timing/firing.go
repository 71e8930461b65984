package timing

import (
	"fmt"
	"strings"
	"time"

	"github.com/orthd/orth/api"
)

// MaxDropped is the maximum number of consecutive dropped firings to print.
const MaxDropped = 3

// DescribeMoreDropped describes omitted dropped firings.
func DescribeMoreDropped(n int) string { return fmt.Sprintf("(%d more are dropped)", n) }

// DescribeFiring describes how calendars and jitter change a firing, "" for no change. Times are in
// the given zone.
func DescribeFiring(f api.Firing, zone *time.Location) string {
	reason := ""
	if f.Calendar != "" {
		reason = " by calendar " + f.Calendar
		if f.Day != "" {
			reason += ": " + f.Day
		}
	}
	switch {
	case f.Dropped && !f.Into.IsZero():
		return "merged with " + f.Into.In(zone).Format(time.DateOnly) + reason
	case f.Dropped:
		return "dropped" + reason
	case f.Named.IsZero():
		return ""
	case f.Calendar == "": // the jitter
		return FormatDuration(f.At.Sub(f.Named.Time)) + " after " + f.Named.In(zone).Format("15:04:05")
	}
	return "moved from " + f.Named.In(zone).Format(time.DateOnly) + reason
}

// FormatDuration formats a duration without the zero units of [time.Duration].
func FormatDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
