package wiretest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// fakeExecutor is an executor that takes every run and does none: the case
// tells the admin what became of them.
type fakeExecutor struct {
	url    string
	admin  string // its base URL
	words  words
	peer   executorPeer
	server *http.Server // nil: it is dead
	silent io.Closer    // nil: it is alive

	mu    sync.Mutex
	calls []taskCall   // guarded by mu
	seen  bytes.Buffer // guarded by mu; what came, as it came, up to mostSeen
}

// taskCall is one request to an executor.
type taskCall struct {
	path  string
	body  any
	empty bool
}

// mostSeen bounds what an executor remembers of the bytes.
const mostSeen = 1 << 20

func newFakeExecutor(ctx context.Context, w words, peer executorPeer, others []*fakeExecutor) (*fakeExecutor, error) {
	e := &fakeExecutor{words: w, peer: peer}
	if peer.Dead {
		port, err := inOrder(ctx, newSilentPort, peer.Sorts, others)
		if err != nil {
			return nil, err
		}
		e.url, e.silent = "http://"+port.Addr().String()+peer.Path, port
		return e, nil
	}
	listener, err := inOrder(ctx, listen, peer.Sorts, others)
	if err != nil {
		return nil, err
	}
	e.url = "http://" + listener.Addr().String() + peer.Path
	e.server = &http.Server{Handler: e, ReadHeaderTimeout: answerIn}
	go func() { _ = e.server.Serve(witness{listener, e}) }() // ends in stop
	return e, nil
}

// ports is how many ports are looked at for one that sorts as a case wants it.
const ports = 16

// port is a port of this machine that a program has.
type port interface {
	Addr() net.Addr
	Close() error
}

func listen(ctx context.Context) (net.Listener, error) {
	return new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
}

// inOrder opens any port, or that of several whose address sorts "first" or "last", and
// then before or after those of all others: the others of a case are given room by the
// opposite.
func inOrder[P port](ctx context.Context, open func(context.Context) (P, error), sorts string, others []*fakeExecutor) (P, error) {
	var none P
	var found []P // kept until all are there, else a port would be given out again
	number := ports
	if sorts == "" {
		number = 1
	}
	for range number {
		one, err := open(ctx)
		if err != nil {
			return none, errors.Join(err, closeAll(found))
		}
		found = append(found, one)
	}
	slices.SortFunc(found, func(a, b P) int { return cmp.Compare(a.Addr().String(), b.Addr().String()) })
	if sorts == "last" {
		slices.Reverse(found)
	}
	if err := closeAll(found[1:]); err != nil {
		return none, errors.Join(err, found[0].Close())
	}
	url := "http://" + found[0].Addr().String()
	for _, other := range others {
		if sorts == "first" && url > other.url || sorts == "last" && url < other.url {
			return none, errors.Join(fmt.Errorf("%s does not sort %s, %s does", url, sorts, other.url), found[0].Close())
		}
	}
	return found[0], nil
}

func closeAll[P port](ports []P) error {
	var all error
	for _, p := range ports {
		all = errors.Join(all, p.Close())
	}
	return all
}

func (e *fakeExecutor) stop() {
	if e.server != nil {
		_ = e.server.Close()
	}
	if e.silent != nil {
		_ = e.silent.Close()
	}
}

// ServeHTTP implements http.Handler.
func (e *fakeExecutor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(io.LimitReader(r.Body, mostReply))
	body, _ := answer{body: string(text)}.value()
	path := strings.TrimPrefix(r.RequestURI, e.peer.Path)
	e.mu.Lock()
	e.calls = append(e.calls, taskCall{path, body, len(text) == 0})
	e.mu.Unlock()
	early := e.early(r.Context(), path, body)
	reply, err := e.reply(path, body)
	err = cmp.Or(early, err)
	if err != nil {
		reply = envelope(500, err.Error())
	}
	w.Header().Set("Content-Type", "text/html;charset=UTF-8")
	_, _ = io.WriteString(w, asText(reply))
}

// early tells the admin that a run has succeeded, where the case wants that it does so
// before it answers.
func (e *fakeExecutor) early(ctx context.Context, path string, body any) error {
	run, err := e.words.text("${run-path}")
	if err != nil || !e.peer.Early || path != run {
		return err
	}
	object, _ := body.(map[string]any)
	tells := &round{words: e.words.with("taken", object["logId"]), url: e.admin}
	return tells.send(ctx, &step{Send: &request{Target: "/api/callback", Body: "${succeeded}"}, Reply: "${success}"})
}

// reply returns what the flavour's executor says, or what the case has it say.
func (e *fakeExecutor) reply(path string, body any) (any, error) {
	run, err := e.words.text("${run-path}")
	if err != nil {
		return nil, err
	}
	var own, none any = nil, "${ok}"
	switch path {
	case run:
		own = e.peer.Reply
	case "/beat":
	case "/idleBeat":
		own = e.peer.Idle
	case "/kill":
	case "/log":
		none = e.page(body)
	default:
		none = envelope(500, "${no-mapping}("+path+") not found.")
	}
	if own == nil {
		own = none
	}
	return e.words.fill(own)
}

// page returns the lines of a log that are asked for, as the flavour's executor does:
// there is an end for it only where there is no log.
func (e *fakeExecutor) page(body any) any {
	object, _ := body.(map[string]any)
	asked, _ := object["fromLineNum"].(json.Number)
	from, _ := asked.Int64()
	from = max(from, 1)
	end, to, text := len(e.peer.Lines) == 0, int64(0), "${no-log}"
	if !end {
		text = ""
		if from <= int64(len(e.peer.Lines)) {
			to = int64(len(e.peer.Lines))
			text = strings.Join(e.peer.Lines[from-1:], "\n") + "\n"
		}
	}
	page := envelope(200, "Success")
	page["${payload}"] = map[string]any{"fromLineNum": number(from), "toLineNum": number(to), "logContent": text, "${end}": end}
	return page
}

// of returns the requests with a path.
func (e *fakeExecutor) of(path string) []taskCall {
	e.mu.Lock()
	defer e.mu.Unlock()
	var found []taskCall
	for _, c := range e.calls {
		if c.path == path {
			found = append(found, c)
		}
	}
	return found
}

// bytes returns what came, as it came.
func (e *fakeExecutor) bytes() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.seen.String()
}

// witness shows an executor the bytes that its server parses.
type witness struct {
	net.Listener
	e *fakeExecutor
}

// Accept implements net.Listener.
func (w witness) Accept() (net.Conn, error) {
	conn, err := w.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return witnessed{conn, w.e}, nil
}

type witnessed struct {
	net.Conn
	e *fakeExecutor
}

// Read implements net.Conn.
func (w witnessed) Read(p []byte) (int, error) {
	n, err := w.Conn.Read(p)
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	if w.e.seen.Len() < mostSeen {
		w.e.seen.Write(p[:n])
	}
	return n, err
}
