package cli

import (
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/schedule"
)

// whenFlags are the flags that say when a job fires.
type whenFlags struct {
	cron, daily, every, at []string
	after, in              time.Duration
	manual                 bool

	zone, dst   string
	from, until string
	count       int
	jitter      time.Duration
	calendars   []string
	excluded    choice
}

// kindFlags are the flags of which each makes a schedule. The first four may be
// repeated and combined.
var kindFlags = [...]string{"cron", "daily", "every", "at", "after", "in", "manual"}

// add defines the flags.
func (f *whenFlags) add(flags *pflag.FlagSet) {
	f.excluded = newChoice("", "skip", "shift")
	flags.StringArrayVar(&f.cron, "cron", nil, "fire at wall times: a Quartz `expression` of second minute hour day-of-month month day-of-week [year], or a Unix one of five fields; see 'orth cron explain'; may be repeated")
	flags.StringArrayVar(&f.daily, "daily", nil, "fire at a pace within a `window` of the day: '09:00-18:00 MON-FRI every 5m'; may be repeated")
	flags.StringArrayVar(&f.every, "every", nil, "fire at a fixed rate: a `duration` such as 30s or 1h; may be repeated")
	flags.DurationVar(&f.after, "after", 0, "fire when the job is started, and then so long after the end of each run")
	flags.StringArrayVar(&f.at, "at", nil, "fire once at this `time`, such as 2030-01-31T08:00:00+01:00; may be repeated")
	flags.DurationVar(&f.in, "in", 0, "fire once, so long after the job is started")
	flags.BoolVar(&f.manual, "manual", false, "never fire by itself, only when triggered")

	flags.StringVar(&f.zone, "zone", "", "IANA `zone` of wall times and of the days of calendars, such as Europe/Berlin (default UTC)")
	flags.StringVar(&f.dst, "dst", "", "`preset` for steps of the zone's clock: wall or quartz, as XXL-JOB does it (default wall)")
	flags.StringVar(&f.from, "from", "", "no firing before this `time`")
	flags.StringVar(&f.until, "until", "", "no firing from this `time` on")
	flags.IntVar(&f.count, "count", 0, "stop the job after so many runs of its schedule")
	flags.DurationVar(&f.jitter, "jitter", 0, "move all firings of the job later by one time below this, so that jobs of one time are spread")
	flags.StringArrayVar(&f.calendars, "calendar", nil, "`key` of a calendar that must allow the day; may be repeated")
	flags.Var(&f.excluded, "excluded", "what becomes of a firing on a day that is not allowed: it falls away, or moves to the next allowed day (default skip)")
}

// schedule makes the schedule that the flags describe: one, or several in one.
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
	return when, checkWhen(when)
}

// checkKinds refuses flags that do not go together, and returns the zone.
func (f *whenFlags) checkKinds(flags *pflag.FlagSet) (*time.Location, error) {
	var given []string
	for _, name := range kindFlags {
		if flags.Changed(name) {
			given = append(given, name)
		}
	}
	if len(given) == 0 {
		return nil, usagef("name one of --%s or --%s", strings.Join(kindFlags[:len(kindFlags)-1], ", --"), kindFlags[len(kindFlags)-1])
	}
	for _, alone := range kindFlags[4:] {
		switch {
		case !flags.Changed(alone) || len(given) == 1:
		case given[0] == alone:
			return nil, usagef("--%s and --%s exclude each other", given[0], given[1])
		default:
			return nil, usagef("--%s and --%s exclude each other: only --cron, --daily, --every and --at may be combined", given[0], alone)
		}
	}
	if n := len(f.cron) + len(f.daily) + len(f.every) + len(f.at); n > schedule.MaxSeveral {
		return nil, usagef("%d schedules are more than the %d that a job may have: make two jobs", n, schedule.MaxSeveral)
	}
	clock := len(f.cron)+len(f.daily) > 0
	times := append([]string{f.from, f.until}, f.at...)
	switch {
	case f.dst != "" && !clock:
		return nil, usagef("--dst is only for --cron and --daily")
	case f.zone != "" && !clock && len(f.calendars) == 0 && !anyOnClock(times):
		return nil, usagef("--zone is only for --cron, --daily and --calendar, and for times without an offset")
	case f.excluded.value != "" && len(f.calendars) == 0:
		return nil, usagef("--excluded means nothing without --calendar")
	}
	if f.manual {
		for _, name := range [...]string{"from", "until", "count", "jitter", "calendar"} {
			if flags.Changed(name) {
				return nil, usagef("--%s is not for --manual: such a job only runs when it is triggered", name)
			}
		}
	}
	zone, err := zoneCache{}.load(f.zone)
	if err != nil {
		return nil, cronUsage("", err)
	}
	return zone, nil
}

// anyOnClock reports whether one of the times is one on a clock.
func anyOnClock(times []string) bool {
	for _, text := range times {
		if text != "" && !hasOffset(text) {
			return true
		}
	}
	return false
}

// bounds makes a schedule of what holds for each kind.
func (f *whenFlags) bounds(flags *pflag.FlagSet, zone *time.Location) (api.Schedule, error) {
	start, err := instant("from", f.from, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	end, err := instant("until", f.until, zone)
	if err != nil {
		return api.Schedule{}, err
	}
	switch {
	case !end.IsZero() && !end.After(start):
		return api.Schedule{}, usagef("--until: %s is not after --from", f.until)
	case flags.Changed("count") && (f.count < 1 || f.count > schedule.MaxCount):
		return api.Schedule{}, usagef("--count: %d is not between 1 and %d", f.count, schedule.MaxCount)
	case flags.Changed("jitter") && (f.jitter < time.Millisecond || f.jitter > schedule.MaxJitter):
		return api.Schedule{}, usagef("--jitter: %s is not between 1ms and %s", f.jitter, shortTime(schedule.MaxJitter))
	case len(f.calendars) > schedule.MaxCalendars:
		return api.Schedule{}, usagef("--calendar: %d calendars are more than the %d that a job may name", len(f.calendars), schedule.MaxCalendars)
	}
	return api.Schedule{
		Zone: f.zone, Start: api.At(start), End: api.At(end), Count: f.count, Jitter: api.Duration(f.jitter),
		Calendars: f.calendars, Excluded: schedule.Excluded(f.excluded.word()),
	}, nil
}

// kinds makes a schedule of each flag that is one.
func (f *whenFlags) kinds(flags *pflag.FlagSet, zone *time.Location) ([]api.Schedule, error) {
	var rules *api.DST
	if f.dst != "" {
		preset, err := readDST(f.dst)
		if err != nil {
			return nil, cronUsage("", err)
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
			return nil, usagef("--every: %q is no duration: write it such as 30s or 1h30m", text)
		case period < schedule.MinEvery:
			return nil, usagef("--every: %s is shorter than %s", text, schedule.MinEvery)
		}
		all = append(all, api.Schedule{Kind: schedule.KindEvery, Every: api.Duration(period)})
	}
	for _, text := range f.at {
		at, err := instant("at", text, zone)
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
		return nil, usagef("--in: %s is shorter than 1ms", f.in)
	case flags.Changed("in"):
		return []api.Schedule{{Kind: schedule.KindOnce, Delay: api.Duration(f.in)}}, nil
	case f.after < schedule.MinEvery:
		return nil, usagef("--after: %s is shorter than %s", f.after, schedule.MinEvery)
	}
	return []api.Schedule{{Kind: schedule.KindAfter, After: api.Duration(f.after)}}, nil
}
