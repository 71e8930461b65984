package wiretest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// fakeAdmin is an admin that notes what executors tell it. It answers as
// strictly as the flavour's own, or as a case has it answer.
type fakeAdmin struct {
	url    string
	words  words
	open   bool // no token is wanted
	server io.Closer

	mu      sync.Mutex
	told    []adminCall          // guarded by mu
	items   map[string][]any     // by log id, those that were answered with success; guarded by mu
	latest  map[string]time.Time // by log id, when the latest of them came; guarded by mu
	scripts *answers             // guarded by mu; nil: as the flavour does
	since   int                  // guarded by mu; the calls before it were looked at
}

// adminCall is one request to the admin.
type adminCall struct {
	name   string
	header http.Header
	body   any
}

// newFakeAdmin serves an admin at host and port until stop.
func newFakeAdmin(ctx context.Context, listen string, w words, token string) (*fakeAdmin, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, err
	}
	prefix, err := w.text("${prefix}")
	if err != nil {
		return nil, err
	}
	a := &fakeAdmin{
		url: "http://" + listener.Addr().String() + prefix, words: w, open: token == "", items: make(map[string][]any), latest: make(map[string]time.Time),
	}
	server := &http.Server{Handler: a, ReadHeaderTimeout: answerIn}
	a.server = server
	go func() { _ = server.Serve(listener) }() // ends in stop
	return a, nil
}

// newDeadAdmin returns an admin that does not listen.
func newDeadAdmin(ctx context.Context, w words) (*fakeAdmin, error) {
	prefix, err := w.text("${prefix}")
	if err != nil {
		return nil, err
	}
	port, err := newSilentPort(ctx)
	if err != nil {
		return nil, err
	}
	return &fakeAdmin{url: "http://" + port.Addr().String() + prefix, server: port}, nil
}

func (a *fakeAdmin) stop() { _ = a.server.Close() }

// ServeHTTP implements http.Handler.
func (a *fakeAdmin) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(io.LimitReader(r.Body, mostReply))
	_, name, api := strings.Cut(r.URL.Path, "/api/")
	body, err := answer{body: string(text)}.value()
	a.mu.Lock()
	scripted := a.scripts
	a.mu.Unlock()
	if scripted != nil {
		a.note(name, r.Header, body, nil)
		for header, value := range scripted.Headers {
			w.Header().Set(header, value)
		}
		w.WriteHeader(scripted.Status)
		_, _ = io.WriteString(w, scripted.Body)
		return
	}
	var items []any
	refusal := a.refuses(r, len(text))
	switch {
	case refusal != "":
	case !api:
		refusal = "invalid request, uri-mapping empty."
	case err != nil:
		refusal = "openapi invoke error: " + err.Error()
	case name == "callback":
		if items, err = a.outcomes(body); err != nil {
			refusal = "openapi invoke error: " + err.Error()
		}
	case name != "registry" && name != "registryRemove":
		refusal = "invalid request, uri-mapping(" + name + ") not found."
	}
	a.note(name, r.Header, body, items)
	w.Header().Set("Content-Type", "application/json")
	if refusal != "" {
		_, _ = io.WriteString(w, asText(envelope(500, refusal)))
		return
	}
	_, _ = io.WriteString(w, `{"code":200,"msg":"Success","data":null,"success":true}`)
}

// refuses returns the text with which the flavour's admin refuses a request
// before it reads it, or "".
func (a *fakeAdmin) refuses(r *http.Request, length int) string {
	word := func(name string) string {
		text, err := a.words.text("${" + name + "}")
		if err != nil {
			return err.Error()
		}
		return text
	}
	shown := r.Header.Get(word("token-header"))
	_, strict := a.words["no-token"]
	switch {
	case r.Method != http.MethodPost:
		return "invalid request, HttpMethod not support."
	case length == 0:
		return "invalid request, requestBody empty."
	case a.open:
		return ""
	case strict && (shown == "" || r.Header.Get(word("app-header")) == ""):
		return word("no-token")
	case shown != word("token"), strict && r.Header.Get(word("app-header")) != word("app"):
		return word("wrong-token")
	}
	return ""
}

// outcomes returns the items of a callback in the only shape that the flavour's
// admin reads.
func (a *fakeAdmin) outcomes(body any) ([]any, error) {
	if _, strict := a.words["no-token"]; strict {
		object, ok := body.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("expected BEGIN_OBJECT but was something else")
		}
		body = object["callbackList"]
	}
	items, ok := body.([]any)
	if !ok {
		return nil, fmt.Errorf("expected BEGIN_ARRAY but was something else")
	}
	return items, nil
}

// repeatAfter is from when on an outcome that comes again word for word is that
// of a call whose answer was lost: no peer waits less for an answer, and slow
// machines lose some.
const repeatAfter = time.Second

func (a *fakeAdmin) note(name string, header http.Header, body any, items []any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, adminCall{name, header, body})
	now := time.Now()
	for _, item := range items {
		object, ok := item.(map[string]any)
		if !ok {
			continue
		}
		id := asText(object["logId"])
		before := a.items[id]
		if n := len(before); n > 0 && asText(before[n-1]) == asText(item) && now.Sub(a.latest[id]) >= repeatAfter {
			continue
		}
		a.items[id], a.latest[id] = append(before, item), now
	}
}

// answer makes the admin answer so from now on.
func (a *fakeAdmin) answer(with *answers) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = len(a.told)
	a.scripts = with
	if with.Status == 0 {
		a.scripts = nil
	}
}

// mark makes the calls so far those that were looked at.
func (a *fakeAdmin) mark() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.since = len(a.told)
}

// calls returns the requests since the mark, and all with whole.
func (a *fakeAdmin) calls(whole bool) []adminCall {
	a.mu.Lock()
	defer a.mu.Unlock()
	if whole {
		return slices.Clip(a.told)
	}
	return slices.Clip(a.told[a.since:])
}

// of returns the callbacks of a log id that the admin took.
func (a *fakeAdmin) of(log string) []any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]any(nil), a.items[log]...)
}

// poll is the time between two looks at what must come to be.
const poll = 10 * time.Millisecond

// until tries again until what must be so is so, and returns why it is not
// when the time is over. With no time it tries once.
func until(ctx context.Context, within time.Duration, holds func() error) error {
	deadline := time.Now().Add(within)
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for {
		err := holds()
		if err == nil || !time.Now().Before(deadline) {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return err
		}
	}
}
