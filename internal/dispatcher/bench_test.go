package dispatcher

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/route"
	"github.com/orthd/orth/job"
)

// instant is a store and an executor that cost nothing.
type instant struct {
	job  job.Job
	last atomic.Int64
	sent atomic.Int64
}

func (*instant) ClaimRuns(context.Context, Claim) (Claimed, error) { return Claimed{}, nil }
func (*instant) RenewClaims(context.Context, []Renewal) ([]bool, error) {
	return nil, nil
}
func (*instant) Requeue(context.Context, []Requeued) error          { return nil }
func (*instant) Postpone(context.Context, []int64, time.Time) error { return nil }
func (*instant) MarkAccepted(context.Context, []Accepted) error     { return nil }
func (*instant) Complete(context.Context, []job.Outcome) error      { return nil }
func (*instant) Alive(int64) []string                               { return []string{"http://1", "http://2"} }

func (*instant) Executor(string, string) (job.Executor, bool) { return job.Executor{}, false }
func (*instant) AliveGroups() []int64                         { return []int64{1} }

func (*instant) ExpireRuns(context.Context, []job.Run) ([]bool, error) { return nil, nil }

func (*instant) CancelRun(context.Context, int64, string, time.Time) (job.Run, error) {
	return job.Run{}, nil
}

func (*instant) MarkDispatched(_ context.Context, marks []Mark) ([]bool, error) {
	done := make([]bool, len(marks))
	for i := range done {
		done[i] = true
	}
	return done, nil
}

func (*instant) CommitFirings(_ context.Context, firings []Firing) ([]Birth, error) {
	births := make([]Birth, len(firings))
	for i := range births {
		births[i] = BirthSent
	}
	return births, nil
}

func (i *instant) JobsByID(context.Context, []int64) ([]job.Job, error) { return []job.Job{i.job}, nil }

func (i *instant) NextAttemptID(context.Context) (int64, error) { return i.last.Add(1), nil }
func (i *instant) NextRunID(context.Context) (int64, error)     { return i.last.Add(1), nil }

func (*instant) Together(string) int { return 1 }

func (i *instant) SendAll(_ context.Context, _ string, tasks []job.Task) []error {
	i.sent.Add(int64(len(tasks)))
	return make([]error, len(tasks))
}

// BenchmarkDispatch measures what the dispatcher itself costs a run, from Take
// to the acceptance.
func BenchmarkDispatch(b *testing.B) {
	i := &instant{job: job.Job{ID: 1, GroupID: 1, Route: job.RouteRound, Version: 1}}
	d := New(Config{
		Store: i, Acceptor: i, Jobs: i, IDs: i, Executors: i, Sender: i, Outcomes: i, Expirer: i, Router: route.NewSet(route.Config{}),
	})
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.Run(ctx) }()
	runs := make([]job.Run, 500)
	var id int64
	b.ReportAllocs()
	for b.Loop() {
		for d.Free() < len(runs) {
			time.Sleep(50 * time.Microsecond)
		}
		now := time.Now()
		for k := range runs {
			id++
			runs[k] = job.Run{ID: id, JobID: 1, JobVersion: 1, GroupID: 1, PlannedAt: now, CreatedAt: now, State: job.Planned}
		}
		d.Take(runs)
	}
	stop()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i.sent.Load()), "ns/run")
}
