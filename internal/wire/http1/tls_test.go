//go:build unix

package http1

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// secured is a server that wants to see a certificate of the caller; it counts
// its connections.
func secured(t *testing.T, version uint16) (s *httptest.Server, opened *atomic.Int64) {
	t.Helper()
	opened = new(atomic.Int64)
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: version, MaxVersion: version}
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s, opened
}

// TestTLS: connections are kept, and closed ones noticed, under both versions;
// it stays HTTP/1.1 although the peer would rather not.
func TestTLS(t *testing.T) {
	t.Parallel()
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		server, opened := secured(t, version)
		roots := x509.NewCertPool()
		roots.AddCert(server.Certificate())
		config := &tls.Config{
			RootCAs: roots, Certificates: server.TLS.Certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2"},
		}
		caller := client(t, Config{TLS: config})
		post := func() {
			a, err := caller.Post(t.Context(), request(t, server.URL, "x"))
			if err != nil || string(a.Body) != "HTTP/1.1" {
				t.Errorf("%s: %q, %v", tls.VersionName(version), a.Body, err)
			}
		}
		for range 5 {
			post()
		}
		if n := opened.Load(); n != 1 {
			t.Errorf("%s: %d connections for five requests", tls.VersionName(version), n)
		}
		server.CloseClientConnections()
		post()
		if n := opened.Load(); n != 2 {
			t.Errorf("%s: %d connections after one was closed", tls.VersionName(version), n)
		}
	}
}

// TestDistrust: nothing is sent to a peer that cannot prove its name.
func TestDistrust(t *testing.T) {
	t.Parallel()
	server, _ := secured(t, tls.VersionTLS12)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	for name, config := range map[string]*tls.Config{
		"nobody's root":  nil,
		"another name":   {RootCAs: roots, MinVersion: tls.VersionTLS12, ServerName: "other.example"},
		"no certificate": {RootCAs: roots, MinVersion: tls.VersionTLS12},
	} {
		_, err := client(t, Config{TLS: config}).Post(t.Context(), request(t, server.URL, "x"))
		if err == nil || left(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := listen(t, answering(hi))
	if _, err := client(t, Config{}).Post(t.Context(), request(t, strings.Replace(plain.url, "http:", "https:", 1), "x")); err == nil || left(err) {
		t.Errorf("TLS to plain HTTP: %v", err)
	}
}
