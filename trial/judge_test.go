package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2030, 1, 31, 12, 0, 0, 0, time.UTC)

func sec(n float64) time.Time { return noon.Add(time.Duration(n * float64(time.Second))) }

// clean is a book without a contradiction: a job that fires each second for six, one run of
// which was triggered, and a child of it.
func clean() *book {
	from, to := sec(0), sec(6)
	b := &book{plan: plan{From: from, To: to, Jobs: []definition{
		{Key: "tick", Enabled: true, Misfire: "skip", Overlap: "serial", Schedule: schedule{Kind: "cron", Cron: "* * * * * ?", Start: &from, End: &to}, Children: []child{{Key: "tock", On: "success"}}},
		{Key: "tock", Overlap: "serial", Schedule: schedule{Kind: "manual"}},
	}}}
	b.actions = []action{
		{What: "address", Target: "executor-1", Text: "http://one"},
		{What: "trigger", Job: "tock", Fate: done, Run: "20", At: sec(1), Ack: sec(1.1)},
		{What: "change", Job: "tick", Fate: done, Enabled: true, Schedule: &b.plan.Jobs[0].Schedule, At: sec(-3), Ack: sec(-2), Text: "made"},
	}
	add := func(id int, job, cause, causeID string, planned, began time.Time) {
		run := run{
			ID: fmt.Sprint(id), JobKey: job, Planned: planned, Cause: cause, CauseID: causeID, State: "succeeded", Final: true, Tries: 1,
			AttemptID: fmt.Sprint(100 + id), Created: began.Add(-time.Second), Started: began, Ended: began.Add(400 * time.Millisecond),
		}
		run.Attempts = []attempt{{
			ID: run.AttemptID, RunID: run.ID, Number: 1, Address: "http://one/", State: "succeeded",
			Triggered: began.Add(-50 * time.Millisecond), Accepted: began, Ended: run.Ended,
		}}
		b.runs = append(b.runs, run)
		e := entry{What: "begin", Attempt: run.AttemptID, Run: run.ID, Job: job, At: began.Add(10 * time.Millisecond).UnixNano(), Executor: "executor-1"}
		if !planned.IsZero() {
			e.Planned = planned.Format(time.RFC3339Nano)
		}
		b.evidence = append(b.evidence, e)
		e.What, e.End, e.At = "end", "ok", began.Add(300*time.Millisecond).UnixNano()
		b.evidence = append(b.evidence, e)
	}
	for i := range 6 {
		add(i+1, "tick", "schedule", "", sec(float64(i)), sec(float64(i)))
		add(i+11, "tock", "parent", fmt.Sprint(i+1), sec(float64(i)), sec(float64(i)+0.5))
	}
	add(20, "tock", "api", "", time.Time{}, sec(9))
	b.seen = []run{b.runs[0]}
	return b
}

func (b *book) run(id string) *run {
	return &b.runs[slices.IndexFunc(b.runs, func(r run) bool { return r.ID == id })]
}

func (b *book) entry(attempt, what string) *entry {
	return &b.evidence[slices.IndexFunc(b.evidence, func(e entry) bool { return e.Attempt == attempt && e.What == what })]
}

// ends gives a run and its only attempt another end.
func (b *book) ends(id, state, message string) *run {
	r := b.run(id)
	r.State, r.Message, r.Reason = state, message, message
	r.Attempts[0].State, r.Attempts[0].Message = state, message
	return r
}

// lostWhilePaused has an attempt begin after it was recorded as lost, on an executor that stood
// still until then.
func (b *book) lostWhilePaused(executor string) {
	r := b.ends("20", "lost", "gone")
	a := &r.Attempts[0]
	a.Accepted, a.Triggered, a.Ended = time.Time{}, sec(9), sec(40)
	r.Started, r.Ended = time.Time{}, sec(40)
	a.Address = "http://three"
	b.actions = append(b.actions, action{What: "address", Target: executor, Text: "http://three"})
	for what, at := range map[string]time.Time{"begin": sec(45), "end": sec(45.3)} {
		e := b.entry(a.ID, what)
		e.At, e.Executor = at.UnixNano(), executor
	}
	b.fault("pause", executor, executor, sec(8), sec(44.9))
}

func (b *book) drop(id string) {
	b.evidence = slices.DeleteFunc(b.evidence, func(e entry) bool { return e.Run == id })
	b.runs = slices.DeleteFunc(b.runs, func(r run) bool { return r.ID == id || r.CauseID == id })
	known := func(e entry) bool { return !slices.ContainsFunc(b.runs, func(r run) bool { return r.ID == e.Run }) }
	b.evidence = slices.DeleteFunc(b.evidence, known)
}

