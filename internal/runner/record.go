package runner

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/orthd/orth/job"
)

// recordVersion is the version of the stored form of a task.
const recordVersion = 1

// record is the stored form of a task: the body of its item. It outlives the
// program, so names never change meaning. Times are milliseconds since 1970.
type record struct {
	Version     int               `json:"v"`
	Attempt     int64             `json:"attempt"`
	Job         int64             `json:"job"`
	Run         int64             `json:"run,omitempty"`
	Try         int               `json:"try,omitempty"`
	Kind        job.HandlerKind   `json:"kind"`
	Name        string            `json:"name,omitempty"`
	Source      string            `json:"source,omitempty"`
	SourceAt    *int64            `json:"source_at,omitempty"`
	Param       string            `json:"param,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Concurrency int               `json:"concurrency,omitempty"`
	Overlap     job.Overlap       `json:"overlap,omitempty"`
	TimeoutMS   int64             `json:"timeout_ms,omitempty"`
	TriggeredAt int64             `json:"triggered_at"`
	PlannedAt   *int64            `json:"planned_at,omitempty"`
	ShardIndex  int               `json:"shard_index,omitempty"`
	ShardTotal  int               `json:"shard_total,omitempty"`
	OnCrash     job.OnCrash       `json:"on_crash,omitempty"`
	Trace       string            `json:"trace,omitempty"`
}

func encode(t job.Task) ([]byte, error) {
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false) // scripts are full of < and &
	err := out.Encode(record{
		Version: recordVersion, Attempt: t.AttemptID, Job: t.JobID, Run: t.RunID, Try: t.Try,
		Kind: t.Handler.Kind, Name: t.Handler.Name,
		Source: t.Handler.Source, SourceAt: toMillis(t.Handler.SourceAt),
		Param: t.Param, Labels: t.Labels, Overlap: t.Overlap, Concurrency: t.Concurrency,
		TimeoutMS:   t.Timeout.Milliseconds(),
		TriggeredAt: t.TriggeredAt.UnixMilli(), PlannedAt: toMillis(t.PlannedAt),
		ShardIndex: t.ShardIndex, ShardTotal: t.ShardTotal, OnCrash: t.OnCrash, Trace: t.Trace,
	})
	return b.Bytes(), err
}

func decode(body []byte) (job.Task, error) {
	var r record
	if err := json.Unmarshal(body, &r); err != nil {
		return job.Task{}, err
	}
	if r.Version != recordVersion {
		return job.Task{}, fmt.Errorf("version %d is not known, %d is", r.Version, recordVersion)
	}
	if r.Attempt < 1 {
		return job.Task{}, fmt.Errorf("attempt %d is not positive", r.Attempt)
	}
	return job.Task{
		AttemptID: r.Attempt, JobID: r.Job, RunID: r.Run, Try: r.Try,
		Handler: job.Handler{
			Kind: r.Kind, Name: r.Name, Source: r.Source, SourceAt: fromMillis(r.SourceAt),
		},
		Param: r.Param, Labels: r.Labels, Overlap: r.Overlap, Concurrency: r.Concurrency,
		Timeout:     time.Duration(r.TimeoutMS) * time.Millisecond,
		TriggeredAt: time.UnixMilli(r.TriggeredAt).UTC(), PlannedAt: fromMillis(r.PlannedAt),
		ShardIndex: r.ShardIndex, ShardTotal: r.ShardTotal, OnCrash: r.OnCrash, Trace: r.Trace,
	}, nil
}

// toMillis keeps apart the zero time, which means none, and the year 1970.
func toMillis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

func fromMillis(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}
