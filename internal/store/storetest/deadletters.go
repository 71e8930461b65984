package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

func deadLetterTests() []test {
	return []test{
		{"bad ends make dead letters, others do not", lettersOfEnds},
		{"a retry is no end", letterOfLastAttempt},
		{"a run that gives up while it waits becomes one", letterOfGivingUp},
		{"what a user stops becomes none", letterOfStopped},
		{"a letter has what people need", letterIsRead},
		{"an end that does not come true buries nothing", letterWithItsEnd},
		{"letters are found by each filter, in pages", lettersFound},
		{"letters are sorted, page by page", lettersSorted},
		{"a redriven run is of the job as it is now, for the same slot", redriveMakesRun},
		{"a dead run is redriven once for concurrent requests", redriveOnce},
		{"each redrive of many stands alone", redriveMany},
		{"a closed letter leaves the open ones", letterClosed},
		{"a letter goes with its run", letterPruned},
	}
}

// bury makes a dead letter: a run for a slot that ends in the state.
func (b *bench) bury(j job.Job, slot time.Time, end job.State, edit ...func(*completer.Completion)) job.Run {
	b.Helper()
	r := b.firing(j, slot)
	r.ReadyAt, r.DueAt = b.now, b.now
	b.ok(b.AddRun(b.ctx(), r))
	c := b.completion(b.dispatch(b.run(r.ID)), end)
	c.Reason = "gave up"
	for _, fn := range edit {
		fn(&c)
	}
	b.same("completion", b.commit(c), []bool{true})
	return b.run(r.ID)
}

// letter returns the dead letter of a run, nil when there is none.
func (b *bench) letter(run int64) *job.DeadLetter {
	b.Helper()
	found, err := b.DeadLettersOf(b.ctx(), []int64{run})
	b.ok(err)
	if len(found) == 0 {
		return nil
	}
	b.same("number of letters", len(found), 1)
	return &found[0]
}

func (b *bench) letters(f deadletters.LetterFilter) []int64 {
	b.Helper()
	f.Sight = everywhere
	found, err := b.DeadLetters(b.ctx(), f)
	b.ok(err)
	ids := make([]int64, len(found))
	for i, d := range found {
		ids[i] = d.RunID
	}
	return ids
}

// wish asks for a run in the place of a dead one.
func (b *bench) wish(dead int64) deadletters.Redrive {
	b.Helper()
	return deadletters.Redrive{Dead: dead, ID: b.runID(), ReadyAt: b.at(30), Now: b.at(20)}
}

func (b *bench) redrive(wanted ...deadletters.Redrive) []deadletters.Redriven {
	b.Helper()
	results, err := b.RedriveLetters(b.ctx(), wanted)
	b.ok(err)
	b.same("number of results", len(results), len(wanted))
	return results
}

func (b *bench) closeLetters(reason string, runs ...int64) []error {
	b.Helper()
	refused, err := b.CloseLetters(b.ctx(), runs, reason, b.at(50))
	b.ok(err)
	b.same("number of results", len(refused), len(runs))
	return refused
}

func lettersOfEnds(b *bench) {
	j := b.create()
	for i, end := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Cancelled, job.Lost, job.Skipped} {
		r := b.bury(j, b.at(i), end)
		d := b.letter(r.ID)
		if dead := end == job.Failed || end == job.TimedOut || end == job.Lost; (d != nil) != dead {
			b.Errorf("the letter of a run that is %s: %+v", end, d)
		}
	}
	part := b.bury(j, b.at(9), job.Failed, func(c *completer.Completion) { c.Cause = job.CauseShard })
	if d := b.letter(part.ID); d != nil {
		b.Errorf("the letter of a part of a run: %+v", d)
	}
	waiting := b.trigger(j, b.now)
	_, err := b.CancelRun(b.ctx(), waiting.ID, "", b.now)
	b.ok(err)
	b.same("number of letters", len(b.letters(deadletters.LetterFilter{})), 3)
}

