package schedule

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestRateKeepsItsPhase(t *testing.T) {
	t.Parallel()
	anchor := time.Date(2026, 1, 1, 0, 0, 7, 0, time.UTC)
	tests := []struct {
		every         time.Duration
		anchor, after time.Time
		want          time.Time
	}{
		{time.Minute, anchor, anchor, anchor.Add(time.Minute)},
		{time.Minute, anchor, anchor.Add(-1), anchor},
		{time.Minute, anchor, anchor.Add(1), anchor.Add(time.Minute)},
		{time.Minute, anchor, anchor.Add(-time.Hour), anchor.Add(-59 * time.Minute)},
		{time.Minute, anchor, anchor.AddDate(90, 0, 0), anchor.AddDate(90, 0, 0).Add(time.Minute)},
		{100 * time.Millisecond, anchor, anchor.AddDate(100, 0, 0), anchor.AddDate(100, 0, 0).Add(100 * time.Millisecond)},
		{100 * time.Millisecond, anchor, anchor.Add(99_999_999), anchor.Add(100 * time.Millisecond)},
		{7 * 24 * time.Hour, time.Time{}, time.Unix(0, 0), time.Unix(7*24*60*60, 0)},
		{time.Hour, time.Time{}, time.Time{}, time.Unix(0, 0)},
		{time.Hour, time.Time{}, time.Unix(-1<<60, 0), time.Unix(0, 0)},
		{MaxEvery, anchor, anchor, anchor.Add(MaxEvery)},
		{MaxEvery, anchor, anchor.Add(MaxEvery), time.Time{}},
		{time.Hour, anchor, time.Unix(1<<60, 0), time.Time{}},
	}
	for _, tc := range tests {
		s, err := newRate(tc.every, tc.anchor)
		if err != nil {
			t.Fatalf("newRate(%s) = %v", tc.every, err)
		}
		got, ok := s.Next(tc.after)
		if !got.Equal(tc.want) || ok == tc.want.IsZero() {
			t.Errorf("every %s from %s: Next(%s) = %s, %t; want %s", tc.every, tc.anchor, tc.after, got, ok, tc.want)
		}
	}
}

func TestRateProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		period := rapid.Int64Range(MinEvery.Milliseconds(), MaxEvery.Milliseconds()).Draw(t, "period")
		r := rate{period, rapid.Int64Range(0, lastWall*1000).Draw(t, "anchor")}
		after := time.Unix(0, rapid.Int64Range(0, int64(100*365*24*time.Hour)).Draw(t, "after"))
		next, ok := r.Next(after)
		if !ok {
			return
		}
		if gap := next.Sub(after); gap <= 0 || gap > time.Duration(period)*time.Millisecond {
			t.Fatalf("Next(%s) = %s: %s later, the period is %d ms", after, next, gap, period)
		}
		if (next.UnixMilli()-r.anchor)%r.period != 0 {
			t.Fatalf("Next(%s) = %s is not on the grid", after, next)
		}
		if n := r.between(after, next); n != 0 {
			t.Fatalf("%d firings before the next one", n)
		}
		if n := r.between(after, next.Add(1)); n != 1 {
			t.Fatalf("%d firings up to the next one, want 1", n)
		}
	})
}
