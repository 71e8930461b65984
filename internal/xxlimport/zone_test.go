package xxlimport_test

import (
	"testing"

	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

func TestZone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"UTC": "UTC", "+00:00": "UTC", "\tAsia/Shanghai ": "Asia/Shanghai", //nolint:gocritic // The space is meant.
		"+08:00": "Etc/GMT-8", "GMT+8": "Etc/GMT-8", "-05:00": "Etc/GMT+5",
		"utc+0900": "Etc/GMT-9", "CST": "", "": "", "+05:30": "", "Asia/Nowhere": "", "+99:00": "", "-13:00": "", "EST": "",
	} {
		zone, err := xxlimport.Zone(text)
		if zone != want || (want == "") != job.Is(err, job.Invalid) {
			t.Errorf("%q is %q, %v; want %q", text, zone, err, want)
		}
		if want == "" {
			continue
		}
		s := schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 0 * * ?", Zone: zone}
		if err := s.Validate(); err != nil {
			t.Errorf("%q: schedules refuse %q: %v", text, zone, err)
		}
	}
}
