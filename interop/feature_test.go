package interop

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// trial is a peer on trial: a server of its own and two executors, the second of
// which is there from the broadcast on.
type trial struct {
	*server
	t      *testing.T
	peer   peer
	launch launcher
	first  *member
}

// feature is what a peer can do, or not.
type feature struct {
	column string // in the matrix
	means  string // below the matrix
	check  func(*trial) error
}

// features are tried in this order: the last one ends the executors.
var features = []feature{
	{"registers", "registers, and is reached by the server at the address it gave", (*trial).registers},
	{"runs", "a handler runs, with its parameter (letters of many alphabets) and its result", (*trial).runs},
	{"dialect", "the server has found out which [dialect](dialects.md) it speaks, as `orth executors` shows it", (*trial).dialect},
	{"fails", "a handler says that it failed, and why", (*trial).fails},
	{"throws", "a handler throws: the run fails with what was thrown", (*trial).throws},
	{"log", "the run's log is read through the server", (*trial).reads},
	{"long log", "a log of 1,000 lines is followed while it is written: each line once, in order", (*trial).follows},
	{"shell", "a shell script that travels with the task", (*trial).shell},
	{"in turn", "overlap `serial` as it is by default: the server lets the second run wait, whatever the executor can do", (*trial).inTurn},
	{"serial", "overlap `serial` in the executor: the second run waits for the first", (*trial).serial},
	{"discard", "overlap `discard` in the executor: the second run is skipped", (*trial).discard},
	{"cover", "overlap `cover` in the executor: the second run ends the first", (*trial).cover},
	{"timeout", "a run that takes too long is ended", (*trial).timeout},
	{"cancel", "`orth run cancel` ends what runs", (*trial).cancel},
	{"outage", "the server is killed, the run ends meanwhile, the server starts again: the outcome arrives", (*trial).outage},
	{"broadcast", "two executors share a broadcast: shard 0 of 2 and 1 of 2", (*trial).broadcast},
	{"farewell", "an executor that is stopped leaves the list at once", (*trial).farewell},
}

// crash is a feature that takes minutes and is tried beside the others.
var crash = feature{"crash", "an executor is killed three seconds after it took a run and starts again at once: the run is found lost and tried again", (*trial).crash}

// text is a parameter that has to arrive as it is.
const text = `a b "c" <d> & ü 日本`

// job creates the peer's job and returns its first run.
func (tr *trial) job(key, handler, param string, flags ...string) (firing, error) {
	err := tr.create(key, tr.peer.group(), append([]string{"--handler", handler, "--param", param}, flags...)...)
	if err != nil {
		return firing{}, err
	}
	return tr.trigger(key)
}

// running waits until the executor itself has the run.
func (tr *trial) running(f *firing) error {
	return tr.until(f, "the run is under way", patience, func() bool { return f.State == "running" || f.Final })
}

func (tr *trial) registers() (err error) {
	tr.first, err = tr.join(tr.t, tr.peer, tr.launch, tr.peer.group())
	return err
}

func (tr *trial) runs() error {
	f, err := tr.job("runs", "ok", text)
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "succeeded"); err != nil {
		return err
	}
	// Some clients report a result as JSON.
	if plain := strings.ReplaceAll(f.Message, `\"`, `"`); !strings.Contains(plain, "did "+text) {
		return fmt.Errorf("the result is another: %s", f)
	}
	return nil
}

// dialect follows the first task: those whose calls say nothing are found out by
// their answers.
func (tr *trial) dialect() error {
	return await("its dialect is found", 10*time.Second, func() error {
		alive, err := tr.executors(tr.peer.group())
		if err == nil && (len(alive) != 1 || alive[0].Dialect == "" || alive[0].Dialect != tr.peer.dialect) {
			err = fmt.Errorf("the executors are %+v", alive)
		}
		return err
	})
}

func (tr *trial) fails() error  { return tr.bad("fail", "no why") }
func (tr *trial) throws() error { return tr.bad("throw", "thrown on purpose") }