func letterOfLastAttempt(b *bench) {
	j := b.create()
	r := b.retrying(b.trigger(j, b.now), b.at(10))
	if d := b.letter(r.ID); d != nil {
		b.Fatalf("a run that is tried again has a letter: %+v", d)
	}
	b.complete(b.dispatch(r), job.Succeeded)
	if d := b.letter(r.ID); d != nil {
		b.Fatalf("a run that succeeded at last has a letter: %+v", d)
	}
	r = b.retrying(b.trigger(j, b.now), b.at(10))
	last := b.dispatch(r)
	b.complete(last, job.Lost)
	b.same("tries", b.letter(r.ID).Tries, 2)
	b.same("a second outcome", b.commit(b.completion(last, job.Failed)), []bool{false})
	b.same("state", b.letter(r.ID).State, job.Lost)
}

func letterOfGivingUp(b *bench) {
	j := b.create()
	r := b.retrying(b.trigger(j, b.now), b.at(10))
	c := b.completion(job.Attempt{ID: r.AttemptID, RunID: r.ID}, job.Lost)
	c.Waiting, c.Reason = true, "the deadline has passed"
	b.same("given up", b.commit(c), []bool{true})
	d := b.letter(r.ID)
	b.same("why", []string{d.Message, d.Reason, string(d.State)}, []string{"said failed", "the deadline has passed", "lost"})
	b.same("given up again", b.commit(c), []bool{false})
}

// The failure was decided before the stop, and comes after it.
func letterOfStopped(b *bench) {
	a := b.stopping(b.create())
	b.complete(a, job.Failed)
	b.state(a.RunID, job.Cancelled)
	if d := b.letter(a.RunID); d != nil {
		b.Errorf("the letter of a run that was stopped: %+v", d)
	}
}

func letterIsRead(b *bench) {
	j := b.create(func(j *job.Job) { j.Group = "reports" })
	r := b.bury(j, b.at(-60), job.TimedOut, func(c *completer.Completion) { c.Message = strings.Repeat("ö", job.MaxDeadMessage+1) })
	want := job.DeadLetter{
		RunID: r.ID, JobID: j.ID, JobKey: j.Key, Namespace: j.Namespace, Group: "reports", State: job.TimedOut,
		Cause: job.CauseSchedule, PlannedAt: b.at(-60), Tries: 1, EndedAt: b.at(6), Message: strings.Repeat("ö", job.MaxDeadMessage),
		Reason: "gave up", Status: job.LetterOpen,
	}
	b.same("letter", *b.letter(r.ID), want)
	b.reopen()
	b.same("letter after a restart", *b.letter(r.ID), want)
	b.ok(b.DeleteJob(b.ctx(), b.job(j.Key), ""))
	want.JobDeleted = true
	b.same("letter of a deleted job", *b.letter(r.ID), want)
	var runs []int64
	for i := range 60 {
		runs = append(runs, r.ID-int64(i))
	}
	found, err := b.DeadLettersOf(b.ctx(), runs)
	b.ok(err)
	b.same("letters of many runs", len(found), 1)
}

func letterWithItsEnd(b *bench) {
	j := b.create()
	a := b.dispatch(b.trigger(j, b.now))
	good, bad := b.completion(a, job.Failed), b.completion(a, job.Failed)
	bad.Outcome = job.Running
	_, err := b.CommitCompletions(b.ctx(), []completer.Completion{good, bad})
	b.kind(err, job.Invalid)
	if d := b.letter(a.RunID); d != nil {
		b.Fatalf("a letter of a run that goes on: %+v", d)
	}
	b.state(a.RunID, job.Dispatched)
}

