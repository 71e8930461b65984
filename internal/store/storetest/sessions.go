package storetest

import (
	"fmt"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

func sessionTests() []test {
	return []test{
		{"a session is found by its hash alone, also after a restart", sessionIsFound},
		{"a user ends its own sessions and no others", sessionRemoved},
		{"a user has so many sessions, the newest", sessionBound},
		{"sessions that are over are deleted", sessionsPruned},
		{"where an account has signed in from is known for a time", placesKnown},
		{"tries to sign in are counted until they are worked off, over restarts", triesCounted},
	}
}

func (b *bench) session(user int64, hash string, at time.Time) access.Session {
	b.Helper()
	s, err := b.AddSession(b.ctx(), access.Session{
		User: user, Way: access.ByPassword, Epoch: 4, Address: "192.0.2.7", Agent: "браузер",
		CreatedAt: at, SeenAt: at, EndsAt: at.Add(12 * time.Hour),
	}, hash)
	b.ok(err)
	return s
}

func sessionIsFound(b *bench) {
	first, second := b.session(1, "h1", b.now), b.session(1, "h2", b.at(1))
	if first.ID == 0 || second.ID <= first.ID {
		b.Errorf("ids %d, %d", first.ID, second.ID)
	}
	b.ok(b.TouchSession(b.ctx(), first.ID, b.at(60)))
	b.ok(b.TouchSession(b.ctx(), first.ID, b.at(30))) // one that came late
	b.ok(b.TouchSession(b.ctx(), 1<<40, b.at(60)))
	b.reopen()
	first.SeenAt = b.at(60)
	found, err := b.SessionByHash(b.ctx(), "h1")
	b.ok(err)
	b.same("session", found, first)
	for _, hash := range []string{"", "H1", "h", "h1 ", "' OR 1=1 --"} {
		_, err = b.SessionByHash(b.ctx(), hash)
		b.kind(err, job.NotFound)
	}
	all, err := b.SessionsOf(b.ctx(), 1)
	b.ok(err)
	b.same("sessions", all, []access.Session{second, first})
}

func sessionRemoved(b *bench) {
	mine, kept, other := b.session(1, "h1", b.now), b.session(1, "h2", b.now), b.session(2, "h3", b.now)
	b.session(1, "h4", b.now)
	b.kind(b.RemoveSession(b.ctx(), 2, mine.ID), job.NotFound)
	b.ok(b.RemoveSession(b.ctx(), 1, mine.ID))
	b.kind(b.RemoveSession(b.ctx(), 1, mine.ID), job.NotFound)
	_, err := b.SessionByHash(b.ctx(), "h1")
	b.kind(err, job.NotFound)
	b.ok(b.RemoveSessionsOf(b.ctx(), 1, kept.ID))
	all, err := b.SessionsOf(b.ctx(), 1)
	b.ok(err)
	b.same("sessions", all, []access.Session{kept})
	b.ok(b.RemoveSessionsOf(b.ctx(), 1, 0))
	_, err = b.SessionByHash(b.ctx(), "h2")
	b.kind(err, job.NotFound)
	all, err = b.SessionsOf(b.ctx(), 2)
	b.ok(err)
	b.same("sessions of another", all, []access.Session{other})
}

func sessionBound(b *bench) {
	b.session(2, "other", b.now)
	for i := range access.MaxSessions + 3 {
		b.session(1, fmt.Sprint(i), b.at(i))
	}
	all, err := b.SessionsOf(b.ctx(), 1)
	b.ok(err)
	b.same("sessions", len(all), access.MaxSessions)
	_, err = b.SessionByHash(b.ctx(), "2")
	b.kind(err, job.NotFound)
	for _, hash := range []string{"3", "other"} {
		_, err = b.SessionByHash(b.ctx(), hash)
		b.ok(err)
	}
}

func sessionsPruned(b *bench) {
	b.session(1, "ended", b.at(-13*3600))
	idle, used := b.session(1, "idle", b.at(-7200)), b.session(1, "used", b.at(-7200))
	b.ok(b.TouchSession(b.ctx(), used.ID, b.now))
	b.ok(b.TouchSession(b.ctx(), idle.ID, b.at(-3700)))
	b.ok(b.AddPlace(b.ctx(), "ann", "192.0.2.0/24", b.at(-100)))
	b.ok(b.AddPlace(b.ctx(), "ann", "198.51.100.0/24", b.now))
	b.ok(b.PruneSessions(b.ctx(), b.now, b.at(-3660), b.at(-50)))
	for hash, kept := range map[string]bool{"ended": false, "idle": false, "used": true} {
		if _, err := b.SessionByHash(b.ctx(), hash); (err == nil) != kept {
			b.Errorf("%s: %v", hash, err)
		}
	}
	for network, kept := range map[string]bool{"192.0.2.0/24": false, "198.51.100.0/24": true} {
		known, err := b.KnowsPlace(b.ctx(), "ann", network, b.at(-1000))
		b.ok(err)
		b.same(network, known, kept)
	}
}

func placesKnown(b *bench) {
	b.ok(b.AddPlace(b.ctx(), "ann", "first", b.at(-10)))
	b.ok(b.AddPlace(b.ctx(), "ann", "first", b.now))
	b.reopen()
	for _, c := range []struct {
		account, network string
		since            int
		want             bool
	}{{"ann", "first", -5, true}, {"ann", "first", 0, false}, {"ann", "other", -5, false}, {"bob", "first", -5, false}, {"", "", -5, false}} {
		known, err := b.KnowsPlace(b.ctx(), c.account, c.network, b.at(c.since))
		b.ok(err)
		b.same(fmt.Sprint(c), known, c.want)
	}
	for i := range 20 { // as many as are kept
		b.ok(b.AddPlace(b.ctx(), "ann", fmt.Sprint(i), b.at(i+1)))
	}
	for network, want := range map[string]bool{"first": false, "0": true, "19": true} {
		known, err := b.KnowsPlace(b.ctx(), "ann", network, b.at(-5))
		b.ok(err)
		b.same(network, known, want)
	}
}

func triesCounted(b *bench) {
	done := func(want time.Time, meters ...int64) {
		b.Helper()
		got, err := b.TriesDone(b.ctx(), meters)
		b.ok(err)
		if !got.Equal(want) {
			b.Errorf("the meters %v are done at %s, not %s", meters, got, want)
		}
	}
	done(time.Time{}, 1, 2)
	b.ok(b.CountTry(b.ctx(), []int64{1, 2}, b.now, 12*time.Second))
	b.ok(b.CountTry(b.ctx(), []int64{2}, b.at(5), 12*time.Second)) // behind the first
	b.ok(b.CountTry(b.ctx(), []int64{3}, b.at(6), 12*time.Second))
	b.reopen()
	done(b.at(12), 1)
	done(b.at(24), 2)
	done(b.at(24), 1, 2, 3, 4)
	b.ok(b.CountTry(b.ctx(), []int64{1, 1 << 40}, b.at(60), 12*time.Second)) // long after it was worked off
	done(b.at(72), 1)
	done(b.at(72), 1<<40)
	done(time.Time{}, 2, 3) // so they are forgotten
}
