package wiretest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// answer is what came back of a request.
type answer struct {
	status int
	header http.Header
	body   string
}

// value returns the body as JSON.
func (a answer) value() (any, error) {
	d := json.NewDecoder(strings.NewReader(a.body))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("the reply is no JSON: %q", a.body)
	}
	return v, nil
}

// answerIn is how long a request may take.
const answerIn = 30 * time.Second

// mostReply bounds a reply.
const mostReply = 8 << 20

// exchange writes the texts one after the other to one connection, each when
// the replies to the one before have come, and reads n replies to each.
// Requests are written by hand: clients tidy up what the cases are about.
func exchange(ctx context.Context, base string, n int, texts ...string) ([]answer, error) {
	conn, err := dial(ctx, base)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(answerIn)); err != nil {
		return nil, err
	}
	r := bufio.NewReader(conn)
	var all []answer
	for i, text := range texts {
		written := make(chan struct{})
		go func() {
			defer close(written)
			_, _ = io.WriteString(conn, text) // who does not read it all may answer still
		}()
		for range n {
			a, err := readAnswer(r)
			if err != nil {
				_ = conn.Close()
				<-written
				return all, fmt.Errorf("read the reply to %.80q: %w", text, err)
			}
			all = append(all, a)
		}
		if i == len(texts)-1 {
			_ = conn.Close() // ends the writing of what nobody reads
		}
		<-written
	}
	return all, nil
}

func readAnswer(r *bufio.Reader) (answer, error) {
	response, err := http.ReadResponse(r, nil)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostReply))
	if err != nil {
		return answer{}, err
	}
	return answer{status: response.StatusCode, header: response.Header, body: string(body)}, nil
}

func dial(ctx context.Context, base string) (net.Conn, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	plain := &net.Dialer{Timeout: answerIn}
	if u.Scheme == "https" {
		encrypted := tls.Dialer{NetDialer: plain}
		return encrypted.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "443")))
	}
	return plain.DialContext(ctx, "tcp", net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), "80")))
}

// format writes a request the way clients do, in front of the base's own path.
func format(base, method, target string, header map[string]string, body []byte) string {
	var text bytes.Buffer
	host, path := base, ""
	if u, err := url.Parse(base); err == nil {
		host, path = u.Host, strings.TrimSuffix(u.Path, "/")
	}
	fmt.Fprintf(&text, "%s %s%s HTTP/1.1\r\nHost: %s\r\n", method, path, target, host)
	for _, name := range slices.Sorted(maps.Keys(header)) {
		fmt.Fprintf(&text, "%s: %s\r\n", name, header[name])
	}
	fmt.Fprintf(&text, "Content-Length: %d\r\n\r\n", len(body))
	text.Write(body)
	return text.String()
}
