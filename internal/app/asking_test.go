package app

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/audit"
)

// newestLines returns what the newest lines of the audit say, in order.
func newestLines(t *testing.T, s *Server, n int) []string {
	t.Helper()
	lines := wholeAudit(t, s)
	var said []string
	for _, l := range lines[max(0, len(lines)-n):] {
		said = append(said, fmt.Sprintf("%s %s %s %s %s/%s/%s %s", l.Actor.Kind, l.Actor.Name, l.Address, l.Operation, l.Namespace, l.Group, l.Key, l.Right))
	}
	return said
}

// What executors change by calls of the wire has its lines, and names the group.
func TestGroupsAreAudited(t *testing.T) {
	t.Parallel()
	s := begin(t)
	token := tokenOf(t, s, "g")
	id := addJob(t, s, token, "", fmt.Sprintf(addForm, "CRON", "0 0 2 * * ?", ""))
	for _, call := range []string{"updateJob", "startJob", "triggerJob", "stopJob", "removeJob"} {
		body := fmt.Sprintf(`{"id":%d}`, id)
		if call == "updateJob" {
			body = strings.Replace(fmt.Sprintf(addForm, "CRON", "0 0 3 * * ?", ""), "{", fmt.Sprintf(`{"id":%d,`, id), 1)
		}
		if _, got := knock(t, s, token, "", "/api/"+call, body); !strings.HasPrefix(got, `{"code":200`) {
			t.Errorf("%s: %s", call, got)
		}
	}
	knock(t, s, token, "", "/api/triggerJob", `{"id":4711}`) // refused: no line
	want := make([]string, 0, 6)
	for _, line := range []string{"create-job %s edit", "update-job %s edit", "start-job %s operate", "trigger-job %s operate", "stop-job %s operate", "delete-job %s edit"} {
		want = append(want, "group group:g 127.0.0.1 "+fmt.Sprintf(line, "default/g/report"))
	}
	if got := newestLines(t, s, 6); !slices.Equal(got, want) {
		t.Errorf("the audit has\n%s\nnot\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Who signs in, out, and who fails to, is in the audit.
func TestSignInsAreAudited(t *testing.T) {
	t.Parallel()
	s := begin(t)
	if r := askAPI(t, s, http.MethodPost, "/users", `{"name":"ann","password":"a long password of ours"}`); r.StatusCode != http.StatusCreated {
		t.Fatal(r.body)
	}
	if r := askAPI(t, s, http.MethodPut, "/users/ann/password", `{"password":"a long password of ours","final":true}`); r.StatusCode >= 300 {
		t.Fatal(r.body)
	}
	v := visit(t, s)
	v.want(http.StatusUnauthorized, "POST", "/session", credentials("ann", "a wrong password"))
	v.want(http.StatusUnauthorized, "POST", "/session", credentials("a password of mine", "ann"))
	v.want(http.StatusOK, "POST", "/session", credentials("ann", "a long password of ours"))
	v.want(http.StatusNoContent, "DELETE", "/session", "")
	got := newestLines(t, s, 2)
	if !strings.HasPrefix(got[0], "user ann 127.0.0.1 sign-in ") || !strings.HasPrefix(got[1], "user ann 127.0.0.1 sign-out ") {
		t.Errorf("the audit has\n%s", strings.Join(got, "\n"))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.signing.failures.Run(over); err != nil { // at its end all is written
		t.Fatal(err)
	}
	failed, err := s.store.AuditLines(t.Context(), audit.Query{Operation: "sign-in-failed", Oldest: true})
	if err != nil || len(failed) != 2 || failed[0].Key != "ann" || failed[0].Kind != "user" || failed[1].Key != "" || failed[1].Address != "127.0.0.1" {
		t.Errorf("of tries that failed the audit has %+v, %v", failed, err)
	}
	for _, l := range wholeAudit(t, s) {
		if strings.Contains(fmt.Sprint(l), "password of mine") {
			t.Errorf("a password is in the audit: %+v", l)
		}
	}
}

// What groups, users and their grants are asked to become can be tried: it is answered,
// refused as ever, and leaves no row.
func TestUsersAndGroupsAreTried(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for _, body := range []string{`{"name":"ann","password":"a long password of ours"}`, `{"name":"bob","password":"a long password of ours"}`} {
		if r := askAPI(t, s, http.MethodPost, "/users", body); r.StatusCode != http.StatusCreated {
			t.Fatal(r.body)
		}
	}
	askAPI(t, s, http.MethodPost, "/groups", `{"key":"empty"}`)
	tokenOf(t, s, "g")
	before := rows(t, s)
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/groups", `{"key":"fresh"}`, 200, `"fresh"`},
		{"POST", "/groups", `{"key":"empty"}`, 409, ""},
		{"PATCH", "/groups/g", `{"title":"Other","own_token_only":true}`, 200, `"own_token_only":true`},
		{"PATCH", "/groups/empty", `{"own_token_only":true}`, 409, ""},
		{"DELETE", "/groups/empty", "", 200, ""},
		{"DELETE", "/groups/g", "", 409, ""},
		{"PATCH", "/users/ann", `{"title":"Ann"}`, 200, `"Ann"`},
		{"POST", "/users/ann/disable", "", 200, `"disabled":true`},
		{"DELETE", "/users/ann", "", 200, ""},
		{"DELETE", "/users/nobody", "", 404, ""},
		{"POST", "/grants", `{"user":"ann","role":"viewer","namespace":"default","group":"g"}`, 200, `"viewer"`},
		{"POST", "/grants", `{"user":"nobody","role":"viewer","namespace":"default","group":"g"}`, 404, ""},
	} {
		r := askAPI(t, s, c.method, c.path+"?dry_run=true", c.body)
		if r.StatusCode != c.status || !strings.Contains(r.body, c.want) {
			t.Errorf("%s %s: %d %s", c.method, c.path, r.StatusCode, r.body)
		}
	}
	if after := rows(t, s); after != before {
		t.Errorf("rows changed from\n%s\nto\n%s", before, after)
	}
	if r := askAPI(t, s, http.MethodGet, "/users/ann", ""); !strings.Contains(r.body, `"disabled":false`) {
		t.Errorf("the user is %s", r.body)
	}
}
