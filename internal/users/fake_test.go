package users

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// weak makes hashing cheap.
func weak() strength { return strength{memory: 64, passes: 1, lanes: 1} }

// memory is a store in memory.
type memory struct {
	mu      sync.Mutex
	version int64
	next    int64
	users   []Account
	tokens  []Known
	touched []string
	reads   int
	err     error
}

func (m *memory) AddUser(_ context.Context, a Account, first bool) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return access.User{}, m.err
	}
	taken := func(b Account) bool { return b.Name == a.Name || a.Subject != "" && a.Subject == b.Subject }
	if first && len(m.users) > 0 || slices.ContainsFunc(m.users, taken) {
		return access.User{}, job.Errorf(job.Conflict, "taken")
	}
	m.next++
	m.version++
	a.ID = m.next
	m.users = append(m.users, a)
	return a.User, nil
}

func (m *memory) EditUser(_ context.Context, name string, edit func(*Account) error) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.users, func(a Account) bool { return a.Name == name })
	if at < 0 {
		return access.User{}, job.Errorf(job.NotFound, "no user %s", name)
	}
	a := m.users[at]
	if err := edit(&a); err != nil {
		return access.User{}, err
	}
	m.users[at] = a
	m.version++
	return a.User, nil
}

func (m *memory) RemoveUser(_ context.Context, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users = slices.DeleteFunc(m.users, func(a Account) bool { return a.Name == name })
	m.version++
	return nil
}

func (m *memory) find(is func(Account) bool) (Account, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return Account{}, m.err
	}
	at := slices.IndexFunc(m.users, is)
	if at < 0 {
		return Account{}, job.Errorf(job.NotFound, "no such user")
	}
	return m.users[at], nil
}

func (m *memory) Account(_ context.Context, name string) (Account, error) {
	return m.find(func(a Account) bool { return a.Name == name })
}

func (m *memory) AccountOf(_ context.Context, subject string) (Account, error) {
	return m.find(func(a Account) bool { return a.Subject == subject })
}

func (m *memory) Users(_ context.Context, after string, limit int) ([]access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.err != nil {
		return nil, m.err
	}
	var all []access.User
	for _, a := range m.users {
		if a.Name > after {
			all = append(all, a.User)
		}
	}
	slices.SortFunc(all, func(a, b access.User) int { return strings.Compare(a.Name, b.Name) })
	return all[:min(limit, len(all))], nil
}

func (m *memory) AddAPIToken(_ context.Context, t access.APIToken, digest string) (access.APIToken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	m.version++
	t.ID = m.next
	m.tokens = append(m.tokens, Known{t, digest})
	return t, nil
}

func (m *memory) RemoveAPIToken(_ context.Context, user, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := len(m.tokens)
	m.tokens = slices.DeleteFunc(m.tokens, func(k Known) bool { return k.ID == id && k.UserID == user })
	if len(m.tokens) == before {
		return job.Errorf(job.NotFound, "no token")
	}
	m.version++
	return nil
}

func (m *memory) APITokens(_ context.Context, user int64) (all []access.APIToken, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range m.tokens {
		if k.UserID == user {
			all = append(all, k.APIToken)
		}
	}
	return all, nil
}

func (m *memory) Identities(_ context.Context, known int64) (*Identities, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if m.err != nil {
		return nil, m.err
	}
	if known == m.version {
		return nil, nil //nolint:nilnil // The contract says so.
	}
	all := &Identities{Version: m.version, Tokens: slices.Clone(m.tokens)}
	for _, a := range m.users {
		all.Users = append(all.Users, a.User)
	}
	return all, nil
}

func (m *memory) TouchUser(_ context.Context, user, token int64, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.touched = append(m.touched, strings.Join([]string{letter(user), letter(token), at.UTC().Format("15:04:05")}, " "))
	return nil
}

func letter(id int64) string { return string(rune('0' + id)) }

// fail makes every look at the rows fail, or work again.
func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.err = err
}

// room returns a room with cheap hashes, and its store, with a user of version 1.
func room() (*Users, *memory) {
	m := &memory{version: 1}
	u := NewUsers(Config{Store: m, Book: m, Caller: caller})
	u.hasher.strength = weak()
	return u, m
}

// as returns a context of who calls.
func as(ctx context.Context, p access.Principal) context.Context {
	return context.WithValue(ctx, callerKey{}, p)
}

type callerKey struct{}

func caller(ctx context.Context) access.Principal {
	p, _ := ctx.Value(callerKey{}).(access.Principal)
	return p
}

const good = "winding stairs 47"

// makePerson makes a person with the password [good].
func makePerson(ctx context.Context, u *Users, name string, grants ...access.Grant) (access.User, error) {
	user, _, err := u.CreateUser(ctx, access.User{Kind: access.Person, Name: name, Grants: grants}, redacted.New(good))
	return user, err
}
