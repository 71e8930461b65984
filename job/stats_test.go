package job_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestStatsCount(t *testing.T) {
	t.Parallel()
	for _, state := range job.States() {
		var s job.Stats
		s.Count(state, 3)
		want := int64(0)
		if state.Final() {
			want = 3
		}
		ran := state.Final() && state != job.Cancelled && state != job.Skipped
		if s.Runs() != want || (s.Ran() == 3) != ran {
			t.Errorf("%s: %d runs, %d of their own, want %d, %t", state, s.Runs(), s.Ran(), want, ran)
		}
		if rate, ok := s.Rate(); ok != ran || (rate == 1) != (state == job.Succeeded) {
			t.Errorf("%s: rate %v, %t", state, rate, ok)
		}
	}
}

func TestStatsAdd(t *testing.T) {
	t.Parallel()
	day := job.DayOf(time.Date(2030, 1, 31, 23, 59, 59, 0, time.FixedZone("", -3600)))
	one := job.Stats{
		Day: day, Succeeded: 1, Failed: 2, TimedOut: 3, Cancelled: 4, Lost: 5, Skipped: 6, Attempts: 12,
		Timed: 6, Took: 12 * time.Second, TookMax: 4 * time.Second, Late: 24 * time.Second, LateMax: 9 * time.Second,
	}
	two := job.Stats{Succeeded: 1, Timed: 2, Took: 8 * time.Second, TookMax: 8 * time.Second, Attempts: 4, Late: 8 * time.Second, LateMax: time.Second}
	one.Add(two)
	want := job.Stats{
		Day: time.Date(2030, 2, 1, 0, 0, 0, 0, time.UTC), Succeeded: 2, Failed: 2, TimedOut: 3, Cancelled: 4, Lost: 5, Skipped: 6,
		Attempts: 16, Timed: 8, Took: 20 * time.Second, TookMax: 8 * time.Second, Late: 32 * time.Second, LateMax: 9 * time.Second,
	}
	if diff := cmp.Diff(want, one); diff != "" {
		t.Error(diff)
	}
	if took, late := one.MeanTook(), one.MeanLate(); took != 2500*time.Millisecond || late != 2*time.Second {
		t.Errorf("mean duration %s, lateness %s", took, late)
	}
	var none job.Stats
	if _, ok := none.Rate(); ok || none.MeanTook() != 0 || none.MeanLate() != 0 {
		t.Error("nothing has a mean")
	}
}

// In whatever order days are added, the whole is the same.
func TestStatsAddInAnyOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, 1000)
		length := rapid.Custom(func(t *rapid.T) time.Duration { return time.Duration(n.Draw(t, "ms")) * time.Millisecond })
		days := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) job.Stats {
			return job.Stats{
				Succeeded: n.Draw(t, "succeeded"), Lost: n.Draw(t, "lost"), Skipped: n.Draw(t, "skipped"), Attempts: n.Draw(t, "attempts"),
				Timed: n.Draw(t, "timed"), Took: length.Draw(t, "took"), TookMax: length.Draw(t, "took max"), LateMax: length.Draw(t, "late"),
			}
		}), 1, 6).Draw(t, "days")
		var forward, backward job.Stats
		for i := range days {
			forward.Add(days[i])
			backward.Add(days[len(days)-1-i])
		}
		if diff := cmp.Diff(forward, backward); diff != "" {
			t.Error(diff)
		}
		if rate, ok := forward.Rate(); ok && (rate < 0 || rate > 1) {
			t.Errorf("rate %v", rate)
		}
	})
}
