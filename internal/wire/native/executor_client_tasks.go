package native

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/job"
)

// The limits of what travels to an executor.
const (
	maxBatchBytes = 4 << 20 // of one request, unless one task has more
	maxLimits     = 16_384  // executors of which it is remembered how many tasks they take
)

// batchFrame is more than the bytes around the tasks of a request.
const batchFrame = 4096

// patience is how long a call may last that has no other limit.
const patience = 3 * time.Second

// batchLimits are how many tasks executors take in one request.
type batchLimits struct {
	mu    sync.Mutex
	known map[string]int // guarded by mu; by address
}

// set remembers how many tasks the executor takes in one request.
func (b *batchLimits) set(address string, tasks int) {
	if tasks <= 0 {
		tasks = message.DefaultBatch
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known == nil {
		b.known = make(map[string]int)
	}
	if _, known := b.known[address]; !known && len(b.known) >= maxLimits {
		clear(b.known)
	}
	b.known[address] = min(tasks, message.MaxTasks)
}

func (b *batchLimits) of(address string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return cmp.Or(max(b.known[address], 0), message.DefaultBatch)
}

// sending is one task on its way.
type sending struct {
	place   int // among the tasks that were given
	attempt int64
	body    []byte // the task as it is written
	follow  bool   // its log is to be brought
}

// Batch remembers how many tasks the executor accepts in one request; 0 means that it does
// not report it.
func (c *ExecutorClient) Batch(address string, tasks int) { c.limits.set(address, tasks) }

// Together returns how many tasks the executor takes in one request.
func (c *ExecutorClient) Together(address string) int { return c.limits.of(address) }

// Send brings one task to the executor. It returns nil when the executor has taken it.
func (c *ExecutorClient) Send(ctx context.Context, address string, t job.Task) error {
	return c.SendAll(ctx, address, []job.Task{t})[0]
}

// SendAll brings tasks to the executor, in one request unless they are too many or too
// large for it, and returns what became of each, in their order: nil when the executor
// has taken it.
func (c *ExecutorClient) SendAll(ctx context.Context, address string, tasks []job.Task) []error {
	answers := make([]error, len(tasks))
	limit, size := c.limits.of(address), 0
	batch := make([]sending, 0, min(len(tasks), limit))
	send := func() {
		if len(batch) > 0 {
			c.fly(ctx, address, batch, answers)
		}
		batch, size = batch[:0], 0
	}
	for i := range tasks {
		t := &tasks[i]
		one := message.Arrival{Task: *t, Follow: c.config.Follow(*t)}
		if !t.StartAt.IsZero() {
			one.StartIn = max(time.Until(t.StartAt), 0)
		}
		body := message.AppendTask(make([]byte, 0, 384+len(t.Param)+len(t.Handler.Source)), one)
		if len(body) > message.MaxBody-batchFrame {
			answers[i] = job.Errorf(job.Refused, "the task has %d bytes as it is sent, at most %d are allowed", len(body), message.MaxBody-batchFrame)
			continue
		}
		if len(batch) == limit || size+len(body) > maxBatchBytes {
			send()
		}
		batch = append(batch, sending{place: i, attempt: t.AttemptID, body: body, follow: one.Follow})
		size += len(body)
	}
	send()
	return answers
}

// fly sends a request and notes what became of each of its tasks. A request that is refused
// as a whole, because of what is in it, was not carried out: so its halves are tried.
func (c *ExecutorClient) fly(ctx context.Context, address string, batch []sending, answers []error) {
	results, err := c.deliver(ctx, address, batch)
	if job.Is(err, job.Invalid) && len(batch) > 1 {
		half := len(batch) / 2
		c.fly(ctx, address, batch[:half], answers)
		c.fly(ctx, address, batch[half:], answers)
		return
	}
	for i, s := range batch {
		if answers[s.place] = err; err == nil {
			answers[s.place] = results[i]
		}
	}
}

// deliver sends one request with tasks. An Invalid error means that the executor did
// nothing because of the request's content.
func (c *ExecutorClient) deliver(ctx context.Context, address string, batch []sending) ([]error, error) {
	size, followed := 96+len(c.config.Self)+len(address), false
	for i := range batch {
		size += len(batch[i].body) + 1
		followed = followed || batch[i].follow
	}
	body := append(make([]byte, 0, size), '{')
	if followed {
		body = message.AppendFollower(body, c.config.Self, address)
	}
	body = append(message.AppendWithin(body, cmp.Or(max(c.config.Timeout, 0), patience)), `"tasks":[`...)
	for i := range batch {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, batch[i].body...)
	}
	body = append(body, `]}`...)
	text, err := c.ask(ctx, address, message.NameTasks, body, len(batch))
	switch {
	case job.Is(err, job.Unavailable): // another executor may take them
		return nil, &job.Error{Kind: job.Full, Message: err.Error()}
	case job.Is(err, job.Invalid) && len(batch) == 1:
		return nil, &job.Error{Kind: job.Refused, Message: err.Error()}
	case err != nil:
		return nil, err
	}
	answers, err := message.DecodeTaskAnswers(text)
	if err != nil {
		return nil, unclear(address, err)
	}
	return matchAnswers(address, batch, answers), nil
}

// matchAnswers returns what became of each task. One without its answer is
// Ambiguous.
func matchAnswers(address string, batch []sending, answers []message.TaskAnswer) []error {
	results := make([]error, len(batch))
	for i := range batch {
		if attempt := batch[i].attempt; i >= len(answers) || answers[i].Attempt != attempt {
			results[i] = job.Errorf(job.Ambiguous, "executor %s answered for other tasks than attempt %d", address, attempt)
			continue
		}
		results[i] = answers[i].Err()
	}
	return results
}
