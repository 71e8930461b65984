package native

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
)

// misjoined returns a path as proxies and settings write it: with slashes doubled, and
// some at the end.
func misjoined(path string) []string {
	return []string{path + "/", "/" + path, path + "//", strings.ReplaceAll(path, "/", "//")}
}

// TestSlashes: a request on either side is served, and its signature is right, whatever
// slashes a proxy doubles or adds. A wrong token is refused as ever.
func TestSlashes(t *testing.T) {
	t.Parallel()
	executor := newTestHandler(new(worker), nil)
	server := NewServerHandler(ServerConfig{Keys: signing.NewTokens(testToken), Leases: new(house), Outcomes: new(house)})
	for _, c := range []struct {
		handler    http.Handler
		name, body string
	}{
		{executor, message.NameBeat, "{}"},
		{executor, message.NameBusy, `{"job":2}`},
		{executor, message.NameAttempts, `{"attempts":[]}`},
		{executor, message.NameTasks, `{}`},
		{server, message.NameOutcomes, `{"outcomes":[]}`},
		{server, message.NameAnswers, `{"group":"g","instance":"` + strings.Repeat("a", message.InstanceDigits) + `","answers":[]}`},
	} {
		ask := func(token, target string) int {
			r := signedRequestTo(token, c.name, "me", []byte(c.body))
			r.RequestURI = target
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, r)
			return w.Code
		}
		for _, target := range append(misjoined(message.PathPrefix+c.name), message.PathPrefix+c.name) {
			if got := ask(testToken, target); got != http.StatusOK {
				t.Errorf("%s: status %d", target, got)
			}
			if got := ask("x", target); got != http.StatusUnauthorized {
				t.Errorf("%s with another token: status %d", target, got)
			}
			if !Serves(target) || !ServesBelow("/ops/"+target) {
				t.Errorf("%s is not taken for this protocol's", target)
			}
		}
		if got := ask(testToken, message.PathPrefix+c.name+"/?x=1"); got != http.StatusNotFound {
			t.Errorf("%s with a query: status %d", c.name, got)
		}
	}
}
