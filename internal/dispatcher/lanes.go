package dispatcher

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/crew"
	"github.com/orthd/orth/internal/dispatcher/waiting"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/job"
)

// fewCalls is the number of concurrent calls to one executor when a call has many tasks:
// one is answered while the next one is written.
const fewCalls = 2

// portion is the least part of a lane to refill while it has enough work: what waits for it
// shares transactions.
const portion = 8

// laneWindow is the time over which a lane's speed is measured.
const laneWindow = time.Second

// hush is how long an executor may leave all calls to it unanswered before others are
// preferred.
const hush = 300 * time.Millisecond

// lanes sends marked items to executors, each address separately: a slow one fills its own
// lane only. A lane has goroutines while it has items: one that waits for the next due
// item, and one for each call.
type lanes struct {
	d    *Dispatcher
	crew *crew.Crew
	stop chan struct{} // closed by wait: no further call starts

	mu      sync.Mutex
	stopped bool // stop is closed. Guarded by mu.
	lanes   map[string]*lane
	// groups is the number of items of each group, in lanes or being sent. Guarded by mu.
	groups map[int64]int
}

// lane is the queue of one address. Guarded by lanes.mu.
type lane struct {
	address string
	waiting []*waiting.HeldRun // by rank, then in order of arrival
	calls   int                // goroutines that send
	sending int                // items in their calls
	heard   time.Time          // when a call last ended; before the first one, when the lane began
	began   time.Time          // of the window
	done    int                // items whose call ended in the window
	before  int                // and in the one before it

	// alarm is when the waiting goroutine wakes up; zero without one. earlier, of size 1,
	// signals that an item is due before that.
	alarm   time.Time
	earlier chan struct{}
}

// load is the load of an executor.
type load struct {
	waiting int  // items in its lane that are not being sent yet
	room    int  // items that the lane takes
	stuck   bool // it does not keep up: nothing should wait for it in memory
	quiet   bool // none of the calls to it has ended for a while
}

func newLanes(d *Dispatcher) *lanes {
	stop := make(chan struct{})
	return &lanes{d: d, crew: crew.New(stop), stop: stop, lanes: make(map[string]*lane), groups: make(map[int64]int)}
}

// enqueue puts each item into its lane, before those of a lower rank. Only the loop calls it.
func (l *lanes) enqueue(items []*waiting.HeldRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	touched := make(map[*lane]struct{}, 1)
	for _, it := range items {
		address := it.Attempt.Address
		way := l.lanes[address]
		if way == nil {
			way = &lane{address: address, began: now, heard: now, earlier: make(chan struct{}, 1)}
			l.lanes[address] = way
		}
		way.enter(it)
		l.groups[it.Job.GroupID]++
		touched[way] = struct{}{}
	}
	for way := range touched {
		l.begin(way, now)
	}
}

// enter puts the item behind those of its rank.
func (w *lane) enter(it *waiting.HeldRun) {
	i := len(w.waiting)
	for i > 0 && w.waiting[i-1].Rank > it.Rank {
		i--
	}
	w.waiting = slices.Insert(w.waiting, i, it)
}

// ahead returns how many items of the rank or a higher one wait.
func (w *lane) ahead(rank int) int {
	n := len(w.waiting)
	for n > 0 && w.waiting[n-1].Rank > rank {
		n--
	}
	return n
}

// countDue returns how many of the items are due, and when the first of the others is: the
// zero time when there is none.
func (w *lane) countDue(now time.Time) (due int, first time.Time) {
	for _, it := range w.waiting {
		if !it.SendAt.After(now) {
			due++
		} else if first.IsZero() || it.SendAt.Before(first) {
			first = it.SendAt
		}
	}
	return due, first
}

// begin starts calls for due items, and a goroutine that waits for the rest. The caller
// holds mu.
func (l *lanes) begin(way *lane, now time.Time) {
	due, first := way.countDue(now)
	if l.stopped {
		due, first = len(way.waiting), time.Time{}
	}
	together, calls := l.callLimits(way.address)
	for started := 0; started*together < due && way.calls < calls; started++ {
		way.calls++
		l.crew.Start(func() { l.sendDueItems(way, together) })
	}
	switch {
	case first.IsZero():
	case way.alarm.IsZero():
		way.alarm = first
		l.crew.Start(func() { l.await(way) })
	case first.Before(way.alarm):
		select {
		case way.earlier <- struct{}{}:
		default:
		}
	}
}

