package certs_test

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/orthd/orth/internal/certs"
	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/job"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ cert, key, ca, field string }{
		{"", "", "", ""},
		{"c", "k", "", ""},
		{"c", "k", "a", ""},
		{"c", "", "", "tls-cert"},
		{"", "k", "", "tls-cert"},
		{"", "", "a", "tls-client-ca"},
	} {
		err := certs.Check(c.cert, c.key, c.ca)
		wrong, ok := errors.AsType[*job.Error](err)
		if (err != nil) != (c.field != "") || ok && (wrong.Field != c.field || wrong.Kind != job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestFilesThatAreNone: errors name the setting and the file.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	a := certstest.New(t)
	cert, key := a.Issue(t, certstest.Both("x"))
	_, other := a.Issue(t, certstest.Both("y"))
	none, text := filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "text")
	write(t, text, "no PEM")
	pair := func(cert, key string) error { _, err := certs.OpenPair(cert, key, nil); return err }
	pool := func(path string) error { _, err := certs.OpenAuthorities("tls-client-ca", path, nil); return err }
	known := func(path string) error { _, err := certs.CallingKnown(path); return err }
	for name, c := range map[string]struct {
		err         error
		field, text string
	}{
		"a pair":                 {pair(cert, key), "", ""},
		"no certificate":         {pair(none, key), "tls-cert", none},
		"a certificate of text":  {pair(text, key), "tls-cert", text + " has no certificate"},
		"a key as certificate":   {pair(key, key), "tls-cert", key},
		"no key":                 {pair(cert, none), "tls-key", none},
		"a key of text":          {pair(cert, text), "tls-key", text},
		"a key of another":       {pair(cert, other), "tls-key", other + " cannot be used with the certificate in " + cert},
		"authorities":            {pool(a.Path), "", ""},
		"no authorities":         {pool(none), "tls-client-ca", none},
		"authorities of text":    {pool(text), "tls-client-ca", text},
		"a known server":         {known(cert), "", ""},
		"a known server is gone": {known(none), "", none},
		"a known server of text": {known(text), "", text},
	} {
		wrong, _ := errors.AsType[*job.Error](c.err)
		switch {
		case c.text == "" && c.err != nil:
			t.Errorf("%s: %v", name, c.err)
		case c.text != "" && (wrong == nil || wrong.Kind != job.Invalid || wrong.Field != c.field || !strings.Contains(c.err.Error(), c.text)):
			t.Errorf("%s: %v; want an Invalid error of %q with %q", name, c.err, c.field, c.text)
		}
	}
}

// handshake returns the common names that both sides see, and the two errors.
func handshake(t *testing.T, serving, calling *tls.Config) (server, client string, err error) {
	t.Helper()
	near, far := connect(t)
	if calling.ServerName == "" {
		calling = calling.Clone()
		calling.ServerName = "127.0.0.1"
	}
	there, here := tls.Server(far, serving), tls.Client(near, calling)
	ended := make(chan error, 1)
	go func() {
		err := there.HandshakeContext(t.Context())
		if err == nil {
			_, err = there.Write([]byte{1})
		}
		ended <- err
		far.Close()
	}()
	_, err = here.Read(make([]byte, 1)) // also a refusal of the certificate that was shown
	near.Close()
	err = errors.Join(err, <-ended)
	for _, side := range []struct {
		conn *tls.Conn
		name *string
	}{{here, &server}, {there, &client}} {
		if seen := side.conn.ConnectionState().PeerCertificates; len(seen) > 0 {
			*side.name = seen[0].Subject.CommonName
		}
	}
	return server, client, err
}

// connect returns both ends of a connection.
func connect(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return near, far
}

