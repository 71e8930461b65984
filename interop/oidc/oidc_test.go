// Package oidc proves that people sign in to a server with a provider of identities
// that others wrote: Ory Fosite, which is what Hydra is made of. It is strict about
// what clients send, and insists on PKCE.
package oidc

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	"github.com/ory/fosite/handler/openid"
	"github.com/ory/fosite/storage"
	"github.com/ory/fosite/token/jwt"

	"github.com/orthd/orth/internal/app"
	"github.com/orthd/orth/internal/redacted"
)

const (
	clientID     = "orth"
	clientSecret = "the secret that the provider knows"
)

// provider is a provider of identities at which one person has signed in already.
type provider struct {
	*httptest.Server

	oauth fosite.OAuth2Provider
	store *storage.MemoryStore
	key   *rsa.PrivateKey

	mu     sync.Mutex
	person map[string]any // what it tells about it
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{store: storage.NewMemoryStore(), key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/keys", p.keys)
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("/token", p.token)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	p.oauth = compose.ComposeAllEnabled(&fosite.Config{
		GlobalSecret: []byte("thirty-two bytes of a known text"), IDTokenIssuer: p.URL, AccessTokenIssuer: p.URL,
		EnforcePKCE: true, EnablePKCEPlainChallengeMethod: false,
	}, p.store, key)
	return p
}

// register makes a client known.
func (p *provider) register(t *testing.T, redirect string) {
	t.Helper()
	hash, err := (&fosite.BCrypt{Config: &fosite.Config{HashCost: 4}}).Hash(t.Context(), []byte(clientSecret))
	if err != nil {
		t.Fatal(err)
	}
	p.store.Clients[clientID] = &fosite.DefaultClient{
		ID: clientID, Secret: hash, RedirectURIs: []string{redirect}, ResponseTypes: []string{"code"},
		GrantTypes: []string{"authorization_code"}, Scopes: []string{"openid", "profile", "email"},
	}
}

// tells changes what the provider tells about the person.
func (p *provider) tells(claims map[string]any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.person = claims
}

func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"issuer": p.URL, "authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token", "jwks_uri": p.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (p *provider) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "first", "n": encode(p.key.N.Bytes()), "e": encode(big.NewInt(int64(p.key.E)).Bytes()),
	}}})
}

// authorize answers as if the person had signed in and said yes.
func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	asked, err := p.oauth.NewAuthorizeRequest(ctx, r)
	if err != nil {
		p.oauth.WriteAuthorizeError(ctx, w, asked, err)
		return
	}
	for _, scope := range asked.GetRequestedScopes() {
		asked.GrantScope(scope)
	}
	p.mu.Lock()
	claims := p.person
	p.mu.Unlock()
	answer, err := p.oauth.NewAuthorizeResponse(ctx, asked, &openid.DefaultSession{
		Subject: "4711", Headers: &jwt.Headers{Extra: map[string]any{"kid": "first"}},
		Claims: &jwt.IDTokenClaims{
			Subject: "4711", Audience: []string{clientID}, AuthTime: time.Now().Add(-time.Second), RequestedAt: time.Now(), Extra: claims,
		},
	})
	if err != nil {
		p.oauth.WriteAuthorizeError(ctx, w, asked, err)
		return
	}
	p.oauth.WriteAuthorizeResponse(ctx, w, asked, answer)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	asked, err := p.oauth.NewAccessRequest(ctx, r, &openid.DefaultSession{})
	if err != nil {
		p.oauth.WriteAccessError(ctx, w, asked, err)
		return
	}
	answer, err := p.oauth.NewAccessResponse(ctx, asked)
	if err != nil {
		p.oauth.WriteAccessError(ctx, w, asked, err)
		return
	}
	p.oauth.WriteAccessResponse(ctx, w, asked, answer)
}

