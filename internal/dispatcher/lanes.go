package dispatcher

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/failpoint"
	"github.com/orthd/orth/internal/nap"
	"github.com/orthd/orth/job"
)

// fewCalls is how many calls to one executor there are at once when a call has many tasks: one
// is answered while the next one is written.
const fewCalls = 2

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
// slow one fills its own lane only. A lane has goroutines while it has items: one that
// waits for the next item to be due, and one for each call.
type lanes struct {
	d    *Dispatcher
	crew *crew
	stop chan struct{} // closed by wait: no call starts any more

	mu      sync.Mutex
	stopped bool // stop is closed. Guarded by mu.
	lanes   map[string]*lane
	// groups is the items of each group, in lanes or being sent. Guarded by mu.
	groups map[int64]int
}

// lane is the items of one address. Guarded by lanes.mu.
type lane struct {
	address string
	waiting []*item   // those of a higher rank first, then as they came
	calls   int       // goroutines that send
	sending int       // items that they have
	heard   time.Time // when a call last ended; before the first one, when the lane began
	began   time.Time // of the window
	done    int       // items whose call ended in the window
	before  int       // and in the one before it

	// alarm is when the goroutine that waits wakes up; zero while there is none. earlier, of
	// size 1, tells it that an item is due before that.
	alarm   time.Time
	earlier chan struct{}
}

// load is how much an executor has to do.
type load struct {
	waiting int  // items in its lane that are not being sent yet
	room    int  // items that the lane takes
	stuck   bool // it does not keep up: nothing should wait for it in memory
	quiet   bool // none of the calls to it has ended for a while
}

func newLanes(d *Dispatcher) *lanes {
	stop := make(chan struct{})
	return &lanes{d: d, crew: newCrew(stop), stop: stop, lanes: make(map[string]*lane), groups: make(map[int64]int)}
}

