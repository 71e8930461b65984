package kit

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/job"
)

// AgeRows returns the rows with the version and the times of a definition.
func (t *Tool) AgeRows(version int64, created, changed api.Time) [][2]string {
	return [][2]string{{"Version", strconv.FormatInt(version, 10)}, {RowCreated, t.FormatTime(created)}, {"Changed", t.FormatTime(changed)}}
}

// OrEmpty returns the list, never nil: JSON needs an array.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// YesOrNo returns yes or no.
func YesOrNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// JoinPairs formats pairs sorted by key, one per line.
func JoinPairs(pairs map[string]string) string {
	lines := make([]string, 0, len(pairs))
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		lines = append(lines, key+"="+pairs[key])
	}
	return strings.Join(lines, "\n")
}

// Span formats a duration, "" for zero.
func Span(d api.Duration) string {
	if d == 0 {
		return ""
	}
	return timing.FormatDuration(time.Duration(d))
}

// StateText formats a state for people.
func StateText(s job.State) string { return strings.ReplaceAll(string(s), "_", " ") }

// DescribeShards describes the number of shards of a job's runs, "" when they have none.
func DescribeShards(j api.Job) string {
	switch {
	case j.Route != job.RouteBroadcast:
		return ""
	case j.Shards == 0:
		return "one per executor"
	}
	return strconv.Itoa(j.Shards)
}
