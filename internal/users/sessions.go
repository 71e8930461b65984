package users

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

const (
	// sessionFresh is how long a session is used without a read. A session that another
	// server ended is refused here after it.
	sessionFresh = 2 * time.Second
	// seenEvery is the minimum interval between two writes of when a session was used.
	// maxSeen bounds the pending writes; a later request writes what does not fit.
	seenEvery = time.Minute
	maxSeen   = 256
	// maxOpen bounds the sessions in memory. When it is full, all are dropped, and read
	// again when they are used.
	maxOpen = 10_000
	// pruneEvery is the interval at which ended sessions are deleted.
	pruneEvery = 10 * time.Minute
	// keepPlaces is the retention of sign-in places.
	keepPlaces = 90 * 24 * time.Hour
)

// SessionStore stores sessions, and from where accounts have signed in.
type SessionStore interface {
	SessionBook
	SessionRows
	SignInPlaces
}

// SessionBook creates and finds sessions.
type SessionBook interface {
	// AddSession stores a session and returns it with its id. When the user has
	// [access.MaxSessions], the oldest one ends.
	AddSession(ctx context.Context, s access.Session, hash string) (access.Session, error)
	// SessionByHash returns a session, or NotFound.
	SessionByHash(ctx context.Context, hash string) (access.Session, error)
	// TouchSession records when a session was used. A deleted one is no error.
	TouchSession(ctx context.Context, id int64, at time.Time) error
}

// SessionRows lists and ends sessions.
type SessionRows interface {
	// SessionsOf returns the sessions of a user, the newest first, including ended ones
	// that are not deleted yet.
	SessionsOf(ctx context.Context, user int64) ([]access.Session, error)
	// RemoveSession ends a session of a user, or returns NotFound.
	RemoveSession(ctx context.Context, user, id int64) error
	// RemoveSessionsOf ends all sessions of a user except one.
	RemoveSessionsOf(ctx context.Context, user, but int64) error
}

// SignInPlaces stores from where accounts have signed in.
type SignInPlaces interface {
	// KnowsPlace reports whether an account has signed in from a network since an instant.
	// It returns false for an unknown account.
	KnowsPlace(ctx context.Context, account, network string, since time.Time) (bool, error)
	// AddPlace records that an account has signed in from a network.
	AddPlace(ctx context.Context, account, network string, at time.Time) error
	// PruneSessions deletes sessions that ended by ended or were last used by seen, and
	// places without a sign-in since places.
	PruneSessions(ctx context.Context, ended, seen, places time.Time) error
}

// SessionUsers returns the users of sessions.
type SessionUsers interface {
	// Principal returns the principal and the epoch of a user. Unauthorized for a deleted
	// or disabled one.
	Principal(ctx context.Context, id int64) (access.Principal, int64, error)
	// Epoch returns the epoch of a user for another caller, with the same errors.
	Epoch(ctx context.Context, id int64) (int64, error)
}

// SessionConfig configures Sessions.
type SessionConfig struct {
	// Store and Users are required.
	Store SessionStore
	Users SessionUsers
	// LastFor is the lifetime of a session. Defaults to 12 h.
	LastFor time.Duration
	// IdleFor is how long an unused session lasts. Defaults to 1 h.
	IdleFor time.Duration
	// Logger receives write errors. Defaults to discarding them.
	Logger *slog.Logger
}

// Sessions authenticates browsers by their sessions. It is safe for concurrent use. Run
// writes when sessions were used.
type Sessions struct {
	config SessionConfig
	seen   chan seen

	mu   sync.Mutex
	open map[string]*opened // by hash; guarded by mu
	// turns grows when sessions end here: earlier reads do not count.
	turns int64 // guarded by mu
}

// opened is a session in memory. Its fields are guarded by Sessions.mu.
type opened struct {
	session access.Session
	readAt  time.Time // never changes
	// writtenAt is the last use in the row, or in a pending write.
	writtenAt time.Time
}

type seen struct {
	session int64
	at      time.Time
}

