package storetest

import (
	"fmt"
	"strings"
	"sync"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/job"
)

func evidenceTests() []test {
	return []test{
		{"evidence is stored with its attempt", evidenceKept},
		{"evidence is bounded and kept once", evidenceBounded},
		{"contradicting outcomes of many attempts", evidenceRace},
	}
}

// against returns an outcome that contradicts the attempt's end.
func (b *bench) against(a job.Attempt, state job.State, message string) job.Evidence {
	return job.Evidence{AttemptID: a.ID, At: b.at(9), State: state, Message: message, Note: "came late"}
}

func evidenceKept(b *bench) {
	r := b.trigger(b.create(), b.now)
	b.retrying(r, b.at(20))
	last := b.dispatch(b.run(r.ID))
	b.complete(last, job.Lost)
	attempts := b.attempts(r.ID)
	run := b.run(r.ID)
	one, two := b.against(attempts[0], job.Succeeded, "done \"数据\""), b.against(last, job.TimedOut, "")
	three := b.against(last, job.Failed, strings.Repeat("ä", job.MaxEvidenceMessage+1))
	b.ok(b.KeepEvidence(b.ctx(), nil))
	b.ok(b.KeepEvidence(b.ctx(), []job.Evidence{two, one}))
	b.ok(b.KeepEvidence(b.ctx(), []job.Evidence{three}))
	three.Message = job.Clean(three.Message, job.MaxEvidenceMessage)
	attempts[0].Evidence, attempts[1].Evidence = []job.Evidence{one}, []job.Evidence{two, three}
	b.reopen()
	b.same("attempts", b.attempts(r.ID), attempts)
	b.same("run", b.run(r.ID), run)
}

func evidenceBounded(b *bench) {
	a := b.dispatch(b.trigger(b.create(), b.now))
	b.complete(a, job.Lost)
	var want []job.Evidence
	for i := range 3 * job.MaxEvidence {
		e := b.against(a, job.Failed, fmt.Sprintf("text %d", i))
		again := e
		again.At, again.Note = b.at(60), "came again"
		b.ok(b.KeepEvidence(b.ctx(), []job.Evidence{e, again}))
		b.ok(b.KeepEvidence(b.ctx(), []job.Evidence{again}))
		if i < job.MaxEvidence {
			want = append(want, e)
		}
	}
	b.same("evidence", b.attempts(a.RunID)[0].Evidence, want)
}

// evidenceRace lets a hundred callers report different outcomes of the same attempts at
// once. Of each attempt one is recorded and starts its child, and of the others no more is
// kept than the limit.
func evidenceRace(b *bench) {
	const callers, attempts = 100, 12
	parent, child := b.create(), b.create()
	all := make([]job.Attempt, attempts)
	for i := range all {
		all[i] = b.dispatch(b.trigger(parent, b.now))
	}
	states := []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Lost, job.Skipped}
	var racing sync.WaitGroup
	for caller := range callers {
		completions := make([]completer.Completion, attempts)
		evidence := make([]job.Evidence, attempts)
		for i, a := range all {
			completions[i] = b.completion(a, states[caller%len(states)])
			completions[i].Message = fmt.Sprintf("from %d", caller)
			completions[i].Children = []job.Run{b.child(a, child)}
			evidence[i] = b.against(a, completions[i].Outcome, completions[i].Message)
		}
		racing.Go(func() {
			done, err := b.CommitCompletions(b.ctx(), completions)
			if err != nil {
				b.Errorf("CommitCompletions: %v", err)
				return
			}
			var late []job.Evidence
			for i := range done {
				if !done[i] {
					late = append(late, evidence[i])
				}
			}
			if err := b.KeepEvidence(b.ctx(), late); err != nil {
				b.Errorf("KeepEvidence: %v", err)
			}
		})
	}
	racing.Wait()
	b.same("children", len(b.runs(child)), attempts)
	for _, a := range all {
		got := b.attempts(a.RunID)[0]
		b.same("evidence", len(got.Evidence), job.MaxEvidence)
		b.same("message of the run", b.state(a.RunID, got.State).Message, got.Message)
		for _, e := range got.Evidence {
			if e.Message == got.Message {
				b.Fatalf("what is recorded is evidence against itself: %+v", e)
			}
		}
	}
}
