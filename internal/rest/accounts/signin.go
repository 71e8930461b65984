package accounts

import (
	"cmp"
	"context"
	"net/http"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest/browser"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/users"
	"github.com/orthd/orth/job"
)

// SignIn lets people in. Its parts are nil when there is no such way.
type SignIn struct {
	Passwords Passwords
	Provider  Provider
	// Failures counts failed attempts. Defaults to none.
	Failures Failures
	// SignedIn is called with a user who has signed in with a browser, and the origin by
	// which the browser reaches the server, such as https://orth.example.com. The origin is
	// one that sessions may be used from; the client may have made it up. Defaults to none.
	SignedIn func(u *access.User, origin string)
	// Page is the path at which browsers sign in, without a query. One that the provider
	// has not let in is sent back there. Defaults to none: it is answered with a problem.
	Page string
	// Home is the path where browsers go that the provider has let in: always the same.
	// Defaults to "/".
	Home string
}

// Failures counts the tries to sign in that failed.
type Failures interface {
	// Failed counts one: of an account, empty for an unnamed one, from an address. late
	// reports that it was refused without a check.
	Failed(name, address string, late bool)
}

// failed reports an attempt that failed through the client's fault.
func (s *userRoom) failed(name, address string, err error) {
	late := job.Is(err, job.Full)
	if s.config.SignIn.Failures != nil && (late || job.Is(err, job.Unauthorized)) {
		s.config.SignIn.Failures.Failed(name, address, late)
	}
}

// Passwords tries and changes passwords, not too often.
type Passwords interface {
	// Password returns whose a name and password are. Kinds: Unauthorized, Full for a
	// try that had no effect.
	Password(ctx context.Context, name string, password redacted.Text, address string) (access.User, error)
	// ChangePassword returns the user as it is afterwards. Kinds: Unauthorized for a
	// wrong old one, Invalid for a poor new one, Full.
	ChangePassword(ctx context.Context, name string, old, fresh redacted.Text, address string) (access.User, error)
}

// Provider signs people in who have an account elsewhere.
type Provider interface {
	// Label is what people call it.
	Label() string
	// Start returns where a browser is to go, and a text that it has to bring back
	// together with the answer that it gets there.
	Start(ctx context.Context) (address string, keep redacted.Text, err error)
	// Finish returns the user of the answer. Kinds: Unauthorized, Forbidden.
	// users.RefusalOf has the code of each.
	Finish(ctx context.Context, keep redacted.Text, answer Answer) (access.User, error)
}

// Answer is what a provider of identities has a browser bring along.
type Answer struct{ Code, State, Failure string }

// CallbackPath is where a provider of identities sends browsers back to.
const CallbackPath = guard.Prefix + callbackPath

const callbackPath = "/session/oidc/callback"

// tagSession groups operations in the OpenAPI document.
const tagSession = "session"

// The names of the cookie that waits for the answer of a provider.
const (
	safeStart  = "__Host-orth-oidc"
	plainStart = "orth-oidc"
)

// startFor is how long it waits, in seconds.
const startFor = 600

type signIn struct{ Body api.SignIn }

type passwordChange struct{ Body api.PasswordChange }

type signedIn struct {
	SetCookie string `header:"Set-Cookie"`
	Body      api.SignedIn
}

type signedOut struct {
	SetCookie string `header:"Set-Cookie"`
}

type waysReply struct{ Body api.SignInWays }

type redirect struct {
	Status    int
	Location  string   `header:"Location"`
	SetCookie []string `header:"Set-Cookie"`
}

type callback struct {
	Code  string `query:"code" doc:"The authorization code of the provider."`
	State string `query:"state" doc:"The state of the request to the provider."`
	Error string `query:"error" doc:"The provider's error code for a refused sign-in."`
	Safe  string `cookie:"__Host-orth-oidc"`
	Plain string `cookie:"orth-oidc"`
}

// howItFails describes the redirect of browsers that a provider has refused.
const howItFails = "A browser, which accepts text/html, is sent back to the console's page where people sign in when it fails, with why in `failed`: " +
	"`denied` (the provider refused), `expired` (begin again), `not_allowed` (the user has no access here), or " +
	"`provider` (it cannot be asked, or its answer is of no use). Programs, and all where there is no console, get the problem."