// NewSessions returns a Sessions.
func NewSessions(c SessionConfig) *Sessions {
	if c.LastFor <= 0 {
		c.LastFor = 12 * time.Hour
	}
	if c.IdleFor <= 0 {
		c.IdleFor = time.Hour
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Sessions{config: c, seen: make(chan seen, maxSeen), open: make(map[string]*opened)}
}

// Begin starts a session of a user and returns it with its secret, which is returned only
// here.
func (s *Sessions) Begin(
	ctx context.Context, u *access.User, way access.Way, address, agent string,
) (access.Session, redacted.Text, error) {
	text, now := credential.Generate(), time.Now()
	made, err := s.config.Store.AddSession(ctx, access.Session{
		User: u.ID, Way: way, Epoch: u.Epoch, Address: job.Clean(address, 64), Agent: job.Clean(agent, access.MaxAgent),
		CreatedAt: now, SeenAt: now, EndsAt: now.Add(s.config.LastFor),
	}, credential.Hash(text))
	if err != nil {
		return access.Session{}, redacted.Text{}, err
	}
	if err := s.config.Store.AddPlace(ctx, u.Name, tries.Network(address), now); err != nil {
		s.config.Logger.Warn("it could not be written where a user has signed in from", "user", u.Name, "error", err)
	}
	return made, text, nil
}

// sessionSecret is the length of a session's secret, in bytes.
const sessionSecret = 43

// Caller returns the principal with the secret of a session. A text that cannot be one
// causes no read. Kinds: Unauthorized for an unknown or ended session; Unavailable.
func (s *Sessions) Caller(ctx context.Context, text string) (access.Principal, error) {
	if len(text) != sessionSecret {
		return access.Principal{}, tooManyTries()
	}
	hash, now := credential.Hash(redacted.New(text)), time.Now()
	session, err := s.findSession(ctx, hash, now)
	if err != nil {
		return access.Principal{}, err
	}
	p, epoch, err := s.config.Users.Principal(ctx, session.User)
	switch {
	case job.Is(err, job.Unauthorized), err == nil && epoch > session.Epoch:
		return access.Principal{}, tooManyTries()
	case err != nil:
		return access.Principal{}, err
	}
	p.Credential = session.ID
	return p, nil
}

// findSession returns a session that has not ended, and records its use.
func (s *Sessions) findSession(ctx context.Context, hash string, now time.Time) (access.Session, error) {
	s.mu.Lock()
	o, turns := s.open[hash], s.turns
	s.mu.Unlock()
	if o == nil || now.Sub(o.readAt) >= sessionFresh {
		read, err := s.config.Store.SessionByHash(ctx, hash)
		switch {
		case job.Is(err, job.NotFound):
			s.mu.Lock()
			delete(s.open, hash)
			s.mu.Unlock()
			return access.Session{}, tooManyTries()
		case err != nil:
			return access.Session{}, fmt.Errorf("read the session: %w", err)
		}
		o = &opened{session: read, readAt: now, writtenAt: read.SeenAt}
	}
	return s.recordUse(hash, o, turns, now)
}

// recordUse records the use of a session in memory, and queues a write when the last one is too
// old. A session that was read before others ended counts for this request only.
func (s *Sessions) recordUse(hash string, o *opened, turns int64, now time.Time) (access.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if was := s.open[hash]; was != nil && was != o { // another request has read it
		if was.session.SeenAt.After(o.session.SeenAt) {
			o.session.SeenAt = was.session.SeenAt
		}
		if was.writtenAt.After(o.writtenAt) {
			o.writtenAt = was.writtenAt
		}
	}
	if o.session.Over(now, s.config.IdleFor) {
		delete(s.open, hash)
		return access.Session{}, tooManyTries()
	}
	if now.After(o.session.SeenAt) {
		o.session.SeenAt = now
	}
	if now.Sub(o.writtenAt) >= seenEvery {
		select {
		case s.seen <- seen{o.session.ID, now}:
			o.writtenAt = now
		default:
		}
	}
	if turns != s.turns {
		return o.session, nil
	}
	if len(s.open) >= maxOpen && s.open[hash] == nil {
		clear(s.open)
	}
	s.open[hash] = o
	return o.session, nil
}

func tooManyTries() error {
	wrong := job.Errorf(job.Unauthorized, "there is no such session, or it has ended")
	wrong.Hint = "sign in again"
	return wrong
}

// Of returns the current sessions of a user, the newest first. A disabled user has none.
// Kinds: Unavailable.
func (s *Sessions) Of(ctx context.Context, user int64) ([]access.Session, error) {
	all, err := s.config.Store.SessionsOf(ctx, user)
	if err != nil {
		return nil, err
	}
	epoch, err := s.config.Users.Epoch(ctx, user)
	switch {
	case job.Is(err, job.Unauthorized): // it is the user who is out, and not who asks
		return []access.Session{}, nil
	case err != nil:
		return nil, err
	}
	now, live := time.Now(), []access.Session{}
	for _, session := range all {
		if session.Epoch >= epoch && !session.Over(now, s.config.IdleFor) {
			live = append(live, session)
		}
	}
	return live, nil
}

// End ends a session of a user: its next request is refused. Kinds: NotFound.
func (s *Sessions) End(ctx context.Context, user, id int64) error {
	err := s.config.Store.RemoveSession(ctx, user, id)
	s.forget(func(o *access.Session) bool { return o.User == user && o.ID == id })
	return err
}

// EndOthers ends all sessions of a user except one, 0 for all.
func (s *Sessions) EndOthers(ctx context.Context, user, but int64) error {
	err := s.config.Store.RemoveSessionsOf(ctx, user, but)
	s.forget(func(o *access.Session) bool { return o.User == user && o.ID != but })
	return err
}

// forget drops sessions from memory, and the results of running reads.
func (s *Sessions) forget(which func(*access.Session) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	for hash, o := range s.open {
		if which(&o.session) {
			delete(s.open, hash)
		}
	}
}

// Run writes when sessions were used, and deletes ended ones, until ctx ends.
func (s *Sessions) Run(ctx context.Context) error {
	prune := time.NewTicker(pruneEvery)
	defer prune.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case u := <-s.seen:
			if err := s.config.Store.TouchSession(ctx, u.session, u.at); err != nil && ctx.Err() == nil {
				s.config.Logger.Warn("the last use of a session could not be written", "session", u.session, "error", err)
			}
		case <-prune.C:
			now := time.Now()
			err := s.config.Store.PruneSessions(ctx, now, now.Add(-s.config.IdleFor-seenEvery), now.Add(-keepPlaces))
			if err != nil && ctx.Err() == nil {
				s.config.Logger.Warn("sessions that are over could not be deleted", "error", err)
			}
		}
	}
}
