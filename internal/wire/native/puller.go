package native

import (
	"context"
	"crypto/tls"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

const (
	// fullWait is how long a pull without room for tasks waits: there may be room
	// soon, and the server would not hear of it.
	fullWait = time.Second
	// pullSlack is how much longer than its wait a pull may take.
	pullSlack = 10 * time.Second
	// maxUnderWay is how many commands may be without an answer that was delivered
	// when more are pulled.
	maxUnderWay = 256
	// pullRest is the pause after a pull that ended before its time with nothing: a
	// twin may pull as the same instance.
	pullRest = 250 * time.Millisecond
	// The pauses after a pull that failed grow from one to the other.
	minPause, maxPause = 100 * time.Millisecond, 5 * time.Second
	// silentEvery is how often failures are logged while the server is away.
	silentEvery = 30 * time.Second
)

// PullerConfig sets the server that a Puller pulls from, and the executor that it pulls
// for.
type PullerConfig struct {
	// Server is the base URL of one server.
	Server string
	// Token signs the requests.
	Token string
	// TLS sets the trusted authorities and the client certificate for https addresses.
	// Defaults to the machine's roots.
	TLS *tls.Config
	// Transport carries the requests, and TLS counts for nothing then. Defaults to
	// one of its own.
	Transport http.RoundTripper
	// Group, Instance and Incarnation are those of the executor.
	Group, Instance, Incarnation string
	// Handler answers what comes.
	Handler *ExecutorHandler
	// Room is asked before each pull how many tasks may come.
	Room func() int
	// Wait is how long a pull waits for something to do. Defaults to 25 s: many
	// networks forget a connection that is silent for longer.
	Wait time.Duration
	// Last is how long Run goes on at its end to bring answers. Defaults to 5 s.
	Last time.Duration
	// Logger hears when the server comes and goes. Defaults to discarding.
	Logger *slog.Logger
}

// Puller fetches requests from one server, has them carried out and brings the
// answers. It is the way of a server to an executor that has no port.
type Puller struct {
	config  PullerConfig
	courier *signing.Courier // of pulls, which take long
	answers *answerer

	received int64     // Run only: the last command that came
	failures int       // Run only: pulls that failed, one after the other
	silentAt time.Time // Run only: when a failure was last logged
}

// NewPuller checks the address. Errors are Invalid.
func NewPuller(c PullerConfig) (*Puller, error) {
	if _, err := post.ParseAddress(c.Server); err != nil {
		return nil, job.Errorf(job.Invalid, "the server's address: %w", err)
	}
	if err := message.CheckPuller(c.Group, c.Instance); err != nil {
		return nil, err
	}
	if c.Wait <= 0 {
		c.Wait = 25 * time.Second
	}
	c.Wait = min(c.Wait, message.MaxWait)
	if c.Last <= 0 {
		c.Last = 5 * time.Second
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	p := &Puller{
		config:  c,
		courier: signing.NewCourier(post.Config{Timeout: c.Wait + pullSlack, TLS: c.TLS, Transport: c.Transport}),
		answers: newAnswerer(&c),
	}
	p.courier.Minor = c.Handler.minor
	return p, nil
}

// Run pulls until ctx ends; then it lets what was fetched be answered, for a time,
// and returns nil. It may be called once.
func (p *Puller) Run(ctx context.Context) error {
	defer p.courier.Close()
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	var sender, deeds sync.WaitGroup
	sender.Go(func() { p.answers.run(work) })
	for ctx.Err() == nil {
		for _, c := range p.pull(ctx) {
			deeds.Go(func() {
				ctx, done := c.limit(work)
				defer done()
				status, body := p.config.Handler.fetched(ctx, c.Command)
				p.answers.put(message.CommandAnswer{ID: c.ID, Status: status, Body: body})
			})
		}
	}
	last := time.AfterFunc(p.config.Last, stop)
	defer last.Stop()
	deeds.Wait()
	p.answers.end()
	sender.Wait()
	return nil
}

// due is a command that came with an answer to a pull.
type due struct {
	message.Command
	until time.Time // when its server waits for it no longer, at the latest; zero when it is unknown
}

// limit returns the context of a command. Tasks whose sender waits no longer are not
// accepted; anything else may come late.
func (d *due) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.Name != message.NameTasks || d.until.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, d.until)
}

// pull asks once for something to do, when that may be. When the commands left the
// server is known to the time that the pull took to get there, without its clock: not
// before the pull was sent and had waited there.
func (p *Puller) pull(ctx context.Context) (all []due) {
	if !p.answers.free(ctx) {
		return nil
	}
	room, wait := min(max(p.config.Room(), 0), message.MaxTasks), p.config.Wait
	if room == 0 {
		wait = min(wait, fullWait)
	}
	begun := time.Now()
	answer, err := p.ask(ctx, message.PullRequest{
		Group: p.config.Group, Instance: p.config.Instance, Incarnation: p.config.Incarnation, Wait: wait, Room: room,
		Received: p.received, Tells: true,
	})
	for _, c := range answer.Commands {
		d := due{Command: c}
		if c.Within > 0 {
			d.until = begun.Add(answer.Waited + c.Within)
		}
		all, p.received = append(all, d), c.ID
	}
	p.answers.add(len(all))
	switch {
	case ctx.Err() != nil:
		return all
	case err != nil:
		p.failed(ctx, err)
		return nil
	}
	if p.failures > 0 {
		p.config.Logger.Info("pulling from the server again", "server", p.config.Server)
	}
	p.failures, p.silentAt = 0, time.Time{}
	if len(all) == 0 && time.Since(begun) < wait/2 {
		rest(ctx, pullRest)
	}
	return all
}

