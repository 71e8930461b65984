package users

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/lifecycle/lifecycletest"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// desk keeps sessions and places in memory, and knows one user.
type desk struct {
	mu       sync.Mutex
	sessions map[string]access.Session
	places   map[[2]string]time.Time
	tries    map[int64]time.Time
	epoch    int64
	gone     bool
	broken   error
	reads    int
	touches  int
}

func newDesk() *desk {
	return &desk{sessions: map[string]access.Session{}, places: map[[2]string]time.Time{}, tries: map[int64]time.Time{}, epoch: 3}
}

func (d *desk) AddSession(_ context.Context, s access.Session, hash string) (access.Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.ID = int64(len(d.sessions) + 1)
	d.sessions[hash] = s
	return s, d.broken
}

func (d *desk) SessionByHash(_ context.Context, hash string) (access.Session, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads++
	s, ok := d.sessions[hash]
	if d.broken == nil && !ok {
		return s, job.Errorf(job.NotFound, "no session")
	}
	return s, d.broken
}

func (d *desk) TouchSession(_ context.Context, id int64, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.touches++
	for hash, s := range d.sessions {
		if s.ID == id {
			s.SeenAt = at
			d.sessions[hash] = s
		}
	}
	return d.broken
}

func (d *desk) SessionsOf(_ context.Context, user int64) (all []access.Session, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for s := range maps.Values(d.sessions) {
		if s.User == user {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b access.Session) int { return int(b.ID - a.ID) })
	return all, nil
}

func (d *desk) remove(which func(*access.Session) bool) (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.sessions, func(_ string, s access.Session) bool {
		if which(&s) {
			n++
			return true
		}
		return false
	})
	return n
}

func (d *desk) RemoveSession(_ context.Context, user, id int64) error {
	if d.remove(func(s *access.Session) bool { return s.User == user && s.ID == id }) == 0 {
		return job.Errorf(job.NotFound, "no session")
	}
	return nil
}

func (d *desk) RemoveSessionsOf(_ context.Context, user, but int64) error {
	d.remove(func(s *access.Session) bool { return s.User == user && s.ID != but })
	return nil
}

func (d *desk) KnowsPlace(_ context.Context, account, network string, since time.Time) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.places[[2]string{account, network}].After(since), d.broken
}

func (d *desk) AddPlace(_ context.Context, account, network string, at time.Time) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.places[[2]string{account, network}] = at
	return nil
}

func (d *desk) PruneSessions(_ context.Context, ended, seen, _ time.Time) error {
	d.remove(func(s *access.Session) bool { return !s.EndsAt.After(ended) || !s.SeenAt.After(seen) })
	return nil
}

func (d *desk) TriesDone(_ context.Context, meters []int64) (last time.Time, _ error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, meter := range meters {
		if at := d.tries[meter]; at.After(last) {
			last = at
		}
	}
	return last, d.broken
}

func (d *desk) CountTry(ctx context.Context, meters []int64, now time.Time, step time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	maps.DeleteFunc(d.tries, func(_ int64, at time.Time) bool { return !at.After(now) })
	for _, meter := range meters {
		if d.tries[meter].Before(now) {
			d.tries[meter] = now
		}
		d.tries[meter] = d.tries[meter].Add(step)
	}
	return cmp.Or(ctx.Err(), d.broken)
}

// plainKey is a key that everybody knows.
type plainKey string

func (k plainKey) Digest(purpose, text string) [32]byte {
	return sha256.Sum256([]byte(string(k) + "\x00" + purpose + "\x00" + text))
}

func (d *desk) Principal(_ context.Context, id int64) (access.Principal, int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.gone {
		return access.Principal{}, 0, job.Errorf(job.Unauthorized, "gone")
	}
	return access.Principal{Kind: access.Person, ID: id, Name: "ann"}, d.epoch, nil
}

func (d *desk) Epoch(ctx context.Context, id int64) (int64, error) {
	_, epoch, err := d.Principal(ctx, id)
	return epoch, err
}

// during runs a test on fake time beside the room's loop.
func during(t *testing.T, d *desk, do func(t *testing.T, s *Sessions)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := NewSessions(SessionConfig{Store: d, Users: d})
		stop := lifecycletest.Start(t, s.Run)
		do(t, s)
		stop()
	})
}

