package native

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

const (
	// maxFollows is how many attempts are followed at the same time, by all servers.
	maxFollows = 4096
	// maxFollowers is how many servers follow at the same time.
	maxFollowers = 64
	// holdFor is how long an attempt that came with its task is not looked at: its
	// server is to learn first that it was accepted.
	holdFor = 100 * time.Millisecond
	// expireEvery is how often at most is looked for follows whose time is over when a
	// new one finds no place.
	expireEvery = time.Second
)

// Follow is a wish of a server to have a log brought.
type Follow struct {
	Server      string // the server, in its own words
	Address     string // of this executor, as that server names it
	Attempt     int64
	TriggeredAt time.Time
	From        int           // the first line, from 1 on; 0 for the newest ones
	For         time.Duration // how long
	// Task: the wish came with the task, and one that is there already goes on.
	Task bool
}

// Lines is where the lines are read that are brought.
type Lines interface {
	// ReadOn returns the lines from a line on, as many as a page has, none when there are
	// none yet. more reports whether others are behind these by now. NotFound means that
	// there is no log.
	ReadOn(attempt int64, at time.Time, fromLine int) (page job.LogPage, more bool, err error)
	// Tail returns the last lines, at most n; To is 0 when there is none. NotFound means
	// that there is no log.
	Tail(attempt int64, at time.Time, n int) (job.LogPage, error)
}

// FollowerConfig sets what a Follower reads, and the servers that get it. Servers to
// Attempts must be set.
type FollowerConfig struct {
	// Servers are the base URLs among which the server is that follows.
	Servers []string
	// Token signs the requests.
	Token    string
	Lines    Lines
	Attempts Attempts
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Transport carries the requests, and TLS counts for nothing then. Defaults to
	// one of its own.
	Transport http.RoundTripper
	// Logger gets, on its lowest level, why lines could not be brought. Defaults to
	// discarding it.
	Logger *slog.Logger
}

// Follower pushes the logs of attempts to the servers that follow them, so that the last
// lines are known although the executor dies. It learns which logs have changed, so a quiet
// attempt costs nothing. An unreachable server costs nothing but what it would have
// received.
type Follower struct {
	config  FollowerConfig
	courier *signing.Courier
	fresh   chan struct{} // of size 1: there is a lane without a goroutine

	mu       sync.Mutex
	lanes    map[target]*lane       // guarded by mu
	begun    []*lane                // guarded by mu: those without a goroutine
	attempts map[int64][]*following // guarded by mu: by attempt, one of each server
	count    int                    // guarded by mu: of all follows
	expired  time.Time              // guarded by mu: when was last looked for those whose time is over
}

// following is a follow under way.
type following struct {
	Follow

	lane  *lane
	until time.Time
	hold  time.Time // it is not looked at before

	queued bool // guarded by Follower.mu: its lane is to look at it
	begun  bool // guarded by Follower.mu: its lane has looked at it
	over   bool // guarded by Follower.mu: the attempt has ended
	gone   bool // guarded by Follower.mu: nothing more is to be brought

	next  int       // lane.run only: the first line that was not brought; 0 before that is known
	last  bool      // lane.run only: the attempt had ended before the look, so what is in the log is all
	asked time.Time // lane.run only: when was last asked whether the attempt has ended
}

// target is who gets a request, and in whose name.
type target struct{ server, address string }

// NewFollower returns a follower without wishes.
func NewFollower(c FollowerConfig) *Follower {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Follower{
		config: c, courier: signing.NewCourier(post.Config{TLS: c.TLS, Transport: c.Transport}), fresh: make(chan struct{}, 1),
		lanes: make(map[target]*lane), attempts: make(map[int64][]*following),
	}
}

