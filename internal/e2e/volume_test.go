//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/job"
)

// TestOutcomesWait keeps every server away while an executor works on, until as many
// outcomes wait as may. Further tasks are refused with the reason and no outcome gives way.
// Memory and disk stay within bounds, a kill loses nothing, and all outcomes are delivered
// once a server is back.
func TestOutcomesWait(t *testing.T) {
	t.Parallel()
	n := 20_000
	if *longFlag {
		n = 600_000
	}
	v := newVolume(t, n)
	before := v.resident()
	began := time.Now()
	v.send(n)
	t.Logf("%d tasks were accepted in %s", n, time.Since(began))
	v.refuses()
	v.executor.kill()
	v.start()
	v.refuses()
	grown, disk := v.resident()-before, v.disk()
	t.Logf("with %d outcomes that wait the executor has %d MiB more, and %d MiB on disk", n, grown>>20, disk>>20)
	// The bodies that memory keeps, and for each outcome where it lies.
	if most := int64(64<<20 + 512*n); grown > most {
		t.Errorf("the executor has grown by %d MiB, want at most %d", grown>>20, most>>20)
	}
	if most := int64(32<<20 + 2*n*(4*len(v.result)+300)); disk > most {
		t.Errorf("%d MiB are on disk, want at most %d", disk>>20, most>>20)
	}

	began = time.Now()
	v.admin.away.Store(false)
	eventually(t, func() error {
		if len(v.admin.attempts()) == 0 {
			return fmt.Errorf("no outcome has come")
		}
		return nil
	})
	first := time.Since(began)
	eventually(t, func() error {
		if got := len(v.admin.attempts()); got < n {
			return fmt.Errorf("%d of %d outcomes have come", got, n)
		}
		return nil
	})
	took := time.Since(began)
	t.Logf("the first came after %s, all after %s: %.0f a second", first, took, float64(n)/took.Seconds())
	if first > 30*time.Second {
		t.Errorf("the first outcome came %s after the server, want 30 s at most", first)
	}
	v.whole(n)
	if err := v.try(int64(n) + 2); err != nil {
		t.Errorf("a task is refused although no outcome waits: %v", err)
	}
}

// volume is one executor with many outcomes.
type volume struct {
	t        *testing.T
	admin    *admin
	client   *xxl.ExecutorClient
	role     workerConfig
	result   string
	executor *process
}

func newVolume(t *testing.T, most int) *volume {
	t.Helper()
	v := &volume{t: t, admin: newAdmin(t), result: strings.Repeat("r", 300), client: xxl.NewExecutorClient(xxl.ClientConfig{Token: secretToken, Timeout: 20 * time.Second})}
	t.Cleanup(v.client.Close)
	v.admin.away.Store(true)
	dir := scratch(t)
	v.role = workerConfig{
		Servers: []string{v.admin.url}, Token: secretToken, Group: "volume", Listen: freeAddress(t), Dialect: "xxl-job",
		Data: filepath.Join(dir, "data"), Journal: filepath.Join(dir, "journal"), MaxOutcomes: most,
	}
	v.start()
	return v
}

func (v *volume) start() {
	v.t.Helper()
	role, err := json.Marshal(v.role)
	if err != nil {
		v.t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		v.t.Fatal(err)
	}
	v.executor = startFile(v.t, "the executor", self, []string{workerRole + "=" + string(role)})
	eventually(v.t, func() error { return v.client.Beat(v.t.Context(), "http://"+v.role.Listen) })
}

// try sends one task.
func (v *volume) try(id int64) error {
	return v.client.Run(v.t.Context(), "http://"+v.role.Listen, job.Task{
		AttemptID: id, JobID: id%64 + 1, RunID: id, Try: 1, Overlap: job.OverlapConcurrent, Concurrency: 8, Param: v.result,
		TriggeredAt: time.Now(), ShardTotal: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: echoHandler},
	})
}

// send sends n tasks, each until it is accepted.
func (v *volume) send(n int) {
	v.t.Helper()
	if err := side(32, n, func(i int) error {
		for end := time.Now().Add(patience); ; {
			err := v.try(int64(i) + 1)
			if err == nil || time.Now().After(end) {
				return err
			}
		}
	}); err != nil {
		v.t.Fatal(err)
	}
}

// refuses checks that no further task is taken, and why.
func (v *volume) refuses() {
	v.t.Helper()
	err := v.try(int64(v.role.MaxOutcomes) + 1)
	if err == nil || !strings.Contains(err.Error(), "outcomes") {
		v.t.Fatalf("a task for which there is no room: %v, want a refusal that speaks of outcomes", err)
	}
}

// whole checks that each attempt has one outcome, with what its handler said.
func (v *volume) whole(n int) {
	v.t.Helper()
	bad := 0
	for id := int64(1); id <= int64(n); id++ {
		if got := v.admin.of(id); len(got) != 1 || got[0] != "succeeded: "+v.result {
			if bad++; bad <= 10 {
				v.t.Errorf("attempt %d has the outcomes %q", id, got)
			}
		}
	}
	if got := len(v.admin.attempts()); got != n || bad > 0 {
		v.t.Errorf("%d attempts have outcomes, want %d; %d are wrong", got, n, bad)
	}
}

// resident returns the executor's memory in bytes; 0 where the system does not say.
func (v *volume) resident() int64 {
	v.t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	_, rest, _ := strings.Cut(mustRead(v.t, fmt.Sprintf("/proc/%d/status", v.executor.cmd.Process.Pid)), "VmRSS:")
	var kib int64
	if _, err := fmt.Sscan(rest, &kib); err != nil {
		v.t.Fatal(err)
	}
	return kib << 10
}

// disk returns how much the executor's folder holds.
func (v *volume) disk() (size int64) {
	_ = filepath.WalkDir(v.role.Data, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
