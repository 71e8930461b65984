package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

// Each credential, and each address without one, has its own share of each class.
func TestRates(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &resttest.Fake{}
		c := f.Config()
		c.Rates = guard.Rates{Reading: 10, Writing: 5, Strangers: 3}
		everything := access.Root().Grants
		c.Callers = resttest.Tokens{
			"ada": {Kind: access.Person, ID: 1, Name: "ada", Grants: everything}, "ada's token": {Kind: access.Token, ID: 1, Credential: 7, Name: "ada", Grants: everything},
			"bob": {Kind: access.Person, ID: 2, Name: "bob", Grants: everything},
		}
		handler, err := rest.New(c)
		if err != nil {
			t.Fatal(err)
		}
		send := func(method, path, as, from string) (int, string) {
			r := httptest.NewRequestWithContext(t.Context(), method, guard.Prefix+path, nil)
			r.RemoteAddr = from
			r.Header.Set("Authorization", "Bearer "+as)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			return w.Code, w.Header().Get("Retry-After")
		}
		// passes sends requests until one is refused, and returns how many were not.
		passes := func(method, path, as, from string) int {
			for n := range 100 {
				if status, wait := send(method, path, as, from); status == http.StatusTooManyRequests {
					if seconds, err := strconv.Atoi(wait); err != nil || seconds < 1 || seconds > 2 {
						t.Errorf("%s %s as %s: Retry-After %q", method, path, as, wait)
					}
					return n
				}
			}
			return 100
		}
		const one, two = "10.0.0.1:999", "10.0.0.2:999"
		for _, c := range []struct {
			method, path, as, from string
			want                   int
		}{
			{"GET", "/version", "ada", one, 20},
			{"GET", "/version", "ada", two, 0},
			{"GET", "/version", "ada's token", one, 20},
			{"GET", "/version", "bob", one, 20},
			{"POST", "/jobs/report/start", "ada", one, 10},
			{"GET", "/version", resttest.Token, one, 100},
			{"GET", "/version", "mallory", one, 6},
			{"GET", "/version", "eve", one, 0},
			{"GET", "/version", "eve", two, 6},
			{"GET", "/version", "eve", "[2001:db8::1]:9", 6},
			{"GET", "/version", "eve", "[2001:db8::2]:9", 0},
			{"GET", "/version", "eve", "[2001:db8:0:1::1]:9", 6},
		} {
			if got := passes(c.method, c.path, c.as, c.from); got != c.want {
				t.Errorf("%s %s as %s from %s: %d passed, want %d", c.method, c.path, c.as, c.from, got, c.want)
			}
		}
		f.Called()
		if status, _ := send("POST", "/jobs/report/start", "ada", one); status != http.StatusTooManyRequests || f.Called() != "" {
			t.Errorf("what is too much reached a room: %d", status)
		}
		time.Sleep(time.Second)
		if got := passes("GET", "/version", "ada", one); got != 10 {
			t.Errorf("after a second %d passed, want 10", got)
		}
		time.Sleep(time.Hour)
		if got := passes("GET", "/version", "ada", one); got != 20 {
			t.Errorf("after an hour %d passed, want 20", got)
		}
	})
}
