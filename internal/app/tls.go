package app

import (
	"crypto/tls"
	"net"
	"path/filepath"

	"github.com/orthd/orth/internal/certs"
)

// TLS names the PEM files of encrypted connections. All are optional. Cert, Key
// and ClientCA are read again when they change; ExecutorCA at the next start.
type TLS struct {
	// Cert and Key make the server serve HTTPS, and nothing else. They are shown
	// to executors that ask for a certificate.
	Cert, Key string
	// ClientCA are the authorities whose certificates stand for a signature of the
	// native protocol: of executors, for the group that they name. It needs Cert.
	ClientCA string
	// ExecutorCA are the authorities that certificates of executors which serve
	// HTTPS are checked with. Defaults to the machine's.
	ExecutorCA string
}

// secure reads the files: the listener serves HTTPS from then on when there is a
// certificate, and calls to executors are checked and show it.
func (s *Server) secure() (err error) {
	t, logger := s.config.TLS, s.config.Logger.With("room", "tls")
	var own *certs.Pair
	var clients, executors *certs.Authorities
	if t.ClientCA != "" {
		if clients, err = certs.OpenAuthorities("tls-client-ca", t.ClientCA, logger); err != nil {
			return err
		}
	}
	if t.ExecutorCA != "" {
		if executors, err = certs.OpenAuthorities("tls-executor-ca", t.ExecutorCA, logger); err != nil {
			return err
		}
	}
	if t.Cert != "" {
		if own, err = certs.OpenPair(t.Cert, t.Key, logger); err != nil {
			return err
		}
		s.serveTLS = certs.Serving(own, clients, tls.VerifyClientCertIfGiven, "h2", "http/1.1")
	}
	if own != nil || executors != nil {
		s.callTLS = certs.Calling(own, executors)
	}
	return nil
}

// secured returns the listener as it is served.
func (s *Server) secured(plain net.Listener) net.Listener {
	if s.serveTLS == nil {
		return plain
	}
	return tls.NewListener(plain, s.serveTLS)
}

// scheme is that of the server's URL.
func (s *Server) scheme() string {
	if s.serveTLS == nil {
		return "http"
	}
	return "https"
}

// certFile returns the whole path of the certificate, empty when there is none.
func (s *Server) certFile() (string, error) {
	if s.config.TLS.Cert == "" {
		return "", nil
	}
	return filepath.Abs(s.config.TLS.Cert)
}
