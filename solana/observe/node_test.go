package observe

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/gagliardetto/solana-go"

	"github.com/orthd/orth/solana/rpc"
	"github.com/orthd/orth/solana/thread"
)

// node is a node that does what a test wants: it takes subscriptions to threads as 1 and to the clock as 2.
type node struct {
	t      *testing.T
	server *httptest.Server
	URL    string

	mu       sync.Mutex
	refuse   int      // HTTP's status in the place of a connection; 0: none
	then     []string // what each connection receives once it is subscribed
	drop     bool     // connections end then
	deaf     bool     // connections are not read then
	sockets  []*websocket.Conn
	connects int
}

// newNode starts a node.
func newNode(t *testing.T) *node {
	t.Helper()
	n := &node{t: t}
	n.server = httptest.NewServer(n)
	n.URL = "ws" + strings.TrimPrefix(n.server.URL, "http")
	t.Cleanup(func() {
		n.mu.Lock()
		for _, s := range n.sockets {
			_ = s.CloseNow()
		}
		n.mu.Unlock()
		n.server.Close()
	})
	return n
}

// ServeHTTP takes a connection.
func (n *node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	n.connects++
	refuse, then, drop, deaf := n.refuse, n.then, n.drop, n.deaf
	n.mu.Unlock()
	if refuse != 0 {
		w.WriteHeader(refuse)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // who asks has gone
	}
	defer conn.CloseNow() //nolint:errcheck // it is over
	ctx := r.Context()
	answers := map[string]string{"programSubscribe": "1", "accountSubscribe": "2"}
	for range 2 {
		_, data, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(data, &asked); err != nil {
			n.t.Errorf("a request is %s: %v", data, err)
		}
		if asked.ID > 1000 {
			n.t.Errorf("a request has the id %d: some nodes keep 53 bits alone", asked.ID)
		}
		id, _ := json.Marshal(asked.ID)
		if conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","result":`+answers[asked.Method]+`,"id":`+string(id)+`}`)) != nil {
			return
		}
	}
	for _, text := range then {
		if conn.Write(ctx, websocket.MessageText, []byte(text)) != nil {
			return
		}
	}
	if drop {
		return
	}
	n.mu.Lock()
	n.sockets = append(n.sockets, conn)
	n.mu.Unlock()
	if deaf {
		<-ctx.Done() // or the end of the server
		return
	}
	for err == nil {
		_, _, err = conn.Read(ctx)
	}
}

// say sends texts to all connections.
func (n *node) say(texts ...string) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), longest)
	defer cancel()
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range n.sockets {
		for _, text := range texts {
			_ = s.Write(ctx, websocket.MessageText, []byte(text)) // some have ended
		}
	}
}

func (n *node) set(change func(*node)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	change(n)
}

func (n *node) count() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.connects
}

// stock is a chain that a test configures.
type stock struct {
	mu      sync.Mutex
	slot    uint64
	threads map[thread.Key]thread.Thread
	away    bool
	lists   int
}

func newStock() *stock {
	return &stock{slot: 1000, threads: make(map[thread.Key]thread.Thread)}
}

func (s *stock) set(change func(*stock)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *stock) ProgramAccounts(context.Context, rpc.Commitment, solana.PublicKey, []byte) (all []rpc.Keyed, slot uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lists++
	if s.away {
		return nil, 0, errNoChain
	}
	for key, t := range s.threads {
		all = append(all, rpc.Keyed{Key: key, Account: *account(t)})
	}
	return all, s.slot, nil
}

func (s *stock) Accounts(_ context.Context, c rpc.Commitment, keys ...solana.PublicKey) (all []*rpc.Account, slot uint64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.away || c == rpc.Processed {
		return nil, 0, errNoChain // nodes alone report the clock
	}
	for _, key := range keys {
		if t, found := s.threads[key]; found {
			all = append(all, account(t))
		} else {
			all = append(all, nil)
		}
	}
	return all, s.slot, nil
}

func (s *stock) Parts(context.Context, rpc.Commitment, uint64, uint64, ...solana.PublicKey) ([]*rpc.Account, uint64, error) {
	return nil, 0, errNoChain
}

// tickOf is a tick in the form of nodes.
func tickOf(slot uint64, unix int64) string { return clockNotice(2, slot, unix) }

// isUp waits until nodes are subscribed to.
func isUp(t *testing.T, o *Observer, nodes int) {
	t.Helper()
	eventually(t, "the nodes are subscribed to", func() bool { return o.Stats().EndpointsUp == nodes })
}

// observed runs an observer of nodes.
func observed(t *testing.T, chain Chain, c Config, nodes ...*node) *Observer {
	t.Helper()
	c.Profile, c.Chain = thread.Newest(), chain
	for _, n := range nodes {
		c.Endpoints = append(c.Endpoints, n.URL)
	}
	o, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	run(t, o)
	return o
}

// keptFor checks that something holds for a while.
func keptFor(t *testing.T, d time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(d); time.Now().Before(end); <-tick.C {
		if !holds() {
			t.Fatalf("it did not stay so that %s", what)
		}
	}
}
