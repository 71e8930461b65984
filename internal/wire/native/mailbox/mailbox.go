package mailbox

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// Config bounds what waits for executors that pull.
type Config struct {
	// Timeout is how long a command may wait to be taken, and then to be answered
	// until the same end. Defaults to 3 s.
	Timeout time.Duration
	// Away is how long after its last pull an executor counts as there. Defaults
	// to 5 s.
	Away time.Duration
	// Keep is how long an executor is remembered that does not pull. Defaults to
	// 5 min.
	Keep time.Duration
	// Boxes bounds the executors that pull. Defaults to 4,096.
	Boxes int
	// Commands and Bytes bound what waits for one executor or has been handed to it
	// without an answer. They default to 512 and 32 MiB.
	Commands int
	Bytes    int
	// Came is called when an executor begins to pull, or does so again after it was away.
	// It must return at once. Optional.
	Came func(address string)
}

func (c *Config) defaults() {
	c.Timeout = cmp.Or(max(c.Timeout, 0), 3*time.Second)
	c.Away = cmp.Or(max(c.Away, 0), 5*time.Second)
	c.Keep = cmp.Or(max(c.Keep, 0), 5*time.Minute)
	c.Boxes = cmp.Or(max(c.Boxes, 0), 4096)
	c.Commands = cmp.Or(max(c.Commands, 0), 512)
	c.Bytes = cmp.Or(max(c.Bytes, 0), 32<<20)
	if c.Came == nil {
		c.Came = func(string) {}
	}
}

// Mailboxes keep the commands for executors that pull, by address. A command is handed out
// once, unless the executor reports with its next pull that it did not receive the answer
// with it. It is withdrawn only while no pull has taken it. Its methods may be used from
// many goroutines.
type Mailboxes struct {
	config Config
	began  time.Time

	mu     sync.Mutex
	boxes  map[string]*mailbox // guarded by mu
	lastID int64               // guarded by mu
	closed bool                // guarded by mu: nothing is taken and handed out any more
}

// mailbox is what waits for one executor. All of it is guarded by Mailboxes.mu.
type mailbox struct {
	waiting []*parcel         // not handed out, in their order
	out     map[int64]*parcel // handed out, not answered
	bytes   int               // of both
	open    *poll             // the pull that waits; nil for none
	last    *poll             // the pull that counts, whether it waits or not
	seen    time.Time         // when a pull began or ended
	handed  handed            // what the last pull took that took anything
	room    int               // how many tasks the last pull takes
	minor   int               // the minor version of the last pull
}

// handed is what one pull took.
type handed struct {
	parcels     []*parcel
	incarnation string // who took it
}

// poll is one pull that waits.
type poll struct{ wake chan struct{} } // closed when it is to look again

// parcel is one command on its way.
type parcel struct {
	message.Command

	tasks  int                        // how many it has
	since  time.Time                  // when its sender left it
	until  time.Time                  // when its sender gives it up
	taken  bool                       // guarded by Mailboxes.mu: it may have come to the executor
	answer chan message.CommandAnswer // of size 1
}

// New returns mailboxes without any executor.
func New(c Config) *Mailboxes {
	c.defaults()
	// An executor may answer what an earlier server has asked, so ids begin
	// anywhere; they stay whole numbers for every reader of JSON.
	var seed [8]byte
	_, _ = rand.Read(seed[:]) // it never returns an error
	return &Mailboxes{
		config: c, began: time.Now(), boxes: make(map[string]*mailbox), lastID: int64(binary.BigEndian.Uint64(seed[:]) >> 12),
	}
}

// here reports whether the executor pulls: a pull is open, or was a moment ago.
func (b *mailbox) here(now time.Time, away time.Duration) bool {
	return b.open != nil || now.Sub(b.seen) <= away
}

// Here returns nil when the executor at address pulls, or when that is not known yet, and
// Unreachable otherwise.
func (m *Mailboxes) Here(address string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, err := m.find(address)
	return err
}

// Met remembers the minor version in which an executor that pulls was met.
func (m *Mailboxes) Met(address string, minor int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if box := m.boxes[address]; box != nil {
		box.minor = minor
	}
}

// Speaks returns the minor version that is spoken with an executor that pulls.
func (m *Mailboxes) Speaks(address string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if box := m.boxes[address]; box != nil {
		return box.minor
	}
	return 0
}

// Away reports whether no pull of the executor is open and none was a moment ago.
func (m *Mailboxes) Away(address string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	box := m.boxes[address]
	return box == nil || !box.here(time.Now(), m.config.Away)
}

