package sim

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// callLimit is the time limit of every call. It is below a quarter of the
// dispatchers' Check.
const callLimit = 2 * time.Second

// What can go wrong with a call.
var (
	errDown      = errors.New("nothing listens there")      // the connection is refused
	errGone      = errors.New("the process died meanwhile") // the connection breaks
	errUnreached = errors.New("the host cannot be reached") // what a caller sees of a way that is cut
)

// weather is how bad a network is: shares of calls.
type weather struct {
	lost   float64 // the request, or the answer
	double float64 // the request arrives twice
	slow   float64 // it takes up to two seconds
	late   float64 // the request arrives when nobody waits for its answer any more
}

// network carries calls between hosts: each call is a request and an answer, and
// each of the two has its own fate.
type network struct {
	w    *world
	mu   sync.Mutex
	bad  weather             // guarded by mu
	cuts map[[2]string]int   // guarded by mu: from, to; how many faults cut it
	dice map[[2]string]*dice // guarded by mu
}

func newNetwork(w *world) *network {
	return &network{w: w, cuts: make(map[[2]string]int), dice: make(map[[2]string]*dice)}
}

func (n *network) set(bad weather) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.bad = bad
}

// cut lets nothing pass from one host to another, until heal is called.
func (n *network) cut(from, to string) (heal func()) {
	way := [2]string{from, to}
	n.change(way, 1)
	return func() { n.change(way, -1) }
}

func (n *network) change(way [2]string, by int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.cuts[way] += by
}

func (n *network) passes(from, to string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.cuts[[2]string{from, to}] == 0
}

// fate is what becomes of one call.
type fate struct {
	request, answer   time.Duration
	lost, mute, twice bool
}

func (n *network) roll(from, to string) fate {
	n.mu.Lock()
	defer n.mu.Unlock()
	way := [2]string{from, to}
	d := n.dice[way]
	if d == nil {
		d = newDice(n.w.seed, from+">"+to)
		n.dice[way] = d
	}
	f := fate{request: d.between(time.Millisecond, 20*time.Millisecond), answer: d.between(time.Millisecond, 20*time.Millisecond)}
	if d.chance(n.bad.slow) {
		f.request = d.between(20*time.Millisecond, 3*time.Second)
	}
	if d.chance(n.bad.late) {
		f.request = d.between(callLimit, 20*time.Second)
	}
	if d.chance(n.bad.slow) {
		f.answer = d.between(20*time.Millisecond, 2*time.Second)
	}
	f.lost, f.mute, f.twice = d.chance(n.bad.lost), d.chance(n.bad.lost), d.chance(n.bad.double)
	return f
}

// answer is what a host says to a request.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// taken reports whether the host did what it was asked.
func (a *answer) taken() bool {
	return a != nil && a.status == http.StatusOK && !bytes.Contains(a.body, []byte(`"code":500`))
}

// call brings a request to a host, where serve answers it. The error is errUnreached
// when it certainly never arrives; after any other nobody knows, and it may arrive
// yet.
func (n *network) call(
	ctx context.Context, from, to string, serve func(context.Context) (*answer, error),
) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if !n.passes(from, to) {
		<-ctx.Done()
		return nil, errUnreached
	}
	f := n.roll(from, to)
	back := make(chan *answer, 1)
	if !f.lost {
		n.w.background.Go(func() { n.deliver(f, from, to, back, serve) })
	}
	select {
	case got := <-back:
		if got == nil {
			return nil, errUnreached
		}
		return got, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// deliver brings the request, and a copy of it that nobody waits for, and then the
// answer: nil when nothing listens there. A request that the other side did not take
// has no copy: nobody sends again what was answered with no.
func (n *network) deliver(
	f fate, from, to string, back chan<- *answer, serve func(context.Context) (*answer, error),
) {
	time.Sleep(f.request)
	if !n.passes(from, to) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*callLimit)
	defer cancel()
	got, err := serve(ctx)
	if f.twice && got.taken() {
		n.w.background.Go(func() {
			time.Sleep(f.answer)
			ctx, cancel := context.WithTimeout(context.Background(), callLimit)
			defer cancel()
			_, _ = serve(ctx)
		})
	}
	time.Sleep(f.answer)
	down := errors.Is(err, errDown)
	if err != nil && !down || !down && (f.mute || !n.passes(to, from)) {
		return
	}
	back <- got
}