// serve runs a server whose people sign in with the provider.
func serve(t *testing.T, p *provider) *app.Server {
	t.Helper()
	s, err := app.New(app.Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, SignIn: app.SignIn{OIDC: app.OIDC{
		Issuer: p.URL, ClientID: clientID, ClientSecret: redacted.New(clientSecret), AllowPrivate: true, Label: "Fosite",
		Grants: []string{"ops=operator@default", "*=viewer@default"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	p.register(t, s.URL()+"/api/v1/session/oidc/callback")
	return s
}

// browser follows redirects and keeps cookies, as browsers do.
type browser struct {
	*testing.T

	client http.Client
	server *app.Server
}

func newBrowser(t *testing.T, s *app.Server) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{T: t, client: http.Client{Jar: jar, Timeout: 20 * time.Second}, server: s}
	t.Cleanup(b.client.CloseIdleConnections)
	return b
}

// get returns where a way ends, with the status and the text there.
func (b *browser) get(address string) (end *url.URL, status int, text string) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := b.client.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		b.Fatal(err)
	}
	return answer.Request.URL, answer.StatusCode, string(body)
}

// signIn goes to the provider and comes back, and returns who has signed in.
func (b *browser) signIn() string {
	b.Helper()
	end, status, text := b.get(b.server.URL() + "/api/v1/session/oidc/start")
	if end.Path != "/" || end.RawQuery != "" {
		b.Fatalf("the way ended at %s with %d %s", end, status, text)
	}
	_, status, text = b.get(b.server.URL() + "/api/v1/session")
	if status != http.StatusOK {
		b.Fatalf("nobody has signed in: %d %s", status, text)
	}
	return text
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := serve(t, p)
	p.tells(map[string]any{"preferred_username": "peter", "name": "Peter", "groups": []string{"ops"}})
	b := newBrowser(t, s)
	if _, status, text := b.get(s.URL() + "/api/v1/session/ways"); status != http.StatusOK || !strings.Contains(text, `"Fosite"`) {
		t.Errorf("%d %s", status, text)
	}
	who := b.signIn()
	if !strings.Contains(who, `"user":"peter"`) || !strings.Contains(who, `"grants":["operator@default/*","viewer@default/*"]`) || !strings.Contains(who, `"way":"oidc"`) {
		t.Errorf("signed in is %s", who)
	}
	if _, status, text := b.get(s.URL() + "/api/v1/jobs"); status != http.StatusOK {
		t.Errorf("%d %s", status, text)
	}

	// The group is taken away: the next sign-in counts, and ends what was before.
	p.tells(map[string]any{"preferred_username": "renamed", "groups": []string{}})
	if who = newBrowser(t, s).signIn(); !strings.Contains(who, `"user":"peter"`) || !strings.Contains(who, `"grants":["viewer@default/*"]`) {
		t.Errorf("signed in is %s", who)
	}
	if _, status, _ := b.get(s.URL() + "/api/v1/session"); status != http.StatusUnauthorized {
		t.Errorf("the session with the old grants goes on: %d", status)
	}
}

// An answer that was made for one browser lets nobody in with another, nor twice.
func TestAnswerIsForOneBrowser(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	s := serve(t, p)
	p.tells(map[string]any{"preferred_username": "peter", "groups": []string{}})
	attacker, victim := newBrowser(t, s), newBrowser(t, s)
	var answer *url.URL
	attacker.client.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if strings.HasSuffix(r.URL.Path, "/callback") {
			answer = r.URL
			return http.ErrUseLastResponse
		}
		return nil
	}
	attacker.get(s.URL() + "/api/v1/session/oidc/start")
	if answer == nil || answer.Query().Get("code") == "" {
		t.Fatalf("the provider answered %s", answer)
	}
	if _, status, text := victim.get(answer.String()); status != http.StatusUnauthorized {
		t.Errorf("in another browser: %d %s", status, text)
	}
	attacker.client.CheckRedirect = nil
	if end, status, text := attacker.get(answer.String()); end.Path != "/" {
		t.Fatalf("in its own browser: %d %s", status, text)
	}
	if _, status, text := attacker.get(answer.String()); status != http.StatusUnauthorized {
		t.Errorf("a second time: %d %s", status, text)
	}
}