// registerSignIn adds what is about signing in.
func (s *userRoom) registerSignIn() {
	guard.Register(s.Guard, guard.Op{
		ID: "sign-in", Method: http.MethodPost, Path: "/session", Tags: []string{tagSession},
		Right: guard.Open, Scope: guard.OnNobody, Class: guard.Signing,
		Policy:      guard.Policy{Made: true, Shown: true},
		Summary:     "Sign in with a name and a password: the session is in the cookie that comes back",
		Description: "Too many attempts are answered with 429 and Retry-After. A password that has to be changed allows nothing else before.",
	}, s.signIn)
	guard.Register(s.Guard, guard.Op{
		ID: "list-sign-in-ways", Method: http.MethodGet, Path: "/session/ways", Tags: []string{tagSession},
		Right: guard.Open, Scope: guard.OnNobody, Class: guard.Reading,
		Summary:     "List the ways to sign in",
		Description: "A page of one's own asks this first: with a password, and through which provider.",
	}, s.ways)
	guard.Register(s.Guard, guard.Op{
		ID: "change-password", Method: http.MethodPost, Path: "/session/password", Tags: []string{tagSession},
		Right: guard.Self, Scope: guard.OnSelfLocked, Class: guard.Signing,
		Policy:  guard.Policy{Shown: true},
		Summary: "Change one's own password: all other sessions end, and this one gets another cookie",
	}, s.changePassword)
	guard.Register(s.Guard, guard.Op{
		ID: "start-oidc", Method: http.MethodGet, Path: "/session/oidc/start", Tags: []string{tagSession},
		Right: guard.Open, Scope: guard.OnNobody, Class: guard.Signing, Status: http.StatusSeeOther,
		Summary:     "Send a browser to the provider of identities",
		Description: "It leads to the provider's page, which sends the browser back here. " + howItFails,
	}, s.startOIDC)
	guard.Register(s.Guard, guard.Op{
		ID: "finish-oidc", Method: http.MethodGet, Path: callbackPath, Tags: []string{tagSession},
		Right: guard.Open, Scope: guard.OnNobody, Class: guard.Signing, Status: http.StatusSeeOther,
		Policy:      guard.Policy{Made: true, Shown: true},
		Summary:     "Accept the provider's answer: the session is in the cookie that is returned",
		Description: "Only browsers come here, sent by the provider; it leads on to where they wanted to go. " + howItFails,
		Lenient:     true, // providers add what they like
	}, s.finishOIDC)
}

func (s *userRoom) ways(context.Context, *struct{}) (*waysReply, error) {
	w := api.SignInWays{Password: s.config.SignIn.Passwords != nil && s.config.Sessions != nil}
	if s.config.SignIn.Provider != nil {
		w.OIDC = s.config.SignIn.Provider.Label()
	}
	return &waysReply{w}, nil
}

func (s *userRoom) signIn(ctx context.Context, in *signIn) (*signedIn, error) {
	v := browser.VisitOf(ctx)
	switch {
	case s.config.SignIn.Passwords == nil || s.config.Sessions == nil:
		return nil, job.Errorf(job.NotFound, "this server has no sign-in with passwords")
	case v.Refused != nil:
		return nil, v.Refused
	}
	u, err := s.config.SignIn.Passwords.Password(ctx, in.Body.User, redacted.New(in.Body.Password), v.Address)
	if err != nil {
		s.failed(in.Body.User, v.Address, err)
		return nil, err
	}
	return s.begin(ctx, &u, access.ByPassword)
}

// begin starts a session of a user.
func (s *userRoom) begin(ctx context.Context, u *access.User, way access.Way) (*signedIn, error) {
	caller := u.Principal(0)
	if i := intent.Of(ctx); i != nil { // until now the caller was unknown
		i.By, i.Object = caller, intent.Object{Kind: "user", Key: u.Name}
	}
	v := browser.VisitOf(ctx)
	session, text, err := s.config.Sessions.Begin(ctx, u, way, v.Address, v.Agent)
	if err != nil {
		return nil, err
	}
	if s.config.SignIn.SignedIn != nil && v.Origin != "" {
		s.config.SignIn.SignedIn(u, v.Origin)
	}
	caller.Credential = session.ID
	shown := api.FromSession(session, session.ID)
	return &signedIn{SetCookie: v.Keep(text), Body: whoIs(&caller, &shown)}, nil
}