func (tr *trial) bad(handler, message string) error {
	f, err := tr.job(handler, handler, "why")
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "failed"); err != nil {
		return err
	}
	if !strings.Contains(f.Message, message) {
		return fmt.Errorf("the message is another: %s", f)
	}
	return nil
}

func (tr *trial) reads() error {
	f, err := tr.job("reads", "ok", "this")
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "succeeded"); err != nil {
		return err
	}
	_, err = tr.log(f, "param this", "shard 0 of 1")
	return err
}

var numbered = regexp.MustCompile(`line (\d+) of 1000`)

func (tr *trial) follows() error {
	f, err := tr.job("follows", "lines", "1000")
	if err != nil {
		return err
	}
	out, err := tr.orth("run", "log", f.ID, "--follow")
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "succeeded"); err != nil {
		return err
	}
	lines := numbered.FindAllStringSubmatch(out, -1)
	for i, line := range lines {
		if line[1] != strconv.Itoa(i+1) {
			return fmt.Errorf("line %d of the log is %q", i+1, line[0])
		}
	}
	if len(lines) != 1000 {
		return fmt.Errorf("the log has %d lines of 1000", len(lines))
	}
	return nil
}

func (tr *trial) shell() error {
	err := tr.create("shell", tr.peer.group(), "--shell", `echo "got [$1] shard $2 of $3"`, "--param", "p q")
	if err != nil {
		return err
	}
	f, err := tr.trigger("shell")
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "succeeded"); err != nil {
		return err
	}
	_, err = tr.log(f, "got [p q] shard 0 of 1")
	return err
}

// overlapped starts a run that sleeps so long, and a second one that sleeps for
// a moment, on the same executor. Whatever the peer makes of it, both are over
// soon.
func (tr *trial) overlapped(overlap, scope string, first time.Duration) (a, b firing, err error) {
	key := overlap + "-" + scope
	a, err = tr.job(key, "sleep", strconv.FormatInt(first.Milliseconds(), 10),
		"--overlap", overlap, "--overlap-scope", scope, "--deadline", "25s")
	if err != nil {
		return a, b, err
	}
	if err := tr.running(&a); err != nil {
		return a, b, err
	}
	b, err = tr.trigger(key, "--param", "300")
	return a, b, err
}

var moment = regexp.MustCompile(`(begin|end) (\d+)`)

func (tr *trial) inTurn() error { return tr.oneByOne("cluster") }
func (tr *trial) serial() error { return tr.oneByOne("executor") }

func (tr *trial) oneByOne(scope string) error {
	a, b, err := tr.overlapped("serial", scope, 2*time.Second)
	if err != nil {
		return err
	}
	if err := errors.Join(tr.ended(&b, "succeeded"), tr.ended(&a, "succeeded")); err != nil {
		return err
	}
	ended, err := tr.moment(a, "end")
	if err != nil {
		return err
	}
	began, err := tr.moment(b, "begin")
	if err != nil {
		return err
	}
	if began < ended {
		return fmt.Errorf("the second run began %d ms before the first had ended", ended-began)
	}
	return nil
}

// moment returns when a run began or ended by its log, in milliseconds.
func (tr *trial) moment(f firing, what string) (int64, error) {
	log, err := tr.log(f, what+" ")
	if err != nil {
		return 0, err
	}
	for _, m := range moment.FindAllStringSubmatch(log, -1) {
		if m[1] == what {
			return strconv.ParseInt(m[2], 10, 64)
		}
	}
	return 0, fmt.Errorf("the log of run %s does not tell its %s: %q", f.ID, what, log)
}

func (tr *trial) discard() error {
	a, b, err := tr.overlapped("discard", "executor", 2*time.Second)
	if err != nil {
		return err
	}
	return errors.Join(tr.ended(&b, "skipped"), tr.ended(&a, "succeeded"))
}

func (tr *trial) cover() error {
	a, b, err := tr.overlapped("cover", "executor", 20*time.Second)
	if err != nil {
		return err
	}
	return errors.Join(tr.ended(&b, "succeeded"), tr.ended(&a, "failed", "cancelled"))
}

