package queries

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

// Limits of a preview.
const (
	MaxFirings     = 1000
	DefaultFirings = 20
)

// Firings is what a schedule does after an instant.
type Firings struct {
	// Spec is the schedule with what its user left out.
	Spec schedule.Spec
	// Zone is the one of its wall times.
	Zone *time.Location
	// Slots are its firings and those that calendars drop, the oldest first.
	Slots []schedule.Slot
	// Warnings are remarks in words for readers of the slots.
	Warnings []string
	// More is set when it fires again after the last of them.
	More bool
}

// Firings returns the first n slots of a job's schedule after an instant, which
// defaults to now; n is 1..[MaxFirings] and defaults to [DefaultFirings]. A
// schedule with a Count ends when it is used up.
func (c *Catalog) Firings(ctx context.Context, namespace, key string, from time.Time, n int) (Firings, error) {
	j, err := c.Job(ctx, namespace, key)
	if err != nil {
		return Firings{}, err
	}
	p := newPreview(&j, from, n)
	if !j.Enabled && j.Schedule.Kind != schedule.KindManual {
		p.warn("the job is stopped: it fires nothing before it is started")
	}
	if j.Enabled {
		if err := c.warnOfPauses(ctx, p, &j); err != nil {
			return Firings{}, err
		}
	}
	return c.preview(ctx, p)
}

// FiringsOf returns the slots of a schedule that no job has, as Firings does for
// the job that would be made with it. jobKey is that job's, for the jitter; it
// may be empty.
func (c *Catalog) FiringsOf(ctx context.Context, namespace string, s schedule.Spec, jobKey string, from time.Time, n int) (Firings, error) {
	if err := jobrows.CheckNewOnce(&s); err != nil {
		return Firings{}, err
	}
	j := job.Job{Namespace: cmp.Or(namespace, job.DefaultNamespace), Key: jobKey, Schedule: s}
	if err := job.CheckKey("namespace", j.Namespace); err != nil {
		return Firings{}, err
	}
	if jobKey != "" {
		if err := job.CheckKey("job_key", jobKey); err != nil {
			return Firings{}, err
		}
	}
	p := newPreview(&j, from, n)
	p.check = true
	jobrows.FillSchedule(&j.Schedule, j.Namespace, j.Key, p.now)
	if j.Schedule.Jitter > 0 && jobKey == "" {
		p.warn("the time within the jitter depends on the key of the job: with a key the firings are at other times")
	}
	return c.preview(ctx, p)
}

// preview is a preview in the making.
type preview struct {
	job      *job.Job
	now      time.Time
	from     time.Time
	n        int
	check    bool // the schedule was never checked
	warnings []string
}

func newPreview(j *job.Job, from time.Time, n int) *preview {
	now := time.Now().UTC().Truncate(time.Millisecond)
	if from.IsZero() {
		from = now
	}
	if n <= 0 {
		n = DefaultFirings
	}
	return &preview{job: j, now: now, from: from.UTC(), n: min(n, MaxFirings)}
}

func (p *preview) warn(format string, args ...any) {
	p.warnings = append(p.warnings, fmt.Sprintf(format, args...))
}

// warnOfPauses names the pauses that hold the job back now.
func (c *Catalog) warnOfPauses(ctx context.Context, p *preview, j *job.Job) error {
	pauses, err := c.Pauses(ctx)
	if err != nil {
		return fmt.Errorf("read the pauses: %w", err)
	}
	for i := range pauses {
		pause := &pauses[i]
		if !pause.Active || !pause.Holds(j) {
			continue
		}
		until := "it is lifted"
		if !pause.EndsAt.IsZero() {
			until = pause.EndsAt.Format(time.RFC3339)
		}
		p.warn("the pause %s holds the job back until %s: its misfire policy decides about the firings meanwhile", pause.Key, until)
	}
	return nil
}

