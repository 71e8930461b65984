package deadletters

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

// graves keeps dead letters in memory, for one caller at a time.
type graves struct {
	*jobstest.World
	letters map[int64]job.DeadLetter
	filters []LetterFilter
	ranked  []LetterFilter
	made    []Redrive // with the runs that were made
	parts   []int     // the sizes of transactions
	failAt  int       // the transaction that fails, 0 for none
}

// bury makes dead letters of the runs 1 to n, all of the job report.
func bury(t *testing.T, n int) (*graves, *Keeper) {
	t.Helper()
	w := jobstest.New()
	j := jobstest.GoodJob()
	j.Namespace = job.DefaultNamespace
	if _, err := w.CreateJob(t.Context(), j); err != nil {
		t.Fatal(err)
	}
	w.LastID = 100_000
	g := &graves{World: w, letters: make(map[int64]job.DeadLetter)}
	for id := range int64(n) {
		g.letters[id+1] = job.DeadLetter{RunID: id + 1, JobID: 1, JobKey: "report", State: job.Failed, Status: job.LetterOpen}
	}
	jobs := jobrows.NewFinder(jobrows.Sources{Jobs: w})
	return g, NewKeeper(Config{Letters: g, Jobs: &jobs, IDs: w, Ready: func(at time.Time) { w.Ready = append(w.Ready, at) }})
}

func (g *graves) DeadLettersOf(_ context.Context, runs []int64) (found []job.DeadLetter, err error) {
	for _, run := range runs {
		if d, ok := g.letters[run]; ok {
			found = append(found, d)
		}
	}
	return found, g.Fail
}

func (g *graves) DeadLetters(_ context.Context, f LetterFilter) (found []job.DeadLetter, err error) {
	g.filters = append(g.filters, f)
	for _, d := range g.letters {
		if (f.BeforeRun == 0 || d.RunID < f.BeforeRun) && (f.Status == "" || d.Status == f.Status) {
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b job.DeadLetter) int { return int(b.RunID - a.RunID) })
	return found[:min(len(found), f.Limit)], g.Fail
}

func (g *graves) LetterRanks(_ context.Context, f LetterFilter) (RankedLetters, error) {
	g.ranked = append(g.ranked, f)
	return RankedLetters{More: true}, g.Fail
}

// part notes a transaction of n letters.
func (g *graves) part(n int) error {
	g.parts = append(g.parts, n)
	if g.failAt == len(g.parts) {
		return job.Errorf(job.Unavailable, "the disk is full")
	}
	return nil
}

func (g *graves) RedriveLetters(_ context.Context, wanted []Redrive) ([]Redriven, error) {
	if err := g.part(len(wanted)); err != nil {
		return nil, err
	}
	results := make([]Redriven, len(wanted))
	for i, w := range wanted {
		d, ok := g.letters[w.Dead]
		results[i] = Redriven{Dead: w.Dead, Err: d.CheckRedrive()}
		if !ok {
			results[i].Err = job.NoDeadLetter(w.Dead)
		}
		if results[i].Err != nil {
			continue
		}
		d.Status, d.RedrivenRun = job.LetterRedriven, w.ID
		g.letters[w.Dead], g.made = d, append(g.made, w)
		results[i].Run = job.RedriveOf(&job.Run{ID: w.Dead, State: d.State}, w.ID, w.Param, w.ReadyAt, w.Now)
	}
	return results, nil
}

func (g *graves) CloseLetters(_ context.Context, runs []int64, reason string, now time.Time) ([]error, error) {
	if err := g.part(len(runs)); err != nil {
		return nil, err
	}
	refused := make([]error, len(runs))
	for i, run := range runs {
		d, ok := g.letters[run]
		if refused[i] = d.CheckClose(); !ok {
			refused[i] = job.NoDeadLetter(run)
		}
		if refused[i] == nil {
			d.Status, d.ClosedReason, d.ClosedAt = job.LetterClosed, reason, now
			g.letters[run] = d
		}
	}
	return refused, nil
}

