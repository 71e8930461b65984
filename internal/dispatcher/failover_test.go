package dispatcher

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/job"
)

// failover makes the job ask its executors first.
func (w *world) failover(addresses ...string) {
	defer w.lock()()
	j := w.jobs[theJob]
	j.Route = job.RouteFailover
	w.jobs[theJob] = j
	w.alive[theGroup] = addresses
}

func TestFailover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.failover("http://dead", "http://live")
		w.change(func() {
			w.beat = func(address string) error {
				if address == "http://dead" {
					return errors.New("connection refused")
				}
				return nil
			}
		})
		slow := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{slow})
		pass(2900 * time.Millisecond)
		w.want(t, slow.ID, job.Planned, "")
		pass(200 * time.Millisecond)
		w.want(t, slow.ID, job.Running, "")
		if s := w.sent(); len(s) != 1 || s[0].address != "http://live" {
			t.Errorf("sent %+v", s)
		}
	})
}

// While executors are asked, nobody else waits; a thousand runs of the group are
// one question.
func TestProbesAreShared(t *testing.T) {
	t.Parallel()
	beats := 0
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.failover("http://dead")
		w.change(func() {
			w.beat = func(string) error { beats++; return errors.New("connection refused") }
			w.alive[2] = []string{"http://2"}
			w.jobs[4] = job.Job{ID: 4, GroupID: 2, Group: "two", Route: job.RouteFirst, Version: 1}
		})
		for range 1000 {
			d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
		}
		pass(time.Second)
		if free := d.Free(); free < 7168-waitersAProbe {
			t.Errorf("Free() = %d while one question is under way", free)
		}
		other := w.add(time.Now(), 15*time.Second)
		w.change(func() { w.runs[other.ID].JobID, w.runs[other.ID].GroupID = 4, 2 })
		d.Take([]job.Run{w.run(other.ID)})
		pass(acceptDelay)
		w.want(t, other.ID, job.Running, "")
		pass(9 * time.Second)
		w.change(func() {
			if beats > 5 {
				t.Errorf("%d questions in 10 s", beats)
			}
			waiting, refused := 0, 0
			for _, r := range w.runs {
				if r.State == job.Queued {
					waiting++
				}
				if strings.Contains(r.Reason, "connection refused") {
					refused++
				}
			}
			if waiting != 1000 || refused == 0 {
				t.Errorf("%d of 1000 wait as rows, %d of them say what the executor did", waiting, refused)
			}
		})
		if free := d.Free(); free < 6000 {
			t.Errorf("Free() = %d while executors are asked", free)
		}
		w.change(func() { w.beat = func(string) error { return nil } })
		pass(time.Minute)
		if n := len(w.sent()); n != 1001 {
			t.Errorf("%d of 1001 were sent when the executor was back", n)
		}
	})
}

func TestShutdownDuringProbe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, stop := start(t, Config{})
		w.failover("http://dead")
		w.change(func() { w.beat = func(string) error { return errors.New("silent") } })
		r := w.add(time.Now(), 15*time.Second)
		d.Take([]job.Run{r})
		pass(time.Second)
		began := time.Now()
		stop()
		if took := time.Since(began); took > 10*time.Millisecond {
			t.Errorf("the stop waited %s for a probe", took)
		}
		w.want(t, r.ID, job.Queued, "the server that held the run stopped")
		if n := len(w.sent()); n != 0 {
			t.Error("it was sent after the stop")
		}
	})
}

// A run that avoids an executor goes elsewhere by every route, and there when
// nobody else is alive. Runs that avoid nobody are not led by it.
func TestAvoid(t *testing.T) {
	t.Parallel()
	for _, route := range []job.Route{
		job.RouteFirst, job.RouteRound, job.RouteRandom, job.RouteConsistentHash, job.RouteFailover,
	} {
		t.Run(string(route), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.failover("http://1", "http://2")
				w.change(func() {
					j := w.jobs[theJob]
					j.Route = route
					w.jobs[theJob] = j
				})
				sentTo := func(avoid string) string {
					r := w.add(time.Now(), 15*time.Second)
					r.Avoid = avoid
					d.Take([]job.Run{r})
					pass(100 * time.Millisecond)
					w.want(t, r.ID, job.Running, "")
					sent := w.sent()
					return sent[len(sent)-1].address
				}
				for range 4 {
					if got := sentTo("http://1"); got != "http://2" {
						t.Errorf("sent to %s, which it avoids", got)
					}
					if got := sentTo("http://2"); got != "http://1" {
						t.Errorf("sent to %s, which it avoids", got)
					}
				}
				if got := sentTo("http://gone"); got == "" {
					t.Error("an executor that is gone kept the run back")
				}
				w.failover("http://1")
				if got := sentTo("http://1"); got != "http://1" {
					t.Errorf("sent to %s", got)
				}
			})
		})
	}
}

// Two runs that meet in one probe keep their own minds.
func TestAvoidIsAQuestionOfItsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.failover("http://1", "http://2")
		avoiding, free := w.add(time.Now(), 15*time.Second), w.add(time.Now(), 15*time.Second)
		avoiding.Avoid = "http://1"
		d.Take([]job.Run{avoiding, free})
		pass(100 * time.Millisecond)
		got := map[int64]string{}
		for _, s := range w.sent() {
			got[s.run] = s.address
		}
		if got[avoiding.ID] != "http://2" || got[free.ID] != "http://1" {
			t.Errorf("sent %v", got)
		}
	})
}

// An executor that does not answer gets no further runs while others do, long
// before enough calls to it have failed.
func TestQuietExecutorIsPassedOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind        job.Route
		least, most int // runs that the silent one gets
	}{
		{job.RouteRound, 5, 20},
		{job.RouteRandom, 5, 45},
		{job.RouteLeastLoaded, 0, 20},
		{job.RouteFirst, 32, 200}, // means its executor: as many as calls may be under way
	} {
		t.Run(string(c.kind), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w, d, _ := start(t, Config{})
				w.edit(func(j *job.Job) { j.Route = c.kind })
				w.change(func() {
					w.alive[theGroup] = []string{"http://1-silent", "http://2"}
					w.answer = func(address string, _ job.Task) (time.Duration, error) {
						if address == "http://2" {
							return time.Millisecond, nil
						}
						return 3 * time.Second, job.Errorf(job.Ambiguous, "no answer")
					}
				})
				for range 200 { // two seconds
					d.Take([]job.Run{w.add(time.Now(), 15*time.Second)})
					pass(10 * time.Millisecond)
				}
				silent := 0
				for _, s := range w.sent() {
					if s.address == "http://1-silent" {
						silent++
					}
				}
				if silent < c.least || silent > c.most {
					t.Errorf("the silent executor got %d runs of 200, want %d to %d", silent, c.least, c.most)
				}
			})
		})
	}
}

// When all are silent they are tried nevertheless, until calls have failed.
func TestAllAreQuiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w, d, _ := start(t, Config{})
		w.change(func() {
			w.alive[theGroup] = []string{"http://1", "http://2"}
			w.answer = func(string, job.Task) (time.Duration, error) { return 2 * time.Second, nil }
		})
		for range 30 {
			r := w.add(time.Now(), 15*time.Second)
			d.Take([]job.Run{r})
			pass(100 * time.Millisecond)
			if _, ok := w.sentAt(r.ID); !ok {
				t.Fatal("a run was not sent although there is room")
			}
		}
	})
}
