// Package certstest issues the certificates of tests.
//
// It knows how a private authority signs. It must never know who serves or calls
// with what it has signed. Names and times come in; PEM files in folders of the
// test go out.
package certstest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Authority signs certificates.
type Authority struct {
	// Path is the file of its own certificate.
	Path string

	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

// Leaf is what a certificate says. The zero one is good for nothing.
type Leaf struct {
	Name  string   // the common name
	DNS   []string // further names
	IP    []net.IP
	Until time.Time // defaults to in an hour
	Uses  []x509.ExtKeyUsage
}

// Both is the certificate of one who serves on 127.0.0.1 and calls, with a common
// name.
func Both(name string) Leaf {
	return Leaf{
		Name: name, IP: []net.IP{net.IPv4(127, 0, 0, 1)},
		Uses: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
}

// New makes an authority.
func New(t *testing.T) *Authority {
	t.Helper()
	a := new(Authority)
	a.Path, _, a.cert, a.key = a.sign(t, &x509.Certificate{
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "authority " + rand.Text()},
		NotAfter: time.Now().Add(time.Hour),
	})
	return a
}

// Issue signs a certificate and returns its file, and that of its key.
func (a *Authority) Issue(t *testing.T, l Leaf) (cert, key string) {
	t.Helper()
	if l.Until.IsZero() {
		l.Until = time.Now().Add(time.Hour)
	}
	cert, key, _, _ = a.sign(t, &x509.Certificate{
		Subject: pkix.Name{CommonName: l.Name}, DNSNames: l.DNS, IPAddresses: l.IP, NotAfter: l.Until, ExtKeyUsage: l.Uses,
	})
	return cert, key
}

// Pair is Issue for those who need the certificate itself.
func (a *Authority) Pair(t *testing.T, l Leaf) tls.Certificate {
	t.Helper()
	pair, err := tls.LoadX509KeyPair(a.Issue(t, l))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// Pool is the authority alone.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.cert)
	return pool
}

func (a *Authority) sign(t *testing.T, c *x509.Certificate) (certPath, keyPath string, cert *x509.Certificate, key *ecdsa.PrivateKey) {
	t.Helper()
	serial, err := rand.Int(rand.Reader, big.NewInt(1<<62))
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore = serial, time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) // when bubbles of synctest begin
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		t.Fatal(err)
	}
	parent, signer := a.cert, a.key
	if parent == nil { // the authority itself
		parent, signer = c, key
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	if cert, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
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
