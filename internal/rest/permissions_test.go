package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// The matrix of who may do what is written down, and looked at by people when it
// changes. Whoever is refused reaches no room.
func TestPermissions(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	var text strings.Builder
	text.WriteString(`Who may use which operation of the API. Each column is a place where one role is
granted, seen from group g of the default namespace, in which everything is that the
requests name, but for what belongs to a namespace or to the server as a whole. The
signs stand for viewer, operator, editor, scripter, owner and admin, in this order:

  +  may use it; a list shows what lies where the role has the right, and nothing else
  -  is refused, and knows that it exists (403)
  ?  is told that it does not exist (404)

`)
	header := fmt.Sprintf("%-26s %-15s %-15s %-15s %-18s %s\n", "", resttest.GrantedAt[0].Name, resttest.GrantedAt[1].Name, resttest.GrantedAt[2].Name, resttest.GrantedAt[3].Name, resttest.GrantedAt[4].Name)
	text.WriteString(header)
	for _, op := range resttest.Operations(t, a.Handler) {
		row := []any{op.ID}
		for _, at := range resttest.GrantedAt {
			signs := ""
			for _, role := range access.Roles() {
				signs += sign(t, a, op, string(role)+" at "+at.Name)
			}
			row = append(row, signs)
		}
		text.WriteString(strings.TrimRight(fmt.Sprintf("%-26s %-15s %-15s %-15s %-18s %s", row...), " ") + "\n")
		for _, nobody := range []string{"nothing", "locked"} {
			if sign := sign(t, a, op, nobody); sign == "+" && !slices.Contains(forEverybody, op.ID) && !slices.Contains(public, op.ID) {
				t.Errorf("%s with %s: may use it", op.ID, nobody)
			}
		}
	}
	golden := filepath.Join("testdata", "permissions.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text.String()); diff != "" {
		t.Errorf("the permissions changed; run the test with -update when that is wanted (-want +got):\n%s", diff)
	}
}

// sign returns how an operation ends for a caller.
func sign(t *testing.T, a *resttest.Asker, op resttest.Permitted, as string) string {
	t.Helper()
	status, body, called := a.Ask(t, op, as)
	sign := "+"
	switch status {
	case http.StatusForbidden:
		sign = "-"
	case http.StatusNotFound:
		sign = "?"
	case http.StatusUnauthorized, http.StatusInternalServerError:
		t.Errorf("%s as %s: %d %s", op.ID, as, status, body)
	}
	if sign != "+" && resttest.Changing(called) {
		t.Errorf("%s as %s: refused with %d, and the rooms were asked: %s", op.ID, as, status, called)
	}
	return sign
}

// public are the operations that need no credentials.
var public = []string{"finish-oidc", "list-sign-in-ways", "sign-in", "start-oidc"}

// forEverybody are those that everybody may use who is known.
var forEverybody = []string{
	"change-password", "create-token", "end-session", "get-me", "get-session", "list-roles", "list-sessions", "list-tokens", "revoke-token", "sign-out",
}

// Without credentials, or with wrong ones, nothing is answered but what is public.
func TestNobodyIsAnswered(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	for _, op := range resttest.Operations(t, a.Handler) {
		for _, as := range []string{"", "wrong", "nothing ", resttest.Token + "x"} {
			status, body, called := a.Ask(t, op, as)
			if as == "nothing " { // white space at the end is none of the token's
				continue
			}
			open := slices.Contains(public, op.ID) && as == ""
			if (status == http.StatusUnauthorized) == open || called != "" && !open {
				t.Errorf("%s with %q: %d %s, asked %q", op.ID, as, status, body, called)
			}
		}
	}
}

// A path that changes something does so by its own methods only.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	all := resttest.Operations(t, a.Handler)
	takes := func(method, path string) bool {
		for _, op := range all {
			if op.Method == method && fits(op.Template, path) {
				return true
			}
		}
		return false
	}
	for _, op := range all {
		path, _, _ := strings.Cut(op.Path, "?")
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PROPFIND", "get"} {
			if takes(method, path) || method == http.MethodHead && takes(http.MethodGet, path) {
				continue
			}
			status, body, called := a.Ask(t, resttest.Permitted{Method: method, Path: path}, resttest.Token)
			if status != http.StatusMethodNotAllowed && status != http.StatusNotFound || called != "" {
				t.Errorf("%s %s: %d %s, asked %q", method, path, status, body, called)
			}
		}
	}
}

