package jobedit

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/schedule"
)

// whenFlags holds the flags that define the schedule of a job.
type whenFlags struct {
	cron, daily, every, at []string
	after, in              time.Duration
	manual                 bool

	zone, dst   string
	from, until string
	count       int
	jitter      time.Duration
	calendars   []string
	excluded    kit.Choice
}

// kindFlags are the flags that each define a schedule. The first four can be repeated and
// combined.
var kindFlags = [...]string{"cron", "daily", "every", "at", "after", "in", "manual"}

// add defines the flags.
func (f *whenFlags) add(flags *pflag.FlagSet) {
	f.excluded = kit.NewChoice("", "skip", "shift")
	flags.StringArrayVar(&f.cron, "cron", nil, "cron `expression`: Quartz (second minute hour day-of-month month day-of-week [year]) or Unix (five fields); see 'orth cron explain'; may be repeated")
	flags.StringArrayVar(&f.daily, "daily", nil, "fire at an interval within a daily `window`: '09:00-18:00 MON-FRI every 5m'; may be repeated")
	flags.StringArrayVar(&f.every, "every", nil, "fire at a fixed rate, a `duration` such as 30s or 1h; may be repeated")
	flags.DurationVar(&f.after, "after", 0, "fire when the job is enabled, then with this delay after the end of each run")
	flags.StringArrayVar(&f.at, "at", nil, "fire once at this `time`, such as 2030-01-31T08:00:00+01:00; may be repeated")
	flags.DurationVar(&f.in, "in", 0, "fire once, with this delay after the job is enabled")
	flags.BoolVar(&f.manual, "manual", false, "run only when triggered")

	flags.StringVar(&f.zone, "zone", "", "IANA time `zone` of the schedule and of calendar days, such as Europe/Berlin (default UTC)")
	flags.StringVar(&f.dst, "dst", "", "`preset` for daylight saving changes: wall, or quartz as in XXL-JOB (default wall)")
	flags.StringVar(&f.from, "from", "", "start `time` of the schedule, inclusive")
	flags.StringVar(&f.until, "until", "", "end `time` of the schedule, exclusive")
	flags.IntVar(&f.count, "count", 0, "disable the job after this number of scheduled runs")
	flags.DurationVar(&f.jitter, "jitter", 0, "delay all firings of the job by a fixed offset below this value, to spread jobs with the same schedule")
	flags.StringArrayVar(&f.calendars, "calendar", nil, "`key` of a calendar that must allow the day; may be repeated")
	flags.Var(&f.excluded, "excluded", "handling of firings on excluded days: skip them, or shift them to the next allowed day (default skip)")
}