// ask sends one pull.
func (p *Puller) ask(ctx context.Context, r message.PullRequest) (message.Pulled, error) {
	answer, err := p.courier.Send(ctx, signing.Letter{
		Address: p.config.Server, Name: message.NamePull, Token: p.config.Token, Body: message.AppendPull(nil, r),
	})
	if err == nil {
		err = answer.Failure()
	}
	if err != nil {
		return message.Pulled{}, err
	}
	return message.DecodeCommands(answer.Body)
}

// failed reports a pull that failed, and pauses.
func (p *Puller) failed(ctx context.Context, err error) {
	p.failures++
	if time.Since(p.silentAt) >= silentEvery {
		p.silentAt = time.Now()
		p.config.Logger.Warn("nothing can be pulled from the server", "server", p.config.Server, "error", err)
	}
	pause := min(minPause<<min(p.failures-1, 10), maxPause)
	rest(ctx, pause)
}

// rest waits for that long and up to a quarter more, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d + time.Duration(rand.Float64()*float64(d)/4))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// answerer brings answers to the server, many at a time.
type answerer struct {
	config  *PullerConfig
	courier *signing.Courier
	queue   chan timedAnswer // has room for all commands that may be under way
	freed   chan struct{}    // one hint that fewer are under way
	under   atomic.Int64     // commands whose answers are not delivered or given up
}

// timedAnswer is an answer and when it was made.
type timedAnswer struct {
	message.CommandAnswer

	at time.Time
}

const (
	// answerBytes is about how many bytes of answers go into one request.
	answerBytes = 2 << 20
	// answerAge is how long an answer is brought again; the server has stopped
	// waiting for it long before.
	answerAge = 30 * time.Second
)

func newAnswerer(c *PullerConfig) *answerer {
	return &answerer{
		config:  c,
		courier: signing.NewCourier(post.Config{TLS: c.TLS, Transport: c.Transport}),
		queue:   make(chan timedAnswer, maxUnderWay+message.MaxCommands),
		freed:   make(chan struct{}, 1),
	}
}

// free waits until more commands may be fetched, and reports false when ctx ends
// first.
func (a *answerer) free(ctx context.Context) bool {
	for a.under.Load() >= maxUnderWay {
		select {
		case <-a.freed:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// add records that so many commands were fetched, and are under way.
func (a *answerer) add(n int) { a.under.Add(int64(n)) }

// put has an answer brought.
func (a *answerer) put(c message.CommandAnswer) { a.queue <- timedAnswer{c, time.Now()} }

// end closes the queue: no put may follow.
func (a *answerer) end() { close(a.queue) }

// run brings answers until the end of them, or of ctx.
func (a *answerer) run(ctx context.Context) {
	defer a.courier.Close()
	for {
		batch := a.gather()
		if len(batch) == 0 {
			return
		}
		a.bring(ctx, batch)
		a.under.Add(-int64(len(batch)))
		select {
		case a.freed <- struct{}{}:
		default:
		}
	}
}

// gather waits for an answer and takes those with it that are there. None is the end.
func (a *answerer) gather() []timedAnswer {
	first, more := <-a.queue
	if !more {
		return nil
	}
	batch, size := []timedAnswer{first}, len(first.Body)
	for len(batch) < message.MaxAnswers && size < answerBytes {
		select {
		case next, more := <-a.queue:
			if !more {
				return batch
			}
			batch, size = append(batch, next), size+len(next.Body)
		default:
			return batch
		}
	}
	return batch
}

// bring sends answers until the server takes them, refuses them, or has waited too
// long for them.
func (a *answerer) bring(ctx context.Context, batch []timedAnswer) {
	request := message.AnswersRequest{Group: a.config.Group, Instance: a.config.Instance}
	for _, answer := range batch {
		request.Answers = append(request.Answers, answer.CommandAnswer)
	}
	body := message.AppendAnswers(nil, request)
	for failures := 0; ; failures++ {
		answer, err := a.courier.Send(ctx, signing.Letter{Address: a.config.Server, Name: message.NameAnswers, Token: a.config.Token, Body: body})
		if err == nil {
			err = answer.Failure()
		}
		if err == nil {
			return
		}
		if job.Is(err, job.Refused) || ctx.Err() != nil || time.Since(batch[0].at) > answerAge {
			a.config.Logger.Warn("answers to a server are given up", "server", a.config.Server, "answers", len(batch), "error", err)
			return
		}
		rest(ctx, min(minPause<<min(failures, 10), maxPause))
	}
}
