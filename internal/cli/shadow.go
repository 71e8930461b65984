package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// settleFor is how old a row of the log is before it is taken: the old server fills
	// in the rest of a row when the executor has answered.
	settleFor = 10 * time.Second
	// plansFor is how long schedules are taken to stay as they were read.
	plansFor = time.Minute
	// maxShadow bounds how long a comparison goes on.
	maxShadow = 31 * 24 * time.Hour
	// shadowPage is how many rows of the log are asked for at once.
	shadowPage = 1000
)

// shadowFlags say what is compared.
type shadowFlags struct {
	oldServer

	groups         []string
	logZone, since string
	length         time.Duration
	tolerance      time.Duration
	late           time.Duration
	rate           int
	strict         bool
}

func (t *tool) shadowCommand() *cobra.Command {
	f := shadowFlags{}
	cmd := &cobra.Command{
		Use: "shadow", Short: "Compare the firings of a running XXL-JOB with those that Orth would make", Args: cobra.NoArgs,
		Long: "Compare what a running XXL-JOB (2.2 to 3.5), or the Java Orth, has fired by its log with what Orth would fire for the same\n" +
			"jobs: which firings match, are missing there, late, doubled, or for no slot. It reads the database in sessions that are\n" +
			"read-only, a page at a time, and needs no server of Orth.\n\n" +
			"Without --since it watches from now on for as long as --for says, and tells what it found at the end, or at Ctrl-C. With\n" +
			"--since it compares a time of the past, as far as the log goes back, and watches on only if --for is given too.\n\n" +
			"The exit code is 1 when a firing is missing or doubled, or a schedule cannot be read; with --strict when anything differs.\n" +
			"docs/import.md says what counts as what.",
		Example: "  orth shadow --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --since 24h\n" +
			"  orth shadow --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --for 24h --group reports -o json",
		RunE: func(cmd *cobra.Command, _ []string) error { return t.shadow(cmd.Context(), &f) },
	}
	f.oldServer.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.groups, "group", nil, "only jobs of this `group`, by its app name; may be repeated")
	flags.StringVar(&f.since, "since", "", "compare from this `time` on: 24h, or 2030-01-31T08:00:00Z")
	flags.DurationVar(&f.length, "for", 0, "how long to watch from now on (default 1h without --since)")
	flags.StringVar(&f.logZone, "log-zone", "", "`zone` that the times of the log are written in (default that of --zone)")
	flags.DurationVar(&f.tolerance, "tolerance", xxlimport.DefaultTolerance, "how late a firing may be in the log and still be that of its slot")
	flags.DurationVar(&f.late, "late", xxlimport.DefaultLate, "how late it has to be to be told as late")
	flags.IntVar(&f.rate, "rate", 5000, "most rows of the log that are read in a second")
	flags.BoolVar(&f.strict, "strict", false, "end with exit code 1 for late and extra firings too")
	t.outputFlags(flags)
	return cmd
}

// shadowJob is what a report says of one job.
type shadowJob struct {
	ID     int64     `json:"id"`
	Group  string    `json:"group"`
	Name   string    `json:"name"`
	Since  time.Time `json:"since_at"`
	Status string    `json:"status"` // compared, stopped, unreadable
	xxlimport.Verdict
	Problem string `json:"problem,omitempty"`
}

// shadowReport is what a comparison came to.
type shadowReport struct {
	Since   time.Time   `json:"since_at"`
	Until   time.Time   `json:"until_at"`
	Zone    string      `json:"zone"`
	LogZone string      `json:"log_zone"`
	Agrees  bool        `json:"agrees"`
	Jobs    []shadowJob `json:"jobs"`
}

// shadowing is one comparison under way.
type shadowing struct {
	*tool

	flags       *shadowFlags
	log         *database.Log
	zone        string
	logZone     *time.Location
	ahead       time.Duration // of the database's clock, before this machine's
	since, end  time.Time
	after       int64 // the last row of the log that was taken
	until       time.Time
	planned     time.Time // when plans were read last
	jobs        map[int64]*shadowed
	manual, all int
}

// shadowed is one job that is compared.
type shadowed struct {
	shadowJob

	judge *xxlimport.Judge
}

