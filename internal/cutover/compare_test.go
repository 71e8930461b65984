package cutover

import (
	"strconv"
	"testing"
	"time"

	"github.com/orthd/orth/internal/xxlimport"
)

// A page of the log whose last rows lie about their time, or have none, is passed, and says
// nothing of rows that were not read yet.
func TestShadowPageThatLies(t *testing.T) {
	t.Parallel()
	now := time.Now().UTC()
	begin := now.Add(-time.Hour)
	for name, last := range map[string]string{
		"the future": "9999-12-31 23:59:59", "the past": "1970-01-01 00:00:01", "no day": "0000-00-00 00:00:00", "no time": "",
	} {
		s := Comparison{CompareConfig: CompareConfig{LogZone: time.UTC, Since: begin}, until: begin, end: now, jobs: map[int64]*compared{}}
		rows := make([]xxlimport.Row, logPage)
		for i := range rows {
			rows[i] = xxlimport.Row{"id": strconv.Itoa(i + 1), "trigger_time": begin.Add(time.Duration(i) * time.Second).Format(time.DateTime)}
		}
		rows[logPage-1]["trigger_time"] = last
		read := begin.Add(logPage * time.Second)
		if taken := s.sent(rows); taken != logPage || s.after != logPage || s.until.After(read) {
			t.Errorf("%s: %d rows were taken, up to %d; judged until %s, and read until %s", name, taken, s.after, s.until, read)
		}
	}
	s := Comparison{CompareConfig: CompareConfig{LogZone: time.UTC, Since: begin}, until: begin, end: now, jobs: map[int64]*compared{}}
	rows := make([]xxlimport.Row, logPage)
	for i := range rows {
		rows[i] = xxlimport.Row{"id": strconv.Itoa(i + 1)}
	}
	if taken := s.sent(rows); taken != logPage || s.after != logPage || !s.until.Equal(begin) {
		t.Errorf("no times: %d rows were taken, up to %d; judged until %s", taken, s.after, s.until)
	}
}
