package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

func auditTests() []test {
	return []test{
		{"a change with an author has one line, with before and after", auditedChange},
		{"changes without an author, failures and no-ops have no line", auditedNothing},
		{"created objects are named, renamed ones are found by the new name", auditedMade},
		{"the result of an operation for its object is recorded", auditedRun},
		{"an operation of several transactions has one line", auditedOnce},
		{"each kind of object is read", auditedKinds},
		{"no secret and no long text is in it", auditedSecrets},
		{"the chain is whole under concurrent writers", auditedTogether},
		{"lines are found by each filter, in pages", auditedFound},
		{"what acts outside of the database has its line at the end", auditedOutside},
		{"lines that were removed are vouched for", auditedPrune},
		{"a dry run changes nothing", auditedDry},
		{"a change has to match what is stored", auditedMatch},
	}
}

// wants returns a context with an author.
func (b *bench) wants(operation string, o intent.Object, edit ...func(*intent.Intent)) context.Context {
	i := &intent.Intent{
		By:      access.Principal{Kind: access.Person, ID: 7, Credential: 3, Name: "ann"},
		Address: "10.1.2.3", Operation: operation, Right: access.Edit, Object: o, At: b.now,
	}
	for _, fn := range edit {
		fn(i)
	}
	return intent.With(b.ctx(), i)
}

func jobNamed(key string) intent.Object {
	return intent.Object{Kind: "job", Namespace: job.DefaultNamespace, Group: "demo", Key: key}
}

// lines returns all lines, the oldest first, and checks that the chain is whole.
func (b *bench) lines() []audit.Line {
	b.Helper()
	lines, err := b.AuditLines(b.ctx(), audit.Query{Oldest: true, Limit: audit.MaxPage})
	b.ok(err)
	check := audit.NewChecker(nil)
	for i := range lines {
		b.ok(check.Add(&lines[i]))
	}
	_, _, err = check.End()
	b.ok(err)
	return lines
}

// line returns the only line.
func (b *bench) line() audit.Line {
	b.Helper()
	lines := b.lines()
	b.same("number of lines", len(lines), 1)
	return lines[0]
}

// field returns a part of a JSON text.
func (b *bench) field(text string, path ...string) any {
	b.Helper()
	var value any
	if text == "" {
		return nil
	}
	b.ok(json.Unmarshal([]byte(text), &value))
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func auditedChange(b *bench) {
	j := b.create()
	ctx := b.wants("update-job", jobNamed(j.Key))
	j.Title = changed
	_, err := b.SaveJob(ctx, j, "")
	b.ok(err)
	l := b.line()
	b.same("line", intent.Of(ctx).Written(), l.Seq)
	b.same("before", []any{b.field(l.Before, "title"), b.field(l.Before, "version")}, []any{"", float64(1)})
	b.same("after", []any{b.field(l.After, "title"), b.field(l.After, "version"), b.field(l.After, "schedule", "kind")}, []any{changed, float64(2), "every"})
	l.Before, l.After, l.Digest = "", "", ""
	b.same("the rest", l, audit.Line{
		Seq: 1, At: b.now, Actor: audit.Actor{Kind: "user", ID: 7, Credential: 3, Name: "ann"}, Address: "10.1.2.3",
		Operation: "update-job", Right: "edit", Kind: "job", Namespace: job.DefaultNamespace, Group: "demo", Key: j.Key,
	})
	b.ok(b.DeleteJob(b.wants("delete-job", jobNamed(j.Key)), b.job(j.Key), ""))
	if l := b.lines()[1]; l.After != "" || b.field(l.Before, "title") != changed {
		b.Errorf("the line of a deletion: %+v", l)
	}
	b.reopen()
	b.same("lines after a restart", len(b.lines()), 2)
}

func auditedNothing(b *bench) {
	j := b.create()
	b.save(j, func(j *job.Job) { j.Title = changed })
	ctx := b.wants("update-job", jobNamed(j.Key))
	_, err := b.SaveJob(ctx, j, "") // of the version before
	b.kind(err, job.Conflict)
	b.same("line of what failed", intent.Of(ctx).Written(), int64(0))
	_, err = b.CancelRun(b.wants("cancel-run", intent.Object{Kind: "run", Key: "99"}), 99, "", b.now)
	b.kind(err, job.NotFound)
	over := b.trigger(j, b.now)
	_, err = b.CancelRun(b.ctx(), over.ID, "", b.now)
	b.ok(err)
	_, err = b.CancelRun(b.wants("cancel-run", intent.Object{Kind: "run", Key: strconv.FormatInt(over.ID, 10)}), over.ID, "", b.now)
	b.ok(err)
	_, err = b.NextRunID(b.wants("trigger-job", jobNamed(j.Key)))
	b.ok(err)
	_, err = b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}, func(i *intent.Intent) { i.By = access.Principal{} }), b.draft())
	b.ok(err)
	b.same("lines", len(b.lines()), 0)
	j.Version++
	j.Title = "newer"
	_, err = b.SaveJob(ctx, j, "") // what failed has given its claim back
	b.ok(err)
	b.same("line", b.line().Seq, intent.Of(ctx).Written())
}

