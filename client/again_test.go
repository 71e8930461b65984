package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// script answers requests in order, the last answer for ever, and keeps what came when.
type script struct {
	answers []string // status, Retry-After, media type and body, parted by bars; "gone" for none
	keys    []string
	bodies  []string
	at      []time.Duration
	began   time.Time
}

// RoundTrip answers a request.
func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	n := len(s.at)
	if n == 0 {
		s.began = time.Now()
	}
	s.at, s.keys = append(s.at, time.Since(s.began)), append(s.keys, r.Header.Get("Idempotency-Key"))
	body := ""
	if r.Body != nil {
		read, _ := io.ReadAll(r.Body)
		body = string(read)
	}
	s.bodies = append(s.bodies, body)
	text := s.answers[min(n, len(s.answers)-1)]
	switch text {
	case "gone":
		return nil, errors.New("connection refused")
	case "hangs":
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	parts := strings.SplitN(text, "|", 4)
	response := &http.Response{
		StatusCode: map[string]int{"200": 200, "401": 401, "409": 409, "429": 429, "502": 502, "503": 503, "504": 504}[parts[0]],
		Header:     http.Header{"Content-Type": {parts[2]}}, Body: io.NopCloser(strings.NewReader(parts[3])), Request: r,
	}
	if parts[1] != "" {
		response.Header.Set("Retry-After", parts[1])
	}
	return response, nil
}

const (
	fine       = `200||application/json|{"id":"7","version":"1"}`
	away       = `503||application/problem+json|{"code":"unavailable","detail":"away"}`
	inDoubt    = `504||application/problem+json|{"code":"ambiguous","detail":"an executor is silent"}`
	unreached  = `503||application/problem+json|{"code":"unreachable","detail":"an executor is away"}`
	busy       = `429|2|application/problem+json|{"code":"full","detail":"too many"}`
	busyLong   = `429|3600|application/problem+json|{"code":"full","detail":"too many"}`
	fullQueue  = `429||application/problem+json|{"code":"full","detail":"the queue is full"}`
	proxy      = `502||text/html|<html>`
	stranger   = `401||application/problem+json|{"code":"unauthorized","detail":"no"}`
	taken      = `409||application/problem+json|{"code":"conflict","detail":"exists"}`
	beingDone  = `409|1|application/problem+json|{"code":"conflict","detail":"is being carried out"}`
	brokenJSON = `200||application/json|{`
)

// What is safe to repeat is repeated as long as it may help, and nothing else is.
func TestRepetitions(t *testing.T) {
	t.Parallel()
	read := func(ctx context.Context, c *client.Client) error { _, err := c.Version(ctx); return err }
	trigger := func(ctx context.Context, c *client.Client) error {
		_, err := c.Trigger(ctx, "report", api.Trigger{})
		return err
	}
	update := func(ctx context.Context, c *client.Client) error {
		_, err := c.UpdateJob(ctx, "report", 1, map[string]any{"title": "x"})
		return err
	}
	for _, c := range []struct {
		name    string
		call    func(context.Context, *client.Client) error
		retries int
		answers []string
		tries   int
		kind    job.Kind // empty for no error
		least   time.Duration
	}{
		{"a read, after a restart of the server", read, 0, []string{"gone", away, proxy, fine}, 4, "", 175 * time.Millisecond},
		{"a read, of a server that stays away", read, 0, []string{away}, 4, job.Unavailable, 350 * time.Millisecond},
		{"a read, not to be repeated", read, -1, []string{away, fine}, 1, job.Unavailable, 0},
		{"a read, once more", read, 1, []string{away, away, fine}, 2, job.Unavailable, 0},
		{"a read, of one that is busy", read, 0, []string{busy, fine}, 2, "", 2 * time.Second},
		{"a read, of one that is busy for long", read, 0, []string{busyLong, fine}, 1, job.Full, 0},
		{"a read, of a queue that is full", read, 0, []string{fullQueue, fine}, 1, job.Full, 0},
		{"a read, refused", read, 0, []string{stranger, fine}, 1, job.Unauthorized, 0},
		{"a read, of nonsense", read, 0, []string{brokenJSON, fine}, 1, job.Refused, 0},
		{"a read, of an executor that is silent", read, 0, []string{inDoubt, fine}, 1, job.Ambiguous, 0},
		{"a read, of an executor that is away", read, 0, []string{unreached, fine}, 1, job.Unreachable, 0},
		{"a read, of one that hangs", read, 0, []string{"hangs", fine}, 1, job.Unreachable, 35 * time.Second},
		{"a trigger, whose answer was lost", trigger, 0, []string{"gone", proxy, fine}, 3, "", 0},
		{"a trigger, still being carried out", trigger, 0, []string{"gone", beingDone, fine}, 3, "", time.Second},
		{"a trigger, in conflict", trigger, 0, []string{taken, fine}, 1, job.Conflict, 0},
		{"an update, whose answer was lost", update, 0, []string{proxy, fine}, 1, job.Ambiguous, 0},
		{"an update, of one that is busy", update, 0, []string{busy, fine}, 1, job.Full, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := &script{answers: c.answers}
				caller, err := client.New(client.Config{
					Address: "http://orth.example.com", Token: token, Retries: c.retries, HTTPClient: &http.Client{Transport: s},
				})
				if err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				err = c.call(t.Context(), caller)
				if (err == nil) != (c.kind == "") || err != nil && !job.Is(err, c.kind) {
					t.Errorf("got %v (%s)", err, job.KindOf(err))
				}
				if took := time.Since(began); len(s.at) != c.tries || took < c.least || took > 36*time.Second {
					t.Errorf("%d tries at %v, it took %s", len(s.at), s.at, took)
				}
				for i := range s.keys {
					if s.keys[i] != s.keys[0] || s.bodies[i] != s.bodies[0] {
						t.Errorf("the tries differ: %q, %q", s.keys, s.bodies)
					}
				}
			})
		})
	}
}

// Each call has a key of its own, unless the program gives it one.
func TestKeysOfCalls(t *testing.T) {
	t.Parallel()
	s := &script{answers: []string{fine}}
	c := newClient(t, client.Config{Address: "http://orth.example.com", Token: token, HTTPClient: &http.Client{Transport: s}})
	mine := client.WithKey(t.Context(), "order-4711")
	_, _ = c.Trigger(t.Context(), "report", api.Trigger{})
	_, _ = c.Trigger(t.Context(), "report", api.Trigger{})
	_, _ = c.CreateJob(mine, api.NewJob{Key: "report"})
	_, _ = c.Version(mine)
	if len(s.keys) != 4 || len(s.keys[0]) < 20 || s.keys[0] == s.keys[1] || s.keys[2] != "order-4711" || s.keys[3] != "" {
		t.Errorf("the keys are %q", s.keys)
	}
}

// Who gives a call up does not wait for its repetitions.
func TestRepetitionsAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []string{busy}}
		c, err := client.New(client.Config{Address: "http://orth.example.com", Token: token, HTTPClient: &http.Client{Transport: s}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began := time.Now()
		if _, err := c.Version(ctx); !job.Is(err, job.Full) || time.Since(began) != time.Second || len(s.at) != 1 {
			t.Errorf("%v after %s and %d tries", err, time.Since(began), len(s.at))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.Version(short); !job.Is(err, job.Full) || time.Since(began) != time.Second {
			t.Errorf("waited for what comes too late: %v after %s", err, time.Since(began))
		}
	})
}
