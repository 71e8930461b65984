package client_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func TestCalendars(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c := serve(t, &memory{}, func(c *client.Config) { c.Namespace = "team" })
	may := calendar.Date{Year: 2030, Month: time.May, Day: 1}
	rules := calendar.Rules{
		Mode: calendar.ModeExclude, Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday)},
		Dates:  []calendar.Day{{Date: may, Name: "Labour Day"}},
		Ranges: []calendar.Range{{From: may, To: may.Add(3)}}, Yearly: []calendar.Yearly{{Rule: "12-25", Observed: calendar.ObservedMonday}},
		Except: []calendar.Day{{Date: may.Add(5)}}, KnownUntil: may, Source: "people",
	}
	saved, err := c.SaveCalendar(ctx, "works", api.CalendarText{Title: "Works", Rules: &rules})
	if err != nil || saved.Calendar.Namespace != "team" || saved.Calendar.Title != "Works" || len(saved.Warnings) != 0 {
		t.Fatalf("saved %+v, %v", saved, err)
	}
	shown, err := c.Calendar(ctx, "works")
	if diff := cmp.Diff(rules, shown.Rules); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	all, err := c.Calendars(ctx)
	if err != nil || len(all) != 1 || all[0].Key != "works" || all[0].Rules.Dates != nil || all[0].Rules.Source != "people" {
		t.Errorf("a list: %+v, %v", all, err)
	}
	no := false
	read, err := c.SaveCalendar(ctx, "file", api.CalendarText{Format: "ics", Text: "BEGIN:VCALENDAR", Weekends: &no})
	if err != nil || read.Calendar.Rules.Source != "{Format:ics Text:BEGIN:VCALENDAR Shipped: Weekends:false}" || len(read.Warnings) != 1 {
		t.Errorf("from a text: %+v, %v", read, err)
	}
	shipped, err := c.ShippedCalendars(ctx)
	want := []api.ShippedCalendar{{Key: "cn", Title: "China", FirstYear: 2020, LastYear: 2030, Source: "a package"}}
	if diff := cmp.Diff(want, shipped); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if err := c.DeleteCalendar(ctx, "works"); err != nil {
		t.Error(err)
	}
	if _, err := c.Calendar(ctx, "works"); !job.Is(err, job.NotFound) {
		t.Errorf("a deleted calendar: %v", err)
	}
}

// The largest text that is taken fits the body of a request.
func TestLargeCalendarText(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	line := "2030-05-01,\"Labour Day\"\n"
	text := strings.Repeat(line, 524288/len(line))
	if _, err := c.SaveCalendar(t.Context(), "large", api.CalendarText{Format: "csv", Text: text}); err != nil {
		t.Error(err)
	}
}

