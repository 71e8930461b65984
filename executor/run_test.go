package executor_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// TestRunOverrun: tasks that outlast the time to drain are cancelled and
// reported, and that is a good end.
func TestRunOverrun(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.DrainFor = 10 * time.Millisecond
	l := launch(t, a, c)
	l.run(t, bean(1, 11, "hold"), success)
	l.started(t, 11)
	if err := l.stop(); err != nil {
		t.Errorf("Run = %v", err)
	}
	a.want(t, 11, "500 web container destroy and kill the job. [job running, killed]")
	if !strings.Contains(l.journal.String(), `msg="the time to drain is over; what is left is stopped" part=runner`) {
		t.Errorf("the log does not tell of it: %s", l.journal)
	}
}

// TestRunStuck: a handler that ignores its cancelled context is reported after
// the grace, and does not keep the executor from ending well.
func TestRunStuck(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.DrainFor = 10 * time.Millisecond
	c.Grace = 3 * time.Second // the disk, too, has no longer than this
	begun, free, returned := make(chan struct{}), make(chan struct{}), make(chan struct{})
	l := launch(t, a, c)
	l.Handle("stubborn", func(context.Context, *handler.Task) error {
		defer close(returned)
		close(begun)
		<-free
		return nil
	})
	l.run(t, bean(1, 11, "stubborn"), success)
	<-begun
	if err := l.stop(); err != nil {
		t.Errorf("Run = %v", err)
	}
	if got := a.outcome(t, 11).String(); !strings.HasPrefix(got, "500 ") || !strings.Contains(got, "still running, cannot be stopped") {
		t.Errorf("called back as %q", got)
	}
	close(free)
	<-returned
}

// TestRunReturn: with Return what waits is handed back, and the next start has
// nothing left of it.
func TestRunReturn(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.Return, c.DrainFor = true, patience
	l := launch(t, a, c)
	l.run(t, bean(1, 11, "hold"), success)
	l.started(t, 11)
	l.run(t, bean(1, 12, "demo"), success)
	l.run(t, bean(1, 13, "demo"), success)
	stopped := make(chan error, 1)
	go func() { stopped <- l.stop() }()
	for _, attempt := range []int64{12, 13} {
		a.want(t, attempt, "500 the executor stops and hands its waiting tasks back [job not executed, in the job queue, killed.]")
	}
	l.release(11)
	if err := <-stopped; err != nil {
		t.Error(err)
	}
	a.want(t, 11, "200")
	again := launch(t, a, c)
	again.run(t, bean(2, 21, "demo"), success)
	a.want(t, 21, "200 did ")
	if started, waiting := again.value(t, "tasks_started_total"), again.value(t, "tasks_waiting"); started != 1 || waiting != 0 {
		t.Errorf("the next start ran %v tasks and has %v left; want the new one alone", started, waiting)
	}
}

// TestRunRunning: Running bounds what runs, whatever job it is of.
func TestRunRunning(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.Running = 2
	l := launch(t, a, c)
	for id := int64(1); id <= 4; id++ {
		l.run(t, bean(id, id, "hold"), success)
	}
	begun := func() (n int) {
		for id := int64(1); id <= 4; id++ {
			if l.has("start", id) {
				n++
			}
		}
		return n
	}
	l.await(t, "two starts", func() bool { return begun() == 2 })
	if running, waiting := l.value(t, "tasks_running"), l.value(t, "tasks_waiting"); running != 2 || waiting != 2 {
		t.Errorf("%v run and %v wait; want 2 and 2", running, waiting)
	}
	l.release(1, 2, 3, 4)
	for id := int64(1); id <= 4; id++ {
		a.want(t, id, "200")
	}
}

