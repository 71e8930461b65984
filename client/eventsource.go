package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// streamSilence is the idle timeout of a stream: its server sends something every 15 s.
	streamSilence = 45 * time.Second
	// streamFirst and streamLast are the pauses before a stream is opened again.
	streamFirst, streamLast = 200 * time.Millisecond, 5 * time.Second
)

// errBroken is why a stream is opened again.
var errBroken = errors.New("the stream broke")

// serverEvent is an event of a stream. Its data is valid until the next one.
type serverEvent struct {
	name, id string
	data     []byte
}

// decode reads the data as JSON.
func (c *Client) decode(e *serverEvent, v any) error {
	if err := json.Unmarshal(e.data, v); err != nil {
		return c.stranger(fmt.Sprintf("streams JSON of another shape (%v)", err))
	}
	return nil
}

// events opens a stream behind the event with the id last and calls take with what
// comes, until that is done, or fails, or the stream breaks: that is errBroken.
func (c *Client) events(ctx context.Context, path string, query url.Values, last string, take func(*serverEvent) (done bool, err error)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(streamSilence, func() { cancel(errBroken) })
	defer silence.Stop()
	response, err := c.openStream(ctx, path, query, "text/event-stream", last)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(make([]byte, 0, 64<<10), maxAnswer)
	var e serverEvent
	for lines.Scan() {
		silence.Reset(streamSilence)
		line := lines.Bytes()
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(line) == 0:
			if e.name != "" || e.id != "" {
				if done, err := take(&e); err != nil || done {
					return err
				}
			}
			e = serverEvent{data: e.data[:0]}
		case string(field) == "event":
			e.name = string(value)
		case string(field) == "id":
			e.id = string(value)
		case string(field) == "data":
			e.data = append(e.data, value...)
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return job.Errorf(job.Refused, "an event of %s is larger than %d MiB", c.base, maxAnswer>>20)
	}
	return errBroken
}

// waitToReopen waits before a stream is opened again. It ends with the context's cause.
func waitToReopen(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// longer returns the next pause.
func longer(delay time.Duration) time.Duration { return min(max(2*delay, streamFirst), streamLast) }

// openStream makes a request whose answer is read as it comes, without a limit of time. The
// caller closes its body.
func (c *Client) openStream(ctx context.Context, path string, query url.Values, media, last string) (*http.Response, error) {
	request, err := c.request(ctx, http.MethodGet, path, query, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", media+", application/problem+json")
	if last != "" {
		request.Header.Set("Last-Event-ID", last)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.silence(err, false)
	}
	got, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && got == media {
		return response, nil
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, c.silence(err, true)
	}
	if err := c.understand(response, body, nil); err != nil {
		return nil, err
	}
	return nil, c.stranger("answers with " + strconv.Quote(strings.ToValidUTF8(got, "")) + " where a stream was expected")
}