// callLimits returns the most tasks in a call to the address, and the most concurrent calls.
// Everything in flight to an executor that falls silent is uncertain: so even calls with
// many tasks carry no more than they need to be cheap.
func (l *lanes) callLimits(address string) (together, calls int) {
	if together = max(l.d.config.Sender.Together(address), 1); together > 1 {
		return min(together, 2*l.d.config.PerAddress), fewCalls
	}
	return 1, l.d.config.PerAddress
}

// await begins calls whenever items are due, until all are.
func (l *lanes) await(way *lane) {
	for l.rouse(way) {
		// A timer of an idle process may be a millisecond late, so the last bit of
		// the way is slept by the clock itself.
		if wait := time.Until(way.alarm) - nap.Lag; wait > 0 {
			select {
			case <-time.After(wait):
			case <-way.earlier:
				continue
			case <-l.stop:
				continue
			}
		}
		if wait := time.Until(way.alarm); wait > 0 {
			l.d.config.Nap(min(wait, nap.Lag))
		}
	}
}

// rouse begins calls for due items, sets the alarm for the rest, and reports whether there
// are any. Only the goroutine that awaits the alarm reads it without mu.
func (l *lanes) rouse(way *lane) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.begin(way, now)
	if _, way.alarm = way.countDue(now); l.stopped {
		way.alarm = time.Time{}
	}
	if way.alarm.IsZero() {
		l.close(way)
		return false
	}
	return true
}

// close removes an empty lane. The caller holds mu.
func (l *lanes) close(way *lane) {
	if len(way.waiting) == 0 && way.calls == 0 && way.alarm.IsZero() {
		delete(l.lanes, way.address)
	}
}

// noteLanded records that the item is no longer in flight. The caller holds mu.
func (l *lanes) noteLanded(it *waiting.HeldRun) {
	group := it.Job.GroupID
	if l.groups[group]--; l.groups[group] == 0 {
		delete(l.groups, group)
	}
}

// sendDueItems sends due items until there are none.
func (l *lanes) sendDueItems(way *lane, together int) {
	for items := l.takeDue(way, together); len(items) > 0; items = l.takeDue(way, together) {
		answers := l.deliver(way.address, items)
		l.finishCall(way, items) // first, so that a goroutine woken by the answer sees the room
		l.d.settler.enqueue(answers)
	}
}

// takeDue removes up to n due items from the lane, the first ones. None means that the
// goroutine's call is over.
func (l *lanes) takeDue(way *lane, n int) []*waiting.HeldRun {
	l.mu.Lock()
	defer l.mu.Unlock()
	items := way.takeItems(time.Now(), n, l.stopped)
	if len(items) == 0 {
		way.calls--
		l.close(way)
	}
	way.sending += len(items)
	return items
}

// takeItems removes up to n due items, or with all simply the first ones.
func (w *lane) takeItems(now time.Time, n int, all bool) []*waiting.HeldRun {
	var items, early []*waiting.HeldRun
	i := 0
	for ; i < len(w.waiting) && len(items) < n; i++ {
		if it := w.waiting[i]; all || !it.SendAt.After(now) {
			items = append(items, it)
		} else {
			early = append(early, it)
		}
	}
	if len(items) > 0 {
		copy(w.waiting[i-len(early):i], early)
		clear(w.waiting[:i-len(early)])
		w.waiting = w.waiting[i-len(early):]
	}
	return items
}

// finishCall records the end of the call for the items.
func (l *lanes) finishCall(way *lane, items []*waiting.HeldRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	way.heard = time.Now()
	way.beginWindow(way.heard)
	way.done += len(items)
	way.sending -= len(items)
	for _, it := range items {
		l.noteLanded(it)
	}
}

