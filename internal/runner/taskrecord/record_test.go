package taskrecord

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestRecordKeepsTask(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		instant := func(name string) time.Time {
			return time.UnixMilli(rapid.Int64Range(0, 1<<42).Draw(rt, name)).UTC()
		}
		in := job.Task{
			AttemptID: rapid.Int64Min(1).Draw(rt, "attempt"), JobID: rapid.Int64Min(0).Draw(rt, "job"),
			Handler: job.Handler{
				Kind: rapid.SampledFrom([]job.HandlerKind{job.HandlerNamed, job.HandlerShell}).Draw(rt, "kind"),
				Name: rapid.String().Draw(rt, "name"), Source: rapid.String().Draw(rt, "source"),
			},
			RunID: rapid.Int64Min(0).Draw(rt, "run"), Try: rapid.IntRange(0, 9).Draw(rt, "try"),
			Concurrency: rapid.IntRange(0, 64).Draw(rt, "concurrency"),
			Param:       rapid.String().Draw(rt, "param"), Overlap: job.OverlapSerial,
			Timeout:     time.Duration(rapid.Int64Range(0, 1<<31).Draw(rt, "timeout")) * time.Millisecond,
			TriggeredAt: instant("triggered"), ShardIndex: rapid.IntRange(0, 9).Draw(rt, "shard"), ShardTotal: 10,
			OnCrash: rapid.SampledFrom([]job.OnCrash{"", job.CrashReport, job.CrashRerun}).Draw(rt, "on crash"),
			Trace:   rapid.SampledFrom([]string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}).Draw(rt, "trace"),
		}
		if rapid.Bool().Draw(rt, "with times") {
			in.PlannedAt, in.Handler.SourceAt, in.StartAt = instant("planned"), instant("source at"), instant("start at")
		}
		if labels := rapid.MapOf(rapid.String(), rapid.String()).Draw(rt, "labels"); len(labels) > 0 {
			in.Labels = labels
		}
		body := Encode(in)
		if want := written(in); string(body) != want {
			rt.Fatalf("stored as %s, encoding/json writes %s", body, want)
		}
		got, err := Decode(body)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(in, got); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// TestStartIsNotStoredEarlier: what is stored of an instant between two milliseconds is the later one.
func TestStartIsNotStoredEarlier(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1795227154001)
	for _, in := range []time.Time{at, at.Add(-1), at.Add(-999_999)} {
		one := job.Task{AttemptID: 1, JobID: 5, Handler: job.Handler{Kind: job.HandlerNamed, Name: "it"}, TriggeredAt: time.UnixMilli(1_700_000_000_000), ShardTotal: 1}
		one.StartAt = in
		got, err := Decode(Encode(one))
		if err != nil || !got.StartAt.Equal(at) {
			t.Errorf("%s came back as %s, want %s: %v", in, got.StartAt, at, err)
		}
	}
}

// TestRecordForm: a store outlives the program, so its form must not change.
func TestRecordForm(t *testing.T) {
	t.Parallel()
	const stored = `{"v":1,"attempt":3,"job":4,"kind":"shell","source":"a && b","source_at":1000,"param":"p",` +
		`"overlap":"serial","timeout_ms":1500,"triggered_at":2000,"planned_at":0,"shard_total":1,"on_crash":"rerun"}` + "\n"
	got, err := Decode([]byte(stored))
	if err != nil {
		t.Fatal(err)
	}
	want := job.Task{
		AttemptID: 3, JobID: 4,
		Handler: job.Handler{Kind: job.HandlerShell, Source: "a && b", SourceAt: time.Unix(1, 0).UTC()},
		Param:   "p", Overlap: job.OverlapSerial, Timeout: 1500 * time.Millisecond,
		TriggeredAt: time.Unix(2, 0).UTC(), PlannedAt: time.Unix(0, 0).UTC(), ShardTotal: 1, OnCrash: job.CrashRerun,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if body := Encode(want); string(body) != stored {
		t.Errorf("stored as %s", body)
	}
}

// written is a task as encoding/json writes it, which made the records of all versions so
// far.
func written(t job.Task) string {
	millis := func(at time.Time) *int64 {
		if at.IsZero() {
			return nil
		}
		ms := at.UnixMilli()
		return &ms
	}
	var b strings.Builder
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	err := out.Encode(record{
		Version: recordVersion, Attempt: t.AttemptID, Job: t.JobID, Run: t.RunID, Try: t.Try,
		Kind: t.Handler.Kind, Name: t.Handler.Name, Source: t.Handler.Source, SourceAt: millis(t.Handler.SourceAt),
		Param: t.Param, Labels: t.Labels, Overlap: t.Overlap, Concurrency: t.Concurrency,
		TimeoutMS: t.Timeout.Milliseconds(), TriggeredAt: t.TriggeredAt.UnixMilli(), PlannedAt: millis(t.PlannedAt), StartAt: millis(t.StartAt),
		ShardIndex: t.ShardIndex, ShardTotal: t.ShardTotal, OnCrash: t.OnCrash, Trace: t.Trace,
	})
	if err != nil {
		panic(err)
	}
	return b.String()
}

// FuzzEncode: whatever the texts of a task are, its record is what encoding/json writes.
func FuzzEncode(f *testing.F) {
	f.Add("report", "a && b", "日报", int64(1500))
	f.Add("\x00\t\n\x7f", `"\`, "\u2028\xff<é>", int64(-1))
	f.Fuzz(func(t *testing.T, name, source, param string, n int64) {
		in := job.Task{
			AttemptID: n, JobID: -n, RunID: n, Try: int(int32(n)), Param: param, Timeout: time.Duration(n),
			Handler: job.Handler{Kind: job.HandlerKind(name), Name: name, Source: source, SourceAt: time.UnixMilli(n)},
			Labels:  map[string]string{name: param, param: source, source: name}, Overlap: job.Overlap(source), Concurrency: int(int32(n)),
			TriggeredAt: time.UnixMilli(n), PlannedAt: time.UnixMilli(n), ShardIndex: int(int32(n)), ShardTotal: int(int32(n)),
			OnCrash: job.OnCrash(param), Trace: name,
		}
		if body, want := Encode(in), written(in); string(body) != want {
			t.Errorf("stored as %s, encoding/json writes %s", body, want)
		}
	})
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"v":1,"attempt":3,"job":4,"kind":"named","triggered_at":2000}`))
	f.Add([]byte(`{"v":2}`))
	f.Add([]byte(`[`))
	f.Fuzz(func(t *testing.T, body []byte) {
		task, err := Decode(body)
		if err != nil {
			return
		}
		if task.AttemptID < 1 {
			t.Errorf("attempt %d", task.AttemptID)
		}
		if _, err := Decode(Encode(task)); err != nil {
			t.Errorf("%+v cannot be stored again: %v", task, err)
		}
	})
}

// BenchmarkEncode stores a task as most are.
func BenchmarkEncode(b *testing.B) {
	in := job.Task{
		AttemptID: 123_456, JobID: 1234, RunID: 123_456, Try: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "nothing"}, Param: "p",
		Overlap: job.OverlapSerial, TriggeredAt: time.UnixMilli(1_763_800_000_000), PlannedAt: time.UnixMilli(1_763_800_000_000), ShardTotal: 1,
		Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
	b.ReportAllocs()
	for b.Loop() {
		Encode(in)
	}
}
