//go:build unix

package e2e

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// absence is how long the database is away at once.
var absence = flag.Duration("absence", 8*time.Second, "how long the database is away in the trials of outages, unless they are -long: then 5 min")

// recovery is how long servers may take to work again once the database answers. On a
// machine that does nothing else it is below 4 s, and each trial tells what it was; on one
// that does much else it is the machine.
const recovery = time.Minute

// outage is a cluster whose database is taken away, under load.
type outage struct {
	*fleet
	name  string // of the database
	asked sync.WaitGroup
	end   context.CancelFunc
	mu    sync.Mutex
	runs  []api.ID // that users were promised; guarded by mu
}

// newOutage starts two servers and two executors, and the load.
func newOutage(t *testing.T, address, name string, last time.Duration) *outage {
	t.Helper()
	o := &outage{fleet: newCluster(t, address, 2, "--catch-up-rate", "1000"), name: name}
	o.addWorker(tongues()[0], nil)
	o.addWorker(tongues()[1], nil)
	o.create(api.NewJob{
		Key: "asked", Param: "0 0", Overlap: job.OverlapConcurrent, Concurrency: 8, Schedule: api.Schedule{Kind: schedule.KindManual},
		Retry: api.Retry{Tries: 20, Initial: api.Duration(50 * time.Millisecond), Multiplier: 1, Max: api.Duration(50 * time.Millisecond)},
	}, duty{ends: []job.State{job.Succeeded}})
	from := o.soon()
	o.steady(from, from.Add(last))
	ctx, end := context.WithCancel(t.Context())
	o.end = end
	t.Cleanup(end)
	o.asked.Go(func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if r, err := o.client.Trigger(ctx, "asked", api.Trigger{}); err == nil {
				o.mu.Lock()
				o.runs = append(o.runs, r.ID)
				o.mu.Unlock()
			}
		}
	})
	rest(t, time.Until(from.Add(time.Second)))
	return o
}

// callback brings an outcome to a server and returns the status and the body.
func (o *outage) callback(url string) (status int, body string) {
	o.t.Helper()
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, url+"/api/callback",
		strings.NewReader(`[{"logId":900000000000,"logDateTim":0,"handleCode":200,"handleMsg":"","executeResult":{"code":200}}]`))
	if err != nil {
		o.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Xxl-Job-Access-Token", o.secret)
	c := http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := c.Do(r)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	var text [1024]byte
	n, _ := answer.Body.Read(text[:])
	return answer.StatusCode, string(text[:n])
}

// refused checks for a while that no server takes a callback: each is told that the
// database is away.
func (o *outage) refused(how string, d time.Duration) {
	o.t.Helper()
	asked := 0
	for end := time.Now().Add(d); asked < 2 || time.Now().Before(end); asked++ {
		for _, m := range o.servers() {
			if status, body := o.callback(m.address); status != http.StatusServiceUnavailable {
				o.t.Fatalf("%s: a callback to %s: %d %s, want 503", how, m.name, status, body)
			}
		}
		rest(o.t, 200*time.Millisecond)
	}
	o.t.Logf("%s: %d callbacks were answered with 503", how, asked*len(o.servers()))
}

// recovers waits until each server does what it is asked for, which must be soon.
func (o *outage) recovers(how string) {
	o.t.Helper()
	began := time.Now()
	for _, m := range o.servers() {
		c := o.clientOf(m)
		var r api.Run
		eventually(o.t, func() (err error) {
			r, err = c.Trigger(o.t.Context(), "asked", api.Trigger{})
			return err
		})
		o.mu.Lock()
		o.runs = append(o.runs, r.ID)
		o.mu.Unlock()
		eventually(o.t, func() error {
			if status, body := o.callback(m.address); status != http.StatusOK {
				return fmt.Errorf("%s: a callback to %s: %d %s", how, m.name, status, body)
			}
			return nil
		})
	}
	took := time.Since(began)
	o.t.Logf("%s: servers work again after %s", how, took.Round(time.Millisecond))
	if took > recovery {
		o.t.Errorf("%s: servers took %s to work again, at most %s are allowed", how, took, recovery)
	}
}

// over waits until all is done, and judges.
func (o *outage) over() {
	o.t.Helper()
	o.end()
	o.asked.Wait()
	o.duties[0].runs = o.runs
	o.settled()
	o.verdict()
}

