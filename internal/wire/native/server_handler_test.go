package native

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/wire/native/mailbox"
	"github.com/orthd/orth/internal/wire/native/message"
	"github.com/orthd/orth/internal/wire/native/signing"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

const (
	ownToken   = "the token of the whole server"
	groupToken = "a token of group billing"
)

// house is the rooms of a server, and the keys to them.
type house struct {
	mu    sync.Mutex
	calls []string // guarded by mu
	fail  error    // the error of every room
}

func (h *house) note(format string, args ...any) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls = append(h.calls, fmt.Sprintf(format, args...))
	return h.fail
}

// take returns what was called since the last take.
func (h *house) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	calls := strings.Join(h.calls, "\n")
	h.calls = nil
	return calls
}

func (h *house) Key(_ context.Context, id string) (string, job.Caller, error) {
	switch id {
	case credential.KeyID(ownToken):
		return ownToken, job.Caller{Closed: job.NewClosedGroups(map[int64]string{9: "closed"})}, nil
	case credential.KeyID(groupToken):
		return groupToken, job.Caller{GroupID: 7, Group: "billing", TokenID: 70}, nil
	}
	return "", job.Caller{}, job.Errorf(job.Unauthorized, "the token %s is that of nobody", id)
}

func (h *house) Confirm(_ context.Context, caller job.Caller) (job.Caller, error) { return caller, nil }

func (h *house) Register(_ context.Context, b job.Beat) error {
	return h.note("register %s at %s: %v, incarnation %s, every %s, holds %v of all %v, draining %v, %s, token %d",
		b.Group, b.Address, b.Features, b.Life.Incarnation, b.Life.Every, b.Life.Holds, b.Life.Whole, b.Life.Draining, b.Dialect, b.TokenID)
}

func (h *house) Deregister(_ context.Context, group, address string) error {
	return h.note("farewell of %s at %s", group, address)
}

func (h *house) TakeFacts(_ context.Context, group, address string, f job.Facts) error {
	return h.note("facts %s of %s at %s: %s", f.Kind, group, address, f.Text)
}

func (h *house) CompleteAs(_ context.Context, caller job.Caller, outcomes []job.Outcome) error {
	text := fmt.Sprintf("complete as %q:", caller.Group)
	for _, o := range outcomes {
		text += fmt.Sprintf(" %d %s %q", o.AttemptID, o.State, o.Message)
		if o.EndedAt.IsZero() || o.EndedAt.After(time.Now()) || o.EndedAt.Before(o.TriggeredAt) {
			text += " at an impossible time"
		}
	}
	return h.note("%s", text)
}

func (h *house) config() ServerConfig {
	return ServerConfig{
		Keys: h, Leases: h, Outcomes: h, Version: "1.2.3",
		Batch: func(address string, tasks int) { _ = h.note("%s takes %d", address, tasks) },
		Lease: func(every time.Duration) time.Duration { return 3 * every },
	}
}

// serveHouse serves a server, and returns what posts to it with a token.
func serveHouse(t *testing.T, c ServerConfig) func(token, name, body string) signing.Reply {
	t.Helper()
	server := httptest.NewServer(NewServerHandler(c))
	t.Cleanup(server.Close)
	courier := signing.NewCourier(post.Config{})
	t.Cleanup(courier.Close)
	return func(token, name, body string) signing.Reply {
		t.Helper()
		got, err := courier.Send(t.Context(), signing.Letter{Address: server.URL, Name: name, Token: token, Body: []byte(body)})
		if err != nil {
			t.Errorf("%s %.100s: %v", name, body, err)
		}
		return got
	}
}

func registrationOf(group, more string) string {
	return `{"group":"` + group + `","transport":"push","address":"http://10.0.0.7:9999/","instance":"` + instanceForTests +
		`","incarnation":"a1","every":10000` + more + `}`
}

