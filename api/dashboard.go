package api

// Dashboard is what went on in a time, and what goes on now, within what the caller
// sees.
type Dashboard struct {
	At    Time   `json:"at" format:"date-time" doc:"When it was counted. The same query is answered from memory for a second, and for longer when counting takes long."`
	Range string `json:"range" enum:"1h,24h,7d,30d,today,yesterday,this_week,last_week,this_month,last_month"`
	Zone  string `json:"zone" example:"Europe/Berlin" doc:"The zone in whose days the buckets are cut."`

	Buckets []DashboardBucket `json:"buckets" nullable:"false" doc:"The time in pieces, the oldest first, without a gap; the last one is not over yet."`
	Total   SpreadFigures     `json:"total" doc:"All buckets together."`
	Lag     Lag               `json:"lag" doc:"How late attempts were sent, of those that ended within the last hour."`

	Failing   []FailingJob     `json:"failing" nullable:"false" doc:"The jobs with the most runs that ended badly in the time, at most 10, the worst first."`
	Partly    bool             `json:"partly,omitempty" doc:"Whether there were more bad runs than are looked at: then failing counts the newest 5,000 of each bad state, over all that there are."`
	Backlog   []GroupBacklog   `json:"backlog" nullable:"false" doc:"The groups whose runs are due and wait, the one with the oldest first, at most 100."`
	Firings   []NextFiring     `json:"firings" nullable:"false" doc:"The firings of the next hour, at most 50, the earliest first."`
	Executors ExecutorFigures  `json:"executors"`
	Groups    []GroupExecutors `json:"groups" nullable:"false" doc:"The executors by group, in order of key, at most 1,000 groups."`
}

// DashboardBucket is what ended in a piece of a time.
type DashboardBucket struct {
	From Time `json:"from" format:"date-time" doc:"Its beginning."`
	To   Time `json:"to" format:"date-time" doc:"Its end, which is not part of it."`
	SpreadFigures
}

// SpreadFigures count ended runs, with the distribution of their durations.
type SpreadFigures struct {
	Figures
	TookP50 Duration `json:"took_p50,omitzero" example:"1.5s" doc:"Half of the attempts whose handler ended, or met its time limit, took no longer. An estimate: as a rule close, off by a factor of two at worst. Absent when there were none."`
	TookP95 Duration `json:"took_p95,omitzero" example:"1.5s" doc:"95 of 100 of them took no longer."`
}

// Lag is the delay from when attempts were due to when they were sent.
type Lag struct {
	Attempts int64    `json:"attempts" doc:"How many they are."`
	P50      Duration `json:"p50" example:"12ms" doc:"Half of them were sent within it. An estimate, as those of durations are."`
	P99      Duration `json:"p99" example:"80ms" doc:"99 of 100 were."`
	Max      Duration `json:"max" example:"200ms" doc:"The latest one."`
}

// FailingJob is a job whose runs ended badly.
type FailingJob struct {
	Namespace string `json:"namespace"`
	Group     string `json:"group"`
	JobID     int64  `json:"job_id"`
	JobKey    string `json:"job_key"`
	Runs      int    `json:"runs" doc:"How many of its runs failed, timed out or were lost."`
	LastRunID ID     `json:"last_run_id" pattern:"^[0-9]+$" doc:"The newest of them."`
	LastState string `json:"last_state" enum:"failed,timed_out,lost"`
	LastAt    Time   `json:"last_at" format:"date-time" doc:"When that one ended."`
	Reason    string `json:"reason,omitempty" doc:"The message of its end, at most 200 characters."`
}

// GroupBacklog is what waits for the executors of a group.
type GroupBacklog struct {
	Namespace string `json:"namespace" doc:"The namespace of the jobs."`
	Group     string `json:"group"`
	Waiting   int    `json:"waiting" doc:"Runs that are due and wait, counted to 100,000 over all groups."`
	OldestAt  Time   `json:"oldest_at" format:"date-time" doc:"Since when the first of them is due."`
}

// NextFiring is a firing to come.
type NextFiring struct {
	At        Time   `json:"at" format:"date-time"`
	Namespace string `json:"namespace"`
	Group     string `json:"group"`
	JobID     int64  `json:"job_id"`
	JobKey    string `json:"job_key"`
}

// GroupExecutors counts the executors of a group.
type GroupExecutors struct {
	Group string `json:"group"`
	ExecutorFigures
}
