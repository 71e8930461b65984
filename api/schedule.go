package api

import (
	"time"

	"github.com/orthd/orth/schedule"
)

// Schedule is when a job fires. Only the fields of its kind are set.
type Schedule struct {
	Kind   schedule.Kind `json:"kind" enum:"cron,every,after,daily,once,several,manual" doc:"cron: at wall times. every: at a fixed rate. after: a while after each run. daily: at a pace within a window of the day. once: one time. several: when one of several schedules does. manual: never by itself."`
	Cron   string        `json:"cron,omitempty" maxLength:"1024" example:"0 30 2 * * ?" doc:"A Quartz expression: second minute hour day-of-month month day-of-week [year]. With five fields a Unix one: minute hour day-of-month month day-of-week. Or a macro such as @daily."`
	Every  Duration      `json:"every,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"30s" doc:"The period of a fixed rate, at least 100ms."`
	Anchor Time          `json:"anchor,omitzero" format:"date-time" doc:"An instant on the grid of a fixed rate. Defaults to the moment of creation."`
	After  Duration      `json:"after,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"10m" doc:"The time from the end of a run to the next firing, at least 100ms. The first firing comes when the job is started."`
	Daily  string        `json:"daily,omitempty" maxLength:"200" example:"09:00-18:00 MON-FRI every 5m" doc:"A window of the day, optionally its days, and the pace."`
	At     Time          `json:"at,omitzero" format:"date-time" doc:"The instant of a single firing."`
	Delay  Duration      `json:"delay,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"10m" doc:"A single firing so long after the job is started."`
	Of     []Schedule    `json:"of,omitempty" maxItems:"16" nullable:"false" doc:"The schedules of several. Two that fire at the same instant fire once."`
	Zone   string        `json:"zone,omitempty" maxLength:"100" example:"Asia/Shanghai" doc:"The IANA name of the zone of wall times and of calendars' days; absent means UTC."`
	DST    *DST          `json:"dst,omitempty" doc:"What happens when the zone's clock steps. A new job without it gets gap fire_after, overlap first, straight; an old one has gap skip, overlap second."`

	Start     Time              `json:"start,omitzero" format:"date-time" doc:"No firing before."`
	End       Time              `json:"end,omitzero" format:"date-time" doc:"No firing from this instant on."`
	Count     int               `json:"count,omitempty" minimum:"0" maximum:"1000000000" doc:"Stops the job after so many runs of its schedule."`
	Jitter    Duration          `json:"jitter,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"5m" doc:"Moves all firings of the job later by one time below this, so that jobs of one time do not fire at once. At most 24h."`
	Calendars []string          `json:"calendars,omitempty" maxItems:"8" nullable:"false" doc:"The keys of calendars that must all allow the day of a firing."`
	Excluded  schedule.Excluded `json:"excluded,omitempty" enum:"skip,shift" doc:"The handling of a firing on a day that is not allowed. skip: it is dropped. shift: it moves to the next allowed day. Defaults to skip."`
}

// DST is what a schedule does when the clock of its zone steps.
type DST struct {
	Gap      schedule.GapRule     `json:"gap,omitempty" enum:"skip,fire_after,fire_before" doc:"For a time that the clock jumps over. Defaults to skip."`
	Overlap  schedule.OverlapRule `json:"overlap,omitempty" enum:"first,second,both" doc:"For a time that the clock shows twice. Defaults to second."`
	Straight bool                 `json:"straight,omitempty" doc:"An expression that keeps a pace through the day runs straight on in elapsed time."`
}

// MisfireLimits define when a firing counts as missed, and bound the firings that fire_all
// makes up for.
type MisfireLimits struct {
	Threshold Duration `json:"threshold,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"5s" doc:"How late a firing may come without being missed, at most 24h. Defaults to 5s."`
	Window    Duration `json:"window,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"6h" doc:"How far back missed firings are made up for. Defaults to no bound."`
	Max       int      `json:"max,omitempty" minimum:"0" maximum:"10000" doc:"How many are made up for, the newest. Defaults to 100."`
	Spacing   Duration `json:"spacing,omitzero" pattern:"^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$" patternDescription:"a duration such as 500ms, 30s or 1h30m" example:"2s" doc:"The time from the start of one to the start of the next, at most 1h. Defaults to none."`
}

// Firing is an instant at which a schedule fires, or would but for a calendar.
type Firing struct {
	At    Time   `json:"at" format:"date-time" doc:"When it fires; when it is dropped, when it would have."`
	Local string `json:"local" example:"2026-05-01 08:00:00 +08:00 Fri" doc:"The same on the clock of the schedule's zone."`
	// Named is absent when At is what the schedule names.
	Named    Time   `json:"named,omitzero" format:"date-time" doc:"The instant that the schedule names, when a calendar or the jitter has moved it."`
	Dropped  bool   `json:"dropped,omitempty" doc:"A calendar keeps it from firing."`
	Calendar string `json:"calendar,omitempty" doc:"The calendar that dropped or moved it."`
	Day      string `json:"day,omitempty" doc:"The occasion of the day that is not allowed."`
	Into     Time   `json:"into,omitzero" format:"date-time" doc:"The firing that a dropped one is one with: both would come at the same instant."`
}