func lettersFound(b *bench) {
	one, two := b.create(), b.create(func(j *job.Job) { j.Group, j.Namespace = "others", "squad" })
	ends := []job.State{job.Failed, job.TimedOut, job.Lost}
	var ids []int64 // newest first
	for i := range 6 {
		r := b.bury([]job.Job{one, two}[i%2], b.at(i), ends[i%3], func(c *completer.Completion) {
			c.Message, c.EndedAt = fmt.Sprintf("Cannot CONNECT to 10.0.0.%d", i), b.at(i)
		})
		ids = slices.Insert(ids, 0, r.ID)
	}
	b.closeLetters("", ids[5])
	b.redrive(b.wish(ids[4]))
	pick := func(at ...int) []int64 {
		picked := []int64{}
		for _, i := range at {
			picked = append(picked, ids[i])
		}
		return picked
	}
	for name, c := range map[string]struct {
		filter deadletters.LetterFilter
		want   []int64
	}{
		"all":              {deadletters.LetterFilter{}, ids},
		"open":             {deadletters.LetterFilter{Status: job.LetterOpen}, ids[:4]},
		"closed":           {deadletters.LetterFilter{Status: job.LetterClosed}, pick(5)},
		"redriven":         {deadletters.LetterFilter{Status: job.LetterRedriven}, pick(4)},
		"of a job":         {deadletters.LetterFilter{JobID: one.ID}, pick(1, 3, 5)},
		"open of a job":    {deadletters.LetterFilter{JobID: one.ID, Status: job.LetterOpen}, pick(1, 3)},
		"of a group":       {deadletters.LetterFilter{Group: "others"}, pick(0, 2, 4)},
		"of no group":      {deadletters.LetterFilter{Group: "nobody"}, pick()},
		"of a namespace":   {deadletters.LetterFilter{Namespace: "squad", Status: job.LetterOpen}, pick(0, 2)},
		"in a state":       {deadletters.LetterFilter{State: job.Lost}, pick(0, 3)},
		"since":            {deadletters.LetterFilter{Since: b.at(4)}, pick(0, 1)},
		"until":            {deadletters.LetterFilter{Until: b.at(2)}, pick(4, 5)},
		"with a text":      {deadletters.LetterFilter{Text: "connect to 10.0.0.3"}, pick(2)},
		"with a wild card": {deadletters.LetterFilter{Text: "%"}, pick()},
		"a page":           {deadletters.LetterFilter{BeforeRun: ids[1], Limit: 2}, pick(2, 3)},
		"a page of a job":  {deadletters.LetterFilter{JobID: one.ID, BeforeRun: ids[1], Limit: 1}, pick(3)},
		"a page of open":   {deadletters.LetterFilter{Status: job.LetterOpen, BeforeRun: ids[1], Limit: 1}, pick(2)},

		"the oldest":                 {deadletters.LetterFilter{Oldest: true}, pick(5, 4, 3, 2, 1, 0)},
		"the oldest, a page":         {deadletters.LetterFilter{Oldest: true, AfterRun: ids[5], Limit: 2}, pick(4, 3)},
		"the oldest of a job":        {deadletters.LetterFilter{Oldest: true, JobID: one.ID}, pick(5, 3, 1)},
		"the oldest open":            {deadletters.LetterFilter{Oldest: true, Status: job.LetterOpen, AfterRun: ids[3], Limit: 2}, pick(2, 1)},
		"the oldest of other groups": {deadletters.LetterFilter{Oldest: true, Group: "others", Limit: 2}, pick(4, 2)},
	} {
		b.same(name, b.letters(c.filter), c.want)
	}
}

// lettersSorted compares the pages of each order with what is sorted by hand, for all and
// within filters; a letter that is written in between is on no page.
func lettersSorted(b *bench) {
	jobs := []job.Job{
		b.create(), b.create(func(j *job.Job) { j.Key, j.Group, j.Namespace = "a", "others", "squad" }), b.create(func(j *job.Job) { j.Key = "a" }),
	}
	for i := range 12 {
		b.bury(jobs[i%3], b.at(i), []job.State{job.Failed, job.Lost}[i%2], func(c *completer.Completion) { c.EndedAt = b.at(100 - i%5) })
	}
	b.closeLetters("seen", b.letters(deadletters.LetterFilter{})[3])
	late := 0
	for _, f := range []deadletters.LetterFilter{
		{}, {Status: job.LetterOpen}, {JobID: jobs[1].ID}, {Namespace: "squad", State: job.Lost}, {Group: "nobody"},
	} {
		for _, o := range []jobrows.Order{
			{By: jobrows.ByEnded}, {By: jobrows.ByEnded, Down: true}, {By: jobrows.ByJob}, {By: jobrows.ByJob, Down: true}, {By: jobrows.ByTries, Down: true},
		} {
			f.Sight, f.Limit, f.Order, f.Mark = everywhere, 1000, jobrows.Order{}, nil
			all, err := b.DeadLetters(b.ctx(), f)
			b.ok(err)
			want := sortedByHand(all, o)
			f.Order, f.Limit = o, 5
			got := []int64{}
			for more := true; more; {
				page, err := b.LetterRanks(b.ctx(), f)
				b.ok(err)
				b.same("cut", page.Since.IsZero(), true)
				for i := range page.Letters {
					got, f.Mark = append(got, page.Letters[i].RunID), &page.Marks[i]
				}
				if more = page.More; more && o.Down {
					late++
					b.bury(jobs[0], b.at(1000+late), job.Failed)
				}
			}
			b.same(fmt.Sprintf("%+v by %+v", f, o), got, want)
		}
	}
	blind, err := b.LetterRanks(b.ctx(), deadletters.LetterFilter{Order: jobrows.Order{By: jobrows.ByJob}})
	b.ok(err)
	b.same("without sight", len(blind.Letters), 0)
}

