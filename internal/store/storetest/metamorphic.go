package storetest

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/completer"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/dispatcher"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/planner"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/internal/watch"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// Walk does so many operations on a new store, which follow from the seed and from what
// the store answers, and returns what it answered, a line for each. The same seed gives
// the same lines, and the same rows, on each database.
func Walk(t *testing.T, s store.Store, seed uint64, operations int) (answers []string) {
	t.Helper()
	b := &bench{T: t, open: func(testing.TB, string) store.Store { return s }, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	b.start()
	defer func() { b.stop() }()
	w := &script{bench: b, random: rand.New(rand.NewPCG(seed, 1))}
	all := w.all()
	for n := range operations {
		b.now = b.now.Add(time.Duration(w.random.IntN(3000)) * time.Millisecond)
		one := all[w.random.IntN(len(all))]
		if n < 40 {
			one = all[n%2] // jobs, and runs of them
		}
		answer, err := one.do(b.ctx())
		text, failed := json.Marshal(answer)
		if failed != nil {
			t.Fatalf("%s: %v", one.name, failed)
		}
		answers = append(answers, fmt.Sprintf("%d %s: %s %s", n, one.name, instant.ReplaceAllStringFunc(string(text), timeless), job.KindOf(err)))
		if job.Is(err, job.Internal) || job.Is(err, job.Unavailable) {
			t.Fatalf("%s: %v", answers[n], err)
		}
	}
	return answers
}

// instant is one as JSON has it.
var instant = regexp.MustCompile(`"20\d\d-\d\d-\d\dT[0-9:.]+Z"`)

// timeless replaces the present instant, which follows from no seed, by "now".
func timeless(text string) string {
	at, err := time.Parse(`"`+time.RFC3339Nano+`"`, text)
	if d := time.Since(at); err == nil && d > -time.Hour && d < time.Hour {
		return `"now"`
	}
	return text
}

// script remembers what it may go on with.
type script struct {
	*bench
	random   *rand.Rand
	keys     []string
	runs     []int64
	attempts []job.Attempt
	users    []access.User
	instants int
}

// operation is one kind of operation.
type operation struct {
	name string
	do   func(ctx context.Context) (any, error)
}

func (w *script) all() []operation {
	return slices.Concat([]operation{{"create a job", w.createJob}, {"trigger", w.trigger}}, w.jobMoves(), w.runMoves(), w.bookMoves(), w.reads())
}

func (w *script) jobMoves() []operation {
	return []operation{
		{"save a job", w.saveJob},
		{"save a job again", w.saveJob},
		{"plan", w.plan},
		{"plan again", w.plan},
		{"trigger again", w.trigger},
		{"delete a job", func(ctx context.Context) (any, error) { // one without runs: what ends now follows from no seed
			j, err := w.CreateJob(ctx, w.draft())
			if err != nil {
				return nil, err
			}
			return j, w.DeleteJob(ctx, j, "no longer needed")
		}},
		{"save a calendar", func(ctx context.Context) (any, error) {
			c := w.calendar(w.name("cal", 6))
			if was, err := w.Calendar(ctx, c.Namespace, c.Key); err == nil {
				c.ID, c.Version, c.Title = was.ID, was.Version, w.text()
			}
			return w.SaveCalendar(ctx, c)
		}},
		{"delete a calendar", func(ctx context.Context) (any, error) {
			return nil, w.DeleteCalendar(ctx, job.DefaultNamespace, w.name("cal", 6))
		}},
		{"save a pause", func(ctx context.Context) (any, error) {
			return w.SavePause(ctx, job.Pause{Key: w.name("pause", 5), Reason: w.text(), From: w.now, CreatedAt: w.now})
		}},
		{"delete a pause", func(ctx context.Context) (any, error) {
			return nil, w.DeletePause(ctx, w.name("pause", 5), w.now)
		}},
	}
}

func (w *script) runMoves() []operation {
	return []operation{
		{"dispatch", w.send},
		{"dispatch again", w.send},
		{"dispatch more", w.send},
		{"accept", w.takeUp},
		{"end", w.end},
		{"end again", w.end},
		{"end more", w.end},
		{"requeue", func(ctx context.Context) (any, error) {
			if len(w.attempts) == 0 {
				return nil, nil
			}
			a := pick(w, w.attempts)
			return nil, w.Requeue(ctx, []dispatcher.Requeued{{RunID: a.RunID, AttemptID: a.ID, Reason: w.text(), ReadyAt: w.soon(5)}})
		}},
		{"cancel a run", func(ctx context.Context) (any, error) {
			if len(w.runs) == 0 {
				return nil, nil
			}
			return w.CancelRun(ctx, pick(w, w.runs), w.text(), w.now)
		}},
		{"stop a run", func(ctx context.Context) (any, error) {
			if len(w.attempts) == 0 {
				return nil, nil
			}
			a := pick(w, w.attempts)
			return w.StopRun(ctx, job.NewStop(a.RunID, a.ID, w.now), w.text())
		}},
		{"expire", func(ctx context.Context) (any, error) {
			found, err := w.Expiring(ctx, w.now, 20)
			if err != nil {
				return nil, err
			}
			var runs []job.Run
			for _, e := range found {
				e.Run.State, e.Run.Reason, e.Run.EndedAt = job.Skipped, "expired", w.now
				runs = append(runs, e.Run)
			}
			return w.ExpireRuns(ctx, runs)
		}},
		{"keep evidence", func(ctx context.Context) (any, error) {
			if len(w.attempts) == 0 {
				return nil, nil
			}
			return nil, w.KeepEvidence(ctx, []job.Evidence{w.against(pick(w, w.attempts), job.Failed, w.text())})
		}},
		{"remove runs", func(ctx context.Context) (any, error) {
			if len(w.runs) == 0 || w.random.IntN(3) > 0 {
				return nil, nil
			}
			return w.RemoveRuns(ctx, []int64{pick(w, w.runs), pick(w, w.runs)})
		}},
		{"drive letters again", func(ctx context.Context) (any, error) {
			letters, err := w.DeadLetters(ctx, deadletters.LetterFilter{Sight: access.Sight{All: true}, Limit: 3})
			if err != nil || len(letters) == 0 {
				return letters, err
			}
			return w.RedriveLetters(ctx, []deadletters.Redrive{w.wish(letters[0].RunID)})
		}},
		{"close letters", func(ctx context.Context) (any, error) {
			if len(w.runs) == 0 {
				return nil, nil
			}
			refused, err := w.CloseLetters(ctx, []int64{pick(w, w.runs), pick(w, w.runs)}, w.text(), w.now)
			var kinds []job.Kind
			for _, one := range refused {
				kinds = append(kinds, job.KindOf(one))
			}
			return kinds, err
		}},
	}
}

// bookMoves are about what is no job.
func (w *script) bookMoves() []operation {
	return []operation{
		{"beat", func(ctx context.Context) (any, error) {
			return w.PutLease(ctx, job.Executor{Group: w.name("g", 4), Address: "http://10.0.0.1:" + strconv.Itoa(9000+w.random.IntN(5)), LeaseUntil: w.at(90), RegisteredAt: w.now, SeenAt: w.now})
		}},
		{"leave", func(ctx context.Context) (any, error) {
			return nil, w.DropLease(ctx, w.name("g", 4), "http://10.0.0.1:"+strconv.Itoa(9000+w.random.IntN(5)))
		}},
		{"name an address", func(ctx context.Context) (any, error) {
			return w.AddAddress(ctx, w.name("g", 4), "http://10.0.0.2:"+strconv.Itoa(9000+w.random.IntN(3)), w.now)
		}},
		{"add a token", func(ctx context.Context) (any, error) {
			return w.AddGroupToken(ctx, job.GroupToken{Group: w.name("g", 4), Label: w.text(), Hash: w.name("hash", 500), CreatedAt: w.now})
		}},
		{"save a secret", func(ctx context.Context) (any, error) {
			s := w.secret(w.name("secret", 5))
			if was, err := w.Secret(ctx, s.Namespace, s.Key); err == nil {
				s.ID, s.Version, s.Title = was.ID, was.Version, w.text()
			}
			return w.SaveSecret(ctx, s, value(w.text()))
		}},
		{"add a user", func(ctx context.Context) (any, error) {
			a := w.account(w.name("user", 30))
			if w.random.IntN(2) == 0 {
				a.Subject = "https://id.example " + w.name("s", 20)
			}
			u, err := w.AddUser(ctx, a, false)
			if err == nil {
				w.users = append(w.users, u)
			}
			return u, err
		}},
		{"sign in", func(ctx context.Context) (any, error) {
			if len(w.users) == 0 {
				return nil, nil
			}
			u := pick(w, w.users)
			if err := w.AddPlace(ctx, u.Name, w.name("10.0.0.", 30), w.now); err != nil {
				return nil, err
			}
			return w.AddSession(ctx, access.Session{User: u.ID, Way: access.ByPassword, Epoch: 1, CreatedAt: w.now, SeenAt: w.now, EndsAt: w.at(600)}, w.name("session", 300))
		}},
		{"record when a user was seen", func(ctx context.Context) (any, error) {
			if len(w.users) == 0 {
				return nil, nil
			}
			return nil, w.TouchUser(ctx, pick(w, w.users).ID, 0, w.now)
		}},
		{"prune sessions", func(ctx context.Context) (any, error) {
			return nil, w.PruneSessions(ctx, w.at(-300), w.at(-600), w.at(-900))
		}},
		{"report something late", func(ctx context.Context) (any, error) {
			return nil, w.Say(ctx, []watch.Change{})
		}},
		{"take a lease", func(ctx context.Context) (any, error) {
			fence, held, err := w.TakeLease(ctx, w.name("lease", 2), w.name("server", 3), w.now, w.at(5))
			return []any{fence, held}, err
		}},
		{"save a workflow", func(ctx context.Context) (any, error) {
			f := w.flow(w.name("flow", 4))
			f.Title, f.UpdatedAt = w.text(), w.now
			if was, err := w.Workflow(ctx, f.Namespace, f.Key); err == nil {
				f.ID, f.Version = was.ID, was.Version
			}
			return w.SaveWorkflow(ctx, f)
		}},
		{"back up in time", func(ctx context.Context) (any, error) {
			if len(w.keys) == 0 {
				return nil, nil
			}
			j, err := w.Store.Job(ctx, job.DefaultNamespace, pick(w, w.keys))
			if err != nil {
				return nil, err
			}
			return w.AddBackfill(ctx, w.wanted(j))
		}},
		{"remove statistics", func(ctx context.Context) (any, error) {
			if err := foldAll(ctx, w.Store); err != nil { // the same rows are there in every database
				return nil, err
			}
			return w.RemoveSpreads(ctx, w.now, 10)
		}},
	}
}

// reads answer what was written.
func (w *script) reads() []operation {
	all := access.Sight{All: true}
	some := access.Sight{Places: []access.Place{{Namespace: job.DefaultNamespace, Group: "g1"}, {Namespace: job.DefaultNamespace, Group: "g2"}}}
	return []operation{
		{"list runs", func(ctx context.Context) (any, error) {
			q := queries.RunQuery{Sight: []access.Sight{all, some}[w.random.IntN(2)], Limit: 1 + w.random.IntN(40), Now: w.now}
			switch w.random.IntN(6) {
			case 0:
				q.States = []job.State{job.Failed, job.Planned}
			case 1:
				q.Text = "said"
			case 2:
				q.Label = "tier=1"
			case 3:
				q.MinTries = 1
			case 4:
				q.Group = "g1"
			}
			found, next, err := w.RunPage(ctx, q)
			return []any{found, next}, err
		}},
		{"sort jobs", func(ctx context.Context) (any, error) {
			by := []string{jobrows.ByTitle, jobrows.ByNext, jobrows.ByUpdated, jobrows.ByLastEnded, jobrows.ByKey}
			return w.JobRanks(ctx, queries.JobQuery{Sight: all, Namespace: job.DefaultNamespace, Limit: 30, Order: jobrows.Order{By: pick(w, by), Down: w.random.IntN(2) == 0}})
		}},
		{"list jobs", func(ctx context.Context) (any, error) {
			return w.JobPage(ctx, queries.JobQuery{Sight: all, Namespace: job.DefaultNamespace, Limit: 30, Text: []string{"", "JOB", "a "}[w.random.IntN(3)]})
		}},
		{"what happened to jobs", func(ctx context.Context) (any, error) {
			return w.Activity(ctx, []int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, time.Now()) // their last runs: it asks for each day since
		}},
		{"count", func(ctx context.Context) (any, error) { return w.Counts(ctx, all, w.now) }},
		{"statistics", func(ctx context.Context) (any, error) {
			return w.Stats(ctx, queries.StatsFilter{Sight: all, From: w.at(-100_000), To: w.now})
		}},
		{"snapshots", func(ctx context.Context) (any, error) {
			if len(w.attempts) == 0 {
				return nil, nil
			}
			return w.Snapshots(ctx, []int64{pick(w, w.attempts).ID})
		}},
		{"audit", func(ctx context.Context) (any, error) { return w.AuditLines(ctx, audit.Query{Limit: 5}) }},
		{"groups", func(ctx context.Context) (any, error) {
			return w.GroupPage(ctx, jobs.GroupQuery{Sight: all, Limit: 10})
		}},
		{"next", func(ctx context.Context) (any, error) {
			at, some, err := w.NextDue(ctx)
			return []any{at, some}, err
		}},
	}
}

func pick[T any](w *script, from []T) T { return from[w.random.IntN(len(from))] }

func (w *script) name(prefix string, n int) string { return prefix + strconv.Itoa(w.random.IntN(n)) }

// text returns one that a database might keep in another way than it was given.
func (w *script) text() string {
	return pick(w, []string{
		"", "plain", "a ", "a", " a", "größe", "Größe", "日本 😀", `back\slash`, `per%cent_`, "it's", `"quoted"`, "line\nbreak", "tab\t", "`tick`", "NULL", "0", "ſ", "İ", "?", "-- no comment",
		strings.Repeat("x", 5000),
	})
}

// soon returns an instant within some seconds that no other is the same as: databases may
// order equals as they like.
func (w *script) soon(seconds int) time.Time {
	w.instants++
	return w.now.Add(time.Duration(w.random.IntN(seconds*10)) * 100 * time.Millisecond).Truncate(100 * time.Millisecond).Add(time.Duration(w.instants%100) * time.Millisecond)
}

func (w *script) createJob(ctx context.Context) (any, error) {
	j := w.draft()
	j.Group, j.Title, j.Param = w.name("g", 4), w.text(), w.text()
	j.Labels = map[string]string{"tier": w.name("", 3)}
	j.Delivery.Priority = pick(w, []job.Priority{"", job.PriorityHigh, job.PriorityLow})
	j.Overlap, j.OverlapScope = pick(w, []job.Overlap{job.OverlapSerial, job.OverlapDiscard}), pick(w, []job.OverlapScope{"", job.ScopeCluster})
	if w.random.IntN(4) == 0 {
		j.Schedule = schedule.Spec{Kind: schedule.KindAfter, After: 10 * time.Second}
	}
	if w.random.IntN(4) == 0 {
		j.Delivery.ExpireAfter = time.Duration(5+w.random.IntN(60)) * time.Second
	}
	j, err := w.CreateJob(ctx, j)
	if err == nil {
		w.keys = append(w.keys, j.Key)
	}
	return j, err
}

func (w *script) saveJob(ctx context.Context) (any, error) {
	if len(w.keys) == 0 {
		return nil, nil
	}
	j, err := w.Store.Job(ctx, job.DefaultNamespace, pick(w, w.keys))
	if err != nil {
		return nil, err
	}
	switch w.random.IntN(5) {
	case 0:
		j.Title, j.Param = w.text(), w.text()
	case 1:
		j.Group = w.name("g", 4)
	case 2:
		j.Enabled = !j.Enabled
		j.NextAt = time.Time{}
		if j.Enabled {
			j.NextAt = w.soon(5)
		}
	case 3:
		j.Version-- // another caller was faster
	case 4:
		j.Labels = map[string]string{"tier": w.name("", 3), "note": w.text()}
	}
	j.UpdatedAt = w.now
	if w.random.IntN(2) == 0 {
		ctx = w.wants("saveJob", jobNamed(j.Key))
	}
	return w.SaveJob(ctx, j, w.text())
}

func (w *script) plan(ctx context.Context) (any, error) {
	due, err := w.DueJobs(ctx, planner.Cursor{}, w.now, 5)
	if err != nil {
		return nil, err
	}
	var moves []planner.Move
	for i := range due {
		d := &due[i]
		r := job.Run{
			ID: w.runID(), JobID: d.JobID, JobVersion: d.Version, GroupID: d.GroupID, PlannedAt: d.Next, Cause: job.CauseSchedule, Priority: d.Priority,
			State: job.Planned, ReadyAt: d.Next, DueAt: d.Next, CreatedAt: w.now,
		}
		if w.random.IntN(5) == 0 {
			r.ExpireAt = w.soon(20)
		}
		w.runs = append(w.runs, r.ID)
		moves = append(moves, planner.Move{JobID: d.JobID, Version: d.Version, From: d.Next, Next: w.soon(200), Last: d.Next, Fired: d.Fired + 1, Runs: []job.Run{r}})
	}
	return w.CommitPlan(ctx, moves)
}

func (w *script) trigger(ctx context.Context) (any, error) {
	if len(w.keys) == 0 {
		return nil, nil
	}
	j, err := w.Store.Job(ctx, job.DefaultNamespace, pick(w, w.keys))
	if err != nil {
		return nil, err
	}
	r := w.firing(j, w.at(-w.random.IntN(4)).Truncate(time.Second)) // a firing that exists, now and then
	r.Param, r.ReadyAt = new(w.text()), w.soon(1)
	if w.random.IntN(2) == 0 {
		r.Cause, r.CauseID, r.By = job.CauseManual, r.ID, w.name("user", 5)
	}
	w.runs = append(w.runs, r.ID)
	return nil, w.AddRun(ctx, r)
}

// send claims runs of a group and sends them.
func (w *script) send(ctx context.Context) (any, error) {
	group, err := w.GroupID(ctx, w.name("g", 4))
	if err != nil {
		return nil, err
	}
	var runs []job.Run
	for range 1 + w.random.IntN(8) {
		found, err := w.ClaimRuns(ctx, dispatcher.Claim{Groups: []int64{group}, Until: w.now, Lease: w.soon(10), Limit: 1})
		if err != nil {
			return nil, err
		}
		runs = append(runs, found.Runs...)
	}
	if len(runs) == 0 {
		return nil, nil
	}
	var marks []dispatcher.Mark
	for _, r := range runs {
		m := w.markOf(r, "http://10.0.0.1:"+strconv.Itoa(9000+w.random.IntN(5)))
		if w.random.IntN(3) == 0 {
			m.Limit = dispatcher.Limit{Runs: 1, Rule: job.OverlapSerial, Again: w.soon(60), Now: w.now}
		}
		marks = append(marks, m)
	}
	done, err := w.MarkDispatched(ctx, marks)
	for i := range done {
		if done[i] {
			w.attempts = append(w.attempts, marks[i].Attempt)
		}
	}
	return []any{runs, done}, err
}

func (w *script) takeUp(ctx context.Context) (any, error) {
	var some []dispatcher.Accepted
	for range min(5, len(w.attempts)) {
		a := pick(w, w.attempts)
		some = append(some, dispatcher.Accepted{AttemptID: a.ID, RunID: a.RunID, At: w.now})
	}
	return nil, w.MarkAccepted(ctx, some)
}

// end ends attempts, some of them for the second time.
func (w *script) end(ctx context.Context) (any, error) {
	var some []completer.Completion
	for range min(1+w.random.IntN(4), len(w.attempts)) {
		a := w.attempts[max(0, len(w.attempts)-1-w.random.IntN(30))]
		c := w.counted(a, pick(w, []job.State{job.Succeeded, job.Succeeded, job.Failed, job.TimedOut, job.Lost}), w.now, time.Duration(w.random.IntN(5000))*time.Millisecond)
		c.Message, c.Reason, c.Namespace, c.Group, c.CreatedAt, c.TriggeredAt = w.text(), w.text(), job.DefaultNamespace, w.name("g", 4), w.now, a.TriggeredAt
		if c.Outcome == job.Failed && w.random.IntN(2) == 0 {
			c.RunState, c.RetryAt, c.Avoid = job.WaitingRetry, w.soon(9), a.Address
		}
		some = append(some, c)
	}
	return w.CommitCompletions(ctx, some)
}

// Tables returns the rows of tables as texts, in order. tables has their columns, and quote
// writes the name of one. It writes the present instant, which follows from no seed, as
// "now".
func Tables(t *testing.T, db *sql.DB, tables map[string][]string, quote func(string) string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for table, columns := range tables {
		found[table] = rowsOf(t, db, table, columns, quote)
		slices.Sort(found[table])
	}
	return found
}

func rowsOf(t *testing.T, db *sql.DB, table string, columns []string, quote func(string) string) (lines []string) {
	t.Helper()
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = quote(c)
	}
	rows, err := db.QueryContext(t.Context(), "SELECT "+strings.Join(names, ", ")+" FROM "+table) //nolint:gosec // Names of our own tables.
	if err != nil {
		t.Fatalf("%s: %v", table, err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		row, dest := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			dest[i] = &row[i]
		}
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		line := make([]string, len(columns))
		for i, value := range row {
			line[i] = columns[i] + "=" + told(value)
		}
		lines = append(lines, strings.Join(line, " "))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// told formats a value of a row, whatever type the driver returns.
func told(value any) string {
	text := "NULL"
	switch v := value.(type) {
	case nil:
	case []byte:
		text = string(v)
	default:
		text = fmt.Sprint(v)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if d := time.Since(time.UnixMilli(n)); d > -time.Hour && d < time.Hour {
			return "now"
		}
	}
	return strconv.Quote(text)
}