// preview answers.
func (c *Catalog) preview(ctx context.Context, p *preview) (Firings, error) {
	s := &p.job.Schedule
	if err := jobrows.CheckInstant("from", p.from); err != nil {
		return Firings{}, err
	}
	known, err := c.CalendarsOf(ctx, p.job.Namespace, s)
	if err != nil {
		return Firings{}, err
	}
	if p.check {
		if err := jobrows.CheckSchedule(s, known); err != nil {
			return Firings{}, err
		}
	}
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		return Firings{}, jobrows.ScheduleError("schedule.", err)
	}
	asIfStarted(p)
	f := Firings{Spec: *s, Zone: zone}
	compiled, err := s.CompileWith(known.Find)
	if err != nil {
		return Firings{}, jobrows.ScheduleError("schedule.", err)
	}
	if s.Kind == schedule.KindAfter {
		p.follow(&f, compiled)
	} else {
		f.Slots, f.More = p.cut(compiled)
	}
	p.warnOfExpressions(s)
	p.warnOfCalendars(&f, known)
	f.Warnings = p.warnings
	return f, nil
}

// asIfStarted gives a schedule that fires a while after its job is started its
// instant, when it has none.
func asIfStarted(p *preview) {
	s := &p.job.Schedule
	if s.Kind == schedule.KindOnce && s.Delay > 0 && !p.job.Enabled {
		jobrows.SetStart(s, p.from)
		p.warn("it fires %s after the job is started: shown is a start at %s", s.Delay, p.from.Format(time.RFC3339))
	}
}

// follow previews a fixed delay: only its first firing is known.
func (p *preview) follow(f *Firings, s schedule.Schedule) {
	p.warn("each further firing comes %s after the end of the run before", p.job.Schedule.After)
	at, ok := p.job.NextAt, !p.job.NextAt.IsZero()
	if !p.job.Enabled {
		at, ok = schedule.First(s, p.from)
	}
	f.More = ok || p.job.Enabled
	if ok && !at.Before(p.from) {
		f.Slots = []schedule.Slot{{At: at, Named: at}}
	}
}

// cut returns the slots, as far as the Count of the schedule reaches.
func (p *preview) cut(s schedule.Schedule) ([]schedule.Slot, bool) {
	slots := schedule.Preview(s, p.from, p.n)
	more := false
	if len(slots) > 0 {
		_, more = s.Next(slots[len(slots)-1].At)
	}
	count := p.job.Schedule.Count
	if count == 0 {
		return slots, more
	}
	left := count
	if p.job.StopReason == "" { // otherwise the count starts again
		left -= p.job.Fired
	}
	for i, slot := range slots {
		if slot.Dropped || !slot.At.After(p.job.LastAt) { // planned ones are counted
			continue
		}
		if left <= 0 {
			return slots[:i], false
		}
		if left--; left == 0 {
			return slots[:i+1], false
		}
	}
	return slots, more && left > 0
}

// warnOfExpressions adds the warnings of cron expressions that their authors may not have
// intended.
func (p *preview) warnOfExpressions(s *schedule.Spec) {
	warn := func(place string, s *schedule.Spec) {
		bare := schedule.Spec{Kind: s.Kind, Cron: s.Cron, Zone: s.Zone, DST: s.DST}
		if s.Kind != schedule.KindCron {
			return
		}
		compiled, err := bare.Compile()
		if err != nil {
			return // it was checked before
		}
		if cron, ok := compiled.(*schedule.Cron); ok {
			for _, text := range cron.Warnings() {
				p.warn("%s%s", place, text)
			}
		}
	}
	warn("", s)
	for i := range s.Of {
		warn(fmt.Sprintf("of[%d]: ", i), &s.Of[i])
	}
}

// warnOfCalendars reports where the data of a calendar ends among the slots.
func (p *preview) warnOfCalendars(f *Firings, known jobrows.Calendars) {
	if len(f.Slots) == 0 {
		return
	}
	last := calendar.DateOf(f.Slots[len(f.Slots)-1].Named.In(f.Zone))
	for _, key := range jobrows.CalendarKeys(&f.Spec) {
		if until := known[key].KnownUntil(); !until.IsZero() && until.Compare(last) < 0 {
			p.warn("the calendar %s knows no single days after %s: from then on only its weekdays and yearly rules count", key, until)
		}
	}
}
