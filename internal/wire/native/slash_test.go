package native

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
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
	server := NewServerHandler(ServerConfig{Keys: NewTokens(testToken), Leases: new(house), Outcomes: new(house)})
	for _, c := range []struct {
		handler    http.Handler
		name, body string
	}{
		{executor, nameBeat, "{}"},
		{executor, nameBusy, `{"job":2}`},
		{executor, nameAttempts, `{"attempts":[]}`},
		{executor, nameTasks, `{}`},
		{server, nameOutcomes, `{"outcomes":[]}`},
		{server, nameAnswers, `{"group":"g","instance":"` + strings.Repeat("a", instanceDigits) + `","answers":[]}`},
	} {
		ask := func(token, target string) int {
			r := signedRequestTo(token, c.name, "me", []byte(c.body))
			r.RequestURI = target
			w := httptest.NewRecorder()
			c.handler.ServeHTTP(w, r)
			return w.Code
		}
		for _, target := range append(misjoined(pathPrefix+c.name), pathPrefix+c.name) {
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
		if got := ask(testToken, pathPrefix+c.name+"/?x=1"); got != http.StatusNotFound {
			t.Errorf("%s with a query: status %d", c.name, got)
		}
	}
}