// told shows what was done about letters, in short.
func told(all []Settled) string {
	var words []string
	for _, s := range all {
		word := fmt.Sprint(s.Letter.RunID)
		switch {
		case s.Err != nil:
			word += " " + string(job.KindOf(s.Err))
		case s.Run != 0:
			word += " as " + fmt.Sprint(s.Run)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestDeadLetterQueries(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name  string
		query LetterQuery
		want  LetterFilter
		field string // of the error
	}{
		{"none", LetterQuery{}, LetterFilter{Limit: 100}, ""},
		{
			"all",
			LetterQuery{Sight: access.Sight{All: true}, Namespace: "team", Group: "g", State: job.Lost, Status: job.LetterClosed, Since: at, Until: at.Add(1), Text: "x", BeforeRun: 9, Limit: 5000},
			LetterFilter{Sight: access.Sight{All: true}, Namespace: "team", Group: "g", State: job.Lost, Status: job.LetterClosed, Since: at, Until: at.Add(1), Text: "x", BeforeRun: 9, Limit: 1000},
			"",
		},
		{"of a job", LetterQuery{Sight: access.Sight{All: true}, Job: "report"}, LetterFilter{Sight: access.Sight{All: true}, JobID: 1, Limit: 100}, ""},
		{"state", LetterQuery{State: job.Succeeded}, LetterFilter{}, "state"},
		{"status", LetterQuery{Status: "odd"}, LetterFilter{}, "status"},
		{"text", LetterQuery{Text: strings.Repeat("ö", 201)}, LetterFilter{}, "text"},
		{"until", LetterQuery{Since: at, Until: at}, LetterFilter{}, "until"},
		{"since", LetterQuery{Since: at.AddDate(9000, 0, 0)}, LetterFilter{}, "since"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			g, room := bury(t, 3)
			_, err := room.DeadLetters(t.Context(), c.query)
			if c.field != "" {
				jobstest.WantField(t, err, c.field)
				return
			}
			if err != nil || !cmp.Equal(g.filters, []LetterFilter{c.want}) {
				t.Errorf("%v, %s", err, cmp.Diff([]LetterFilter{c.want}, g.filters))
			}
		})
	}
	_, room := bury(t, 3)
	if _, err := room.DeadLetters(t.Context(), LetterQuery{Job: "missing"}); !job.Is(err, job.NotFound) {
		t.Errorf("of a job that is not there: %v", err)
	}
	if _, err := room.DeadLetter(t.Context(), 4); !job.Is(err, job.NotFound) {
		t.Errorf("one that is not there: %v", err)
	}
	if d, err := room.DeadLetter(t.Context(), 3); err != nil || d.RunID != 3 {
		t.Errorf("one that is: %+v, %v", d, err)
	}
}

func TestRankLetters(t *testing.T) {
	t.Parallel()
	g, room := bury(t, 3)
	mark := &LetterMark{Value: 7, ID: 9, Top: 10}
	q := LetterQuery{Sight: access.Sight{All: true}, Job: "report", Status: job.LetterOpen, BeforeRun: 5, Order: jobrows.Order{By: jobrows.ByTries, Down: true}, Mark: mark, Limit: 5000}
	found, err := room.RankLetters(t.Context(), q)
	want := []LetterFilter{{Sight: access.Sight{All: true}, JobID: 1, Status: job.LetterOpen, Order: q.Order, Mark: mark, Limit: 1000}}
	if err != nil || !found.More || !cmp.Equal(g.ranked, want) {
		t.Errorf("%v, %s", err, cmp.Diff(want, g.ranked))
	}
	for field, q := range map[string]LetterQuery{
		"sort": {Order: jobrows.Order{By: jobrows.ByDuration}}, "state": {Order: jobrows.Order{By: jobrows.ByJob}, State: job.Skipped},
	} {
		_, err := room.RankLetters(t.Context(), q)
		jobstest.WantField(t, err, field)
	}
	if _, err := room.RankLetters(t.Context(), LetterQuery{Order: jobrows.Order{By: jobrows.ByJob}, Job: "missing"}); !job.Is(err, job.NotFound) {
		t.Errorf("of a job that is not there: %v", err)
	}
	g.Fail = job.Errorf(job.Unavailable, "the disk is full")
	if _, err := room.RankLetters(t.Context(), LetterQuery{Order: jobrows.Order{By: jobrows.ByJob}}); !job.Is(err, job.Unavailable) {
		t.Errorf("without a store: %v", err)
	}
}

func TestRedrive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, c := bury(t, 2)
		param := "x"
		r, err := c.Redrive(t.Context(), 2, &param, 0)
		if err != nil || r.CauseID != 2 || r.Cause != job.CauseRedrive || *r.Param != "x" || !r.ReadyAt.Equal(time.Now()) {
			t.Errorf("the run is %+v, %v", r, err)
		}
		if len(g.Ready) != 1 || !g.Ready[0].Equal(r.ReadyAt) {
			t.Errorf("announced %v", g.Ready)
		}
		_, err = c.Redrive(t.Context(), 2, nil, 0)
		if !job.Is(err, job.Conflict) || !strings.Contains(err.Error(), fmt.Sprint("as run ", r.ID)) {
			t.Errorf("a second time: %v", err)
		}
		if _, err = c.Redrive(t.Context(), 3, nil, 0); !job.Is(err, job.NotFound) {
			t.Errorf("what is none: %v", err)
		}
		param = strings.Repeat("x", job.MaxParam+1)
		_, err = c.Redrive(t.Context(), 1, &param, 0)
		jobstest.WantField(t, err, "param")
		if len(g.made) != 1 || len(g.Ready) != 1 {
			t.Errorf("made %d runs, announced %d", len(g.made), len(g.Ready))
		}
	})
}

