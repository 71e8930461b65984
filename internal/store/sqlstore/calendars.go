package sqlstore

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

const (
	calendarColumns = `c.id, c.namespace, c.cal_key, c.title, c.rules, c.version, c.created_at, c.updated_at`

	// By calendars' unique (namespace, cal_key).
	readCalendar = `SELECT ` + calendarColumns + ` FROM calendars c WHERE c.namespace = ? AND c.cal_key = ?`
	// By calendars' unique (namespace, cal_key), in its order.
	listCalendars = `SELECT ` + calendarColumns + ` FROM calendars c WHERE c.namespace = ? ORDER BY c.cal_key LIMIT ?`
	// By calendars' unique (namespace, cal_key), in its order: at most job.MaxCalendars
	// rows, for people.
	listEveryCalendar = `SELECT ` + calendarColumns + ` FROM calendars c ORDER BY c.namespace, c.cal_key LIMIT ?`
	// By a scan of at most job.MaxCalendars rows, when the rules have changed.
	listAllCalendars = `SELECT ` + calendarColumns + ` FROM calendars c ORDER BY c.id`
	// By calendars' unique (namespace, cal_key).
	readCalendarStanding = `SELECT id, version, created_at FROM calendars WHERE namespace = ? AND cal_key = ?`
	// By a scan of at most job.MaxCalendars index entries, for new calendars only.
	countCalendars = `SELECT COUNT(*) FROM calendars`
	insertCalendar = `INSERT INTO calendars (id, namespace, cal_key, title, rules, version, created_at, updated_at)
		VALUES (?, ?, ?, ?, ?, 1, ?, ?)`
	// By calendars' primary key.
	updateCalendar = `UPDATE calendars SET title = ?, rules = ?, version = version + 1, updated_at = ? WHERE id = ?`
	// By calendars' primary key.
	deleteCalendar = `DELETE FROM calendars WHERE id = ?`

	// By the primary keys of job_calendars and job_plans. Jobs that are due need
	// no other look.
	lookAgain = `UPDATE job_plans SET look_at = ? WHERE job_id IN (SELECT job_id FROM job_calendars WHERE calendar_id = ?)
		AND look_at > ?`
	// By the primary keys of job_calendars and jobs.
	readUser = `SELECT j.id, j.job_key FROM job_calendars u JOIN jobs j ON j.id = u.job_id
		WHERE u.calendar_id = ? AND u.job_id > ? ORDER BY u.job_id LIMIT 1`
	insertJobCalendar = `INSERT INTO job_calendars (calendar_id, job_id) VALUES (?, ?)`
	// By job_calendars_job.
	dropJobCalendars = `DELETE FROM job_calendars WHERE job_id = ?`
)

// SaveCalendar writes a new calendar when its Version is 0, else one over the
// version it was read at, and returns it as it stands. Planners look at all jobs
// that name it from UpdatedAt on. Kinds: Conflict when the key is taken or the
// calendar has another version, NotFound when there is none to write over, Full
// when there are too many, Invalid when its rules are too long.
func (s *Store) SaveCalendar(ctx context.Context, c job.Calendar) (job.Calendar, error) {
	rules, err := encode(c.Rules)
	if err != nil {
		return job.Calendar{}, err
	}
	if len(rules) > job.MaxCalendarBytes {
		wrong := job.FieldErrorf("rules", "have %d bytes as JSON, at most %d are allowed", len(rules), job.MaxCalendarBytes)
		wrong.Hint = "leave out days long past, or make two calendars"
		return job.Calendar{}, wrong
	}
	given := c
	err = s.writer.update(ctx, func(t *tx) error {
		c = given // it may be done again
		if err := t.saveCalendar(&c, rules); err != nil {
			return err
		}
		t.names("calendar", c.Namespace, "", c.Key)
		return t.touchRules()
	})
	if err != nil {
		return job.Calendar{}, err
	}
	return c, nil
}

// saveCalendar writes the calendar and sets what its user does not decide.
func (t *tx) saveCalendar(c *job.Calendar, rules string) error {
	var id, version int64
	var created time.Time
	found, err := t.read(readCalendarStanding, []any{c.Namespace, c.Key}, []any{&id, &version, (*instant)(&created)})
	switch {
	case err != nil:
		return err
	case found && c.Version == 0:
		return job.Errorf(job.Conflict, "calendar %s exists already in namespace %s", c.Key, c.Namespace)
	case c.Version == 0:
		return t.addCalendar(c, rules)
	case !found:
		return noCalendar(c.Namespace, c.Key)
	case version != c.Version:
		return job.Errorf(job.Conflict, "calendar %s was changed since it was read: it has version %d, not %d",
			c.Key, version, c.Version)
	}
	now := job.Millis(c.UpdatedAt)
	if err := t.do(updateCalendar, c.Title, rules, now, id); err != nil {
		return err
	}
	c.ID, c.Version, c.CreatedAt = id, version+1, created
	return t.do(lookAgain, now, id, now)
}

