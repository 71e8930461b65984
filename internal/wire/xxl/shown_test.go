package xxl

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// admitting takes a shared and a well-known token, no token, and one of group a.
type admitting struct{ none bool }

func (a admitting) Caller(_ context.Context, token string) (job.Caller, error) {
	switch {
	case token == "default_token", token == "" && a.none:
		return job.Caller{TokenID: job.TokenAdmitted}, nil
	case token == "the-server's":
		return job.Caller{TokenID: job.TokenShared}, nil
	case token == "theirs-already":
		return job.Caller{GroupID: 1, Group: "a", TokenID: 7}, nil
	}
	return job.Caller{}, job.Errorf(job.Unauthorized, "nobody's")
}

func (admitting) Wrong(context.Context, string) error {
	return job.Errorf(job.Unauthorized, "nobody's")
}

// beats keeps the last beat.
type beats struct{ last *job.Beat }

func (b *beats) Register(_ context.Context, beat job.Beat) error {
	b.last = &beat
	return nil
}

func (b *beats) Deregister(context.Context, string, string) error { return nil }

// The lease of an executor records which token it showed, so that it is shown the same.
func TestBeatsSayTheToken(t *testing.T) {
	t.Parallel()
	const refused, shared = -1000, job.TokenShared
	for _, c := range []struct {
		name    string
		none    bool
		headers []string // names and values
		want    int64
	}{
		{"a shared one", false, []string{dialect.HeaderToken, "the-server's"}, shared},
		{"a shared one, behind a group's", false, []string{dialect.HeaderToken, "theirs-already", dialect.HeaderForkToken, "the-server's"}, 7},
		{"a group's", false, []string{dialect.HeaderToken, "theirs-already"}, 7},
		{"a group's, of the fork", false, []string{dialect.HeaderForkToken, "theirs-already"}, 7},
		{"a group's, beside a wrong one", false, []string{dialect.HeaderToken, "wrong", dialect.HeaderForkToken, "theirs-already"}, 7},
		{"a group's, the second of a name", false, []string{dialect.HeaderToken, "wrong", dialect.HeaderToken, "theirs-already"}, 7},
		{"a group's, beside an empty one", true, []string{dialect.HeaderToken, "", dialect.HeaderForkToken, "theirs-already"}, 7},
		{"a well-known one", false, []string{dialect.HeaderToken, "default_token"}, job.TokenAdmitted},
		{"none", true, nil, job.TokenAdmitted},
		{"an empty one", true, []string{dialect.HeaderToken, "", dialect.HeaderForkToken, ""}, job.TokenAdmitted},
		{"none, not admitted", false, nil, refused},
		{"an empty one, not admitted", false, []string{dialect.HeaderToken, ""}, refused},
		{"a wrong one, where none is admitted", true, []string{dialect.HeaderToken, "wrong"}, refused},
		{"a fifth one", false, []string{dialect.HeaderToken, "1", dialect.HeaderToken, "2", dialect.HeaderToken, "3", dialect.HeaderToken, "4", dialect.HeaderToken, "theirs-already"}, refused},
		{"a large one", true, []string{dialect.HeaderToken, strings.Repeat("x", 64<<10)}, refused},
		{"control characters", true, []string{dialect.HeaderToken, "\x00\x01"}, refused},
		{"another alphabet", true, []string{dialect.HeaderToken, "密码密码密码"}, refused},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			room := new(beats)
			h := NewAdminHandler(AdminConfig{Leases: room, Outcomes: new(judge), Credentials: admitting{c.none}})
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/registry",
				strings.NewReader(`{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"http://10.0.0.1:9999/"}`))
			for pair := range slices.Chunk(c.headers, 2) {
				r.Header.Add(pair[0], pair[1])
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			switch {
			case c.want == refused && (room.last != nil || !strings.Contains(w.Body.String(), dialect.TextToken)):
				t.Errorf("answered %s; registered %+v", w.Body, room.last)
			case c.want != refused && (room.last == nil || room.last.TokenID != c.want):
				t.Errorf("answered %s; registered %+v, want the token %d", w.Body, room.last, c.want)
			}
		})
	}
}

// An executor takes each of its tokens, and no other; an empty one is none.
func TestSeveralTokens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tokens, good, bad []string
	}{
		{[]string{"own", "group"}, []string{"own", "group"}, []string{"", "ow", "owngroup", "Own", "own,group"}},
		{[]string{"", "group"}, []string{"group"}, []string{"", "own"}},
		{[]string{"own", ""}, []string{"own"}, []string{"", "group"}},
		{[]string{"", ""}, []string{"", "own", "group"}, nil},
		{nil, []string{"", "own"}, nil},
	} {
		credential := newCredential(c.tokens...)
		for _, name := range []string{dialect.HeaderToken, dialect.HeaderForkToken} {
			for i, token := range append(c.good, c.bad...) {
				h := make(http.Header)
				h.Set(name, token)
				if want := i < len(c.good); credential.allows(h) != want {
					t.Errorf("%q: %q under %s is allowed: %t", c.tokens, token, name, !want)
				}
			}
		}
	}
}

// No token that everybody knows is good for calls about jobs, whatever group its
// caller names.
func TestWellKnownTokensKeepNoJobs(t *testing.T) {
	t.Parallel()
	for n := range int64(4) {
		h := http.Header{dialect.HeaderGroupCanonical: {"a"}}
		if group, err := spokenFor(job.Caller{TokenID: job.TokenAdmitted - n}, h); !job.Is(err, job.Refused) || group != "" {
			t.Errorf("token %d speaks for %q: %v", job.TokenAdmitted-n, group, err)
		}
	}
}