// Follow implements [Follows]. The same wish again restarts, from its line on, unless it
// came with a task.
func (f *Follower) Follow(w Follow) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if old := f.find(w.Server, w.Attempt); old != nil {
		if w.Task && old.Address == w.Address {
			return nil
		}
		f.drop(old)
	}
	if f.count >= maxFollows {
		f.expire(now)
		if f.count >= maxFollows {
			return job.Errorf(job.Full, "%d attempts are followed already", f.count)
		}
	}
	l, err := f.lane(target{w.Server, w.Address})
	if err != nil {
		return err
	}
	one := &following{Follow: w, lane: l, until: now.Add(w.For), next: w.From}
	if w.Task {
		one.hold = now.Add(holdFor)
	}
	f.add(one)
	return nil
}

// add begins a follow. mu is held.
func (f *Follower) add(one *following) {
	f.attempts[one.Attempt] = append(f.attempts[one.Attempt], one)
	f.count++
	one.lane.follows++
	one.lane.queue(one)
}

// lane returns the lane of a target, and makes one when there is none. mu is held.
func (f *Follower) lane(to target) (*lane, error) {
	if known := f.lanes[to]; known != nil {
		return known, nil
	}
	if len(f.lanes) >= maxFollowers {
		return nil, job.Errorf(job.Full, "%d servers follow attempts here already", len(f.lanes))
	}
	made := &lane{follower: f, target: to, wake: make(chan struct{}, 1)}
	f.lanes[to] = made
	f.begun = append(f.begun, made)
	nudge(f.fresh)
	return made, nil
}

// nudge leaves a hint in a channel of size 1.
func nudge(hint chan<- struct{}) {
	select {
	case hint <- struct{}{}:
	default:
	}
}

// Changed reports that the log of an attempt has more lines than were read. It returns at
// once.
func (f *Follower) Changed(attempt int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.attempts[attempt] {
		one.lane.queue(one)
	}
}

// Ended reports that an attempt has ended, and that its log is complete. whole: the outcome
// carries all of it, so nothing is pushed to servers that sent the task, unless some lines
// were. It returns at once.
func (f *Follower) Ended(attempt int64, whole bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range slices.Clone(f.attempts[attempt]) {
		if whole && one.Task && !one.begun {
			f.drop(one)
			continue
		}
		one.over = true
		one.lane.queue(one)
	}
}

// find returns what a server follows. mu is held.
func (f *Follower) find(server string, attempt int64) *following {
	for _, one := range f.attempts[attempt] {
		if one.Server == server {
			return one
		}
	}
	return nil
}

// drop ends a follow. mu is held.
func (f *Follower) drop(one *following) {
	if one.gone {
		return
	}
	one.gone = true
	others := slices.DeleteFunc(f.attempts[one.Attempt], func(o *following) bool { return o == one })
	if len(others) > 0 {
		f.attempts[one.Attempt] = others
	} else {
		delete(f.attempts, one.Attempt)
	}
	f.count--
	one.lane.follows--
	if one.lane.follows == 0 {
		nudge(one.lane.wake) // it ends
	}
}

// end is drop for who does not hold mu.
func (f *Follower) end(one *following) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(one)
}

// expire ends the follows whose time is over. mu is held.
func (f *Follower) expire(now time.Time) {
	if now.Sub(f.expired) < expireEvery {
		return
	}
	f.expired = now
	for _, all := range f.attempts {
		for _, one := range slices.Clone(all) {
			if !now.Before(one.until) {
				f.drop(one)
			}
		}
	}
}

// Run brings lines until ctx ends, then for a few seconds those that are there, and
// returns nil. It may be called once. What ends attempts must have ended before.
func (f *Follower) Run(ctx context.Context) error {
	defer f.courier.Close()
	var lanes sync.WaitGroup
	defer lanes.Wait()
	for {
		for _, l := range f.start() {
			lanes.Go(func() { l.run(ctx) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-f.fresh:
		}
	}
}

// start returns the lanes without a goroutine, to be run.
func (f *Follower) start() []*lane {
	f.mu.Lock()
	defer f.mu.Unlock()
	begun := f.begun
	f.begun = nil
	return begun
}