// add puts each item into its lane, before those of a lower rank. Only the loop
// calls it.
func (l *lanes) add(items []*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	touched := make(map[*lane]struct{}, 1)
	for _, it := range items {
		address := it.attempt.Address
		way := l.lanes[address]
		if way == nil {
			way = &lane{address: address, began: now, heard: now, earlier: make(chan struct{}, 1)}
			l.lanes[address] = way
		}
		way.enter(it)
		l.groups[it.job.GroupID]++
		touched[way] = struct{}{}
	}
	for way := range touched {
		l.begin(way, now)
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

// next returns how many of the items are due, and when the first of the others is: the
// zero time when there is none.
func (w *lane) next(now time.Time) (due int, first time.Time) {
	for _, it := range w.waiting {
		if !it.sendAt.After(now) {
			due++
		} else if first.IsZero() || it.sendAt.Before(first) {
			first = it.sendAt
		}
	}
	return due, first
}

// begin starts calls for what is due, and somebody who waits for the rest. The caller
// holds mu.
func (l *lanes) begin(way *lane, now time.Time) {
	due, first := way.next(now)
	if l.stopped {
		due, first = len(way.waiting), time.Time{}
	}
	together, calls := l.flow(way.address)
	for started := 0; started*together < due && way.calls < calls; started++ {
		way.calls++
		l.crew.run(func() { l.work(way, together) })
	}
	switch {
	case first.IsZero():
	case way.alarm.IsZero():
		way.alarm = first
		l.crew.run(func() { l.await(way) })
	case first.Before(way.alarm):
		select {
		case way.earlier <- struct{}{}:
		default:
		}
	}
}

// flow returns how many tasks a call to the address may have, and how many calls there
// may be at once. What is on its way to an executor that falls silent is uncertain: so even
// calls with many tasks have not more than they need to be cheap.
func (l *lanes) flow(address string) (together, calls int) {
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

// rouse begins calls for what is due, sets the alarm for the rest, and reports whether there
// is any. Only who awaits it reads the alarm without mu.
func (l *lanes) rouse(way *lane) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	l.begin(way, now)
	if _, way.alarm = way.next(now); l.stopped {
		way.alarm = time.Time{}
	}
	if way.alarm.IsZero() {
		l.close(way)
		return false
	}
	return true
}

// close removes the lane when it has nothing. The caller holds mu.
func (l *lanes) close(way *lane) {
	if len(way.waiting) == 0 && way.calls == 0 && way.alarm.IsZero() {
		delete(l.lanes, way.address)
	}
}

// left notes that the item is not on its way any more. The caller holds mu.
func (l *lanes) left(it *item) {
	group := it.job.GroupID
	if l.groups[group]--; l.groups[group] == 0 {
		delete(l.groups, group)
	}
}

// work sends what is due, until nothing is.
func (l *lanes) work(way *lane, together int) {
	for items := l.take(way, together); len(items) > 0; items = l.take(way, together) {
		answers := l.deliver(way.address, items)
		l.end(way, items) // first, so that whoever is woken by the answer sees the room
		l.d.settler.put(answers)
	}
}

// take removes up to n items that are due from the lane, the first ones. None means that
// the goroutine's call is over.
func (l *lanes) take(way *lane, n int) []*item {
	l.mu.Lock()
	defer l.mu.Unlock()
	items := way.take(time.Now(), n, l.stopped)
	if len(items) == 0 {
		way.calls--
		l.close(way)
	}
	way.sending += len(items)
	return items
}

// take removes up to n items that are due, or simply the first ones.
func (w *lane) take(now time.Time, n int, all bool) []*item {
	var items, early []*item
	i := 0
	for ; i < len(w.waiting) && len(items) < n; i++ {
		if it := w.waiting[i]; all || !it.sendAt.After(now) {
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

// end notes that the call for the items has ended.
func (l *lanes) end(way *lane, items []*item) {
	l.mu.Lock()
	defer l.mu.Unlock()
	way.heard = time.Now()
	way.turn(way.heard)
	way.done += len(items)
	way.sending -= len(items)
	for _, it := range items {
		l.left(it)
	}
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

// deliver sends items that are due in one call, and says what became of each. The call has no
// end but the sender's own time limit: a call that is cut off is a call whose effect nobody
// knows.
func (l *lanes) deliver(address string, items []*item) []settled {
	answers := make([]settled, len(items))
	tasks, of := make([]job.Task, 0, len(items)), make([]int, 0, len(items))
	ctx, cancel := context.WithTimeout(context.Background(), resolveFor)
	defer cancel()
	for i, it := range items {
		task, err := l.ready(ctx, it)
		answers[i] = settled{item: it, err: err}
		if err == nil {
			tasks, of = append(tasks, task), append(of, i)
		}
	}
	if len(tasks) == 0 {
		return answers
	}
	if now := time.Now(); !l.d.config.Breaker.Allow(address, now) {
		shut := &shutError{l.d.config.Breaker.Status(address, now)}
		for _, i := range of {
			answers[i].err = shut
		}
		return answers
	}
	failpoint.Hit("dispatcher/marked")
	results := l.d.config.Sender.SendAll(context.Background(), address, tasks)
	failpoint.Hit("dispatcher/answered")
	l.judge(address, results)
	now := time.Now()
	for n, i := range of {
		answers[i].err = results[n]
		l.d.config.Hooks.Sent(max(now.Sub(items[i].due), 0), results[n])
	}
	return answers
}

// ready returns the task of an item as it is to be sent now, or why it is not sent. A mark that
// is too old is not sent, because upkeep looks at it soon and would send it too.
func (l *lanes) ready(ctx context.Context, it *item) (job.Task, error) {
	select {
	case <-l.stop:
		return job.Task{}, errStopped
	default:
	}
	if it.left(time.Now()) < l.d.config.Check/2 {
		return job.Task{}, errStale
	}
	return l.resolved(ctx, it)
}

// judge tells the breaker whether somebody was there.
func (l *lanes) judge(address string, results []error) {
	for _, err := range results {
		if !silent(err) {
			l.d.config.Breaker.Succeeded(address)
			return
		}
	}
	l.d.config.Breaker.Failed(address, time.Now(), results[0].Error())
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

// wait starts no more calls, answers what waits for one, and lets those under way end. The
// loop has ended.
func (l *lanes) wait() {
	l.mu.Lock()
	l.stopped = true
	close(l.stop)
	for _, way := range l.lanes {
		l.begin(way, time.Now())
	}
	l.mu.Unlock()
	l.crew.running.Wait()
}
