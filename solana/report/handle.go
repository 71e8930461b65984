package report

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/plural"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/ledger"
	"github.com/orthd/orth/solana/observe"
	"github.com/orthd/orth/solana/service"
	"github.com/orthd/orth/solana/thread"
)

// execute is the handler solana.execute. A parameter with an outcome is about an execution that has ended; one with only a
// thread, or a plain address, has that executed.
func (r *Report) execute(ctx context.Context, t *handler.Task) error {
	p, byHand, err := parseParam(t.Param)
	if err != nil {
		return err
	}
	if p.Outcome == "" {
		return r.byHand(ctx, t, p, byHand)
	}
	if e := r.sent.findReport(p.Key); e != nil {
		return conclude(t, &e.Settlement)
	}
	t.Log("an earlier process of this executor reported it: its steps and the programs' output are not known any more")
	return p.endRun(t)
}

// parseParam reads the parameter of a run. anyCount means that it names no count of
// executions.
func parseParam(text string) (p param, anyCount bool, err error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "{") {
		p.Thread, anyCount = text, true
	} else {
		given := struct {
			*param

			Exec *uint64 `json:"exec"`
		}{param: &p}
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return p, false, job.Errorf(job.Invalid, `the parameter is neither an address nor {"thread": "…", "exec": 5}: %w`, err)
		}
		if anyCount = given.Exec == nil; !anyCount {
			p.Exec = *given.Exec
		}
	}
	if _, err := solana.PublicKeyFromBase58(p.Thread); err != nil {
		return p, false, job.Errorf(job.Invalid, "%q is no address of a thread: trigger the job with one as its parameter", job.Clean(p.Thread, 100))
	}
	return p, anyCount, nil
}

// byHand has a thread executed for a person, if it is due.
func (r *Report) byHand(ctx context.Context, t *handler.Task, p param, anyCount bool) error {
	key := solana.MustPublicKeyFromBase58(p.Thread)
	found, err := r.tracked(key)
	if err != nil {
		return err
	}
	count := found.State.ExecCount
	switch {
	case !anyCount && count > p.Exec:
		t.Log("thread %s has been executed %s: execution %d is over", key, plural.Count(count, "time"), p.Exec)
		t.Result(fmt.Sprintf("%s#%d superseded: the thread has been executed %s already", key, p.Exec, plural.Count(count, "time")))
		return nil
	case !anyCount && count < p.Exec:
		return fmt.Errorf("thread %s has been executed %s: execution %d is not next", key, plural.Count(count, "time"), p.Exec)
	case !found.Ready:
		return fmt.Errorf("thread %s is not due: %s. Nothing was done", key, r.waitReason(&found))
	}
	ready := observe.ThreadReady{Thread: key, State: found.State, TriggerTime: r.clock().Unix, Due: found.Due, Slot: found.Slot}
	if found.Due.Unit == thread.Seconds {
		ready.TriggerTime = found.Due.At
	}
	id := ledger.IDOf(key, count, r.config.Profile.IsSeed(), ready.TriggerTime)
	settled := make(chan service.Settlement, 1)
	r.mu.Lock()
	_, twice := r.watched[id]
	if !twice {
		r.watched[id] = settled
	}
	r.mu.Unlock()
	if twice {
		return fmt.Errorf("another run waits for execution %d of thread %s", count, key)
	}
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.watched[id] == settled {
			delete(r.watched, id)
		}
	}()
	t.Log("thread %s is executed on request", key)
	if err := r.config.Work.Offer(ctx, ready); err != nil {
		return fmt.Errorf("have thread %s executed: %w", key, err)
	}
	return r.follow(ctx, t, id, settled)
}

// follow writes the steps of an execution until it has ended.
func (r *Report) follow(ctx context.Context, t *handler.Task, id ledger.ID, settled <-chan service.Settlement) error {
	steps, err := r.config.Work.Follow(ctx, id)
	if err != nil && !job.Is(err, job.NotFound) {
		t.Log("its steps cannot be followed: %v", err)
	}
	look := time.NewTimer(time.Second) // one that was over before it was followed, or is a dead letter already
	defer look.Stop()
	gone := job.Is(err, job.NotFound)
	for {
		select {
		case s := <-settled:
			return conclude(t, &s)
		case step, open := <-steps:
			if !open {
				steps, gone = nil, true
				continue
			}
			t.Log("%s%s", step.Stage, behind(step.Words))
		case <-look.C:
			if gone {
				return fmt.Errorf("task %s is not under way: it is done already, or a dead letter, which 'orth-solana queue list' shows", id)
			}
			look.Reset(time.Second)
		case <-ctx.Done():
			return fmt.Errorf("the run ended before the execution, which goes on: %w", context.Cause(ctx))
		}
	}
}

func behind(words string) string {
	if words == "" {
		return ""
	}
	return ": " + words
}

// tracked finds a thread among those that are followed.
func (r *Report) tracked(key thread.Key) (observe.Tracked, error) {
	if r.config.Threads == nil {
		return observe.Tracked{}, fmt.Errorf("this executor does not look for threads itself: who feeds it has thread %s executed", key)
	}
	for _, t := range r.config.Threads() {
		if t.Thread == key {
			return t, nil
		}
	}
	return observe.Tracked{}, fmt.Errorf("no thread %s is followed here: there is none of the program %s, or it is too new", key, r.config.Profile.Program)
}

