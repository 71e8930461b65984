package sqlite

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/logbook/keeping"
	"github.com/orthd/orth/internal/store/storetest"
	"github.com/orthd/orth/job"
)

// BenchmarkCopy copies the logs of 500 attempts that have ended, of 20 lines each: it
// reports the processor time per attempt of asking an executor in the same process,
// packing, the rows, and what the end of an attempt costs more for owing its log.
func BenchmarkCopy(b *testing.B) {
	p := newPath(b, storetest.PathBatch)
	off := newPath(b, storetest.PathBatch, func(j *job.Job) { j.Logs.Off = true })
	k := keeping.NewKeeper(keeping.KeeperConfig{
		Index: p, Shelf: p, Debts: p, Past: p, Cellar: p, Names: p, Blobs: nowhere{}, Origin: twenty{},
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(b.Context()))
	ended := make(chan error, 1)
	go func() { ended <- k.Run(ctx) }()
	for b.Loop() {
		for _, path := range []*storetest.Path{p, off} {
			path.Plan(b)
			path.Mark(b)
			path.Accept(b)
			path.Complete(b)
		}
		p.Measure(b, "copy", func() error {
			for i := range p.Marks {
				k.Begin(p.Marks[i].Attempt, 1, job.LogPolicy{})
				k.Ended(p.Marks[i].Attempt.ID)
			}
			return stored(ctx, p)
		})
	}
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
	attempts := float64(b.N * storetest.PathBatch)
	micros := func(spent time.Duration) float64 { return float64(spent.Nanoseconds()) / 1000 / attempts }
	b.ReportMetric(micros(p.Spent["copy"]), "cpu-us/copy")
	b.ReportMetric(micros(p.Spent["complete"]-off.Spent["complete"]), "cpu-us/owe")
}

// stored waits until the logs of all marks are.
func stored(ctx context.Context, p *storetest.Path) error {
	last := []int64{p.Marks[len(p.Marks)-1].Attempt.ID, p.Marks[0].Attempt.ID}
	for range 1000 {
		logs, err := p.Logs(ctx, last)
		if err != nil {
			return err
		}
		if len(logs) == 2 && logs[0].State == logbook.Whole && logs[1].State == logbook.Whole {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("the logs are not stored")
}

// nowhere is a store of blobs that keeps none.
type nowhere struct{ logbook.Blobs }

func (nowhere) Put(context.Context, string, []byte) error { return nil }

// twenty is an executor whose logs have 20 lines.
type twenty struct{}

func (twenty) ReadLog(_ context.Context, _ string, attempt int64, at time.Time, from int) (job.LogPage, error) {
	if from > 20 {
		return job.LogPage{From: from, To: 20}, nil
	}
	var text strings.Builder
	for i := from; i <= 20; i++ {
		fmt.Fprintf(&text, "%s INFO attempt %d copied file /srv/data/%d/part-%05d.csv in %d ms\n", at.Format("2006-01-02 15:04:05.000"), attempt, i, attempt*31%9973, i*17)
	}
	return job.LogPage{From: from, To: 20, Text: text.String()}, nil
}
