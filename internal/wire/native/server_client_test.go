package native

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// towers are servers by their hosts.
type towers map[string]http.RoundTripper

func (s towers) RoundTrip(r *http.Request) (*http.Response, error) {
	if tower := s[r.URL.Host]; tower != nil {
		return tower.RoundTrip(r)
	}
	return nil, &net.OpError{Op: "dial", Err: errLost}
}

func newTestClient(t *testing.T, transport http.RoundTripper, change func(*ServerClientConfig)) *ServerClient {
	t.Helper()
	c := ServerClientConfig{
		Addresses: []string{"http://first", "http://second/orth"}, Token: testToken, Transport: transport, Instance: testInstance,
		Life: func() job.Life {
			return job.Life{
				Incarnation: "me", StartedAt: time.UnixMilli(5).UTC(), Every: 10 * time.Second, Load: &job.Load{Running: 1},
				Holds: []int64{7, 8}, Whole: true, Draining: true,
			}
		},
		Features: func() []string { return []string{"shell", "zone=eu"} },
	}
	if change != nil {
		change(&c)
	}
	client, err := NewServerClient(c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// TestMaybe: when the servers may speak another protocol, the first that answers determines
// whether they do, and no other one is called in this one.
func TestMaybe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first http.RoundTripper // nil: no server listens
		maybe bool
		asked bool // the second one
	}{
		"it speaks another one":           {strange(http.StatusNotFound, "<html>"), true, false},
		"it says yes to everything":       {strange(http.StatusOK, "{}"), true, false},
		"it wants a token of another one": {strange(http.StatusUnauthorized, "no"), true, false},
		"nobody is there":                 {nil, true, true},
		"all speak this one":              {strange(http.StatusBadGateway, "<html>"), false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := false
			second := roundTrip(func(*http.Request) (*http.Response, error) { asked = true; return nil, errLost })
			hosts := towers{"second": second}
			if c.first != nil {
				hosts["first"] = c.first
			}
			client := newTestClient(t, hosts, func(config *ServerClientConfig) { config.Maybe = c.maybe })
			if err := client.Register(t.Context(), "g", "http://10.0.0.7:9999/"); err == nil || asked != c.asked {
				t.Errorf("the second one was asked: %t; error %v", asked, err)
			}
		})
	}
}

// strange is a server that answers everything in the same way.
func strange(status int, text string) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: r}, nil
	})
}

