//go:build unix

package e2e

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// lateLine is how long a line may take to whoever follows its log. On a machine that does nothing
// else it is a tenth of a second.
const lateLine = 10 * time.Second

// TestLogOutlives kills an executor and removes all that it had: the logs of its runs can
// be read, of those that were over every line, and of one that was not what it had
// written until shortly before.
func TestLogOutlives(t *testing.T) {
	t.Parallel()
	for _, speaks := range tongues() {
		t.Run(speaks.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			executor := s.startSpeaking(speaks)
			s.talk("short", 3, ":")
			s.talk("large", 3000, ":")
			said := s.talk("alive", 10_000, "sleep 0.05")
			var over []string
			for range 3 {
				over = append(over, s.trigger("short"))
			}
			over = append(over, s.trigger("large"))
			for _, id := range over {
				s.becomes(id, job.Succeeded)
			}
			for _, id := range over {
				s.kept(id)
			}
			alive := s.trigger("alive")
			const soon = 40 // lines are written in two seconds or a little more
			written, kept := 0, 0
			eventually(t, func() error {
				if written = len(lines(mustRead(t, said))); written < 2*soon {
					return fmt.Errorf("%d lines", written)
				}
				kept = s.without(executor, alive)
				if kept < written-soon {
					return fmt.Errorf("while the executor stands still %d of %d lines can be read", kept, written)
				}
				return nil
			})
			s.burn(executor)
			for i, id := range over {
				want := 3
				if i == len(over)-1 {
					want = 3000
				}
				log := s.orth("run", "log", id)
				if n := talked(t, "run "+id, log); n != want || !strings.Contains(log, "\nno line end") {
					t.Errorf("run %s has %d lines, want %d:\n%.500s", id, n, want, log)
				}
			}
			log := s.orth("run", "log", alive)
			n := talked(t, "the run that was alive", log)
			if n < kept {
				t.Errorf("of the run that was alive %d of %d lines can be read, and %d could be", n, written, kept)
			}
			t.Logf("of the run that was alive %d of %d lines can be read", n, written)
		})
	}
}

// TestLogFollow follows a run that writes 20 lines a second, over a server that is killed
// and started again: by the stream of the API and by the command, which miss no line and
// get none twice.
func TestLogFollow(t *testing.T) {
	t.Parallel()
	for _, speaks := range tongues() {
		t.Run(speaks.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			s.startSpeaking(speaks)
			const most = 180
			gate := filepath.Join(s.dir, "gate") // the last third of the lines comes after the server was killed
			said := s.talk("talk", most, "sleep 0.05; until [ $i -ne 120 ] || [ -e "+gate+" ]; do sleep 0.05; done")
			id := s.trigger("talk")
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			heard := make(chan error, 1)
			l := &listener{s: s, id: id}
			go func() { heard <- l.listen(ctx) }()
			command := start(t, "orth run log", nil, "run", "log", id, "--follow", "--data", s.data())
			eventually(t, func() error {
				if n, heard := len(lines(mustRead(t, said))), l.came(); n < most/3 || heard < most/3 {
					return fmt.Errorf("%d lines were written and %d came", n, heard)
				}
				return nil
			})
			middle, most95 := l.delay()
			t.Logf("lines came %s after they were written, 95 of 100 within %s", middle, most95)
			if middle > lateLine {
				t.Errorf("lines came %s after they were written", middle)
			}
			s.startServer() // the one before it is killed
			mustWrite(t, gate, "")
			s.becomes(id, job.Succeeded)
			if err := <-heard; err != nil {
				t.Fatal(err)
			}
			command.wait()
			if code := command.cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("the command ended with %d", code)
			}
			for what, log := range map[string]string{"the stream": l.text(), "the command": command.out.String()} {
				if n := talked(t, what, log); n != most || strings.Count(log, "\nno line end") != 1 {
					t.Errorf("%s had %d lines of %d:\n%s", what, n, most, log)
				}
			}
			if l.breaks == 0 {
				t.Error("the stream did not break: the server was not killed under it")
			}
		})
	}
}

// TestLogOwed kills the server while many runs end: when it is back it has all of their
// logs, also those that it had not copied.
func TestLogOwed(t *testing.T) {
	t.Parallel()
	for _, speaks := range tongues() {
		t.Run(speaks.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			executor := s.startSpeaking(speaks)
			said := s.talk("short", 20, ":")
			var all []string
			for range 30 {
				all = append(all, s.trigger("short"))
			}
			eventually(t, func() error {
				if len(lines(mustRead(t, said))) < 20*len(all) {
					return fmt.Errorf("not all are done")
				}
				return nil
			})
			s.startServer() // the one before it is killed
			for _, id := range all {
				s.becomes(id, job.Succeeded)
			}
			for _, id := range all {
				s.kept(id)
			}
			s.burn(executor)
			for _, id := range all {
				if n := talked(t, "run "+id, s.orth("run", "log", id)); n != 20 {
					t.Errorf("run %s has %d lines, want 20", id, n)
				}
			}
		})
	}
}

// TestLogOff: of a job whose logs are switched off a run can be followed while it writes,
// and nothing is kept.
func TestLogOff(t *testing.T) {
	t.Parallel()
	for _, speaks := range tongues() {
		t.Run(speaks.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.startServer()
			executor := s.startSpeaking(speaks)
			const most = 80
			s.talk("secret", most, "sleep 0.05")
			c, err := client.New(client.Config{Address: "http://" + s.server, Token: strings.TrimSpace(mustRead(t, filepath.Join(s.data(), "api.token")))})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := c.UpdateJob(t.Context(), "secret", 0, map[string]any{"logs": map[string]any{"off": true}}); err != nil {
				t.Fatal(err)
			}
			id := s.trigger("secret")
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			l := &listener{s: s, id: id}
			if err := l.listen(ctx); err != nil {
				t.Fatal(err)
			}
			middle, most95 := l.delay()
			t.Logf("lines came %s after they were written, 95 of 100 within %s", middle, most95)
			if n := talked(t, "the stream", l.text()); n != most || middle > lateLine {
				t.Errorf("%d of %d lines came %s after they were written", n, most, middle)
			}
			s.burn(executor)
			if log, _, code := s.try("run", "log", id); code == 0 && talked(t, "the rest", log) == most {
				t.Log("its lines are in memory still")
			}
			s.startServer() // the one before it is killed
			if log, notes, _ := s.try("run", "log", id); strings.Contains(log+notes, "line 1 end") {
				t.Errorf("the lines of a log that is off were kept:\n%s", log)
			}
		})
	}
}
