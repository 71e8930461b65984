//go:build unix

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// TestToggleStorm stops, starts and reschedules jobs ten times in a second, while they fire
// once in a second, mostly within the time for which firings are planned ahead. A slot
// has one run if its job wanted it when it came, and none if it did not.
func TestToggleStorm(t *testing.T) {
	t.Parallel()
	f := newFleet(t)
	toggleStorm(f, []*client.Client{f.client})
}

// TestToggleStormPostgres is TestToggleStorm on PostgreSQL, through two servers.
func TestToggleStormPostgres(t *testing.T) {
	t.Parallel()
	pg := newPostgres(t, "fsync = off")
	pg.do("postgres", "CREATE DATABASE toggles")
	f := newCluster(t, pg.at("toggles"), 2)
	toggleStorm(f, []*client.Client{f.client, f.clientOf(f.others[0])})
}

// TestToggleStormMariaDB is the same on MariaDB.
func TestToggleStormMariaDB(t *testing.T) {
	t.Parallel()
	_, _, address := newMariaDB(t)
	f := newCluster(t, address, 2)
	toggleStorm(f, []*client.Client{f.client, f.clientOf(f.others[0])})
}

const (
	togglers   = 16 // jobs, each with a user who switches it
	togglePace = 800 * time.Millisecond
	// toggleSure is how long a switch has to stand before and after a slot, so that every planner has looked between.
	toggleSure = 2500 * time.Millisecond
	// toggleSent is how long before its time a run may be on its way, on a busy machine.
	toggleSent = 100 * time.Millisecond
	// toggleEnd is how long before the end of the schedules they are switched last: a job whose last firing is
	// planned is over.
	toggleEnd = 6 * time.Second
)

// toggleTurn is one switch of a job: how it stands after that, and when it was asked for and
// confirmed.
type toggleTurn struct {
	asked, sure time.Time
	enabled     bool
	rest        int // the seconds that it fires at: those with this rest
	of          int // by this
}

// fires reports whether the job, as it stands, fires at a whole second.
func (s toggleTurn) fires(at time.Time) bool { return s.enabled && at.Second()%s.of == s.rest }

// toggled is a job and its switches, in order. The first one is its making.
type toggled struct {
	key   string
	edits bool // it gets other schedules; else it is stopped and started
	turns []toggleTurn
}

// at returns how the job stood at an instant, and the times of the switches before and after; false when that is
// not certain.
func (j *toggled) at(at time.Time) (now toggleTurn, next time.Time, certain bool) {
	for i, turn := range j.turns {
		if turn.asked.After(at) {
			return now, turn.asked, certain
		}
		now, certain = turn, turn.sure.Add(toggleSent).Before(at)
		if i == len(j.turns)-1 {
			next = at.Add(time.Hour)
		}
	}
	return now, next, certain
}

// toggleStorm is the storm on the fleet, through the clients.
func toggleStorm(f *fleet, through []*client.Client) {
	f.t.Helper()
	lasts := 12 * time.Second
	if *longFlag {
		lasts = 90 * time.Second
	}
	f.addWorker(tongues()[1], nil)
	random := dice(f.t)
	from := f.soon()
	to := from.Add(lasts + toggleEnd)
	jobs := make([]*toggled, togglers)
	for i := range jobs {
		jobs[i] = f.toggles(i, from, to)
	}
	var switching sync.WaitGroup
	for _, j := range jobs {
		own := rand.New(rand.NewPCG(random.Uint64(), 0))
		switching.Go(func() { j.switchUntil(f.t, to.Add(-toggleEnd), own, through, from, to) })
	}
	switching.Wait()
	rest(f.t, time.Until(to.Add(time.Second)))
	f.settled()
	f.judgeToggles(jobs, from, to)
}

