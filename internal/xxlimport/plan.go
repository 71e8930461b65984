package xxlimport

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Plan is the schedule state of a Java server's job.
type Plan struct {
	ID int64
	// Group is the id of its group.
	Group int64
	// Name is its title, for people.
	Name string
	// Started means that its schedule is enabled.
	Started bool
	// Next is the next firing that the old server has not triggered yet; zero for none.
	// Changed is when the job was last saved, started or stopped; zero when unknown.
	Next, Changed time.Time
	// Retries is the retry limit of a failed run.
	Retries int64
	// Spec is its schedule. A fixed rate is aligned to Next. Problem is why there is none.
	Spec    schedule.Spec
	Problem string
}

// PlanOf converts a row of the job table. Cron expressions are in zone, times of the table
// in times.
func PlanOf(r Row, zone string, times *time.Location) Plan {
	number := func(column string) int64 {
		n, _ := strconv.ParseInt(strings.TrimSpace(r[column]), 10, 64) // an invalid number counts as 0
		return n
	}
	p := Plan{
		ID: r.rowID(), Group: number("job_group"), Name: clean(cmp.Or(r["job_desc"], r["name"])), Started: number("trigger_status") > 0,
		Retries: number("executor_fail_retry_count"),
	}
	if next := number("trigger_next_time"); next > 0 {
		p.Next = time.UnixMilli(next).UTC()
	}
	if at, err := Instant(r["update_time"], times); err == nil {
		p.Changed = at
	}
	t := turner{OrthOptions: OrthOptions{Zone: zone}}
	made, err := t.schedule("", &orthJob{ScheduleType: strings.TrimSpace(r["schedule_type"]), ScheduleConf: r["schedule_conf"], Cron: r["job_cron"]})
	switch {
	case err != nil:
		p.Problem = err.Error()
	case len(t.notes) > 0:
		p.Problem = t.notes[0].Text
	default:
		if p.Spec = made.Spec(); p.Spec.Kind == "" {
			p.Spec.Kind = schedule.KindManual
		}
	}
	if p.Spec.Kind == schedule.KindEvery && !p.Next.IsZero() {
		p.Spec.Anchor = p.Next
	}
	return p
}

// OnSlot reports whether Next is a firing of the schedule. It is not when the old server
// has another time zone, or interprets the expression differently. It returns the error of
// an invalid schedule.
func (p *Plan) OnSlot() (bool, error) {
	s, err := p.Spec.Compile()
	if err != nil {
		return false, err
	}
	next, ok := s.Next(p.Next.Add(-time.Millisecond))
	return ok && next.Equal(p.Next), nil
}

// Instant parses a database time without a time zone. Kinds: Invalid.
func Instant(text string, zone *time.Location) (time.Time, error) {
	at, err := time.ParseInLocation("2006-01-02 15:04:05.999999999", strings.TrimSpace(text), zone)
	if err != nil {
		return at, job.Errorf(job.Invalid, "%.40q is no time such as 2030-01-31 02:30:00", text)
	}
	return at.UTC(), nil
}

// Plans are the groups and jobs of a Java server, as far as they say when jobs fire.
type Plans struct {
	Groups, Jobs []Row
	// Zone and ZoneFrom are as those of the contents of a database.
	Zone, ZoneFrom string
	// Now is the time of the database's clock.
	Now time.Time
}

// JobState is how a job stands there.
type JobState struct {
	ID      int64
	Started bool
	// Next is the first firing that the old server has not taken; zero for none.
	Next time.Time
}
