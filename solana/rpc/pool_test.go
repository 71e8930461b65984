package rpc

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/breaker"
)

const secret = "key-of-the-owner"

func two() []Endpoint {
	return []Endpoint{{URL: "https://a.example/" + secret}, {URL: "https://b.example/?api-key=" + secret}}
}

func TestElsewhereWhenOneCannot(t *testing.T) {
	well := says(answer{result: 7})
	for name, bad := range map[string]answer{
		"away":              {away: errors.New("connection refused")},
		"overloaded":        {status: 503, body: "try later"},
		"too many":          {status: 429, code: -32005},
		"too many, it says": {code: 429},
		"in its own words":  {status: 503, code: -32000},
		"behind":            {code: codeNodeBehind},
		"not there yet":     {code: codeMinContextSlot},
		"internal":          {code: codeInternal},
		"no JSON":           {body: "<html>"},
		"another's":         {body: `{"jsonrpc":"2.0","id":99,"result":7}`},
		"no id":             {body: `{"jsonrpc":"2.0","id":null,"result":7}`},
		"odd":               {result: "seven"},
		"below nothing":     {result: -7},
		"nothing":           {result: nil},
		"not a word":        {body: `{"jsonrpc":"2.0","id":1}`},
		"cut":               {body: `{"jsonrpc":"2.0","id":1,"result":7`},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := &nodes{does: map[string]func(call) answer{"a.example": says(bad), "b.example": well}}
			slot, err := pool(t, n, two()...).Slot(t.Context(), Confirmed)
			if err != nil || slot != 7 {
				t.Errorf("%s: slot %d, %v", name, slot, err)
			}
			if got := n.hosts(); !slices.Equal(got, []string{"a.example", "b.example"}) {
				t.Errorf("%s: asked %v", name, got)
			}
		})
	}
}

func TestNotElsewhereWhenAllWouldSayNo(t *testing.T) {
	for _, no := range []answer{{code: codeInvalidParams}, {status: 500, code: codeInvalidParams}, {status: 500, code: codeSignature}} {
		synctest.Test(t, func(t *testing.T) {
			n := &nodes{does: map[string]func(call) answer{"a.example": says(no), "b.example": says(answer{result: 7})}}
			_, err := pool(t, n, two()...).Send(t.Context(), []byte("wire"), false)
			if !IsInvalid(err) || IsTransient(err) {
				t.Errorf("error %v", err)
			}
			if got := n.hosts(); len(got) != 1 {
				t.Errorf("asked %v", got)
			}
		})
	}
}

// That a node cannot read our request reveals nothing about a transaction.
func TestInvalidReads(t *testing.T) {
	n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{code: codeInvalidParams})}}
	if _, err := pool(t, n, two()[:1]...).Slot(t.Context(), Confirmed); err == nil || IsInvalid(err) || IsTransient(err) || len(n.hosts()) != 1 {
		t.Errorf("error %v, asked %v", err, n.hosts())
	}
}

// A node's own reason besides an error of HTTP is reported, and the pause that it asks for.
func TestOverloadedInItsOwnWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{status: 503, code: -32000, after: "20"})}}
		p, err := New(Config{Endpoints: two()[:1], Client: n.client(), Tries: 1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Slot(t.Context(), Confirmed)
		if away, ok := errors.AsType[*UnreachableError](err); !ok || away.After != 20*time.Second || err.Error() != "getSlot: a.example answered HTTP 503, -32000: the node says no" {
			t.Errorf("error %v", err)
		}
	})
}

// No text of a pool shows the owner's key.
func TestAddressesAreNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{}}
		for _, host := range []string{"a.example", "b.example"} {
			n.does[host] = says(answer{away: errors.New("connection refused")})
		}
		p := pool(t, n, two()...)
		_, err := p.Slot(t.Context(), Confirmed)
		if err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "a.example") {
			t.Errorf("error %v", err)
		}
		for _, s := range p.Status(time.Now()) {
			if strings.Contains(s.Name+s.Breaker.Reason+s.Breaker.Address, secret) {
				t.Errorf("status %+v", s)
			}
		}
	})
	for _, bad := range []string{"https://a.example:port/" + secret, "ftp://a.example/" + secret, secret, "https:///" + secret} {
		if _, err := New(Config{Endpoints: []Endpoint{{URL: bad}}}); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("error %v", err)
		}
	}
}