// beginWindow begins a new window when it is time.
func (w *lane) beginWindow(now time.Time) {
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
	return len(w.waiting) > 0 && now.Sub(w.waiting[0].Attempt.TriggeredAt) > check/4
}

// deliver sends due items in one call, and returns the result of each. Only the sender's
// own time limit ends the call: the effect of a call that is cut off is unknown.
func (l *lanes) deliver(address string, items []*waiting.HeldRun) []waiting.Reply {
	given := make([]waiting.Reply, len(items))
	tasks, of := make([]job.Task, 0, len(items)), make([]int, 0, len(items))
	ctx, cancel := context.WithTimeout(context.Background(), resolveFor)
	defer cancel()
	for i, it := range items {
		task, err := l.ready(ctx, it)
		given[i] = waiting.Reply{Item: it, Err: err}
		if err == nil {
			tasks, of = append(tasks, task), append(of, i)
		}
	}
	if len(tasks) == 0 {
		return given
	}
	if now := time.Now(); !l.d.config.Breaker.Allow(address, now) {
		shut := &waiting.ShutError{Status: l.d.config.Breaker.Status(address, now)}
		for _, i := range of {
			given[i].Err = shut
		}
		return given
	}
	failpoint.Hit("dispatcher/marked")
	results := l.d.config.Sender.SendAll(context.Background(), address, tasks)
	failpoint.Hit("dispatcher/answered")
	l.judge(address, results)
	now := time.Now()
	for n, i := range of {
		given[i].Err = results[n]
		l.d.config.Hooks.Sent(max(now.Sub(items[i].Due), 0), results[n])
	}
	return given
}

// ready returns the task of an item in the form to send, or why it is not sent. An item
// whose mark is too old is not sent, because upkeep checks it soon and would send it too.
func (l *lanes) ready(ctx context.Context, it *waiting.HeldRun) (job.Task, error) {
	select {
	case <-l.stop:
		return job.Task{}, waiting.ErrStopped
	default:
	}
	if it.LeaseLeft(time.Now()) < l.d.config.Check/2 {
		return job.Task{}, waiting.ErrStale
	}
	return l.resolved(ctx, it)
}

// judge reports to the breaker whether the executor was there.
func (l *lanes) judge(address string, results []error) {
	for _, err := range results {
		if !silent(err) {
			l.d.config.Breaker.Succeeded(address)
			return
		}
	}
	l.d.config.Breaker.Failed(address, time.Now(), results[0].Error())
}

// silent reports whether the call found no process, or no answer came.
func silent(err error) bool {
	return job.Is(err, job.Unreachable) || job.Is(err, job.Ambiguous) || errors.Is(err, context.DeadlineExceeded)
}

// loadOf returns the load of the executor. A lane takes enough to keep its calls going, and
// in addition as much as was done in the last second or two. So its items are sent soon,
// and an inactive lane holds little. Items of a lower rank take no room. A lane that is
// almost full has no room until it can take a portion.
func (l *lanes) loadOf(address string, rank int, now time.Time) load {
	l.mu.Lock()
	defer l.mu.Unlock()
	way := l.lanes[address]
	if way == nil {
		return load{room: 2 * l.d.config.PerAddress}
	}
	way.beginWindow(now)
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
	return len(way.waiting) + way.sending
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
func (l *lanes) withdraw(attempt int64) (*waiting.HeldRun, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, way := range l.lanes {
		i := slices.IndexFunc(way.waiting, func(it *waiting.HeldRun) bool { return it.Attempt.ID == attempt })
		if i >= 0 {
			it := way.waiting[i]
			way.waiting = slices.Delete(way.waiting, i, i+1)
			l.noteLanded(it)
			return it, true
		}
	}
	return nil, false
}

// stopCalls starts no more calls, answers the items that wait for one, and lets the calls in
// flight end. The loop has ended.
func (l *lanes) stopCalls() {
	l.mu.Lock()
	l.stopped = true
	close(l.stop)
	for _, way := range l.lanes {
		l.begin(way, time.Now())
	}
	l.mu.Unlock()
	l.crew.Running.Wait()
}
