package main

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// judgeRun checks that a run is over, that its attempts lead to its end, and that what is
// recorded of it is true.
func (j *judgement) judgeRun(d *definition, r *run) {
	name := d.Key + ": run " + r.ID
	if !r.Planned.IsZero() {
		name += " for " + stamp(r.Planned)
	}
	if !r.Final {
		j.fault("%s is still %s: %s", name, r.State, r.Reason)
		return
	}
	if len(r.Attempts) != r.Tries {
		j.fault("%s counts %d attempts and has %d", name, r.Tries, len(r.Attempts))
	}
	began := 0
	for i := range r.Attempts {
		a := &r.Attempts[i]
		j.judgeAttempt(d, name, r, a)
		if len(j.notes[a.ID]) > 0 {
			began++
		}
		switch {
		case a.RunID != r.ID || a.Number != i+1:
			j.fault("%s: attempt %s is number %d of run %s", name, a.ID, a.Number, a.RunID)
		case i < len(r.Attempts)-1 && a.State == "succeeded":
			j.fault("%s: attempt %s succeeded and another one followed", name, a.ID)
		}
	}
	if began > 1+d.Retry.Tries {
		j.fault("%s: %d of its attempts began, with %d retries", name, began, d.Retry.Tries)
	}
	j.judgeEnd(d, name, r)
}

// still and covered are reasons that name another run.
var (
	still   = regexp.MustCompile(`run (\d+) of this job is still running \(discard\)`)
	covered = regexp.MustCompile(`covered by run (\d+)`)
)

// judgeEnd checks how a run ended.
func (j *judgement) judgeEnd(d *definition, name string, r *run) {
	var last attempt
	if n := len(r.Attempts); n > 0 {
		last = r.Attempts[n-1]
	}
	if r.State != "succeeded" && r.Reason == "" && r.Message == "" {
		j.fault("%s is %s and says no reason", name, r.State)
	}
	switch r.State {
	case "succeeded":
		if last.State != "succeeded" {
			j.fault("%s is succeeded, and its last attempt is %q", name, last.State)
		}
		j.judgeCancels(name, r)
	case "failed", "timed_out", "lost":
		if last.State != r.State {
			j.fault("%s is %s, and its last attempt is %q", name, r.State, last.State)
		}
		if len(r.Attempts) < 1+d.Retry.Tries {
			j.fault("%s is %s after %d attempts, with %d retries: %s; %s", name, r.State, len(r.Attempts), d.Retry.Tries, r.Reason, r.Message)
		}
	case "cancelled":
		j.judgeCancelled(d, name, r)
	case "skipped":
		j.judgeSkipped(d, name, r)
	default:
		j.fault("%s ended as %q", name, r.State)
	}
}

// judgeCancels checks that no user asked for the end of a run before it succeeded.
func (j *judgement) judgeCancels(name string, r *run) {
	for _, a := range j.actions {
		if a.What != "cancel" || a.Run != r.ID || a.Fate != done {
			continue
		}
		for _, e := range j.notes[r.AttemptID] {
			if e.What == "end" && time.Unix(0, e.At).After(a.Ack) {
				j.fault("%s: its end was asked for at %s, it ran until %s, and is recorded as succeeded", name, stamp(a.Ack), stamp(time.Unix(0, e.At)))
			}
		}
	}
}

func (j *judgement) judgeCancelled(d *definition, name string, r *run) {
	asked := slices.ContainsFunc(j.actions, func(a action) bool {
		return a.What == "cancel" && a.Run == r.ID && a.Fate != refused && a.At.Before(r.Ended.Add(slack))
	})
	switch m := covered.FindStringSubmatch(r.Reason + r.Message); {
	case asked:
	case strings.HasPrefix(r.Reason, "the job was stopped"): // judged with its slot
	case d.Overlap == "cover" && m != nil:
		j.judgeOther(name, r, m[1])
	default:
		j.fault("%s is cancelled, and nobody asked for that: %s; %s", name, r.Reason, r.Message)
	}
}

func (j *judgement) judgeSkipped(d *definition, name string, r *run) {
	text := r.Reason + r.Message
	if strings.Contains(r.Reason, "misfire policy") { // judged with its slots
		return
	}
	if m := still.FindStringSubmatch(text); m != nil && d.Overlap == "discard" {
		if o := j.judgeOther(name, r, m[1]); o != nil && (o.Created.After(r.Ended.Add(slack)) || o.Ended.Before(r.Planned.Add(-slack))) {
			j.fault("%s says %q, and run %s was under way from %s to %s", name, r.Reason, o.ID, stamp(o.Created), stamp(o.Ended))
		}
		return
	}
	if m := covered.FindStringSubmatch(text); m != nil && d.Overlap == "cover" {
		j.judgeOther(name, r, m[1])
		return
	}
	j.fault("%s is skipped, and why cannot be true: %s; %s", name, r.Reason, r.Message)
}

