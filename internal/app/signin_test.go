package app

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// visitor is somebody with a browser.
type visitor struct {
	t      *testing.T
	server *Server
	client http.Client
	from   string // what the trusted proxy says; empty: nothing
}

func visit(t *testing.T, s *Server) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, server: s, client: http.Client{Jar: jar, Timeout: 20 * time.Second}}
	t.Cleanup(v.client.CloseIdleConnections)
	return v
}

// ask sends what a page of the server would send.
func (v *visitor) ask(method, path, body string, headers ...string) (int, string) {
	v.t.Helper()
	r, err := http.NewRequestWithContext(v.t.Context(), method, v.server.URL()+"/api/v1"+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Origin", v.server.URL())
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if v.from != "" {
		r.Header.Set("X-Forwarded-For", v.from)
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
	}
	answer, err := v.client.Do(r)
	if err != nil {
		v.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func (v *visitor) want(status int, method, path, body string, headers ...string) string {
	v.t.Helper()
	got, text := v.ask(method, path, body, headers...)
	if got != status {
		v.t.Fatalf("%s %s %q: %d, not %d: %s", method, path, headers, got, status, text)
	}
	return text
}

func credentials(user, password string) string {
	text, _ := json.Marshal(map[string]string{"user": user, "password": password})
	return string(text)
}

func change(old, fresh string) string {
	text, _ := json.Marshal(map[string]string{"old_password": old, "new_password": fresh})
	return string(text)
}

// firstPassword waits for the password that the first start makes.
func firstPassword(t *testing.T, s *Server) string {
	t.Helper()
	var text []byte
	until(t, "the first user is there", func() (done bool) {
		var err error
		if _, err = s.users.User(t.Context(), users.FirstName); err == nil {
			text, err = os.ReadFile(s.firstPassword())
		}
		return err == nil
	})
	return strings.TrimSpace(string(text))
}

// A03, A14, A25: nobody guesses the first password, it has to be changed, no other site
// changes it, what was signed in ends with the change, and nobody makes a session up.
func TestFirstSignIn(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{SignIn: SignIn{TrustedProxies: []string{"127.0.0.1"}}, Data: t.TempDir(), Listen: "127.0.0.1:0"})
	first := firstPassword(t, s)
	if len(first) != 20 {
		t.Errorf("the first password has %d characters", len(first))
	}
	stranger := visit(t, s)
	stranger.from = "::1" // signing in over plain connections is for this machine
	for _, guess := range []string{"123456", "admin", "admin123", "password"} {
		stranger.want(http.StatusUnauthorized, "POST", "/session", credentials("admin", guess))
	}
	stranger.want(http.StatusUnauthorized, "GET", "/jobs", "")

	admin, elsewhere := visit(t, s), visit(t, s)
	admin.want(http.StatusOK, "POST", "/session", credentials("admin", first))
	elsewhere.want(http.StatusOK, "POST", "/session", credentials("admin", first))
	if who := admin.want(http.StatusOK, "GET", "/session", ""); !strings.Contains(who, `"must_change":true`) {
		t.Errorf("the first password is for good: %s", who)
	}
	admin.want(http.StatusForbidden, "GET", "/jobs", "")

	const fresh = "correct horse battery"
	for _, header := range []string{"Origin: http://evil.test", "Origin: null", "Sec-Fetch-Site: cross-site", "Content-Type: text/plain", "Content-Type: application/x-www-form-urlencoded"} {
		admin.want(http.StatusForbidden, "POST", "/session/password", change(first, fresh), header)
	}
	admin.want(http.StatusForbidden, "POST", "/session/password", change("a guess at it", fresh))
	admin.want(http.StatusUnprocessableEntity, "POST", "/session/password", change(first, "1234567890"))
	admin.want(http.StatusOK, "POST", "/session/password", change(first, fresh))
	if _, err := os.Stat(s.firstPassword()); err == nil {
		t.Error("the first password is still in its file")
	}
	admin.want(http.StatusOK, "GET", "/jobs", "")
	elsewhere.want(http.StatusUnauthorized, "GET", "/session", "")
	elsewhere.want(http.StatusUnauthorized, "POST", "/session", credentials("admin", first))
	elsewhere.want(http.StatusOK, "POST", "/session", credentials("admin", fresh))

	base, err := url.Parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	cookies := admin.client.Jar.Cookies(base)
	if len(cookies) != 1 || len(cookies[0].Value) != 43 {
		t.Fatalf("kept are %v", cookies)
	}
	forgedSessions(t, s, cookies[0].Value)
	admin.want(http.StatusNoContent, "DELETE", "/session", "")
	thief := visit(t, s) // who has copied the cookie
	thief.want(http.StatusUnauthorized, "GET", "/jobs", "", "Cookie: orth="+cookies[0].Value)
	elsewhere.want(http.StatusOK, "GET", "/jobs", "")
}

// forgedSessions tries what is no session and no token.
func forgedSessions(t *testing.T, s *Server, good string) {
	t.Helper()
	encode := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	admin := `{"id":1,"username":"admin","password":"e10adc3949ba59abbe56e057f20f883e","role":1,"permission":null}`
	none := encode(`{"alg":"none","typ":"JWT"}`) + "." + encode(`{"sub":"admin","role":"ADMIN","exp":9999999999}`) + "."
	signed := encode(`{"alg":"HS256","typ":"JWT"}`) + "." + encode(`{"sub":"admin","role":"ADMIN","exp":9999999999}`) + "." + encode(strings.Repeat("s", 32))
	v := visit(t, s)
	v.want(http.StatusOK, "GET", "/jobs", "", "Cookie: orth="+good)
	for _, header := range []string{
		"Cookie: XXL_JOB_LOGIN_IDENTITY=" + hex.EncodeToString([]byte(admin)), "Cookie: orth=" + hex.EncodeToString([]byte(admin)),
		"Cookie: orth=" + none, "Cookie: orth=" + signed, "Cookie: orth=1", "Cookie: orth=admin", "Cookie: orth=" + strings.Repeat("A", 43),
		"Cookie: orth=" + good[:42], "Cookie: orth=" + good + "A", "Cookie: __Host-orth=" + good, "Cookie: orth=" + strings.ToLower(good),
		"Authorization: Bearer " + none, "Authorization: Bearer " + signed, "Authorization: Bearer " + good, "Authorization: Bearer default_token",
		"Authorization: Bearer ", "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("admin:123456")),
	} {
		v.want(http.StatusUnauthorized, "GET", "/jobs", "", header)
	}
}

// S05: from a thousand addresses together an account is tried ten times a minute, and
// its owner gets in where it was before.
func TestGuessing(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{SignIn: SignIn{TrustedProxies: []string{"127.0.0.1"}, AllowPlain: true}, Data: t.TempDir(), Listen: "127.0.0.1:0"})
	first, owner := firstPassword(t, s), visit(t, s)
	owner.from = "192.0.2.7"
	owner.want(http.StatusOK, "POST", "/session", credentials("admin", first))
	for _, name := range []string{"admin", "nobody"} {
		counts, attacker := map[int]int{}, visit(t, s)
		for i := range 300 {
			attacker.from = fmt.Sprintf("10.%d.%d.9", i%150, len(name))
			status, _ := attacker.ask("POST", "/session", credentials(name, fmt.Sprint("guess ", i)))
			counts[status]++
		}
		if counts[http.StatusUnauthorized] > 10 || counts[http.StatusUnauthorized]+counts[http.StatusTooManyRequests] != 300 {
			t.Errorf("%s: the guesses were answered %v", name, counts)
		}
	}
	owner.want(http.StatusOK, "POST", "/session", credentials("admin", first))
}

// S05: a server that is started anew lets nobody guess again who has just guessed.
func TestGuessingOverARestart(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	guess := func(want int) {
		t.Helper()
		s, err := New(Config{Data: data, Listen: "127.0.0.1:0"})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		defer func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}()
		firstPassword(t, s)
		attacker, counts := visit(t, s), map[int]int{}
		for i := range 10 {
			status, _ := attacker.ask("POST", "/session", credentials("admin", fmt.Sprint("guess ", i)))
			counts[status]++
		}
		if got := counts[http.StatusUnauthorized]; got > want || counts[http.StatusTooManyRequests] != 10-got || want > 1 && got < want {
			t.Errorf("the guesses were answered %v; %d may take effect", counts, want)
		}
	}
	guess(5)
	guess(1) // one more when twelve seconds have passed meanwhile
	guess(1)
}

