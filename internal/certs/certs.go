// Package certs reads certificates, their keys and authorities from PEM files, and makes
// configurations of TLS of them.
//
// It knows PEM, and when a file has changed. It must never know who listens, or the rights
// of a certificate's owner. Paths come in; configurations of package tls go out, or errors
// that name the setting and the file.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"strings"
	"time"

	"github.com/orthd/orth/job"
)

// The settings that errors name.
const (
	fieldCert = "tls-cert"
	fieldKey  = "tls-key"
)

// Check reports whether settings go together: a certificate and its key, and
// authorities of clients only with those. Errors are Invalid.
func Check(cert, key, clientCA string) error {
	switch {
	case (cert == "") != (key == ""):
		return job.FieldErrorf(fieldCert, "and tls-key belong together: one of them is missing")
	case clientCA != "" && cert == "":
		return job.FieldErrorf("tls-client-ca", "needs tls-cert and tls-key: certificates of callers are only seen over TLS")
	}
	return nil
}

// Pair is a certificate with its key. It is read again when a file has changed,
// and stays what it was while the two do not go together. Its methods may be used
// from many goroutines.
type Pair struct{ files *watched[*tls.Certificate] }

// OpenPair reads the certificate, with those that vouch for it, and its key. The
// logger hears when they are read again, and of a certificate that is not valid
// now; nil discards that. Errors are Invalid and name tls-cert or tls-key.
func OpenPair(cert, key string, logger *slog.Logger) (*Pair, error) {
	files, err := watch(logger, func() (*tls.Certificate, error) { return readPair(cert, key) }, cert, key)
	if err != nil {
		return nil, err
	}
	if leaf := files.value.Leaf; time.Now().After(leaf.NotAfter) || time.Now().Before(leaf.NotBefore) {
		files.logger.Warn("the certificate is not valid now: callers will refuse it", "file", cert, "from", leaf.NotBefore, "until", leaf.NotAfter)
	}
	return &Pair{files}, nil
}

// readPair reads both files.
func readPair(cert, key string) (*tls.Certificate, error) {
	text, err := readFile(cert)
	if err != nil {
		return nil, job.FieldErrorf(fieldCert, "cannot be read: %w", err)
	}
	if len(certificates(text)) == 0 {
		return nil, job.FieldErrorf(fieldCert, "%s has no certificate in PEM form", cert)
	}
	secret, err := readFile(key)
	if err != nil {
		return nil, job.FieldErrorf(fieldKey, "cannot be read: %w", err)
	}
	pair, err := tls.X509KeyPair(text, secret)
	if err != nil {
		return nil, job.FieldErrorf(fieldKey, "%s cannot be used with the certificate in %s: %w", key, cert, err)
	}
	return &pair, nil
}

// certificates returns those of a PEM text that can be read.
func certificates(text []byte) (all []*x509.Certificate) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if c, err := x509.ParseCertificate(block.Bytes); err == nil {
			all = append(all, c)
		}
	}
	return all
}

// Authorities are certificates that vouch for others. They are read again when
// their file has changed. Their methods may be used from many goroutines.
type Authorities struct{ file *watched[*x509.CertPool] }

// OpenAuthorities reads them. field is the setting that names the file. Errors are
// Invalid.
func OpenAuthorities(field, path string, logger *slog.Logger) (*Authorities, error) {
	file, err := watch(logger, func() (*x509.CertPool, error) {
		text, err := readFile(path)
		if err != nil {
			return nil, job.FieldErrorf(field, "cannot be read: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(text) {
			return nil, job.FieldErrorf(field, "%s has no certificate in PEM form", path)
		}
		return pool, nil
	}, path)
	if err != nil {
		return nil, err
	}
	return &Authorities{file}, nil
}

// Pool returns them as they stand.
func (a *Authorities) Pool() *x509.CertPool { return a.file.get() }

// Serving returns the configuration of a server with the certificate own, in these
// protocols of the application. clients, unless they are nil, vouch for the certificates
// that callers show, and demand requires one. Both count as they stand at each handshake;
// no caller resumes an earlier session that another authority vouched for.
func Serving(own *Pair, clients *Authorities, demand tls.ClientAuthType, protocols ...string) *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			c := &tls.Config{
				MinVersion: tls.VersionTLS12, NextProtos: protocols, Certificates: []tls.Certificate{*own.files.get()},
			}
			if clients != nil {
				c.ClientCAs, c.ClientAuth, c.SessionTicketsDisabled = clients.Pool(), demand, true
			}
			return c, nil
		},
	}
}

// Calling returns the configuration of one who calls: it checks those that serve
// with these authorities, and shows own where that is asked for and of use. Either
// may be nil: the machine's authorities, and nothing to show. The authorities are
// those of now.
func Calling(own *Pair, servers *Authorities) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if servers != nil {
		c.RootCAs = servers.Pool()
	}
	if own != nil {
		c.GetClientCertificate = func(asked *tls.CertificateRequestInfo) (*tls.Certificate, error) {
			if pair := own.files.get(); asked.SupportsCertificate(pair) == nil {
				return pair, nil
			}
			return new(tls.Certificate), nil
		}
	}
	return c
}

// CallingKnown returns the configuration of a client of a server of this machine, whose
// certificate is in the file. The client trusts that certificate whoever signed it, besides
// those that the machine's authorities vouch for, and under the names in it, which need not
// be the one that is called. Errors are Invalid.
func CallingKnown(path string) (*tls.Config, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, job.Errorf(job.Invalid, "read the server's certificate: %w", err)
	}
	known := certificates(text)
	if len(known) == 0 {
		return nil, job.Errorf(job.Invalid, "read the server's certificate: %s has no certificate in PEM form", path)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	for _, c := range known {
		pool.AddCert(c)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool, ServerName: nameOf(known[0])}, nil
}

// nameOf returns a name that a certificate is good for, empty when it has none.
func nameOf(c *x509.Certificate) string {
	switch {
	case len(c.DNSNames) > 0:
		return strings.Replace(c.DNSNames[0], "*", "orth", 1)
	case len(c.IPAddresses) > 0:
		return c.IPAddresses[0].String()
	}
	return ""
}
