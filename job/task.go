package job

import "time"

// NewTask makes the Task of an Attempt from its Job and Run. The shard is 0 of 1 unless the
// run is one of a broadcast. The param of the run, when it has one, overrides the job's;
// for a job with inputs it is that of the run alone, to be filled in by [Job.FillTask]
// before anything else.
func NewTask(j *Job, r *Run, a *Attempt) Task {
	param := j.Param
	if len(j.Inputs) > 0 {
		param = ""
	}
	if r.Param != nil {
		param = *r.Param
	}
	return Task{
		AttemptID:   a.ID,
		JobID:       r.TaskJobID(),
		RunID:       r.ID,
		Try:         a.Number,
		Handler:     j.Handler,
		Param:       param,
		Labels:      j.Labels,
		Overlap:     overlapOf(j, r, a),
		Concurrency: max(j.Concurrency, 1),
		Timeout:     j.Timeout,
		TriggeredAt: a.TriggeredAt,
		PlannedAt:   r.PlannedAt,
		ShardIndex:  r.Shard.Index,
		ShardTotal:  max(r.Shard.Total, 1),
		OnCrash:     j.OnCrash,
		LogsOff:     j.Logs.Off,
	}
}

// Millis returns t as milliseconds since the Unix epoch, and 0 for the zero
// time: the form in which instants are stored and sent.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMillis is the reverse of [Millis], in UTC.
func FromMillis(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
