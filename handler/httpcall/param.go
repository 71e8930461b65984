package httpcall

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// httpRequest is what a parameter asks for.
type httpRequest struct {
	URL        string
	Method     string
	Headers    map[string]string
	Body       string
	HasBody    bool
	Type       string // of the body, unless a header overrides it
	DataUnsent bool   // data was given with a method that has no body
	Form       map[string]string
	Timeout    time.Duration // 0: the client's
	Expect     statuses
	ExpectBody string
	RetryOn    statuses
	Secrets    []string
	LogBody    bool
	json       bool // Body is JSON
}

const (
	jsonType = "application/json;charset=UTF-8"
	formType = "application/x-www-form-urlencoded"
	textType = "text/plain; charset=utf-8"
)

// parse reads a parameter: a JSON object, or lines of url, method and data.
func parse(param string) (httpRequest, error) {
	text := strings.TrimSpace(param)
	c := httpRequest{Expect: statuses{{200, 299}}, LogBody: true}
	var err error
	var data *string
	switch {
	case text == "":
		return httpRequest{}, job.FieldErrorf("param", `it is empty: write {"url": "https://…"} or a line "url: https://…"`)
	case text[0] == '{':
		data, err = c.readJSON(text)
	default:
		data, err = c.readLines(text)
	}
	if err != nil {
		return httpRequest{}, err
	}
	err = c.complete(data)
	return c, err
}

// readLines reads the form of lines. An address may hold colons.
func (c *httpRequest) readLines(text string) (data *string, err error) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "url":
			c.URL = value
		case "method":
			c.Method = value
		case "data":
			data = &value
		default:
			return nil, job.FieldErrorf("param", "line %d, %q, begins with none of url:, method: and data:; "+
				"write a JSON object for anything else", n, job.Clean(line, 40))
		}
	}
	return data, nil
}

// readJSON reads the form of an object. Unknown fields are errors: a field that
// is misspelt must not be ignored.
func (c *httpRequest) readJSON(text string) (data *string, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, job.FieldErrorf("param", "it is no JSON object: %w", err)
	}
	var bodies []string
	var body string
	readers := map[string]func(json.RawMessage) error{
		"url":         decodeInto(&c.URL, "a text"),
		"method":      decodeInto(&c.Method, "a text"),
		"headers":     decodeInto(&c.Headers, "an object of texts"),
		"form":        decodeInto(&c.Form, "an object of texts"),
		"body":        decodeInto(&body, "a text; json takes other values"),
		"data":        decodeInto(&data, "a text; json takes other values"),
		"json":        func(raw json.RawMessage) error { body = string(raw); return nil },
		"timeout":     c.readTimeout,
		"expect":      func(raw json.RawMessage) error { return readStatuses(raw, &c.Expect) },
		"expect_body": decodeInto(&c.ExpectBody, "a text"),
		"retry_on":    func(raw json.RawMessage) error { return readStatuses(raw, &c.RetryOn) },
		"secrets":     decodeInto(&c.Secrets, "a list of names"),
		"log_body":    decodeInto(&c.LogBody, "true or false"),
	}
	known := slices.Sorted(maps.Keys(readers))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		read, exists := readers[name]
		if !exists {
			return nil, job.FieldErrorf("param", "the field %q is unknown: there are %s", job.Clean(name, 40), strings.Join(known, ", "))
		}
		if err := read(fields[name]); err != nil {
			return nil, job.FieldErrorf("param", "the field %s is wrong: %w", name, err)
		}
		if name == "body" || name == "data" || name == "json" || name == "form" {
			bodies = append(bodies, name)
		}
	}
	if len(bodies) > 1 {
		return nil, job.FieldErrorf("param", "the fields %s exclude one another: keep one", strings.Join(bodies, " and "))
	}
	if len(bodies) == 1 && bodies[0] != "data" {
		c.HasBody, c.Body = true, body
		c.json = bodies[0] == "json"
		c.Type = map[string]string{"body": textType, "json": jsonType, "form": formType}[bodies[0]]
	}
	return data, nil
}

