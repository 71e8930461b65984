package users

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// book is a snapshot of all users and tokens. Only its times change.
type book struct {
	version int64
	readAt  time.Time // before the read
	users   map[int64]*person
	byName  map[string]*person
	tokens  map[string]*cachedUser // by key
	byID    map[int64]*cachedUser
}

type person struct {
	user      access.User
	principal access.Principal
	seenAt    atomic.Int64 // milliseconds; 0 for never
}

type cachedUser struct {
	token     access.APIToken
	digest    string
	of        *person
	principal access.Principal
	usedAt    atomic.Int64 // milliseconds; 0 for never
}

// fresh returns a snapshot that is at most a second or two old.
func (u *Users) fresh(ctx context.Context) (*book, error) {
	b := u.book.Load()
	if b != nil && time.Since(b.readAt) < freshFor {
		return b, nil
	}
	if b != nil && time.Since(b.readAt) < goodFor {
		if !u.reading.TryLock() {
			return b, nil // another caller is reading
		}
	} else {
		u.reading.Lock()
	}
	defer u.reading.Unlock()
	if again := u.book.Load(); again != b && again != nil && time.Since(again.readAt) < freshFor {
		return again, nil
	}
	err := unread()
	if time.Since(u.failedAt) >= afterFailure {
		if b, err = u.readBook(ctx); err == nil {
			return b, nil
		}
	}
	if b = u.book.Load(); b != nil && time.Since(b.readAt) < goodFor {
		return b, nil
	}
	return nil, err
}

// readBook reads a snapshot. The caller holds reading.
func (u *Users) readBook(ctx context.Context) (*book, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readFor) // the read serves all callers
	defer cancel()
	was, known, now := u.book.Load(), int64(0), time.Now()
	if was != nil {
		known = was.version
	}
	all, err := u.config.Book.Identities(ctx, known)
	if err != nil {
		u.failedAt = now
		u.config.Logger.Error("users and tokens could not be read; nobody is let in until they can", "error", err)
		return nil, unread()
	}
	var next book
	if all == nil {
		next = *was
	} else {
		next = fillBook(all, was)
	}
	next.readAt = now
	u.book.Store(&next)
	return &next, nil
}

// fillBook builds a snapshot from rows. It keeps the times that were noted since.
func fillBook(all *Identities, was *book) book {
	b := book{
		version: all.Version, users: make(map[int64]*person, len(all.Users)), byName: make(map[string]*person, len(all.Users)),
		tokens: make(map[string]*cachedUser, len(all.Tokens)), byID: make(map[int64]*cachedUser, len(all.Tokens)),
	}
	for i := range all.Users {
		p := &person{user: all.Users[i]}
		p.principal = p.user.Principal(0)
		p.seenAt.Store(job.Millis(p.user.SeenAt))
		if was != nil && was.users[p.user.ID] != nil {
			p.seenAt.Store(max(p.seenAt.Load(), was.users[p.user.ID].seenAt.Load()))
		}
		b.users[p.user.ID], b.byName[p.user.Name] = p, p
	}
	for _, known := range all.Tokens {
		of := b.users[known.UserID]
		if of == nil {
			continue // created after the users were read: the next read has both
		}
		e := &cachedUser{token: known.APIToken, digest: known.Digest, of: of}
		e.token.User = of.user.Name
		e.principal = e.token.Principal(&of.user)
		e.usedAt.Store(job.Millis(known.UsedAt))
		if was != nil && was.byID[e.token.ID] != nil {
			e.usedAt.Store(max(e.usedAt.Load(), was.byID[e.token.ID].usedAt.Load()))
		}
		b.tokens[e.token.Key], b.byID[e.token.ID] = e, e
	}
	return b
}

// changed makes this server's own change visible to it at once, also when its caller has
// left. A read that started earlier does not count.
func (u *Users) changed(ctx context.Context) {
	u.reading.Lock()
	defer u.reading.Unlock()
	if _, err := u.readBook(ctx); err == nil {
		return
	}
	if was := u.book.Load(); was != nil {
		old := *was
		old.readAt = time.Time{} // no call may use it
		u.book.Store(&old)
	}
}

func unread() error {
	return job.Errorf(job.Unavailable, "users and tokens cannot be read at present: repeat the request later")
}

// Known reports whether there was an account of a name a second or two ago. Kinds:
// Unavailable.
func (u *Users) Known(ctx context.Context, name string) (bool, error) {
	b, err := u.fresh(ctx)
	if err != nil {
		return false, err
	}
	return b.byName[name] != nil, nil
}