// A node that asks to be left alone is, as long as there is another; alone it is asked when it allows.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := true
		does := func(call) answer {
			if limited {
				limited = false
				return answer{status: 429, after: "7"}
			}
			return answer{result: 1}
		}
		n := &nodes{does: map[string]func(call) answer{"a.example": does, "b.example": says(answer{result: 2})}}
		p := pool(t, n, two()...)
		for range 3 {
			if slot, err := p.Slot(t.Context(), Confirmed); err != nil || slot != 2 {
				t.Errorf("slot %d, %v", slot, err)
			}
		}
		if got := n.hosts(); slices.Contains(got[1:], "a.example") {
			t.Errorf("asked %v", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		start, limited := time.Now(), true
		n := &nodes{does: map[string]func(call) answer{"a.example": func(call) answer {
			if limited {
				limited = false
				return answer{status: 429, after: start.Add(9 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")}
			}
			return answer{result: 1}
		}}}
		if _, err := pool(t, n, two()[:1]...).Slot(t.Context(), Confirmed); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took < 8*time.Second || took > 10*time.Second {
			t.Errorf("asked again after %v", took)
		}
	})
}

// A node that failed often is not asked while another is well, and is again when its time has come.
func TestBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := true
		n := &nodes{does: map[string]func(call) answer{"a.example": func(call) answer {
			if down {
				return answer{status: 502}
			}
			return answer{result: 1}
		}, "b.example": says(answer{result: 2})}}
		p := pool(t, n, two()...)
		for range 20 {
			if _, err := p.Slot(t.Context(), Confirmed); err != nil {
				t.Fatal(err)
			}
		}
		asked := 0
		for _, host := range n.hosts() {
			if host == "a.example" {
				asked++
			}
		}
		if asked > 5 {
			t.Errorf("a node that is down was asked %d times", asked)
		}
		if s := p.Status(time.Now())[0]; asked == 5 && s.Breaker.State != breaker.Open {
			t.Errorf("status %+v", s)
		}
		down = false
		n.does["b.example"] = says(answer{status: 502})
		time.Sleep(time.Minute)
		if slot, err := p.Slot(t.Context(), Confirmed); err != nil || slot != 1 {
			t.Errorf("slot %d, %v", slot, err)
		}
	})
}

func TestQuickestFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := func(d time.Duration, slot int) func(call) answer {
			return func(call) answer { time.Sleep(d); return answer{result: slot} }
		}
		n := &nodes{does: map[string]func(call) answer{"a.example": takes(80*time.Millisecond, 1), "b.example": takes(20*time.Millisecond, 2)}}
		p := pool(t, n, two()...)
		for i := range 10 {
			slot, err := p.Slot(t.Context(), Confirmed)
			if err != nil || i >= 2 && slot != 2 {
				t.Errorf("request %d was answered by %d, %v", i, slot, err)
			}
		}
		if s := p.Status(time.Now()); s[0].Latency != 80*time.Millisecond || s[1].Latency != 20*time.Millisecond {
			t.Errorf("status %+v", s)
		}
	})
}

// A node is asked no more often than it allows: beyond it others are, and then the request waits.
func TestRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{result: 1}), "b.example": says(answer{result: 2})}}
		endpoints := two()
		endpoints[0].Rate, endpoints[0].Burst = 1, 2
		endpoints[1].Rate, endpoints[1].Burst = 1, 2
		p := pool(t, n, endpoints...)
		start := time.Now()
		for range 8 {
			if _, err := p.Slot(t.Context(), Confirmed); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(start); took < 1900*time.Millisecond || took > 4*time.Second {
			t.Errorf("8 requests to nodes that allow 4, and 2 more a second, took %v", took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := p.Slot(ctx, Confirmed); err == nil {
			t.Error("who has no time to wait is answered")
		}
	})
}

func TestTimeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{"a.example": func(c call) answer { <-c.until; return answer{} }}}
		p, err := New(Config{Endpoints: two()[:1], Client: n.client(), Tries: 2, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		_, err = p.Slot(t.Context(), Confirmed)
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took < 2*time.Second || took > 3*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if _, err := p.Slot(ctx, Confirmed); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if s := p.Status(time.Now())[0]; s.Breaker.Failures != 2 {
			t.Errorf("a caller without time counts against the node: %+v", s)
		}
	})
}

func TestRoles(t *testing.T) {
	endpoints := two()
	endpoints[0].Role, endpoints[1].Role = Reading, Submitting
	n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{result: 1}), "b.example": says(answer{result: signature(1).String()})}}
	p := pool(t, n, endpoints...)
	if _, err := p.Slot(t.Context(), Confirmed); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send(t.Context(), []byte("wire"), false); err != nil {
		t.Fatal(err)
	}
	if got := n.hosts(); !slices.Equal(got, []string{"a.example", "b.example"}) {
		t.Errorf("asked %v", got)
	}
	for _, none := range [][]Endpoint{{endpoints[0]}, {endpoints[1]}, {}, slices.Repeat(two(), 9)} {
		if _, err := New(Config{Endpoints: none}); err == nil {
			t.Errorf("%d nodes make a pool in which something is missing", len(none))
		}
	}
}

// Nodes are asked by way of the proxy that the environment names, as subscriptions are.
func TestProxy(t *testing.T) {
	p, err := New(Config{Endpoints: two()})
	if err != nil {
		t.Fatal(err)
	}
	if by, ok := p.config.Client.Transport.(*http.Transport); !ok || reflect.ValueOf(by.Proxy).Pointer() != reflect.ValueOf(http.ProxyFromEnvironment).Pointer() {
		t.Error("the environment is not asked for a proxy")
	}
}

func TestHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &nodes{does: map[string]func(call) answer{"a.example": says(answer{status: 500}), "b.example": says(answer{result: 1})}}
		var told []string
		p, err := New(Config{Endpoints: two(), Client: n.client(), Hooks: Hooks{Called: func(endpoint, method string, _ time.Duration, err error) {
			told = append(told, endpoint+" "+method)
			if err != nil {
				told = append(told, err.Error())
			}
		}}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Slot(t.Context(), Confirmed); err != nil {
			t.Fatal(err)
		}
		if want := []string{"a.example getSlot", "getSlot: a.example answered HTTP 500", "b.example getSlot"}; !slices.Equal(told, want) {
			t.Errorf("told %q, want %q", told, want)
		}
	})
}
