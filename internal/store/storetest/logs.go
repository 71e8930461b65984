package storetest

import (
	"slices"
	"strings"
	"time"

	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

func logTests() []test {
	return []test{
		{"the log retention of a job is kept", logPolicyKept},
		{"the end of an attempt owes its log", logOwed},
		{"a job without logs owes none", logNotOwed},
		{"a second end owes nothing more", logOwedOnce},
		{"an owed log is taken over once", logClaimed},
		{"open attempts are found with what is stored", logsOpen},
		{"a log grows in order", logGrows},
		{"a log that was stored by another is left alone", logKeptOnce},
		{"the debt stays when the writer has not heard of the end", logDebtStays},
		{"a log that was cut owes nothing", logCut},
		{"chunks are found by line and by time", chunksFound},
		{"logs of a job are found, the newest first", logsOfJob},
		{"logs are removed, and their packs looked at", logsRemoved},
		{"logs go with their runs", logsPruned},
		{"expired logs are found", logsExpire},
		{"chunks move to another pack", chunksMove},
		{"names of packs are known", packsKnown},
		{"a log that came with the outcome is whole", logCameWhole},
		{"logs that came with the outcomes of tries are listed together", logsCameWholeOfTries},
		{"a log that was begun is whole when it comes with the outcome", logBegunCameWhole},
		{"a log that came with the outcome goes when its time is over", logCameExpires},
	}
}

// copied returns a pack with lines of a log, 10 in a chunk of 100 bytes.
func (b *bench) copied(a job.Attempt, had, chunks int, state logbook.State, ended bool) logbook.Kept {
	k := logbook.Kept{Had: had, Log: logbook.Log{
		Attempt: a.ID, Run: a.RunID, Job: a.JobID, Group: 1, Address: a.Address, TriggeredAt: a.TriggeredAt,
		State: state, Lines: had + 10*chunks, Bytes: int64(had + 10*chunks), Note: "a note",
	}}
	if ended {
		k.Log.EndedAt = b.at(5)
	}
	for i := range chunks {
		k.Chunks = append(k.Chunks, logbook.Chunk{
			Attempt: a.ID, FirstLine: had + 10*i + 1, Lines: 10, FirstAt: b.at(had + i), LastAt: b.at(had + i + 1), Raw: 10,
			Offset: int64(100 * i), Size: 100,
		})
	}
	return k
}

// keep writes a pack, and checks that it takes effect.
func (b *bench) keep(name string, kept ...logbook.Kept) {
	b.Helper()
	for i, done := range b.kept(name, kept...) {
		if !done {
			b.Fatalf("log %d of pack %s was left as it was", i, name)
		}
	}
}

func (b *bench) kept(name string, kept ...logbook.Kept) []bool {
	b.Helper()
	size := int64(0)
	for i := range kept {
		size += int64(100 * len(kept[i].Chunks))
	}
	done, err := b.KeepLogs(b.ctx(), logbook.Pack{Name: name, Size: size, CreatedAt: b.now}, kept)
	b.ok(err)
	return done
}

// attempt returns one that an executor has.
func (b *bench) attempt(edit ...func(*job.Job)) job.Attempt {
	b.Helper()
	return b.dispatch(b.trigger(b.create(edit...), b.now))
}

func (b *bench) logOf(a job.Attempt) *logbook.Log {
	b.Helper()
	logs, err := b.Logs(b.ctx(), []int64{a.ID})
	b.ok(err)
	if len(logs) == 0 {
		return nil
	}
	b.same("number of logs", len(logs), 1)
	return &logs[0]
}

func (b *bench) owed(at time.Time) []logbook.Standing {
	b.Helper()
	owed, err := b.OwedLogs(b.ctx(), at, 100)
	b.ok(err)
	return owed
}

func (b *bench) chunks(a job.Attempt, from, limit int) (first []int) {
	b.Helper()
	chunks, err := b.Chunks(b.ctx(), a.ID, from, limit)
	b.ok(err)
	for _, c := range chunks {
		first = append(first, c.FirstLine)
	}
	return first
}

func logPolicyKept(b *bench) {
	policy := job.LogPolicy{Off: true, KeepFor: time.Hour, MaxBytes: 1 << 20}
	j := b.create(func(j *job.Job) { j.Logs = policy })
	b.same("policy", b.job(j.Key).Logs, policy)
	j = b.save(j, func(j *job.Job) { j.Logs = job.LogPolicy{KeepFor: time.Minute} })
	b.same("policy", b.job(j.Key).Logs, job.LogPolicy{KeepFor: time.Minute})
}

func logOwed(b *bench) {
	for _, end := range []job.State{job.Succeeded, job.Failed, job.TimedOut, job.Lost, job.Cancelled} {
		a := b.attempt(func(j *job.Job) { j.Logs.KeepFor = time.Hour })
		b.same("logs before the end", b.logOf(a), (*logbook.Log)(nil))
		b.complete(a, end)
		l := b.logOf(a)
		b.same("log", []any{l.Run, l.Job, l.Address, l.State, l.Lines, l.TriggeredAt}, []any{a.RunID, a.JobID, a.Address, logbook.Open, 0, a.TriggeredAt})
		b.same("owed too soon", len(b.owed(l.EndedAt.Add(time.Second))), 0)
		owed := b.owed(l.EndedAt.Add(time.Minute))
		b.same("owed", len(owed), 1)
		b.same("attempt", []any{owed[0].Attempt.ID, owed[0].Attempt.State, owed[0].Attempt.EndedAt}, []any{a.ID, end, l.EndedAt})
		b.same("policy", owed[0].Policy, job.LogPolicy{KeepFor: time.Hour})
		b.same("group", owed[0].Group, l.Group)
		b.keep("end-"+string(end), b.copied(a, 0, 1, logbook.Whole, true))
		b.same("owed after it was stored", len(b.owed(b.at(9999))), 0)
	}
}

func logNotOwed(b *bench) {
	a := b.attempt(func(j *job.Job) { j.Logs = job.LogPolicy{Off: true, MaxBytes: 2048} })
	b.complete(a, job.Succeeded)
	b.same("log", b.logOf(a), (*logbook.Log)(nil))
	open := b.attempt(func(j *job.Job) { j.Logs.Off = true })
	found, err := b.OpenLogs(b.ctx(), 10)
	b.ok(err)
	b.same("open logs beside that of "+open.Address, len(found), 0)
}

func logOwedOnce(b *bench) {
	a := b.attempt()
	b.complete(a, job.Succeeded)
	b.keep("pack", b.copied(a, 0, 1, logbook.Whole, true))
	b.same("second end", b.commit(b.completion(a, job.Failed)), []bool{false})
	b.same("owed", len(b.owed(b.at(9999))), 0)
	b.same("state", b.logOf(a).State, logbook.Whole)
}

func logClaimed(b *bench) {
	first, second := b.attempt(), b.attempt()
	b.complete(first, job.Succeeded)
	b.complete(second, job.Succeeded)
	owed := b.owed(b.at(9999))
	b.same("owed", len(owed), 2)
	done, err := b.ClaimLogs(b.ctx(), owed, b.at(20_000))
	b.ok(err)
	b.same("claimed", done, []bool{true, true})
	done, err = b.ClaimLogs(b.ctx(), owed, b.at(20_000))
	b.ok(err)
	b.same("claimed again", done, []bool{false, false})
	b.same("owed", len(b.owed(b.at(9999))), 0)
	again := b.copied(first, 0, 1, logbook.Open, true)
	again.LookAt = b.at(100)
	b.keep("pack", again)
	owed = b.owed(b.at(100))
	b.same("put off", []any{len(owed), owed[0].Attempt.ID, owed[0].Lines, owed[0].State}, []any{1, first.ID, 10, logbook.Open})
	done, err = b.ClaimLogs(b.ctx(), nil, b.at(1))
	b.ok(err)
	b.same("none", len(done), 0)
}

func logsOpen(b *bench) {
	a := b.attempt(func(j *job.Job) { j.Logs.MaxBytes = 4096 })
	b.complete(b.attempt(), job.Succeeded)
	find := func() logbook.Standing {
		open, err := b.OpenLogs(b.ctx(), 10)
		b.ok(err)
		b.same("open", len(open), 1)
		b.same("attempt", open[0].Attempt.ID, a.ID)
		b.same("policy", open[0].Policy, job.LogPolicy{MaxBytes: 4096})
		return open[0]
	}
	b.same("nothing is stored", []any{find().Lines, find().State}, []any{0, logbook.State("")})
	b.keep("pack", b.copied(a, 0, 2, logbook.Open, false))
	b.same("something is stored", []any{find().Lines, find().Bytes, find().State}, []any{20, int64(20), logbook.Open})
}

func logGrows(b *bench) {
	a := b.attempt()
	b.keep("one", b.copied(a, 0, 2, logbook.Open, false))
	b.reopen()
	b.keep("two", b.copied(a, 20, 1, logbook.Open, false))
	b.complete(a, job.Succeeded)
	ended := b.logOf(a).EndedAt
	b.keep("three", b.copied(a, 30, 1, logbook.Whole, true))
	l := b.logOf(a)
	b.same("log", []any{l.Lines, l.Bytes, l.State, l.Note, l.EndedAt}, []any{40, int64(40), logbook.Whole, "a note", ended})
	b.same("chunks", b.chunks(a, 1, 10), []int{1, 11, 21, 31})
	total, err := b.PackBytes(b.ctx())
	b.ok(err)
	b.same("bytes", total, int64(400))
}

func logKeptOnce(b *bench) {
	a, other := b.attempt(), b.attempt()
	b.keep("one", b.copied(a, 0, 1, logbook.Open, false))
	b.same("written by two", b.kept("two", b.copied(a, 0, 2, logbook.Open, false), b.copied(other, 0, 1, logbook.Open, false)), []bool{false, true})
	b.same("lines", []int{b.logOf(a).Lines, b.logOf(other).Lines}, []int{10, 10})
	b.same("lines that do not exist", b.kept("three", b.copied(a, 30, 1, logbook.Open, false)), []bool{false})
	b.same("unknown log with lines", b.kept("four", b.copied(b.attempt(), 10, 1, logbook.Open, false)), []bool{false})
	known, err := b.KnownPacks(b.ctx(), []string{"one", "two", "three", "four"})
	b.ok(err)
	slices.Sort(known)
	b.same("packs", known, []string{"one", "two"})
	b.keep("five", b.copied(a, 10, 0, logbook.Whole, true))
	b.same("after it was whole", b.kept("six", b.copied(a, 10, 1, logbook.Open, true)), []bool{false})
}

func logDebtStays(b *bench) {
	a := b.attempt()
	b.complete(a, job.Succeeded)
	b.keep("pack", b.copied(a, 0, 1, logbook.Open, false))
	owed := b.owed(b.at(9999))
	b.same("owed", []any{len(owed), owed[0].Lines}, []any{1, 10})
}

func logCut(b *bench) {
	a := b.attempt()
	b.keep("pack", b.copied(a, 0, 1, logbook.Cut, false))
	b.complete(a, job.Succeeded)
	b.same("owed", len(b.owed(b.at(9999))), 0)
	l := b.logOf(a)
	b.same("log", []any{l.State, l.EndedAt.IsZero()}, []any{logbook.Cut, false})
}

func chunksFound(b *bench) {
	a, other := b.attempt(), b.attempt()
	b.keep("pack", b.copied(a, 0, 4, logbook.Open, false), b.copied(other, 0, 1, logbook.Open, false))
	for from, want := range map[int][]int{0: {1, 11}, 1: {1, 11}, 10: {1, 11}, 11: {11, 21}, 25: {21, 31}, 40: {31}, 41: nil} {
		b.same("chunks", b.chunks(a, from, 2), want)
	}
	all, err := b.Chunks(b.ctx(), a.ID, 1, 10)
	b.ok(err)
	want := b.copied(a, 0, 4, logbook.Open, false).Chunks
	for i := range want {
		want[i].Pack = all[0].Pack
	}
	b.same("chunks", all, want)
	packs, err := b.Packs(b.ctx(), []int64{all[0].Pack, 777_777})
	b.ok(err)
	b.same("packs", packs, []logbook.Pack{{ID: all[0].Pack, Name: "pack", Size: 500, Live: 500, CreatedAt: b.now}})
	for at, first := range map[int]int{-5: 1, 1: 1, 2: 11, 4: 31} {
		c, ok, err := b.ChunkAt(b.ctx(), a.ID, b.at(at))
		b.ok(err)
		b.same("chunk at an instant", []any{c.FirstLine, ok}, []any{first, true})
	}
	_, ok, err := b.ChunkAt(b.ctx(), a.ID, b.at(5))
	b.ok(err)
	b.same("chunk after the last", ok, false)
}

func logsOfJob(b *bench) {
	j := b.create()
	var ids []int64
	for range 3 {
		a := b.dispatch(b.trigger(j, b.now))
		b.complete(a, job.Succeeded)
		ids = append(ids, a.ID)
	}
	b.complete(b.attempt(), job.Succeeded)
	find := func(before int64, limit int) (found []int64) {
		logs, err := b.LogsOfJob(b.ctx(), j.ID, before, limit)
		b.ok(err)
		for _, l := range logs {
			found = append(found, l.Attempt)
		}
		return found
	}
	b.same("logs", find(0, 10), []int64{ids[2], ids[1], ids[0]})
	b.same("first page", find(0, 2), []int64{ids[2], ids[1]})
	b.same("second page", find(ids[1], 2), []int64{ids[0]})
}

// worn returns the packs that are to be looked at, by name, with how many chunks of
// each are wanted.
func (b *bench) worn() map[string]int {
	b.Helper()
	packs, err := b.WornPacks(b.ctx(), time.Now().Add(time.Hour), 10)
	b.ok(err)
	worn := map[string]int{}
	for _, w := range packs {
		worn[w.Pack.Name] = len(w.Chunks)
	}
	return worn
}

func logsRemoved(b *bench) {
	a, other := b.attempt(), b.attempt()
	b.complete(a, job.Succeeded)
	b.keep("shared", b.copied(a, 0, 2, logbook.Open, true), b.copied(other, 0, 1, logbook.Open, false))
	b.keep("own", b.copied(a, 20, 1, logbook.Whole, true))
	old, err := b.OldLogs(b.ctx(), 0, 10)
	b.ok(err)
	b.same("old", []any{len(old), old[0].Attempt, old[0].TriggeredAt, old[0].EndedAt.IsZero(), old[1].EndedAt.IsZero(), old[0].Said, old[0].Stored},
		[]any{2, a.ID, a.TriggeredAt, false, true, false, int64(300)})
	if old, err = b.OldLogs(b.ctx(), a.ID, 10); err != nil || len(old) != 1 {
		b.Fatalf("behind the first: %v, %v", old, err)
	}
	freed, err := b.RemoveLogs(b.ctx(), []int64{a.ID, 777_777})
	b.ok(err)
	b.same("freed", freed, int64(300))
	b.same("log", b.logOf(a), (*logbook.Log)(nil))
	b.same("chunks", len(b.chunks(a, 1, 10)), 0)
	b.same("worn", b.worn(), map[string]int{"shared": 1, "own": 0})
	packs, err := b.WornPacks(b.ctx(), time.Now().Add(time.Hour), 10)
	b.ok(err)
	names, err := b.ReplacePacks(b.ctx(), logbook.Pack{}, nil, []int64{packs[0].Pack.ID, packs[1].Pack.ID})
	b.ok(err)
	b.same("removed", names, []string{"own"})
	b.same("worn afterwards", b.worn(), map[string]int{})
	total, err := b.PackBytes(b.ctx())
	b.ok(err)
	b.same("bytes", total, int64(300))
}

func logsPruned(b *bench) {
	j := b.create()
	r := b.trigger(j, b.now)
	a := b.dispatch(r)
	b.complete(a, job.Succeeded)
	b.keep("pack", b.copied(a, 0, 1, logbook.Whole, true))
	b.same("removed", b.remove(r.ID), 1)
	b.same("log", b.logOf(a), (*logbook.Log)(nil))
	b.same("chunks", len(b.chunks(a, 1, 10)), 0)
	b.same("worn", b.worn(), map[string]int{"pack": 0})
}

// completeWith ends an attempt whose log comes with the outcome.
func (b *bench) completeWith(a job.Attempt, keepFor time.Duration, text string, change ...func(c *completer.Completion)) bool {
	b.Helper()
	c := b.completion(a, job.Succeeded)
	c.JobID, c.TriggeredAt = a.JobID, a.TriggeredAt
	c.Log = &completer.Log{GroupID: 1, Address: a.Address, Text: text, Lines: strings.Count(text, "\n"), KeepFor: keepFor}
	for _, f := range change {
		f(&c)
	}
	return b.commit(c)[0]
}

func logCameWhole(b *bench) {
	a, plain := b.attempt(), b.attempt()
	b.same("end", b.completeWith(a, 0, "one\n\u4e8c\x00\n"), true)
	b.complete(plain, job.Failed)
	l := b.logOf(a)
	b.same("log", *l, logbook.Log{
		Attempt: a.ID, Run: a.RunID, Job: a.JobID, Group: 1, Address: a.Address, TriggeredAt: a.TriggeredAt, State: logbook.Whole,
		Lines: 2, Bytes: 11, EndedAt: b.at(6), Text: "one\n\u4e8c\uFFFD\n",
	})
	b.same("second end", b.completeWith(a, 0, "other\n"), false)
	b.same("text after it", b.logOf(a).Text, l.Text)
	owed := b.owed(b.at(9999))
	b.same("owed", []any{len(owed), owed[0].Attempt.ID}, []any{1, plain.ID})
	b.same("copied again", b.kept("pack", b.copied(a, 0, 1, logbook.Whole, true)), []bool{false})
	of, err := b.LogsOfJob(b.ctx(), a.JobID, 0, 10)
	b.ok(err)
	b.same("logs of the job", of, []logbook.Log{*l})
	b.same("of the other", b.logOf(plain).Text, "")
	b.same("removed", b.remove(a.RunID), 1)
	b.same("log after its run", b.logOf(a), (*logbook.Log)(nil))
}

// Logs are listed together wherever they are: those of runs with one attempt in the rows of the
// runs, those of others elsewhere.
func logsCameWholeOfTries(b *bench) {
	j := b.create(func(j *job.Job) { j.Retry.Max = 3 })
	once, again, later := b.trigger(j, b.now), b.trigger(j, b.now), b.trigger(j, b.now)
	a, first, c := b.dispatch(once), b.dispatch(again), b.dispatch(later)
	b.same("end", b.completeWith(a, 0, "once\n"), true)
	b.same("retry", b.completeWith(first, 0, "first\n", func(c *completer.Completion) {
		c.Outcome, c.RunState, c.RetryAt = job.Failed, job.WaitingRetry, b.at(9)
	}), true)
	second := b.dispatch(b.run(again.ID))
	b.same("end", b.completeWith(second, 0, "second\n"), true)
	b.same("end", b.completeWith(c, 0, "later\n"), true)
	of, err := b.LogsOfJob(b.ctx(), j.ID, 0, 10)
	b.ok(err)
	var texts []string
	var ids []int64
	for i := range of {
		texts, ids = append(texts, of[i].Text), append(ids, of[i].Attempt)
		b.same("by its attempt", *b.logOf(job.Attempt{ID: of[i].Attempt}), of[i])
	}
	b.same("texts", texts, []string{"second\n", "later\n", "first\n", "once\n"})
	b.same("attempts", ids, []int64{second.ID, c.ID, first.ID, a.ID})
	page, err := b.LogsOfJob(b.ctx(), j.ID, second.ID, 2)
	b.ok(err)
	b.same("a page", []int64{page[0].Attempt, page[1].Attempt}, ids[1:3])
	old, err := b.OldRunLogs(b.ctx(), 0, 10)
	b.ok(err)
	b.same("runs", len(old), 3)
	for i, none := range []bool{false, true, false} {
		b.same("old", old[i], logbook.Old{
			Attempt: []int64{once.ID, again.ID, later.ID}[i], TriggeredAt: old[i].TriggeredAt, EndedAt: b.at(6), None: none,
		})
	}
	old, err = b.OldRunLogs(b.ctx(), again.ID, 10)
	b.ok(err)
	b.same("behind", len(old), 1)
	freed, err := b.RemoveLogs(b.ctx(), []int64{a.ID, first.ID, second.ID})
	b.ok(err)
	b.same("freed", freed, int64(0))
	of, err = b.LogsOfJob(b.ctx(), j.ID, 0, 10)
	b.ok(err)
	b.same("left", []any{len(of), of[0].Attempt}, []any{1, c.ID})
	b.same("the run of a removed log", b.run(once.ID).State, job.Succeeded)
}

func logBegunCameWhole(b *bench) {
	a := b.attempt(func(j *job.Job) { j.Logs.KeepFor = time.Hour })
	b.keep("pack", b.copied(a, 0, 1, logbook.Open, false))
	b.same("end", b.completeWith(a, time.Hour, "one\ntwo\n"), true)
	l := b.logOf(a)
	b.same("log", []any{l.State, l.Lines, l.Bytes, l.Text, l.Note, l.EndedAt}, []any{logbook.Whole, 2, int64(8), "one\ntwo\n", "", b.at(6)})
	b.same("owed", len(b.owed(b.at(9999))), 0)
	b.same("goes on", b.kept("late", b.copied(a, 10, 1, logbook.Whole, true)), []bool{false})
	freed, err := b.RemoveLogs(b.ctx(), []int64{a.ID})
	b.ok(err)
	b.same("freed with it", freed, int64(100))
	b.same("worn", b.worn(), map[string]int{"pack": 0})
}

func logCameExpires(b *bench) {
	short, long := b.attempt(), b.attempt()
	b.completeWith(short, time.Minute, "one\n")
	b.completeWith(long, 0, "one\n")
	find := func(at time.Time) []int64 {
		ids, err := b.ExpiredLogs(b.ctx(), at, 10)
		b.ok(err)
		return ids
	}
	b.same("too soon", len(find(b.at(6).Add(time.Minute-time.Millisecond))), 0)
	b.same("expired", find(b.at(6).Add(time.Minute)), []int64{short.ID})
	freed, err := b.RemoveLogs(b.ctx(), []int64{short.ID})
	b.ok(err)
	b.same("freed", freed, int64(0))
	b.same("logs", []bool{b.logOf(short) == nil, b.logOf(long) == nil}, []bool{true, false})
}

func logsExpire(b *bench) {
	ended, open, silent := b.attempt(), b.attempt(), b.attempt()
	b.complete(ended, job.Succeeded)
	b.complete(silent, job.Succeeded)
	var kept []logbook.Kept
	for _, a := range []job.Attempt{ended, open} {
		k := b.copied(a, 0, 1, logbook.Open, a.ID == ended.ID)
		k.ExpiresAt, k.LookAt = b.at(100), b.at(50)
		kept = append(kept, k)
	}
	b.keep("pack", kept...)
	find := func(at int) []int64 {
		ids, err := b.ExpiredLogs(b.ctx(), b.at(at), 10)
		b.ok(err)
		return ids
	}
	b.same("too soon", len(find(99)), 0)
	b.same("expired", find(100), []int64{ended.ID})
	old, err := b.OldLogs(b.ctx(), 0, 10)
	b.ok(err)
	b.same("said", []bool{old[0].Said, old[1].Said, old[2].Said}, []bool{true, true, false})
}

func chunksMove(b *bench) {
	a, other := b.attempt(), b.attempt()
	b.keep("one", b.copied(a, 0, 1, logbook.Open, false))
	b.keep("two", b.copied(other, 0, 1, logbook.Open, false))
	var moved []logbook.Moved
	var old []int64
	for i, one := range []job.Attempt{a, other} {
		chunks, err := b.Chunks(b.ctx(), one.ID, 1, 1)
		b.ok(err)
		c := chunks[0]
		old = append(old, c.Pack)
		c.Offset = int64(100 * i)
		moved = append(moved, logbook.Moved{Chunk: c, From: c.Pack})
	}
	_, err := b.RemoveLogs(b.ctx(), []int64{other.ID}) // between the two
	b.ok(err)
	names, err := b.ReplacePacks(b.ctx(), logbook.Pack{Name: "three", Size: 200, CreatedAt: b.now}, moved, old)
	b.ok(err)
	b.same("removed", names, []string{"one", "two"})
	chunks, err := b.Chunks(b.ctx(), a.ID, 1, 10)
	b.ok(err)
	b.same("chunks", []any{len(chunks), chunks[0].Pack == old[0], chunks[0].Offset}, []any{1, false, int64(0)})
	packs, err := b.Packs(b.ctx(), []int64{chunks[0].Pack})
	b.ok(err)
	b.same("pack", []any{packs[0].Name, packs[0].Live}, []any{"three", int64(100)})
	total, err := b.PackBytes(b.ctx())
	b.ok(err)
	b.same("bytes", total, int64(200))
}

func packsKnown(b *bench) {
	b.keep("known", b.copied(b.attempt(), 0, 1, logbook.Open, false))
	known, err := b.KnownPacks(b.ctx(), []string{"unknown", "known"})
	b.ok(err)
	b.same("known", known, []string{"known"})
	if _, err := b.KeepLogs(b.ctx(), logbook.Pack{Name: "known", Size: 100, CreatedAt: b.now},
		[]logbook.Kept{b.copied(b.attempt(), 0, 1, logbook.Open, false)}); !job.Is(err, job.Conflict) {
		b.Errorf("a second pack of a name: %v", err)
	}
	done, err := b.KeepLogs(b.ctx(), logbook.Pack{}, nil)
	b.ok(err)
	b.same("none", len(done), 0)
}