// fault is a time in which something was wrong with an executor.
func (b *book) fault(kind, target, cut string, from, to time.Time) {
	b.actions = append(b.actions, action{What: "fault", Kind: kind, Target: target, Cut: cut, At: from, Ack: to})
}

// stopsLate has a slot cancelled by a stop that was acknowledged after it, while a server had a
// fault, or none.
func (b *book) stopsLate(kind string) {
	b.drop("6")
	b.runs = append(b.runs, run{
		ID: "6", JobKey: "tick", Planned: sec(5), Cause: "schedule", State: "cancelled", Final: true, Created: sec(8), Ended: sec(8),
		Reason: "the job was stopped before the firing was made up for",
	})
	b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: done, Schedule: &b.plan.Jobs[0].Schedule, At: sec(7), Ack: sec(8)})
	if kind != "" {
		b.actions = append(b.actions, action{What: "fault", Kind: kind, Target: "server-1", At: sec(4.5), Ack: sec(7.9)})
	}
}

// TestJudge falsifies one thing after the other in a book without a contradiction.
func TestJudge(t *testing.T) {
	t.Parallel()
	if found, _ := judge(clean()); len(found) > 0 {
		t.Fatalf("the clean book has contradictions: %q", found)
	}
	for name, c := range map[string]struct {
		do   func(b *book)
		want string // empty: no contradiction
	}{
		"a slot without a run": {func(b *book) { b.drop("3") }, "the slot 12:00:02.000 is lost"},
		"a slot with two runs": {func(b *book) { b.run("3").Planned = sec(1) }, "is doubled"},
		"a run for no slot":    {func(b *book) { b.run("3").Planned = sec(7) }, "is no slot of the job"},
		"a slot while it was stopped": {func(b *book) {
			b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: done, Schedule: &b.plan.Jobs[0].Schedule, At: sec(4.5), Ack: sec(4.6)})
		}, "run 6 (succeeded) is for 12:00:05.000, which is no slot"},
		"a slot right after a stop": {func(b *book) {
			b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: done, Schedule: &b.plan.Jobs[0].Schedule, At: sec(4.97), Ack: sec(4.98)})
		}, ""},
		"a slot before it was made": {func(b *book) { b.actions[2].At, b.actions[2].Ack = sec(1.1), sec(1.2) }, "run 1 (succeeded) is for 12:00:00.000, which is no slot"},
		"none while it was stopped": {func(b *book) {
			b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: done, Schedule: &b.plan.Jobs[0].Schedule, At: sec(4.5), Ack: sec(4.6)})
			b.drop("6")
		}, ""},
		"either while it was being stopped": {func(b *book) {
			b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: done, Schedule: &b.plan.Jobs[0].Schedule, At: sec(4.5), Ack: sec(5.1)})
		}, ""},
		"either after a stop of unknown fate": {func(b *book) {
			b.actions = append(b.actions, action{What: "change", Job: "tick", Fate: unknown, Schedule: &b.plan.Jobs[0].Schedule, At: sec(2.5), Ack: sec(2.6)})
			b.drop("5")
		}, ""},
		"cancelled by a stop that never was": {func(b *book) {
			r := b.run("3")
			b.drop("3")
			*r = run{ID: "3", JobKey: "tick", Planned: sec(2), Cause: "schedule", State: "cancelled", Final: true, Reason: "the job was stopped: before it was due"}
			b.runs = append(b.runs, *r)
		}, "and the job was enabled then"},
		"cancelled by a stop that came before a late firing":   {func(b *book) { b.stopsLate("pause") }, ""},
		"cancelled by a stop that came after a firing in time": {func(b *book) { b.stopsLate("") }, "and the job was enabled then"},
		"a missed firing": {func(b *book) { b.misses(1, sec(20)) }, ""},
		"missed firings":  {func(b *book) { b.misses(3, sec(20)) }, ""},
		"missed firings that are too many": {func(b *book) {
			b.misses(3, sec(20))
			b.runs[len(b.runs)-1].Reason = strings.Replace(b.runs[len(b.runs)-1].Reason, "3 firings", "4 firings", 1)
		}, "3 to 3 slots of that time have no run"},
		"a missed firing that was not late":  {func(b *book) { b.misses(1, sec(3)) }, "missed is what comes 5s late"},
		"a missed firing without a fault":    {func(b *book) { b.misses(1, sec(20)); b.actions = b.actions[:len(b.actions)-1] }, "there was no fault at that time"},
		"a missed firing against the policy": {func(b *book) { b.misses(1, sec(20)); b.plan.Jobs[0].Misfire = "fire_all" }, "the policy of the job is fire_all"},
		"a run that is not over":             {func(b *book) { r := b.run("20"); r.Final, r.State = false, "running" }, "is still running"},
		"an end without a reason":            {func(b *book) { b.ends("20", "failed", "") }, "says no reason"},
		"an attempt that nobody knows":       {func(b *book) { b.run("20").Attempts, b.run("20").Tries = nil, 0 }, "no server knows the attempt"},
		"an attempt of two runs":             {func(b *book) { b.run("20").Attempts[0].ID = "101" }, "belongs to the runs"},
		"another executor":                   {func(b *book) { b.entry("101", "begin").Executor = "executor-2" }, "the servers sent it to executor-1"},
		"another slot":                       {func(b *book) { b.entry("101", "end").Planned = sec(1).Format(time.RFC3339) }, "the servers have it for run 1"},
		"a success that never was":           {func(b *book) { b.entry("120", "end").End = "failed" }, "wrote no such end"},
		"a failure that never was":           {func(b *book) { b.ends("20", "failed", "exit status 1: made to fail") }, "wrote no such end"},
		"a failure of what ran":              {func(b *book) { b.ends("20", "failed", "no executor took it") }, "and it ran"},
		"a crash that never was":             {func(b *book) { b.ends("20", "failed", "executor stopped during the run") }, "the executor did not stop"},
		"a stop in order that never was":     {func(b *book) { b.ends("20", "failed", stoppedInOrder+" [job running, killed]") }, "the executor did not stop"},
		"a crash": {func(b *book) {
			b.ends("20", "failed", "executor stopped during the run")
			b.fault("kill", "executor-1", "executor-1", sec(9.1), sec(9.3))
		}, ""},
		"a loss that never was": {func(b *book) { b.ends("20", "lost", "executor http://one is gone") }, "was not cut off"},
		"a loss after a short cut": {func(b *book) {
			b.ends("20", "lost", "gone")
			b.fault("pause", "executor-1", "executor-1", sec(8), sec(10))
		}, "was cut off for 2s"},
		"a loss after a long cut": {func(b *book) {
			b.ends("20", "lost", "gone")
			b.fault("pause", "executor-1", "executor-1", sec(8), sec(40))
		}, ""},
		"a loss after the only server was cut off": {func(b *book) {
			b.ends("20", "lost", "gone")
			b.fault("partition", "server-1", allOfThem, sec(8), sec(40))
		}, ""},
		"a run whose trigger was answered to nobody": {func(b *book) { b.actions[1].Fate, b.actions[1].Run = unheard, "" }, ""},
		"two starts of an attempt":                   {func(b *book) { b.evidence = append(b.evidence, *b.entry("120", "begin")) }, "began 2 times"},
		"a start after its end":                      {func(b *book) { b.run("20").Attempts[0].Ended = sec(8) }, "after it was recorded as succeeded"},
		"a start after a loss":                       {func(b *book) { b.lostWhilePaused("executor-1") }, "after it was recorded as lost"},
		"a start after a loss of what it had": {func(b *book) {
			b.lostWhilePaused("executor-1")
			b.run("20").Attempts[0].Accepted = sec(9)
		}, ""},
		"a start after a loss, by the family's wire": {func(b *book) { b.lostWhilePaused(familyExecutor) }, ""},
		"a start after a loss without a pause": {func(b *book) {
			b.lostWhilePaused(familyExecutor)
			b.actions[len(b.actions)-1].Kind = "partition"
		}, "after it was recorded as lost"},
		"a start before its time":    {func(b *book) { b.entry("101", "begin").At = sec(-1).UnixNano() }, "before its time"},
		"an attempt after a success": {func(b *book) { b.again("20", "121", sec(10)) }, "succeeded and another one followed"},
		"a retry that may not be": {func(b *book) {
			b.again("20", "121", sec(10))
			b.run("20").Attempts[0].State, b.run("20").Attempts[0].Message = "lost", "gone"
			b.fault("pause", "executor-1", "executor-1", sec(8), sec(40))
		}, "2 of its attempts began, with 0 retries"},
		"two at once of a serial job":    {func(b *book) { b.entry("102", "begin").At = sec(0.25).UnixNano() }, "began on executor-1 at 12:00:00.250 while attempt 101 ran"},
		"a child that is missing":        {func(b *book) { b.drop("14") }, "started its child tock 0 times, not 1"},
		"a child too many":               {func(b *book) { b.run("14").CauseID = "3" }, "started its child tock 2 times, not 1"},
		"a promise without a run":        {func(b *book) { b.drop("20") }, "run 20 was promised"},
		"a run that nobody asked for":    {func(b *book) { b.actions[1].Fate = refused }, "was triggered by nobody"},
		"two ends":                       {func(b *book) { b.seen[0].State = "lost" }, "was recorded twice"},
		"an end that is gone":            {func(b *book) { b.seen[0].ID = "77" }, "is not there any more"},
		"a cancel that nobody asked for": {func(b *book) { b.ends("20", "cancelled", "cancelled by a user") }, "nobody asked for that"},
		"a success after a cancel": {func(b *book) {
			b.actions = append(b.actions, action{What: "cancel", Run: "20", Fate: done, At: sec(9.1), Ack: sec(9.2)})
		}, "and is recorded as succeeded"},
		"a skip without a true reason": {func(b *book) { b.ends("20", "skipped", "run 19 of this job is still running (discard)") }, "why cannot be true"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := clean()
			c.do(b)
			found, _ := judge(b)
			if c.want == "" && len(found) > 0 {
				t.Errorf("contradictions: %q", found)
			}
			if c.want != "" && !slices.ContainsFunc(found, func(f string) bool { return strings.Contains(f, c.want) }) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
}

