package schedule

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSeveral(t *testing.T) {
	t.Parallel()
	at := utcOf(t, "2026-05-01 12:00:00")
	tests := []struct {
		name string
		spec Spec
		want []string
	}{
		{
			"equal instants fire once",
			Spec{Kind: KindSeveral, Of: []Spec{{Kind: KindCron, Cron: "0 0 12 * * ?"}, {Kind: KindEvery, Every: 12 * time.Hour}, {Kind: KindOnce, At: at}}},
			[]string{"2026-05-01 12:00:00", "2026-05-02 00:00:00", "2026-05-02 12:00:00"},
		},
		{
			"a zone of its own, and that of the schedule around",
			Spec{Kind: KindSeveral, Zone: "Asia/Shanghai", Of: []Spec{{Kind: KindCron, Cron: "0 0 12 * * ?"}, {Kind: KindCron, Cron: "0 0 12 * * ?", Zone: "UTC"}}},
			[]string{"2026-05-01 04:00:00", "2026-05-01 12:00:00", "2026-05-02 04:00:00"},
		},
		{
			"bounds of its own, and those of the schedule around",
			Spec{
				Kind: KindSeveral, Start: at.Add(time.Second), Jitter: 2 * time.Millisecond, Seed: 1 << 31,
				Of: []Spec{{Kind: KindEvery, Every: time.Hour, End: at.Add(2 * time.Hour)}, {Kind: KindOnce, At: at.AddDate(0, 0, 1)}},
			},
			[]string{"2026-05-01 13:00:00", "2026-05-02 12:00:00"},
		},
		{
			"calendars of its own, and those of the schedule around",
			Spec{
				Kind: KindSeveral, Calendars: []string{"weekends"},
				Of: []Spec{{Kind: KindCron, Cron: "0 0 9 * * ?", Calendars: []string{"may"}}, {Kind: KindCron, Cron: "0 0 17 * * ?"}},
			},
			[]string{"2026-05-01 17:00:00", "2026-05-04 09:00:00", "2026-05-04 17:00:00"},
		},
	}
	for _, tc := range tests {
		got := texts(firings(compiledWith(t, tc.spec), utcOf(t, "2026-05-01 00:00:00"), len(tc.want)), time.UTC)
		if offset := jitterOf(tc.spec.Jitter, tc.spec.Seed); offset > 0 {
			got = texts(slices.Collect(func(yield func(time.Time) bool) {
				for _, at := range firings(compiledWith(t, tc.spec), utcOf(t, "2026-05-01 00:00:00"), len(tc.want)) {
					yield(at.Add(-offset))
				}
			}), time.UTC)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

// The union fires whenever a member does, and at no other time.
func TestSeveralIsTheUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var spec Spec
		var want []time.Time
		from := utcOf(t, "2026-10-20 00:00:00")
		to := from.AddDate(0, 0, 20)
		spec = Spec{Kind: KindSeveral, Zone: "Europe/London"}
		for range rapid.IntRange(2, 4).Draw(t, "members") {
			member := drawInner(t, "")
			if rapid.Bool().Draw(t, "calendar") {
				member.Calendars = []string{"weekends"}
			}
			spec.Of = append(spec.Of, member)
			member.Zone = spec.Zone
			want = append(want, Between(compiledWith(t, member), from, to, maxWalk)...)
		}
		slices.SortFunc(want, time.Time.Compare)
		want = slices.CompactFunc(want, time.Time.Equal)
		if diff := cmp.Diff(want, Between(compiledWith(t, spec), from, to, maxWalk)); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", spec, diff)
		}
	})
}