func open(t *testing.T, cert, key string) *certs.Pair {
	t.Helper()
	pair, err := certs.OpenPair(cert, key, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

func authorities(t *testing.T, path string) *certs.Authorities {
	t.Helper()
	a, err := certs.OpenAuthorities("ca", path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestHandshakes: who is believed, and who is shown.
func TestHandshakes(t *testing.T) {
	t.Parallel()
	ours, others := certstest.New(t), certstest.New(t)
	cert, key := ours.Issue(t, certstest.Both("server"))
	wide, wideKey := ours.Issue(t, certstest.Leaf{Name: "wide", DNS: []string{"*.example.com"}})
	mine, theirs := open(t, cert, key), authorities(t, ours.Path)
	caller := func(a *certstest.Authority, l certstest.Leaf) *tls.Config {
		return certs.Calling(issued(t, a, l), theirs)
	}
	known := func(path string) *tls.Config {
		c, err := certs.CallingKnown(path)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	old := certstest.Both("old")
	old.Until = time.Now().Add(-time.Minute)
	plain := certs.Serving(mine, nil, tls.NoClientCert)
	asks := certs.Serving(mine, theirs, tls.VerifyClientCertIfGiven)
	demands := certs.Serving(mine, theirs, tls.RequireAndVerifyClientCert)
	for _, c := range []struct {
		name             string
		serving, calling *tls.Config
		client           string
		fails            string
	}{
		{"authorities", plain, certs.Calling(nil, theirs), "", ""},
		{"other authorities", plain, certs.Calling(nil, authorities(t, others.Path)), "", "unknown authority"},
		{"the machine's", plain, certs.Calling(nil, nil), "", "certificate"},
		{"known", plain, known(cert), "", ""},
		{"known by a pattern", certs.Serving(open(t, wide, wideKey), nil, tls.NoClientCert), known(wide), "", ""},
		{"another is known", plain, known(wide), "", "certificate"},
		{"nobody asks", plain, caller(ours, certstest.Both("caller")), "", ""},
		{"shown", asks, caller(ours, certstest.Both("caller")), "caller", ""},
		{"not shown", asks, certs.Calling(nil, theirs), "", ""},
		{"of another authority it is not shown", asks, caller(others, certstest.Both("caller")), "", ""},
		{"expired", asks, caller(ours, old), "", "expired"},
		{"demanded", demands, caller(ours, certstest.Both("caller")), "caller", ""},
		{"demanded and not there", demands, certs.Calling(nil, theirs), "", "certificate"},
		{"demanded of another authority", demands, caller(others, certstest.Both("caller")), "", "certificate"},
	} {
		_, client, err := handshake(t, c.serving, c.calling)
		switch {
		case c.fails == "" && (err != nil || client != c.client):
			t.Errorf("%s: %v, the caller is %q, want %q", c.name, err, client, c.client)
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s: %v, want %q", c.name, err, c.fails)
		}
	}
}

func issued(t *testing.T, a *certstest.Authority, l certstest.Leaf) *certs.Pair {
	t.Helper()
	cert, key := a.Issue(t, l)
	return open(t, cert, key)
}

// TestRotation: files that change count within a second, both together; until then,
// and while they cannot be used, what was there goes on.
func TestRotation(t *testing.T) {
	t.Parallel()
	first, second := certstest.New(t), certstest.New(t)
	cert, key := first.Issue(t, certstest.Both("one"))
	next, nextKey := second.Issue(t, certstest.Both("two"))
	ca := filepath.Join(t.TempDir(), "ca.pem")
	write(t, ca, read(t, first.Path))
	synctest.Test(t, func(t *testing.T) {
		serving := certs.Serving(open(t, cert, key), authorities(t, ca), tls.RequireAndVerifyClientCert)
		shown := func(step, want string, trusts, shows *certstest.Authority) {
			t.Helper()
			calling := certs.Calling(issued(t, shows, certstest.Both("caller")), authorities(t, trusts.Path))
			if server, _, err := handshake(t, serving, calling); server != want || err != nil {
				t.Errorf("%s: the server is %q, %v; want %q", step, server, err, want)
			}
		}
		shown("at first", "one", first, first)
		write(t, cert, read(t, next))
		shown("nobody has looked", "one", first, first)
		time.Sleep(time.Second)
		shown("the key is missing", "one", first, first)
		write(t, key, read(t, nextKey))
		time.Sleep(time.Second)
		shown("both are there", "two", second, first)
		write(t, ca, read(t, second.Path))
		time.Sleep(time.Second)
		shown("another authority of callers", "two", second, second)
		if err := os.Remove(cert); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		shown("the certificate is gone", "two", second, second)
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
