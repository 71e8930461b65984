package client_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// userMemory are users in memory.
type userMemory struct {
	mu     sync.Mutex
	users  []access.User
	tokens []access.APIToken
	seen   []string // passwords that were set
	asked  users.UserQuery
}

// on calls edit on a user.
func (m *userMemory) on(name string, edit func(*access.User)) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range m.users {
		if m.users[i].Name == name {
			edit(&m.users[i])
			return m.users[i], nil
		}
	}
	return access.User{}, job.Errorf(job.NotFound, "there is no user %s", name)
}

func (m *userMemory) User(_ context.Context, name string) (access.User, error) {
	return m.on(name, func(*access.User) {})
}

// Users finds those behind a name, and of a role; the rest of the query it keeps.
func (m *userMemory) Users(_ context.Context, q users.UserQuery) ([]access.User, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = q
	all := slices.DeleteFunc(slices.Clone(m.users), func(u access.User) bool {
		has := func(g access.Grant) bool { return g.Role == q.Role }
		return q.After != nil && u.Name <= q.After.Name || q.Role != "" && !slices.ContainsFunc(u.Grants, has)
	})
	slices.SortFunc(all, func(a, b access.User) int { return strings.Compare(a.Name, b.Name) })
	return all[:min(q.Limit, len(all))], len(all) > q.Limit, nil
}

func (m *userMemory) Grants(_ context.Context, _ access.Sight, namespace, user, after string, limit int) ([]users.Held, error) {
	found, _, _ := m.Users(context.Background(), users.UserQuery{After: &users.UserMark{Name: after}, Limit: 500})
	var all []users.Held
	for _, u := range found {
		for _, g := range u.Grants {
			if (user == "" || user == u.Name) && (namespace == "" || namespace == g.Namespace) && len(all) < limit {
				all = append(all, users.Held{User: u.Name, Grant: g})
			}
		}
	}
	return all, nil
}

func (m *userMemory) CreateUser(_ context.Context, u access.User, password redacted.Text) (access.User, redacted.Text, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.ID, u.CreatedAt, u.UpdatedAt = int64(len(m.users)+1), instant, instant
	m.users = append(m.users, u)
	if password.IsZero() {
		return u, redacted.New("made-here"), nil
	}
	return u, redacted.Text{}, nil
}

func (m *userMemory) AdoptUser(_ context.Context, u access.User, _ redacted.Text) (access.User, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	u.ID, u.CreatedAt, u.UpdatedAt = int64(len(m.users)+1), instant, instant
	m.users = append(m.users, u)
	return u, nil
}

func (m *userMemory) DeleteUser(_ context.Context, name string) error {
	if _, err := m.on(name, func(*access.User) {}); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.users = slices.DeleteFunc(m.users, func(u access.User) bool { return u.Name == name })
	return nil
}

func (m *userMemory) DescribeUser(_ context.Context, name string, title, email *string) (access.User, error) {
	return m.on(name, func(u *access.User) {
		if title != nil {
			u.Title = *title
		}
		if email != nil {
			u.Email = *email
		}
	})
}

func (m *userMemory) SetDisabled(_ context.Context, name string, disabled bool) (access.User, error) {
	return m.on(name, func(u *access.User) { u.Disabled = disabled })
}

func (m *userMemory) SetPassword(_ context.Context, name string, fresh redacted.Text, final bool) (access.User, error) {
	return m.on(name, func(u *access.User) {
		m.seen = append(m.seen, fmt.Sprint(fresh.Reveal(), final))
		u.MustChange = !final
	})
}

func (m *userMemory) GiveGrant(_ context.Context, name string, g access.Grant) (access.User, error) {
	return m.on(name, func(u *access.User) { u.Grants = append(u.Grants, g) })
}

func (m *userMemory) TakeGrant(_ context.Context, name string, g access.Grant) (access.User, error) {
	return m.on(name, func(u *access.User) {
		u.Grants = slices.DeleteFunc(u.Grants, func(h access.Grant) bool { return h == g })
	})
}

func (m *userMemory) Tokens(_ context.Context, user string) ([]access.APIToken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(m.tokens), func(t access.APIToken) bool { return t.User != user }), nil
}

func (m *userMemory) AddToken(_ context.Context, user string, t access.APIToken) (access.APIToken, redacted.Text, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t.ID, t.User, t.Key, t.CreatedAt = 1<<60+int64(len(m.tokens)), user, "0123456789", instant
	m.tokens = append(m.tokens, t)
	return t, redacted.New("orth_0123456789x"), nil
}

func (m *userMemory) RemoveToken(_ context.Context, user string, id int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := len(m.tokens)
	m.tokens = slices.DeleteFunc(m.tokens, func(t access.APIToken) bool { return t.User == user && t.ID == id })
	if len(m.tokens) == n {
		return job.Errorf(job.NotFound, "user %s has no token %d", user, id)
	}
	return nil
}
