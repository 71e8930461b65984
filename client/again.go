package client

import (
	"context"
	"crypto/rand"
	"math"
	mathrand "math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
)

const (
	// defaultRetries is how often a call is made again that is safe to repeat.
	defaultRetries = 3
	// firstPause is the longest pause before the first repetition; each next one is twice
	// as long, up to lastPause. lastAsked bounds what a server can ask for instead.
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
	lastAsked  = 10 * time.Second
)

// headerOnce carries the key with which a request takes effect once.
const headerOnce = "Idempotency-Key"

type onceKey struct{}

// WithKey returns a context whose next call makes something, or triggers, under a key
// that the program has made up: within 24 hours the server answers the same request
// with the same key as it did the first time, and nothing happens again. A program
// needs it to repeat a call after its own crash, with a key that it has written down
// before; repetitions within one call have a key of the client's. The key is printable
// ASCII of at most 128 characters; use another one for each thing that is wanted.
func WithKey(ctx context.Context, key string) context.Context {
	return context.WithValue(ctx, onceKey{}, key)
}

// doOnce makes a request that makes or triggers something. It has a key, so that it
// can be made again and takes effect once.
func (c *Client) doOnce(ctx context.Context, path string, query url.Values, in, out any) error {
	key, _ := ctx.Value(onceKey{}).(string)
	if key == "" {
		key = rand.Text()
	}
	return c.calls(ctx, &wanted{method: http.MethodPost, path: path, query: query, in: in, out: out, key: key})
}

// wanted is one call, which may take several requests.
type wanted struct {
	method, path string
	query        url.Values
	in, out      any
	key          string // empty for none
}

// repeatable reports whether the call can be made again without a second effect.
func (w *wanted) repeatable() bool {
	return w.key != "" || w.method == http.MethodGet || w.method == http.MethodHead
}

// retryVerdict is whether a failed request may be repeated.
type retryVerdict struct {
	again bool
	after time.Duration // the wait that the server asks for; 0 when it names none
}

// calls makes a call, and makes it again when that is safe and may help. The time of
// the call bounds all of it.
func (c *Client) calls(ctx context.Context, w *wanted) error {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	for try := 0; ; try++ {
		v, err := c.attempt(ctx, w)
		if err == nil || !v.again || !w.repeatable() || try >= c.retries {
			return err
		}
		pause := pauseBefore(try)
		if v.after > 0 {
			pause = v.after + pause // clients with the same Retry-After must not return at once
		}
		if end, bounded := ctx.Deadline(); v.after > lastAsked || bounded && time.Until(end) <= pause {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return err
		}
	}
}

// pauseBefore returns how long to wait before the repetition after a try, counted from
// 0: between the half and all of what doubles each time.
func pauseBefore(try int) time.Duration {
	most := lastPause
	if try < 10 {
		most = min(firstPause<<try, lastPause)
	}
	return most/2 + mathrand.N(most/2)
}

// verdictOn reports whether repeating a request may help after an error response: the
// server itself, or a proxy, is overloaded or away for a moment. An error about others,
// such as an executor, does not pass so soon.
func verdictOn(response *http.Response, err error) retryVerdict {
	v := retryVerdict{after: askedToWait(response.Header.Get("Retry-After"))}
	switch job.KindOf(err) {
	case job.Unavailable:
		v.again = true
	case job.Ambiguous:
		v.again = mediaOf(response) != api.ProblemType
	case job.Full, job.Conflict:
		v.again = v.after > 0
	case job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound, job.Duplicate, job.Refused, job.Unreachable, job.Interrupted, job.Internal:
	}
	return v
}

// askedToWait reads a Retry-After; 0 when there is none that can be read.
func askedToWait(text string) time.Duration {
	if text == "" {
		return 0
	}
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return time.Duration(min(seconds, math.MaxInt32)) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return max(time.Until(at), time.Millisecond)
}
