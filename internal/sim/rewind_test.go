package sim

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/store/sqlite"
	"github.com/orthd/orth/job"
)

// rewindSeeds is how many worlds have a database that goes back, and how many more where some
// executors speak the XXL-JOB family's wire.
const rewindSeeds = 3

// TestDatabaseGoesBack brings an older copy of the database back while executors go on, as a
// failover to a standby that is behind does. Nobody may take what executors did with a number
// for what they did with it before.
func TestDatabaseGoesBack(t *testing.T) {
	t.Parallel()
	empty := emptyDatabase(t)
	for i := range uint64(2 * rewindSeeds) {
		seed, speaks := *firstFlag+i/2, [...]string{"native", "mixed"}[i%2]
		t.Run(fmt.Sprint(seed, " ", speaks), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, setting{seed: seed, empty: empty, fair: true, native: i%2 == 0})
				for _, fault := range w.rewound() {
					t.Error(fault)
				}
				if t.Failed() {
					t.Logf("the end:\n%s", w.trace.newest())
				}
			})
		})
	}
}

// rewound runs the world with a database that goes back, and returns its faults.
func (w *world) rewound() []string {
	defer w.stop()
	d := newDice(w.seed, "rewind")
	w.start(workload(newDice(w.seed, "workload"), time.Now(), time.Now().Add(w.lasts), true))
	time.Sleep(d.between(2*time.Second, 5*time.Second))
	older := filepath.Join(w.folder, "older.db")
	if _, err := sqlite.Copy(context.Background(), filepath.Join(w.folder, database), older); err != nil {
		w.t.Fatal(err)
	}
	w.trace.note("the database is copied")
	giveAgain(w.t, older)
	time.Sleep(d.between(3*time.Second, 8*time.Second))
	for _, s := range w.servers {
		s.kill()
	}
	time.Sleep(d.between(0, 3*time.Second))
	w.goBack(older)
	back := time.Now()
	for _, s := range w.servers {
		s.start()
	}
	time.Sleep(time.Until(w.trace.began.Add(w.lasts)))
	for range 30 {
		if time.Sleep(5 * time.Second); w.judge.settled() {
			break
		}
	}
	w.judge.afterwards(back)
	return w.judge.faults
}

// giveAgain has the copy give numbers again that were given since: as when its servers had drawn
// many blocks of them by now.
func giveAgain(t *testing.T, copied string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(copied))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(t.Context(), `UPDATE sequences SET next = 1 + MAX(
		(SELECT COALESCE(MAX(id), 0) FROM runs), (SELECT COALESCE(MAX(attempt_id), 0) FROM runs),
		(SELECT COALESCE(MAX(id), 0) FROM attempts)) WHERE name = 'runs'`)
	if err != nil {
		t.Fatal(err)
	}
}

// goBack puts an older database in the place of the present one. No server runs.
func (w *world) goBack(older string) {
	w.trace.note("the database goes back")
	w.stopStore()
	path := filepath.Join(w.folder, database)
	for _, tail := range []string{"-wal", "-shm"} {
		_ = os.Remove(path + tail)
	}
	if err := os.Rename(older, path); err != nil {
		w.t.Fatal(err)
	}
	w.openStore()
	w.runStore()
	w.judge.ledger = newLedger(w.judge)
}

// afterwards judges what holds although a part of the past is gone: a success is what a
// handler did for that run since its attempt was sent, and everything ends.
func (j *judge) afterwards(back time.Time) {
	j.mu.Lock()
	j.faults = nil // of steps that belong to another past by now
	j.mu.Unlock()
	for _, still := range j.open() {
		j.fault("I3: %s", still)
	}
	journal := j.w.journal.byAttempt()
	for _, r := range j.runs() {
		for _, a := range j.attemptsOf(r.ID) {
			if a.Broadcast() || a.State != job.Succeeded && a.State != job.TimedOut {
				continue
			}
			did := false
			for _, e := range journal[a.ID] {
				did = did || e.run == r.ID && e.job == r.JobID && !e.began.Before(a.TriggeredAt.Add(-time.Second))
			}
			if !did {
				j.fault("I13: attempt %d of run %d of job %s, sent at %s, is %s, and its handler was not called for it (the database went back at %s)",
					a.ID, r.ID, r.JobKey, a.TriggeredAt, a.State, back)
			}
		}
	}
}
