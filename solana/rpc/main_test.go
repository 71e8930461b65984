package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
)

// nodes are servers in memory, by host: a function defines each one's answers. Every call
// is recorded.
type nodes struct {
	mu    sync.Mutex
	does  map[string]func(call) answer
	calls []call
}

// call is one request to one of the nodes.
type call struct {
	Host   string
	Method string
	Params []json.RawMessage
	// until is when the caller gives up.
	until <-chan struct{}
}

// answer is what a node does: a result, an error of its own, an error of HTTP, or no answer.
type answer struct {
	result any
	code   int // of JSON-RPC
	data   any
	status int // of HTTP; 0 is 200
	after  string
	away   error
	body   string // in place of all
}

func (n *nodes) RoundTrip(r *http.Request) (*http.Response, error) {
	var asked struct {
		ID     int64             `json:"id"`
		Method string            `json:"method"`
		Params []json.RawMessage `json:"params"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return nil, err
	}
	c := call{Host: r.URL.Host, Method: asked.Method, Params: asked.Params, until: r.Context().Done()}
	n.mu.Lock()
	n.calls = append(n.calls, c)
	does := n.does[c.Host]
	n.mu.Unlock()
	a := does(c)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if a.away != nil {
		return nil, a.away
	}
	told := map[string]any{"jsonrpc": "2.0", "id": asked.ID}
	if a.code != 0 {
		told["error"] = map[string]any{"code": a.code, "message": "the node says no", "data": a.data}
	} else {
		told["result"] = a.result
	}
	body, err := json.Marshal(told)
	if err != nil {
		return nil, err
	}
	if a.body != "" {
		body = []byte(a.body)
	}
	status := a.status
	if status == 0 {
		status = http.StatusOK
	}
	header := http.Header{}
	if a.after != "" {
		header.Set("Retry-After", a.after)
	}
	return &http.Response{StatusCode: status, Status: fmt.Sprint(status), Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}

// hosts are the nodes that were asked, in order.
func (n *nodes) hosts() (hosts []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.calls {
		hosts = append(hosts, c.Host)
	}
	return hosts
}

// says is a node that always does the same.
func says(a answer) func(call) answer { return func(call) answer { return a } }

// pool is made of nodes with the names of their hosts.
func pool(t *testing.T, n *nodes, endpoints ...Endpoint) *Pool {
	t.Helper()
	p, err := New(Config{Endpoints: endpoints, Client: n.client()})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (n *nodes) client() *http.Client { return &http.Client{Transport: n} }
