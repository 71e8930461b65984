package egress

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func client(t *testing.T, c Config) *Client {
	t.Helper()
	e, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.CloseIdleConnections)
	return e
}

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// get returns the answer's text, and the error's with its class.
func get(t *testing.T, e *Client, address string) (string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer a")
	req.Header.Set("Cookie", "b=c")
	req.Header.Set("X-Api-Key", "d")
	req.Header.Set("Accept", "text/plain")
	res, err := e.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return string(text), err
}

func TestCheckAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		allow   string
		private bool
		host    string // its name; empty: the address
		address string
		refused string // part of the error; empty: permitted
	}{
		{"", false, "", "93.184.216.34", ""},
		{"", false, "", "2606:2800:220:1::1", ""},
		{"", false, "a.example", "127.0.0.1", "127.0.0.1 (the address of a.example) is a loopback address"},
		{"", false, "", "127.9.9.9", "or sets private"},
		{"", false, "", "::1", "loopback"},
		{"", false, "", "10.0.0.1", "private"},
		{"", false, "", "172.31.255.255", "private"},
		{"", false, "", "172.32.0.0", ""},
		{"", false, "", "192.168.1.1", "private"},
		{"", false, "", "100.64.0.1", "private"},
		{"", false, "", "fd12::1", "private"},
		{"", false, "", "169.254.1.1", "link-local"},
		{"", false, "", "fe80::1%eth0", "link-local"},
		{"", false, "", "169.254.169.254", "metadata"},
		{"", false, "", "fd00:ec2::254", "metadata"},
		{"", false, "", "0.0.0.0", "reserved"},
		{"", false, "", "::", "reserved"},
		{"", false, "", "224.0.0.1", "reserved"},
		{"", false, "", "255.255.255.255", "reserved"},
		{"", false, "", "ff02::1", "reserved"},
		{"", false, "", "::ffff:127.0.0.1", "loopback"},
		{"", false, "", "::ffff:169.254.169.254", "metadata"},
		{"", false, "", "::127.0.0.1", "reserved"},
		{"", false, "", "64:ff9b::7f00:1", "loopback"},
		{"", false, "", "64:ff9b::a9fe:a9fe", "metadata"},
		{"", false, "", "64:ff9b::5db8:d822", ""},
		{"", false, "", "64:ff9b:1::7f00:1", "reserved"},
		{"", false, "", "2002:7f00:1::", "reserved"},
		{"", false, "", "2001:0:7f00:1::", "reserved"},
		{"", true, "", "127.0.0.1", ""},
		{"", true, "", "10.1.1.1", ""},
		{"", true, "", "fe80::1%eth0", ""},
		{"", true, "", "169.254.169.254", "names the address in allow"},
		{"", true, "", "64:ff9b::a9fe:a9fe", "metadata"},
		{"", true, "", "0.0.0.0", "reserved"},
		{"*", false, "", "10.1.1.1", "private"},
		{"10.1.0.0/16", false, "", "10.1.2.3", ""},
		{"10.1.0.0/16", false, "", "10.2.2.3", "not among the hosts"},
		{"10.1.0.0/16", false, "a.example", "10.1.2.3", ""},
		{"10.1.0.0/16", false, "a.example", "93.184.216.34", "a.example, port 443, is not among the hosts"},
		{"10.1.0.0/16", false, "", "::ffff:10.1.2.3", ""},
		{"10.1.0.0/16:443", false, "", "10.1.2.3", ""},
		{"10.1.0.0/16:80", false, "", "10.1.2.3", "port 443"},
		{"169.254.169.254", false, "", "169.254.169.254", ""},
		{"[fd00::1]:443", false, "", "fd00::1", ""},
		{"fd00::1", false, "", "fd00::2", "not among"},
		{"a.example", false, "a.example", "93.184.216.34", ""},
		{"a.example", false, "A.example.", "93.184.216.34", ""},
		{"a.example", false, "a.example", "10.0.0.1", "private"},
		{"a.example", true, "a.example", "10.0.0.1", ""},
		{"a.example", true, "b.example", "10.0.0.1", "not among"},
		{"a.example", true, "b.a.example", "10.0.0.1", "not among"},
		{"*.a.example", false, "b.a.example", "93.184.216.34", ""},
		{"*.a.example", false, "c.b.a.example", "93.184.216.34", ""},
		{"*.a.example", false, "a.example", "93.184.216.34", "not among"},
		{"*.a.example", false, "ba.example", "93.184.216.34", "not among"},
		{"a.example:8443", false, "a.example", "93.184.216.34", "port 443"},
	} {
		t.Run(fmt.Sprint(test.allow, test.private, test.host, test.address), func(t *testing.T) {
			t.Parallel()
			var allow []string
			if test.allow != "" {
				allow = []string{test.allow}
			}
			p, err := newPolicy(allow, test.private)
			if err != nil {
				t.Fatal(err)
			}
			host := test.host
			if host == "" {
				host = test.address
			}
			err = p.checkAddress(host, "443", net.JoinHostPort(test.address, "443"))
			if test.refused == "" && err != nil {
				t.Errorf("refused: %v", err)
			}
			if test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) {
				t.Errorf("got %v, want %q", err, test.refused)
			}
			if class, _ := retry.ClassOf(err); err != nil && (class != retry.ClassPermanent || !job.Is(err, job.Refused)) {
				t.Errorf("%v is %s and %s", err, class, job.KindOf(err))
			}
		})
	}
}

