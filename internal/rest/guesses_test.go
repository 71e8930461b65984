package rest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/job"
)

// Wrong tokens are slowed down by the network that a trusted proxy speaks for, at the API
// and at the doors that lead to it together. Right ones pass, but for a token of the
// server that can be guessed.
func TestWrongTokensAreSlowedDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		token string
		want  int
	}{
		{"programs-9f2c41d07be85a63aa17", http.StatusOK},
		{"letmein", http.StatusTooManyRequests},
	} {
		d := newDoor(t, func(config *rest.Config) {
			config.Token = redacted.New(c.token)
			config.Guesses = tries.NewLimiter(tries.Config{Pace: tries.Pace{AtOnce: 4, Every: time.Hour}})
		})
		get := func(token, client string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, guard.Prefix+"/version", nil)
			r.RemoteAddr = "10.0.0.1:999"
			r.Header.Set("X-Forwarded-For", client)
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			d.api.ServeHTTP(w, r)
			return w
		}
		for i := range 2 {
			if w := get(fmt.Sprint("guess-", i), "192.0.2.5"); w.Code != http.StatusUnauthorized {
				t.Errorf("guess %d: %d %s", i, w.Code, w.Body)
			}
			at := resttest.Ask{From: "10.0.0.1:999", Headers: []string{"X-Forwarded-For: 192.0.2.6"}}
			if _, err := d.admit(t, at, fmt.Sprint("try-", i), ""); !job.Is(err, job.Unauthorized) {
				t.Errorf("try %d at another door: %v", i, err)
			}
		}
		if w := get("guess-4", "192.0.2.5"); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") != "3600" {
			t.Errorf("the fifth: %d %v", w.Code, w.Header())
		}
		if _, err := d.admit(t, resttest.Ask{From: "192.0.2.5:1"}, "try-4", ""); !job.Is(err, job.Full) {
			t.Errorf("the fifth at another door: %v", err)
		}
		if w := get("guess-1", "192.0.2.5"); w.Code != http.StatusUnauthorized {
			t.Errorf("one that was answered before: %d", w.Code)
		}
		if w := get("boss", "192.0.2.5"); w.Code != http.StatusOK {
			t.Errorf("a right one: %d %s", w.Code, w.Body)
		}
		if w := get(c.token, "192.0.2.5"); w.Code != c.want {
			t.Errorf("the server's, %s: %d, not %d", c.token, w.Code, c.want)
		}
		if w := get(c.token, "203.0.113.5"); w.Code != http.StatusOK {
			t.Errorf("the server's from elsewhere: %d %s", w.Code, w.Body)
		}
	}
}