// schedule returns the schedule of the flags: one, or several combined.
func (f *whenFlags) schedule(flags *pflag.FlagSet) (api.Schedule, error) {
	zone, err := f.checkKinds(flags)
	if err != nil {
		return api.Schedule{}, err
	}
	when, err := f.bounds(flags, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	all, err := f.kinds(flags, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	when.Kind, when.Of = schedule.KindSeveral, all
	if len(all) == 1 {
		one := all[0]
		when.Kind, when.Of = one.Kind, nil
		when.Cron, when.DST, when.Daily, when.Every = one.Cron, one.DST, one.Daily, one.Every
		when.After, when.At, when.Delay = one.After, one.At, one.Delay
	}
	return when, timing.CheckSchedule(when)
}

// checkKinds rejects conflicting flags and returns the zone.
func (f *whenFlags) checkKinds(flags *pflag.FlagSet) (*time.Location, error) {
	var given []string
	for _, name := range kindFlags {
		if flags.Changed(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil, output.Usagef("one of --%s or --%s is required", strings.Join(kindFlags[:len(kindFlags)-1], ", --"), kindFlags[len(kindFlags)-1])
	}
	for _, alone := range kindFlags[4:] {
		switch {
		case !flags.Changed(alone) || len(given) == 1:
		case given[0] == alone:
			return nil, output.Usagef("--%s and --%s are mutually exclusive", given[0], given[1])
		default:
			return nil, output.Usagef("--%s and --%s are mutually exclusive: only --cron, --daily, --every and --at may be combined", given[0], alone)
		}
	}
	if n := len(f.cron) + len(f.daily) + len(f.every) + len(f.at); n > schedule.MaxSeveral {
		return nil, output.Usagef("at most %d schedules per job are allowed, got %d: create two jobs", schedule.MaxSeveral, n)
	}
	clock := len(f.cron)+len(f.daily) > 0
	times := append([]string{f.from, f.until}, f.at...)
	switch {
	case f.dst != "" && !clock:
		return nil, output.Usagef("--dst requires --cron or --daily")
	case f.zone != "" && !clock && len(f.calendars) == 0 && !timing.NeedsZone(times):
		return nil, output.Usagef("--zone requires --cron, --daily, --calendar, or a time without an offset")
	case f.excluded.Value != "" && len(f.calendars) == 0:
		return nil, output.Usagef("--excluded requires --calendar")
	}
	if f.manual {
		for _, name := range [...]string{"from", "until", "count", "jitter", "calendar"} {
			if flags.Changed(name) {
				return nil, output.Usagef("--%s cannot be combined with --manual: a manual job runs only when triggered", name)
			}
		}
	}
	zone, err := timing.Zones{}.Load(f.zone)
	if err != nil {
		return nil, timing.ExplainCronError("", err)
	}
	return zone, nil
}

// bounds returns a schedule with the fields that all kinds share.
func (f *whenFlags) bounds(flags *pflag.FlagSet, zone *time.Location) (api.Schedule, error) {
	start, err := timing.ParseFlag("from", f.from, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	end, err := timing.ParseFlag("until", f.until, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	switch {
	case !end.IsZero() && !end.After(start):
		return api.Schedule{}, output.Usagef("--until: must be after --from, got %s", f.until)
	case flags.Changed("count") && (f.count < 1 || f.count > schedule.MaxCount):
		return api.Schedule{}, output.Usagef("--count: must be between 1 and %d, got %d", schedule.MaxCount, f.count)
	case flags.Changed("jitter") && (f.jitter < time.Millisecond || f.jitter > schedule.MaxJitter):
		return api.Schedule{}, output.Usagef("--jitter: must be between 1ms and %s, got %s", timing.FormatDuration(schedule.MaxJitter), f.jitter)
	case len(f.calendars) > schedule.MaxCalendars:
		return api.Schedule{}, output.Usagef("--calendar: at most %d calendars are allowed, got %d", schedule.MaxCalendars, len(f.calendars))
	}
	return api.Schedule{
		Zone: f.zone, Start: api.At(start), End: api.At(end), Count: f.count, Jitter: api.Duration(f.jitter),
		Calendars: f.calendars, Excluded: schedule.Excluded(f.excluded.Word()),
	}, nil
}

// kinds returns a schedule for each flag that defines one.
func (f *whenFlags) kinds(flags *pflag.FlagSet, zone *time.Location) ([]api.Schedule, error) {
	var rules *api.DST
	if f.dst != "" {
		preset, err := timing.ParseDST(f.dst)
		if err != nil {
			return nil, timing.ExplainCronError("", err)
		}
		rules = &api.DST{Gap: preset.Gap, Overlap: preset.Overlap, Straight: preset.Straight}
	}
	var all []api.Schedule
	for _, expr := range f.cron {
		all = append(all, api.Schedule{Kind: schedule.KindCron, Cron: expr, DST: rules})
	}
	for _, window := range f.daily {
		all = append(all, api.Schedule{Kind: schedule.KindDaily, Daily: window, DST: rules})
	}
	for _, text := range f.every {
		period, err := time.ParseDuration(text)
		switch {
		case err != nil:
			return nil, output.Usagef("--every: %q is not a duration such as 30s or 1h30m", text)
		case period < schedule.MinEvery:
			return nil, output.Usagef("--every: must be at least %s, got %s", schedule.MinEvery, text)
		}
		all = append(all, api.Schedule{Kind: schedule.KindEvery, Every: api.Duration(period)})
	}
	for _, text := range f.at {
		at, err := timing.ParseFlag("at", text, zone)
		if err != nil {
			return nil, err
		}
		all = append(all, api.Schedule{Kind: schedule.KindOnce, At: api.At(at)})
	}
	switch {
	case len(all) > 0:
		return all, nil
	case f.manual:
		return []api.Schedule{{Kind: schedule.KindManual}}, nil
	case flags.Changed("in") && f.in < time.Millisecond:
		return nil, output.Usagef("--in: must be at least 1ms, got %s", f.in)
	case flags.Changed("in"):
		return []api.Schedule{{Kind: schedule.KindOnce, Delay: api.Duration(f.in)}}, nil
	case f.after < schedule.MinEvery:
		return nil, output.Usagef("--after: must be at least %s, got %s", schedule.MinEvery, f.after)
	}
	return []api.Schedule{{Kind: schedule.KindAfter, After: api.Duration(f.after)}}, nil
}
