// Package taskrecord writes and reads the form in which tasks are kept on the disk of an
// executor.
//
// It knows the names and versions of that form. It must never know queues or handlers.
// Tasks go in and bytes out, and back.
package taskrecord

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/orthd/orth/job"
)

// recordVersion is the version of the stored form of a task.
const recordVersion = 1

// record is the stored form of a task: the body of its item. It outlives the
// program, so names never change meaning. Times are milliseconds since 1970; one that
// is not there is none.
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
	StartAt     *int64            `json:"start_at,omitempty"`
	ShardIndex  int               `json:"shard_index,omitempty"`
	ShardTotal  int               `json:"shard_total,omitempty"`
	OnCrash     job.OnCrash       `json:"on_crash,omitempty"`
	Trace       string            `json:"trace,omitempty"`
}

// Encode makes the stored form of a task, byte for byte what encoding/json makes of its
// record: every task that is accepted pays for it.
func Encode(t job.Task) []byte {
	b := make([]byte, 0, recordRoom+len(t.Handler.Source)+len(t.Param))
	b = appendNumber(b, `{"v":`, recordVersion)
	b = appendNumber(b, `,"attempt":`, t.AttemptID)
	b = appendNumber(b, `,"job":`, t.JobID)
	b = appendSome(b, `,"run":`, t.RunID)
	b = appendSome(b, `,"try":`, int64(t.Try))
	b = appendText(append(b, `,"kind":`...), string(t.Handler.Kind))
	b = appendWords(b, `,"name":`, t.Handler.Name)
	b = appendWords(b, `,"source":`, t.Handler.Source)
	b = appendInstant(b, `,"source_at":`, t.Handler.SourceAt)
	b = appendWords(b, `,"param":`, t.Param)
	b = appendLabels(b, `,"labels":`, t.Labels)
	b = appendSome(b, `,"concurrency":`, int64(t.Concurrency))
	b = appendWords(b, `,"overlap":`, string(t.Overlap))
	b = appendSome(b, `,"timeout_ms":`, t.Timeout.Milliseconds())
	b = appendNumber(b, `,"triggered_at":`, t.TriggeredAt.UnixMilli())
	b = appendInstant(b, `,"planned_at":`, t.PlannedAt)
	b = appendInstant(b, `,"start_at":`, upToMillis(t.StartAt))
	b = appendSome(b, `,"shard_index":`, int64(t.ShardIndex))
	b = appendSome(b, `,"shard_total":`, int64(t.ShardTotal))
	b = appendWords(b, `,"on_crash":`, string(t.OnCrash))
	b = appendWords(b, `,"trace":`, t.Trace)
	return append(b, "}\n"...)
}

// recordRoom is the approximate size of a record without its long texts, in bytes.
const recordRoom = 224

func appendNumber(b []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(b, key...), n, 10)
}

// appendSome leaves 0 out.
func appendSome(b []byte, key string, n int64) []byte {
	if n == 0 {
		return b
	}
	return appendNumber(b, key, n)
}

// appendInstant keeps apart the zero time, which means none and is left out, and
// the year 1970.
func appendInstant(b []byte, key string, t time.Time) []byte {
	if t.IsZero() {
		return b
	}
	return appendNumber(b, key, t.UnixMilli())
}

// appendWords leaves the empty text out.
func appendWords(b []byte, key, text string) []byte {
	if text == "" {
		return b
	}
	return appendText(append(b, key...), text)
}

func appendLabels(b []byte, key string, labels map[string]string) []byte {
	if len(labels) == 0 {
		return b
	}
	b = append(append(b, key...), '{')
	for i, name := range slices.Sorted(maps.Keys(labels)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendText(b, name), ':')
		b = appendText(b, labels[name])
	}
	return append(b, '}')
}

// appendText appends a text in quotes. One that needs more than quotes is left to
// encoding/json.
func appendText(b []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return appendOddText(b, text)
		}
	}
	return append(append(append(b, '"'), text...), '"')
}

func appendOddText(b []byte, text string) []byte {
	at := bytes.NewBuffer(b)
	out := json.NewEncoder(at)
	out.SetEscapeHTML(false)                          // scripts are full of < and &
	_ = out.Encode(text)                              //nolint:errchkjson // There is no text that it refuses.
	return bytes.TrimSuffix(at.Bytes(), []byte{'\n'}) // which Encode adds
}

// Decode reads the stored form of a task.
func Decode(body []byte) (job.Task, error) {
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
		TriggeredAt: time.UnixMilli(r.TriggeredAt).UTC(), PlannedAt: fromMillis(r.PlannedAt), StartAt: fromMillis(r.StartAt),
		ShardIndex: r.ShardIndex, ShardTotal: r.ShardTotal, OnCrash: r.OnCrash, Trace: r.Trace,
	}, nil
}

// upToMillis rounds up, so that what is stored is not before the instant.
func upToMillis(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(time.Millisecond - 1).Truncate(time.Millisecond)
}

func fromMillis(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return time.UnixMilli(*ms).UTC()
}
