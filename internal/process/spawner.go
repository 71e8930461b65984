package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

// Spawner runs children. Its methods may be called by many goroutines.
type Spawner struct {
	config Config
	user   *account // nil: the own
	keeper keeper
	lacks  string        // what better ways could not be used, in words
	open   string        // what children of another user may do that they should not, in words
	id     string        // of this Spawner among all on this machine
	count  atomic.Uint64 // children so far
}

// New chooses how trees are held together, by trying with a real child, and
// kills what executors that are no longer alive have left: processes and
// private folders. Errors are of kind job.Invalid for a wrong Config and
// job.Unavailable for what this machine cannot do.
func New(c Config) (*Spawner, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, err
	}
	user, err := lookup(c.User)
	if err != nil {
		return nil, err
	}
	s := &Spawner{config: c, user: user, id: newID()}
	if err := s.openRoot(); err != nil {
		return nil, err
	}
	sweepMarked(c.Logger)
	mask := user.tryMask()
	var failures []string
	for _, way := range isolations(c.Isolation) {
		s.keeper, err = way.open(s)
		if err == nil {
			if err = s.tryChild(way.bare); err == nil {
				s.lacks = strings.Join(failures, "; ")
				s.open = mask
				return s, nil
			}
			_ = s.keeper.close()
		}
		failures = append(failures, fmt.Sprintf("%s: %v", way.name, err))
	}
	return nil, job.Errorf(job.Unavailable, "children cannot be held together as asked: %s", strings.Join(failures, "; "))
}

// way is one entry of what a platform can do, best first.
type way struct {
	name string
	open func(*Spawner) (keeper, error)
	// bare: the way needs no trial when nothing else is asked for.
	bare bool
}

// Isolation describes how trees are held together, such as "cgroup v2", why nothing better
// could be used, and what children of another user should not be able to do and are.
func (s *Spawner) Isolation() string {
	text := s.keeper.describe()
	if s.lacks != "" {
		text += " (not used: " + s.lacks + ")"
	}
	if s.open != "" {
		text += "; " + s.open
	}
	return text
}

// Close frees what the Spawner keeps. No child may be running.
func (s *Spawner) Close() error { return s.keeper.close() }

// tryChild proves with a child that ignores SIGTERM that children start, with the
// limits and the user, and end.
func (s *Spawner) tryChild(bare bool) error {
	if bare && s.user == nil && s.config.Limits == (Limits{}) {
		return nil
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		return fmt.Errorf("find a program to try with: %w", err)
	}
	never, hold, err := os.Pipe()
	if err != nil {
		return err
	}
	defer never.Close()
	defer hold.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	trial := *newTrial(s)
	exit, err := trial.Run(ctx, Command{
		Path: shell, Args: []string{"-c", "trap '' TERM; echo; read never"}, Dir: s.config.TempRoot,
		Env: Inherited(nil), Input: never, Output: writerFunc(cancel),
	})
	switch {
	case err != nil:
		return err
	case exit.Value != 128+9:
		return fmt.Errorf("the trial child ended with %d, not by the kill; %s", exit.Value, exit.Reason)
	}
	return nil
}

// newTrial is s with as little waiting as possible.
func newTrial(s *Spawner) *Spawner {
	c := s.config
	c.Grace = time.Millisecond
	return &Spawner{config: c, user: s.user, keeper: s.keeper, id: s.id + ".trial"}
}

// writerFunc calls itself at the first output.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

var _ io.Writer = writerFunc(nil)

// markName is the variable by which a tree's processes are found.
const markName = "ORTH_PROCESS_MARK"

// newMark is unique to one child.
func (s *Spawner) newMark() string {
	return s.id + "." + strconv.FormatUint(s.count.Add(1), 10)
}

// newID identifies this Spawner: the process, as identity writes it, and a random part.
func newID() string {
	random := make([]byte, 6)
	_, _ = rand.Read(random) // it never fails
	return identity() + "." + hex.EncodeToString(random)
}