func (t *tx) addCalendar(c *job.Calendar, rules string) error {
	var n int64
	if _, err := t.read(countCalendars, nil, []any{&n}); err != nil {
		return err
	}
	if n >= job.MaxCalendars {
		full := job.Errorf(job.Full, "calendar %s cannot be made: there are %d calendars already", c.Key, n)
		full.Hint = "delete calendars that no job names"
		return full
	}
	var err error
	if c.ID, err = t.reserve(sequenceCalendars, 1); err != nil {
		return err
	}
	c.Version = 1
	return t.do(insertCalendar, c.ID, c.Namespace, c.Key, c.Title, rules,
		job.Millis(c.CreatedAt), job.Millis(c.UpdatedAt))
}

// DeleteCalendar removes a calendar that no job names. Kinds: Conflict, with
// some of the jobs, when one does, NotFound.
func (s *Store) DeleteCalendar(ctx context.Context, namespace, key string) error {
	return s.writer.update(ctx, func(t *tx) error {
		id, err := t.calendarID(namespace, key)
		if err != nil {
			return err
		}
		if id == 0 {
			return noCalendar(namespace, key)
		}
		if err := t.unused(id, key); err != nil {
			return err
		}
		if err := t.do(deleteCalendar, id); err != nil {
			return err
		}
		return t.touchRules()
	})
}

// unused reports as a Conflict that jobs name the calendar.
func (t *tx) unused(id int64, key string) error {
	users, err := t.users(readUser, id)
	if err != nil || users == "" {
		return err
	}
	wrong := job.Errorf(job.Conflict, "calendar %s is named by the schedules of jobs: %s", key, users)
	wrong.Hint = "take it out of their schedules first"
	return wrong
}

// Calendar returns the calendar, or NotFound. A calendar whose rules cannot be read has
// rules that do not compile.
func (s *Store) Calendar(ctx context.Context, namespace, key string) (job.Calendar, error) {
	c, found, err := first(ctx, s.reader, calendarFields, readCalendar, namespace, key)
	if err == nil && !found {
		err = noCalendar(namespace, key)
	}
	return c, err
}

// Calendars returns the calendars of a namespace, [access.All] for all, in order of
// namespace and key.
func (s *Store) Calendars(ctx context.Context, namespace string) ([]job.Calendar, error) {
	if namespace == access.All {
		return list(ctx, s.reader, calendarFields, listEveryCalendar, job.MaxCalendars)
	}
	return list(ctx, s.reader, calendarFields, listCalendars, namespace, job.MaxCalendars)
}

func noCalendar(namespace, key string) error {
	return job.Errorf(job.NotFound, "calendar %s does not exist in namespace %s", key, namespace)
}

// calendarID returns the id of a calendar, 0 when there is none.
func (t *tx) calendarID(namespace, key string) (id int64, err error) {
	var version int64
	var created time.Time
	_, err = t.read(readCalendarStanding, []any{namespace, key}, []any{&id, &version, (*instant)(&created)})
	return id, err
}

// nameCalendars writes down which calendars the schedule of a job names. One
// that does not exist is Invalid.
func (t *tx) nameCalendars(j *job.Job) error {
	for _, key := range namedCalendars(j.Schedule) {
		id, err := t.calendarID(j.Namespace, key)
		if err != nil {
			return err
		}
		if id == 0 {
			wrong := job.FieldErrorf("schedule.calendars", "calendar %s does not exist in namespace %s", key, j.Namespace)
			wrong.Hint = "make the calendar first, or correct its key"
			return wrong
		}
		if err := t.do(insertJobCalendar, id, j.ID); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) renameCalendars(j *job.Job) error {
	if err := t.do(dropJobCalendars, j.ID); err != nil {
		return err
	}
	return t.nameCalendars(j)
}

// namedCalendars returns the keys that a schedule and those within it name,
// each once, in order.
func namedCalendars(s schedule.Spec) []string {
	keys := map[string]bool{}
	for _, spec := range append([]schedule.Spec{s}, s.Of...) {
		for _, key := range spec.Calendars {
			keys[key] = true
		}
	}
	return slices.Sorted(maps.Keys(keys))
}

func calendarFields(c *job.Calendar) []any {
	return []any{
		(*integer)(&c.ID), (*text)(&c.Namespace), (*text)(&c.Key), (*text)(&c.Title),
		rulesText{&c.Rules},
		(*integer)(&c.Version), (*instant)(&c.CreatedAt), (*instant)(&c.UpdatedAt),
	}
}

// unreadable replaces a stored word that cannot be read. Nothing that contains it compiles,
// so only callers that need the rule see the damage.
const unreadable = "unreadable"

// rulesText receives the rules of a calendar as JSON text.
type rulesText document[calendar.Rules]

// Scan implements sql.Scanner. It takes any text.
func (r rulesText) Scan(src any) error {
	if err := document[calendar.Rules](r).Scan(src); err != nil {
		*r.into = calendar.Rules{Mode: unreadable}
	}
	return nil
}