func (f *shadowFlags) check() error {
	switch {
	case f.length < 0 || f.length > maxShadow:
		return usagef("--for: %s is not between 0 and %s", f.length, shortTime(maxShadow))
	case f.tolerance < time.Second || f.tolerance > time.Hour:
		return usagef("--tolerance: %s is not between 1s and 1h", f.tolerance)
	case f.late < 0 || f.late > f.tolerance:
		return usagef("--late: %s is not between 0 and the tolerance", f.late)
	case f.rate < 1 || f.rate > 1_000_000:
		return usagef("--rate: %d is not between 1 and 1000000", f.rate)
	}
	return nil
}

func (t *tool) shadow(ctx context.Context, f *shadowFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	source, err := f.open(t)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	s := shadowing{tool: t, flags: f, jobs: map[int64]*shadowed{}}
	if s.log, err = source.Log(ctx, f.tablePrefix); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	if err := s.follow(ctx); err != nil && ctx.Err() == nil {
		return err
	}
	return s.report()
}

// begin reads what there is to compare, and finds where the time begins.
func (s *shadowing) begin(ctx context.Context) error {
	plans, err := s.log.Plans(ctx)
	if err != nil {
		return err
	}
	if s.zone, err = s.flags.zoneOf(s.tool, plans.Zone, plans.ZoneFrom); err != nil {
		return err
	}
	if s.logZone, err = time.LoadLocation(firstOf(s.flags.logZone, s.zone)); err != nil {
		return usagef("--log-zone, --zone: %q is no time zone", firstOf(s.flags.logZone, s.zone))
	}
	s.ahead = time.Until(plans.Now)
	now := s.now()
	s.since = now
	if s.flags.since != "" {
		at, err := past("since", s.flags.since, s.Location)
		if err != nil {
			return err
		}
		s.since = at.UTC()
	} else if s.flags.length == 0 {
		s.flags.length = time.Hour
	}
	s.end = now.Add(s.flags.length)
	var first time.Time
	if s.after, first, err = s.log.Before(ctx, s.since, s.logZone); err != nil {
		return err
	}
	if s.after == 0 && first.After(s.since) && !first.After(now) {
		s.since = first
		s.tell("the log begins at %s: what was before cannot be compared", first.In(s.Location).Format(time.RFC3339))
	}
	s.until = s.since
	s.take(plans)
	if s.all == 0 {
		return job.Errorf(job.NotFound, "there are no jobs to compare: those of %s", firstOf(strings.Join(s.flags.groups, ", "), "the database"))
	}
	s.tell("comparing %s from %s on; expressions are meant in %s, times of the log in %s", plural.Count(len(s.jobs), "job"),
		s.since.In(s.Location).Format(time.RFC3339), s.zone, s.logZone)
	return nil
}

// now is the time by the database's clock.
func (s *shadowing) now() time.Time { return time.Now().Add(s.ahead).UTC() }

// take notes when jobs fire from now on.
func (s *shadowing) take(plans database.Plans) {
	s.planned, s.ahead = time.Now(), time.Until(plans.Now)
	groups := map[string]string{}
	for _, g := range plans.Groups {
		groups[g["id"]] = strings.TrimSpace(g["app_name"])
	}
	seen := map[int64]bool{}
	for _, row := range plans.Jobs {
		p := xxlimport.PlanOf(row, s.zone, s.logZone)
		group := groups[fmt.Sprint(p.Group)]
		if len(s.flags.groups) > 0 && !slices.Contains(s.flags.groups, group) {
			continue
		}
		seen[p.ID] = true
		s.takeOne(&p, group)
	}
	for id, one := range s.jobs {
		if !seen[id] {
			one.Status, one.Problem = "stopped", "it is not there any more"
			one.judge.Follow(nil, 0)
		}
	}
}

