package xxl

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

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
		{"a shared one", false, []string{headerToken, "the-server's"}, shared},
		{"a shared one, behind a group's", false, []string{headerToken, "theirs-already", headerForkToken, "the-server's"}, 7},
		{"a group's", false, []string{headerToken, "theirs-already"}, 7},
		{"a group's, of the fork", false, []string{headerForkToken, "theirs-already"}, 7},
		{"a group's, beside a wrong one", false, []string{headerToken, "wrong", headerForkToken, "theirs-already"}, 7},
		{"a group's, the second of a name", false, []string{headerToken, "wrong", headerToken, "theirs-already"}, 7},
		{"a group's, beside an empty one", true, []string{headerToken, "", headerForkToken, "theirs-already"}, 7},
		{"a well-known one", false, []string{headerToken, "default_token"}, job.TokenAdmitted},
		{"none", true, nil, job.TokenAdmitted},
		{"an empty one", true, []string{headerToken, "", headerForkToken, ""}, job.TokenAdmitted},
		{"none, not admitted", false, nil, refused},
		{"an empty one, not admitted", false, []string{headerToken, ""}, refused},
		{"a wrong one, where none is admitted", true, []string{headerToken, "wrong"}, refused},
		{"a fifth one", false, []string{headerToken, "1", headerToken, "2", headerToken, "3", headerToken, "4", headerToken, "theirs-already"}, refused},
		{"a large one", true, []string{headerToken, strings.Repeat("x", 64<<10)}, refused},
		{"control characters", true, []string{headerToken, "\x00\x01"}, refused},
		{"another alphabet", true, []string{headerToken, "密码密码密码"}, refused},
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
			case c.want == refused && (room.last != nil || !strings.Contains(w.Body.String(), textToken)):
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
		for _, name := range []string{headerToken, headerForkToken} {
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
		h := http.Header{headerGroupCanonical: {"a"}}
		if group, err := spokenFor(job.Caller{TokenID: job.TokenAdmitted - n}, h); !job.Is(err, job.Refused) || group != "" {
			t.Errorf("token %d speaks for %q: %v", job.TokenAdmitted-n, group, err)
		}
	}
}