func begin(t *testing.T, s *Sessions) (access.Session, string) {
	t.Helper()
	made, text, err := s.Begin(t.Context(), &access.User{ID: 7, Name: "ann", Epoch: 3}, access.ByPassword, "192.0.2.7", strings.Repeat("b", 300))
	if err != nil {
		t.Fatal(err)
	}
	return made, text.Reveal()
}

func wantSession(t *testing.T, s *Sessions, text string, good bool) {
	t.Helper()
	p, err := s.Caller(t.Context(), text)
	if good != (err == nil) || !good && !job.Is(err, job.Unauthorized) || good && (p.ID != 7 || p.Credential == 0) {
		t.Errorf("good is %t: %+v, %v", good, p, err)
	}
}

func TestSessionIsAPerson(t *testing.T) {
	t.Parallel()
	d := newDesk()
	during(t, d, func(t *testing.T, s *Sessions) {
		t.Helper()
		made, text := begin(t, s)
		if utf8.RuneCountInString(made.Agent) != access.MaxAgent || made.EndsAt.Sub(made.CreatedAt) != 12*time.Hour {
			t.Errorf("began as %+v", made)
		}
		if _, stored := d.sessions[text]; stored || d.sessions[credential.Hash(redacted.New(text))].ID != made.ID {
			t.Error("the row must have the hash of the secret and not itself")
		}
		wantSession(t, s, text, true)
		_, other := begin(t, s)
		if other == text {
			t.Error("two sessions have the same secret")
		}
		for _, forged := range []string{"", "x", text[1:], text + "A", strings.Repeat("A", sessionSecret), credential.Hash(redacted.New(text))} {
			wantSession(t, s, forged, false)
		}
		if known, _ := d.KnowsPlace(t.Context(), "ann", "192.0.2.0/24", time.Time{}); !known {
			t.Error("it is not known where the session began")
		}
	})
}

// A session that is used ends after twelve hours, one that is not after one; and the
// rows are neither read nor written for each request.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	d := newDesk()
	during(t, d, func(t *testing.T, s *Sessions) {
		t.Helper()
		_, text := begin(t, s)
		for range 12*60 - 1 { // each minute, twice
			time.Sleep(time.Minute)
			wantSession(t, s, text, true)
			wantSession(t, s, text, true)
		}
		synctest.Wait()
		if d.reads > 12*60 || d.touches > 12*60 || d.touches < 11*60 {
			t.Errorf("%d reads and %d writes", d.reads, d.touches)
		}
		time.Sleep(time.Minute)
		wantSession(t, s, text, false)

		_, text = begin(t, s)
		time.Sleep(time.Hour - time.Millisecond)
		wantSession(t, s, text, true)
		time.Sleep(time.Hour - time.Millisecond)
		wantSession(t, s, text, true)
		time.Sleep(time.Hour)
		wantSession(t, s, text, false)
		time.Sleep(2 * pruneEvery)
		synctest.Wait()
		if len(d.sessions) != 0 {
			t.Errorf("%d sessions that are over are still kept", len(d.sessions))
		}
	})
}

// Whatever ends a session, the next request with it is refused.
func TestSessionIsEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *Sessions, *desk, access.Session){
		"signed out": func(t *testing.T, s *Sessions, _ *desk, a access.Session) {
			t.Helper()
			if err := s.End(t.Context(), 7, a.ID); err != nil {
				t.Error(err)
			}
		},
		"from another one": func(t *testing.T, s *Sessions, _ *desk, _ access.Session) {
			t.Helper()
			if err := s.EndOthers(t.Context(), 7, 99); err != nil {
				t.Error(err)
			}
		},
		"password, grants or state changed": func(_ *testing.T, _ *Sessions, d *desk, _ access.Session) { d.epoch++ },
		"user gone or disabled":             func(_ *testing.T, _ *Sessions, d *desk, _ access.Session) { d.gone = true },
		"on another server": func(_ *testing.T, _ *Sessions, d *desk, _ access.Session) {
			clear(d.sessions)
			time.Sleep(sessionFresh)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk()
			during(t, d, func(t *testing.T, s *Sessions) {
				t.Helper()
				a, text := begin(t, s)
				wantSession(t, s, text, true)
				end(t, s, d, a)
				wantSession(t, s, text, false)
				if all, err := s.Of(t.Context(), 7); err == nil && len(all) != 0 {
					t.Errorf("it is still listed: %+v", all)
				}
			})
		})
	}
}

