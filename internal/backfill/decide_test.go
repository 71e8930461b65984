package backfill

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// now of the tables is long after the slots.
var now = time.Date(2026, 5, 1, 12, 0, 0, 123_000_000, time.UTC)

var plain = limits{poll: time.Second, longest: 15 * time.Second}

// at returns the slot so many seconds after the day's beginning.
func at(seconds int) time.Time { return day.Add(time.Duration(seconds) * time.Second) }

// slots returns the slots from one to another, the last excluded; those that are
// named are done.
func slots(from, to int, done ...int) []slot {
	var list []slot
	for i := from; i < to; i++ {
		list = append(list, slot{at(i), slices.Contains(done, i)})
	}
	return list
}

// expected is what a step is to be, as far as a table says.
type expected struct {
	runs                             []int // slots, by seconds
	start                            time.Time
	cursor                           time.Time
	made, skipped, succeeded, failed int
	open                             []int64
	state                            job.BackfillState
	reason                           string
	look, startedAt                  time.Time
}

func TestDecide(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		alter func(v *claimedBackfill)
		want  expected
	}{
		{
			"the first slot", func(v *claimedBackfill) { v.slots = slots(0, 1) },
			expected{runs: []int{0}, start: now, cursor: at(0), made: 1, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"as many as may be under way", func(v *claimedBackfill) { v.Backfill.Parallel, v.slots = 3, slots(0, 5) },
			expected{runs: []int{0, 1, 2}, start: now, cursor: at(2), made: 3, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"those under way count", func(v *claimedBackfill) {
				v.Backfill.Parallel, v.Backfill.Open, v.slots = 3, []int64{70, 71}, slots(2, 5)
				v.Backfill.Made, v.Backfill.Cursor, v.Backfill.StartedAt = 2, at(1), now.Add(-time.Second)
			},
			expected{
				runs: []int{2}, start: now, cursor: at(2), made: 3, open: []int64{70, 71}, startedAt: now,
				look: now.Add(time.Second),
			},
		},
		{
			"those that have ended make room", func(v *claimedBackfill) {
				v.Backfill.Parallel, v.Backfill.Open, v.Backfill.Made = 2, []int64{70, 71, 72}, 3
				v.Ended = map[int64]job.State{70: job.Succeeded, 72: job.Cancelled}
				v.slots = slots(3, 4)
			},
			expected{
				runs: []int{3}, start: now, cursor: at(3), made: 4, succeeded: 1, failed: 1, open: []int64{71},
				startedAt: now, look: now.Add(time.Second),
			},
		},
		{
			"no room", func(v *claimedBackfill) {
				v.Backfill.Open, v.Backfill.Made, v.Backfill.StartedAt, v.Backfill.Cursor = []int64{70}, 1, now, at(0)
			},
			expected{cursor: at(0), made: 1, open: []int64{70}, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"a run that takes long is looked at less often", func(v *claimedBackfill) {
				v.Backfill.Open, v.Backfill.Made, v.Backfill.StartedAt = []int64{70}, 1, now.Add(-20*time.Second)
			},
			expected{made: 1, open: []int64{70}, startedAt: now.Add(-20 * time.Second), look: now.Add(5 * time.Second)},
		},
		{
			"but not too rarely", func(v *claimedBackfill) {
				v.Backfill.Open, v.Backfill.Made, v.Backfill.StartedAt = []int64{70}, 1, now.Add(-20*time.Hour)
			},
			expected{made: 1, open: []int64{70}, startedAt: now.Add(-20 * time.Hour), look: now.Add(15 * time.Second)},
		},
		{
			"slots that are done are passed over", func(v *claimedBackfill) { v.slots = slots(0, 4, 0, 1, 3) },
			expected{runs: []int{2}, start: now, cursor: at(3), made: 1, skipped: 3, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"only slots that are done, and more follow", func(v *claimedBackfill) { v.slots = slots(0, 3, 0, 1, 2) },
			expected{cursor: at(2), skipped: 3, look: now},
		},
		{
			"only slots that are done", func(v *claimedBackfill) { v.Backfill.Slots, v.slots, v.end = 3, slots(0, 3, 0, 1, 2), true },
			expected{cursor: at(2), skipped: 3, state: job.BackfillFinished},
		},
		{
			"with spacing one at a time", func(v *claimedBackfill) {
				v.Backfill.Parallel, v.Backfill.Spacing, v.slots = 5, time.Minute, slots(0, 2)
			},
			expected{runs: []int{0}, start: now, cursor: at(0), made: 1, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"spacing that has not passed", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Minute, now.Add(-59*time.Second), slots(1, 2)
			},
			expected{startedAt: now.Add(-59 * time.Second), look: now.Add(time.Second)},
		},
		{
			"long spacing with nothing under way", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Hour, now.Add(-time.Minute), slots(1, 2)
			},
			expected{startedAt: now.Add(-time.Minute), look: now.Add(59 * time.Minute)},
		},
		{
			"long spacing with runs under way", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Hour, now.Add(-time.Minute), slots(1, 2)
				v.Backfill.Parallel, v.Backfill.Open = 2, []int64{70}
			},
			expected{open: []int64{70}, startedAt: now.Add(-time.Minute), look: now.Add(15 * time.Second)},
		},
		{
			"spacing that has just passed", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Minute, now.Add(-time.Minute), slots(1, 2)
			},
			expected{runs: []int{1}, start: now, cursor: at(1), made: 1, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"what is done need not wait for the spacing", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Minute, now.Add(-time.Second), slots(1, 3, 1)
			},
			expected{cursor: at(1), skipped: 1, startedAt: now.Add(-time.Second), look: now.Add(59 * time.Second)},
		},
		{
			"the clock was set back", func(v *claimedBackfill) {
				v.Backfill.Spacing, v.Backfill.StartedAt, v.slots = time.Minute, now.Add(24*time.Hour), slots(1, 2)
			},
			expected{startedAt: now, look: now.Add(time.Minute)},
		},
		{
			"the last runs are under way", func(v *claimedBackfill) {
				v.Backfill.Slots, v.Backfill.Made, v.Backfill.Parallel, v.end = 2, 2, 4, true
				v.Backfill.Open, v.Backfill.StartedAt = []int64{70}, now
			},
			expected{made: 2, open: []int64{70}, startedAt: now, look: now.Add(time.Second)},
		},
		{
			"the last run has ended", func(v *claimedBackfill) {
				v.Backfill.Slots, v.Backfill.Made, v.Backfill.Succeeded, v.end = 2, 2, 1, true
				v.Backfill.Open, v.Ended = []int64{70}, map[int64]job.State{70: job.Lost}
			},
			expected{made: 2, succeeded: 1, failed: 1, state: job.BackfillFinished},
		},
		{
			"fewer slots than were counted", func(v *claimedBackfill) {
				v.Backfill.Slots, v.Backfill.Made, v.Backfill.Skipped, v.end = 9, 2, 1, true
			},
			expected{
				made: 2, skipped: 1, state: job.BackfillFinished,
				reason: "there were 3 slots instead of 9: the job's schedule was changed after the backfill was made",
			},
		},
		{
			"the job was deleted", func(v *claimedBackfill) {
				v.Deleted, v.slots, v.Backfill.Open = true, slots(0, 1), []int64{70, 71}
				v.Ended = map[int64]job.State{70: job.Succeeded}
			},
			expected{succeeded: 1, open: []int64{71}, state: job.BackfillCancelled, reason: "the job was deleted"},
		},
		{
			"there are no slots any more", func(v *claimedBackfill) { v.refusal = "no slots" },
			expected{state: job.BackfillCancelled, reason: "no slots"},
		},
		{
			"a bound that was never set", func(v *claimedBackfill) { v.Backfill.Parallel, v.slots = 0, slots(0, 1) },
			expected{runs: []int{0}, start: now, cursor: at(0), made: 1, startedAt: now, look: now.Add(time.Second)},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			v := claimedBackfill{Work: Work{Backfill: secondly(100), Step: 4, Job: theJob()}}
			test.alter(&v)
			before := slices.Clone(v.Backfill.Open)
			got := decide(v, now.Add(456*time.Microsecond), plain)
			if diff := cmp.Diff(test.want.step(&v), got); diff != "" {
				t.Errorf("decide (-want +got):\n%s", diff)
			}
			if !slices.Equal(before, v.Backfill.Open) {
				t.Error("decide changed what it was given")
			}
		})
	}
}

