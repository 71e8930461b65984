package httpcall

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// statuses is a set of HTTP statuses.
type statuses []statusRange

type statusRange struct{ from, to int }

func (s statuses) contain(status int) bool {
	for _, r := range s {
		if r.from <= status && status <= r.to {
			return true
		}
	}
	return false
}

func (s statuses) String() string {
	var parts []string
	for _, r := range s {
		if r.from == r.to {
			parts = append(parts, strconv.Itoa(r.from))
		} else {
			parts = append(parts, strconv.Itoa(r.from/100)+"xx")
		}
	}
	return strings.Join(parts, ", ")
}

// judge returns nil when the answer is the expected one, and otherwise an error in one line
// that states whether another try can help. text is the body, and failure the status with
// the line of the body that explains it; both are masked.
func (c *httpRequest) judge(res *http.Response, text string, cut bool, failure string, now time.Time) error {
	status := res.StatusCode
	if c.Expect.contain(status) {
		if c.ExpectBody == "" || strings.Contains(text, c.ExpectBody) {
			return nil
		}
		where := "the body"
		if cut {
			where = "the part of the body that was read"
		}
		return retry.Transient(job.Errorf(job.Refused, "%s does not contain %q (expect_body): %s", where, c.ExpectBody, failure))
	}
	err := job.Errorf(job.Refused, "expected %s, got %s", c.Expect, failure)
	switch {
	case status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable:
		if after, given := retryAfter(res.Header.Get("Retry-After"), now); given {
			return retry.NotReady(err, after)
		}
		return retry.Transient(err)
	case status >= 500, c.RetryOn.contain(status):
		return retry.Transient(err)
	}
	return retry.Permanent(err)
}

// retryAfter reads a header of seconds or a date.
func retryAfter(header string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