// sortedByHand returns the runs of letters in an order.
func sortedByHand(all []job.DeadLetter, o jobrows.Order) []int64 {
	slices.SortStableFunc(all, func(a, b job.DeadLetter) int {
		order := map[string]int{
			jobrows.ByEnded: a.EndedAt.Compare(b.EndedAt), jobrows.ByTries: cmp.Compare(a.Tries, b.Tries),
			jobrows.ByJob: cmp.Or(cmp.Compare(a.JobKey, b.JobKey), cmp.Compare(a.Namespace, b.Namespace)),
		}[o.By]
		if o.Down {
			order = -order
		}
		return cmp.Or(order, cmp.Compare(b.RunID, a.RunID))
	})
	runs := []int64{}
	for i := range all {
		runs = append(runs, all[i].RunID)
	}
	return runs
}

func redriveMakesRun(b *bench) {
	j := b.create()
	r := b.firing(j, b.at(-60))
	r.ReadyAt, r.DueAt, r.Param, r.Addresses = b.now, b.now, new("größe=1"), []string{executorAddress}
	b.ok(b.AddRun(b.ctx(), r))
	b.complete(b.dispatch(b.run(r.ID)), job.TimedOut)
	dead := b.run(r.ID)
	j = b.save(j, func(j *job.Job) { j.Group = changed })

	result := b.redrive(b.wish(dead.ID))[0]
	b.ok(result.Err)
	want := job.Run{
		ID: result.Run.ID, JobID: j.ID, JobKey: j.Key, JobVersion: j.Version, GroupID: j.GroupID, PlannedAt: b.at(-60),
		Cause: job.CauseRedrive, CauseID: dead.ID, State: job.Planned, Reason: fmt.Sprintf("in the place of run %d, which timed out", dead.ID),
		ReadyAt: b.at(30), DueAt: b.at(30), CreatedAt: b.at(20), Param: new("größe=1"),
	}
	b.same("result", result.Run, want)
	b.same("run", b.run(want.ID), want)
	b.same("dead run", b.run(dead.ID), dead)
	d := b.letter(dead.ID)
	b.same("letter", []any{d.Status, d.RedrivenRun}, []any{job.LetterRedriven, want.ID})
	b.same("claimed", idsOf(b.claim(b.at(30), b.at(40), 9, j.GroupID)), []int64{want.ID})

	b.complete(b.dispatch(b.run(want.ID)), job.Failed) // it dies too, and is redriven in turn
	wish := b.wish(want.ID)
	wish.Param, wish.JobVersion = new(""), 77 // the job was another one then
	b.kind(b.redrive(wish)[0].Err, job.Conflict)
	b.same("status", b.letter(want.ID).Status, job.LetterOpen)
	wish.JobVersion = b.job(j.Key).Version
	again := b.redrive(wish)[0]
	b.ok(again.Err)
	b.same("parameter", *again.Run.Param, "")
	b.same("slot", again.Run.PlannedAt, dead.PlannedAt)
}

