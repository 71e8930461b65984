package importing

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/cutover"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/internal/terminal"
	"github.com/orthd/orth/internal/xxlimport"
	"github.com/orthd/orth/internal/xxlimport/database"
	"github.com/orthd/orth/job"
)

// maxShadow is the maximum duration of a comparison.
const maxShadow = 31 * 24 * time.Hour

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
	log, err := source.Log(ctx, f.tablePrefix)
	if err != nil {
		return err
	}
	s, err := f.begin(ctx, t, log)
	if err != nil {
		return err
	}
	bar := terminal.NewBar(t.Stderr)
	s.Show = bar.Show
	err = s.Follow(ctx)
	bar.Clear()
	if err != nil && ctx.Err() == nil {
		return err
	}
	r := s.Report()
	err = t.Show(r, func() error { return printComparison(t, s, &r) })
	if err == nil && !r.Agrees {
		return kit.ErrShown
	}
	return err
}

// begin starts the comparison that the flags describe.
func (f *shadowFlags) begin(ctx context.Context, t *kit.Tool, log *database.Log) (*cutover.Comparison, error) {
	plans, err := log.Plans(ctx)
	if err != nil {
		return nil, err
	}
	c := cutover.CompareConfig{
		Groups: f.groups, Length: f.length, Tolerance: f.tolerance, Late: f.late, Strict: f.strict, Rate: f.rate, Poll: t.Poll,
	}
	if c.Zone, err = f.zoneOf(t, plans.Zone, plans.ZoneFrom); err != nil {
		return nil, err
	}
	if c.LogZone, err = time.LoadLocation(kit.FirstOf(f.logZone, c.Zone)); err != nil {
		return nil, output.Usagef("--log-zone, --zone: unknown time zone %q", kit.FirstOf(f.logZone, c.Zone))
	}
	if f.since != "" {
		at, err := kit.ParsePast("since", f.since, t.Location)
		if err != nil {
			return nil, err
		}
		c.Since = at.UTC()
	} else if f.length == 0 {
		c.Length = time.Hour
	}
	s, err := cutover.Begin(ctx, log, plans, c)
	if err != nil {
		return nil, err
	}
	if !c.Since.IsZero() && s.Since.After(c.Since) {
		t.PrintNote("The log starts at %s; earlier firings cannot be compared.", s.Since.In(t.Location).Format(time.RFC3339))
	}
	scheduled, manual := s.Jobs()
	if scheduled+manual == 0 {
		return nil, job.Errorf(job.NotFound, "no jobs to compare in %s", kit.FirstOf(strings.Join(f.groups, ", "), "the database"))
	}
	t.PrintNote("Comparing %s since %s; cron expressions in %s, log times in %s.", plural.Count(scheduled, "job"),
		s.Since.In(t.Location).Format(time.RFC3339), s.Zone, s.LogZone)
	return s, nil
}

const (
	maxPrintedPerJob = 5  // per job
	maxPrinted       = 50 // in total
)

// printComparison prints the result for people.
func printComparison(t *kit.Tool, s *cutover.Comparison, r *cutover.ComparisonResult) error {
	_, manual := s.Jobs()
	rows := make([][]string, len(r.Jobs))
	var all xxlimport.Verdict
	for i := range r.Jobs {
		j := &r.Jobs[i]
		rows[i] = []string{
			j.Group, fmt.Sprint(j.ID), output.Printable(j.Name), j.Status, fmt.Sprint(j.Slots), fmt.Sprint(j.Matching), fmt.Sprint(j.Late), fmt.Sprint(j.Missing),
			fmt.Sprint(j.Doubled), fmt.Sprint(j.Extra), fmt.Sprint(j.Retries), fmt.Sprintf("%ds", j.Latest), j.Since.In(t.Location).Format(time.RFC3339), output.OneLine(j.Problem),
		}
		all.Slots, all.Matching, all.Late, all.Missing = all.Slots+j.Slots, all.Matching+j.Matching, all.Late+j.Late, all.Missing+j.Missing
		all.Doubled, all.Extra = all.Doubled+j.Doubled, all.Extra+j.Extra
	}
	if err := t.PrintTable("GROUP ID JOB STATUS SLOTS MATCHING LATE MISSING DUPLICATE EXTRA | RETRIES LATEST SINCE PROBLEM", rows); err != nil {
		return err
	}
	printed := 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		if j.Problem != "" {
			t.PrintNote("job %d (%s): %s", j.ID, output.Printable(j.Name), output.Printable(j.Problem))
		}
		for _, d := range j.Differences[:min(len(j.Differences), maxPrintedPerJob)] {
			if printed++; printed <= maxPrinted {
				t.PrintNote("job %d (%s): %s", j.ID, output.Printable(j.Name), difference(t, d))
			}
		}
		if j.Cut {
			t.PrintNote("job %d (%s): it fires too often for a complete comparison", j.ID, output.Printable(j.Name))
		}
	}
	if all.Missing+all.Late+all.Doubled+all.Extra > printed {
		t.PrintNote("More differences exist; use -o json.")
	}
	t.PrintNote("from %s to %s: %s, %d matching (%d of them late), %d missing, %d duplicate, %d extra; %s without a schedule",
		r.Since.In(t.Location).Format(time.RFC3339), r.Until.In(t.Location).Format(time.RFC3339), plural.Count(all.Slots, "slot"), all.Matching, all.Late,
		all.Missing, all.Doubled, all.Extra, plural.Count(manual, "job"))
	return nil
}

// difference describes a difference.
func difference(t *kit.Tool, d xxlimport.Difference) string {
	at := func(i time.Time) string { return i.In(t.Location).Format(time.RFC3339) }
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
