//go:build unix

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

// startSpeaking starts an executor that speaks so with the server, and waits until the
// server reaches it.
func (s *site) startSpeaking(speaks tongue) *process {
	s.t.Helper()
	args := []string{
		"executor", "--servers", "http://" + s.server, "--group", s.group, "--dialect", speaks.dialect,
		"--executor-token-file", filepath.Join(s.data(), "executor.token"), "--listen", s.executor,
		"--data", filepath.Join(s.dir, "executor"), "--scripts", "--log-level", "debug",
	}
	where := s.executor
	if speaks.pull {
		args, where = append(args, "--pull"), "pull://"+s.group+"/"
	}
	p := start(s.t, "executor", nil, args...)
	eventually(s.t, func() error {
		var list []api.Executor
		decode(s.t, s.orth("executors", "-o", "json"), &list)
		if slices.ContainsFunc(list, func(e api.Executor) bool { return strings.Contains(e.Address, where) && e.Unreachable == "" }) {
			return nil
		}
		return fmt.Errorf("the executor is not there: %+v", list)
	})
	return p
}

// without returns how many lines of a run's log the server has while the executor stands still and tells
// nobody anything.
func (s *site) without(executor *process, id string) int {
	s.t.Helper()
	if err := executor.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = executor.cmd.Process.Signal(syscall.SIGCONT) }()
	return talked(s.t, "run "+id, s.orth("run", "log", id))
}

// burn kills the executor and removes all that it had.
func (s *site) burn(executor *process) {
	s.t.Helper()
	executor.kill()
	within(s.t, patience, func() error { return os.RemoveAll(filepath.Join(s.dir, "executor")) })
}

// get asks the server's API, and returns an answer that the caller closes.
func (s *site) get(ctx context.Context, path, last string) (*http.Response, error) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.server+"/api/v1"+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(mustRead(s.t, filepath.Join(s.data(), "api.token"))))
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	return http.DefaultClient.Do(r)
}

// kept waits until the server has the whole log of a run.
func (s *site) kept(id string) {
	s.t.Helper()
	eventually(s.t, func() error {
		answer, err := s.get(s.t.Context(), "/runs/"+id+"/log", "")
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		var page api.LogPage
		if err := json.NewDecoder(answer.Body).Decode(&page); err != nil {
			return err
		}
		if page.Kept != "whole" {
			return fmt.Errorf("the log of run %s is kept as %q: %s", id, page.Kept, page.Note)
		}
		return nil
	})
}

// talk makes a job that writes so many numbered lines with a pause between them, the
// same to the file said, and returns the file.
func (s *site) talk(key string, lines int, pause string) (said string) {
	s.t.Helper()
	said = filepath.Join(s.dir, key+".said")
	s.orth("job", "create", key, "--group", s.group, "--manual", "--overlap", "concurrent", "--shell", fmt.Sprintf(
		"form=%%s%%3N; [ $(date +%%3N) != 3N ] || form=%%s000 # not every date knows milliseconds\n"+
			"i=1; while [ $i -le %d ]; do echo \"line $i end at $(date +$form)\"; echo $i >>%s; %s; i=$((i+1)); done; printf 'no line end'",
		lines, said, pause))
	return said
}

// talked returns the numbers of the lines that such a job wrote to a log, and fails when
// one is missing, doubled or broken, or stands elsewhere.
func talked(t *testing.T, what, log string) (lines int) {
	t.Helper()
	for line := range strings.Lines(log) {
		_, text, found := strings.Cut(line, "line ")
		if !found {
			continue
		}
		var n, at int64
		if _, err := fmt.Sscanf(text, "%d end at %d\n", &n, &at); err != nil {
			continue // of the frame around the script's own lines
		}
		if lines++; n != int64(lines) {
			t.Fatalf("%s: after line %d comes line %d", what, lines-1, n)
		}
	}
	return lines
}

// listener reads the stream of a run's log, and comes back when it breaks.
type listener struct {
	s  *site
	id string

	mu     sync.Mutex
	log    strings.Builder // guarded by mu
	delays []time.Duration // guarded by mu: from the writing of a line to its coming
	last   string          // of the events that have an id
	breaks int
}

// listen reads until the run is over, or ctx ends.
func (l *listener) listen(ctx context.Context) error {
	for ctx.Err() == nil {
		over, err := l.hear(ctx)
		if over {
			return nil
		}
		l.breaks++
		if err != nil {
			l.s.t.Logf("the stream broke: %v", err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// hear reads one stream. over says that the run is.
func (l *listener) hear(ctx context.Context) (over bool, err error) {
	answer, err := l.s.get(ctx, "/runs/"+l.id+"/log/stream", l.last)
	if err != nil {
		return false, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return false, fmt.Errorf("status %d", answer.StatusCode)
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 8<<20)
	event, id := "", ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			event, id = value, ""
		case "id":
			id = value
		case "data":
			if event == "end" {
				return true, nil
			}
			if event == "problem" {
				return false, fmt.Errorf("problem: %s", value)
			}
			if event == "lines" {
				l.take(value)
				l.last = id
			}
		}
	}
	return false, lines.Err()
}

func (l *listener) take(data string) {
	now := time.Now()
	var came api.LogLines
	if err := json.Unmarshal([]byte(data), &came); err != nil {
		l.s.t.Errorf("an event %q: %v", data, err)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log.WriteString(came.Text)
	for line := range strings.Lines(came.Text) {
		if _, text, found := strings.Cut(line, " end at "); found {
			var at int64
			if _, err := fmt.Sscan(text, &at); err == nil {
				l.delays = append(l.delays, now.Sub(job.FromMillis(at)))
			}
		}
	}
}

// came returns how many lines have come.
func (l *listener) came() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.delays)
}

func (l *listener) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.String()
}

// delay returns how long lines took, that of the middle one and that of all but a
// twentieth.
func (l *listener) delay() (middle, most time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Sorted(slices.Values(l.delays))
	if len(all) == 0 {
		return 0, 0
	}
	return all[len(all)/2], all[len(all)*19/20]
}
