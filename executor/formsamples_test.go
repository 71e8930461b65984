package executor_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/job"
)

// formSamples are the scripts that the console puts into the editor of a new job.
const formSamples = "../console/app/src/pages/jobs/form/samples"

// TestFormSamples: each script that the console starts a new job with runs, and prints the
// parameter, the planned time and the shard.
//
//nolint:tparallel // its subtests share one executor
func TestFormSamples(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := newTower(t, token)
	c := executor.Config{
		Servers: []string{s.url}, Dialect: "native", Token: token, Group: "g", Data: t.TempDir(), Listen: "127.0.0.1:0",
		Beat: 50 * time.Millisecond, DrainFor: 10 * time.Millisecond, Scripts: true,
	}
	c.Programs.JavaScript = []string{self, "-test.run=^TestJavaScriptChild$", "--"}
	launchNative(t, c)
	beat := s.beat(t, "a beat", func(job.Beat) bool { return true })
	planned := time.Date(2026, 5, 4, 2, 30, 0, 0, time.Local)
	seeded := map[job.HandlerKind]string{
		job.HandlerShell: "shell.sh", job.HandlerPython: "python.py", job.HandlerPython2: "python.py", job.HandlerNode: "nodejs.js",
		job.HandlerPHP: "php.php", job.HandlerPowerShell: "powershell.ps1", job.HandlerGroovy: "groovy.groovy", job.HandlerJS: "javascript.js",
	}
	for i, kind := range job.HandlerKinds() {
		if !kind.Script() {
			continue
		}
		file, known := seeded[kind]
		if !known {
			t.Errorf("there is no sample of the kind %s", kind)
			continue
		}
		t.Run(string(kind), func(t *testing.T) {
			source, err := os.ReadFile(filepath.Join(formSamples, file))
			if err != nil {
				t.Fatal(err)
			}
			switch kind {
			case job.HandlerPython2, job.HandlerPowerShell: // no distribution of today has them
				if !slices.ContainsFunc(beat.Features, func(f string) bool { return strings.HasPrefix(f, string(kind)+"=") || f == string(kind) }) {
					t.Skipf("this machine runs no %s", kind)
				}
			case job.HandlerJS:
			default:
				needs(t, map[job.HandlerKind]string{
					job.HandlerShell: "sh", job.HandlerPython: "python3", job.HandlerNode: "node", job.HandlerPHP: "php", job.HandlerGroovy: "groovy",
				}[kind])
			}
			task := func(attempt int64, param string) job.Task {
				n := named(attempt, attempt, "", param)
				n.Handler = job.Handler{Kind: kind, Source: string(source), SourceAt: time.UnixMilli(1)}
				n.ShardIndex, n.ShardTotal = 1, 3
				return n
			}
			ended := func(attempt int64, want ...string) {
				t.Helper()
				o := s.outcome(t, attempt)
				log, err := s.client.ReadLog(t.Context(), beat.Address, attempt, time.Now(), 1)
				if err != nil || o.State != job.Succeeded {
					t.Fatalf("it ended as %+v, %v, with the log\n%s", o, err, log.Text)
				}
				for _, line := range want {
					if !strings.Contains(log.Text, line) {
						t.Errorf("the log lacks %q:\n%s", line, log.Text)
					}
				}
			}
			scheduled := task(int64(100+i), `one "two" $three`)
			scheduled.PlannedAt = planned
			for _, one := range []job.Task{scheduled, task(int64(200+i), "")} {
				if err := s.client.Send(t.Context(), beat.Address, one); err != nil {
					t.Fatal(err)
				}
			}
			ended(scheduled.AttemptID, `Parameter: one "two" $three`, "Planned time: "+planned.Format(time.RFC3339), "Shard: 1 of 3")
			ended(int64(200+i), "Parameter:", "Planned time: none", "Shard: 1 of 3")
		})
	}
}
