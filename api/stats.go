package api

import (
	"time"

	"github.com/orthd/orth/job"
)

// Stats is what ended on the days of a time.
type Stats struct {
	From  string     `json:"from" format:"date" doc:"The first day."`
	To    string     `json:"to" format:"date" doc:"The last day."`
	Days  []DayStats `json:"days" nullable:"false" doc:"Every day of the time, the first one first."`
	Total Figures    `json:"total" doc:"All days together."`
}

// DayStats is what ended on one day.
type DayStats struct {
	Day string `json:"day" format:"date" doc:"The day, UTC."`
	Figures
}

// Figures count what ended.
type Figures struct {
	Runs      int64 `json:"runs" doc:"Runs that ended, whatever their state."`
	Succeeded int64 `json:"succeeded"`
	Failed    int64 `json:"failed"`
	TimedOut  int64 `json:"timed_out"`
	Cancelled int64 `json:"cancelled"`
	Lost      int64 `json:"lost"`
	Skipped   int64 `json:"skipped"`
	Attempts  int64 `json:"attempts" doc:"Attempts that ended, those that were tried again too."`

	SuccessRate *float64 `json:"success_rate,omitempty" minimum:"0" maximum:"1" doc:"The share of the runs that succeeded, without those that were cancelled or skipped; absent when there are none."`
	MeanTook    Duration `json:"mean_took,omitzero" example:"1.5s" doc:"The mean duration of an attempt whose handler ended, or met its time limit."`
	MaxTook     Duration `json:"max_took,omitzero" example:"1.5s" doc:"The longest one."`
	MeanLate    Duration `json:"mean_late,omitzero" example:"12ms" doc:"How long after it was due an attempt was sent, in the mean."`
	MaxLate     Duration `json:"max_late,omitzero" example:"12ms" doc:"The latest one."`
}

// FromStats returns the days, which are in order, as the API shows them.
func FromStats(days []job.Stats) Stats {
	shown := Stats{Days: make([]DayStats, len(days))}
	var total job.Stats
	for i, d := range days {
		shown.Days[i] = DayStats{Day: date(d.Day), Figures: figures(d)}
		total.Add(d)
	}
	if n := len(days); n > 0 {
		shown.From, shown.To = date(days[0].Day), date(days[n-1].Day)
	}
	shown.Total = figures(total)
	return shown
}

func date(day time.Time) string { return day.UTC().Format(time.DateOnly) }

func figures(s job.Stats) Figures {
	f := Figures{
		Runs: s.Runs(), Succeeded: s.Succeeded, Failed: s.Failed, TimedOut: s.TimedOut, Cancelled: s.Cancelled,
		Lost: s.Lost, Skipped: s.Skipped, Attempts: s.Attempts,
		MeanTook: Duration(s.MeanTook()), MaxTook: Duration(s.TookMax),
		MeanLate: Duration(s.MeanLate()), MaxLate: Duration(s.LateMax),
	}
	if rate, ok := s.Rate(); ok {
		f.SuccessRate = &rate
	}
	return f
}