func TestRedriveAllNamed(t *testing.T) {
	t.Parallel()
	g, c := bury(t, 4)
	g.letters[2] = job.DeadLetter{RunID: 2, JobKey: "gone", JobDeleted: true}
	g.letters[3] = job.DeadLetter{RunID: 3, RedrivenRun: 50, Status: job.LetterRedriven}
	named := Letters{Sight: access.Sight{All: true}, Runs: []int64{4, 1, 2, 3, 9, 1}}
	dry, _, err := c.RedriveAll(t.Context(), named, Redriving{DryRun: true})
	if want := "1, 2 not_found, 3 conflict, 4, 9 not_found"; err != nil || told(dry) != want || len(g.made) != 0 {
		t.Errorf("a dry run: %s, %v, want %s", told(dry), err, want)
	}
	none, _, err := c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Runs: []int64{1, 2}}, Redriving{
		May: func(*job.DeadLetter) (int64, error) { return 0, job.Errorf(job.Forbidden, "not you") },
	})
	if want := "1 forbidden, 2 not_found"; err != nil || told(none) != want || len(g.made) != 0 {
		t.Errorf("by who may not: %s, %v, want %s", told(none), err, want)
	}
	all, more, err := c.RedriveAll(t.Context(), named, Redriving{})
	if want := "1 as 100001, 2 not_found, 3 conflict, 4 as 100002, 9 not_found"; err != nil || more || told(all) != want {
		t.Errorf("%s, %v, want %s", told(all), err, want)
	}
}

// A query takes the newest up to its limit, and they start the oldest first, one
// after the other.
func TestRedriveAllFound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g, c := bury(t, 1205)
		g.letters[1205] = job.DeadLetter{RunID: 1205, Status: job.LetterClosed}
		spacing := 20 * time.Millisecond
		all, more, err := c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{Limit: 1150}}, Redriving{Spacing: &spacing})
		if err != nil || !more || len(all) != 1150 || len(g.made) != 1150 {
			t.Fatalf("%d results, %d made, more %v, %v", len(all), len(g.made), more, err)
		}
		for i, w := range g.made {
			want := time.Now().Add(time.Duration(i) * spacing)
			if w.Dead != int64(i)+55 || !w.ReadyAt.Equal(want) || !all[i].ReadyAt.Equal(want) || all[i].Run != w.ID {
				t.Fatalf("run %d is in the place of %d, ready at %s", i, w.Dead, w.ReadyAt)
			}
		}
		if len(g.parts) != 12 || slices.Max(g.parts) != 100 {
			t.Errorf("transactions of %v", g.parts)
		}
		all, more, err = c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, Redriving{})
		if err != nil || more || len(all) != 54 || !all[53].ReadyAt.Equal(time.Now().Add(53*DefaultSpacing)) {
			t.Errorf("the rest: %d, more %v, %v", len(all), more, err)
		}
		all, more, err = c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, Redriving{})
		if err != nil || more || len(all) != 0 {
			t.Errorf("none left: %d, more %v, %v", len(all), more, err)
		}
	})
}

func TestRedriveAllFailsOnTheWay(t *testing.T) {
	t.Parallel()
	g, c := bury(t, 250)
	g.failAt = 2
	all, _, err := c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, Redriving{})
	if err != nil || len(g.made) != 100 || len(all) != 250 {
		t.Fatalf("%d results, %d made, %v", len(all), len(g.made), err)
	}
	for i, s := range all {
		if done := i < 100; (s.Err == nil) != done || (s.Run != 0) != done || s.ReadyAt.IsZero() == done {
			t.Fatalf("result %d: %+v", i, s)
		}
	}
	g, c = bury(t, 250)
	g.failAt = 1
	if _, _, err = c.RedriveAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, Redriving{}); !job.Is(err, job.Unavailable) {
		t.Errorf("nothing done: %v", err)
	}
}