// FiringList is what a schedule does next.
type FiringList struct {
	Firings  []Firing `json:"firings" nullable:"false"`
	Zone     string   `json:"zone" doc:"The zone of the local times."`
	Sentence string   `json:"sentence" doc:"The schedule in words, in the language that was asked for."`
	Warnings []string `json:"warnings,omitempty" nullable:"false" doc:"Properties that its author may not have intended, and where a calendar's data ends."`
	More     bool     `json:"more" doc:"Whether it fires again after these."`
}

// Timeline is when jobs fire, in order of key.
type Timeline struct {
	From  Time          `json:"from" format:"date-time" doc:"The beginning of minute 0."`
	Until Time          `json:"until" format:"date-time" doc:"Firings from this instant on are not included."`
	Jobs  []TimelineJob `json:"jobs" nullable:"false"`
	Next  string        `json:"next,omitempty" doc:"Where the next page starts; absent after the last one."`
}

// TimelineJob is when one job fires.
type TimelineJob struct {
	Namespace string `json:"namespace"`
	Key       string `json:"key"`
	Title     string `json:"title,omitempty"`
	Group     string `json:"group"`
	Zone      string `json:"zone,omitempty" example:"Europe/Berlin" doc:"The zone of its schedule; minutes are those of the timeline, wherever that is."`
	Minutes   []int  `json:"minutes" nullable:"false" doc:"The minutes after from in which it fires, from 0."`
	Counts    []int  `json:"counts" nullable:"false" doc:"How often it fires in each of them; 6 stands for six times or more."`
	Partly    bool   `json:"partly,omitempty" doc:"The firings after the last minute are not known: they depend on the end of a run, or are too many."`
	Problem   string `json:"problem,omitempty" doc:"Why the firings of its schedule are not known."`
}

// FiringQuestion asks what a schedule would do that no job has.
type FiringQuestion struct {
	Schedule Schedule `json:"schedule"`
	From     Time     `json:"from,omitzero" format:"date-time" doc:"Firings after this instant. Defaults to now."`
	Count    int      `json:"count,omitempty" minimum:"1" maximum:"1000" doc:"So many firings, with those that are dropped. Defaults to 20."`
	Language string   `json:"language,omitempty" enum:"en,zh" doc:"Of the sentence. Defaults to en."`
	JobKey   string   `json:"job_key,omitempty" doc:"The key of the job to be, on which the jitter depends."`
}

// localLayout shows an instant on the clock of its zone; fractions of a second
// only when there are any.
const localLayout = "2006-01-02 15:04:05.999 -07:00 Mon"

// FromSlot returns the slot as the API shows it, on the clock of the zone too.
func FromSlot(s schedule.Slot, zone *time.Location) Firing {
	f := Firing{
		At: At(s.At), Local: s.At.In(zone).Format(localLayout), Dropped: s.Dropped, Calendar: s.Calendar, Day: s.Day,
		Into: At(s.Into),
	}
	if !s.Named.Equal(s.At) {
		f.Named = At(s.Named)
	}
	return f
}

// FromSchedule returns the schedule as the API shows it.
func FromSchedule(s schedule.Spec) Schedule {
	of := make([]Schedule, len(s.Of))
	for i := range s.Of {
		of[i] = FromSchedule(s.Of[i])
	}
	if len(of) == 0 {
		of = nil
	}
	return Schedule{
		Kind: s.Kind, Cron: s.Cron, Every: Duration(s.Every), Anchor: At(s.Anchor), After: Duration(s.After),
		Daily: s.Daily, At: At(s.At), Delay: Duration(s.Delay), Of: of, Zone: s.Zone, DST: fromDST(s.DST),
		Start: At(s.Start), End: At(s.End), Count: s.Count, Jitter: Duration(s.Jitter), Calendars: s.Calendars,
		Excluded: s.Excluded,
	}
}

// Spec returns the schedule as the server keeps it. Nothing is checked and no
// default is filled in here.
func (s Schedule) Spec() schedule.Spec {
	of := make([]schedule.Spec, len(s.Of))
	for i := range s.Of {
		of[i] = s.Of[i].Spec()
	}
	if len(of) == 0 {
		of = nil
	}
	return schedule.Spec{
		Kind: s.Kind, Cron: s.Cron, Every: time.Duration(s.Every), Anchor: s.Anchor.Time, After: time.Duration(s.After),
		Daily: s.Daily, At: s.At.Time, Delay: time.Duration(s.Delay), Of: of, Zone: s.Zone, DST: s.DST.rules(),
		Start: s.Start.Time, End: s.End.Time, Count: s.Count, Jitter: time.Duration(s.Jitter), Calendars: s.Calendars,
		Excluded: s.Excluded,
	}
}

func fromDST(d *schedule.DST) *DST {
	if d == nil {
		return nil
	}
	return &DST{Gap: d.Gap, Overlap: d.Overlap, Straight: d.Straight}
}

func (d *DST) rules() *schedule.DST {
	if d == nil {
		return nil
	}
	return &schedule.DST{Gap: d.Gap, Overlap: d.Overlap, Straight: d.Straight}
}

func fromMisfireLimits(l schedule.MisfireLimits) MisfireLimits {
	return MisfireLimits{
		Threshold: Duration(l.Threshold), Window: Duration(l.Window), Max: l.Max, Spacing: Duration(l.Spacing),
	}
}

func (l MisfireLimits) limits() schedule.MisfireLimits {
	return schedule.MisfireLimits{
		Threshold: time.Duration(l.Threshold), Window: time.Duration(l.Window), Max: l.Max,
		Spacing: time.Duration(l.Spacing),
	}
}
