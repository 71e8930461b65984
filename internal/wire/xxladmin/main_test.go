package xxladmin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

var update = flag.Bool("update", false, "rewrite the answers in testdata")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// What the world of these tests takes for a good token, and for a session.
const (
	goodToken   = "s3cr3t-t0ken"
	goodSession = "s3ss10n"
)

// world is the server behind a Handler: it has jobs and groups, and writes down each
// request of its API.
type world struct {
	jobs   []job.Job
	groups []Group
	log    logRoom
	err    error // of each question about jobs and groups

	requests []string
	// refuse answers a request whose beginning is a key with a problem.
	refuse map[string]problem
	made   int64 // the id of the job that was made last
}

type problem struct {
	status int
	body   string
	wait   string
}

func newWorld() *world {
	return &world{jobs: someJobs(), groups: someGroups(), refuse: map[string]problem{}, made: 40}
}

func (w *world) handler(t *testing.T, change ...func(*Config)) *Handler {
	t.Helper()
	c := Config{Gate: w, API: w, Jobs: w, Groups: groupsOf{w}, Attempts: &w.log, Zone: "Asia/Shanghai"}
	for _, edit := range change {
		edit(&c)
	}
	h, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

type callerKey struct{}

// Admit lets the good token and the good session in, and no caller from another site.
func (w *world) Admit(r *http.Request, token, session string) (context.Context, error) {
	switch {
	case r.Header.Get("Origin") == "http://evil.test":
		return nil, job.Errorf(job.Forbidden, "the request was made by another site")
	case token == "" && session == "":
		return context.WithValue(r.Context(), callerKey{}, "nobody"), nil
	case token == goodToken:
		return context.WithValue(r.Context(), callerKey{}, "a token"), nil
	case token == "" && session == goodSession:
		return context.WithValue(r.Context(), callerKey{}, "ada"), nil
	}
	return nil, job.Errorf(job.Unauthorized, "the token is not one of this server")
}

// RoundTrip notes a request of the API and answers it.
func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	line := strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body))
	w.requests = append(w.requests, fmt.Sprintf("%v: %s", r.Context().Value(callerKey{}), line))
	answer := httptest.NewRecorder()
	for begin, p := range w.refuse {
		if strings.HasPrefix(line, begin) {
			answer.Header().Set("Content-Type", "application/problem+json")
			if p.wait != "" {
				answer.Header().Set("Retry-After", p.wait)
			}
			answer.WriteHeader(p.status)
			_, _ = answer.WriteString(p.body)
			return answer.Result(), nil
		}
	}
	switch {
	case line == `POST /api/v1/session {"user":"ada","password":"pass word"}`:
		answer.Header().Set("Set-Cookie", "orth="+goodSession+"; Path=/; HttpOnly; SameSite=Strict")
		_, _ = answer.WriteString(`{"user":"ada","kind":"user","must_change":false,"grants":[],"session":{"id":"5","ends_at":"2000-01-01T12:00:00Z"}}`)
	case strings.HasPrefix(line, `POST /api/v1/session {"user":"fresh"`):
		answer.Header().Set("Set-Cookie", "__Host-orth="+goodSession+"; Path=/; Secure; HttpOnly; SameSite=Strict")
		_, _ = answer.WriteString(`{"user":"fresh","kind":"user","must_change":true,"grants":[]}`)
	case strings.HasPrefix(line, "POST /api/v1/session "):
		answer.WriteHeader(http.StatusUnauthorized)
		_, _ = answer.WriteString(`{"status":401,"code":"unauthorized","detail":"the name or the password is wrong"}`)
	case strings.HasPrefix(line, "POST /api/v1/jobs {"):
		w.made++
		answer.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(answer, `{"id":%d}`, w.made)
	case strings.HasPrefix(line, "POST /api/v1/runs/clean"):
		w.log.batches--
		_, _ = fmt.Fprintf(answer, `{"removed":1,"more":%t}`, w.log.batches > 0)
	case r.Method == http.MethodDelete:
		answer.WriteHeader(http.StatusNoContent)
	default:
		_, _ = answer.WriteString(`{}`)
	}
	return answer.Result(), r.Context().Err()
}

// take returns the requests since the last take.
func (w *world) take() string {
	requests := w.requests
	w.requests = nil
	return strings.Join(requests, "\n")
}

func (w *world) Job(_ context.Context, id int64) (job.Job, error) {
	if i := slices.IndexFunc(w.jobs, func(j job.Job) bool { return j.ID == id }); i >= 0 && w.err == nil {
		return w.jobs[i], nil
	}
	if w.err != nil {
		return job.Job{}, w.err
	}
	return job.Job{}, job.Errorf(job.NotFound, "job %d does not exist", id)
}

func (w *world) FindJobs(_ context.Context, q JobQuery) ([]job.Job, int, error) {
	var found []job.Job
	for _, j := range w.jobs {
		if (q.Group == 0 || q.Group == j.GroupID) && (q.Enabled == nil || *q.Enabled == j.Enabled) && q.Match(&j) {
			found = append(found, j)
		}
	}
	from := min(q.Offset, len(found))
	return found[from:min(from+q.Limit, len(found))], len(found), w.err
}

