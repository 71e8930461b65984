package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	lib "modernc.org/libquickjs"
)

// maxAnswer bounds the body of an answer, in bytes.
const maxAnswer = 8 << 20

// fetchRequest is what a script asks fetch for. prelude.js writes it.
type fetchRequest struct {
	Address string            `json:"address"`
	Method  string            `json:"method"`
	Header  map[string]string `json:"header"`
	Body    string            `json:"body"`
	Timeout float64           `json:"timeout"` // in milliseconds; 0: the client's
}

// fetchResponse is what came back. prelude.js reads it.
type fetchResponse struct {
	Status     int               `json:"status"`
	StatusText string            `json:"statusText"`
	OK         bool              `json:"ok"`
	URL        string            `json:"url"`
	Header     map[string]string `json:"header"` // by names in small letters
}

// fetch begins a call and returns its number, or why there is none.
func (l *loop) fetch(args []lib.TJSValue) any {
	var c fetchRequest
	text := l.vm.string(args[0])
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err.Error()
	}
	if l.fetches >= maxPending {
		return fmt.Sprintf("%d calls are pending already: await some of them first", maxPending)
	}
	l.fetches++
	l.lastID++
	id := l.lastID
	l.workers.Go(func() {
		got, body, err := l.exchange(c)
		e := ended{id: id, body: body}
		if err != nil {
			e.problem = cmp.Or(err.Error(), "failed")
		} else if text, err := json.Marshal(got); err == nil {
			e.answer = string(text)
		}
		l.done <- e
	})
	return id
}

// exchange makes the call. It runs in a goroutine of its own.
func (l *loop) exchange(c fetchRequest) (fetchResponse, string, error) {
	ctx := l.ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, millis(c.Timeout))
		defer cancel()
	}
	var body io.Reader = http.NoBody
	if c.Body != "" {
		body = strings.NewReader(c.Body)
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, c.Address, body)
	if err != nil {
		return fetchResponse{}, "", err
	}
	req.Header.Set("User-Agent", "orth")
	for name, value := range c.Header {
		req.Header.Set(name, value)
	}
	res, err := l.client.Do(req)
	if err != nil {
		return fetchResponse{}, "", plain(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return fetchResponse{}, "", plain(err)
	}
	if len(text) > maxAnswer {
		return fetchResponse{}, "", fmt.Errorf("the body is longer than %s", bytesText(maxAnswer))
	}
	return answerOf(res), strings.ToValidUTF8(string(text), "\uFFFD"), nil
}

func answerOf(res *http.Response) fetchResponse {
	a := fetchResponse{
		Status: res.StatusCode, StatusText: http.StatusText(res.StatusCode), OK: res.StatusCode >= 200 && res.StatusCode < 300,
		URL: res.Request.URL.Redacted(), Header: map[string]string{},
	}
	for name, values := range res.Header {
		a.Header[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return a
}

// plain takes the whole address, which may hold a password, out of an error.
func plain(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no whole answer in the time allowed: give the option timeout, in milliseconds, when it needs longer")
	}
	return err
}