// decodeInto reads a value of target's type; want names it for the user.
func decodeInto[T any](target *T, want string) func(json.RawMessage) error {
	return func(raw json.RawMessage) error {
		if err := json.Unmarshal(raw, target); err != nil || bytes.Equal(raw, []byte("null")) {
			return fmt.Errorf("%s is not %s", job.Clean(string(raw), 40), want)
		}
		return nil
	}
}

func (c *httpRequest) readTimeout(raw json.RawMessage) error {
	var seconds float64
	var text string
	var d time.Duration
	err := json.Unmarshal(raw, &seconds)
	if err == nil {
		d = time.Duration(math.Min(seconds, 1e9) * float64(time.Second))
	} else if err = json.Unmarshal(raw, &text); err == nil {
		d, err = time.ParseDuration(text)
	}
	if err != nil || d < time.Millisecond {
		return fmt.Errorf(`%s is no time: write "10s", "5m" or a number of seconds`, job.Clean(string(raw), 40))
	}
	c.Timeout = d
	return nil
}

// readStatuses reads 200, "2xx", or a list of such.
func readStatuses(raw json.RawMessage, target *statuses) error {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	var found statuses
	for _, item := range list {
		text := strings.ToLower(strings.Trim(string(item), `"`))
		if class, ok := strings.CutSuffix(text, "xx"); ok && len(class) == 1 && class >= "1" && class <= "5" {
			from := int(class[0]-'0') * 100
			found = append(found, statusRange{from, from + 99})
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 100 || n > 599 {
			return fmt.Errorf(`%s is no status: write 200, "2xx" or a list of such`, job.Clean(string(item), 40))
		}
		found = append(found, statusRange{n, n})
	}
	if len(found) == 0 {
		return fmt.Errorf(`it is empty: write 200, "2xx" or a list of such`)
	}
	*target = found
	return nil
}

// complete fills in what was left out and checks the rest.
func (c *httpRequest) complete(data *string) error {
	if c.URL == "" {
		return job.FieldErrorf("param", "it has no url: write the address to call")
	}
	c.Method = strings.ToUpper(c.Method)
	if c.Method == "" {
		c.Method = http.MethodGet
		if c.HasBody || data != nil {
			c.Method = http.MethodPost
		}
	}
	methods := []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}
	if !slices.Contains(methods, c.Method) {
		return job.FieldErrorf("param", "the method %q is none of %s", job.Clean(c.Method, 20), strings.Join(methods, ", "))
	}
	if data != nil && *data != "" {
		// Jobs of old carry data with GET, too, and it was never sent.
		c.DataUnsent = c.Method == http.MethodGet || c.Method == http.MethodHead
		if !c.DataUnsent {
			c.HasBody, c.Body, c.Type = true, *data, jsonType
		}
	}
	for name, value := range c.Headers {
		switch strings.ToLower(name) {
		case "host", "content-length", "transfer-encoding", "connection", "keep-alive", "proxy-connection", "te", "trailer", "upgrade":
			return job.FieldErrorf("param", "the header %s belongs to the connection: leave it out", name)
		}
		if !isToken(name) || strings.ContainsFunc(value, isControl) {
			return job.FieldErrorf("param", "the header %q has a name or a value that HTTP does not allow", job.Clean(name, 40))
		}
	}
	return nil
}

// isToken reports whether name may be a header's name, RFC 9110.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// request makes the request, after the secrets stand in their places.
func (c *httpRequest) request(ctx context.Context) (*http.Request, error) {
	var body io.Reader = http.NoBody
	switch {
	case c.Type == formType:
		values := url.Values{}
		for name, value := range c.Form {
			values.Set(name, value)
		}
		body = strings.NewReader(values.Encode())
	case c.HasBody:
		body = strings.NewReader(c.Body)
	}
	req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, body)
	if err != nil {
		return nil, job.FieldErrorf("param", "the url cannot be read: write it as https://host/path with special characters escaped")
	}
	req.Header.Set("User-Agent", "orth")
	if c.Type != "" {
		req.Header.Set("Content-Type", c.Type)
	}
	for name, value := range c.Headers {
		req.Header.Set(name, value)
	}
	return req, nil
}