// TestDatabaseAway restarts and kills the database under load, uses up its connections,
// and leaves it away for long: callbacks are refused with 503 meanwhile, servers work soon
// when it answers, nothing is lost and nothing is done twice.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	away := *absence
	if *longFlag {
		away = 5 * time.Minute
	}
	const name = "away"
	pg := newPostgres(t, "max_connections = 40")
	pg.do("postgres", "CREATE DATABASE "+name)
	o := newOutage(t, pg.at(name), name, away+25*time.Second)

	pg.stop()
	pg.start()
	o.recovers("after a restart")
	rest(t, time.Second)
	pg.kill()
	pg.start()
	o.recovers("after a kill")
	rest(t, time.Second)
	o.exhaust(pg, 4*time.Second)
	o.recovers("after connections were used up")
	rest(t, time.Second)
	pg.stop()
	o.refused("while it is away", away)
	pg.start()
	o.recovers(fmt.Sprintf("after %s", away))
	o.over()
}

// exhaust takes all connections of the database away from the servers for a while.
func (o *outage) exhaust(pg *postgres, d time.Duration) {
	o.t.Helper()
	keep, err := pg.db("postgres").Conn(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	defer func() { _ = keep.Close() }()
	const end = "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = $1"
	// The role is a superuser, for whom some connections are reserved: it takes those too.
	o.crowded(pg.db("postgres"), 39, d, "53300", func(ctx context.Context) (sent int, err error) {
		err = keep.QueryRowContext(ctx, end, o.name).Scan(&sent)
		return sent, err
	})
}

// crowded has somebody greedy take each connection that there is for a while, and until all are
// taken: so many, beside the one that expel uses. Whenever an error with the text full tells that
// there is no more, expel sends the servers away and says how many connections they had. Callbacks
// are refused then.
func (o *outage) crowded(greedy *sql.DB, all int, d time.Duration, full string, expel func(context.Context) (int, error)) {
	o.t.Helper()
	ctx := o.t.Context()
	var taken []*sql.Conn
	defer func() {
		for _, conn := range taken {
			_ = conn.Close()
		}
		_ = greedy.Close()
	}()
	greedy.SetMaxIdleConns(0)
	began := time.Now()
	for sent := 1; sent > 0 || len(taken) < all || time.Since(began) < d; {
		if time.Since(began) > patience {
			o.t.Fatalf("%d of %d connections could be taken, others had %d", len(taken), all, sent)
		}
		conn, err := greedy.Conn(ctx)
		if err == nil {
			taken = append(taken, conn)
			continue
		}
		if !strings.Contains(err.Error(), full) {
			o.t.Fatal(err)
		}
		if sent, err = expel(ctx); err != nil {
			o.t.Fatal(err)
		}
	}
	o.refused("without connections", 0)
}

// TestPromotion kills the primary under load and promotes the standby that follows it
// synchronously: servers that know both addresses go on there, and nothing that was
// confirmed is missing.
func TestPromotion(t *testing.T) {
	t.Parallel()
	const name = "promoted"
	one := newPostgres(t)
	one.do("postgres", "CREATE DATABASE "+name)
	two := one.standby()
	one.do("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'")
	one.do("postgres", "SELECT pg_reload_conf()")
	eventually(t, func() error {
		if n := one.one("postgres", "SELECT COUNT(*) FROM pg_stat_replication WHERE sync_state = 'sync'"); n != 1 {
			return fmt.Errorf("%d standbys follow synchronously", n)
		}
		return nil
	})
	o := newOutage(t, both(one, two, name), name, 15*time.Second)
	one.kill()
	o.refused("while there is only a standby", time.Second)
	two.promote()
	o.recovers("after the promotion")
	o.over()
}

// TestReadOnlySwitch makes the database read-only under load, and takes that back: no
// server writes meanwhile, and all go on without being started anew.
func TestReadOnlySwitch(t *testing.T) {
	t.Parallel()
	const name = "switched"
	pg := newPostgres(t)
	pg.do("postgres", "CREATE DATABASE "+name)
	o := newOutage(t, pg.at(name), name, 15*time.Second)
	pg.do("postgres", "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	pg.do("postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '"+name+"'")
	for _, m := range o.servers() {
		if r, err := o.clientOf(m).Trigger(t.Context(), "asked", api.Trigger{}); !job.Is(err, job.Unavailable) {
			t.Errorf("%s made run %d while the database is read-only: %v", m.name, r.ID, err)
		}
	}
	o.refused("while the database is read-only", 2*time.Second)
	const rows = "SELECT COUNT(*) FROM runs"
	before := pg.one(name, rows)
	rest(t, time.Second)
	if after := pg.one(name, rows); after != before {
		t.Errorf("there were %d runs in a database that is read-only, and are %d", before, after)
	}
	pg.do("postgres", "ALTER DATABASE "+name+" RESET default_transaction_read_only")
	o.recovers("after the switch was taken back")
	o.over()
}