// misses takes the first n slots of tick away and records that they were missed.
func (b *book) misses(n int, at time.Time) {
	for i := range n {
		b.drop(fmt.Sprint(i + 1))
	}
	b.seen = nil
	reason := "the firing of 2030-01-31T12:00:00Z was missed; misfire policy skip let it go"
	if n > 1 {
		reason = fmt.Sprintf("%d firings from 2030-01-31T12:00:00Z to %s were missed; misfire policy skip let them go", n, sec(float64(n-1)).Format(time.RFC3339))
	}
	b.runs = append(b.runs, run{ID: "50", JobKey: "tick", Planned: sec(0), Cause: "misfire", State: "skipped", Final: true, Reason: reason, Created: at, Ended: at})
	b.fault("kill", "server-1", "", sec(-1), sec(10))
}

// again gives a run a second attempt that succeeds.
func (b *book) again(id, attempt string, at time.Time) {
	r := b.run(id)
	second := r.Attempts[0]
	second.ID, second.Number, second.Triggered, second.Accepted, second.Ended = attempt, 2, at, at, at.Add(time.Second)
	r.Attempts = append(r.Attempts, second)
	r.Tries, r.AttemptID = 2, attempt
	for _, what := range []string{"begin", "end"} {
		e := *b.entry(r.Attempts[0].ID, what)
		e.Attempt, e.At = attempt, at.Add(100*time.Millisecond).UnixNano()
		if what == "end" {
			e.At = at.Add(200 * time.Millisecond).UnixNano()
		}
		b.evidence = append(b.evidence, e)
	}
}