type groupsOf struct{ *world }

func (g groupsOf) Group(_ context.Context, id int64) (Group, error) {
	if i := slices.IndexFunc(g.groups, func(g Group) bool { return g.ID == id }); i >= 0 && g.err == nil {
		return g.groups[i], nil
	}
	if g.err != nil {
		return Group{}, g.err
	}
	return Group{}, job.Errorf(job.NotFound, "group %d does not exist", id)
}

func (g groupsOf) FindGroups(_ context.Context, q GroupQuery) ([]Group, int, error) {
	var found []Group
	for _, group := range g.groups {
		if q.Match(&group.Group) {
			found = append(found, group)
		}
	}
	from := min(q.Offset, len(found))
	return found[from:min(from+q.Limit, len(found))], len(found), g.err
}

func someGroups() []Group {
	at := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	return []Group{
		{Group: job.Group{ID: 3, Namespace: "default", Key: "reports", Title: "Reports", CreatedAt: at}, Registered: []string{"http://10.0.0.1:9999/"}},
		{Group: job.Group{ID: 4, Namespace: "team", Key: "billing", CreatedAt: at}, ByHand: []string{"http://10.0.0.5:9999", "http://10.0.0.6:9999"}},
	}
}

// someJobs are the newest first: one as the old admins could have it, one that they have
// no words for, and one without a schedule and with code.
func someJobs() []job.Job {
	at := time.Date(2000, 1, 1, 0, 0, 0, 5e6, time.UTC)
	quartz := schedule.Quartz()
	plain := job.Job{
		ID: 7, Namespace: "default", Key: "nightly-report", Title: "Nightly <report>", GroupID: 3, Group: "reports", Version: 2, Enabled: true,
		Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin", DST: &quartz}, Misfire: schedule.MisfireFireOnce,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "report"}, Param: "full", Route: job.RouteRound, Overlap: job.OverlapDiscard,
		OnCrash: job.CrashReport, Timeout: 600 * time.Second, AlarmEmails: []string{"ada@example.com", "bob@example.com"},
		Labels:   map[string]string{"author": "ada", "glue_remark": "first", "team": "x"},
		Children: []job.Child{{JobID: 5, Key: "after-it", On: job.ChildOnAlways, Param: "{{result}}"}},
		NextAt:   at.Add(time.Hour), LastAt: at.Add(-time.Hour), CreatedAt: at, UpdatedAt: at.Add(time.Minute),
	}
	plain.Retry.Tries, plain.Retry.Initial = 2, time.Minute
	ours := job.Job{
		ID: 6, Namespace: "default", Key: "ours", GroupID: 3, Group: "reports", Version: 1,
		Schedule: schedule.Spec{Kind: schedule.KindDaily, Daily: "09:00-18:00 every 5m", Zone: "Asia/Tokyo", Jitter: time.Minute}, Misfire: schedule.MisfireFireAll,
		Handler: job.Handler{Kind: job.HandlerNamed, Name: "report"}, Route: job.RouteLeastLoaded, Overlap: job.OverlapConcurrent, Concurrency: 3,
		OnCrash: job.CrashRerun, Timeout: 1500 * time.Millisecond, Labels: map[string]string{"owner": "team-a"},
		Children:  []job.Child{{JobID: 7, Key: "nightly-report"}, {JobID: 99}},
		CreatedAt: at, UpdatedAt: at,
	}
	script := job.Job{
		ID: 5, Namespace: "default", Key: "after-it", GroupID: 3, Group: "reports", Version: 9, Schedule: schedule.Spec{Kind: schedule.KindManual},
		Misfire: schedule.MisfireSkip, Handler: job.Handler{Kind: job.HandlerShell, Source: "echo 'hi' > /tmp/x\n", SourceAt: at}, Route: job.RouteFirst,
		Overlap: job.OverlapSerial, OnCrash: job.CrashReport, CreatedAt: at, UpdatedAt: at,
	}
	return []job.Job{plain, ours, script}
}

// ask sends the text of a request, with \n for line ends, and returns the answer.
func ask(t *testing.T, h http.Handler, request string) *httptest.ResponseRecorder {
	t.Helper()
	head, body, _ := strings.Cut(strings.TrimRight(request, "\n"), "\n\n")
	head += fmt.Sprintf("\nHost: x\nContent-Length: %d", len(body))
	r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n" + body)))
	if err != nil {
		t.Fatalf("%s: %v", request, err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r.WithContext(t.Context()))
	if !json.Valid(w.Body.Bytes()) {
		t.Errorf("%s: no JSON: %s", request, w.Body)
	}
	return w
}

// post sends a form with the good token.
func post(t *testing.T, h http.Handler, path, form string) (int, string) {
	t.Helper()
	w := ask(t, h, "POST /xxl-job-admin/"+path+" HTTP/1.1\nContent-Type: application/x-www-form-urlencoded; charset=UTF-8\nAuthorization: Bearer "+goodToken+"\n\n"+form)
	return w.Code, w.Body.String()
}

var errInside = errors.New("sqlite: /secret")