func (tr *trial) timeout() error {
	f, err := tr.job("timeout", "sleep", "40000", "--timeout", "1s")
	if err != nil {
		return err
	}
	return tr.ended(&f, "timed_out", "failed")
}

func (tr *trial) cancel() error {
	f, err := tr.job("cancel", "sleep", "40000")
	if err != nil {
		return err
	}
	if err := tr.running(&f); err != nil {
		return err
	}
	if _, err := tr.orth("run", "cancel", f.ID); err != nil {
		return err
	}
	if err := tr.until(&f, "the run ends", 90*time.Second, func() bool { return f.Final }); err != nil {
		return err
	}
	if f.State != "cancelled" || strings.Contains(f.Message, "has not reported the end") {
		return errors.New(f.String())
	}
	return nil
}

func (tr *trial) broadcast() error {
	if _, err := tr.join(tr.t, tr.peer, tr.launch, tr.peer.group()); err != nil {
		return err
	}
	f, err := tr.job("broadcast", "ok", "all", "--route", "broadcast")
	if err != nil {
		return err
	}
	if err := tr.ended(&f, "succeeded"); err != nil {
		return err
	}
	shards, err := tr.shards(f)
	if err != nil {
		return err
	}
	if len(shards) != 2 {
		return fmt.Errorf("%d shards: %v", len(shards), shards)
	}
	for i, shard := range shards {
		if _, err := tr.log(shard, fmt.Sprintf("shard %d of 2", i)); err != nil {
			return err
		}
	}
	return nil
}

// shards returns the runs that a broadcast was split into, in their order.
func (s *server) shards(f firing) ([]firing, error) {
	var list struct {
		Shards []firing `json:"shards"`
	}
	err := s.get("/runs/"+f.ID+"/shards", &list)
	return list.Shards, err
}

func (tr *trial) outage() error {
	f, err := tr.job("outage", "sleep", "1500", "--deadline", "75s")
	if err != nil {
		return err
	}
	if err := tr.running(&f); err != nil {
		return err
	}
	tr.server.process.kill()
	// Some are busy until they have reported: then it is enough to have waited.
	_ = tr.idle(f, 5*time.Second)
	if err := tr.server.start(); err != nil {
		return err
	}
	if err := tr.until(&f, "the run ends", 100*time.Second, func() bool { return f.Final }); err != nil {
		return err
	}
	var died error
	select {
	case <-tr.first.over:
		died = errors.New("the executor has ended: ")
		if err := tr.first.begin(tr.t); err != nil {
			return err
		}
		if err := await("it is back", patience, func() error { return tr.has(tr.peer.group(), tr.first, true) }); err != nil {
			return err
		}
	default:
	}
	if f.State != "succeeded" {
		return errors.Join(died, errors.New(f.String()))
	}
	return died
}

// idle waits until the executor does not have the run any more.
func (tr *trial) idle(f firing, within time.Duration) error {
	return await("the executor is idle", within, func() error {
		busy, err := tr.busy(tr.first, strconv.FormatInt(f.JobID, 10))
		if err == nil && busy {
			err = errors.New("it is busy")
		}
		return err
	})
}

func (tr *trial) farewell() error {
	if err := tr.first.stop(); err != nil {
		return err
	}
	return await("it has left", 20*time.Second, func() error { return tr.has(tr.peer.group(), tr.first, false) })
}

// lease is short: a server that has just started finds nothing lost while one lasts.
const lease = "40s"

// crash kills the executor within seconds after it took the run, and starts it again at its
// address at once: no look of the server falls between, and its lease never ends.
func (tr *trial) crash() error {
	if err := tr.registers(); err != nil {
		return err
	}
	f, err := tr.job("crash", "sleep", "600000", "--retries", "1", "--retry-delay", "100ms")
	if err != nil {
		return err
	}
	if err := tr.running(&f); err != nil {
		return err
	}
	<-time.After(3 * time.Second)
	tr.first.kill()
	if err := tr.first.begin(tr.t); err != nil {
		return err
	}
	return tr.until(&f, "the run is tried again", 180*time.Second, func() bool { return f.Tries == 2 })
}