// toggles makes a job that is switched.
func (f *fleet) toggles(i int, from, to time.Time) *toggled {
	f.t.Helper()
	j := &toggled{key: fmt.Sprintf("toggled-%d", i), edits: i%2 == 1}
	first := toggleTurn{asked: time.Now(), enabled: true, of: 1}
	if j.edits {
		first.of = 2
	}
	_, err := f.client.CreateJob(f.t.Context(), api.NewJob{
		Key: j.key, Group: fleetGroup, Enabled: true, Param: "0 0", Handler: api.Handler{Kind: job.HandlerNamed, Name: noteHandler},
		Schedule: first.schedule(from, to), Overlap: job.OverlapConcurrent, Concurrency: 16,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	first.sure = time.Now()
	j.turns = []toggleTurn{first}
	return j
}

// schedule returns the schedule of a turn.
func (s toggleTurn) schedule(from, to time.Time) api.Schedule {
	beat := rhythm{cron: fmt.Sprintf("%d/%d * * * * ?", s.rest, s.of)}
	return beat.schedule(from, to)
}

// switchUntil switches the job until an instant.
func (j *toggled) switchUntil(t *testing.T, until time.Time, random *rand.Rand, through []*client.Client, from, to time.Time) {
	t.Helper()
	for {
		pause := time.Duration(random.Int64N(int64(togglePace)))
		if random.IntN(4) == 0 {
			pause += 2 * toggleSure // so that there are slots about which nothing is uncertain
		}
		if time.Now().Add(pause).After(until) {
			return
		}
		rest(t, pause)
		next := j.turns[len(j.turns)-1]
		c := through[random.IntN(len(through))]
		next.asked = time.Now()
		var err error
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		switch {
		case j.edits:
			next.rest = 1 - next.rest
			_, err = c.UpdateJob(ctx, j.key, 0, map[string]any{"schedule": next.schedule(from, to)})
		case next.enabled:
			next.enabled = false
			_, err = c.StopJob(ctx, j.key)
		default:
			next.enabled = true
			_, err = c.StartJob(ctx, j.key)
		}
		cancel()
		next.sure = time.Now()
		if err != nil {
			t.Errorf("switch %s: %v", j.key, err)
			return
		}
		j.turns = append(j.turns, next)
	}
}

// judgeToggles compares the runs with what the jobs wanted.
func (f *fleet) judgeToggles(jobs []*toggled, from, to time.Time) {
	f.t.Helper()
	runs, err := f.list()
	if err != nil {
		f.t.Fatal(err)
	}
	slots := make(map[string]map[int64]*api.Run)
	for i := range runs {
		r := &runs[i]
		if slots[r.JobKey] == nil {
			slots[r.JobKey] = make(map[int64]*api.Run)
		}
		at := r.PlannedAt.Unix()
		if other := slots[r.JobKey][at]; other != nil {
			f.t.Errorf("runs %d (%s) and %d (%s) of %s are for the same slot %s", other.ID, other.Cause, r.ID, r.Cause, r.JobKey, r.PlannedAt)
		}
		slots[r.JobKey][at] = r
	}
	turns, wanted, unwanted := 0, 0, 0
	for _, j := range jobs {
		turns += len(j.turns) - 1
		for at := from; !at.After(to.Add(-time.Second)); at = at.Add(time.Second) {
			state, next, certain := j.at(at)
			r := slots[j.key][at.Unix()]
			switch {
			case !certain:
			case !state.fires(at):
				if unwanted++; r != nil {
					f.t.Errorf("run %d of %s is %s (%s) and for %s, which the job did not want since %s", r.ID, j.key, r.State, r.Reason, at, state.sure)
				}
			case next.Sub(state.sure) < toggleSure || next.Before(at.Add(toggleSent)):
			default:
				if wanted++; r == nil {
					f.t.Errorf("%s has no run for %s: it wanted it since %s, and until %s", j.key, at, state.sure, next)
				} else if r.State != job.Succeeded {
					f.t.Errorf("run %d of %s for %s is %s: %s %s", r.ID, j.key, at, r.State, r.Reason, r.Message)
				}
			}
		}
	}
	began := make(map[int64]int)
	for _, e := range f.evidence().journal {
		if e.what == "S" {
			began[e.run]++
		}
	}
	for i := range runs {
		if n := began[int64(runs[i].ID)]; n > 1 {
			f.t.Errorf("run %d of %s began %d times", runs[i].ID, runs[i].JobKey, n)
		}
	}
	f.t.Logf("%d switches of %d jobs; %d slots were wanted for certain, and %d not", turns, len(jobs), wanted, unwanted)
	if least := int(to.Sub(from) / time.Second); wanted < least || unwanted < least || turns < 4*least {
		f.t.Errorf("%d switches, %d slots that were wanted and %d that were not are no storm", turns, wanted, unwanted)
	}
}