func (s *userRoom) changePassword(ctx context.Context, in *passwordChange) (*signedIn, error) {
	caller, err := s.person(ctx)
	if err != nil {
		return nil, err
	}
	if s.config.SignIn.Passwords == nil {
		return nil, job.Errorf(job.NotFound, "this server has no sign-in with passwords")
	}
	u, err := s.config.SignIn.Passwords.ChangePassword(ctx, caller.Name, redacted.New(in.Body.Old), redacted.New(in.Body.New), browser.VisitOf(ctx).Address)
	s.failed(caller.Name, browser.VisitOf(ctx).Address, err)
	if job.Is(err, job.Unauthorized) { // who calls is known all the same
		return nil, &job.Error{Kind: job.Forbidden, Field: "old_password", Message: "is not the password of user " + caller.Name}
	}
	if err != nil {
		return nil, err
	}
	began, err := s.begin(ctx, &u, access.ByPassword)
	if err == nil {
		err = s.config.Sessions.EndOthers(ctx, u.ID, int64(began.Body.Session.ID))
	}
	if err != nil {
		return nil, err
	}
	return began, nil
}

// back redirects a browser whose sign-in through the provider has failed to where it began;
// a program gets the problem. It repeats no text of the provider.
func (s *userRoom) back(ctx context.Context, err error) (*redirect, error) {
	v := browser.VisitOf(ctx)
	if s.config.SignIn.Page == "" || !v.Page {
		return nil, err
	}
	return &redirect{http.StatusSeeOther, s.config.SignIn.Page + "?failed=" + string(users.RefusalOf(err)), []string{startCookie(v, redacted.Text{})}}, nil
}

func (s *userRoom) startOIDC(ctx context.Context, _ *struct{}) (*redirect, error) {
	v := browser.VisitOf(ctx)
	switch {
	case s.config.SignIn.Provider == nil || s.config.Sessions == nil:
		return nil, job.Errorf(job.NotFound, "this server knows no provider of identities")
	case v.Refused != nil:
		return nil, v.Refused
	}
	address, keep, err := s.config.SignIn.Provider.Start(ctx)
	if err != nil {
		return s.back(ctx, err)
	}
	return &redirect{http.StatusSeeOther, address, []string{startCookie(v, keep)}}, nil
}

// startCookie returns the cookie that waits for the answer of a provider, or stops to wait.
// Browsers send it although the provider's page leads here.
func startCookie(v *browser.Visit, keep redacted.Text) string {
	//nolint:gosec // it is made Secure below, but for plain HTTP
	c := http.Cookie{Name: plainStart, Value: keep.Reveal(), Path: "/", MaxAge: startFor, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if v.Cookie == browser.SafeCookie {
		c.Name, c.Secure = safeStart, true
	}
	if keep.IsZero() {
		c.MaxAge = -1
	}
	return c.String()
}

func (s *userRoom) finishOIDC(ctx context.Context, in *callback) (*redirect, error) {
	v, keep := browser.VisitOf(ctx), in.Plain
	if v.Cookie == browser.SafeCookie {
		keep = in.Safe
	}
	switch {
	case s.config.SignIn.Provider == nil || s.config.Sessions == nil:
		return nil, job.Errorf(job.NotFound, "this server knows no provider of identities")
	case v.Refused != nil:
		return nil, v.Refused
	case keep == "":
		err := job.Errorf(job.Unauthorized, "this browser has not begun to sign in, or more than ten minutes ago: begin again")
		return s.back(ctx, users.Refuse(users.Expired, err))
	}
	answer := Answer{Code: in.Code, State: in.State, Failure: in.Error}
	u, err := s.config.SignIn.Provider.Finish(ctx, redacted.New(keep), answer)
	if err != nil {
		s.failed("", v.Address, err)
		return s.back(ctx, err)
	}
	began, err := s.begin(ctx, &u, access.ByProvider)
	if err != nil {
		return s.back(ctx, err)
	}
	return &redirect{http.StatusSeeOther, cmp.Or(s.config.SignIn.Home, "/"), []string{began.SetCookie, startCookie(v, redacted.Text{})}}, nil
}