// TestSpansCoverEverything: no address is public because a range was forgotten
// behind it.
func TestSpansCoverEverything(t *testing.T) {
	t.Parallel()
	if got := kindOf(netip.Addr{}); got != reserved {
		t.Errorf("no address is %s", got)
	}
	for _, s := range spans {
		if got := kindOf(s.prefix.Addr()); s.kind != public && got == public {
			t.Errorf("%s is public, want %s", s.prefix, s.kind)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{Allow: []string{"http://a.example"}}, `"http://a.example" ends in no port`},
		{Config{Allow: []string{"a.example/x"}}, "is no host"},
		{Config{Allow: []string{""}}, "is no host"},
		{Config{Allow: []string{"bücher.example"}}, "xn--"},
		{Config{Allow: []string{"a.*.example"}}, "is no host"},
		{Config{Allow: []string{"a.example:0"}}, "ends in no port"},
		{Config{Timeout: -1}, "timeout"},
	} {
		_, err := New(test.config)
		if err == nil || !strings.Contains(err.Error(), test.want) || !job.Is(err, job.Invalid) {
			t.Errorf("%+v: got %v, want %q", test.config, err, test.want)
		}
	}
}

func TestDoRefusesByForm(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ allow, address, want string }{
		{"*", "ftp://a.example/", "use http or https"},
		{"*", "file:///etc/passwd", "use http or https"},
		{"*", "http:///x", "names no host"},
		{"*", "http://b\u00fccher.example/", "xn--"},
		{"*", "http://127.0.0.1/", "loopback"},
		{"*", "http://[::ffff:127.0.0.1]/", "loopback"},
		{"a.example", "http://b.example/", "b.example, port 80, is not among"},
		{"a.example:443", "http://a.example/", "port 80"},
		{"a.example", "http://93.184.216.34/", "not among"},
	} {
		_, err := get(t, client(t, Config{Allow: []string{test.allow}}), test.address)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", test.address, err, test.want)
		}
		if class, _ := retry.ClassOf(err); class != retry.ClassPermanent {
			t.Errorf("%s: %s", test.address, class)
		}
	}
}

func TestDoRefusesAnotherHostHeader(t *testing.T) {
	t.Parallel()
	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/", http.NoBody)
	req.Host, req.RequestURI = "b.example", ""
	if _, err := client(t, Config{}).Do(req); err == nil || !strings.Contains(err.Error(), "Host header") {
		t.Error(err)
	}
}

func TestDoReaches(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") })
	for name, c := range map[string]Config{
		"private":          {Private: true},
		"the address":      {Allow: []string{"127.0.0.1"}},
		"its range":        {Allow: []string{"127.0.0.0/8"}},
		"address and port": {Allow: []string{s.Listener.Addr().String()}},
	} {
		if got, err := get(t, client(t, c), s.URL); err != nil || got != "hello" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	seen := func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("X-Api-Key"), r.Header.Get("Referer"), r.Header.Get("Accept"))
	}
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if back := r.URL.Query().Get("back"); back != "" {
			http.Redirect(w, r, back, http.StatusFound)
			return
		}
		seen(w, r)
	})
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/same":
			http.Redirect(w, r, "/end", http.StatusFound)
		case "/loop":
			http.Redirect(w, r, "/loop", http.StatusFound)
		case "/port":
			http.Redirect(w, r, other.URL, http.StatusFound)
		case "/back":
			http.Redirect(w, r, other.URL+"?back="+url.QueryEscape("http://"+r.Host+"/end"), http.StatusFound)
		case "/host":
			http.Redirect(w, r, "http://127.0.0.2:1/?token=x", http.StatusFound)
		case "/metadata":
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		default:
			seen(w, r)
		}
	})
	all := "Bearer ab=cd" + s.URL + "/sametext/plain"
	for _, test := range []struct {
		name, path, want, fails string
		config                  Config
	}{
		{"same host", "/same", all, "", Config{Private: true}},
		{"another port loses the credentials", "/port", "text/plain", "", Config{Private: true}},
		{"and does not regain them", "/back", "text/plain", "", Config{Private: true}},
		{"without end", "/loop", "", "more than 5 redirects", Config{Private: true}},
		{"fewer", "/loop", "", "more than 1 redirects", Config{Private: true, MaxRedirects: 1}},
		{"none", "/same", "<a href=\"/end\">Found</a>.\n\n", "", Config{Private: true, MaxRedirects: -1}},
		{"another host", "/host", "", "redirects to another host, 127.0.0.2:1", Config{Private: true}},
		{"another host by range", "/host", "", "127.0.0.2:1: connect", Config{Allow: []string{"127.0.0.0/8"}}},
		{"metadata", "/metadata", "", "metadata", Config{Private: true, Allow: []string{"*"}}},
		{"file", "/file", "", "use http or https", Config{Private: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := get(t, client(t, test.config), s.URL+test.path)
			if test.fails == "" && (err != nil || got != test.want) {
				t.Errorf("%q, %v; want %q", got, err, test.want)
			}
			if test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("got %v, want %q", err, test.fails)
			}
		})
	}
}