func TestPauses(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	saved, err := c.SavePause(ctx, "nights", api.NewPause{
		Reason: "backups", Namespace: "team", Groups: []string{"g"}, Until: api.At(instant.Add(time.Hour)),
		Window: &api.Window{Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai", For: api.Duration(3 * time.Hour)},
	})
	want := api.Pause{
		Key: "nights", Reason: "backups", Namespace: "team", Groups: []string{"g"}, From: api.At(instant), Until: api.At(instant.Add(time.Hour)),
		Window: &api.Window{Cron: "0 0 2 * * ?", Zone: "Asia/Shanghai", For: api.Duration(3 * time.Hour)},
		Active: true, EndsAt: api.At(instant.Add(time.Hour)), CreatedAt: api.At(instant),
	}
	if diff := cmp.Diff(want, saved); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if all, err := c.Pauses(ctx); err != nil || !cmp.Equal(all, []api.Pause{want}) {
		t.Errorf("all: %+v, %v", all, err)
	}
	if err := c.DeletePause(ctx, "nights"); err != nil {
		t.Error(err)
	}
	if err := c.DeletePause(ctx, "nights"); !job.Is(err, job.NotFound) {
		t.Errorf("lifted twice: %v", err)
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	want := api.Timeline{From: api.At(instant), Until: api.At(instant.Add(time.Hour)), Next: `default/g after "a", 7`, Jobs: []api.TimelineJob{
		{Key: "first", Group: "g", Zone: "UTC", Minutes: []int{0, 7}, Counts: []int{1, 6}},
	}}
	got, err := c.Timeline(ctx, client.TimelineQuery{Group: "g", From: instant, Until: instant.Add(time.Hour), After: "a", Limit: 7})
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v: %s", err, diff)
	}
	if got, err = c.Timeline(ctx, client.TimelineQuery{}); err != nil || got.Until.Sub(got.From.Time) < 24*time.Hour-time.Minute {
		t.Errorf("asked for nothing special: %+v, %v", got, err)
	}
	if got, err = c.Timeline(ctx, client.TimelineQuery{Namespace: "team"}); err != nil || got.Next != `team/ after "", 100` {
		t.Errorf("of another namespace: %+v, %v", got, err)
	}
	if _, err := c.Timeline(ctx, client.TimelineQuery{Limit: 201}); !job.Is(err, job.Invalid) {
		t.Errorf("too many: %v", err)
	}
}

func TestFirings(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	if _, err := c.CreateJob(ctx, newJob("first")); err != nil {
		t.Fatal(err)
	}
	at := api.At(instant.Add(time.Hour))
	want := api.FiringList{
		Firings: []api.Firing{{At: at, Local: "2030-01-31 09:00:00.123 +00:00 Thu"}}, Zone: "UTC",
		Warnings: []string{"default/first, 3"}, More: true,
	}
	got, err := c.Firings(ctx, "first", client.FiringQuery{From: instant, Count: 3, Language: "zh"})
	want.Sentence = got.Sentence
	if diff := cmp.Diff(want, got); err != nil || diff != "" || !strings.Contains(got.Sentence, "每") {
		t.Errorf("%v %s: %s", err, got.Sentence, diff)
	}
	got, err = c.Firings(ctx, "first", client.FiringQuery{})
	if err != nil || got.Warnings[0] != "default/first, 20" || !strings.HasPrefix(got.Sentence, "Every") {
		t.Errorf("asked for nothing special: %+v, %v", got, err)
	}
	got, err = c.FiringsOf(ctx, api.FiringQuestion{
		Schedule: api.Schedule{Kind: schedule.KindSeveral, Of: []api.Schedule{
			{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m"}, {Kind: schedule.KindOnce, At: api.At(instant)},
		}},
		From: api.At(instant), Count: 5, JobKey: "to-be",
	})
	if err != nil || got.Firings[0].At != at || got.Warnings[0] != "default/to-be, 5" {
		t.Errorf("of a schedule: %+v, %v", got, err)
	}
	if _, err := c.Firings(ctx, "missing", client.FiringQuery{}); !job.Is(err, job.NotFound) {
		t.Errorf("of a missing job: %v", err)
	}
}

func TestBackfills(t *testing.T) {
	t.Parallel()
	ctx, c := t.Context(), serve(t, &memory{}, nil)
	if _, err := c.CreateJob(ctx, newJob("first")); err != nil {
		t.Fatal(err)
	}
	param := ""
	wanted := api.NewBackfill{
		From: api.At(instant), To: api.At(instant.Add(time.Hour)), Max: 9, Parallel: 3, Spacing: api.Duration(time.Second),
		SkipSucceeded: true, Param: &param,
	}
	want := api.Backfill{
		JobID: 1, JobKey: "first", Namespace: "default", From: wanted.From, To: wanted.To, Slots: 9, First: wanted.From, Last: wanted.From, Parallel: 3,
		Spacing: wanted.Spacing, SkipSucceeded: true, Param: &param, State: job.BackfillRunning,
	}
	dry, err := c.CreateBackfill(ctx, "first", wanted, true)
	if diff := cmp.Diff(want, dry); err != nil || diff != "" {
		t.Errorf("a dry run: %v %s", err, diff)
	}
	made, err := c.CreateBackfill(ctx, "first", wanted, false)
	want.ID, want.CreatedAt = 1, api.At(instant)
	if diff := cmp.Diff(want, made); err != nil || diff != "" {
		t.Errorf("made: %v %s", err, diff)
	}
	second, err := c.CreateBackfill(ctx, "first", wanted, false)
	if err != nil || second.ID != 2 {
		t.Fatalf("a second one: %+v, %v", second, err)
	}
	page, err := c.Backfills(ctx, client.BackfillQuery{Job: "first", Limit: 1})
	if err != nil || len(page.Backfills) != 1 || page.Backfills[0].ID != 2 || page.Next != 2 {
		t.Fatalf("the first page: %+v, %v", page, err)
	}
	page, err = c.Backfills(ctx, client.BackfillQuery{Before: page.Next})
	if err != nil || !cmp.Equal(page.Backfills, []api.Backfill{made}) || page.Next != 0 {
		t.Errorf("the second page: %+v, %v", page, err)
	}
	if page, err = c.Backfills(ctx, client.BackfillQuery{Namespace: "team"}); err != nil || len(page.Backfills) != 0 {
		t.Errorf("of another namespace: %+v, %v", page, err)
	}
	if got, err := c.Backfill(ctx, 1); err != nil || !cmp.Equal(got, made) {
		t.Errorf("shown %+v, %v", got, err)
	}
	if got, err := c.CancelBackfill(ctx, 1, "enough"); err != nil || got.State != job.BackfillCancelled || got.Reason != "enough" {
		t.Errorf("cancelled %+v, %v", got, err)
	}
}