// step writes out what the table says of the step from v.
func (e *expected) step(v *claimedBackfill) Step {
	b := v.Backfill
	b.Cursor, b.StartedAt, b.Reason = e.cursor, e.startedAt, e.reason
	b.Made, b.Skipped, b.Succeeded, b.Failed = e.made, e.skipped, e.succeeded, e.failed
	b.Open = append([]int64{}, e.open...)
	if e.state != "" {
		b.State, b.EndedAt = e.state, now
	}
	step := Step{Backfill: b, Number: 4, Look: e.look}
	for _, second := range e.runs {
		step.Runs = append(step.Runs, job.Run{
			JobID: 3, JobVersion: 5, GroupID: 2, PlannedAt: at(second), Cause: job.CauseBackfill, CauseID: 9,
			State: job.Planned, Reason: "backfill 9", ReadyAt: e.start, DueAt: e.start, CreatedAt: now,
		})
	}
	return step
}

func TestParamTravels(t *testing.T) {
	t.Parallel()
	text := "again"
	v := claimedBackfill{Work: Work{Backfill: secondly(1), Job: theJob()}, slots: slots(0, 1), end: true}
	v.Backfill.Param = &text
	if got := decide(v, now, plain).Runs[0].Param; got == nil || *got != text {
		t.Errorf("the run has the param %v", got)
	}
}
