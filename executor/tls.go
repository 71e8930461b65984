package executor

import (
	"crypto/tls"
	"crypto/x509"
	"os"

	"github.com/orthd/orth/job"
)

// TLS names the PEM files of encrypted connections. All are optional.
type TLS struct {
	// Cert and Key make the executor serve HTTPS.
	Cert, Key string
	// ClientCA makes it ask servers for a certificate that one of these
	// authorities has signed. It needs Cert.
	ClientCA string
	// ServerCA are the authorities that servers' certificates are checked
	// with. Defaults to the system's. Cert and Key, when they are set, are
	// shown to servers that ask for a certificate.
	ServerCA string
}

func (t TLS) validate() error {
	switch {
	case (t.Cert == "") != (t.Key == ""):
		return job.FieldErrorf("tls-cert", "and tls-key belong together: one of them is missing")
	case t.ClientCA != "" && t.Cert == "":
		return job.FieldErrorf("tls-client-ca", "needs tls-cert and tls-key: certificates of callers are only seen over TLS")
	}
	return nil
}

// load reads the files. serve is nil when connections to the executor are not
// encrypted, call when nothing differs from the defaults for those to servers.
func (t TLS) load() (serve, call *tls.Config, err error) {
	var own []tls.Certificate
	if t.Cert != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, nil, job.FieldErrorf("tls-cert", "cannot be used with tls-key %s: %w", t.Key, err)
		}
		own = []tls.Certificate{pair}
		serve = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: own}
	}
	if t.ClientCA != "" {
		if serve.ClientCAs, err = authorities("tls-client-ca", t.ClientCA); err != nil {
			return nil, nil, err
		}
		serve.ClientAuth = tls.RequireAndVerifyClientCert
	}
	if own == nil && t.ServerCA == "" {
		return serve, nil, nil
	}
	call = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: own}
	if t.ServerCA != "" {
		if call.RootCAs, err = authorities("tls-server-ca", t.ServerCA); err != nil {
			return nil, nil, err
		}
	}
	return serve, call, nil
}

func authorities(field, path string) (*x509.CertPool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, job.FieldErrorf(field, "cannot be read: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, job.FieldErrorf(field, "%s has no certificate in PEM form", path)
	}
	return pool, nil
}