func TestSignInSettings(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]SignIn{
		"session-ttl":          {SessionFor: time.Second},
		"session-idle-timeout": {SessionIdle: 31 * 24 * time.Hour},
		"trusted-proxy":        {TrustedProxies: []string{"proxy.example.com"}},
		"oidc-issuer":          {OIDC: OIDC{ClientID: "x"}},
	} {
		c.defaults()
		if err := c.check(); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v", field, err)
		}
	}
	c := SignIn{TrustedProxies: []string{"10.1.2.3", "fd00::/8"}}
	c.defaults()
	if err := c.check(); err != nil {
		t.Error(err)
	}
	provider := OIDC{Issuer: "https://id.example.com", ClientID: "x"}
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", SignIn: SignIn{OIDC: provider}})
	if got := s.redirect(); got != s.URL()+"/api/v1/session/oidc/callback" {
		t.Errorf("the provider sends browsers to %s", got)
	}
	if ways := visit(t, s).want(http.StatusOK, "GET", "/session/ways", ""); !strings.Contains(ways, `"id.example.com"`) {
		t.Error(ways)
	}
	_, err := New(Config{Data: t.TempDir(), Listen: "0.0.0.0:0", SignIn: SignIn{OIDC: provider}})
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "public-url") {
		t.Error(err)
	}
	provider.Grants = []string{"a"}
	_, err = New(Config{Data: t.TempDir(), Listen: "127.0.0.1:0", SignIn: SignIn{OIDC: provider}})
	if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "oidc-grant") {
		t.Error(err)
	}
}