func TestLettersThatAreWrong(t *testing.T) {
	t.Parallel()
	long, negative := 31*24*time.Hour, -time.Millisecond
	fine, large := time.Microsecond, strings.Repeat("x", job.MaxParam+1)
	one := []int64{1}
	for _, c := range []struct {
		letters Letters
		how     Redriving
		field   string
	}{
		{Letters{}, Redriving{}, ""},
		{Letters{Sight: access.Sight{All: true}, Runs: one, Of: &LetterQuery{}}, Redriving{}, ""},
		{Letters{Sight: access.Sight{All: true}, Runs: make([]int64, 1001)}, Redriving{}, "runs"},
		{Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{Limit: 10_001}}, Redriving{}, "limit"},
		{Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{Limit: -1}}, Redriving{}, "limit"},
		{Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{Status: job.LetterClosed}}, Redriving{}, "status"},
		{Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{State: job.Skipped}}, Redriving{}, "state"},
		{Letters{Sight: access.Sight{All: true}, Runs: one}, Redriving{Spacing: &long}, "spacing"},
		{Letters{Sight: access.Sight{All: true}, Runs: one}, Redriving{Spacing: &negative}, "spacing"},
		{Letters{Sight: access.Sight{All: true}, Runs: one}, Redriving{Spacing: &fine}, "spacing"},
		{Letters{Sight: access.Sight{All: true}, Runs: one}, Redriving{Param: &large}, "param"},
	} {
		g, room := bury(t, 3)
		_, _, err := room.RedriveAll(t.Context(), c.letters, c.how)
		if !job.Is(err, job.Invalid) || len(g.made) != 0 {
			t.Errorf("%+v, %+v: %v", c.letters, c.how, err)
		}
		if c.field != "" {
			jobstest.WantField(t, err, c.field)
		}
	}
}

func TestCloseLetters(t *testing.T) {
	t.Parallel()
	g, c := bury(t, 4)
	d, err := c.CloseLetter(t.Context(), 1, "")
	if err != nil || d.Status != job.LetterClosed || d.ClosedReason != "closed by a user" {
		t.Errorf("closed: %+v, %v", d, err)
	}
	if _, err = c.CloseLetter(t.Context(), 9, "x"); !job.Is(err, job.NotFound) {
		t.Errorf("what is none: %v", err)
	}
	g.letters[2] = job.DeadLetter{RunID: 2, Status: job.LetterRedriven, RedrivenRun: 50}
	if _, err = c.CloseLetter(t.Context(), 2, "x"); !job.Is(err, job.Conflict) {
		t.Errorf("what was redriven: %v", err)
	}
	dry, _, err := c.CloseAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, "x", true)
	if err != nil || told(dry) != "3, 4" || g.letters[3].Status != job.LetterOpen {
		t.Errorf("a dry run: %s, %v", told(dry), err)
	}
	all, _, err := c.CloseAll(t.Context(), Letters{Sight: access.Sight{All: true}, Runs: []int64{2, 3, 9}}, "known", false)
	if err != nil || told(all) != "2 conflict, 3, 9 not_found" || g.letters[3].ClosedReason != "known" {
		t.Errorf("%s, %v", told(all), err)
	}
	g.failAt = len(g.parts) + 1
	if _, _, err = c.CloseAll(t.Context(), Letters{Sight: access.Sight{All: true}, Of: &LetterQuery{}}, "", false); !job.Is(err, job.Unavailable) {
		t.Errorf("nothing done: %v", err)
	}
	if _, _, err = c.CloseAll(t.Context(), Letters{}, "", false); !job.Is(err, job.Invalid) {
		t.Errorf("nothing named: %v", err)
	}
}

// The parameter of a run names no secrets.
func TestRedrivesNameNoSecrets(t *testing.T) {
	t.Parallel()
	_, c := bury(t, 5)
	param := "x ${secret:api}"
	_, err := c.Redrive(t.Context(), 5, &param, 0)
	jobstest.WantField(t, err, "param")
	_, _, err = c.RedriveAll(t.Context(), Letters{Runs: []int64{5}}, Redriving{Param: &param})
	jobstest.WantField(t, err, "param")
}
