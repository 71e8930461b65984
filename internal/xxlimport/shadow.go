package xxlimport

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/schedule"
)

// Tolerances of a comparison. The old server records when it has sent a firing, in whole
// seconds.
const (
	// DefaultTolerance is the maximum delay at which a log row still belongs to its slot.
	DefaultTolerance = time.Minute
	// DefaultLate is the delay from which a firing is reported as late.
	DefaultLate = 5 * time.Second
	// early is how much earlier a row may be: the clocks of several admins differ.
	early = time.Second
	// twinFor is the maximum distance of two rows for the same slot.
	twinFor = 5 * time.Second
	// MaxDifferences bounds the list of a verdict.
	MaxDifferences = 100
	// maxOpen bounds the slots and rows that are kept of a job.
	maxOpen = 20_000
)

// Difference is a difference between a slot and the log.
type Difference struct {
	// Kind is missing, late, doubled or extra.
	Kind string `json:"kind"`
	// Slot is the firing of the schedule; zero for an extra row.
	Slot time.Time `json:"slot_at,omitzero"`
	// Row is the log id, and Sent its time; zero for none.
	Row  int64     `json:"log_id,omitempty"`
	Sent time.Time `json:"sent_at,omitzero"`
}

// The kinds of differences.
const (
	KindMissing = "missing"
	KindLate    = "late"
	KindDoubled = "doubled"
	KindExtra   = "extra"
)

// Verdict is the result of the comparison for one job.
type Verdict struct {
	// Slots counts the firings of the schedule. Matching have a row in the log, Late of
	// them above the allowed delay. Missing have none.
	Slots    int `json:"slots"`
	Matching int `json:"matching"`
	Late     int `json:"late"`
	Missing  int `json:"missing"`
	// Doubled counts further rows of a slot. Extra counts rows without a slot: started
	// manually, by a parent, or by another schedule. Retries count as neither.
	Doubled int `json:"doubled"`
	Extra   int `json:"extra"`
	Retries int `json:"retries"`
	// Latest is the largest delay of a matching row, in whole seconds.
	Latest int64 `json:"latest_seconds"`
	// Differences are the first [MaxDifferences]. More counts the others.
	Differences []Difference `json:"differences"`
	More        int          `json:"more,omitempty"`
	// Cut means that there were too many concurrent firings to compare all of them.
	Cut bool `json:"cut,omitempty"`
}

// Sent is a row of the log.
type Sent struct {
	ID, JobID int64
	At        time.Time
	// Slot is the row's firing, if the old server recorded it.
	Slot time.Time
	// Part means that the row is a part of a broadcast, except the first. Left is the
	// number of remaining retries; -1 when unknown.
	Part bool
	Left int64
}

// SentOf converts a log row; false when it has no time.
func SentOf(r Row, zone *time.Location) (Sent, bool) {
	number := func(column string) int64 {
		n, _ := strconv.ParseInt(strings.TrimSpace(r[column]), 10, 64) // an invalid number counts as 0
		return n
	}
	at, err := Instant(r["trigger_time"], zone)
	if err != nil {
		return Sent{}, false
	}
	s := Sent{ID: r.rowID(), JobID: number("job_id"), At: at, Left: number("executor_fail_retry_count")}
	if slot, err := Instant(r["schedule_time"], zone); err == nil {
		s.Slot = slot
	}
	part, _, split := strings.Cut(r["executor_sharding_param"], "/")
	s.Part = split && part != "0"
	if number("trigger_code") == 0 {
		s.Left = -1 // the executor's response fills in the rest
	}
	return s, true
}

// Judge compares the firings of one job's schedule with the rows of the old server's log.
// Slots and rows are in order of time. It must be used by one goroutine.
type Judge struct {
	// Tolerance and Late: see their defaults above.
	Tolerance, Late time.Duration

	retries int64
	from    time.Time
	sched   schedule.Schedule
	last    time.Time // end of the computed slots
	slots   []time.Time
	rows    []Sent
	twins   []time.Time // times of matching rows that were dropped
	verdict Verdict
}

// NewJudge returns a judge of firings from an instant on, with the default tolerances.
func NewJudge(from time.Time) *Judge {
	return &Judge{
		Tolerance: DefaultTolerance, Late: DefaultLate, from: from, last: from.Add(-time.Millisecond),
		verdict: Verdict{Differences: []Difference{}},
	}
}

// Follow takes up a schedule for the slots that were not made yet; nil has none.
func (j *Judge) Follow(s schedule.Schedule, retries int64) { j.sched, j.retries = s, retries }

// Sent takes a row. Those before the first instant are passed over.
func (j *Judge) Sent(s Sent) {
	switch {
	case s.At.Before(j.from), s.Part:
	case len(j.rows) >= maxOpen:
		j.verdict.Cut = true
	default:
		j.rows = append(j.rows, s)
	}
}

// Settle makes the slots up to an instant, of which all rows were taken, and judges
// those that no later row can be for.
func (j *Judge) Settle(until time.Time) { j.settle(until, until.Add(-2*j.Tolerance)) }

// Finish judges all slots that are older than the tolerance at an instant of which all
// rows were taken, and returns what it came to.
func (j *Judge) Finish(until time.Time) Verdict {
	j.settle(until, until.Add(-j.Tolerance))
	return j.Verdict()
}

