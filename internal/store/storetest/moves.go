package storetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func moveTests() []test {
	tests := make([]test, 3)
	for i := range tests {
		tests[i] = test{
			name: fmt.Sprintf("random calls make legal moves only, seed %d", i),
			run:  func(b *bench) { walk(b, rand.New(rand.NewPCG(uint64(i), 2))) },
		}
	}
	return tests
}

// walk makes random calls, right and wrong ones, and checks after each that
// every run and attempt either stayed or made a legal move.
func walk(b *bench, random *rand.Rand) {
	w := &walker{bench: b, random: random, job: b.create(), over: map[int64]standing{}}
	for range 3 {
		w.add()
	}
	before := w.look()
	moved := map[job.State]bool{}
	for range 200 {
		what := w.step()
		after := w.look()
		for id, was := range before {
			now := after[id]
			if was != now {
				moved[now.run] = true
				if was.run != now.run && !job.MayMove(was.run, now.run) {
					b.Fatalf("%s moved run %d from %s to %s", what, id, was.run, now.run)
				}
				if was.attempt == now.attempt && was.of == now.of && was.run == now.run {
					b.Fatalf("%s changed run %d in secret: %+v, then %+v", what, id, was, now)
				}
			}
		}
		before = after
	}
	for _, state := range []job.State{job.Queued, job.Dispatched, job.Running, job.Stopping, job.WaitingRetry, job.Succeeded, job.Cancelled} {
		if !moved[state] {
			b.Fatalf("the walk never reached %s", state)
		}
	}
}

type walker struct {
	*bench
	random   *rand.Rand
	job      job.Job
	attempts []job.Attempt      // all that were ever marked
	over     map[int64]standing // runs that were final at the last look
}

// standing is where a run and its current attempt stand.
type standing struct {
	run     job.State
	of      int64 // the current attempt
	attempt job.State
}

// look reads all runs and checks that they agree with their attempts.
func (w *walker) look() map[int64]standing {
	w.Helper()
	all := map[int64]standing{}
	for _, r := range w.runs(w.job) {
		s := standing{run: r.State, of: r.AttemptID}
		if over, ok := w.over[r.ID]; ok && over.run == r.State && over.of == r.AttemptID {
			all[r.ID] = over
			continue
		}
		open := 0
		for _, a := range w.bench.attempts(r.ID) {
			if !a.State.Final() {
				open++
			}
			if a.ID == r.AttemptID {
				s.attempt = a.State
			}
		}
		sent := r.State == job.Dispatched || r.State == job.Running
		stopping := r.State == job.Stopping
		if (sent || stopping) != (open == 1) || (sent && s.attempt != r.State) || open > 1 {
			w.Fatalf("run %d is %s with %d open attempts, the current one %q", r.ID, r.State, open, s.attempt)
		}
		if r.State.Waiting() == r.ReadyAt.IsZero() || r.State.Final() == r.EndedAt.IsZero() {
			w.Fatalf("run %d is %s, ready at %v, ended at %v", r.ID, r.State, r.ReadyAt, r.EndedAt)
		}
		all[r.ID] = s
		if r.State.Final() {
			w.over[r.ID] = s
		}
	}
	return all
}

func (w *walker) add() { w.trigger(w.job, w.now) }

func (w *walker) pick() job.Run {
	runs, err := w.Runs(w.ctx(), jobrows.RunFilter{JobID: w.job.ID, Limit: 6})
	w.ok(err)
	return runs[w.random.IntN(len(runs))]
}

// attempt returns some attempt of the last few, maybe one long over.
func (w *walker) attempt() job.Attempt {
	if len(w.attempts) == 0 {
		return job.Attempt{ID: 777_777, RunID: w.pick().ID}
	}
	last := w.attempts[max(0, len(w.attempts)-6):]
	return last[w.random.IntN(len(last))]
}

func (w *walker) step() string {
	switch w.random.IntN(17) {
	case 0, 1:
		w.add()
		return "AddRun"
	case 2, 3, 4, 5, 6:
		m := w.markOf(w.pick(), executorAddress)
		if w.random.IntN(4) == 0 || !m.From.Waiting() {
			m.From = []job.State{job.Planned, job.Queued, job.WaitingRetry}[w.random.IntN(3)]
		}
		if w.mark(m)[0] {
			w.attempts = append(w.attempts, m.Attempt)
		}
		return "MarkDispatched"
	case 7, 8:
		w.accept(w.attempt())
		return "MarkAccepted"
	case 9, 10:
		item := dispatcher.Requeued{RunID: w.pick().ID, Reason: "again", ReadyAt: w.at(9), Now: w.now}
		if a := w.attempt(); w.random.IntN(2) == 0 {
			item.RunID, item.AttemptID = a.RunID, a.ID
		}
		w.ok(w.Requeue(w.ctx(), []dispatcher.Requeued{item}))
		return "Requeue"
	case 11, 12, 13:
		outcomes := []job.State{job.Succeeded, job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost}
		a := w.attempt()
		c := completer.Completion{
			AttemptID: a.ID, RunID: a.RunID, Outcome: outcomes[w.random.IntN(len(outcomes))], EndedAt: w.at(5),
		}
		c.RunState = c.Outcome
		if c.Outcome != job.Succeeded && w.random.IntN(2) == 0 {
			c.RunState, c.RetryAt = job.WaitingRetry, w.at(9)
		}
		w.commit(c)
		return "CommitCompletions"
	case 14:
		_, err := w.CancelRun(w.ctx(), w.pick().ID, "enough", w.now)
		w.ok(err)
		return "CancelRun"
	case 15:
		w.stopRun(w.attempt(), "enough")
		return "StopRun"
	default:
		w.job = w.save(w.job, func(j *job.Job) { j.Enabled, j.NextAt = !j.Enabled, w.at(1) })
		return "SaveJob"
	}
}
