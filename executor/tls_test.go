package executor_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// authority signs the certificates of a test.
type authority struct {
	path string // of its certificate
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := new(authority)
	a.path, _, a.cert, a.key = a.issue(t, &x509.Certificate{
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "authority"},
	})
	return a
}

// leaf issues a certificate of 127.0.0.1 and returns its files.
func (a *authority) leaf(t *testing.T) (cert, key string) {
	t.Helper()
	cert, key, _, _ = a.issue(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	})
	return cert, key
}

func (a *authority) issue(t *testing.T, c *x509.Certificate) (certPath, keyPath string, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	t.Helper()
	c.SerialNumber = big.NewInt(time.Now().UnixNano())
	c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil {
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certPath, keyPath = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := errors.Join(
		os.WriteFile(certPath, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600),
		os.WriteFile(keyPath, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	return certPath, keyPath, cert, key
}

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

// pair loads a leaf of the authority.
func (a *authority) pair(t *testing.T) tls.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.leaf(t))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// client trusts the authority and shows what the other has issued, if there is
// one.
func (a *authority) client(t *testing.T, shows *authority) *http.Client {
	t.Helper()
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.pool()}
	if shows != nil {
		own := shows.pair(t)
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
	ours, others := newAuthority(t), newAuthority(t)
	serving := func(t *testing.T, clientCA string) *launched {
		t.Helper()
		a := newAdmin(t)
		c := plain(t, a)
		c.TLS.Cert, c.TLS.Key = ours.leaf(t)
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
		beat(t, l, ours.client(t, nil), success)
		beat(t, l, others.client(t, nil), "") // it must not trust us
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
		l := serving(t, ours.path)
		beat(t, l, ours.client(t, ours), success)
		beat(t, l, ours.client(t, nil), "")
		beat(t, l, ours.client(t, others), "")
	})
}

// newTLSAdmin is an admin that the authority vouches for. With callers it
// demands certificates of theirs.
func newTLSAdmin(t *testing.T, by, callers *authority) *admin {
	t.Helper()
	a := &admin{items: make(map[int64][]item)}
	server := httptest.NewUnstartedServer(a)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{by.pair(t)}}
	if callers != nil {
		server.TLS.ClientCAs, server.TLS.ClientAuth = callers.pool(), tls.RequireAndVerifyClientCert
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
	ours, others := newAuthority(t), newAuthority(t)
	for _, test := range []struct {
		name     string
		callers  *authority // of the admin
		serverCA string
		own      *authority // of the executor
		want     bool
	}{
		{"a server of the authority", nil, ours.path, nil, true},
		{"a server of another", nil, others.path, nil, false},
		{"a server unknown to the system", nil, "", nil, false},
		{"the own certificate is asked for", others, ours.path, others, true},
		{"the own certificate is of another authority", others, ours.path, ours, false},
		{"there is no own certificate", others, ours.path, nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newTLSAdmin(t, ours, test.callers)
			c := plain(t, a)
			c.TLS.ServerCA = test.serverCA
			if test.own != nil {
				c.TLS.Cert, c.TLS.Key = test.own.leaf(t)
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
