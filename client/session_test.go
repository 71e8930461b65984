package client_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// A client that signed in shows its cookie and where it comes from, and no token.
func TestSignIn(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen = append(seen, strings.Join([]string{r.Method, r.URL.Path, string(body), r.Header.Get("Authorization"), r.Header.Get("Cookie"), r.Header.Get("Origin")}, " "))
		w.Header().Set("Content-Type", "application/json")
		switch {
		case strings.Contains(string(body), "wrong"):
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"code":"unauthorized","detail":"the name or the password is wrong"}`)
		case r.URL.Path == "/api/v1/session" && r.Method == http.MethodDelete:
			w.WriteHeader(http.StatusNoContent)
		case r.URL.Path == "/api/v1/session":
			w.Header().Set("Set-Cookie", "orth=first; Path=/; HttpOnly")
			_, _ = io.WriteString(w, `{"user":"ada","kind":"user","must_change":true,"grants":[]}`)
		case r.URL.Path == "/api/v1/session/password":
			w.Header().Set("Set-Cookie", "orth=second; Path=/; HttpOnly")
			_, _ = io.WriteString(w, `{"user":"ada","kind":"user","must_change":false,"grants":[]}`)
		default:
			_, _ = io.WriteString(w, `{"token":"orth_abc","id":"5","user":"ada","key":"abc"}`)
		}
	}))
	t.Cleanup(server.Close)
	c, err := client.New(client.Config{Address: server.URL, Token: "not-this-one"})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.SignIn(t.Context(), "ada", "wrong"); !job.Is(err, job.Unauthorized) {
		t.Errorf("a wrong password: %v", err)
	}
	first, who, err := c.SignIn(t.Context(), "ada", "right")
	if err != nil || !who.MustChange {
		t.Fatalf("%+v, %v", who, err)
	}
	second, who, err := first.ChangePassword(t.Context(), "right", "better")
	if err != nil || who.MustChange {
		t.Fatalf("%+v, %v", who, err)
	}
	if made, err := second.CreateToken(t.Context(), "", api.NewAPIToken{Label: "x"}); err != nil || made.Token != "orth_abc" {
		t.Errorf("%+v, %v", made, err)
	}
	if err := second.SignOut(t.Context()); err != nil {
		t.Error(err)
	}
	want := []string{
		`POST /api/v1/session {"user":"ada","password":"wrong"}   ` + server.URL,
		`POST /api/v1/session {"user":"ada","password":"right"}   ` + server.URL,
		`POST /api/v1/session/password {"old_password":"right","new_password":"better"}  orth=first ` + server.URL,
		`POST /api/v1/tokens {"label":"x"}  orth=second ` + server.URL,
		`DELETE /api/v1/session   orth=second ` + server.URL,
	}
	if got := strings.Join(seen, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the server saw\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
