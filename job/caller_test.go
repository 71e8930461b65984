package job_test

import (
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

func TestCaller(t *testing.T) {
	t.Parallel()
	closed := job.NewClosedGroups(map[int64]string{2: "shut"})
	for _, c := range []struct {
		name     string
		caller   job.Caller
		group    int64
		key      string
		speaks   string // in the error
		admitted string
		owns     bool
	}{
		{"the server itself", job.Caller{}, 2, "shut", "", "", true},
		{"no token", job.Caller{Closed: closed}, 1, "open", "", "", true},
		{"no token, a closed group", job.Caller{Closed: closed}, 2, "shut", "group shut takes only tokens of its own", "orth group token add shut", true},
		{"a shared token", job.Caller{TokenID: job.TokenShared, Closed: closed}, 1, "open", "", "", true},
		{"a shared token, a closed group", job.Caller{TokenID: job.TokenShared, Closed: closed}, 2, "shut", "executors of all groups share", "orth group token add shut", true},
		{"a derived token", job.Caller{GroupID: 1, Group: "open", TokenID: job.TokenDerived, Closed: closed}, 1, "open", "", "", true},
		{"a derived token, another group", job.Caller{GroupID: 1, Group: "open", TokenID: job.TokenDerived, Closed: closed}, 3, "else", "one of group open", "", false},
		{"a derived token, a closed group", job.Caller{GroupID: 2, Group: "shut", TokenID: job.TokenDerived, Closed: closed}, 2, "shut", "the server's executor key", "orth group token add shut", true},
		{"a derived token, no group yet", job.Caller{GroupID: job.NoGroup, Group: "new", TokenID: job.TokenDerived, Closed: closed}, 1, "new", "", "", false},
		{"a well-known token, a closed group", job.Caller{TokenID: job.TokenAdmitted - 1, Closed: closed}, 2, "shut", "the one shown is a well-known one", "orth group token add shut", true},
		{"its own group", job.Caller{GroupID: 1, Group: "open", Closed: closed}, 1, "open", "", "", true},
		{"its own group, closed", job.Caller{GroupID: 2, Group: "shut", Closed: closed}, 2, "shut", "", "", true},
		{"another group", job.Caller{GroupID: 1, Group: "open", Closed: closed}, 3, "else", "one of group open, and says nothing about group else", "", false},
		{"a certificate of another group", job.Caller{GroupID: 1, Group: "open", TokenID: job.TokenCertificate}, 3, "else", "the certificate shown is one of group open", "", false},
		{"another group, closed", job.Caller{GroupID: 1, Group: "open", Closed: closed}, 2, "shut", "orth group token add shut", "", false},
	} {
		for what, got := range map[string][2]any{
			"speaks": {c.caller.Speaks(c.key), c.speaks}, "admitted": {c.caller.Admitted(c.group), c.admitted},
		} {
			err, _ := got[0].(error)
			want, _ := got[1].(string)
			if (err != nil) != (want != "") || err != nil && (!job.Is(err, job.Refused) || !strings.Contains(err.Error(), want)) {
				t.Errorf("%s: %s: %v, want %q", c.name, what, err, want)
			}
		}
		if got := c.caller.Owns(c.group); got != c.owns {
			t.Errorf("%s: owns %t", c.name, got)
		}
	}
}
