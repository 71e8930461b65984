package importing

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

const (
	// settleFor is the minimum age of a processed log row: the old server completes a row
	// when the executor has responded.
	settleFor = 10 * time.Second
	// plansFor is the interval between two reads of the schedules.
	plansFor = time.Minute
	// maxShadow is the maximum duration of a comparison.
	maxShadow = 31 * 24 * time.Hour
	// shadowPage is the number of log rows per request.
	shadowPage = 1000
)

// shadowFlags holds the flags of a comparison.
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

// NewShadowCommand returns the command orth shadow.
func NewShadowCommand(t *kit.Tool) *cobra.Command {
	f := shadowFlags{}
	cmd := &cobra.Command{
		Use: "shadow", Short: "Compare the firings of a running XXL-JOB with those of Orth", Args: cobra.NoArgs,
		Long: "Compare the logged firings of a running XXL-JOB (2.2 to 3.5) or Java Orth with the firings that Orth would create for\n" +
			"the same jobs: matching, missing, late, duplicate or without a slot. The command reads the database page by page in\n" +
			"read-only sessions and needs no Orth server.\n\n" +
			"Without --since it watches for the time of --for and prints the result at the end or at Ctrl-C. With --since it\n" +
			"compares a past time range, as far as the log reaches, and continues to watch only with --for.\n\n" +
			"The exit code is 1 for a missing or duplicate firing or an unreadable schedule; with --strict for any difference.\n" +
			"See docs/import.md for the definitions.",
		Example: "  orth shadow --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --since 24h\n" +
			"  orth shadow --dsn 'reader@tcp(db:3306)/xxl_job' --password-file password --zone Asia/Shanghai --for 24h --group reports -o json",
		RunE: func(cmd *cobra.Command, _ []string) error { return shadow(cmd.Context(), t, &f) },
	}
	f.oldServer.add(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.groups, "group", nil, "only jobs of this `group`, by its app name; may be repeated")
	flags.StringVar(&f.since, "since", "", "start `time` of the comparison: 24h, or 2030-01-31T08:00:00Z")
	flags.DurationVar(&f.length, "for", 0, "time to watch from now on (default 1h without --since)")
	flags.StringVar(&f.logZone, "log-zone", "", "time `zone` of the log (default that of --zone)")
	flags.DurationVar(&f.tolerance, "tolerance", xxlimport.DefaultTolerance, "maximum delay of a logged firing to match its slot")
	flags.DurationVar(&f.late, "late", xxlimport.DefaultLate, "delay above which a firing is reported as late")
	flags.IntVar(&f.rate, "rate", 5000, "maximum log rows to read per second")
	flags.BoolVar(&f.strict, "strict", false, "also exit with code 1 for late and extra firings")
	t.OutputFlags(flags)
	return cmd
}

// shadowJob is the report of one job.
type shadowJob struct {
	ID     int64     `json:"id"`
	Group  string    `json:"group"`
	Name   string    `json:"name"`
	Since  time.Time `json:"since_at"`
	Status string    `json:"status"` // compared, stopped, unreadable
	xxlimport.Verdict
	Problem string `json:"problem,omitempty"`
}

// shadowReport is the result of a comparison.
type shadowReport struct {
	Since   time.Time   `json:"since_at"`
	Until   time.Time   `json:"until_at"`
	Zone    string      `json:"zone"`
	LogZone string      `json:"log_zone"`
	Agrees  bool        `json:"agrees"`
	Jobs    []shadowJob `json:"jobs"`
}

// shadowing is a running comparison.
type shadowing struct {
	*kit.Tool

	flags       *shadowFlags
	log         *database.Log
	zone        string
	logZone     *time.Location
	ahead       time.Duration // offset of the database clock from this machine
	since, end  time.Time
	after       int64 // id of the last processed log row
	until       time.Time
	planned     time.Time // time of the last read of the schedules
	jobs        map[int64]*shadowed
	manual, all int
}

// shadowed is one job in the comparison.
type shadowed struct {
	shadowJob

	judge *xxlimport.Judge
}

func (f *shadowFlags) check() error {
	switch {
	case f.length < 0 || f.length > maxShadow:
		return output.Usagef("--for: must be between 0 and %s, got %s", timing.FormatDuration(maxShadow), f.length)
	case f.tolerance < time.Second || f.tolerance > time.Hour:
		return output.Usagef("--tolerance: must be between 1s and 1h, got %s", f.tolerance)
	case f.late < 0 || f.late > f.tolerance:
		return output.Usagef("--late: must be between 0 and the tolerance, got %s", f.late)
	case f.rate < 1 || f.rate > 1_000_000:
		return output.Usagef("--rate: must be between 1 and 1000000, got %d", f.rate)
	}
	return nil
}

