package jobs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule/calendar"
)

// closed saves a calendar of the default namespace that forbids a range of days.
func closed(t *testing.T, c *Catalog, key, from, to string) job.Calendar {
	t.Helper()
	saved, err := c.SaveCalendar(t.Context(), job.Calendar{Key: key, Rules: calendar.Rules{
		Ranges: []calendar.Range{{From: jobstest.Day(t, from), To: jobstest.Day(t, to), Name: "Works"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return saved
}

func TestSaveCalendar(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	first := closed(t, c, "works", "2030-01-01", "2030-01-31")
	if first.Namespace != "default" || first.Version != 1 || first.ID == 0 || first.CreatedAt.IsZero() || w.Scheduled != 1 {
		t.Errorf("a new calendar: %+v, planner woken %d times", first, w.Scheduled)
	}
	second := closed(t, c, "works", "2030-02-01", "2030-02-28")
	if second.Version != 2 || second.ID != first.ID || !second.CreatedAt.Equal(first.CreatedAt) || w.Scheduled != 2 {
		t.Errorf("over the first: %+v, planner woken %d times", second, w.Scheduled)
	}
	second.Title = "Works in spring"
	third, err := c.SaveCalendar(t.Context(), second)
	if err != nil || third.Version != 3 || third.Title != "Works in spring" {
		t.Errorf("over the version that was read: %+v, %v", third, err)
	}
	if _, err := c.SaveCalendar(t.Context(), second); !job.Is(err, job.Conflict) {
		t.Errorf("over a version that is gone: %v", err)
	}
	if err := c.DeleteCalendar(t.Context(), "", "works"); err != nil {
		t.Error(err)
	}
	if _, err := c.SaveCalendar(t.Context(), third); !job.Is(err, job.Conflict) {
		t.Errorf("over a calendar that is gone: %v", err)
	}
	if err := c.DeleteCalendar(t.Context(), "", "works"); !job.Is(err, job.NotFound) {
		t.Errorf("a second deletion: %v", err)
	}
	if all, err := c.Calendars(t.Context(), ""); err != nil || len(all) != 0 {
		t.Errorf("left are %v, %v", all, err)
	}
}

// Without a version the last one who saves wins, also when somebody saves between
// the read and the write.
func TestSaveCalendarOverARival(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	saved := closed(t, c, "works", "2030-01-01", "2030-01-31")
	rivals := 0
	w.Rival = func() {
		if rivals++; rivals <= 2 {
			there := w.CalendarsByKey["default/works"]
			there.Version++
			w.CalendarsByKey["default/works"] = there
		}
	}
	if got := closed(t, c, "works", "2031-01-01", "2031-01-31"); got.Version != 4 {
		t.Errorf("after two rivals the version is %d, want 4", got.Version)
	}
	w.Rival = func() {
		there := w.CalendarsByKey["default/works"]
		there.Version++
		w.CalendarsByKey["default/works"] = there
	}
	if _, err := c.SaveCalendar(t.Context(), job.Calendar{Key: "works", Rules: saved.Rules}); !job.Is(err, job.Conflict) {
		t.Errorf("with a rival each time: %v", err)
	}
}

func TestSaveCalendarChecks(t *testing.T) {
	t.Parallel()
	long := make([]calendar.Day, calendar.MaxDays)
	for i := range long {
		long[i] = calendar.Day{Date: jobstest.Day(t, "2000-01-01").Add(i), Name: strings.Repeat("日", calendar.MaxName)}
	}
	for _, test := range []struct {
		field string
		alter func(*job.Calendar)
	}{
		{"key", func(c *job.Calendar) { c.Key = "No" }},
		{"namespace", func(c *job.Calendar) { c.Namespace = "No" }},
		{"title", func(c *job.Calendar) { c.Title = strings.Repeat("x", job.MaxTitle+1) }},
		{"title", func(c *job.Calendar) { c.Title = "a\x00" }},
		{"rules.yearly[1].rule", func(c *job.Calendar) {
			c.Rules.Yearly = []calendar.Yearly{{Rule: "12-25"}, {Rule: "13-01"}}
		}},
		{"rules", func(c *job.Calendar) { c.Rules.Dates = long }},
	} {
		w, c := newWorld()
		want := job.Calendar{Key: "works"}
		test.alter(&want)
		_, err := c.SaveCalendar(t.Context(), want)
		jobstest.WantField(t, err, test.field)
		if len(w.CalendarsByKey) > 0 || w.Scheduled > 0 {
			t.Errorf("%s: something was written", test.field)
		}
	}
}

func TestImportCalendar(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	ctx := t.Context()
	for _, test := range []struct {
		from           Import
		source, warned string
	}{
		{Import{Format: "csv", Text: "x", Weekends: true}, "x, weekends true", "left out: x"},
		{Import{Format: "ics", Text: "x"}, "ics x, weekends false", "left out: ics x"},
		{Import{Shipped: "cn", Weekends: true}, "cn, weekends true", ""},
	} {
		saved, warnings, err := c.ImportCalendar(ctx, job.Calendar{Key: "own"}, test.from)
		if err != nil || saved.Rules.Source != test.source || strings.Join(warnings, "") != test.warned {
			t.Errorf("%+v: %q, %q, %v", test.from, saved.Rules.Source, warnings, err)
		}
		if got, err := c.Calendar(ctx, "", "own"); err != nil || got.Rules.Source != test.source {
			t.Errorf("%+v: stored is %q, %v", test.from, got.Rules.Source, err)
		}
	}
	for field, from := range map[string]Import{
		"shipped": {Shipped: "atlantis"}, "format": {Format: "xls", Text: "x"}, "text": {Format: "csv", Text: "wrong"},
	} {
		_, _, err := c.ImportCalendar(ctx, job.Calendar{Key: "wrong"}, from)
		jobstest.WantField(t, err, field)
	}
	if _, err := c.Calendar(ctx, "", "wrong"); !job.Is(err, job.NotFound) {
		t.Errorf("a calendar that could not be imported: %v", err)
	}
	if got := c.ShippedCalendars(); len(got) != 1 || got[0].Key != "cn" {
		t.Errorf("shipped are %v", got)
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	ctx := t.Context()
	open, err := c.SavePause(ctx, job.Pause{Key: "all", Reason: "the database moves"})
	if err != nil || !open.Active || !open.EndsAt.IsZero() || !open.BeginsAt.IsZero() || time.Since(open.From) > time.Minute {
		t.Errorf("an open pause: %+v, %v", open, err)
	}
	later := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	next, err := c.SavePause(ctx, job.Pause{Key: "b", From: later, Until: later.Add(time.Hour), Namespace: "team", Groups: []string{"g"}})
	if err != nil || next.Active || !next.BeginsAt.Equal(later) || !next.EndsAt.IsZero() {
		t.Errorf("a later pause: %+v, %v", next, err)
	}
	if w.Scheduled != 2 {
		t.Errorf("the planner was woken %d times, want 2", w.Scheduled)
	}
	all, err := c.Pauses(ctx)
	if err != nil || len(all) != 2 || all[0].Key != "all" || !all[0].Active || all[1].Active {
		t.Errorf("all pauses: %+v, %v", all, err)
	}
	if got, err := c.Pause(ctx, "b"); err != nil || !got.From.Equal(later) {
		t.Errorf("one pause: %+v, %v", got, err)
	}
	if err := c.DeletePause(ctx, "all"); err != nil || w.Scheduled != 3 {
		t.Errorf("lifted: %v, planner woken %d times", err, w.Scheduled)
	}
	if _, err := c.Pause(ctx, "all"); !job.Is(err, job.NotFound) {
		t.Errorf("a lifted pause: %v", err)
	}
	if err := c.DeletePause(ctx, "all"); !job.Is(err, job.NotFound) {
		t.Errorf("lifted twice: %v", err)
	}
	for field, p := range map[string]job.Pause{
		"key": {}, "namespace": {Key: "a", Namespace: "No"}, "reason": {Key: "a", Reason: "\xff"},
		"until": {Key: "a", Until: time.Now().Add(-time.Hour)},
	} {
		_, err := c.SavePause(ctx, p)
		jobstest.WantField(t, err, field)
	}
	if _, err := c.SavePause(ctx, job.Pause{Key: "a", Window: &job.Window{Cron: "no", For: time.Hour}}); !job.Is(err, job.Invalid) {
		t.Errorf("a window that does not compile: %v", err)
	}
	if len(w.PausesByKey) != 1 {
		t.Errorf("%d pauses are left, want 1", len(w.PausesByKey))
	}
}

// almanac makes rules that name what they were made from.
type almanac struct{}

func (almanac) ReadICS(text string, weekends bool) (calendar.Rules, []string, error) {
	return rulesOf("ics "+text, weekends)
}

func (almanac) ReadCSV(text string, weekends bool) (calendar.Rules, []string, error) {
	return rulesOf(text, weekends)
}

func (almanac) Load(key string, weekends bool) (calendar.Rules, bool) {
	rules, _, _ := rulesOf(key, weekends)
	return rules, key == "cn"
}

func (almanac) Shipped() []Shipped { return []Shipped{{Key: "cn", Title: "China"}} }

// rulesOf are rules that tell what they were made from.
func rulesOf(text string, weekends bool) (calendar.Rules, []string, error) {
	if text == "wrong" {
		return calendar.Rules{}, nil, job.FieldErrorf("text", "is wrong")
	}
	return calendar.Rules{Source: fmt.Sprintf("%s, weekends %t", text, weekends)}, []string{"left out: " + text}, nil
}
