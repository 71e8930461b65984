package oidc

import (
	"context"
	"crypto"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/users"
)

const (
	clientID     = "orth-here"
	clientSecret = "the secret of the client, which is long enough for a key"
	redirect     = "https://orth.example.com/api/v1/session/oidc/callback"
)

// issuer is a provider that vouches for whom a test says.
type issuer struct {
	*httptest.Server

	mu        sync.Mutex
	key       *rsa.PrivateKey
	kid       int
	claims    map[string]any                           // of the next token, over those of a good one
	sign      func(i *issuer, body map[string]any) any // of the next token; nil: as it should be
	info      map[string]any                           // what it tells about people
	moved     bool                                     // discovery answers with a redirect
	mismatch  bool                                     // discovery names another issuer
	challenge string                                   // of the last question
	nonce     string
	asked     int // discovery
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{}
	i.rotate(t)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", i.keys)
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /userinfo", func(w http.ResponseWriter, _ *http.Request) { reply(w, i.info) })
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	return i
}

// rotate gives the issuer another key.
func (i *issuer) rotate(t *testing.T) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.kid = key, i.kid+1
}

func reply(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (i *issuer) discovery(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.asked++
	if i.moved {
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
		return
	}
	name := i.URL
	if i.mismatch {
		name += "/other"
	}
	reply(w, map[string]any{
		"issuer": name, "authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"userinfo_endpoint": i.URL + "/userinfo", "id_token_signing_alg_values_supported": []string{"RS256", "HS256", "none"},
	})
}

func (i *issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	reply(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": fmt.Sprint(i.kid), "n": encode(i.key.N.Bytes()), "e": encode(big.NewInt(int64(i.key.E)).Bytes()),
	}}})
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

func part(body any) string {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	return encode(text)
}

// token checks a request for a token as a provider does.
func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	id, password, _ := r.BasicAuth()
	if id == "" {
		id, password = r.PostFormValue("client_id"), r.PostFormValue("client_secret")
	}
	id, _ = url.QueryUnescape(id)
	password, _ = url.QueryUnescape(password)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if id != clientID || password != clientSecret || r.PostFormValue("redirect_uri") != redirect ||
		r.PostFormValue("code") != "good" || encode(sum[:]) != i.challenge {
		w.WriteHeader(http.StatusBadRequest)
		reply(w, map[string]any{"error": "invalid_grant", "error_description": "with " + password})
		return
	}
	now := time.Now()
	body := map[string]any{
		"iss": i.URL, "aud": clientID, "sub": "4711", "nonce": i.nonce, "iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
		"preferred_username": "Ann", "name": "Ann  of\nExample", "email": "ann@example.com", "groups": []string{"staff", "ops"},
	}
	maps.Copy(body, i.claims)
	sign := i.sign
	if sign == nil {
		sign = func(i *issuer, body map[string]any) any { return i.signed(i.key, body) }
	}
	reply(w, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 300, "id_token": sign(i, body)})
}

// signed returns a token with the signature of a key.
func (i *issuer) signed(key *rsa.PrivateKey, body map[string]any) string {
	text := part(map[string]any{"alg": "RS256", "kid": fmt.Sprint(i.kid)}) + "." + part(body)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + encode(signature)
}

// unsigned is a token with the algorithm none, and shared one that is signed with what
// the client knows too.
func unsigned(_ *issuer, body map[string]any) any {
	return part(map[string]any{"alg": "none"}) + "." + part(body) + "."
}

func shared(_ *issuer, body map[string]any) any {
	text := part(map[string]any{"alg": "HS256"}) + "." + part(body)
	mac := hmac.New(sha256.New, []byte(clientSecret))
	mac.Write([]byte(text))
	return text + "." + encode(mac.Sum(nil))
}

// admitted notes who was let in.
type admitted struct{ last users.Foreign }

func (a *admitted) Admit(_ context.Context, f users.Foreign) (access.User, error) {
	a.last = f
	return access.User{ID: 7, Kind: access.Person, Name: f.Name}, nil
}

// open returns the door to an issuer.
func open(t *testing.T, i *issuer, users Users, change func(*Config)) *Door {
	t.Helper()
	c := Config{
		Issuer: i.URL, ClientID: clientID, ClientSecret: redacted.New(clientSecret), Redirect: redirect, Private: true, Users: users,
		Grants: []Grant{
			{"ops", access.Grant{Role: access.Operator, Namespace: "default", Group: "*"}},
			{"root", access.Grant{Role: access.Administrator, Namespace: "*", Group: "*"}},
			{"*", access.Grant{Role: access.Viewer, Namespace: "default", Group: "*"}},
		},
	}
	if change != nil {
		change(&c)
	}
	d, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

// start begins to sign in, and has the issuer remember what was asked.
func start(t *testing.T, i *issuer, d *Door) (keep redacted.Text, state string) {
	t.Helper()
	address, keep, err := d.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	if q.Get("redirect_uri") != redirect || q.Get("client_id") != clientID || q.Get("response_type") != "code" ||
		q.Get("code_challenge_method") != "S256" || q.Get("scope") != "openid profile email" {
		t.Errorf("asked with %s", address)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.challenge, i.nonce = q.Get("code_challenge"), q.Get("nonce")
	return keep, q.Get("state")
}