// find returns the box of an executor that pulls. mu is held.
func (m *Mailboxes) find(address string) (*mailbox, error) {
	if m.closed {
		return nil, job.Errorf(job.Unreachable, "this server stops")
	}
	box, now := m.boxes[address], time.Now()
	if box == nil && now.Sub(m.began) <= m.config.Away && len(m.boxes) < m.config.Boxes {
		// Executors that pulled from this server before it was restarted come back.
		box = &mailbox{out: make(map[int64]*parcel), seen: m.began, room: message.MaxTasks}
		m.boxes[address] = box
	}
	if box == nil || !box.here(now, m.config.Away) {
		return nil, job.Errorf(job.Unreachable, "executor %s does not pull from this server at present", address)
	}
	return box, nil
}

// Send hands a command to the executor, and returns its answer. tasks is how many
// tasks it has. Kinds: Unreachable, it was never handed out; Full, there are too
// many others, or the executor takes no tasks; Ambiguous, it was handed out and not
// answered.
func (m *Mailboxes) Send(ctx context.Context, address, name string, body []byte, tasks int) (status int, answer []byte, err error) {
	p := &parcel{
		Command: message.Command{Name: name, Body: body}, tasks: tasks, since: time.Now(), answer: make(chan message.CommandAnswer, 1),
	}
	p.until = p.since.Add(m.config.Timeout)
	if err := m.put(address, p); err != nil {
		return 0, nil, err
	}
	over := time.NewTimer(m.config.Timeout)
	defer over.Stop()
	select {
	case a := <-p.answer:
		return a.Result()
	case <-over.C:
	case <-ctx.Done():
	}
	return m.giveUp(address, p)
}

// put leaves the command for a pull.
func (m *Mailboxes) put(address string, p *parcel) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	box, err := m.find(address)
	if err != nil {
		return err
	}
	if len(box.waiting)+len(box.out) >= m.config.Commands || box.bytes+len(p.Body) > m.config.Bytes {
		return job.Errorf(job.Full, "%d commands (%d bytes) for executor %s are under way already",
			len(box.waiting)+len(box.out), box.bytes, address)
	}
	m.lastID++
	p.ID = m.lastID
	box.waiting = append(box.waiting, p)
	box.bytes += len(p.Body)
	box.nudge()
	return nil
}

// nudge lets the open pull look again. mu is held.
func (b *mailbox) nudge() {
	if b.open != nil {
		close(b.open.wake)
		b.open = nil
	}
}

// giveUp withdraws the command, or reports that its fate is unknown.
func (m *Mailboxes) giveUp(address string, p *parcel) (status int, answer []byte, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	select {
	case a := <-p.answer: // it came meanwhile
		return a.Result()
	default:
	}
	box := m.boxes[address] // one with commands is not forgotten
	box.bytes -= len(p.Body)
	delete(box.out, p.ID)
	if i := slices.Index(box.waiting, p); i >= 0 {
		box.waiting = append(box.waiting[:i:i], box.waiting[i+1:]...)
	}
	if p.taken {
		return 0, nil, job.Errorf(job.Ambiguous, "executor %s took the command and gave no answer within %s", address, m.config.Timeout)
	}
	if p.tasks > 0 && box.room == 0 && box.here(time.Now(), m.config.Away) {
		return 0, nil, job.Errorf(job.Full, "executor %s takes no more tasks at present", address)
	}
	return 0, nil, job.Errorf(job.Unreachable, "executor %s did not fetch the command within %s", address, m.config.Timeout)
}

// Pull returns the commands for the executor: at once when there are some, and
// none after its wait, when ctx ends, when another pull comes, or when this server
// stops. Kinds: Full, too many executors pull; Unavailable, this server stops.
func (m *Mailboxes) Pull(ctx context.Context, address string, p message.PullRequest) ([]message.Command, error) {
	over := time.NewTimer(p.Wait)
	defer over.Stop()
	var mine *poll
	away := m.Away(address)
	for {
		commands, next, err := m.look(address, mine, &p)
		if away && err == nil {
			m.config.Came(address)
		}
		away = false
		if err != nil || len(commands) > 0 || next == nil {
			return commands, err
		}
		mine = next
		select {
		case <-mine.wake:
			if ctx.Err() == nil { // a command is not for one that is gone
				continue
			}
		case <-over.C:
		case <-ctx.Done():
		}
		m.leave(address, mine)
		return nil, nil
	}
}