// TestRunWaiting: Waiting bounds the row of one job and no other's.
func TestRunWaiting(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.Waiting = 1
	l := launch(t, a, c)
	l.run(t, bean(1, 11, "hold"), success)
	l.started(t, 11)
	l.run(t, bean(1, 12, "demo"), success)
	if got := l.try(t, bean(1, 13, "demo")); !strings.HasPrefix(got, `{"code":500,"msg":"`) {
		t.Errorf("one more than may wait: %s", got)
	}
	l.run(t, bean(2, 21, "demo"), success)
	a.want(t, 21, "200 did ")
	l.release(11)
	a.want(t, 12, "200 did ")
}

// TestRunHandle: a handler that is registered again serves jobs that have no
// lane at once, and one that has a lane when that has ended.
func TestRunHandle(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.IdleAfter = 20 * time.Millisecond
	l := launch(t, a, c)
	destroyed := make(chan struct{})
	l.HandleWith("work", versioned{text: "old", destroyed: destroyed})
	l.run(t, bean(1, 11, "work"), success)
	a.want(t, 11, "200 old")
	l.HandleWith("work", versioned{text: "new"})
	l.run(t, bean(2, 21, "work"), success)
	a.want(t, 21, "200 new")
	select {
	case <-destroyed:
	case <-time.After(patience):
		t.Fatal("the idle handler was not destroyed")
	}
	l.run(t, bean(1, 12, "work"), success)
	a.want(t, 12, "200 new")
}

type versioned struct {
	text      string
	destroyed chan struct{}
}

func (v versioned) Handle(_ context.Context, t *handler.Task) error {
	t.Result(v.text)
	return nil
}

func (v versioned) Destroy() {
	if v.destroyed != nil {
		close(v.destroyed)
	}
}

// TestRunLogBytes: the oldest days of logs go when all together take too much,
// however young they are.
func TestRunLogBytes(t *testing.T) {
	t.Parallel()
	a := newAdmin(t)
	c := plain(t, a)
	c.LogDays, c.LogBytes = -1, 64<<10
	today := time.Now() // also when midnight passes during the test
	day := func(ago int) string {
		return filepath.Join(c.Data, "logs", today.AddDate(0, 0, -ago).Format(time.DateOnly))
	}
	for _, ago := range []int{2, 3, 4} {
		if err := errors.Join(os.MkdirAll(day(ago), 0o700), os.WriteFile(filepath.Join(day(ago), "1.log"), make([]byte, 40<<10), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	launch(t, a, c)
	gone := func(ago int) bool {
		_, err := os.Stat(day(ago))
		return errors.Is(err, os.ErrNotExist)
	}
	eventually(t, "the end of the oldest days", func() bool { return gone(4) && gone(3) })
	if gone(2) {
		t.Error("a day went that had space")
	}
}

// TestRunCommand runs a command that a task names.
func TestRunCommand(t *testing.T) {
	t.Parallel()
	needs(t, "sh")
	a := newAdmin(t)
	c := plain(t, a)
	c.Programs.Commands, c.Programs.Keep, c.Programs.PrivateTemp = []string{"sh"}, []string{"NOT_THERE"}, true
	l := launch(t, a, c)
	command := func(logID int64, param string) run {
		return bean(logID, logID, "commandJobHandler").with(func(r *run) { r.Param = param })
	}
	l.run(t, command(1, `sh -c 'echo "job $ORTH_JOB_ID"; touch "$TMPDIR/x" && echo done >"$ORTH_JOB_RESULT_FILE"'`), success)
	a.want(t, 1, "200 done")
	if text := l.logged(t, 1); !strings.Contains(text, "job 1") {
		t.Errorf("the log is %q", text)
	}
	l.run(t, command(2, "sh -c 'exit 3'"), success)
	a.want(t, 2, "500 script exit value(3) is failed")
	l.run(t, command(5, "sh -c 'echo psql: error: password=hunter2hunter2 is wrong >&2; exit 3'"), success)
	a.want(t, 5, "500 script exit value(3) is failed: psql: error: password=*** is wrong")
	l.run(t, command(3, "env"), success)
	if got := a.outcome(t, 3).String(); !strings.HasPrefix(got, "500 ") || !strings.Contains(got, "not allowed") {
		t.Errorf("a program that is not listed: %q", got)
	}
	if left, err := os.ReadDir(filepath.Join(c.Data, "temp")); err != nil || len(left) > 0 {
		t.Errorf("left in the folder of temporary files: %v, %v", left, err)
	}
	s := scripts(plain(t, a))
	s.Scripts = false
	launch(t, a, s).run(t, command(4, "sh"), refusal("job handler [commandJobHandler] not found."))
}

// TestRunCall makes the HTTP call that a task describes.
func TestRunCall(t *testing.T) {
	t.Parallel()
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "%s with %s", r.Method, r.Header.Get("Authorization"))
	}))
	t.Cleanup(service.Close)
	a := newAdmin(t)
	call := func(logID int64) run {
		param, err := json.Marshal(map[string]any{
			"url": service.URL, "headers": map[string]string{"Authorization": "Bearer ${secret:KEY}"}, "secrets": []string{"KEY"},
		})
		if err != nil {
			t.Fatal(err)
		}
		return bean(logID, logID, "httpJobHandler").with(func(r *run) { r.Param = string(param) })
	}
	c := plain(t, a)
	c.Calls = executor.Calls{Enabled: true, Hosts: []string{"127.0.0.1"}, Secrets: map[string]string{"KEY": "s3cret-value"}}
	l := launch(t, a, c)
	l.run(t, call(1), success)
	if got := a.outcome(t, 1).String(); got != "200 200 OK\nGET with ***" {
		t.Errorf("the call came to %q", got)
	}
	if text := l.logged(t, 1); strings.Contains(text, "s3cret") || !strings.Contains(text, service.URL) {
		t.Errorf("the log is %q", text)
	}
	c = plain(t, a)
	c.Calls = executor.Calls{Enabled: true, Secrets: map[string]string{"KEY": "s3cret-value"}}
	launch(t, a, c).run(t, call(2), success)
	if got := a.outcome(t, 2).String(); !strings.HasPrefix(got, "500 ") || !strings.Contains(got, "127.0.0.1") {
		t.Errorf("a call of a private address came to %q", got)
	}
	launch(t, a, plain(t, a)).run(t, call(3), refusal("job handler [httpJobHandler] not found."))
}