// TestBookIsKept writes a book as a trial does, and reads it again.
func TestBookIsKept(t *testing.T) {
	t.Parallel()
	dir, b := t.TempDir(), clean()
	write := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	write(writeJSON(dir+"/"+planFile, b.plan))
	write(writeJSON(dir+"/"+accountsFile, b.runs))
	for _, a := range b.actions {
		write(appendLine(dir+"/"+actionsFile, a))
	}
	for _, e := range b.evidence {
		write(appendLine(dir+"/evidence-executor-1.jsonl", e))
	}
	write(judgeFolder(dir))
	b.drop("3")
	write(writeJSON(dir+"/"+accountsFile, b.runs))
	if err := judgeFolder(dir); err == nil || !strings.Contains(err.Error(), "contradictions") {
		t.Errorf("without a run: %v", err)
	}
}

// What a crash interrupts has ended when something begins after it.
func TestOverlapAfterACrash(t *testing.T) {
	note := func(attempt, what string, at int64) entry {
		return entry{What: what, Attempt: attempt, Job: "again", At: at}
	}
	for _, c := range []struct {
		notes []entry // in the order of time
		want  int
	}{
		{[]entry{note("1", "begin", 1), note("1", "begin", 5), note("1", "end", 6)}, 0},
		{[]entry{note("1", "begin", 1), note("2", "begin", 4), note("2", "end", 5), note("1", "begin", 6), note("1", "end", 7)}, 0},
		{[]entry{note("1", "begin", 1), note("1", "begin", 5), note("2", "begin", 6), note("1", "end", 7), note("2", "end", 8)}, 1},
	} {
		j := &judgement{book: &book{evidence: c.notes}, notes: make(map[string][]entry), attempts: map[string]*attempt{"1": {}, "2": {}}}
		for _, n := range c.notes {
			j.notes[n.Attempt] = append(j.notes[n.Attempt], n)
		}
		j.judgeOverlap(&definition{Key: "again", Overlap: "serial"})
		if len(j.found) != c.want {
			t.Errorf("%+v: found %q, want %d", c.notes, j.found, c.want)
		}
	}
}
