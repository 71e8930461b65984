package executorauth_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/executorauth"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// TestCertificates: the first name that is a group's tells whose a certificate is,
// as a token of the group does.
func TestCertificates(t *testing.T) {
	t.Parallel()
	store := newRows("a", "b", "shut")
	g := executorauth.NewGroups(executorauth.Config{Store: store, Key: redacted.New(key), Admitted: []string{"default_token", executorauth.NoToken}})
	if err := g.ChangeGroup(t.Context(), "shut", job.GroupChange{OwnTokenOnly: new(true)}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names string // in order
		group string
	}{
		{"a", "a"},
		{"b", "b"},
		{"shut", "shut"},
		{"host.example.com b a", "b"},
		{"* a", "a"},
		{"A", ""},
		{"c", ""},
		{"", ""},
		{"host.example.com", ""},
		{strings.Repeat("a", 10_000), ""},
	} {
		caller, err := g.Named(t.Context(), strings.Fields(c.names))
		switch {
		case c.group == "" && !job.Is(err, job.Unauthorized):
			t.Errorf("%q: %+v, %v; want nobody", c.names, caller, err)
		case c.group != "" && (err != nil || caller.Group != c.group || caller.GroupID == 0 || caller.TokenID != job.TokenCertificate):
			t.Errorf("%q: %+v, %v; want group %s", c.names, caller, err, c.group)
		case c.group != "" && (caller.Speaks(c.group) != nil || caller.Speaks("c") == nil || caller.Admitted(caller.GroupID) != nil || caller.Owns(caller.GroupID+1)):
			t.Errorf("%q: it may say too little or too much", c.names)
		}
	}
	wantOutbound(t, g, "a", job.TokenCertificate, "") // no token, whatever is admitted
	store.failing(errors.New("no rows at present"))
	if _, err := g.Named(t.Context(), []string{"a"}); !job.Is(err, job.Unavailable) || strings.Contains(err.Error(), "no rows") {
		t.Errorf("rows that cannot be read: %v", err)
	}
}
