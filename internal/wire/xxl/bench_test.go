package xxl

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

func BenchmarkEncodeTask(b *testing.B) {
	task, speech := sampleTask(), dialect.Classic()
	body := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dialect.AppendTask(body, &task, &speech); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeTask(b *testing.B) {
	body := []byte(sampleRun)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dialect.DecodeTask(body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodeTaskByReflection is what BenchmarkDecodeTask is measured by.
func BenchmarkDecodeTaskByReflection(b *testing.B) {
	body := []byte(sampleRun)
	b.ReportAllocs()
	for b.Loop() {
		var request struct {
			JobID                 int32  `json:"jobId"`
			ExecutorHandler       string `json:"executorHandler"`
			ExecutorParams        string `json:"executorParams"`
			ExecutorBlockStrategy string `json:"executorBlockStrategy"`
			ExecutorTimeout       int32  `json:"executorTimeout"`
			LogID                 int64  `json:"logId"`
			LogDateTime           int64  `json:"logDateTime"`
			GlueType              string `json:"glueType"`
			GlueSource            string `json:"glueSource"`
			GlueUpdatetime        int64  `json:"glueUpdatetime"`
			BroadcastIndex        int32  `json:"broadcastIndex"`
			BroadcastTotal        int32  `json:"broadcastTotal"`
		}
		if err := json.Unmarshal(body, &request); err != nil {
			b.Fatal(err)
		}
	}
}

func benchOutcomes() []job.Outcome {
	batch := make([]job.Outcome, dialect.MaxSendItems)
	for i := range batch {
		batch[i] = job.Outcome{AttemptID: int64(i + 1), TriggeredAt: time.UnixMilli(1795227154000), State: job.Succeeded}
	}
	return batch
}

func BenchmarkEncodeCallback50(b *testing.B) {
	batch := benchOutcomes()
	body, classic := make([]byte, 0, 8<<10), dialect.Classic()
	b.ReportAllocs()
	for b.Loop() {
		dialect.AppendOutcomes(body, &classic, batch, false)
	}
}

func BenchmarkDecodeCallback50(b *testing.B) {
	body, _ := callbackOf(benchOutcomes())
	b.ReportAllocs()
	for b.Loop() {
		if _, err := dialect.DecodeOutcomes(body); err != nil {
			b.Fatal(err)
		}
	}
}

// idleRoom is an executor that does nothing at once.
type idleRoom struct{ executorRoom }

func (*idleRoom) Accept(context.Context, job.Task) error { return nil }