func (s *shadowing) takeOne(p *xxlimport.Plan, group string) {
	one := s.jobs[p.ID]
	if one == nil {
		s.all++
		if p.Problem == "" && p.Spec.Kind == schedule.KindManual {
			s.manual++
			return
		}
		one = &shadowed{shadowJob: shadowJob{ID: p.ID, Since: s.until}}
		if p.Changed.After(one.Since) && !p.Changed.After(s.now()) {
			one.Since = p.Changed // nobody knows what it was before
		}
		one.judge = xxlimport.NewJudge(one.Since)
		one.judge.Tolerance, one.judge.Late = s.flags.tolerance, s.flags.late
		s.jobs[p.ID] = one
	}
	one.Group, one.Name, one.Problem = group, p.Name, p.Problem
	sched, err := p.Spec.Compile()
	switch {
	case one.Problem == "" && err != nil:
		one.Problem = err.Error()
	case one.Problem == "" && p.Spec.Kind == schedule.KindAfter:
		one.Problem = "it fires after the end of its run before: its slots are not known beforehand"
	}
	switch {
	case one.Problem != "":
		one.Status, sched = "unreadable", nil
	case !p.Started:
		one.Status, sched = "stopped", nil
	default:
		one.Status = "compared"
	}
	one.judge.Follow(sched, p.Retries)
}

// follow reads the log until the end of the time, or of ctx.
func (s *shadowing) follow(ctx context.Context) error {
	bar := terminal.NewBar(s.Stderr)
	defer bar.Clear()
	for {
		rows, err := s.log.After(ctx, s.after, shadowPage)
		if err != nil {
			return err
		}
		taken := s.sent(rows)
		pause := time.Duration(len(rows)) * time.Second / time.Duration(s.flags.rate)
		if taken < shadowPage {
			s.settle(s.now().Add(-settleFor))
			if !s.until.Before(s.end) || !s.now().Before(s.end.Add(settleFor)) || s.flags.length == 0 {
				return nil
			}
			pause = max(pause, min(s.Poll*2, time.Until(s.end.Add(settleFor-s.ahead))+time.Millisecond))
			bar.Show(int(s.now().Sub(s.since)/time.Second), int(s.end.Sub(s.since)/time.Second), "watching: "+s.inShort())
		} else {
			bar.Show(int(s.until.Sub(s.since)/time.Second), max(1, int(s.now().Sub(s.since)/time.Second)), "reading the log: "+s.inShort())
		}
		if err := wait(ctx, pause); err != nil {
			return err
		}
		if time.Since(s.planned) > plansFor {
			plans, err := s.log.Plans(ctx)
			if err != nil {
				return err
			}
			s.take(plans)
		}
	}
}

// sent hands rows to the judges of their jobs, up to the first that is too young, and
// returns how many.
func (s *shadowing) sent(rows []xxlimport.Row) int {
	now := s.now()
	var last []time.Time // of the rows that were taken, but for those of the future
	taken := 0
	for _, r := range rows {
		row, ok := xxlimport.SentOf(r, s.logZone)
		if ok && row.At.After(now.Add(-settleFor)) && row.At.Before(now.Add(time.Minute)) {
			break
		}
		taken++
		if id, err := strconv.ParseInt(r["id"], 10, 64); err == nil {
			s.after = id
		}
		if !ok {
			continue
		}
		if !row.At.After(now) {
			last = append(last, row.At)
		}
		if one := s.jobs[row.JobID]; one != nil {
			one.judge.Sent(row)
		}
	}
	if last = last[max(len(last)-trusted, 0):]; taken == shadowPage && len(last) > 0 {
		s.settle(slices.MinFunc(last, time.Time.Compare).Add(-settleFor))
	}
	return taken
}

// trusted is how many rows at the end of a page say up to when the log was read: the
// earliest of them does, since one may lie.
const trusted = 20

