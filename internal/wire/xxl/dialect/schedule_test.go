package dialect

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestSchedulesBothWays(t *testing.T) {
	t.Parallel()
	quartz := schedule.Quartz()
	for _, tc := range []struct {
		kind, conf, zone string
		want             schedule.Spec
	}{
		{"NONE", "", "", schedule.Spec{Kind: schedule.KindManual}},
		{"FIX_RATE", "30", "", schedule.Spec{Kind: schedule.KindEvery, Every: 30 * time.Second}},
		{"FIX_RATE", "2592000", "", schedule.Spec{Kind: schedule.KindEvery, Every: 30 * 24 * time.Hour}},
		{
			"CRON", "0 30 2 * * ?", "Europe/Berlin",
			schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin", DST: &quartz},
		},
	} {
		got, err := ParseSchedule(tc.kind, tc.conf, tc.zone)
		if diff := cmp.Diff(tc.want, got); diff != "" || err != nil {
			t.Errorf("ParseSchedule(%s, %s) = %v (-want +got):\n%s", tc.kind, tc.conf, err, diff)
		}
		if kind, conf, ok := ScheduleName(got); kind != tc.kind || conf != tc.conf || !ok {
			t.Errorf("ScheduleName(%s) = %s, %s, %t", got, kind, conf, ok)
		}
	}
}

// In the gap of New York's spring a job of this family does not fire, and in the
// autumn it fires on the second pass.
func TestSchedulesFollowQuartz(t *testing.T) {
	t.Parallel()
	s, err := ParseSchedule("CRON", "0 30 1,2 * * ?", "America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := s.Compile()
	if err != nil {
		t.Fatal(err)
	}
	for from, want := range map[string]string{
		"2026-03-08T06:30:00Z": "2026-03-09T05:30:00Z", // not 02:30, which is not there
		"2026-11-01T04:00:00Z": "2026-11-01T06:30:00Z", // 01:30 for the second time
	} {
		at, _ := time.Parse(time.RFC3339, from)
		if next, _ := compiled.Next(at); next.Format(time.RFC3339) != want {
			t.Errorf("after %s comes %s, want %s", from, next.Format(time.RFC3339), want)
		}
	}
}

func TestSchedulesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, tc := range [][3]string{
		{"WEEKLY", "", "scheduleType"},
		{"CRON", "0 0 0 31 2 ?", "scheduleConf"},
		{"CRON", "", "scheduleConf"},
		{"FIX_RATE", "0", "scheduleConf"},
		{"FIX_RATE", "-5", "scheduleConf"},
		{"FIX_RATE", "1.5", "scheduleConf"},
		{"FIX_RATE", "99999999999", "scheduleConf"},
		{"FIX_DELAY", "30", "scheduleType"},
		{"FIX_RATE", strings.Repeat("9", 100_000), "scheduleConf"},
	} {
		_, err := ParseSchedule(tc[0], tc[1], "")
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), tc[2]) || len(err.Error()) > 300 {
			t.Errorf("ParseSchedule(%s, %.20s) = %v", tc[0], tc[1], err)
		}
	}
	for _, s := range []schedule.Spec{
		{Kind: schedule.KindOnce},
		{Kind: schedule.KindAfter, After: time.Minute},
		{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m"},
		{Kind: schedule.KindEvery, Every: 1500 * time.Millisecond},
	} {
		if kind, conf, ok := ScheduleName(s); ok {
			t.Errorf("ScheduleName(%s) = %s, %s", s, kind, conf)
		}
	}
}