// waitReason describes what a thread waits for.
func (r *Report) waitReason(t *observe.Tracked) string {
	switch {
	case t.State.Paused:
		return "it is paused"
	case !t.Waits:
		return "nothing makes it due"
	case t.Due.Unit == thread.Seconds:
		return "it waits until " + time.Unix(t.Due.At, 0).UTC().Format(time.RFC3339)
	case t.Due.Unit == thread.Slots:
		return fmt.Sprintf("it waits for slot %d, and slot %d is now", t.Due.At, r.clock().Slot)
	case t.Due.Unit == thread.Epochs:
		return fmt.Sprintf("it waits for epoch %d, and epoch %d is now", t.Due.At, r.clock().Epoch)
	case t.Due.Unit == thread.Change:
		return "it waits for a change of an account"
	}
	return "its state was not seen yet"
}

// conclude writes what is known of an execution that has ended, and ends the run like it.
func conclude(t *handler.Task, s *service.Settlement) error {
	t.Log("execution %d of thread %s, trigger %s", s.ExecCount, s.Thread, s.Trigger)
	if s.Recovered {
		t.Log("it was on its way when an earlier process ended")
	}
	for _, line := range stages(&s.Stages) {
		t.Log("%s", line)
	}
	if s.Tries > 0 {
		t.Log("tries that failed: %d%s", s.Tries, behind(job.Clean(s.Reason, 1000)))
	}
	if !s.Signature.IsZero() {
		t.Log("signature %s, slot %d, by %s, %s, %d compute units at %d micro lamports", s.Signature, s.Slot, s.Path, plural.Count(s.Fibers, "fiber"), s.Units, s.Price)
		t.Log("lamports: fee %d, before %d, after %d, expected %+d", s.Fee, s.Before, s.After, s.Expected)
	}
	for _, line := range s.Logs {
		t.Log("program: %s", line)
	}
	p := param{Thread: s.Thread.String(), Exec: s.ExecCount, Outcome: s.Outcome, Class: string(s.Class), Reason: s.Reason, Slot: s.Slot}
	if !s.Signature.IsZero() {
		p.Signature = s.Signature.String()
	}
	return p.endRun(t)
}

// stages are lines about the instants of an execution, each with what has gone by since the one before.
func stages(s *service.Stages) (lines []string) {
	before := time.Time{}
	for _, stage := range []struct {
		name string
		at   time.Time
	}{
		{"due", s.Due}, {"queued", s.Queued}, {"begun", s.Begun}, {"built", s.Built}, {"recorded", s.Recorded}, {"sent", s.Sent}, {"confirmed", s.Confirmed},
	} {
		if stage.at.IsZero() {
			continue
		}
		line := fmt.Sprintf("%-9s %s", stage.name, stage.at.UTC().Format("2006-01-02T15:04:05.000Z"))
		if !before.IsZero() && stage.name != "queued" { // the chain's clock is another one
			line += fmt.Sprintf(" +%s", stage.at.Sub(before).Round(10*time.Microsecond))
		}
		lines, before = append(lines, line), stage.at
	}
	return lines
}

// endRun ends a run as the execution ended. The result begins with the thread: lists of runs
// are searched by it.
func (p *param) endRun(t *handler.Task) error {
	name := fmt.Sprintf("%s#%d", p.Thread, p.Exec)
	switch p.Outcome {
	case service.Executed:
		t.Result(fmt.Sprintf("%s executed in slot %d: %s", name, p.Slot, p.Signature))
	case service.Superseded:
		t.Result(name + " superseded: another executor has executed it, or it was changed" + behind(job.Clean(p.Reason, 1000)))
	case service.Gone:
		t.Result(name + " the thread is closed" + behind(job.Clean(p.Reason, 1000)))
	case service.Buried:
		return fmt.Errorf("%s is a dead letter, %s: %s", name, p.Class, job.Clean(p.Reason, 2000))
	default:
		return job.Errorf(job.Invalid, "%q is no outcome of an execution: leave it out to have the thread executed", job.Clean(string(p.Outcome), 50))
	}
	return nil
}

// mostRedriven is how many dead letters one run drives again.
const mostRedriven = 1000

// redrive is the handler solana.redrive: its parameter is ids of dead letters, as JSON or with blanks or commas between them.
func (r *Report) redrive(ctx context.Context, t *handler.Task) error {
	ids, err := parseIDs(t.Param)
	if err != nil {
		return err
	}
	if err := r.config.Work.Redrive(ctx, ids...); err != nil {
		return fmt.Errorf("nothing is driven again: %w", err)
	}
	for _, id := range ids {
		t.Log("task %s is tried again", id)
	}
	t.Result(fmt.Sprintf("tried again: %d", len(ids)))
	return nil
}

func parseIDs(text string) ([]ledger.ID, error) {
	var words []string
	if text = strings.TrimSpace(text); strings.HasPrefix(text, "{") {
		var given struct {
			IDs []string `json:"ids"`
		}
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return nil, job.Errorf(job.Invalid, `the parameter is not like {"ids": ["17", "18"]}: %w`, err)
		}
		words = given.IDs
	} else {
		words = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r' })
	}
	if len(words) == 0 || len(words) > mostRedriven {
		return nil, job.Errorf(job.Invalid, "the parameter has %d ids of dead letters: 1 to %d are needed, as 'orth-solana queue list' shows them", len(words), mostRedriven)
	}
	ids := make([]ledger.ID, len(words))
	for i, word := range words {
		id, err := ledger.ParseID(word)
		if err != nil {
			return nil, err
		}
		ids[i] = id
	}
	return ids, nil
}
