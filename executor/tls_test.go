package executor_test

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/certs/certstest"
)

// client trusts an authority and shows what the other has issued, if there is one.
func client(t *testing.T, trusts, shows *certstest.Authority) *http.Client {
	t.Helper()
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusts.Pool()}
	if shows != nil {
		own := shows.Pair(t, certstest.Both("leaf"))
		// Whatever the other side asks for: the test is about its judgement.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &own, nil }
	}
	transport := &http.Transport{TLSClientConfig: c, DisableKeepAlives: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// TestTLSServes: an executor with a certificate speaks HTTPS alone, and with an
// authority for callers it hears only those whose certificates that has signed.
func TestTLSServes(t *testing.T) {
	t.Parallel()
	ours, others := certstest.New(t), certstest.New(t)
	serving := func(t *testing.T, clientCA string) *launched {
		t.Helper()
		a := newAdmin(t)
		c := plain(t, a)
		c.TLS.Cert, c.TLS.Key = ours.Issue(t, certstest.Both("leaf"))
		c.TLS.ClientCA = clientCA
		l := launch(t, a, c)
		a.await(t, "the registration", func() bool { return len(a.calls) > 0 })
		a.mu.Lock()
		defer a.mu.Unlock()
		if !strings.HasPrefix(l.url, "https://127.0.0.1:") || !strings.Contains(a.calls[0].body, `"`+l.url+`/"`) {
			t.Errorf("it registered %s; its address is %s", a.calls[0].body, l.url)
		}
		return l
	}
	beat := func(t *testing.T, l *launched, client *http.Client, want string) {
		t.Helper()
		if got, err := get(t, client, l.url+"/beat"); got != want || (err == nil) != (want != "") {
			t.Errorf("beat: %q, %v; want %q", got, err, want)
		}
	}
	t.Run("any caller", func(t *testing.T) {
		t.Parallel()
		l := serving(t, "")
		beat(t, l, client(t, ours, nil), success)
		beat(t, l, client(t, others, nil), "") // it must not trust us
		l.url = "http" + strings.TrimPrefix(l.url, "https")
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, l.url+"/beat", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		request.Close = true
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			return
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusBadRequest {
			t.Errorf("without TLS: %s", response.Status)
		}
	})
	t.Run("known callers", func(t *testing.T) {
		t.Parallel()
		l := serving(t, ours.Path)
		beat(t, l, client(t, ours, ours), success)
		beat(t, l, client(t, ours, nil), "")
		beat(t, l, client(t, ours, others), "")
	})
}

// newTLSAdmin is an admin that the authority vouches for. With callers it
// demands certificates of theirs.
func newTLSAdmin(t *testing.T, by, callers *certstest.Authority) *admin {
	t.Helper()
	a := &admin{items: make(map[int64][]item)}
	server := httptest.NewUnstartedServer(a)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{by.Pair(t, certstest.Both("leaf"))}}
	if callers != nil {
		server.TLS.ClientCAs, server.TLS.ClientAuth = callers.Pool(), tls.RequireAndVerifyClientCert
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	a.url = server.URL + "/xxl-job-admin"
	return a
}

// TestTLSCalls: an executor checks servers' certificates with the authority that
// it is given, and shows its own to servers that ask.
func TestTLSCalls(t *testing.T) {
	t.Parallel()
	ours, others := certstest.New(t), certstest.New(t)
	for _, test := range []struct {
		name     string
		callers  *certstest.Authority // of the admin
		serverCA string
		own      *certstest.Authority // of the executor
		want     bool
	}{
		{"a server of the authority", nil, ours.Path, nil, true},
		{"a server of another", nil, others.Path, nil, false},
		{"a server unknown to the system", nil, "", nil, false},
		{"the own certificate is asked for", others, ours.Path, others, true},
		{"the own certificate is of another authority", others, ours.Path, ours, false},
		{"there is no own certificate", others, ours.Path, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newTLSAdmin(t, ours, test.callers)
			c := plain(t, a)
			c.TLS.ServerCA = test.serverCA
			if test.own != nil {
				c.TLS.Cert, c.TLS.Key = test.own.Issue(t, certstest.Both("leaf"))
			}
			l := launch(t, a, c)
			if !test.want {
				eventually(t, "the warning", func() bool { return strings.Contains(l.journal.String(), "no server took the registration") })
				if got := a.paths(); len(got) > 0 {
					t.Errorf("the admin heard %q", got)
				}
				return
			}
			a.await(t, "the registration", func() bool { return len(a.calls) > 0 })
			if test.own != nil {
				return // the executor serves HTTPS now, which TestTLSServes is about
			}
			l.run(t, bean(1, 11, "demo"), success)
			a.want(t, 11, "200 did ")
		})
	}
}