// fits reports whether a path is one of a template.
func fits(template, path string) bool {
	a, b := strings.Split(template, "/"), strings.Split(path, "/")
	return slices.EqualFunc(a, b, func(a, b string) bool { return a == b || strings.HasPrefix(a, "{") })
}

// However a path is written, the right is asked for what it leads to, or it leads to
// nothing.
func TestWrittenPaths(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, func(c *rest.Config) {
		places := resttest.World()
		places["job default/secret"] = []access.Object{{Namespace: "default", Group: "h"}}
		c.Places = places
	})
	const as = "operator at its group"
	for _, path := range []string{
		"/jobs/secret/trigger", "/jobs/%73ecret/trigger", "/jobs/secret%2ftrigger", "/jobs//secret/trigger", "//jobs/secret/trigger",
		"/jobs/secret/trigger/", "/jobs/secret/trigger.", "/jobs/secret/./trigger", "/jobs/report/../secret/trigger", "/jobs/report/%2e%2e/secret/trigger",
		"/jobs/report%2f..%2fsecret/trigger", "/jobs/secret;x=1/trigger", "/jobs/secret/trigger;x", "/JOBS/secret/trigger", "/jobs/secret/TRIGGER",
		"/jobs/secret%00/trigger", "/jobs/secret/trigger%00", "/jobs/%c0%b3ecret/trigger", "/jobs/secret%20/trigger", "/jobs/secret./trigger",
		"/jobs/secret/trigger?namespace=", "/jobs/secret/trigger?namespace=default&namespace=team", "/jobs/secret/trigger?namespace=team&namespace=default",
		"/jobs/secret/trigger?key=report", "/jobs/%2573ecret/trigger", "/jobs/secret%23/trigger", "/jobs/secret%3f/trigger", `/jobs/secret%5c/trigger`,
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
		target, err := r.URL.Parse("http://orth.test" + guard.Prefix + path)
		if err != nil {
			continue // net/http refuses it too
		}
		r.URL, r.RequestURI = target, guard.Prefix+path
		r.Header.Set("Authorization", "Bearer "+as)
		w := httptest.NewRecorder()
		a.Fake.Called()
		a.Handler.ServeHTTP(w, r)
		called := a.Fake.Called()
		for line := range strings.SplitSeq(called, "\n") {
			if line == "trigger default/secret with its own" {
				t.Errorf("%s: %d, %s", path, w.Code, called)
			}
		}
		if w.Code == http.StatusOK || w.Code >= http.StatusInternalServerError {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if status, body, called := a.Ask(t, resttest.Permitted{Method: http.MethodPost, Path: guard.Prefix + "/jobs/report/trigger"}, as); status != http.StatusCreated || called == "" {
		t.Errorf("what is allowed: %d %s, asked %q", status, body, called)
	}
}

// The namespace for which the right is asked is the one that the room is told, and
// an operation that knows no namespaces takes none.
func TestNamespaceIsTheOneThatIsChecked(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	for _, op := range resttest.Operations(t, a.Handler) {
		if slices.Contains(public, op.ID) || slices.Contains(forEverybody, op.ID) {
			continue
		}
		path, query, _ := strings.Cut(op.Path, "?")
		var kept []string
		for part := range strings.SplitSeq(query, "&") {
			if part != "" && !strings.HasPrefix(part, "namespace=") {
				kept = append(kept, part)
			}
		}
		op.Path = path + "?" + strings.Join(append(kept, "namespace=team"), "&")
		op.Body = strings.ReplaceAll(op.Body, `"namespace":"default"`, `"namespace":"team"`)
		status, body, called := a.Ask(t, op, resttest.Token)
		if called != "" && !strings.Contains(called, "team") && op.ID != "list-executors" { // which are few, and narrowed here
			t.Errorf("%s %s: %d %.200s, asked %q", op.Method, op.Path, status, body, called)
		}
		if status == http.StatusForbidden || status == http.StatusUnauthorized {
			t.Errorf("%s: %d %s", op.ID, status, body)
		}
	}
}