// TestServerHandler: the requests of executors reach the rooms, with the callers' identity.
func TestServerHandler(t *testing.T) {
	t.Parallel()
	h := &house{}
	ask := serveHouse(t, h.config())
	for _, c := range []struct {
		token, name, body string
		status            int
		answer, calls     string
	}{
		{
			ownToken, message.NameRegister, registrationOf("billing", `,"features":["shell"],"handlers":["pay"],"holds":[1,2],"whole":true,"draining":true,"batch":64`), 200, "",
			"register billing at http://10.0.0.7:9999/: [shell], incarnation a1, every 10s, holds [1 2] of all true, draining true, native, token 0\n" +
				"http://10.0.0.7:9999/ takes 64",
		},
		{
			groupToken, message.NameRegister, strings.Replace(registrationOf("billing", ""), `"push"`, `"pull"`, 1), 200, "",
			"register billing at pull://billing/" + instanceForTests + ": [], incarnation a1, every 10s, holds [] of all false, draining false, native, token 70\n" +
				"pull://billing/" + instanceForTests + " takes 0",
		},
		{ownToken, message.NameRegister, registrationOf("closed", ""), 403, "", ""},
		{groupToken, message.NameRegister, registrationOf("other", ""), 403, "", ""},
		{ownToken, message.NameRegister, `{"group":"a"}`, 400, `{"kind":"invalid","message":"instance must be 24 hexadecimal digits in lower case"}`, ""},
		{groupToken, message.NameFarewell, `{"group":"billing","address":"http://h/"}`, 200, `{}`, "farewell of billing at http://h/"},
		{groupToken, message.NameFarewell, `{"group":"other","address":"http://h/"}`, 403, "", ""},
		{
			groupToken, message.NameOutcomes, `{"outcomes":[{"attempt":1,"state":"succeeded","message":"m"},` +
				`{"attempt":2,"state":"failed","ended_at":99999999999999,"triggered_at":5},{"attempt":3,"state":"lost","ended_at":5,"triggered_at":9}]}`,
			200, `{}`, `complete as "billing": 1 succeeded "m" 2 failed "" 3 lost ""`,
		},
		{ownToken, message.NameOutcomes, `{}`, 200, `{}`, ""},
		{ownToken, message.NameOutcomes, `{"outcomes":[{}]}`, 400, "", ""},
		{groupToken, message.NamePull, `{"group":"billing","instance":"` + instanceForTests + `"}`, 200, `{"commands":[]}`, ""},
		{groupToken, message.NamePull, `{"group":"other","instance":"` + instanceForTests + `"}`, 403, "", ""},
		{groupToken, message.NameAnswers, `{"group":"billing","instance":"` + instanceForTests + `","answers":[{"id":1}]}`, 200, `{}`, ""},
		{groupToken, message.NameAnswers, `{"group":"other","instance":"` + instanceForTests + `","answers":[{"id":1}]}`, 403, "", ""},
	} {
		got := ask(c.token, c.name, c.body)
		if got.Status != c.status || c.answer != "" && string(got.Body) != c.answer {
			t.Errorf("%s %.100s: %d %s; want %d %s", c.name, c.body, got.Status, got.Body, c.status, c.answer)
		}
		if calls := h.take(); calls != c.calls {
			t.Errorf("%s %.100s called\n%s; want\n%s", c.name, c.body, calls, c.calls)
		}
	}
	answer, err := message.DecodeRegistered(ask(ownToken, message.NameRegister, registrationOf("billing", "")).Body)
	if err != nil || answer.Address != "http://10.0.0.7:9999/" || answer.Lease != 30*time.Second || answer.Server != "1.2.3" ||
		time.Since(answer.At).Abs() > time.Minute {
		t.Errorf("registered: %+v, %v", answer, err)
	}
}

// TestServerHandlerFacts: what an executor tells comes as it stands, and what is none is
// refused with words.
func TestServerHandlerFacts(t *testing.T) {
	t.Parallel()
	h := &house{}
	c := h.config()
	c.Facts, c.Chunks, c.Self = h, newDesk("d"), "d"
	ask := serveHouse(t, c)
	const head = `{"group":"billing","address":"http://h/","kind":"solana"`
	for _, c := range []struct {
		token, body   string
		status        int
		answer, calls string
	}{
		{groupToken, head + `,"facts":{"a": [1,"\u00e4"]},"more":1}`, 200, `{}`, `facts solana of billing at http://h/: {"a": [1,"\u00e4"]}`},
		{groupToken, strings.Replace(head, "billing", "other", 1) + `,"facts":{}}`, 403, "", ""},
		{ownToken, head + `}`, 400, `{"kind":"invalid","message":"facts: are no JSON text in UTF-8"}`, ""},
		{ownToken, head + `,"facts":[]}`, 400, `{"kind":"invalid","message":"facts: are no JSON object"}`, ""},
		{ownToken, head + `,"facts":{"a":"` + strings.Repeat("x", job.MaxFacts) + `"}}`, 400, "", ""},
		{ownToken, `{"address":"a","kind":"k","facts":{}}`, 400, `{"kind":"invalid","message":"group is missing"}`, ""},
		{ownToken, `{"group":"billing","kind":"k","facts":{}}`, 400, `{"kind":"invalid","message":"address is missing"}`, ""},
	} {
		got := ask(c.token, message.NameFacts, c.body)
		if got.Status != c.status || c.answer != "" && string(got.Body) != c.answer {
			t.Errorf("%.100s: %d %s; want %d %s", c.body, got.Status, got.Body, c.status, c.answer)
		}
		if calls := h.take(); calls != c.calls {
			t.Errorf("%.100s called\n%s; want\n%s", c.body, calls, c.calls)
		}
	}
	h.fail = job.Errorf(job.Full, "too often")
	if got := ask(ownToken, message.NameFacts, head+`,"facts":{}}`); got.Status != 429 {
		t.Errorf("too often: %d %s", got.Status, got.Body)
	}
	old := h.config() // without those who take facts
	old.Chunks, old.Self = newDesk("d"), "d"
	if place, serve := NewServerHandler(old).route(message.NameFacts, message.Minor); place != nil || serve != nil {
		t.Error("a server that takes no facts has the name")
	}
}