// settle judges what is known up to an instant.
func (s *shadowing) settle(until time.Time) {
	if until = earlier(until, s.end); !until.After(s.until) {
		return
	}
	s.until = until
	for _, one := range s.jobs {
		one.judge.Settle(until)
	}
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// inShort counts what was found so far.
func (s *shadowing) inShort() string {
	var all xxlimport.Verdict
	for _, one := range s.jobs {
		v := one.judge.Verdict()
		all.Slots, all.Missing, all.Doubled = all.Slots+v.Slots, all.Missing+v.Missing, all.Doubled+v.Doubled
	}
	return fmt.Sprintf("%s, %d missing, %d doubled", plural.Count(all.Slots, "slot"), all.Missing, all.Doubled)
}

// wait pauses, and returns the cause when ctx ends before.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// report shows what the comparison came to.
func (s *shadowing) report() error {
	r := shadowReport{Since: s.since, Until: s.until.Add(-s.flags.tolerance), Zone: s.zone, LogZone: s.logZone.String(), Agrees: true, Jobs: []shadowJob{}}
	if r.Until.Before(r.Since) {
		r.Until = r.Since
	}
	for _, one := range s.jobs {
		one.Verdict = one.judge.Finish(s.until)
		v := &one.Verdict
		if v.Missing+v.Doubled > 0 || v.Cut || one.Status == "unreadable" || s.flags.strict && v.Late+v.Extra > 0 {
			r.Agrees = false
		}
		r.Jobs = append(r.Jobs, one.shadowJob)
	}
	slices.SortFunc(r.Jobs, func(a, b shadowJob) int {
		return cmp.Or(cmp.Compare(differing(&b), differing(&a)), cmp.Compare(a.ID, b.ID))
	})
	err := s.show(r, func() error { return s.tellShadow(&r) })
	if err == nil && !r.Agrees {
		return errShown
	}
	return err
}

// differing is how much a job differs, to have those first that do.
func differing(j *shadowJob) int { return 2*(j.Missing+j.Doubled) + j.Late + j.Extra }

const (
	toldDifferences = 5  // of each job
	toldInAll       = 50 // of all jobs
)

func (s *shadowing) tellShadow(r *shadowReport) error {
	rows := make([][]string, len(r.Jobs))
	var all xxlimport.Verdict
	for i := range r.Jobs {
		j := &r.Jobs[i]
		rows[i] = []string{
			j.Group, fmt.Sprint(j.ID), printable(j.Name), j.Status, fmt.Sprint(j.Slots), fmt.Sprint(j.Matching), fmt.Sprint(j.Late), fmt.Sprint(j.Missing),
			fmt.Sprint(j.Doubled), fmt.Sprint(j.Extra), fmt.Sprint(j.Retries), fmt.Sprintf("%ds", j.Latest), j.Since.In(s.Location).Format(time.RFC3339), oneLine(j.Problem),
		}
		all.Slots, all.Matching, all.Late, all.Missing = all.Slots+j.Slots, all.Matching+j.Matching, all.Late+j.Late, all.Missing+j.Missing
		all.Doubled, all.Extra = all.Doubled+j.Doubled, all.Extra+j.Extra
	}
	if err := s.table("GROUP ID JOB STATUS SLOTS MATCHING LATE MISSING DOUBLED EXTRA | RETRIES LATEST SINCE PROBLEM", rows); err != nil {
		return err
	}
	told := 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Problem != "" {
			s.tell("job %d (%s): %s", j.ID, printable(j.Name), printable(j.Problem))
		}
		for _, d := range j.Differences[:min(len(j.Differences), toldDifferences)] {
			if told++; told <= toldInAll {
				s.tell("job %d (%s): %s", j.ID, printable(j.Name), s.difference(d))
			}
		}
		if j.Cut {
			s.tell("job %d (%s): it fires too often to compare all of it", j.ID, printable(j.Name))
		}
	}
	if all.Missing+all.Late+all.Doubled+all.Extra > told {
		s.tell("further differences: see -o json")
	}
	s.tell("from %s to %s: %s, %d matching (%d of them late), %d missing, %d doubled, %d extra; %s without a schedule",
		r.Since.In(s.Location).Format(time.RFC3339), r.Until.In(s.Location).Format(time.RFC3339), plural.Count(all.Slots, "slot"), all.Matching, all.Late,
		all.Missing, all.Doubled, all.Extra, plural.Count(s.manual, "job"))
	return nil
}

// difference says how a firing differs.
func (s *shadowing) difference(d xxlimport.Difference) string {
	at := func(i time.Time) string { return i.In(s.Location).Format(time.RFC3339) }
	switch d.Kind {
	case xxlimport.KindMissing:
		return "the firing of " + at(d.Slot) + " is missing there"
	case xxlimport.KindLate:
		return fmt.Sprintf("the firing of %s was %s late there (log %d)", at(d.Slot), d.Sent.Sub(d.Slot), d.Row)
	case xxlimport.KindDoubled:
		return fmt.Sprintf("it was fired once more at %s (log %d)", at(d.Sent), d.Row)
	}
	return fmt.Sprintf("it was fired at %s for no slot (log %d): by hand, by a parent, or by another schedule", at(d.Sent), d.Row)
}