func auditedMade(b *bench) {
	j, err := b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}), b.draft())
	b.ok(err)
	l := b.line()
	b.same("object", []string{l.Kind, l.Namespace, l.Group, l.Key}, []string{"job", job.DefaultNamespace, "demo", j.Key})
	if l.Before != "" || b.field(l.After, "key") != j.Key {
		b.Errorf("before %s, after %s", l.Before, l.After)
	}
	ctx := b.wants("update-job", jobNamed(j.Key))
	was := j.Key
	j.Key = "renamed"
	_, err = b.SaveJob(ctx, j, "")
	b.ok(err)
	if l := b.lines()[1]; l.Key != was || b.field(l.Before, "key") != was || b.field(l.After, "key") != "renamed" {
		b.Errorf("the line of a new name: %+v", l)
	}
}

func auditedRun(b *bench) {
	j := b.create()
	r := b.firing(j, b.now)
	r.Cause, r.CauseID = job.CauseManual, r.ID
	b.ok(b.AddRun(b.wants("trigger-job", jobNamed(j.Key)), r))
	l := b.line()
	b.same("object", []string{l.Kind, l.Key, l.Before}, []string{"job", j.Key, ""})
	b.same("run", []any{b.field(l.After, "run", "id"), b.field(l.After, "run", "job")}, []any{float64(r.ID), j.Key})
}

func auditedOnce(b *bench) {
	ctx := b.wants("copy-job", intent.Object{Kind: "job", Key: "origin"})
	for range 3 {
		_, err := b.CreateJob(ctx, b.draft())
		b.ok(err)
	}
	var all sync.WaitGroup
	other := b.wants("copy-job", intent.Object{Kind: "job", Key: "origin"})
	for range 20 {
		draft := b.draft()
		all.Go(func() {
			if _, err := b.CreateJob(other, draft); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	b.same("lines", len(b.lines()), 2)
	for range 2 {
		_, err := b.CreateJob(intent.For(ctx, access.Edit, intent.Object{Kind: "job"}), b.draft())
		b.ok(err)
	}
	b.same("lines of what is done one by one", len(b.lines()), 4)
}

func auditedKinds(b *bench) {
	j := b.create()
	channel := b.alarmChannel("ops")
	number := func(id int64) string { return strconv.FormatInt(id, 10) }
	dead := b.bury(j, b.at(1), job.Failed)
	calendar, err := b.SaveCalendar(b.ctx(), job.Calendar{Namespace: job.DefaultNamespace, Key: "bank", CreatedAt: b.now, UpdatedAt: b.now})
	b.ok(err)
	pause, err := b.SavePause(b.ctx(), job.Pause{Key: "night", From: b.now, CreatedAt: b.now})
	b.ok(err)
	silence, err := b.SaveAlarmSilence(b.ctx(), alarm.Silence{Namespace: job.DefaultNamespace, Comment: "calm", CreatedAt: b.now}, b.now)
	b.ok(err)
	backfill, err := b.AddBackfill(b.ctx(), job.Backfill{JobID: j.ID, From: b.now, To: b.at(9), Slots: 1, First: b.now, Last: b.now, Parallel: 1, CreatedAt: b.now})
	b.ok(err)
	for _, c := range []struct{ kind, namespace, key string }{
		{"job", job.DefaultNamespace, j.Key},
		{"run", "", number(dead.ID)},
		{"dead letter", "", number(dead.ID)},
		{"calendar", job.DefaultNamespace, calendar.Key},
		{"pause", "", pause.Key},
		{"silence", "", number(silence.ID)},
		{"backfill", "", number(backfill.ID)},
		{"group", job.DefaultNamespace, "demo"},
		{"alarm channel", job.DefaultNamespace, channel.Key},
	} {
		v, err := b.Version(b.ctx(), intent.Object{Kind: c.kind, Namespace: c.namespace, Key: c.key})
		b.ok(err)
		if len(v) != 24 {
			b.Errorf("the version of %s %s is %q", c.kind, c.key, v)
		}
	}
	for _, kind := range []string{
		"job", "run", "dead letter", "calendar", "pause", "workflow", "workflow run", "backfill", "group", "group token", "alarm rule",
		"alarm channel", "silence", "alarm", "notification", "user", "api token", "nothing",
	} {
		v, err := b.Version(b.ctx(), intent.Object{Kind: kind, Namespace: job.DefaultNamespace, Key: "987654321"})
		b.ok(err)
		b.same("version of a "+kind+" that is not there", v, "")
	}
}

func auditedSecrets(b *bench) {
	long := strings.Repeat("echo hello\n", 500)
	_, err := b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}), func() job.Job {
		j := b.draft()
		j.Handler = job.Handler{Kind: job.HandlerShell, Source: long}
		j.Param = `{"password":"hunter2hunter2"}`
		return j
	}())
	b.ok(err)
	l := b.line()
	for _, never := range []string{"echo hello", "hunter2"} {
		if strings.Contains(l.After, never) {
			b.Errorf("%q is in the audit: %s", never, l.After)
		}
	}
	b.same("length of the script", b.field(l.After, "handler", "source", "bytes"), float64(len(long)))
	c := alarm.Channel{Namespace: job.DefaultNamespace, Key: "ops", Kind: alarm.Webhook, CreatedAt: b.now, UpdatedAt: b.now}
	_, err = b.SaveAlarmChannel(b.wants("create-alarm-channel", intent.Object{Kind: "alarm channel"}), alarmconfig.Channel{Channel: c, Sealed: "sealed-secret"})
	b.ok(err)
	_, err = b.AddGroupToken(b.wants("add-group-token", intent.Object{Kind: "group", Namespace: job.DefaultNamespace, Key: "demo"}), job.GroupToken{
		Group: "demo", Label: "ci", Hash: "hash-of-secret", Sealed: "sealed-secret", CreatedAt: b.now,
	})
	b.ok(err)
	for _, l := range b.lines() {
		if strings.Contains(l.Before+l.After, "secret") {
			b.Errorf("a secret is in the audit: %s", l.After)
		}
	}
	b.same("label", b.field(b.lines()[2].After, "group token", "label"), "ci")
}

