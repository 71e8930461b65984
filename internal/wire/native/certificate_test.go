package native

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// guests are the groups whose certificates stand for a signature.
type guests []string

func (g guests) Named(_ context.Context, names []string) (job.Caller, error) {
	for _, name := range names {
		if i := slices.Index(g, name); i >= 0 {
			return job.Caller{GroupID: int64(i + 1), Group: name, TokenID: job.TokenCertificate}, nil
		}
	}
	return job.Caller{}, job.Errorf(job.Unauthorized, "nobody is called so")
}

// serveTLS serves over TLS, and asks for certificates of those authorities.
func serveTLS(t *testing.T, h http.Handler, by, callers *certstest.Authority) string {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{
		MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{by.Pair(t, certstest.Both("server"))},
		ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: callers.Pool(),
	}
	server.StartTLS()
	t.Cleanup(server.Close)
	return server.URL
}

// shownBy returns a client's configuration: it trusts the authority, and shows a
// certificate to any server.
func shownBy(trusts *certstest.Authority, own *tls.Certificate) *tls.Config {
	c := &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: trusts.Pool()}
	if own != nil {
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return own, nil }
	}
	return c
}

// courierOf returns a courier that is closed at the end.
func courierOf(t *testing.T, c *tls.Config) *signing.Courier {
	t.Helper()
	made := signing.NewCourier(post.Config{TLS: c, Timeout: 10 * time.Second})
	t.Cleanup(made.Close)
	return made
}

// TestCertificates: the callers that a server accepts without a token, over TLS.
func TestCertificates(t *testing.T) {
	t.Parallel()
	ours, others := certstest.New(t), certstest.New(t)
	h := &house{}
	c := h.config()
	c.Certificates = guests{"billing", "reports"}
	url := serveTLS(t, NewServerHandler(c), ours, ours)
	old, server := certstest.Both("billing"), certstest.Both("billing")
	old.Until = time.Now().Add(-time.Minute)
	server.Uses = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	dns, both := certstest.Both(""), certstest.Both("host-7")
	dns.DNS = []string{"reports"}
	both.DNS = []string{"host-7.example.com", "billing"}
	many := certstest.Both("host-8")
	many.DNS = append(strings.Fields(strings.Repeat("a.b ", 3)+"c1 c2 c3 c4 c5 c6 c7 c8 c9 d1 d2 d3 d4 d5 d6"), "billing")
	for _, test := range []struct {
		name  string
		by    *certstest.Authority // nil: no certificate
		leaf  certstest.Leaf
		token string
		kind  job.Kind // of the error in the way
		want  int
		calls string
	}{
		{"its common name", ours, certstest.Both("billing"), "", "", 200, "farewell of billing at http://h/"},
		{"a DNS name alone", ours, dns, "", "", 403, ""},
		{"a later DNS name", ours, both, "", "", 200, "farewell of billing at http://h/"},
		{"a name behind too many", ours, many, "", job.Unauthorized, 0, ""},
		{"the name of another group", ours, certstest.Both("reports"), "", "", 403, ""},
		{"the name of nobody", ours, certstest.Both("stranger"), "", job.Unauthorized, 0, ""},
		{"in other letters", ours, certstest.Both("Billing"), "", job.Unauthorized, 0, ""},
		{"no name", ours, certstest.Both(""), "", job.Unauthorized, 0, ""},
		{"another authority", others, certstest.Both("billing"), "", job.Ambiguous, 0, ""},
		{"expired", ours, old, "", job.Ambiguous, 0, ""},
		{"for serving only", ours, server, "", job.Ambiguous, 0, ""},
		{"no certificate", nil, certstest.Leaf{}, "", job.Unauthorized, 0, ""},
		{"a signature counts more", ours, certstest.Both("reports"), groupToken, "", 200, "farewell of billing at http://h/"},
		{"also one that is wrong", ours, certstest.Both("billing"), "of nobody", job.Unauthorized, 0, ""},
		{"a token and no certificate", nil, certstest.Leaf{}, groupToken, "", 200, "farewell of billing at http://h/"},
	} {
		var own *tls.Certificate
		if test.by != nil {
			pair := test.by.Pair(t, test.leaf)
			own = &pair
		}
		got, err := courierOf(t, shownBy(ours, own)).Send(t.Context(), signing.Letter{
			Address: url, Name: message.NameFarewell, Token: test.token, Body: []byte(`{"group":"billing","address":"http://h/"}`),
		})
		if calls := h.take(); job.KindOf(err) != test.kind || got.Status != test.want || calls != test.calls {
			t.Errorf("%s: %d %s, %v, %q; want %d, kind %q, %q", test.name, got.Status, got.Body, err, calls, test.want, test.kind, test.calls)
		}
	}
	pair := ours.Pair(t, certstest.Both("billing"))
	got, err := courierOf(t, shownBy(ours, &pair)).Send(t.Context(), signing.Letter{Address: url, Name: message.NameRegister, Body: []byte(registrationOf("billing", ""))})
	if calls := h.take(); err != nil || got.Status != http.StatusOK || !strings.Contains(calls, "token -100") {
		t.Errorf("register: %d %s, %v, %q", got.Status, got.Body, err, calls)
	}
}

