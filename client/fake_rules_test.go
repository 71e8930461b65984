package client_test

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

func (m *memory) SaveCalendar(_ context.Context, c job.Calendar) (job.Calendar, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c.Version, c.CreatedAt, c.UpdatedAt = c.Version+1, instant, instant
	m.calendars = append(m.calendars, c)
	return c, nil
}

func (m *memory) ImportCalendar(ctx context.Context, c job.Calendar, from jobs.Import) (job.Calendar, []string, error) {
	c.Rules = calendar.Rules{Source: fmt.Sprintf("%+v", from)}
	c, err := m.SaveCalendar(ctx, c)
	return c, []string{"line 2 was left out"}, err
}

func (m *memory) calendar(namespace, key string) int {
	return slices.IndexFunc(m.calendars, func(c job.Calendar) bool { return c.Namespace == namespace && c.Key == key })
}

func (m *memory) DeleteCalendar(_ context.Context, namespace, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.calendar(namespace, key)
	if i < 0 {
		return job.Errorf(job.NotFound, "there is no calendar %q", key)
	}
	m.calendars = slices.Delete(m.calendars, i, i+1)
	return nil
}

func (m *memory) Calendar(_ context.Context, namespace, key string) (job.Calendar, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := m.calendar(namespace, key)
	if i < 0 {
		return job.Calendar{}, job.Errorf(job.NotFound, "there is no calendar %q", key)
	}
	return m.calendars[i], nil
}

func (m *memory) Calendars(context.Context, string) ([]job.Calendar, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calendars), nil
}

func (m *memory) ShippedCalendars() []jobs.Shipped {
	return []jobs.Shipped{{Key: "cn", Title: "China", FirstYear: 2020, LastYear: 2030, Source: "a package"}}
}

func (m *memory) SavePause(_ context.Context, p job.Pause) (jobrows.Pause, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.From, p.CreatedAt = instant, instant
	saved := jobrows.Pause{Pause: p, Active: true, EndsAt: instant.Add(time.Hour)}
	m.pauses = append(m.pauses, saved)
	return saved, nil
}

func (m *memory) DeletePause(_ context.Context, key string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.pauses)
	m.pauses = slices.DeleteFunc(m.pauses, func(p jobrows.Pause) bool { return p.Key == key })
	if len(m.pauses) == before {
		return job.Errorf(job.NotFound, "there is no pause %q", key)
	}
	return nil
}

func (m *memory) Pause(_ context.Context, key string) (jobrows.Pause, error) {
	return jobrows.Pause{}, job.Errorf(job.NotFound, "there is no pause %q", key)
}

func (m *memory) Pauses(context.Context) ([]jobrows.Pause, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.pauses), nil
}

// Firings answers with what it was asked.
func (m *memory) Firings(ctx context.Context, namespace, key string, from time.Time, n int) (queries.Firings, error) {
	j, err := m.Job(ctx, namespace, key)
	if err != nil {
		return queries.Firings{}, err
	}
	return m.FiringsOf(ctx, namespace, j.Schedule, key, from, n)
}

// Timeline answers with what it was asked.
func (m *memory) Timeline(_ context.Context, q queries.TimelineQuery) (queries.Timeline, error) {
	return queries.Timeline{From: q.From, Until: q.Until, Next: fmt.Sprintf("%s/%s after %q, %d", q.Namespace, q.Group, q.After, q.Limit), Jobs: []queries.JobTimes{
		{Job: job.Job{Key: "first", Group: "g"}, Minutes: []int{0, 7}, Counts: []int{1, 6}},
	}}, nil
}

func (m *memory) FiringsOf(_ context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (queries.Firings, error) {
	return queries.Firings{
		Spec: s, Zone: time.UTC, Slots: []schedule.Slot{{At: from.Add(time.Hour), Named: from.Add(time.Hour)}},
		Warnings: []string{fmt.Sprintf("%s/%s, %d", namespace, jobKey, n)}, More: true,
	}, nil
}

func (m *memory) PreviewBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	j, err := m.Job(ctx, namespace, key)
	b.JobID, b.JobKey, b.Namespace, b.First, b.Last, b.State = j.ID, key, namespace, b.From, b.From, job.BackfillRunning
	return b, err
}

func (m *memory) CreateBackfill(ctx context.Context, namespace, key string, b job.Backfill) (job.Backfill, error) {
	b, err := m.PreviewBackfill(ctx, namespace, key, b)
	m.mu.Lock()
	defer m.mu.Unlock()
	b.ID, b.CreatedAt = int64(len(m.fills)+1), instant
	m.fills = append(m.fills, b)
	return b, err
}

func (m *memory) CancelBackfill(ctx context.Context, id int64, reason string) (job.Backfill, error) {
	b, err := m.Backfill(ctx, id)
	b.State, b.Reason = job.BackfillCancelled, reason
	return b, err
}

func (m *memory) Backfill(_ context.Context, id int64) (job.Backfill, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if id > int64(len(m.fills)) {
		return job.Backfill{}, job.Errorf(job.NotFound, "there is no backfill %d", id)
	}
	return m.fills[id-1], nil
}

func (m *memory) Backfills(ctx context.Context, q jobrows.BackfillQuery) ([]job.Backfill, error) {
	if q.Job != "" {
		j, err := m.Job(ctx, q.Namespace, q.Job)
		if err != nil {
			return nil, err
		}
		q.JobID = j.ID
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var found []job.Backfill
	for _, b := range slices.Backward(m.fills) {
		if (q.JobID == 0 || b.JobID == q.JobID) && (q.BeforeID == 0 || b.ID < q.BeforeID) && (q.Namespace == "" || b.Namespace == q.Namespace) && len(found) < q.Limit {
			found = append(found, b)
		}
	}
	return found, nil
}
