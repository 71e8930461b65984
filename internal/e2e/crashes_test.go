//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// The flags of the trials.
var (
	longFlag = flag.Bool("long", false, "let the trials of whole fleets last as long as a proof needs")
	seedFlag = flag.Uint64("seed", 0, "the `seed` of their dice; 0 draws one")
)

// dice returns the dice of a trial and prints their seed.
func dice(t *testing.T) *rand.Rand {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// crashes says how long a storm lasts and how hard it is.
type crashes struct {
	last time.Duration
	calm time.Duration // the least time between two kills
	more time.Duration // how much more there may be
	away time.Duration // the longest time until a start
}

// TestCrashStorm kills a server and its executors, one of each tongue, at random
// moments, while a hundred firings are due in each second, and lets the judge compare what was due,
// what the server has recorded and what the handlers wrote down. One server works
// on a SQLite database, so there is one.
func TestCrashStorm(t *testing.T) {
	t.Parallel()
	storm := crashes{last: 12 * time.Second, calm: time.Second, more: 2 * time.Second, away: time.Second}
	if *longFlag {
		storm = crashes{last: 90 * time.Second, calm: 5 * time.Second, more: 10 * time.Second, away: 3 * time.Second}
	}
	random := dice(t)
	f := newFleet(t, "--catch-up-rate", "1000")
	for _, speaks := range tongues() {
		f.addWorker(speaks, nil)
	}
	from := f.soon()
	to := from.Add(storm.last)
	due := f.hundred(from, to)
	var users sync.WaitGroup
	users.Go(func() { f.duties[0].runs = f.demand(f.duties[0].key, 50*time.Millisecond, to) })
	f.rage(storm, to, random)
	users.Wait()
	f.settled()
	f.verdict()
	perSecond := float64(due) / storm.last.Seconds()
	t.Logf("%d firings were due, %.0f in a second; users made %d runs", due, perSecond, len(f.duties[0].runs))
	if perSecond < 80 {
		t.Errorf("only %.0f firings were due in a second: that is no storm", perSecond)
	}
}

// hundred makes jobs of many kinds with about a hundred firings in a second
// together, and returns how many there are.
func (f *fleet) hundred(from, to time.Time) (due int) {
	f.t.Helper()
	retries := api.Retry{Tries: 20, Initial: api.Duration(50 * time.Millisecond), Multiplier: 1, Max: api.Duration(50 * time.Millisecond)}
	success, crashed := []job.State{job.Succeeded}, []job.State{job.Succeeded, job.Failed}
	f.create(api.NewJob{Key: "child", Param: "0 0", Overlap: job.OverlapConcurrent, Concurrency: 16, Retry: retries}, duty{ends: success})
	kinds := []struct {
		job  api.NewJob
		duty duty
	}{
		{api.NewJob{Param: "0 0"}, duty{ends: crashed}},
		{api.NewJob{Param: "5 0", Retry: retries}, duty{ends: success}},
		{api.NewJob{Param: "30 10", Overlap: job.OverlapConcurrent, Concurrency: 8, Retry: retries}, duty{ends: success}},
		{api.NewJob{Param: "20 0", Overlap: job.OverlapConcurrent, Concurrency: 8, OnCrash: job.CrashRerun, Retry: retries}, duty{ends: success}},
		{api.NewJob{Param: "5 0", OnCrash: job.CrashRerun, Retry: retries}, duty{ends: success}},
		{
			api.NewJob{Param: "10 20", Overlap: job.OverlapConcurrent, Concurrency: 8, Children: []api.Child{{Key: "child", On: job.ChildOnAlways}}},
			duty{ends: crashed, children: map[string]job.ChildOn{"child": job.ChildOnAlways}},
		},
	}
	beats := rhythms()
	for i := range 7 {
		beats = append(beats, rhythm{every: 100 * time.Millisecond}, rhythm{every: time.Duration(i+5) * 100 * time.Millisecond})
	}
	beats = append(beats, rhythm{every: 250 * time.Millisecond}, rhythm{every: 300 * time.Millisecond}, rhythm{every: 333 * time.Millisecond})
	for i := range beats {
		b, k := &beats[i], kinds[i%len(kinds)]
		due += f.due(fmt.Sprintf("job-%d", i), b, from, to, k.job, k.duty)
	}
	busy := rhythm{every: 500 * time.Millisecond}
	due += f.due("discards", &busy, from, to, api.NewJob{Param: "700 0", Overlap: job.OverlapDiscard},
		duty{yields: true, ends: []job.State{job.Succeeded, job.Failed, job.Skipped}})
	due += f.due("covers", &busy, from, to, api.NewJob{Param: "700 0", Overlap: job.OverlapCover},
		duty{yields: true, ends: []job.State{job.Succeeded, job.Failed, job.Cancelled, job.Skipped}})
	return due
}

// due makes a job with a rhythm whose every slot must have a run, however late.
func (f *fleet) due(key string, r *rhythm, from, to time.Time, j api.NewJob, d duty) int {
	f.t.Helper()
	j.Key, j.Title, j.Enabled, j.Schedule = key, r.String(), true, r.schedule(from, to)
	j.Misfire, j.MisfireLimits = schedule.MisfireFireAll, api.MisfireLimits{Max: schedule.MaxMissed}
	if d.slots = r.slots(from, to); len(d.slots) == 0 {
		return 0 // such a job is refused
	}
	if !time.Now().Before(to.Add(-time.Second)) {
		f.t.Fatalf("job %s could not be made before it was over", key)
	}
	made := f.create(j, d)
	if time.Now().Before(from) {
		return len(d.slots)
	}
	// It came late: what was due before it was there is due of no job.
	slots := slices.DeleteFunc(d.slots, func(at time.Time) bool { return at.Before(made.NextAt.Time) })
	f.t.Logf("job %s was made late: its first slot is %s, %d are left", key, made.NextAt, len(slots))
	f.duties[len(f.duties)-1].slots = slots
	return len(slots)
}

// soon returns a whole second before which all jobs can be made: where the processes
// were slow to start, the jobs have as long.
func (f *fleet) soon() time.Time {
	return time.Now().Add(max(4*time.Second, time.Since(f.began))).Truncate(time.Second)
}

// rage kills processes until the end, and leaves all of them running. Each is
// killed as often as the others; now and then two are away at once, and a server
// ends by itself between a commit and what follows it.
func (f *fleet) rage(c crashes, end time.Time, random *rand.Rand) {
	f.t.Helper()
	servers := f.servers()
	members := slices.Concat(servers, f.workers)
	var next []int
	victim := func() *member {
		if len(next) == 0 {
			next = random.Perm(len(members))
		}
		m := members[next[0]]
		next = next[1:]
		return m
	}
	pause := func(least, more time.Duration) { rest(f.t, least+time.Duration(random.Int64N(int64(more)+1))) }
	spared := func() bool { return slices.ContainsFunc(members, func(m *member) bool { return m.kills == 0 }) }
	// Where this machine is slow it lasts until each was killed.
	for pause(c.calm, c.more); time.Now().Before(end) || spared(); pause(c.calm, c.more) {
		victims := []*member{victim()}
		if random.IntN(4) == 0 {
			if other := victim(); other != victims[0] {
				victims = append(victims, other)
			}
		}
		for _, m := range victims {
			m.fall(f.t)
		}
		for _, m := range victims {
			pause(0, c.away)
			plan := ""
			if slices.Contains(servers, m) {
				plan = [...]string{"", "dispatcher/firing", "dispatcher/fired", "dispatcher/marked", "dispatcher/answered", "completer/committed"}[random.IntN(6)]
			}
			if plan != "" {
				plan += fmt.Sprintf("=kill:%d", 20+random.IntN(100))
			}
			m.restart(plan)
		}
	}
	for _, m := range servers {
		if m.plan != "" {
			m.fall(f.t)
			m.restart("")
		}
	}
}

// fall kills a process, unless it has done so itself as it was told to.
func (m *member) fall(t *testing.T) {
	t.Helper()
	switch {
	case !m.ended():
		m.kill()
		t.Logf("killed %s", m.name)
	case m.plan == "":
		t.Errorf("%s has ended by itself: %v", m.name, m.now.err)
	default:
		m.kills++
		m.now.killedItself()
		t.Logf("%s killed itself at %s", m.name, m.plan)
	}
}

// demand makes runs by hand, one every while, until the end, whether the server is
// there or not. What it confirms is a promise.
func (f *fleet) demand(key string, every time.Duration, end time.Time) (promised []api.ID) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for time.Now().Before(end) {
		select {
		case <-tick.C:
		case <-f.t.Context().Done():
			return promised
		}
		if r, err := f.client.Trigger(f.t.Context(), key, api.Trigger{}); err == nil {
			promised = append(promised, r.ID)
		}
	}
	return promised
}

// rest lets so much time pass.
func rest(t *testing.T, d time.Duration) {
	t.Helper()
	select {
	case <-time.After(d):
	case <-t.Context().Done():
	}
}
