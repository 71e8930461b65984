package storetest

import (
	"math/rand/v2"
	"slices"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/job"
)

// storm is a job to which everything happens in any order.
type storm struct {
	*bench
	random *rand.Rand
	job    job.Job
	runs   []int64
	open   map[int64]job.Attempt // by run
	most   int                   // the highest limit so far
}

func overlapStorm(b *bench) {
	rules := []job.Overlap{job.OverlapSerial, job.OverlapConcurrent, job.OverlapDiscard, job.OverlapCover}
	for seed := range uint64(16) {
		rule := rules[seed%4]
		s := &storm{bench: b, random: rand.New(rand.NewPCG(seed, 15)), open: make(map[int64]job.Attempt)}
		s.job = b.create(overlapping(rule, s.width(rule)), func(j *job.Job) { j.OverlapQueue = 6 })
		s.most = s.job.OverlapLimit()
		for range 60 {
			s.step()
			if len(s.open) > s.most {
				b.Fatalf("seed %d: %d runs of a %s job are under way, at most %d may be", seed, len(s.open), s.job.Overlap, s.most)
			}
		}
		s.settle(seed)
	}
}

// width returns a number of runs at once for the rule.
func (s *storm) width(rule job.Overlap) int {
	if rule != job.OverlapConcurrent {
		return 0
	}
	return 1 + s.random.IntN(4)
}

func (s *storm) step() {
	switch s.random.IntN(12) {
	case 0, 1, 2, 3:
		s.runs = append(s.runs, s.trigger(s.job, s.now).ID)
	case 4, 5, 6:
		s.send(1 + s.random.IntN(4))
	case 7, 8:
		s.end(s.random.IntN(3))
	case 9:
		if r, ok := s.some(); ok && s.random.IntN(2) == 0 {
			_, err := s.CancelRun(s.ctx(), r.ID, "not needed", s.at(6))
			s.ok(err)
		} else if ok {
			r.EndedAt = s.at(6)
			s.expire(r)
		}
	case 10:
		if r, ok := s.some(); ok && s.random.IntN(3) > 0 {
			s.requeue(r, 0)
			return
		}
		s.ok(s.ReleaseClaims(s.ctx()))
	case 11:
		rule := []job.Overlap{job.OverlapSerial, job.OverlapConcurrent}[s.random.IntN(2)]
		s.job = s.save(s.job, overlapping(rule, s.width(rule)))
		s.most = max(s.most, s.job.OverlapLimit())
	}
}

// some returns a run that waits.
func (s *storm) some() (job.Run, bool) {
	for range 5 {
		if len(s.runs) == 0 {
			break
		}
		if r := s.run(s.runs[s.random.IntN(len(s.runs))]); r.State.Waiting() {
			return r, true
		}
	}
	return job.Run{}, false
}

// send sends up to n runs that may be sent, and reports whether there were some.
func (s *storm) send(n int) bool {
	var marks []dispatcher.Mark
	for _, id := range s.runs {
		if r := s.run(id); len(marks) < n && r.State.Waiting() && !r.ReadyAt.After(s.at(40)) {
			marks = append(marks, s.limited(&s.job, r))
		}
	}
	s.random.Shuffle(len(marks), func(i, k int) { marks[i], marks[k] = marks[k], marks[i] })
	var again []dispatcher.Mark
	for i, done := range s.mark(marks...) {
		if done {
			s.open[marks[i].Attempt.RunID] = marks[i].Attempt
		} else {
			again = append(again, marks[i])
		}
	}
	met, err := s.Meet(s.ctx(), again)
	s.ok(err)
	for i := range met {
		if met[i].Fate == dispatcher.FateMarked {
			s.open[again[i].Attempt.RunID] = again[i].Attempt
		}
	}
	return len(marks) > 0
}

// end ends attempts in one transaction: for good, with a retry, or undelivered.
func (s *storm) end(n int) {
	var ends []completer.Completion
	for _, id := range slices.Sorted(func(yield func(int64) bool) {
		for id := range s.open {
			if !yield(id) {
				return
			}
		}
	}) {
		if len(ends) > n {
			break
		}
		a := s.open[id]
		delete(s.open, id)
		switch s.random.IntN(4) {
		case 0:
			c := s.counted(a, job.Failed, s.at(6), 0)
			c.RunState, c.RetryAt, c.Reason = job.WaitingRetry, s.at(8), "retry follows"
			ends = append(ends, c)
		case 1:
			s.requeue(s.run(id), a.ID)
		default:
			ends = append(ends, s.counted(a, job.Succeeded, s.at(6), 0))
		}
	}
	s.commit(ends...)
}

// settle sends what can be sent, until nothing waits that may be: then no run waits for
// others while there is room, and in the end all runs are over.
func (s *storm) settle(seed uint64) {
	for range 1000 {
		for s.send(100) {
		}
		waiting := 0
		for _, id := range s.runs {
			if s.run(id).State.Waiting() {
				waiting++
			}
		}
		switch {
		case waiting > 0 && len(s.open) < s.job.OverlapLimit():
			s.Fatalf("seed %d: %d runs wait for others of a %s job, and %d of %d are under way",
				seed, waiting, s.job.Overlap, len(s.open), s.job.OverlapLimit())
		case len(s.open) > s.most:
			s.Fatalf("seed %d: %d runs are under way, at most %d may be", seed, len(s.open), s.most)
		case len(s.open) == 0:
			return
		}
		s.end(0)
	}
	s.Fatalf("seed %d: it never ends", seed)
}
