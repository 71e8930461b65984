package rest_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for _, kind := range []job.Kind{
		job.Invalid, job.Unauthorized, job.Forbidden, job.NotFound, job.Conflict, job.Duplicate, job.Full,
		job.Unavailable, job.Refused, job.Unreachable, job.Ambiguous, job.Interrupted,
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			cause := errors.New("open /var/lib/orth: no such file")
			server := resttest.Serve(t, &resttest.Fake{Err: fmt.Errorf("start job x: %w",
				&job.Error{Kind: kind, Message: "it is odd", Hint: "make it even", Err: cause})}, nil)
			response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/x/start", "")
			p := resttest.WantProblem(t, response, body)
			if p.Code != kind || p.Status != api.StatusOf(kind) || p.Detail != "start job x: it is odd" || p.Hint != "make it even" {
				t.Errorf("got %+v", p)
			}
			if strings.Contains(body, "/var/lib") {
				t.Errorf("the cause is shown: %s", body)
			}
		})
	}
}

func TestFieldErrors(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{Err: fmt.Errorf("create job x: %w", job.FieldErrorf("schedule.cron", "has 3 fields, 6 or 7 are needed"))}, nil)
	response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs",
		`{"key":"x","group":"g","handler":{"kind":"named","name":"h"},"schedule":{"kind":"cron","cron":"* * *"}}`)
	p := resttest.WantProblem(t, response, body)
	want := api.Problem{
		Title: p.Title, Status: 422, Code: job.Invalid, Field: "schedule.cron", Detail: "has 3 fields, 6 or 7 are needed",
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Error(diff)
	}
}

func TestMissingChild(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs",
		`{"key":"x","group":"g","handler":{"kind":"named","name":"h"},"children":[{"key":"missing"}]}`)
	if p := resttest.WantProblem(t, response, body); p.Status != 422 || p.Field != "children" || !strings.Contains(p.Detail, `"missing"`) {
		t.Errorf("got %+v", p)
	}
	if f.Called() != "" {
		t.Errorf("the catalog was asked: %s", f.Called())
	}
	for children, want := range map[string]string{
		`["ping"]`:                      "must be an object",
		`[{"on":"always"}]`:             "a key is missing",
		`[{"key":"ping","on":"never"}]`: "must be one of",
	} {
		response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs",
			`{"key":"x","group":"g","handler":{"kind":"named","name":"h"},"children":`+children+`}`)
		if p := resttest.WantProblem(t, response, body); p.Status != 422 || !strings.HasPrefix(p.Field, "children") || !strings.Contains(p.Detail, want) {
			t.Errorf("%s: got %+v, want %q", children, p, want)
		}
	}
}

func TestRunsOfMissingJob(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs?job=missing", "")
	if p := resttest.WantProblem(t, response, body); p.Code != job.NotFound {
		t.Errorf("got %+v", p)
	}
}

// logged is a logger and what it wrote.
func logged() (*slog.Logger, *bytes.Buffer) {
	var out bytes.Buffer
	return slog.New(slog.NewJSONHandler(&out, nil)), &out
}

func TestInternalErrorsStayInside(t *testing.T) {
	t.Parallel()
	logger, out := logged()
	server := resttest.Serve(t, &resttest.Fake{Err: errors.New("open /var/lib/orth: no such file")}, func(c *rest.Config) { c.Logger = logger })
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5", "")
	p := resttest.WantProblem(t, response, body)
	if p.Status != 500 || p.Code != job.Internal || p.ID == "" || strings.Contains(body, "/var/lib") {
		t.Errorf("got %s", body)
	}
	if log := out.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "/var/lib") || !strings.Contains(log, p.ID) {
		t.Errorf("the log says: %s", log)
	}
}

func TestPanicsStayInside(t *testing.T) {
	t.Parallel()
	logger, out := logged()
	server := resttest.Serve(t, &resttest.Fake{Panic: "password: hunter2"}, func(c *rest.Config) { c.Logger = logger })
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5", "")
	p := resttest.WantProblem(t, response, body)
	if p.Status != 500 || p.ID == "" || strings.Contains(body, "hunter") || strings.Contains(body, "goroutine") {
		t.Errorf("got %s", body)
	}
	if log := out.String(); !strings.Contains(log, "password: hunter2") || !strings.Contains(log, p.ID) || !strings.Contains(log, "goroutine") {
		t.Errorf("the log says: %s", log)
	}
}

