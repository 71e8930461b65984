package ledger

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/orthd/orth/internal/queue"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/solana/failure"
	"github.com/orthd/orth/solana/thread"
)

// crashFolder names the folder of the process that is killed, see TestKill.
const crashFolder = "ORTH_TEST_CRASH_FOLDER"

func TestMain(m *testing.M) {
	if folder := os.Getenv(crashFolder); folder != "" {
		fmt.Fprintln(os.Stderr, workForEver(folder))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func openFolder(folder string) (*Ledger, error) {
	return Open(queue.Folder(filepath.Join(folder, "tasks")), Config{})
}

// Steps of a task's life in workForEver, in order.
const (
	stepOffered = iota
	stepStarted
	stepPostponed
	stepRestarted
	stepEnded // executed or, of each fifth, buried
)

// workForEver takes tasks from several callers through their whole life, and prints each step after it was made.
func workForEver(folder string) error {
	l, err := openFolder(folder)
	if err != nil {
		return err
	}
	ctx := context.Background()
	go func() { _ = l.Run(ctx) }()
	var next atomic.Uint64
	failed := make(chan error)
	for worker := range byte(8) {
		go func() {
			f := flight(worker)
			for {
				n := next.Add(1)
				id := IDOf(key(worker), n, false, 0)
				for what, do := range []func() error{
					stepOffered: func() error {
						_, err := l.Offer(ctx, day, wanted(worker, n))
						return err
					},
					stepStarted: func() error { return l.Start(ctx, id, f) },
					stepPostponed: func() error {
						_, err := l.Postpone(ctx, id, Postponement{Due: day, Tries: 1, Cost: CostOf(&f, false)})
						return err
					},
					stepRestarted: func() error { return l.Start(ctx, id, f) },
					stepEnded: func() error {
						if n%5 == 0 {
							_, err := l.Bury(ctx, day, id, Failure{Class: failure.Permanent}, Cost{}, nil)
							return err
						}
						return l.Settle(ctx, day, id, true, CostOf(&f, true), nil)
					},
				} {
					if err := do(); err != nil {
						failed <- err
					}
					if _, err := fmt.Fprintln(os.Stdout, worker, n, what); err != nil {
						failed <- err
					}
				}
			}
		}()
	}
	return <-failed
}

// A process is killed in the middle of its work: each task has one home, its reported place
// or one step further, with its bytes while they may be on the wire. What was paid was paid
// once.
func TestKill(t *testing.T) {
	t.Parallel()
	for _, steps := range []int{20, 500, 3000} {
		t.Run(fmt.Sprint(steps), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			reached := workAndDie(t, folder, steps)
			l, err := openFolder(folder)
			must(t, err)
			defer func() { must(t, l.Close()) }()
			sum := Account{}
			f := flight(0)
			for n, told := range reached {
				at, err := l.Task(t.Context(), IDOf(key(n.worker), n.count, false, 0))
				is := homeOf(n.count, at, err)
				if is != told && is != told+1 {
					t.Errorf("task %v had reached step %d and is at %d: %+v, %v", n, told, is, at, err)
				}
				if (at.Place == Processing) != (at.Flight != nil) {
					t.Errorf("task %v is %v, and its transaction %v", n, at.Place, at.Flight)
				}
				if is >= stepPostponed {
					sum = sum.plus(CostOf(&f, false))
				}
				if is == stepEnded && n.count%5 != 0 {
					sum = sum.plus(CostOf(&f, true))
				}
			}
			p, err := l.Profit(t.Context(), thread.Key{}, 100)
			must(t, err)
			if p.Total != sum {
				t.Errorf("it has brought %+v, want %+v", p.Total, sum)
			}
		})
	}
}

// named is a task of workForEver.
type named struct {
	worker byte
	count  uint64
}

// homeOf is which step has brought a task to where it is.
func homeOf(count uint64, at Task, err error) int {
	switch {
	case job.Is(err, job.NotFound) && count%5 != 0, err == nil && at.Place == Dead && count%5 == 0:
		return stepEnded
	case err != nil:
		return -1
	case at.Place == Scheduled && at.Tries == 0:
		return stepOffered
	case at.Place == Processing && at.Tries == 0:
		return stepStarted
	case at.Place == Scheduled:
		return stepPostponed
	case at.Place == Processing:
		return stepRestarted
	default:
		return -1
	}
}

// workAndDie lets a process work and kills it after so many steps, and returns the reported
// place of each task. A task that it does not report may have been offered all the same,
// and no more.
func workAndDie(t *testing.T, folder string, steps int) map[named]int {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), crashFolder+"="+folder)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	reached := make(map[named]int)
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ {
		var at named
		var what int
		if _, err := fmt.Sscan(lines.Text(), &at.worker, &at.count, &what); err != nil {
			continue // the last line may be cut
		}
		reached[at] = what
		if n == steps {
			must(t, cmd.Process.Kill())
		}
	}
	if err := cmd.Wait(); err == nil {
		t.Fatal("the process ended by itself")
	}
	if len(reached) < steps/10 {
		t.Fatalf("only %d tasks: %s", len(reached), &stderr)
	}
	return reached
}