// Nobody ends the sessions of others, and one that is kept goes on.
func TestSessionOfOthers(t *testing.T) {
	t.Parallel()
	during(t, newDesk(), func(t *testing.T, s *Sessions) {
		t.Helper()
		kept, text := begin(t, s)
		_, other := begin(t, s)
		if err := s.End(t.Context(), 8, kept.ID); !job.Is(err, job.NotFound) {
			t.Errorf("another user's session was ended: %v", err)
		}
		if err := s.EndOthers(t.Context(), 7, kept.ID); err != nil {
			t.Error(err)
		}
		wantSession(t, s, text, true)
		wantSession(t, s, other, false)
		if all, err := s.Of(t.Context(), 7); err != nil || len(all) != 1 || all[0].ID != kept.ID {
			t.Errorf("listed are %+v, %v", all, err)
		}
	})
}

// Who is disabled, or gone, has no sessions to list; that is no error.
func TestSessionsOfTheDisabled(t *testing.T) {
	t.Parallel()
	d := newDesk()
	during(t, d, func(t *testing.T, s *Sessions) {
		t.Helper()
		begin(t, s)
		d.mu.Lock()
		d.gone = true
		d.mu.Unlock()
		if all, err := s.Of(t.Context(), 7); err != nil || all == nil || len(all) != 0 {
			t.Errorf("listed are %+v, %v", all, err)
		}
	})
}

// While the rows cannot be read nobody is let in who is not known already.
func TestSessionFailsClosed(t *testing.T) {
	t.Parallel()
	d := newDesk()
	during(t, d, func(t *testing.T, s *Sessions) {
		t.Helper()
		_, text := begin(t, s)
		d.broken = job.Errorf(job.Unavailable, "the disk is full")
		if _, err := s.Caller(t.Context(), text); !job.Is(err, job.Unavailable) {
			t.Errorf("got %v", err)
		}
	})
}

// Memory is bounded.
func TestSessionsInMemory(t *testing.T) {
	t.Parallel()
	d := newDesk()
	during(t, d, func(t *testing.T, s *Sessions) {
		t.Helper()
		now := time.Now()
		for i := range maxOpen + 10 {
			o := &opened{session: access.Session{ID: int64(i), SeenAt: now, EndsAt: now.Add(time.Hour)}, readAt: now, writtenAt: now}
			if _, err := s.recordUse(fmt.Sprint(i), o, 0, now); err != nil {
				t.Fatal(err)
			}
		}
		if len(s.open) > maxOpen {
			t.Errorf("%d sessions are kept in memory", len(s.open))
		}
	})
}

// keys knows one password.
type keys struct {
	err   error
	tried int
}

func (k *keys) Check(_ context.Context, name string, password redacted.Text) (access.User, error) {
	k.tried++
	if k.err != nil {
		return access.User{}, k.err
	}
	if name != "ann" || password.Reveal() != "right" {
		return access.User{}, job.Errorf(job.Unauthorized, "wrong")
	}
	return access.User{ID: 7, Name: "ann", Epoch: 3}, nil
}

func (k *keys) ChangePassword(ctx context.Context, name string, old, _ redacted.Text) (access.User, error) {
	return k.Check(ctx, name, old)
}

func TestSigning(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, k := newDesk(), &keys{}
		s := NewSigning(k, d, plainKey(""), nil)
		try := func(name, password, address string) error {
			_, err := s.Password(t.Context(), name, redacted.New(password), address)
			return err
		}
		for range 50 { // good ones do not count
			if err := try("ann", "right", "192.0.2.7"); err != nil {
				t.Fatal(err)
			}
		}
		for range 10_000 {
			if err := try("ann", "guess", "198.51.100.1"); !job.Is(err, job.Unauthorized) && !job.Is(err, job.Full) {
				t.Fatal(err)
			}
		}
		if k.tried != 50+triesAtOnce {
			t.Errorf("%d guesses took effect", k.tried-50)
		}
		err := try("ann", "right", "198.51.100.1")
		if late, ok := errors.AsType[*TooOftenError](err); !ok || late.Wait != tryEvery || !strings.Contains(err.Error(), "12s") {
			t.Errorf("the right password after too many wrong ones: %v", err)
		}
		if err := s.store.AddPlace(t.Context(), "ann", "192.0.2.0/24", time.Now()); err != nil {
			t.Error(err)
		}
		if err := try("ann", "right", "192.0.2.99"); err != nil {
			t.Errorf("the owner is locked out where it was before: %v", err)
		}
		// A change of the password is a try too.
		for range triesAtOnce {
			_, err = s.ChangePassword(t.Context(), "ann", redacted.New("guess"), redacted.New("new"), "192.0.2.7")
		}
		if !job.Is(err, job.Unauthorized) {
			t.Error(err)
		}
		if _, err = s.ChangePassword(t.Context(), "ann", redacted.New("right"), redacted.New("new"), "192.0.2.7"); !job.Is(err, job.Full) {
			t.Errorf("a session guesses passwords without end: %v", err)
		}
		// What is no fault of who tries does not count.
		time.Sleep(10 * time.Minute)
		k.err = job.Errorf(job.Full, "too many at once")
		for range 20 {
			if err := try("bob", "guess", "203.0.113.1"); err == nil || errors.As(err, new(*TooOftenError)) {
				t.Fatal(err)
			}
		}
	})
}