// judgeOther checks that the run that a reason names is there, and of the same job.
func (j *judgement) judgeOther(name string, r *run, id string) *run {
	o := j.byID[id]
	if o == nil || o.JobKey != r.JobKey || o == r {
		j.fault("%s says %q, and run %s is no other run of the job", name, r.Reason, id)
		return nil
	}
	return o
}

// judgeAttempt checks what is recorded of an attempt against what its handler wrote.
func (j *judgement) judgeAttempt(d *definition, run string, r *run, a *attempt) {
	executor, notes := j.executor(a), j.notes[a.ID]
	name := run + ", attempt " + a.ID + " on " + executor
	begins, ends := 0, make(map[string]int)
	for _, e := range notes {
		at := time.Unix(0, e.At)
		if e.What == "end" {
			ends[e.End]++
			continue
		}
		begins++
		// An executor that stood still goes on with what it has, such as a task that was sent ahead.
		// On the family's wire a task does not say when it was sent: one that waited before the
		// executor is begun, too.
		stood := a.State == "lost" && (!a.Accepted.IsZero() || executor == familyExecutor) && j.hit(executor, a.Triggered, at, "pause")
		if !a.Ended.IsZero() && at.After(a.Ended.Add(slack)) && !stood {
			j.fault("%s began at %s, after it was recorded as %s at %s: %s", name, stamp(at), a.State, stamp(a.Ended), a.Message)
		}
		if at.Before(a.Triggered.Add(-slack)) {
			j.fault("%s began at %s, before it was sent at %s", name, stamp(at), stamp(a.Triggered))
		}
		if !r.Planned.IsZero() && at.Before(r.Planned.Add(-slack)) {
			j.fault("%s began at %s, before its time", name, stamp(at))
		}
	}
	if begins > 1 && d.OnCrash != "rerun" {
		j.fault("%s began %d times: %s", name, begins, j.history(a.ID))
	}
	crashed := j.hit(executor, a.Triggered, a.Ended.Add(slack), "kill", "stop", "move", "damage")
	full := j.hit(executor, a.Triggered, a.Ended.Add(slack), "full")
	said := a.State + " (" + a.Message + ")"
	if a.State != "succeeded" && a.Message == "" {
		j.fault("%s is %s and says nothing", name, a.State)
	}
	switch {
	case a.State == "succeeded":
		if ends["ok"] == 0 {
			j.fault("%s is recorded as succeeded, and wrote no such end: %s", name, j.history(a.ID))
		}
	case a.State == "failed" && strings.Contains(a.Message, madeToFail):
		if ends["failed"] == 0 {
			j.fault("%s is recorded as %s, and wrote no such end: %s", name, said, j.history(a.ID))
		}
	case a.State == "failed" && (strings.HasPrefix(a.Message, "executor stopped during the run") || strings.HasPrefix(a.Message, stoppedInOrder)):
		if !crashed {
			j.fault("%s is recorded as %s, and the executor did not stop", name, said)
		}
	case a.State == "failed" && full && strings.Contains(a.Message, "no space left"):
	case a.State == "failed" || a.State == "skipped":
		if begins > 0 {
			j.fault("%s is recorded as %s, and it ran: %s", name, said, j.history(a.ID))
		} else if !a.Accepted.IsZero() {
			j.fault("%s is recorded as %s, and was accepted at %s", name, said, stamp(a.Accepted))
		}
	case a.State == "cancelled" && (r.State == "cancelled" || d.Overlap == "cover"):
	case a.State == "lost":
		j.judgeLost(name, executor, a, begins, crashed)
	default:
		j.fault("%s is recorded as %s", name, said)
	}
}

// stoppedInOrder is the message of a task that a stopping executor did not wait for, in the
// words of XXL-JOB.
const stoppedInOrder = "web container destroy and kill the job."

// judgeLost checks that an executor could really not bring the outcome of an attempt.
func (j *judgement) judgeLost(name, executor string, a *attempt, begins int, crashed bool) {
	silent := j.silent(executor, a.Triggered, a.Ended)
	switch {
	case silent >= leastSilence || j.hit(executor, a.Triggered, a.Ended, "damage"):
	case begins == 0 && a.Accepted.IsZero() && j.troubled(a.Triggered.Add(-time.Second), a.Ended):
		// It never arrived, as the executor says.
	case begins == 0 && a.Accepted.IsZero():
		j.fault("%s is recorded as lost, and there was no fault: %s", name, a.Message)
	default:
		how := "was not cut off"
		if silent > 0 {
			how = "was cut off for " + silent.Round(time.Millisecond).String()
		}
		if crashed {
			how += ", it came back with its folder"
		}
		j.fault("%s is recorded as lost at %s (%s), and the executor %s: %s", name, stamp(a.Ended), a.Message, how, j.history(a.ID))
	}
}

// history is what the handlers wrote of an attempt.
func (j *judgement) history(id string) string {
	var all []string
	for _, e := range j.notes[id] {
		what := e.What
		if e.End != "" {
			what = e.End
		}
		all = append(all, what+" "+stamp(time.Unix(0, e.At)))
	}
	if len(all) == 0 {
		return "it never began"
	}
	return strings.Join(all, ", ")
}
