package dispatcher

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/job"
)

// timerLag is how late a timer of package time may be when nothing else happens
// in the process.
const timerLag = 2 * time.Millisecond

// portion is the part of a lane that is refilled at least, while it has enough to go on
// with: what waits for it shares transactions.
const portion = 8

// laneWindow is the time over which a lane's speed is measured.
const laneWindow = time.Second

// hush is how long an executor may leave all calls to it unanswered before others
// are preferred to it.
const hush = 300 * time.Millisecond

// Answers of this server itself, for runs that certainly were not sent.
var (
	errStopped = errors.New("this server stopped before the task was sent")
	errStale   = errors.New("the executor does not keep up: the task waited too long for its turn and was not sent")
)

// shutError is the answer of this server for a task that it did not send because
// calls to the executor fail.
type shutError struct{ status breaker.Status }

func (e *shutError) Error() string { return leftAlone(e.status, 1) }

// lanes brings marked items to executors, each address apart from the others: a
// slow one fills its own lane only. A lane has goroutines while it has items.
type lanes struct {
	d       *Dispatcher
	running sync.WaitGroup
	stop    chan struct{} // closed by wait: no call starts any more

	mu    sync.Mutex
	lanes map[string]*lane
	// groups is the items of each group, in lanes or being sent. Guarded by mu.
	groups map[int64]int
}

// lane is the items of one address: those of a higher rank first, then as they
// came. Guarded by lanes.mu.
type lane struct {
	waiting []*item
	calls   int
	heard   time.Time // when a call last ended; before the first one, when the lane began
	began   time.Time // of the window
	done    int       // calls that ended in the window
	before  int       // and in the one before it
}

// load is how much an executor has to do.
type load struct {
	waiting int  // items in its lane that are not being sent yet
	room    int  // items that the lane takes
	stuck   bool // it does not keep up: nothing should wait for it in memory
	quiet   bool // none of the calls to it has ended for a while
}

func newLanes(d *Dispatcher) *lanes {
	return &lanes{d: d, stop: make(chan struct{}), lanes: make(map[string]*lane), groups: make(map[int64]int)}
}

// add puts each item into its lane, before those of a lower rank. Only the loop
// calls it.
func (l *lanes) add(items []*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, it := range items {
		address := it.attempt.Address
		way := l.lanes[address]
		if way == nil {
			now := time.Now()
			way = &lane{began: now, heard: now}
			l.lanes[address] = way
		}
		way.enter(it)
		l.groups[it.job.GroupID]++
		if way.calls < l.d.config.PerAddress {
			way.calls++
			l.running.Go(func() { l.work(address, way) })
		}
	}
}

// enter puts the item behind those of its rank.
func (w *lane) enter(it *item) {
	i := len(w.waiting)
	for i > 0 && w.waiting[i-1].rank > it.rank {
		i--
	}
	w.waiting = slices.Insert(w.waiting, i, it)
}

// ahead returns how many items of the rank or a higher one wait.
func (w *lane) ahead(rank int) int {
	n := len(w.waiting)
	for n > 0 && w.waiting[n-1].rank > rank {
		n--
	}
	return n
}

// left notes that the item is not on its way any more. The caller holds mu.
func (l *lanes) left(it *item) {
	group := it.job.GroupID
	if l.groups[group]--; l.groups[group] == 0 {
		delete(l.groups, group)
	}
}

// work sends items until the lane is empty.
func (l *lanes) work(address string, way *lane) {
	for it, ok := l.next(address, way); ok; it, ok = l.next(address, way) {
		err := l.deliver(it)
		l.end(way, it) // first, so that whoever is woken by the answer sees the room
		l.d.settler.put(settled{item: it, err: err})
	}
}

// end notes that the call for the item has ended.
func (l *lanes) end(way *lane, it *item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	way.heard = time.Now()
	way.turn(way.heard)
	way.done++
	l.left(it)
}

// next returns the first item of the lane.
func (l *lanes) next(address string, way *lane) (*item, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(way.waiting) == 0 {
		if way.calls--; way.calls == 0 {
			delete(l.lanes, address)
		}
		return nil, false
	}
	it := way.waiting[0]
	way.waiting[0] = nil
	way.waiting = way.waiting[1:]
	return it, true
}

