package resttest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/accounts"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/tries"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// The secrets of the sessions that fakeSessions knows: of an administrator, and of a
// user who has to change the password.
const (
	SessionText = "session-of-the-test"
	LockedText  = "session-of-who-is-locked"
)

// fakeSessions knows two sessions.
type fakeSessions struct{ *Fake }

func (f fakeSessions) Caller(_ context.Context, text string) (access.Principal, error) {
	p := access.Root()
	p.Kind, p.ID, p.Credential, p.Name, p.Locked = access.Person, 7, 3, "ann", text == LockedText
	if text != SessionText && text != LockedText {
		return access.Principal{}, job.Errorf(job.Unauthorized, "no such session")
	}
	return p, nil
}

func aSession(id int64) access.Session {
	return access.Session{
		ID: id, User: 7, Way: access.ByPassword, Address: "192.0.2.7", Agent: "a browser",
		CreatedAt: Instant, SeenAt: Instant, EndsAt: Instant.Add(12 * time.Hour),
	}
}

func (f fakeSessions) Begin(_ context.Context, u *access.User, way access.Way, address, agent string) (access.Session, redacted.Text, error) {
	return aSession(9), redacted.New("fresh-secret"), f.Note("begin %s by %s from %s, %s", u.Name, way, address, agent)
}

func (f fakeSessions) Of(_ context.Context, user int64) ([]access.Session, error) {
	return []access.Session{aSession(9), aSession(3)}, f.Note("sessions of %d", user)
}

func (f fakeSessions) End(_ context.Context, user, id int64) error {
	return f.Note("end %d of %d", id, user)
}

func (f fakeSessions) EndOthers(_ context.Context, user, but int64) error {
	return f.Note("end all of %d but %d", user, but)
}

// hasty is an error with a time to wait.
type hasty struct{ error }

func (h hasty) Unwrap() error { return h.error }

func (h hasty) RetryAfter() time.Duration { return 12 * time.Second }

// fakePasswords knows that of one user.
type fakePasswords struct{ *Fake }

func (f fakePasswords) Password(_ context.Context, name string, password redacted.Text, address string) (access.User, error) {
	err := f.Note("password of %s from %s", name, address)
	switch {
	case name == "tired":
		return access.User{}, hasty{job.Errorf(job.Full, "too many tries")}
	case err == nil && (name != "ann" || password.Reveal() != "right"):
		err = job.Errorf(job.Unauthorized, "the name or the password is wrong")
	}
	return access.User{ID: 7, Kind: access.Person, Name: name, MustChange: true, Grants: []access.Grant{{Role: access.Viewer, Namespace: "default", Group: "*"}}}, err
}

func (f fakePasswords) ChangePassword(ctx context.Context, name string, old, fresh redacted.Text, address string) (access.User, error) {
	u, err := f.Password(ctx, name, old, address)
	if err == nil && fresh.Reveal() == "poor" {
		err = job.FieldErrorf("new_password", "is easily guessed")
	}
	u.MustChange = false
	return u, err
}

// fakeProvider vouches for ann.
type fakeProvider struct{ *Fake }

func (f fakeProvider) Label() string { return "Example" }

func (f fakeProvider) Start(context.Context) (string, redacted.Text, error) {
	return "https://id.example.com/authorize?state=s", redacted.New("kept"), f.Note("start")
}

func (f fakeProvider) Finish(_ context.Context, keep redacted.Text, a accounts.Answer) (access.User, error) {
	err := f.Note("finish %s with %+v", keep.Reveal(), a)
	switch {
	case err == nil && a.Failure != "":
		err = users.Refuse(users.Denied, job.Errorf(job.Forbidden, "it says no"))
	case err == nil && a.State != "s":
		err = users.Refuse(users.Expired, job.Errorf(job.Unauthorized, "another state"))
	case err == nil && a.Code == "eve":
		err = users.Refuse(users.NotAllowed, job.Errorf(job.Forbidden, "eve cannot be here"))
	case err == nil && a.Code == "odd":
		err = job.Errorf(job.Unauthorized, "no token")
	}
	return access.User{ID: 7, Kind: access.Person, Name: "ann"}, err
}

// Browsing returns the API as browsers know it.
func Browsing(t *testing.T, f *Fake, change func(*rest.Config)) http.Handler {
	t.Helper()
	c := f.Config()
	c.Sessions, c.SignIn = fakeSessions{f}, accounts.SignIn{Passwords: fakePasswords{f}, Provider: fakeProvider{f}}
	const plenty = 1_000_000
	c.Rates = guard.Rates{Reading: plenty, Writing: plenty, Searching: plenty, Streaming: plenty, Signing: plenty, Strangers: plenty}
	c.Guesses = tries.NewLimiter(tries.Config{Pace: tries.Pace{AtOnce: plenty, Every: 1}})
	if change != nil {
		change(&c)
	}
	handler, err := rest.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// Ask is a request of a browser.
type Ask struct {
	Request string // method and path
	Body    string
	Headers []string // "Name: value"
	Host    string   // empty: 127.0.0.1:8080
	From    string   // empty: this machine
	Secure  bool     // over TLS
}

// Of implements SessionKeeper.
func (a Ask) Of(t *testing.T, handler http.Handler) *httptest.ResponseRecorder {
	t.Helper()
	method, path, _ := strings.Cut(a.Request, " ")
	r := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1:8080"+path, strings.NewReader(a.Body))
	r.RemoteAddr = "127.0.0.1:5000"
	if a.Body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if a.Host != "" {
		r.Host = a.Host
	}
	if a.From != "" {
		r.RemoteAddr = a.From
	}
	if a.Secure {
		r.TLS = httptest.NewRequest(http.MethodGet, "https://x/", http.NoBody).TLS
	}
	for _, header := range a.Headers {
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}
