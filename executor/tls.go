package executor

import (
	"crypto/tls"
	"log/slog"

	"github.com/orthd/orth/internal/certs"
)

// TLS names the PEM files of encrypted connections. All are optional. Cert, Key
// and ClientCA are read again when they change; ServerCA at the next start.
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

func (t TLS) validate() error { return certs.Check(t.Cert, t.Key, t.ClientCA) }

// loadConfigs reads the files. serve is nil when connections to the executor are not
// encrypted, call when nothing differs from the defaults for those to servers.
func (t TLS) loadConfigs(logger *slog.Logger) (serve, call *tls.Config, err error) {
	var own *certs.Pair
	var clients, servers *certs.Authorities
	if t.ClientCA != "" {
		if clients, err = certs.OpenAuthorities("tls-client-ca", t.ClientCA, logger); err != nil {
			return nil, nil, err
		}
	}
	if t.ServerCA != "" {
		if servers, err = certs.OpenAuthorities("tls-server-ca", t.ServerCA, logger); err != nil {
			return nil, nil, err
		}
	}
	if t.Cert != "" {
		if own, err = certs.OpenPair(t.Cert, t.Key, logger); err != nil {
			return nil, nil, err
		}
		serve = certs.Serving(own, clients, tls.RequireAndVerifyClientCert)
	}
	if own != nil || servers != nil {
		call = certs.Calling(own, servers)
	}
	return serve, call, nil
}