func auditedTogether(b *bench) {
	var all sync.WaitGroup
	for n := range 60 {
		draft := b.draft()
		ctx := b.wants("create-job", intent.Object{Kind: "job"})
		if n%3 == 0 {
			draft.Key = "same" // all but one of them fail
		}
		all.Go(func() {
			if _, err := b.CreateJob(ctx, draft); err != nil && !job.Is(err, job.Conflict) {
				b.Error(err)
			}
		})
	}
	all.Wait()
	b.same("lines", len(b.lines()), 41)
}

func auditedFound(b *bench) {
	j := b.create()
	for n := range 10 {
		ctx := b.wants([]string{"a", "b"}[n%2], jobNamed(j.Key), func(i *intent.Intent) {
			i.At = b.at(n)
			if n >= 8 {
				i.By.Name, i.Object = "bob", intent.Object{Kind: "calendar", Namespace: otherSpace, Key: "x"}
			}
		})
		j = b.job(j.Key)
		j.Title = fmt.Sprint(n)
		_, err := b.SaveJob(ctx, j, "")
		b.ok(err)
	}
	found := func(q audit.Query) (all []int64) {
		b.Helper()
		lines, err := b.AuditLines(b.ctx(), q)
		b.ok(err)
		for _, l := range lines {
			all = append(all, l.Seq)
		}
		return all
	}
	for _, c := range []struct {
		q    audit.Query
		want []int64
	}{
		{audit.Query{Limit: 3}, []int64{10, 9, 8}},
		{audit.Query{Limit: 3, After: 8}, []int64{7, 6, 5}},
		{audit.Query{Limit: 3, After: 8, Oldest: true}, []int64{9, 10}},
		{audit.Query{Actor: "bob"}, []int64{10, 9}},
		{audit.Query{Actor: "bob", Operation: "a"}, []int64{9}},
		{audit.Query{Operation: "b", Limit: 2}, []int64{10, 8}},
		{audit.Query{Namespace: otherSpace}, []int64{10, 9}},
		{audit.Query{Kind: "job", Key: j.Key, Actor: "ann", Limit: 2}, []int64{8, 7}},
		{audit.Query{Kind: "calendar"}, []int64{10, 9}},
		{audit.Query{Kind: "calendar", Key: "y"}, nil},
		{audit.Query{From: b.at(3), Until: b.at(6)}, []int64{6, 5, 4}},
		{audit.Query{From: b.at(3), Until: b.at(6), Oldest: true, After: 4}, []int64{5, 6}},
		{audit.Query{From: b.at(99)}, nil},
		{audit.Query{Until: b.now}, nil},
	} {
		b.same(fmt.Sprintf("%+v", c.q), found(c.q), c.want)
	}
}