// TestServerHandlerFails: what a room says becomes a status, and its secrets none.
func TestServerHandlerFails(t *testing.T) {
	t.Parallel()
	h := &house{}
	ask := serveHouse(t, h.config())
	for _, c := range []struct {
		err    error
		name   string
		status int
	}{
		{errors.New("the password of the database"), message.NameRegister, 503},
		{job.Errorf(job.Unavailable, "the database is away"), message.NameOutcomes, 503},
		{job.Errorf(job.Full, "too many"), message.NameRegister, 429},
		{job.Errorf(job.Refused, "no"), message.NameOutcomes, 403},
		{job.Errorf(job.NotFound, "nobody"), message.NameOutcomes, 200},
		{job.Errorf(job.Duplicate, "known"), message.NameOutcomes, 200},
	} {
		h.fail = c.err
		body := registrationOf("billing", "")
		if c.name == message.NameOutcomes {
			body = `{"outcomes":[{"attempt":1,"state":"failed"}]}`
		}
		got := ask(ownToken, c.name, body)
		if got.Status != c.status || strings.Contains(string(got.Body), "password") {
			t.Errorf("%v: %d %s; want %d", c.err, got.Status, got.Body, c.status)
		}
	}
}

// TestServerHandlerHostile: nothing is done for who is not who he says.
func TestServerHandlerHostile(t *testing.T) {
	t.Parallel()
	h := &house{}
	handler := NewServerHandler(h.config())
	body := []byte(`{"outcomes":[{"attempt":1,"state":"succeeded"}]}`)
	fresh := func(r *http.Request, body []byte) *http.Request {
		r = r.Clone(t.Context())
		r.Body = httptest.NewRequest(http.MethodPost, "/", strings.NewReader(string(body))).Body
		return r
	}
	replayed := signedRequestTo(groupToken, message.NameOutcomes, "", body)
	handler.ServeHTTP(httptest.NewRecorder(), fresh(replayed, body))
	h.take()
	old := func(by time.Duration) *http.Request {
		fields, _ := signing.NewSigner(groupToken).Sign(message.NameOutcomes, "", body, time.Now().Add(by))
		r := httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameOutcomes, strings.NewReader(string(body)))
		fields.AddTo(r.Header)
		return r
	}
	elsewhere := signedRequestTo(groupToken, message.NamePull, "", body)
	elsewhere.RequestURI = message.PathPrefix + message.NameOutcomes
	for name, c := range map[string]struct {
		request *http.Request
		status  int
	}{
		"not signed":     {httptest.NewRequest(http.MethodPost, message.PathPrefix+message.NameOutcomes, strings.NewReader(string(body))), 401},
		"another token":  {signedRequestTo("guess", message.NameOutcomes, "", body), 401},
		"another body":   {fresh(signedRequestTo(groupToken, message.NameOutcomes, "", []byte(`{}`)), body), 401},
		"replayed":       {fresh(replayed, body), 401},
		"of another":     {elsewhere, 401},
		"old":            {old(-2 * time.Minute), 401},
		"of tomorrow":    {old(24 * time.Hour), 401},
		"another group":  {signedRequestTo(groupToken, message.NameRegister, "", []byte(registrationOf("other", ""))), 403},
		"too long":       {signedRequestTo(groupToken, message.NameOutcomes, "", make([]byte, message.MaxBody+1)), 413},
		"too many":       {signedRequestTo(groupToken, message.NameOutcomes, "", []byte(`{"outcomes":[`+strings.Repeat(`{"attempt":1,"state":"failed"},`, 1000)+`{"attempt":1,"state":"failed"}]}`)), 413},
		"deep":           {signedRequestTo(groupToken, message.NameOutcomes, "", []byte(`{"outcomes":`+strings.Repeat("[", 1<<20))), 400},
		"of executors":   {signedRequestTo(ownToken, message.NameTasks, "", []byte(`{}`)), 404},
		"a later name":   {signedRequestTo(ownToken, "from_2031", "", []byte(`{}`)), 404},
		"another major":  {httptest.NewRequest(http.MethodPost, "/orth/v2/outcomes", strings.NewReader("{}")), 404},
		"another method": {httptest.NewRequest(http.MethodGet, message.PathPrefix+message.NameOutcomes, nil), 404},
	} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, c.request)
		if recorder.Code != c.status {
			t.Errorf("%s: %d %s; want %d", name, recorder.Code, recorder.Body, c.status)
		}
		if p, err := message.DecodeProblem(c.status, recorder.Body.Bytes()); err != nil || p.Message == "" {
			t.Errorf("%s: %s is no problem: %v", name, recorder.Body, err)
		}
		if calls := h.take(); calls != "" {
			t.Errorf("%s was heard: %s", name, calls)
		}
	}
}