// look takes what there is for a pull, or opens the next poll for it. mine is the
// poll that was woken, and nil at first: a first look ends the pull before it. Both
// results are nil for one that another has ended.
func (m *Mailboxes) look(address string, mine *poll, p *message.PullRequest) ([]message.Command, *poll, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, nil, job.Errorf(job.Unavailable, "this server stops; ask again in a moment")
	}
	now := time.Now()
	box := m.boxes[address]
	switch {
	case box == nil:
		if err := m.makeRoom(now); err != nil {
			return nil, nil, err
		}
		box = &mailbox{out: make(map[int64]*parcel)}
		m.boxes[address] = box
	case mine != nil && box.last != mine:
		return nil, nil, nil
	case mine == nil:
		box.nudge()
		box.retrieve(p)
	}
	box.seen, box.room = now, p.Room
	next := &poll{wake: make(chan struct{})}
	box.last = next
	if commands := box.take(p); len(commands) > 0 {
		return commands, nil, nil
	}
	box.open = next
	return nil, next, nil
}

// maxPulled bounds the bytes of commands in the answer to one pull, so that it stays
// below those of an answer; a command that is larger goes alone.
const maxPulled = 6 << 20

// take moves what the executor accepts now from the waiting ones to those that are out. A
// command with more tasks than there is room for goes only alone: the executor reports
// which of them it refuses. mu is held.
func (b *mailbox) take(r *message.PullRequest) []message.Command {
	var commands []message.Command
	var parcels []*parcel
	left := b.waiting[:0:0]
	room := r.Room
	free, size := room, 0
	for _, p := range b.waiting {
		fits := p.tasks <= free || free == room && room > 0
		fits = fits && (size+len(p.Body) <= maxPulled || size == 0)
		if !fits || len(commands) == message.MaxCommands {
			left = append(left, p)
			continue
		}
		free = max(free-p.tasks, 0)
		size += len(p.Body)
		b.out[p.ID], p.taken = p, true
		handed := p.Command
		handed.Within, handed.Held = max(time.Until(p.until), time.Millisecond), time.Since(p.since)
		commands, parcels = append(commands, handed), append(parcels, p)
	}
	b.waiting = left
	if len(parcels) > 0 {
		b.handed = handed{parcels, r.Incarnation}
	}
	return commands
}

// retrieve takes back what the last pull took when its answer did not come: the
// executor, which is the same as then, has got another command last. What is answered
// or given up is left. mu is held.
func (b *mailbox) retrieve(r *message.PullRequest) {
	h := b.handed
	b.handed = handed{}
	if len(h.parcels) == 0 || !r.Tells || r.Incarnation != h.incarnation || r.Received == h.parcels[len(h.parcels)-1].ID {
		return
	}
	lost := slices.DeleteFunc(h.parcels, func(p *parcel) bool { return b.out[p.ID] == nil })
	for _, p := range lost {
		delete(b.out, p.ID)
	}
	b.waiting = append(lost, b.waiting...)
}

// leave ends a pull that found nothing.
func (m *Mailboxes) leave(address string, mine *poll) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if box := m.boxes[address]; box != nil && box.open == mine {
		box.open, box.seen = nil, time.Now()
	}
}

// makeRoom forgets executors that have not pulled for long, and when there are too
// many all that are away. mu is held.
func (m *Mailboxes) makeRoom(now time.Time) error {
	if len(m.boxes) < m.config.Boxes && len(m.boxes)%64 != 0 {
		return nil
	}
	keep := m.config.Keep
	if len(m.boxes) >= m.config.Boxes {
		keep = m.config.Away
	}
	for address, box := range m.boxes {
		if len(box.waiting)+len(box.out) == 0 && !box.here(now, keep) {
			delete(m.boxes, address)
		}
	}
	if len(m.boxes) >= m.config.Boxes {
		return job.Errorf(job.Full, "%d executors pull from this server already", len(m.boxes))
	}
	return nil
}

// Answer takes what an executor answers. What was not asked, or is known already,
// counts for nothing.
func (m *Mailboxes) Answer(address string, answers []message.CommandAnswer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	box := m.boxes[address]
	if box == nil {
		return
	}
	box.seen = time.Now()
	for _, a := range answers {
		p, out := box.out[a.ID]
		if !out {
			continue
		}
		delete(box.out, a.ID)
		box.bytes -= len(p.Body)
		if a.Status == 0 {
			a.Status = http.StatusOK
		}
		p.answer <- a
	}
}

// Close ends all pulls and takes back what was not handed out. What was is still
// waited for.
func (m *Mailboxes) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for _, box := range m.boxes {
		for _, p := range box.waiting {
			box.bytes -= len(p.Body)
			p.answer <- message.CommandAnswer{}
		}
		box.waiting = nil
		box.nudge()
	}
}
