package schedule

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPreview(t *testing.T) {
	t.Parallel()
	utc := func(text string) time.Time { return utcOf(t, text) }
	plain := func(text string) Slot { return Slot{At: utc(text), Named: utc(text)} }
	gone := func(text, key, day string) Slot {
		return Slot{At: utc(text), Named: utc(text), Dropped: true, Calendar: key, Day: day}
	}
	// Those of the first weekend of May move to the Monday.
	joined := func(at, day string) Slot {
		s := gone(at, "weekends", day)
		s.Into = utc("2026-05-04 09:00:00")
		return s
	}
	tests := []struct {
		name  string
		spec  Spec
		after string
		n     int
		want  []Slot
	}{
		{
			"what calendars drop is shown",
			Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Calendars: []string{"may", "weekends"}},
			"2026-04-30 00:00:00", 5,
			[]Slot{
				plain("2026-04-30 12:00:00"), gone("2026-05-01 12:00:00", "may", "Labour Day"),
				gone("2026-05-02 12:00:00", "weekends", "Saturday"), gone("2026-05-03 12:00:00", "weekends", "Sunday"), plain("2026-05-04 12:00:00"),
			},
		},
		{
			"what they move names where it comes from",
			Spec{Kind: KindCron, Cron: "0 0 9 ? * SAT", Calendars: []string{"weekends"}, Excluded: ExcludedShift},
			"2026-05-01 00:00:00", 1,
			[]Slot{{At: utc("2026-05-04 09:00:00"), Named: utc("2026-05-02 09:00:00"), Calendar: "weekends", Day: "Saturday"}},
		},
		{
			"what is there anyway is one with what moves there",
			Spec{Kind: KindCron, Cron: "0 0 9 * * ?", Calendars: []string{"weekends"}, Excluded: ExcludedShift},
			"2026-05-02 00:00:00", 4,
			[]Slot{
				joined("2026-05-02 09:00:00", "Saturday"), joined("2026-05-03 09:00:00", "Sunday"),
				plain("2026-05-04 09:00:00"), plain("2026-05-05 09:00:00"),
			},
		},
		{
			"of two days the older one",
			Spec{Kind: KindCron, Cron: "0 0 9 ? * SAT,SUN", Calendars: []string{"weekends"}, Excluded: ExcludedShift},
			"2026-05-02 00:00:00", 2,
			[]Slot{
				joined("2026-05-03 09:00:00", "Sunday"),
				{At: utc("2026-05-04 09:00:00"), Named: utc("2026-05-02 09:00:00"), Calendar: "weekends", Day: "Saturday"},
			},
		},
		{
			"too far to move",
			Spec{Kind: KindCron, Cron: "0 0 12 1 5 ? 2026,2027", Calendars: []string{"sabbatical"}, Excluded: ExcludedShift},
			"2026-01-01 00:00:00", 9,
			[]Slot{
				gone("2026-05-01 12:00:00", "sabbatical", "Sabbatical"),
				{At: utc("2028-01-01 12:00:00"), Named: utc("2027-05-01 12:00:00"), Calendar: "sabbatical", Day: "Sabbatical"},
			},
		},
		{
			"it ends",
			Spec{Kind: KindEvery, Every: 6 * time.Hour, Calendars: []string{"may"}, End: utc("2026-05-02 00:00:01")},
			"2026-05-01 10:00:00", 9,
			[]Slot{gone("2026-05-01 12:00:00", "may", "Labour Day"), gone("2026-05-01 18:00:00", "may", "Labour Day"), plain("2026-05-02 00:00:00")},
		},
		{
			"a wait",
			Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"may"}},
			"2026-04-30 22:30:00", 2,
			[]Slot{plain("2026-04-30 23:30:00"), {At: utc("2026-05-02 00:00:00"), Named: utc("2026-05-01 00:30:00"), Calendar: "may", Day: "Labour Day"}},
		},
		{
			"several with calendars of their own",
			Spec{Kind: KindSeveral, Calendars: []string{"weekends"}, Of: []Spec{
				{Kind: KindCron, Cron: "0 0 9 * * ?", Calendars: []string{"may"}},
				{Kind: KindCron, Cron: "0 0 9,17 * * ?"},
				{Kind: KindCron, Cron: "0 0 10 * * ?", Calendars: []string{"may"}},
			}},
			"2026-05-01 00:00:00", 4,
			[]Slot{
				plain("2026-05-01 09:00:00"), gone("2026-05-01 10:00:00", "may", "Labour Day"), plain("2026-05-01 17:00:00"),
				gone("2026-05-02 09:00:00", "weekends", "Saturday"),
			},
		},
		{"manual", Spec{Kind: KindManual}, "2026-05-01 00:00:00", 9, nil},
		{"none", Spec{Kind: KindEvery, Every: time.Hour}, "2026-05-01 00:00:00", 0, nil},
		{"fewer than none", Spec{Kind: KindEvery, Every: time.Hour}, "2026-05-01 00:00:00", -1, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := Preview(compiledWith(t, tc.spec), utc(tc.after), tc.n)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			tc.spec.Jitter, tc.spec.Seed = time.Hour, 12345
			if tc.spec.Kind == KindManual || tc.spec.Kind == KindAfter {
				return
			}
			offset := jitterOf(tc.spec.Jitter, tc.spec.Seed)
			later := Preview(compiledWith(t, tc.spec), utc(tc.after).Add(offset), tc.n)
			for i := range later {
				later[i].At = later[i].At.Add(-offset)
				if !later[i].Into.IsZero() {
					later[i].Into = later[i].Into.Add(-offset)
				}
			}
			if diff := cmp.Diff(tc.want, later); diff != "" {
				t.Errorf("with jitter (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDropped(t *testing.T) {
	t.Parallel()
	from, to := utcOf(t, "2026-04-30 12:00:00"), utcOf(t, "2026-05-04 12:00:00")
	noons := Spec{Kind: KindCron, Cron: "0 0 12 * * ?", Calendars: []string{"may", "weekends"}}
	dense := Spec{Kind: KindCron, Cron: "* * * * * ?", Calendars: []string{"year"}}
	tests := []struct {
		name     string
		spec     Spec
		from, to time.Time
		limit    int
		n, more  int
	}{
		{"both ends are left out", noons, from, to, 9, 3, 0},
		{"limit", noons, from, to, 2, 2, 1},
		{"none", noons, from, to, 0, 0, 3},
		{"fewer than none", noons, from, to, -1, 0, 3},
		{"nothing between", noons, to, from, 9, 0, 0},
		{"no calendar", Spec{Kind: KindEvery, Every: time.Hour}, from, to, 9, 0, 0},
		{"bounds alone", Spec{Kind: KindEvery, Every: time.Hour, Start: to}, from, to, 9, 0, 0},
		{"a delay drops nothing", Spec{Kind: KindAfter, After: time.Minute, Calendars: []string{"weekends"}}, from, to, 9, 0, 0},
		{"a year of seconds", dense, from, to, 100, 100, maxWalk},
		{"more than may be", dense, from, to, math.MaxInt, maxWalk, maxWalk},
		{"a few seconds between years", dense, utcOf(t, "1980-01-01 00:00:00"), utcOf(t, "2026-01-01 00:00:03"), 100, 3, 0},
		{
			"what another fires is not dropped",
			Spec{Kind: KindSeveral, Of: []Spec{noons, {Kind: KindCron, Cron: "0 0 12 ? * FRI"}}},
			from, to, 9, 2, 0,
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			s := compiledWith(t, tc.spec)
			var slots []Slot
			var more int
			if took := quickest(func() { slots, more = Dropped(s, tc.from, tc.to, tc.limit) }); took > 200*time.Millisecond {
				t.Errorf("the answer took %s", took)
			}
			if len(slots) != tc.n || more != tc.more {
				t.Fatalf("Dropped = %d slots and %d more, want %d and %d", len(slots), more, tc.n, tc.more)
			}
			last := tc.from
			for _, slot := range slots {
				if !slot.At.After(last) || !slot.At.Before(tc.to) || !slot.Dropped || slot.Calendar == "" {
					t.Fatalf("%+v follows %s", slot, last)
				}
				last = slot.At
			}
		})
	}
}

func TestPreviewIsBounded(t *testing.T) {
	t.Parallel()
	s := compiledWith(t, Spec{Kind: KindCron, Cron: "* * * * * ?", Calendars: []string{"year"}, Zone: "America/New_York"})
	if n := len(Preview(s, utcOf(t, "2025-12-31 00:00:00"), math.MaxInt)); n != maxWalk {
		t.Errorf("Preview shows %d slots, want %d", n, maxWalk)
	}
}

func TestFirst(t *testing.T) {
	t.Parallel()
	at := utcOf(t, "2026-05-02 10:15:00")
	tests := []struct {
		spec Spec
		want string // empty for none
	}{
		{Spec{Kind: KindEvery, Every: 15 * time.Minute}, "2026-05-02 10:15:00"},
		{Spec{Kind: KindEvery, Every: time.Hour}, "2026-05-02 11:00:00"},
		{Spec{Kind: KindEvery, Every: 15 * time.Minute, Start: at}, "2026-05-02 10:15:00"},
		{Spec{Kind: KindEvery, Every: 15 * time.Minute, Calendars: []string{"weekends"}}, "2026-05-04 00:00:00"},
		{Spec{Kind: KindAfter, After: time.Hour}, "2026-05-02 10:15:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Start: at.Add(time.Minute)}, "2026-05-02 10:16:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Start: at.Add(-time.Minute), End: at.Add(1)}, "2026-05-02 10:15:00"},
		{Spec{Kind: KindAfter, After: time.Hour, End: at}, ""},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}}, "2026-05-04 00:00:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}, Zone: "America/New_York"}, "2026-05-04 04:00:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}, Excluded: ExcludedShift}, "2026-05-04 10:15:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"weekends"}, End: at.AddDate(0, 0, 1)}, ""},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"sabbatical"}}, "2028-01-01 00:00:00"},
		{Spec{Kind: KindAfter, After: time.Hour, Calendars: []string{"sabbatical"}, Excluded: ExcludedShift}, ""},
		{Spec{Kind: KindOnce, Delay: time.Minute}, ""},
		{Spec{Kind: KindOnce, At: at}, "2026-05-02 10:15:00"},
		{Spec{Kind: KindManual}, ""},
	}
	for _, tc := range tests {
		got, ok := First(compiledWith(t, tc.spec), at)
		text := ""
		if ok {
			text = got.Format("2006-01-02 15:04:05.999999999")
		}
		if text != tc.want {
			t.Errorf("%s: First = %q, want %q", tc.spec, text, tc.want)
		}
	}
	if got, ok := First(compiledWith(t, Spec{Kind: KindAfter, After: time.Hour}), at.Add(1)); !ok || !got.Equal(at.Add(time.Millisecond)) {
		t.Errorf("First of a fraction = %s, want the next millisecond", got)
	}
}
