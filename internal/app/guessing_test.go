package app

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// S05 for tokens: from one network few wrong ones are answered as such, by the doors of
// executors together and by the API, and who has a good one goes on.
func TestTokensAreNotGuessed(t *testing.T) {
	t.Parallel()
	log := new(journal)
	r, _ := serveAt(t, t.TempDir(), log)
	r.bring("g", "theirs-already")
	_, made := r.bring("g", "")
	known := newPeer(t, "g", "theirs-already")
	if !r.register(known) {
		t.Fatal("the executor is refused")
	}
	const tries = 400
	began, wrong, late := time.Now(), 0, 0
	for i := range tries {
		status, answer := r.send(http.MethodPost, []string{"/api/registry", "/api/callback"}[i%2], fmt.Sprint("guess-", i), known.registration())
		switch {
		case status == http.StatusOK && strings.Contains(answer, "The access token is wrong."):
			wrong++
		case status == http.StatusServiceUnavailable && strings.Contains(answer, "too many wrong tokens"):
			late++
		default:
			t.Fatalf("%d %s", status, answer)
		}
	}
	if most := 31 + int(time.Since(began)/(2*time.Second)); wrong > most || wrong < 30 || wrong+late != tries {
		t.Errorf("%d of %d were answered as wrong, at most %d may be", wrong, tries, most)
	}
	for _, token := range []string{"theirs-already", made, madeFor(r.Server, "g")} {
		if !r.register(newPeer(t, "g", token)) {
			t.Errorf("a good token is refused: %.8s", token)
		}
	}

	began, wrong = time.Now(), 0
	for i := range tries {
		status, text := ask(t, r.Server, []string{"/api/v1/me", "/api/v1/events"}[i%2], fmt.Sprint("guess-", i), "")
		if status == http.StatusUnauthorized {
			wrong++
		} else if status != http.StatusTooManyRequests || !strings.Contains(text, "too many wrong tokens") {
			t.Fatalf("the API: %d %s", status, text)
		}
	}
	if most := 31 + int(time.Since(began)/(2*time.Second)); wrong > most || wrong < 30 {
		t.Errorf("the API: %d of %d were answered as wrong, at most %d may be", wrong, tries, most)
	}
	if status, _ := r.send(http.MethodGet, "/api/v1/me", "", ""); status != http.StatusOK {
		t.Errorf("the API refuses a good token: %d", status)
	}
	_, figures := ask(t, r.Server, "/metrics", r.api, "")
	for _, door := range []string{doorExecutors, doorAPI} {
		counted := 0
		for _, result := range []string{resultRefused, resultSlowed} {
			n := 0
			if _, after, ok := strings.Cut(figures, fmt.Sprintf("\north_wrong_tokens_total{door=%q,result=%q} ", door, result)); ok {
				_, _ = fmt.Sscan(after, &n)
			}
			counted += n
		}
		if counted != tries {
			t.Errorf("%d wrong tokens are counted at the door %s, not %d", counted, door, tries)
		}
		if lines := strings.Count(log.String(), " door="+door+" from=127.0.0.0/24 tries=1 "); lines != 1 {
			t.Errorf("%d lines of the log are about the door %s", lines, door)
		}
	}
}