func TestSameOrigin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		from, to string
		want     bool
	}{
		{"http://a.example/", "http://A.example:80/x", true},
		{"http://a.example/", "https://a.example/", true},
		{"https://a.example/", "http://a.example/", false},
		{"https://a.example/", "https://b.a.example/", false},
		{"http://a.example/", "https://a.example:8443/", false},
		{"http://a.example:1/", "http://a.example:2/", false},
	} {
		from, _ := url.Parse(test.from)
		to, _ := url.Parse(test.to)
		if got := sameOrigin(from, to); got != test.want {
			t.Errorf("%s → %s: %v", test.from, test.to, got)
		}
	}
}

// names answers every question for an IPv4 address with the next of addresses,
// and counts them.
func names(t *testing.T, addresses ...string) (*net.Resolver, *atomic.Int32) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	done := make(chan struct{})
	go func() {
		defer close(done)
		in := make([]byte, 512)
		for {
			n, from, err := socket.ReadFrom(in)
			if err != nil {
				return
			}
			out := slices.Clone(in[:12])
			end := 12 + bytes.IndexByte(in[12:n], 0) + 5 // the question
			copy(out[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
			out = append(out, in[12:end]...)
			if in[end-3] == 1 { // an A record is asked for
				i := min(int(asked.Add(1)), len(addresses)) - 1
				out[7] = 1
				out = append(out, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
				out = append(out, netip.MustParseAddr(addresses[i]).AsSlice()...)
			}
			_, _ = socket.WriteTo(out, from)
		}
	}()
	t.Cleanup(func() {
		_ = socket.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", socket.LocalAddr().String())
	}}, &asked
}

// TestRebinding: a name that was good a moment ago is judged again with each
// connection, by the very address that is connected to.
func TestRebinding(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = fmt.Fprint(w, "hello")
	})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	e := client(t, Config{Allow: []string{"*", "127.0.0.1:" + port}})
	var asked *atomic.Int32
	e.resolver, asked = names(t, "127.0.0.1", "127.0.0.2", "169.254.169.254", "10.0.0.1")
	address := "http://rebinding.example.:" + port + "/"
	if got, err := get(t, e, address); err != nil || got != "hello" || asked.Load() != 1 {
		t.Fatalf("%q, %v after %d questions", got, err, asked.Load())
	}
	for _, want := range []string{
		"127.0.0.2 (the address of rebinding.example) is a loopback address",
		"169.254.169.254 (the address of rebinding.example) is the address of a cloud's metadata service", "10.0.0.1",
	} {
		_, err := get(t, e, address)
		if err == nil || !strings.Contains(err.Error(), want) || !job.Is(err, job.Refused) {
			t.Errorf("got %v, want %q", err, want)
		}
		if class, _ := retry.ClassOf(err); class != retry.ClassPermanent {
			t.Errorf("%v is %s", err, class)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/body" {
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	e := client(t, Config{Private: true, Timeout: 20 * time.Millisecond})
	for _, path := range []string{"/", "/body"} {
		if _, err := get(t, e, s.URL+path); err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestOwnDeadlineCounts: a call that brings a deadline is not cut by Timeout.
func TestOwnDeadlineCounts(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-r.Context().Done():
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, http.NoBody)
	res, err := client(t, Config{Private: true, Timeout: time.Millisecond}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
}

func TestNoProxyAndBoundedHeader(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X", strings.Repeat("x", 2*maxHeader)) })
	e := client(t, Config{Private: true})
	if e.http.Transport.(*http.Transport).Proxy != nil {
		t.Error("a proxy is used")
	}
	if _, err := get(t, e, s.URL); err == nil || !strings.Contains(err.Error(), "header") {
		t.Errorf("a large header: %v", err)
	}
}

func TestConfigTravelsAsJSON(t *testing.T) {
	t.Parallel()
	want := Config{Allow: []string{"a", "10.0.0.0/8"}, Private: true, Timeout: time.Minute, MaxRedirects: -1}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Config
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDial(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	address := s.Listener.Addr().String()
	conn, err := client(t, Config{Private: true}).Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	for _, c := range []Config{{}, {Allow: []string{"a.example"}, Private: true}} {
		if _, err := client(t, c).Dial(t.Context(), "tcp", address); !job.Is(err, job.Refused) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if _, err := client(t, Config{}).Dial(t.Context(), "tcp", "no port"); err == nil {
		t.Error("it has no port")
	}
}