func auditedOutside(b *bench) {
	o := intent.Object{Kind: "group", Namespace: job.DefaultNamespace, Key: "demo"}
	ctx := b.wants("drain-executor", o)
	b.ok(b.Conclude(ctx, false))
	b.same("lines", len(b.lines()), 0)
	b.ok(b.Conclude(ctx, true))
	b.ok(b.Conclude(ctx, true))
	l := b.line()
	b.same("line", []string{l.Operation, l.Key, l.Before, l.After}, []string{"drain-executor", "demo", "", ""})
	b.ok(b.Conclude(b.ctx(), true)) // it has no author
	b.ok(b.Conclude(b.wants("drain-executor", o, func(i *intent.Intent) { i.Dry = true }), true))
	b.same("lines", len(b.lines()), 1)
}

func auditedPrune(b *bench) {
	for n := range 8 {
		b.ok(b.Conclude(b.wants("a", intent.Object{}, func(i *intent.Intent) { i.At = b.at(n) }), true))
	}
	_, err := b.PruneAudit(b.ctx(), b.at(3))
	b.kind(err, job.Internal)
	b.same("lines", len(b.lines()), 8)
	prune := func(before time.Time) audit.Removed {
		b.Helper()
		r, err := b.PruneAudit(b.wants(audit.PruneOperation, intent.Object{}, func(i *intent.Intent) { i.At = b.at(20) }), before)
		b.ok(err)
		return r
	}
	b.same("nothing to remove", prune(b.at(-1)), audit.Removed{})
	fourth := b.lines()[3]
	b.same("removed", prune(b.at(4)), audit.Removed{Lines: 4, First: 1, Last: 4, Digest: fourth.Digest})
	lines := b.lines()
	b.same("lines", []int64{lines[0].Seq, lines[4].Seq}, []int64{5, 9})
	prune(b.at(99))
	prune(b.at(99))
	b.same("lines when all were removed twice", len(b.lines()), 1)
}

func auditedDry(b *bench) {
	j := b.create()
	dry := func(i *intent.Intent) { i.Dry, i.Once = true, "key" }
	draft := b.draft()
	made, err := b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}, dry), draft)
	b.ok(err)
	b.same("version", made.Version, int64(1))
	_, err = b.Job(b.ctx(), job.DefaultNamespace, draft.Key)
	b.kind(err, job.NotFound)
	draft.Key = j.Key
	_, err = b.CreateJob(b.wants("create-job", intent.Object{Kind: "job"}, dry), draft)
	b.kind(err, job.Conflict)
	var all sync.WaitGroup
	for n := range 30 { // in one transaction with others
		ctx := b.wants("create-job", intent.Object{Kind: "job"})
		if n%2 == 0 {
			dry(intent.Of(ctx))
		}
		draft := b.draft()
		draft.Key = fmt.Sprintf("many-%d", n)
		all.Go(func() {
			if _, err := b.CreateJob(ctx, draft); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
	for n := range 30 {
		_, err := b.Job(b.ctx(), job.DefaultNamespace, fmt.Sprintf("many-%d", n))
		if (err == nil) != (n%2 == 1) {
			b.Errorf("job %d: %v", n, err)
		}
	}
	b.same("lines", len(b.lines()), 15)
	_, used, err := b.Once(b.ctx(), "user:7", "key")
	b.ok(err)
	b.same("key of a dry run", used, false)
}

func auditedMatch(b *bench) {
	j := b.create()
	v, err := b.Version(b.ctx(), jobNamed(j.Key))
	b.ok(err)
	write := func(key string, match ...string) error {
		j := b.job(j.Key)
		j.Title += "+"
		_, err := b.SaveJob(b.wants("update-job", jobNamed(key), func(i *intent.Intent) { i.Match = match }), j, "")
		return err
	}
	b.ok(write(j.Key, "other", v))
	for _, match := range [][]string{{v}, {"other"}, {}} {
		if _, is := errors.AsType[*intent.MismatchError](write(j.Key, match...)); !is && len(match) > 0 {
			b.Errorf("a change of version %v took effect", match)
		}
	}
	if _, is := errors.AsType[*intent.MismatchError](write("nothing", intent.Any)); !is {
		b.Error("something that is not there matches")
	}
	b.ok(write(j.Key, intent.Any))
	v, err = b.Version(b.ctx(), jobNamed(j.Key))
	b.ok(err)
	// Two that have read the same: one of them takes effect.
	var all sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for range 8 {
		all.Go(func() {
			err := b.setTitle(b.wants("update-job", jobNamed(j.Key), func(i *intent.Intent) { i.Match = []string{v} }), j.Key)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				won++
			}
		})
	}
	all.Wait()
	b.same("changes that took effect", won, 1)
}

// setTitle changes a job over whatever version it has.
func (b *bench) setTitle(ctx context.Context, key string) error {
	j, err := b.Job(b.ctx(), job.DefaultNamespace, key)
	if err != nil {
		return err
	}
	j.Title += "-"
	_, err = b.SaveJob(ctx, j, "")
	return err
}