// turn begins a new window when it is time.
func (w *lane) turn(now time.Time) {
	switch passed := now.Sub(w.began); {
	case passed >= 2*laneWindow:
		w.began, w.before, w.done = now, 0, 0
	case passed >= laneWindow:
		w.began, w.before, w.done = now, w.done, 0
	}
}

// stuck reports whether the first item has waited so long that those behind it
// would hardly be sent in time.
func (w *lane) stuck(now time.Time, check time.Duration) bool {
	return len(w.waiting) > 0 && now.Sub(w.waiting[0].attempt.TriggeredAt) > check/4
}

// deliver waits until the item is due and sends it. The call has no end but the
// sender's own time limit: a call that is cut off is a call whose effect nobody
// knows. A mark that is too old is not sent, because upkeep looks at it soon and
// would send it too.
func (l *lanes) deliver(it *item) error {
	// A timer of an idle process may be a millisecond late, so the last bit of
	// the way is slept by the clock itself.
	if wait := time.Until(it.due) - timerLag; wait > 0 {
		select {
		case <-time.After(wait):
		case <-l.stop:
		}
	}
	if wait := time.Until(it.due); wait > 0 {
		l.d.config.Nap(min(wait, timerLag))
	}
	select {
	case <-l.stop:
		return errStopped
	default:
	}
	if it.left(time.Now()) < l.d.config.Check/2 {
		return errStale
	}
	task, err := l.resolved(it)
	if err != nil {
		return err
	}
	address := it.attempt.Address
	if now := time.Now(); !l.d.config.Breaker.Allow(address, now) {
		return &shutError{l.d.config.Breaker.Status(address, now)}
	}
	failpoint.Hit("dispatcher/marked")
	err = l.d.config.Sender.Send(context.Background(), address, task)
	if silent(err) {
		l.d.config.Breaker.Failed(address, time.Now(), err.Error())
	} else {
		l.d.config.Breaker.Succeeded(address)
	}
	l.d.config.Hooks.Sent(time.Since(it.due), err)
	return err
}

// silent reports whether the call has found nobody, or no answer came.
func silent(err error) bool {
	return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) || errors.Is(err, context.DeadlineExceeded)
}

// load returns how much the executor has to do. A lane takes what keeps its
// calls going, and besides as much as was done in the last second or two: so its
// items are sent soon, and one that does nothing holds little. Items of a lower
// rank take no room. One that is almost full has no room until it takes a portion.
func (l *lanes) load(address string, rank int, now time.Time) load {
	l.mu.Lock()
	defer l.mu.Unlock()
	way := l.lanes[address]
	if way == nil {
		return load{room: 2 * l.d.config.PerAddress}
	}
	way.turn(now)
	depth := min(2*l.d.config.PerAddress+way.before+way.done, max(l.d.config.Held/4, 1))
	room := max(depth-way.ahead(rank), 0)
	if room < depth/portion && len(way.waiting) > l.d.config.PerAddress {
		room = 0
	}
	return load{
		waiting: len(way.waiting), room: room, stuck: way.stuck(now, l.d.config.Check),
		quiet: now.Sub(way.heard) > hush,
	}
}

// underWay returns how many items are in the lane of the address or being sent.
func (l *lanes) underWay(address string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	way := l.lanes[address]
	if way == nil {
		return 0
	}
	return len(way.waiting) + way.calls
}

// ofGroup returns how many items of the group are in lanes or being sent.
func (l *lanes) ofGroup(group int64) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.groups[group]
}

// stuck returns the addresses whose lane is stuck.
func (l *lanes) stuck(now time.Time) map[string]struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	stuck := make(map[string]struct{})
	for address, way := range l.lanes {
		if way.stuck(now, l.d.config.Check) {
			stuck[address] = struct{}{}
		}
	}
	return stuck
}

// withdraw takes the attempt out of its lane, if it still waits there.
func (l *lanes) withdraw(attempt int64) (*item, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, way := range l.lanes {
		i := slices.IndexFunc(way.waiting, func(it *item) bool { return it.attempt.ID == attempt })
		if i >= 0 {
			it := way.waiting[i]
			way.waiting = slices.Delete(way.waiting, i, i+1)
			l.left(it)
			return it, true
		}
	}
	return nil, false
}

// wait starts no more calls and lets those under way end. The loop has ended.
func (l *lanes) wait() {
	close(l.stop)
	l.running.Wait()
}