func shadow(ctx context.Context, t *kit.Tool, f *shadowFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	source, err := f.open(t)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	s := shadowing{Tool: t, flags: f, jobs: map[int64]*shadowed{}}
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

// begin reads the jobs and the start of the comparison.
func (s *shadowing) begin(ctx context.Context) error {
	plans, err := s.log.Plans(ctx)
	if err != nil {
		return err
	}
	if s.zone, err = s.flags.zoneOf(s.Tool, plans.Zone, plans.ZoneFrom); err != nil {
		return err
	}
	if s.logZone, err = time.LoadLocation(kit.FirstOf(s.flags.logZone, s.zone)); err != nil {
		return output.Usagef("--log-zone, --zone: unknown time zone %q", kit.FirstOf(s.flags.logZone, s.zone))
	}
	s.ahead = time.Until(plans.Now)
	now := s.now()
	s.since = now
	if s.flags.since != "" {
		at, err := kit.ParsePast("since", s.flags.since, s.Location)
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
		s.PrintNote("The log starts at %s; earlier firings cannot be compared.", first.In(s.Location).Format(time.RFC3339))
	}
	s.until = s.since
	s.take(plans)
	if s.all == 0 {
		return job.Errorf(job.NotFound, "no jobs to compare in %s", kit.FirstOf(strings.Join(s.flags.groups, ", "), "the database"))
	}
	s.PrintNote("Comparing %s since %s; cron expressions in %s, log times in %s.", plural.Count(len(s.jobs), "job"),
		s.since.In(s.Location).Format(time.RFC3339), s.zone, s.logZone)
	return nil
}

// now returns the time of the database clock.
func (s *shadowing) now() time.Time { return time.Now().Add(s.ahead).UTC() }

// take records the schedules from now on.
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
			one.Status, one.Problem = "stopped", "the job no longer exists"
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
			one.Since = p.Changed // earlier schedules are unknown
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
		one.Problem = "it fires after the end of its previous run: its slots cannot be predicted"
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

// follow reads the log until the end of the comparison or of ctx.
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

// sent passes rows to their jobs, up to the first one that is too new, and returns their
// number.
func (s *shadowing) sent(rows []xxlimport.Row) int {
	now := s.now()
	var last []time.Time // times of processed rows, without future ones
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

// trusted is the number of rows at the end of a page whose earliest time determines how
// far the log is read: a single time may be wrong.
const trusted = 20

// settle compares everything up to an instant.
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

// inShort summarizes the current result.
func (s *shadowing) inShort() string {
	var all xxlimport.Verdict
	for _, one := range s.jobs {
		v := one.judge.Verdict()
		all.Slots, all.Missing, all.Doubled = all.Slots+v.Slots, all.Missing+v.Missing, all.Doubled+v.Doubled
	}
	return fmt.Sprintf("%s, %d missing, %d duplicate", plural.Count(all.Slots, "slot"), all.Missing, all.Doubled)
}

// wait pauses, and returns the cause when ctx ends first.
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

// report prints the result.
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
	err := s.Show(r, func() error { return s.tellShadow(&r) })
	if err == nil && !r.Agrees {
		return kit.ErrShown
	}
	return err
}

// differing returns the number of differences of a job, for sorting.
func differing(j *shadowJob) int { return 2*(j.Missing+j.Doubled) + j.Late + j.Extra }

const (
	maxPrintedPerJob = 5  // per job
	maxPrinted       = 50 // in total
)

func (s *shadowing) tellShadow(r *shadowReport) error {
	rows := make([][]string, len(r.Jobs))
	var all xxlimport.Verdict
	for i := range r.Jobs {
		j := &r.Jobs[i]
		rows[i] = []string{
			j.Group, fmt.Sprint(j.ID), output.Printable(j.Name), j.Status, fmt.Sprint(j.Slots), fmt.Sprint(j.Matching), fmt.Sprint(j.Late), fmt.Sprint(j.Missing),
			fmt.Sprint(j.Doubled), fmt.Sprint(j.Extra), fmt.Sprint(j.Retries), fmt.Sprintf("%ds", j.Latest), j.Since.In(s.Location).Format(time.RFC3339), output.OneLine(j.Problem),
		}
		all.Slots, all.Matching, all.Late, all.Missing = all.Slots+j.Slots, all.Matching+j.Matching, all.Late+j.Late, all.Missing+j.Missing
		all.Doubled, all.Extra = all.Doubled+j.Doubled, all.Extra+j.Extra
	}
	if err := s.PrintTable("GROUP ID JOB STATUS SLOTS MATCHING LATE MISSING DUPLICATE EXTRA | RETRIES LATEST SINCE PROBLEM", rows); err != nil {
		return err
	}
	printed := 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Problem != "" {
			s.PrintNote("job %d (%s): %s", j.ID, output.Printable(j.Name), output.Printable(j.Problem))
		}
		for _, d := range j.Differences[:min(len(j.Differences), maxPrintedPerJob)] {
			if printed++; printed <= maxPrinted {
				s.PrintNote("job %d (%s): %s", j.ID, output.Printable(j.Name), s.difference(d))
			}
		}
		if j.Cut {
			s.PrintNote("job %d (%s): it fires too often for a complete comparison", j.ID, output.Printable(j.Name))
		}
	}
	if all.Missing+all.Late+all.Doubled+all.Extra > printed {
		s.PrintNote("More differences exist; use -o json.")
	}
	s.PrintNote("from %s to %s: %s, %d matching (%d of them late), %d missing, %d duplicate, %d extra; %s without a schedule",
		r.Since.In(s.Location).Format(time.RFC3339), r.Until.In(s.Location).Format(time.RFC3339), plural.Count(all.Slots, "slot"), all.Matching, all.Late,
		all.Missing, all.Doubled, all.Extra, plural.Count(s.manual, "job"))
	return nil
}

// difference describes a difference.
func (s *shadowing) difference(d xxlimport.Difference) string {
	at := func(i time.Time) string { return i.In(s.Location).Format(time.RFC3339) }
	switch d.Kind {
	case xxlimport.KindMissing:
		return "the firing at " + at(d.Slot) + " is missing there"
	case xxlimport.KindLate:
		return fmt.Sprintf("the firing at %s was %s late there (log %d)", at(d.Slot), d.Sent.Sub(d.Slot), d.Row)
	case xxlimport.KindDoubled:
		return fmt.Sprintf("it fired again at %s (log %d)", at(d.Sent), d.Row)
	}
	return fmt.Sprintf("it fired at %s without a slot (log %d): manually, by a parent, or by another schedule", at(d.Sent), d.Row)
}