// Servers of one database let as many tries through together as one does alone, and so
// does one that is started anew.
func TestSigningOfManyServers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, k := newDesk(), &keys{}
		var servers []*Signing
		for range 5 {
			servers = append(servers, NewSigning(k, d, plainKey("shared"), nil))
		}
		began := time.Now()
		for i := range 10_000 { // in ten minutes, of which each server has its part
			server := servers[i%len(servers)]
			if i%100 == 99 {
				server = NewSigning(k, d, plainKey("shared"), nil)
			}
			_, err := server.Password(t.Context(), "ann", redacted.New("guess"), fmt.Sprintf("10.%d.%d.9", i%7, i%250))
			if !job.Is(err, job.Unauthorized) && !job.Is(err, job.Full) {
				t.Fatal(err)
			}
			time.Sleep(60 * time.Millisecond)
		}
		if most := triesAtOnce + int(time.Since(began)/tryEvery); k.tried > most || k.tried < most/2 {
			t.Errorf("%d guesses took effect, of which %d may", k.tried, most)
		}
		guesses := k.tried
		// The owner gets in where it was before, on each of them, and pays nothing for it.
		if err := d.AddPlace(t.Context(), "ann", "192.0.2.0/24", time.Now()); err != nil {
			t.Fatal(err)
		}
		counted := len(d.tries)
		for i := range 50 {
			if _, err := servers[i%len(servers)].Password(t.Context(), "ann", redacted.New("right"), "192.0.2.7"); err != nil {
				t.Fatal(err)
			}
		}
		if len(d.tries) != counted || counted > guesses+1 { // a network's for each that took effect, and ann's
			t.Errorf("%d meters are kept", len(d.tries))
		}
	})
}

// A try is refused while nobody can say how many there were, and counted although who
// made it has hung up.
func TestSigningAsksTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, k := newDesk(), &keys{}
		signing := NewSigning(k, d, plainKey(""), nil)
		gone, hangUp := context.WithCancel(t.Context())
		hangUp()
		_, _ = signing.Password(gone, "ann", redacted.New("guess"), "192.0.2.7") // wrong
		if len(d.tries) != 2 {
			t.Errorf("%d meters have counted it", len(d.tries))
		}
		d.broken = job.Errorf(job.Unavailable, "away")
		if _, err := signing.Password(t.Context(), "ann", redacted.New("right"), "192.0.2.7"); !job.Is(err, job.Unavailable) || k.tried != 1 {
			t.Errorf("%d tries, %v", k.tried, err)
		}
	})
}

// Meters are few, of their kinds apart, and other ones with another key.
func TestMeters(t *testing.T) {
	t.Parallel()
	seen := map[int64]bool{}
	for i := range 1000 {
		name := fmt.Sprint(i)
		all := append(metersOf(plainKey(""), name, name, false), metersOf(plainKey(""), name, name, true)...)
		for kind, meter := range all {
			if meter < int64(kind)*meterSlots || meter >= int64(kind+1)*meterSlots {
				t.Fatalf("%s has %v", name, all)
			}
			seen[meter] = true
		}
	}
	if len(seen) < 2900 {
		t.Errorf("3,000 names share %d meters", len(seen))
	}
	if slices.Equal(metersOf(plainKey("a"), "ann", "n", false), metersOf(plainKey("b"), "ann", "n", false)) {
		t.Error("the key does not matter")
	}
}