func TestServerClient(t *testing.T) {
	t.Parallel()
	h := newHub()
	push := newTestClient(t, h, nil)
	pull := newTestClient(t, h, func(c *ServerClientConfig) { c.Pull, c.Features = true, nil })
	for _, c := range []*ServerClient{push, pull} {
		if err := c.Register(t.Context(), "g", "http://10.0.0.7:9999/"); err != nil {
			t.Fatal(err)
		}
	}
	if err := pull.Deregister(t.Context(), "g", testAddress()); err != nil {
		t.Fatal(err)
	}
	outcome := job.Outcome{
		AttemptID: 3, TriggeredAt: time.UnixMilli(1000).UTC(), EndedAt: time.UnixMilli(2000).UTC(), State: job.Failed, Message: "no \"x\"\n",
		Class: retry.ClassResource, RetryAfter: 1500 * time.Millisecond,
	}
	if err := push.SendOutcomes(t.Context(), []job.Outcome{outcome}); err != nil {
		t.Fatal(err)
	}
	life := job.Life{
		Incarnation: "me", StartedAt: time.UnixMilli(5).UTC(), Every: 10 * time.Second, Load: &job.Load{Running: 1},
		Holds: []int64{7, 8}, Whole: true, Draining: true, Instance: testInstance,
	}
	want := []job.Beat{
		{Group: "g", Address: "http://10.0.0.7:9999/", Features: []string{"shell", "zone=eu"}, Life: life, Dialect: job.DialectNative},
		{Group: "g", Address: testAddress(), Features: []string{}, Life: life, Dialect: job.DialectNative},
	}
	if diff := cmp.Diff(want, h.beats); diff != "" {
		t.Errorf("the beats (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]job.Outcome{outcome}, h.outcomes); diff != "" {
		t.Errorf("the outcomes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"g " + testAddress()}, h.gone); diff != "" {
		t.Errorf("the farewells (-want +got):\n%s", diff)
	}
}

// TestServerClientFailsOver: the first server that takes it is enough, and what none
// takes has the reason of them all.
func TestServerClientFailsOver(t *testing.T) {
	t.Parallel()
	good := newHub()
	say := func(err error) *hub { h := newHub(); h.refuse = err; return h }
	refusing, full, stopping := say(job.Errorf(job.Refused, "not for g")), say(job.Errorf(job.Full, "later")), say(errors.New("a secret"))
	stranger := newHub()
	stranger.handler = NewServerHandler(ServerConfig{Keys: signing.NewTokens("x"), Leases: stranger, Outcomes: stranger})
	page := &hub{handler: http.NotFoundHandler()}
	for name, c := range map[string]struct {
		first, second *hub
		kind          job.Kind
		words         string
	}{
		"the first":               {good, stopping, "", ""},
		"the second":              {nil, good, "", ""},
		"after a refusal":         {refusing, good, "", ""},
		"after a wrong token":     {stranger, good, "", ""},
		"nobody":                  {nil, nil, job.Unavailable, "http://second/orth"},
		"refused":                 {refusing, nil, job.Refused, "not for g"},
		"refused by one of two":   {refusing, stopping, job.Unavailable, "not for g"},
		"a wrong token":           {nil, stranger, job.Unauthorized, "does not take the token"},
		"a wrong token, and full": {full, stranger, job.Unauthorized, "later"},
		"full":                    {full, full, job.Unavailable, "later"},
		"no server of Orth":       {page, page, job.Unavailable, "is a side of this protocol at this address?"},
	} {
		at := towers{}
		if c.first != nil {
			at["first"] = c.first
		}
		if c.second != nil {
			at["second"] = c.second
		}
		client := newTestClient(t, at, nil)
		err := client.Register(t.Context(), "g", "http://h/")
		if job.KindOf(err) != c.kind || c.words != "" && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: kind %q, %v; want %q with %q", name, job.KindOf(err), err, c.kind, c.words)
		}
		if err != nil && strings.Contains(err.Error(), "a secret") {
			t.Errorf("%s: %v tells what is for the log", name, err)
		}
	}
}

// TestOutcomesAreKeptForAnotherToken: a server that wants another token for the group of an
// attempt has not refused the outcome for good. The outbox gives up what is Refused.
func TestOutcomesAreKeptForAnotherToken(t *testing.T) {
	t.Parallel()
	closed := newHub()
	closed.refuse = job.Errorf(job.Refused, "group g takes only tokens of its own")
	for name, second := range map[string]http.RoundTripper{"one server": nil, "two": closed} {
		client := newTestClient(t, towers{"first": closed, "second": second}, nil)
		err := client.SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 1, State: job.Succeeded}})
		if !job.Is(err, job.Forbidden) || !strings.Contains(err.Error(), "takes only tokens of its own") {
			t.Errorf("%s: kind %q, %v", name, job.KindOf(err), err)
		}
	}
	broken := towers{"first": strange(http.StatusForbidden, "<html>"), "second": strange(http.StatusForbidden, "no")}
	if err := newTestClient(t, broken, nil).SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 1, State: job.Succeeded}}); !job.Is(err, job.Unavailable) {
		t.Errorf("somebody else refuses: kind %q, %v", job.KindOf(err), err)
	}
}

// TestServerClientEnds: a caller that leaves gets its own cause, not the servers'.
func TestServerClientEnds(t *testing.T) {
	t.Parallel()
	h := newHub()
	ctx := canceled(t)
	err := newTestClient(t, h, nil).Register(ctx, "g", "http://h/")
	if !errors.Is(err, ctx.Err()) || !strings.Contains(err.Error(), "no server has answered yet") {
		t.Errorf("%v", err)
	}
}

func TestNewServerClientRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]ServerClientConfig{
		"no server":   {Instance: testInstance},
		"no address":  {Instance: testInstance, Addresses: []string{"here"}},
		"too many":    {Instance: testInstance, Addresses: slices.Repeat([]string{"http://h"}, maxServers+1)},
		"no instance": {Addresses: []string{"http://h"}},
	} {
		if _, err := NewServerClient(c); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestBigOutcomesFit: however long messages are, no request is over the limit, and
// all of them arrive in order.
func TestBigOutcomesFit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcomes int
		message  string
		requests int64
	}{
		"none":                          {0, "", 0},
		"one":                           {1, "x", 1},
		"as many as fit":                {message.MaxOutcomes, "", 1},
		"one more":                      {message.MaxOutcomes + 1, "", 2},
		"long ones, six bytes a letter": {100, strings.Repeat("\x01", 30_000), 3},
		"one that is too long for many": {2, strings.Repeat("x", outcomeBytes), 2},
	} {
		h := newHub()
		var biggest int64
		seen := towers{"h": roundTrip(func(r *http.Request) (*http.Response, error) {
			biggest = max(biggest, r.ContentLength)
			return h.RoundTrip(r)
		})}
		batch := make([]job.Outcome, c.outcomes)
		for i := range batch {
			batch[i] = job.Outcome{AttemptID: int64(i + 1), State: job.Succeeded, EndedAt: time.UnixMilli(1), Message: c.message}
		}
		client := newTestClient(t, seen, func(c *ServerClientConfig) {
			c.Addresses, c.Timeout = []string{"http://h"}, time.Minute
		})
		if err := client.SendOutcomes(t.Context(), batch); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(h.outcomes) != c.outcomes || biggest > message.MaxBody || h.requests.Load() != c.requests {
			t.Errorf("%s: %d of %d came in %d requests, the biggest had %d bytes; want %d requests",
				name, len(h.outcomes), c.outcomes, h.requests.Load(), biggest, c.requests)
		}
		for i, o := range h.outcomes {
			if o.AttemptID != int64(i+1) {
				t.Fatalf("%s: outcome %d is of attempt %d", name, i, o.AttemptID)
			}
		}
	}
}