// Verdict returns what the comparison has come to so far.
func (j *Judge) Verdict() Verdict {
	v := j.verdict
	v.Differences = slices.Clone(v.Differences)
	return v
}

// settle makes slots until an instant and judges those up to a cut before it.
func (j *Judge) settle(until, cut time.Time) {
	for j.sched != nil {
		next, ok := j.sched.Next(j.last)
		if !ok || next.After(until) {
			break
		}
		if j.last = next; len(j.slots) >= maxOpen {
			j.verdict.Cut = true
			break // those up to the instant are not looked at
		}
		j.slots = append(j.slots, next.Truncate(time.Second)) // as the ring of the old server has it
	}
	if until.After(j.last) {
		j.last = until
	}
	slices.SortStableFunc(j.rows, func(a, b Sent) int { return a.At.Compare(b.At) })
	taken := j.match()
	j.count(taken, cut)
}

// match says which row stands for each slot, -1 for none.
func (j *Judge) match() []int {
	taken, used := make([]int, len(j.slots)), make([]bool, len(j.rows))
	for i := range taken {
		taken[i] = -1
	}
	for _, fits := range []func(i int, r *Sent) bool{
		func(i int, r *Sent) bool { return !j.again(r) && r.Slot.Equal(j.slots[i]) },
		func(i int, r *Sent) bool { // its own time, up to the next slot
			end := j.slots[i].Add(j.Tolerance + 1)
			if i+1 < len(j.slots) && j.slots[i+1].Before(end) {
				end = j.slots[i+1]
			}
			return r.Slot.IsZero() && !j.again(r) && !r.At.Before(j.slots[i]) && r.At.Before(end)
		},
		func(i int, r *Sent) bool { // whatever is left and near enough
			return r.Slot.IsZero() && !r.At.Before(j.slots[i].Add(-early)) && !r.At.After(j.slots[i].Add(j.Tolerance))
		},
	} {
		first := 0
		for i := range j.slots {
			if taken[i] >= 0 {
				continue
			}
			for first < len(j.rows) && (used[first] || j.rows[first].At.Before(j.slots[i].Add(-early))) {
				first++
			}
			for k := first; k < len(j.rows) && !j.rows[k].At.After(j.slots[i].Add(j.Tolerance)); k++ {
				if !used[k] && fits(i, &j.rows[k]) {
					taken[i], used[k] = k, true
					break
				}
			}
		}
	}
	return taken
}

// again reports whether a row is that of a further try.
func (j *Judge) again(r *Sent) bool { return r.Left >= 0 && r.Left < j.retries }

// count notes what became of slots up to a cut, and keeps the others.
func (j *Judge) count(taken []int, cut time.Time) {
	matched := make([]int, len(j.rows)) // the slot of each row, counted from 1
	twins := slices.DeleteFunc(slices.Clone(j.twins), func(at time.Time) bool { return at.Before(cut.Add(-4 * twinFor)) })
	times := slices.Clone(twins)
	for i, k := range taken {
		if k >= 0 {
			matched[k] = i + 1
			times = append(times, j.rows[k].At)
		}
	}
	gone := 0
	for ; gone < len(j.slots) && !j.slots[gone].After(cut); gone++ {
		j.countSlot(j.slots[gone], taken[gone])
	}
	var rows []Sent
	for k := range j.rows {
		r := &j.rows[k]
		switch slot := matched[k] - 1; {
		case slot >= 0 && slot < gone:
			twins = append(twins, r.At)
		case slot >= 0, r.At.After(cut.Add(-early)):
			rows = append(rows, *r)
		default:
			j.spare(r, times)
		}
	}
	j.slots, j.rows, j.twins = slices.Clone(j.slots[gone:]), rows, twins
}

// countSlot counts one slot, with the row that stands for it.
func (j *Judge) countSlot(at time.Time, row int) {
	v := &j.verdict
	v.Slots++
	if row < 0 {
		v.Missing++
		j.differ(Difference{Kind: KindMissing, Slot: at})
		return
	}
	v.Matching++
	r := &j.rows[row]
	late := max(r.At.Sub(at), 0)
	v.Latest = max(v.Latest, int64(late/time.Second))
	if late > j.Late {
		v.Late++
		j.differ(Difference{Kind: KindLate, Slot: at, Row: r.ID, Sent: r.At})
	}
}

// spare counts a row that stands for no slot.
func (j *Judge) spare(r *Sent, matched []time.Time) {
	v := &j.verdict
	switch {
	case j.again(r):
		v.Retries++
	case slices.ContainsFunc(matched, func(at time.Time) bool { return at.Sub(r.At).Abs() < twinFor }):
		v.Doubled++
		j.differ(Difference{Kind: KindDoubled, Row: r.ID, Sent: r.At})
	case r.At.Before(j.from.Add(j.Tolerance)) && r.Slot.Before(j.from):
		// It may be for a slot before the first instant.
	default:
		v.Extra++
		j.differ(Difference{Kind: KindExtra, Row: r.ID, Sent: r.At})
	}
}

func (j *Judge) differ(d Difference) {
	if len(j.verdict.Differences) >= MaxDifferences {
		j.verdict.More++
		return
	}
	j.verdict.Differences = append(j.verdict.Differences, d)
}
