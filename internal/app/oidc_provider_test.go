package app

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"
)

// What the provider of the test knows a server by.
const (
	oidcClient = "orth-of-the-test"
	oidcSecret = "what only the provider and the server know"
)

// company is a provider of identities with one account at a time.
type company struct {
	*httptest.Server

	t   *testing.T
	key *rsa.PrivateKey

	mu       sync.Mutex
	person   map[string]any        // what it tells about who has an account; nil: nobody has
	asked    map[string]url.Values // questions of servers, by code
	redirect string                // the only place where it sends browsers back to
}

func newCompany(t *testing.T) *company {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	c := &company{t: t, key: key, asked: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", c.discovery)
	mux.HandleFunc("GET /keys", c.keys)
	mux.HandleFunc("GET /authorize", c.authorize)
	mux.HandleFunc("POST /token", c.token)
	c.Server = httptest.NewServer(mux)
	t.Cleanup(c.Close)
	return c
}

// employs says who has the account from now on.
func (c *company) employs(person map[string]any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.person = person
}

// inJSON answers with a document.
func inJSON(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (c *company) discovery(w http.ResponseWriter, _ *http.Request) {
	inJSON(w, map[string]any{
		"issuer": c.URL, "authorization_endpoint": c.URL + "/authorize", "token_endpoint": c.URL + "/token", "jwks_uri": c.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	})
}

func (c *company) keys(w http.ResponseWriter, _ *http.Request) {
	encode := base64.RawURLEncoding.EncodeToString
	inJSON(w, map[string]any{"keys": []any{map[string]any{
		"kty": "RSA", "alg": "RS256", "use": "sig", "kid": "one", "n": encode(c.key.N.Bytes()), "e": encode(big.NewInt(int64(c.key.E)).Bytes()),
	}}})
}

// authorize sends the browser back, as if the person had typed a password here before.
func (c *company) authorize(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := r.URL.Query()
	if q.Get("client_id") != oidcClient || q.Get("redirect_uri") != c.redirect || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		c.t.Errorf("the server sends browsers with %s", r.URL)
	}
	answer := url.Values{"state": {q.Get("state")}}
	if c.person == nil {
		answer.Set("error", "access_denied")
	} else {
		code := rand.Text()
		c.asked[code] = q
		answer.Set("code", code)
	}
	http.Redirect(w, r, c.redirect+"?"+answer.Encode(), http.StatusFound)
}

// token gives a server what it asks for, once for each code.
func (c *company) token(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := c.asked[r.PostFormValue("code")]
	delete(c.asked, r.PostFormValue("code"))
	id, password, _ := r.BasicAuth()
	password, _ = url.QueryUnescape(password)
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if q == nil || id != oidcClient || password != oidcSecret || base64.RawURLEncoding.EncodeToString(sum[:]) != q.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		inJSON(w, map[string]any{"error": "invalid_grant"})
		return
	}
	now := time.Now()
	claims := map[string]any{
		"iss": c.URL, "aud": oidcClient, "sub": "4711", "nonce": q.Get("nonce"), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
	maps.Copy(claims, c.person)
	inJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": c.signed(claims)})
}

func (c *company) signed(claims map[string]any) string {
	part := func(body map[string]any) string {
		text, err := json.Marshal(body)
		if err != nil {
			c.t.Error(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]any{"alg": "RS256", "kid": "one"}) + "." + part(claims)
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, c.key, crypto.SHA256, sum[:])
	if err != nil {
		c.t.Error(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}
