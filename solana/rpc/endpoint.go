package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// Role is what a node is asked for.
type Role uint8

// The roles; they can be added.
const (
	Reading    Role = 1 << iota // accounts, slots, statuses
	Submitting                  // transactions
	Everything = Reading | Submitting
)

// Endpoint is a node.
type Endpoint struct {
	// URL is where it listens, http or https. It may hold a key; nothing shows more of it than the host.
	URL string
	// Role defaults to Everything.
	Role Role
	// Rate is how many requests a second it is asked, Burst how many at once. Defaults to 50 and twice Rate.
	Rate  float64
	Burst int
}

// endpoint is a node with how it has been.
type endpoint struct {
	Endpoint
	name    string // host, and a number when others have it too
	bucket  *rate.Limiter
	id      atomic.Int64
	latency atomic.Int64 // ns, smoothed; 0: not known
}

func newEndpoint(e Endpoint) (*endpoint, error) {
	u, err := url.Parse(e.URL)
	if err != nil {
		return nil, errors.New("the address of a node is no URL")
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the address of a node begins with http:// or https:// and has a host (host %q)", u.Host)
	}
	if e.Role == 0 {
		e.Role = Everything
	}
	if e.Rate <= 0 {
		e.Rate = 50
	}
	if e.Burst <= 0 {
		e.Burst = max(1, int(2*e.Rate))
	}
	return &endpoint{Endpoint: e, name: u.Host, bucket: rate.NewLimiter(rate.Limit(e.Rate), e.Burst)}, nil
}

// noteDuration notes how long a call has taken: an eighth of what is known.
func (e *endpoint) noteDuration(d time.Duration) {
	known := time.Duration(e.latency.Load())
	if known == 0 {
		known = d
	}
	e.latency.Store(int64(max(1, known+(d-known)/8)))
}

// limits of answers. All threads of a program come in one answer.
const (
	largestAnswer = 8 << 20
	largestList   = 256 << 20
	longestWait   = time.Minute // of Retry-After
)

// request and response are JSON-RPC 2.0.
type request struct {
	Version string `json:"jsonrpc"`
	ID      int64  `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params,omitempty"`
}

type response struct {
	ID     *int64          `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	} `json:"error"`
}

// readAnswer reads an answer.
func (r *response) readAnswer(body io.Reader) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, r)
}

// callOnce asks the node once. Errors are *Error or *UnreachableError, and ctx's own when it has ended.
func (e *endpoint) callOnce(ctx context.Context, client *http.Client, method string, params []any, into any) error {
	id := e.id.Add(1)
	asked, err := json.Marshal(request{Version: "2.0", ID: id, Method: method, Params: params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	away := func(err error) error {
		if told, ok := errors.AsType[*url.Error](err); ok {
			err = told.Err // without the address
		}
		return &UnreachableError{Endpoint: e.name, Method: method, Err: err}
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL, bytes.NewReader(asked))
	if err != nil {
		return away(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return away(err)
	}
	defer answer.Body.Close()
	limit := int64(largestAnswer)
	if method == "getProgramAccounts" {
		limit = largestList
	}
	body := &io.LimitedReader{R: answer.Body, N: limit + 1}
	var told response
	list, listed := into.(*keyedList)
	if listed {
		err = list.readList(body, &told)
	} else {
		err = told.readAnswer(body)
	}
	if body.N == 0 {
		return away(fmt.Errorf("the answer has more than %d bytes", limit))
	}
	if err == nil && told.Error != nil {
		answered := &Error{Endpoint: e.name, Method: method, Code: told.Error.Code, Message: clipText([]byte(told.Error.Message)), Data: told.Error.Data}
		// Some nodes report overload by HTTP status, with their own codes in the body.
		if s := answer.StatusCode; s == http.StatusTooManyRequests || s >= http.StatusInternalServerError && !answered.aboutRequest() {
			return &UnreachableError{Endpoint: e.name, Method: method, Status: s, After: after(answer.Header), Err: fmt.Errorf("%d: %s", answered.Code, answered.Message)}
		}
		return answered
	}
	if answer.StatusCode != http.StatusOK {
		return &UnreachableError{Endpoint: e.name, Method: method, Status: answer.StatusCode, After: after(answer.Header)}
	}
	switch {
	case err != nil:
		return away(fmt.Errorf("the answer is no JSON-RPC: %w", err))
	case told.ID == nil || *told.ID != id:
		return away(errors.New("the answer is another request's"))
	}
	if listed {
		return nil
	}
	if err := told.decodeResult(into); err != nil {
		return away(fmt.Errorf("the result is not what the method gives: %w", err))
	}
	return nil
}

// checked is a result with rules that its type does not express.
type checked interface{ check() error }

// decodeResult reads the result. No method that is asked for here gives nothing.
func (r *response) decodeResult(result any) error {
	if len(r.Result) == 0 || string(r.Result) == "null" {
		return errors.New("it is empty")
	}
	if err := json.Unmarshal(r.Result, result); err != nil {
		return err
	}
	if c, ruled := result.(checked); ruled {
		return c.check()
	}
	return nil
}

// after reads Retry-After: seconds, or a time.
func after(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return min(time.Duration(max(0, min(seconds, 3600)))*time.Second, longestWait)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), longestWait)
	}
	return 0
}