// TestServerHandlerIsBounded: pulls that wait leave room for outcomes, and one pull
// too many is told so.
func TestServerHandlerIsBounded(t *testing.T) {
	t.Parallel()
	h := &house{}
	c := h.config()
	c.MaxPulls, c.MaxRequests, c.Mailboxes = 1, 1, mailbox.New(mailbox.Config{})
	ask := serveHouse(t, c)
	var group sync.WaitGroup
	group.Go(func() {
		ask(groupToken, message.NamePull, `{"group":"billing","instance":"`+instanceForTests+`","wait":30000,"room":1}`)
	})
	address := message.PullAddress("billing", instanceForTests)
	for c.Mailboxes.Away(address) {
		time.Sleep(time.Millisecond)
	}
	other := strings.Repeat("0", message.InstanceDigits)
	if got := ask(groupToken, message.NamePull, `{"group":"billing","instance":"`+other+`"}`); got.Status != 429 {
		t.Errorf("a second pull: %d %s", got.Status, got.Body)
	}
	if got := ask(groupToken, message.NameOutcomes, `{"outcomes":[{"attempt":1,"state":"failed"}]}`); got.Status != 200 {
		t.Errorf("outcomes: %d %s", got.Status, got.Body)
	}
	c.Mailboxes.Close()
	group.Wait()
}

// TestServerHandlerBehindAPath: a base URL may have a path, as a proxy leaves it.
func TestServerHandlerBehindAPath(t *testing.T) {
	t.Parallel()
	h := &house{}
	handler := NewServerHandler(h.config())
	r := signedRequestTo(groupToken, message.NameFarewell, "", []byte(`{"group":"billing","address":"http://h/"}`))
	r.RequestURI = "/some/path" + r.RequestURI
	recorder := httptest.NewRecorder()
	if handler.ServeHTTP(recorder, r); recorder.Code != 200 || h.take() == "" {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
}

// TestCallersWhoHangUp: what could not be done because the caller has gone is no error of
// this side.
func TestCallersWhoHangUp(t *testing.T) {
	t.Parallel()
	failed := errors.New("record 7 outcomes: context canceled")
	for name, problem := range map[string]func(*slog.Logger, context.Context) message.Problem{
		"a server": func(log *slog.Logger, ctx context.Context) message.Problem {
			return NewServerHandler(ServerConfig{Keys: &house{}, Logger: log}).problem(ctx, message.NameOutcomes, failed)
		},
		"an executor": func(log *slog.Logger, ctx context.Context) message.Problem {
			return NewExecutorHandler(ExecutorConfig{Keys: &house{}, Logger: log}).problem(ctx, message.NameTasks, failed)
		},
	} {
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, nil))
		if p := problem(logger, canceled(t)); p.Status != http.StatusServiceUnavailable || log.String() != "" {
			t.Errorf("%s, the caller gone: status %d, log %s", name, p.Status, log.String())
		}
		if p := problem(logger, t.Context()); p.Status != http.StatusServiceUnavailable || !strings.Contains(log.String(), "level=ERROR") {
			t.Errorf("%s: status %d, log %s", name, p.Status, log.String())
		}
	}
}