func TestRequestTakesTooLong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Block: make(chan struct{})}
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Timeout = 10 * time.Millisecond })
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5", "")
	if p := resttest.WantProblem(t, response, body); p.Status != 503 || p.Code != job.Unavailable || !strings.Contains(p.Detail, "took too long") {
		t.Errorf("got %+v", p)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	const good = `"key":"x","group":"g","handler":{"kind":"named","name":"h"}`
	for _, c := range []struct {
		name, request, body string
		status              int
		field, detail       string // the field and a part of the detail
	}{
		{"unknown field", "POST /jobs", `{` + good + `,"colour":"red"}`, 422, "colour", "is not a field"},
		{"unknown field inside", "POST /jobs", `{` + good + `,"retry":{"tries":1,"often":true}}`, 422, "retry.often", "is not a field"},
		{"missing field", "POST /jobs", `{"key":"x","handler":{"kind":"named","name":"h"}}`, 422, "group", "is missing"},
		{"missing field inside", "POST /jobs", `{` + good + `,"schedule":{}}`, 422, "schedule.kind", "is missing"},
		{"wrong type", "POST /jobs", `{` + good + `,"retry":{"tries":"3"}}`, 422, "retry.tries", "must be an integer"},
		{"bad duration", "POST /jobs", `{` + good + `,"timeout":"soon"}`, 422, "timeout", "must be a duration such as"},
		{"huge duration", "POST /jobs", `{` + good + `,"timeout":"99999999999h"}`, 422, "body", "is no duration"},
		{"number for text", "POST /jobs", `{` + good + `,"param":5}`, 422, "param", "must be a text in quotes"},
		{"text for switch", "POST /jobs", `{` + good + `,"enabled":"yes"}`, 422, "enabled", "must be true or false"},
		{"text for list", "POST /jobs", `{` + good + `,"children":"a"}`, 422, "children", "must be a list"},
		{"bad instant", "POST /jobs", `{` + good + `,"schedule":{"kind":"once","at":"tomorrow"}}`, 422, "schedule.at", "must be an instant such as"},
		{"unknown route", "POST /jobs", `{` + good + `,"route":"nearest"}`, 422, "route", "must be one of first, last, round, random, consistent_hash, least_frequently_used, least_recently_used, failover, busyover, least_loaded, weighted"},
		{"unknown overlap", "POST /jobs", `{` + good + `,"overlap":"both"}`, 422, "overlap", "must be one of serial, discard, cover, concurrent"},
		{"too much at once", "POST /jobs", `{` + good + `,"concurrency":65}`, 422, "concurrency", "must be a number <= 64"},
		{"number for a label", "POST /jobs", `{` + good + `,"labels":{"a":5}}`, 422, "labels.a", "must be a text in quotes"},
		{
			"unknown kind of script", "POST /jobs", `{"key":"x","group":"g","handler":{"kind":"cobol","source":"x"}}`, 422, "handler.kind",
			"must be one of named, shell, python, python2, nodejs, php, powershell, groovy, javascript",
		},
		{"too many children", "POST /jobs", `{` + good + `,"children":[` + strings.Repeat(`{"key":"a"},`, 32) + `{"key":"a"}]}`, 422, "children", "must have a length <= 32"},
		{"two at once", "POST /jobs", `{` + good + `,"colour":"red","route":"nearest"}`, 422, "", "colour: is not a field that the API knows; route: "},
		{"malformed", "POST /jobs", `{"key":`, 400, "body", "is not JSON: unexpected end of JSON input, at byte 7"},
		{"two documents", "POST /jobs", `{` + good + `} {}`, 400, "body", "is not JSON"},
		{"no body", "POST /jobs", "", 400, "", "body is required"},
		{"not an object", "POST /jobs", `[]`, 422, "body", "must be an object"},
		{"too large", "POST /jobs", `{"key":"` + strings.Repeat("a", 1<<20) + `"}`, 413, "", "larger than 1 MiB"},
		{"too large and not wanted", "POST /jobs/x/trigger", `{"param":"` + strings.Repeat("a", 2<<20) + `"}`, 413, "", "larger than 1 MiB"},
		{"run id in words", "GET /runs/last", "", 422, "id", "the digits of a run's id"},
		{"run id 0", "GET /runs/0/attempts", "", 422, "id", "the digits of a run's id"},
		{"run id beyond 64 bits", "GET /runs/9999999999999999999/log", "", 422, "id", "larger than any id"},
		{"cancel what is no run", "POST /runs/9999999999999999999/cancel", "", 422, "id", "larger than any id"},
		{"before in words", "GET /runs?before=now", "", 422, "before", "the digits of a run's id"},
		{"limit too large", "GET /runs?limit=1001", "", 422, "limit", "must be a number <= 1000"},
		{"limit in words", "GET /jobs?limit=many", "", 422, "limit", "must be an integer"},
		{"unknown state", "GET /runs?state=done", "", 422, "state[0]", "must be one of planned, queued"},
		{"unknown parameter", "GET /runs?page=2", "", 422, "page", "is not a parameter"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &resttest.Fake{}
			server := resttest.Serve(t, f, nil)
			method, path, _ := strings.Cut(c.request, " ")
			response, body := resttest.Send(t, server, method, "/api/v1"+path, c.body)
			p := resttest.WantProblem(t, response, body)
			if p.Status != c.status || p.Code != job.Invalid || p.Field != c.field || !strings.Contains(p.Detail, c.detail) {
				t.Errorf("got %s", body)
			}
			if len(body) > 2000 {
				t.Errorf("the problem has %d bytes: does it repeat the input?", len(body))
			}
			if f.Called() != "" {
				t.Errorf("the catalog was asked: %s", f.Called())
			}
		})
	}
}

