package app

import (
	"crypto/tls"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/internal/servernote"
)

// TestTLSOfARunningServer: its note says what is needed to call it, and a new
// certificate is shown without a new start.
func TestTLSOfARunningServer(t *testing.T) {
	t.Parallel()
	a := certstest.New(t)
	cert, key := a.Issue(t, certstest.Both("first"))
	next, nextKey := a.Issue(t, certstest.Both("second"))
	data := t.TempDir()
	s := beginWith(t, Config{Data: data, Listen: "127.0.0.1:0", TLS: TLS{Cert: cert, Key: key, ClientCA: a.Path}})

	text, err := os.ReadFile(filepath.Join(data, servernote.File))
	var note servernote.Note
	if err != nil || json.Unmarshal(text, &note) != nil || note.Address != s.URL() || note.CertFile != cert {
		t.Errorf("the note %s, %v; the server is at %s", text, err, s.URL())
	}
	address, secure := strings.CutPrefix(s.URL(), "https://")
	if !secure {
		t.Fatalf("the server is at %s", s.URL())
	}
	shown := func() string {
		dialer := tls.Dialer{Config: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: a.Pool()}}
		conn, err := dialer.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		state := conn.(*tls.Conn).ConnectionState()
		return state.PeerCertificates[0].Subject.CommonName
	}
	if got := shown(); got != "first" {
		t.Errorf("it shows the certificate of %q", got)
	}
	for from, to := range map[string]string{next: cert, nextKey: key} {
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "the new certificate is shown", func() bool { return shown() == "second" })
}
