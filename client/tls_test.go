package client_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// TestTLS: a certificate is checked, and what is wrong is told apart from a server
// that is away.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"version":"1.2.3"}`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	pool := x509.NewCertPool()
	pool.AddCert(server.Certificate())
	trusting := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}
	elsewhere := trusting.Clone()
	elsewhere.ServerName = "orth.invalid"
	for name, c := range map[string]struct {
		address string
		trust   *tls.Config
		kind    job.Kind
		text    string // of the error and what to do
	}{
		"trusted":       {server.URL, trusting, "", ""},
		"not trusted":   {server.URL, nil, job.Unreachable, "is not trusted"},
		"another name":  {server.URL, elsewhere, job.Unreachable, "call the server by a name that is in it"},
		"without TLS":   {"http" + strings.TrimPrefix(server.URL, "https"), nil, job.Refused, "write its address with https://"},
		"nobody's home": {"https://127.0.0.1:1", trusting, job.Unreachable, "no Orth server answers"},
	} {
		v, err := newClient(t, client.Config{Address: c.address, TLS: c.trust}).Version(t.Context())
		text := ""
		if err != nil {
			text = err.Error()
			if known, ok := errors.AsType[*job.Error](err); ok {
				text += known.Hint
			}
		}
		if job.KindOf(err) != c.kind || !strings.Contains(text, c.text) || err == nil && v != "1.2.3" {
			t.Errorf("%s: %q, %s; want kind %q with %q", name, v, text, c.kind, c.text)
		}
	}
}