// roundTrip is a transport that is a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOutcomesAreNeverLost: whatever servers answer, a batch that is reported as delivered
// was.
func TestOutcomesAreNeverLost(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHub()
		h.fate = func(string) (bool, bool) {
			return rapid.IntRange(0, 3).Draw(t, "before") == 0, rapid.IntRange(0, 3).Draw(t, "after") == 0
		}
		c, err := NewServerClient(ServerClientConfig{Addresses: []string{"http://a", "http://b"}, Token: testToken, Transport: h, Instance: testInstance})
		if err != nil {
			t.Fatal(err)
		}
		for i := range int64(20) {
			batch := []job.Outcome{{AttemptID: 2*i + 1, State: job.Succeeded}, {AttemptID: 2*i + 2, State: job.Failed}}
			switch err := c.SendOutcomes(t.Context(), batch); {
			case job.Is(err, job.Unavailable):
				continue
			case err != nil:
				t.Fatal(err)
			}
			for _, o := range batch {
				if !slices.ContainsFunc(h.outcomes, func(x job.Outcome) bool { return x.AttemptID == o.AttemptID && x.State == o.State }) {
					t.Fatal(fmt.Sprintf("attempt %d is lost", o.AttemptID))
				}
			}
		}
	})
}

// TestTell: only servers that are known to take facts hear of them, and one is enough.
func TestTell(t *testing.T) {
	t.Parallel()
	newer, older := &house{}, &house{}
	config := newer.config()
	config.Keys = signing.NewTokens(testToken)
	takes := config
	takes.Facts, takes.Chunks, takes.Self = newer, newDesk("d"), "d"
	config.Leases = older
	serve := func(c ServerConfig) http.RoundTripper {
		door := NewServerHandler(c)
		return roundTrip(func(r *http.Request) (*http.Response, error) {
			body, _ := signing.ReadBody(r)
			again := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(string(body)))
			again.Header, again.RequestURI = r.Header, r.URL.RequestURI()
			w := httptest.NewRecorder()
			door.ServeHTTP(w, again)
			return w.Result(), nil
		})
	}
	client := newTestClient(t, towers{"first": serve(config), "second": serve(takes)}, nil)
	f := job.Facts{Kind: "solana", Text: `{"n":1}`}
	told := func(want bool) {
		t.Helper()
		if taken, err := client.Tell(t.Context(), "g", "http://10.0.0.7:9999/", f); taken != want || err != nil {
			t.Errorf("taken %t, %v; want %t", taken, err, want)
		}
	}
	told(false) // nothing is known of them yet
	if err := client.Register(t.Context(), "g", "http://10.0.0.7:9999/"); err != nil {
		t.Fatal(err)
	}
	told(false) // the first has no such version, and the second was not met
	older.fail = job.Errorf(job.Unavailable, "away")
	if err := client.Register(t.Context(), "g", "http://10.0.0.7:9999/"); err != nil {
		t.Fatal(err)
	}
	newer.take()
	told(true)
	if calls := newer.take(); calls != `facts solana of g at http://10.0.0.7:9999/: {"n":1}` {
		t.Errorf("the server heard %s", calls)
	}
	newer.fail = job.Errorf(job.NotFound, "no such executor")
	if taken, err := client.Tell(t.Context(), "g", "http://10.0.0.7:9999/", f); taken || !job.Is(err, job.Unavailable) {
		t.Errorf("a server without the executor: %t, %v", taken, err)
	}
	f.Text = "nothing"
	if _, err := client.Tell(t.Context(), "g", "http://10.0.0.7:9999/", f); !job.Is(err, job.Invalid) {
		t.Errorf("no JSON: %v", err)
	}
}