// chained returns a request as it came over a connection whose certificate was
// valid until then.
func chained(until time.Time, header ...string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameBeat, strings.NewReader("{}"))
	r.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{
		{Subject: pkix.Name{CommonName: "billing"}, NotAfter: time.Now().Add(time.Hour)}, {NotAfter: until},
	}}}
	for _, name := range header {
		r.Header[name] = []string{"x"}
	}
	return r
}

// TestCertificatesThatDoNotStand: over a connection with a good certificate too.
func TestCertificatesThatDoNotStand(t *testing.T) {
	t.Parallel()
	later, before := time.Now().Add(time.Hour), time.Now().Add(-time.Second)
	empty := chained(later)
	empty.TLS.VerifiedChains = nil
	believing := signing.VerifierConfig{Keys: signing.NewTokens(testToken), Certificates: guests{"billing"}, Self: "a1"}
	for _, c := range []struct {
		name    string
		config  signing.VerifierConfig
		request *http.Request
		kind    job.Kind
	}{
		{"good", believing, chained(later), ""},
		{"expired since the handshake", believing, chained(before), job.Unauthorized},
		{"for another executor", believing, chained(later, signing.HeaderTo), job.Unavailable},
		{"nobody vouches for it", believing, empty, job.Unauthorized},
		{"nobody's stand", signing.VerifierConfig{Keys: signing.NewTokens(testToken)}, chained(later), job.Unauthorized},
		{"a key and no signature", believing, chained(later, message.HeaderKey), job.Unauthorized},
		{"a time alone, which is no part of one", believing, chained(later, message.HeaderTime), ""},
		{"a nonce alone", believing, chained(later, message.HeaderNonce), job.Unauthorized},
		{"a signature alone", believing, chained(later, message.HeaderSignature), job.Unauthorized},
	} {
		v := signing.NewVerifier(c.config)
		caller, session, err := v.Check(c.request, []byte("{}"))
		if job.KindOf(err) != c.kind || (err == nil) != (caller.Group == "billing") || session != (signing.Session{}) {
			t.Errorf("%s: %+v, %+v, %v; want kind %q", c.name, caller, session, err, c.kind)
		}
		if knows := v.Knows(c.request); (knows == nil) != (err == nil) {
			t.Errorf("%s: before the body it is %v", c.name, knows)
		}
	}
}

// TestBareLetters: only who shows a certificate over TLS, and has no token, sends
// without a signature and believes such answers.
func TestBareLetters(t *testing.T) {
	t.Parallel()
	a := certstest.New(t)
	own := a.Pair(t, certstest.Both("billing"))
	side := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get(message.HeaderSignature) != "" {
			w.WriteHeader(http.StatusAccepted) // shows the test that it was signed
		}
		_, _ = w.Write([]byte(r.Header.Get(signing.HeaderTo)))
	})
	plain := httptest.NewServer(side)
	t.Cleanup(plain.Close)
	secure := serveTLS(t, side, a, a)
	for _, c := range []struct {
		name, address, token string
		config               *tls.Config
		kind                 job.Kind
	}{
		{"bare", secure, "", shownBy(a, &own), ""},
		{"with a token", secure, testToken, shownBy(a, &own), job.Ambiguous},
		{"without a certificate", secure, "", shownBy(a, nil), job.Ambiguous},
		{"without TLS", plain.URL, "", shownBy(a, &own), job.Ambiguous},
	} {
		got, err := courierOf(t, c.config).Send(t.Context(), signing.Letter{Address: c.address, Name: message.NameBeat, To: "a1", Token: c.token, Body: []byte(`{}`)})
		if job.KindOf(err) != c.kind || err == nil && string(got.Body) != "a1" || err != nil && !strings.Contains(err.Error(), "not signed") {
			t.Errorf("%s: %+v, %v; want kind %q", c.name, got, err, c.kind)
		}
	}
}

// TestCertificatesBothWays plays our two sides against each other without a token.
func TestCertificatesBothWays(t *testing.T) {
	t.Parallel()
	a := certstest.New(t)
	own := a.Pair(t, certstest.Both("server"))
	w := &worker{}
	url := serveTLS(t, NewExecutorHandler(ExecutorConfig{
		Keys: signing.NewTokens(testToken), Certificates: guests{"server"}, Incarnation: "a1", Tasks: w, Attempts: w, Drainer: w, Logs: w,
	}), a, a)
	to := func(incarnation string) *ExecutorClient {
		c := NewExecutorClient(ClientConfig{
			Peer: func(string) (string, string) { return "", incarnation }, TLS: shownBy(a, &own), Timeout: 10 * time.Second,
		})
		t.Cleanup(c.Close)
		return c
	}
	if err := to("a1").Send(t.Context(), url, job.Task{AttemptID: 1, Handler: job.Handler{Kind: job.HandlerNamed, Name: "x"}}); err != nil {
		t.Errorf("a task: %v", err)
	}
	if busy, err := to("a1").Busy(t.Context(), url, 1); err != nil || !busy {
		t.Errorf("busy: %t, %v", busy, err)
	}
	if _, err := to("b2").Busy(t.Context(), url, 1); !job.Is(err, job.Unavailable) {
		t.Errorf("another executor's: %v", err)
	}
}