// TestRunInterpreters: an interpreter is run from the operator's path; one that does not
// run is reported at the start, and its scripts are refused.
func TestRunInterpreters(t *testing.T) {
	t.Parallel()
	needs(t, "sh")
	dir := t.TempDir()
	for name, text := range map[string]string{
		"python": "#!/bin/sh\n[ \"$1\" = --version ] && echo Python 3.99.1 && exit\necho \"ours runs $(basename \"$1\") with $2 $3 $4\"\n",
		"php":    "#!/bin/sh\nexit 127\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	a := newAdmin(t)
	c := plain(t, a)
	c.Programs.Interpreters = map[job.HandlerKind]string{
		job.HandlerPython: filepath.Join(dir, "python"), job.HandlerPHP: filepath.Join(dir, "php"),
	}
	l := launch(t, a, scripts(c))
	l.run(t, script(1, 1, "GLUE_PYTHON", "print('hi')").with(func(r *run) { r.Param = "p" }), success)
	a.want(t, 1, "200")
	if text := l.logged(t, 1); !strings.Contains(text, "ours runs 1_1795226987000.py with p 0 1") {
		t.Errorf("the log is %q", text)
	}
	if got := l.try(t, script(2, 2, "GLUE_PHP", "<?php")); !strings.Contains(got, "has no php: install it") {
		t.Errorf("a script without its interpreter: %s", got)
	}
	if !strings.Contains(l.journal.String(), "kind=php path="+filepath.Join(dir, "php")) || strings.Contains(l.journal.String(), "kind=python") {
		t.Errorf("the log of the start: %s", l.journal)
	}
}