func redriveOnce(b *bench) {
	const askers = 100
	j := b.create()
	dead := b.bury(j, b.now, job.Failed)
	results := make([]deadletters.Redriven, askers)
	var wg sync.WaitGroup
	for i := range askers {
		wish := b.wish(dead.ID)
		wg.Go(func() {
			made, err := b.RedriveLetters(b.ctx(), []deadletters.Redrive{wish})
			if err != nil {
				b.Errorf("redrive: %v", err)
				return
			}
			results[i] = made[0]
		})
	}
	wg.Wait()
	winner := b.letter(dead.ID).RedrivenRun
	made := 0
	for _, r := range results {
		switch {
		case r.Err == nil:
			made++
			b.same("the one run", r.Run.ID, winner)
		case !job.Is(r.Err, job.Conflict) || !strings.Contains(r.Err.Error(), fmt.Sprintf("as run %d", winner)):
			b.Errorf("a later redrive: %v", r.Err)
		}
	}
	b.same("runs made", made, 1)
	b.same("runs of the job", idsOf(b.runs(j)), []int64{winner, dead.ID})
}

func redriveMany(b *bench) {
	j, gone := b.create(), b.create()
	first, second, orphan := b.bury(j, b.at(1), job.Failed), b.bury(j, b.at(2), job.Lost), b.bury(gone, b.at(1), job.Failed)
	alive := b.over(j, job.Succeeded)
	b.ok(b.DeleteJob(b.ctx(), b.job(gone.Key), ""))
	b.closeLetters("", second.ID)
	results := b.redrive(b.wish(first.ID), b.wish(orphan.ID), b.wish(777_777), b.wish(alive.ID), b.wish(first.ID), b.wish(second.ID))
	for i, want := range []job.Kind{"", job.NotFound, job.NotFound, job.NotFound, job.Conflict, ""} {
		b.kind(results[i].Err, want)
	}
	b.same("dead runs", []int64{results[0].Dead, results[5].Dead}, []int64{first.ID, second.ID})
	b.same("runs of the job", len(b.runs(j)), 5)
	b.same("runs of the deleted job", len(b.runs(gone)), 1)
	b.same("open", b.letters(deadletters.LetterFilter{Status: job.LetterOpen}), []int64{orphan.ID})
	d := b.letter(second.ID)
	b.same("redriven after it was closed", []any{d.Status, d.ClosedAt}, []any{job.LetterRedriven, b.at(50)})
	b.same("none", len(b.redrive()), 0)
}

func letterClosed(b *bench) {
	j := b.create()
	first, second := b.bury(j, b.at(1), job.Failed), b.bury(j, b.at(2), job.Lost)
	made := b.redrive(b.wish(second.ID))[0].Run.ID
	refused := b.closeLetters("known", first.ID, second.ID, 777_777)
	b.same("closed", refused[0], nil)
	b.kind(refused[1], job.Conflict)
	b.kind(refused[2], job.NotFound)
	if !strings.Contains(refused[1].Error(), fmt.Sprintf("as run %d", made)) {
		b.Errorf("the refusal is %v", refused[1])
	}
	d := b.letter(first.ID)
	b.same("letter", []any{d.Status, d.ClosedAt, d.ClosedReason}, []any{job.LetterClosed, b.at(50), "known"})
	b.same("closed again", b.closeLetters("other", first.ID)[0], nil)
	b.same("the first reason stays", b.letter(first.ID).ClosedReason, "known")
	b.same("open", b.letters(deadletters.LetterFilter{Status: job.LetterOpen}), []int64{})
	b.same("none", len(b.closeLetters("")), 0)
}

func letterPruned(b *bench) {
	j := b.create()
	pruned, kept := b.bury(j, b.at(1), job.Failed), b.bury(j, b.at(2), job.Failed)
	b.same("removed", b.remove(pruned.ID), 1)
	b.missing(pruned.ID)
	b.same("letters", b.letters(deadletters.LetterFilter{}), []int64{kept.ID})
	b.kind(b.redrive(b.wish(pruned.ID))[0].Err, job.NotFound)
	b.kind(b.closeLetters("", pruned.ID)[0], job.NotFound)
}
