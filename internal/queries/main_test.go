package queries

import (
	"context"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// room is the queries, with the commands that make what they find.
type room struct {
	*Catalog

	commands *jobs.Catalog
}

// newRoom returns the rooms of a world.
func newRoom() (*jobstest.World, room) {
	w := jobstest.New()
	commands := jobs.New(jobs.Config{
		Writer: w, Reader: w, RunWriter: w, RunReader: w, Calendars: w, Pauses: w, Backfills: w, Broadcasts: w, IDs: w, Leases: w,
	})
	return w, room{commands: commands, Catalog: New(Config{
		Reader: w, RunReader: w, Calendars: w, Pauses: w, Backfills: w, Broadcasts: w, DeadLetters: noLetters{}, History: w, Leases: w, Logs: w.Logs,
	})}
}

// noLetters has no dead letter.
type noLetters struct{}

func (noLetters) DeadLettersOf(context.Context, []int64) ([]job.DeadLetter, error) { return nil, nil }

// create creates a job that must be taken.
func (c room) create(t *testing.T, j job.Job) job.Job {
	t.Helper()
	created, err := c.commands.CreateJob(t.Context(), j)
	if err != nil {
		t.Fatalf("CreateJob: %v", err)
	}
	return created
}

// hourly creates a job with a slot each hour.
func (c room) hourly(t *testing.T) job.Job {
	t.Helper()
	j := jobstest.GoodJob()
	j.Schedule = schedule.Spec{Kind: schedule.KindEvery, Every: time.Hour, Anchor: jobstest.Midnight}
	return c.create(t, j)
}

// closed saves a calendar of the default namespace that forbids a range of days.
func (c room) closed(t *testing.T, key, from, to string) {
	t.Helper()
	_, err := c.commands.SaveCalendar(t.Context(), job.Calendar{Key: key, Rules: calendar.Rules{
		Ranges: []calendar.Range{{From: jobstest.Day(t, from), To: jobstest.Day(t, to), Name: "Works"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// everywhere is the sight of who may see everything.
func everywhere() access.Sight { return access.Sight{All: true} }