func TestMediaTypes(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for media, want := range map[string]int{
		"": 201, "application/json": 201, "application/json; charset=utf-8": 201,
		"application/x-www-form-urlencoded": 415, "text/plain": 415,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/api/v1/jobs/x/trigger", strings.NewReader(`{"param":"p"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+resttest.Token)
		if media != "" {
			r.Header.Set("Content-Type", media)
		}
		response, body := resttest.Do(t, server, r)
		if response.StatusCode != want {
			t.Errorf("%q: status %d, want %d: %s", media, response.StatusCode, want, body)
		}
		if want == 415 {
			if p := resttest.WantProblem(t, response, body); !strings.Contains(p.Hint, "application/json") {
				t.Errorf("%q: got %+v", media, p)
			}
		}
	}
}

func TestNoSuchRoute(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for request, want := range map[string]int{
		"GET /": 404, "GET /api/v1": 404, "GET /api/v1/nothing": 404, "POST /api/v1/jobs/x/explode": 404,
		"PUT /api/v1/jobs": 405, "POST /api/v1/executors": 405, "POST /healthz": 405, "GET /api/v2/jobs": 404,
		"GET /docs": 404, "GET /api/v1/docs/nothing": 404, "POST /api/v1/docs": 405, "GET /api/v1/schemas/Job.json": 404, "GET /api/v1/openapi.yaml": 404,
	} {
		method, path, _ := strings.Cut(request, " ")
		response, body := resttest.Send(t, server, method, path, "")
		if p := resttest.WantProblem(t, response, body); p.Status != want {
			t.Errorf("%s: got %+v, want %d", request, p, want)
		}
		if allow := response.Header.Get("Allow"); want == 405 && allow == "" {
			t.Errorf("%s: no Allow header", request)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for _, c := range []struct {
		name    string
		headers []string
		want    int
	}{
		{"none", nil, 401},
		{"wrong", []string{"Bearer wrong"}, 401},
		{"a prefix", []string{"Bearer " + resttest.Token[:5]}, 401},
		{"longer", []string{"Bearer " + resttest.Token + "x"}, 401},
		{"empty", []string{"Bearer "}, 401},
		{"no scheme", []string{resttest.Token}, 401},
		{"another scheme", []string{"Basic " + resttest.Token}, 401},
		{"two", []string{"Bearer " + resttest.Token, "Bearer wrong"}, 401},
		{"right", []string{"Bearer " + resttest.Token}, 200},
		{"right, other case", []string{"bearer " + resttest.Token}, 200},
	} {
		for _, path := range []string{"/api/v1/version", "/api/v1/jobs", "/api/v1/stats", "/nothing"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header["Authorization"] = c.headers
			response, body := resttest.Do(t, server, r)
			want := c.want
			if want == 200 && path == "/nothing" {
				want = 404
			}
			if response.StatusCode != want {
				t.Errorf("%s %s: status %d, want %d", c.name, path, response.StatusCode, want)
			}
			if want != 401 {
				continue
			}
			p := resttest.WantProblem(t, response, body)
			if p.Code != job.Unauthorized || !strings.Contains(p.Hint, "Authorization: Bearer") || response.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s %s: got %s", c.name, path, body)
			}
			if strings.Contains(body, resttest.Token) {
				t.Errorf("%s: the problem shows the token", c.name)
			}
		}
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]rest.Config{
		"no catalog": {Token: redacted.New(resttest.Token)},
		"no token":   {Jobs: &resttest.Fake{}, Runs: &resttest.Fake{}, Logs: &resttest.Fake{}, Executors: &resttest.Fake{}},
	} {
		if _, err := rest.New(c); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// Who is turned away for a moment is told when to come again, whoever says so.
func TestRetryAfter(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{Err: job.Errorf(job.Unavailable, "the database is away")}, nil)
	response, _ := resttest.Send(t, server, http.MethodGet, "/api/v1/jobs/report", "")
	if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") != "1" {
		t.Errorf("away: %d, Retry-After %q", response.StatusCode, response.Header.Get("Retry-After"))
	}
	server = resttest.Serve(t, &resttest.Fake{Err: job.Errorf(job.Conflict, "taken")}, nil)
	response, _ = resttest.Send(t, server, http.MethodGet, "/api/v1/jobs/report", "")
	if response.Header.Get("Retry-After") != "" {
		t.Errorf("a conflict says to come again in %q s", response.Header.Get("Retry-After"))
	}
}
