package app

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// The holder of one group's token is shown that token, and nothing else, also after it
// has given its lease back.
func TestTokensStayWithTheirGroups(t *testing.T) {
	t.Parallel()
	r, _ := serveAt(t, t.TempDir(), new(journal))
	_, made := r.bring("theirs", "")
	p := newPeer(t, "theirs", made)
	if !r.register(p) {
		t.Fatal("the executor is refused")
	}
	r.work("theirs", p)
	if _, answer := r.send(http.MethodPost, "/api/registryRemove", made, p.registration()); !strings.Contains(answer, `"code":200`) {
		t.Fatal(answer)
	}
	// The server looks after the run that has no outcome yet, and after its log.
	before := p.calls()
	until(t, "the address is called without a lease", func() bool { return p.calls() > before })
	for _, token := range p.tokens() {
		if token != made && token != "" {
			t.Errorf("it was shown %q", token)
		}
	}
}

// Whoever enters an address of a group sees what the group has, and not what the
// server has.
func TestAddressesAreShownTheirGroupsToken(t *testing.T) {
	t.Parallel()
	r, _ := serveAt(t, t.TempDir(), new(journal))
	_, made := r.bring("theirs", "")
	for _, p := range []*peer{newPeer(t, "theirs", made), newPeer(t, "tokenless", "")} {
		if status, answer := r.send(http.MethodPost, "/api/v1/groups/"+p.group+"/addresses", "", `{"address":"`+p.URL+`"}`); status >= 300 {
			t.Fatalf("%d %s", status, answer)
		}
		if p.token != "" {
			r.work(p.group, p)
		}
		if p.calls() == 0 || slices.Contains(p.tokens(), r.ExecutorToken().Reveal()) {
			t.Errorf("the executor of %s was shown %q", p.group, p.tokens())
		}
	}
}

// S07: what an address leads to is judged at each call, by the list that holds for calls
// of jobs.
func TestCallsToExecutorsAreJudged(t *testing.T) {
	t.Parallel()
	s := begin(t)
	for what, beat := range map[string]func(ctx context.Context, address string) error{"xxl-job": s.taps.Peers.Xxl.Beat, "native": s.natives.Beat} {
		for _, address := range []string{"http://169.254.169.254:1", "http://[::ffff:169.254.169.254]:1", "http://[64:ff9b::a9fe:a9fe]:1"} {
			if err := beat(t.Context(), address); !job.Is(err, job.Unreachable) || !strings.Contains(err.Error(), "the address of a cloud's metadata service, which may not be called") {
				t.Errorf("%s, %s: %v", what, address, err)
			}
		}
	}
}
