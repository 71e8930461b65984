package runs_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	letterHead = `{"run_id":"12","job_id":7,"job_key":"report","namespace":"default","group":"reports","state":"timed_out","cause":"schedule",` +
		`"planned_at":"2030-01-31T08:00:00.000Z","tries":3,"ended_at":"2030-01-31T08:01:00.000Z","message":"too slow","reason":"gave up after 2 retries",`
	letterJSON = letterHead + `"status":"open"}`
	closedJSON = letterHead + `"status":"closed","closed_at":"2030-01-31T09:00:00.000Z"`
	madeJSON   = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T08:00:00.000Z","cause":"redrive","cause_id":"12",` +
		`"state":"planned","final":false,"tries":0,"created_at":"2030-01-31T08:00:00.000Z"}`
	redrivenJSON = `{"done":1,"failed":1,"more":true,"letters":[` +
		`{"run_id":"12","job_key":"report","state":"timed_out","new_run":"40","ready_at":"2030-01-31T08:00:00.000Z"},` +
		`{"run_id":"404","error":{"title":"There is no such thing","status":404,"code":"not_found","detail":"run 404 is no dead letter",` +
		`"hint":"a run is one when it failed, timed out or was lost after its last attempt; 'orth dead-letter list --status all' lists them, ` +
		`and 'orth run show' tells how a run stands"}}]}`
	shutJSON = `{"done":1,"failed":0,"letters":[{"run_id":"12","job_key":"report","state":"timed_out"}]}`
)

// sortedJSON is the answer of a list that is sorted and has another page.
func sortedJSON(by string) string {
	return `{"dead_letters":[` + letterJSON + `],"after":"~` + by + `~7~12~99~3~cmVwb3J0IGRlZmF1bHQ","since":"2030-01-31T08:00:00.000Z"}`
}

func TestRoutesOfDeadLetters(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Letters: []job.DeadLetter{resttest.StoredLetter()}}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"GET /dead-letters", "", 200, `dead letters / group "" state "" status "open" from - to - text "" before 0, 100`,
			`{"dead_letters":[` + letterJSON + `]}`,
		},
		{
			"GET /dead-letters?job=report&namespace=team&group=g&state=lost&status=all&since=2030-01-31T09:00:00%2B01:00" +
				"&until=2030-02-01T00:00:00Z&text=a%25&before=99&limit=1", "", 200,
			`dead letters team/report group "g" state "lost" status "" from 2030-01-31T08:00:00Z to 2030-02-01T00:00:00Z text "a%" before 99, 1`,
			`{"dead_letters":[` + letterJSON + `],"next":"12"}`,
		},
		{
			"GET /dead-letters?after=99", "", 200, `dead letters / group "" state "" status "open" from - to - text "" before 99, 100`,
			`{"dead_letters":[` + letterJSON + `]}`,
		},
		{
			"GET /dead-letters?sort=created_at&limit=1", "", 200, `dead letters / group "" state "" status "open" from - to - text "" before 0, 1, the oldest after 0`,
			`{"dead_letters":[` + letterJSON + `],"after":"~created_at~12"}`,
		},
		{
			"GET /dead-letters?sort=created_at&after=~created_at~12", "", 200,
			`dead letters / group "" state "" status "open" from - to - text "" before 0, 100, the oldest after 12`, `{"dead_letters":[` + letterJSON + `]}`,
		},
		{
			"GET /dead-letters?sort=job&job=report", "", 200,
			`dead letters /report group "" state "" status "open" from - to - text "" before 0, 100 by job, down false, from the beginning`, sortedJSON("job"),
		},
		{
			"GET /dead-letters?sort=-ended_at&after=~-ended_at~7~12~99~3~cmVwb3J0IGRlZmF1bHQ", "", 200,
			`dead letters / group "" state "" status "open" from - to - text "" before 0, 100 by ended_at, down true, ` +
				`from {Value:7 Text:report default ID:12 Top:99 Floor:3}`, sortedJSON("-ended_at"),
		},
		{"GET /dead-letters/12", "", 200, "dead letter 12", letterJSON},
		{"POST /dead-letters/12/redrive", "", 201, "dead letter 12\njob default/report\nredrive 12 with its own", madeJSON},
		{"POST /dead-letters/12/redrive", `{"param":""}`, 201, "dead letter 12\njob default/report\nredrive 12 with \"\"", madeJSON},
		{"POST /dead-letters/12/close", "", 200, `close 12 because ""`, closedJSON + "}"},
		{"POST /dead-letters/12/close", `{"reason":"known"}`, 200, `close 12 because "known"`, closedJSON + `,"closed_reason":"known"}`},
		{
			"POST /dead-letters/redrive", `{"runs":["12","404"]}`, 200, "redrive [12 404] with their own, the default apart, dry false", redrivenJSON,
		},
		{
			"POST /dead-letters/redrive", `{"filter":{"job":"report","since":"2030-01-31T08:00:00Z","text":"x","limit":5},"param":"p","spacing":"0s","dry_run":true}`,
			200, `redrive of /report group "" state "" status "" from 2030-01-31T08:00:00Z to - text "x" before 0, 5 with "p", 0s apart, dry true`, redrivenJSON,
		},
		{"POST /dead-letters/close", `{"runs":["12"],"reason":"known"}`, 200, `close [12] because "known", dry false`, shutJSON},
		{
			"POST /dead-letters/close", `{"filter":{"namespace":"team","group":"g","state":"lost","until":"2030-01-31T08:00:00Z"},"dry_run":true}`, 200,
			`close of team/ group "g" state "lost" status "" from - to 2030-01-31T08:00:00Z text "" before 0, 0 because "", dry true`, shutJSON,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestDeadLettersThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct{ request, body, field string }{
		{"GET /dead-letters?state=succeeded", "", "state"},
		{"GET /dead-letters?status=odd", "", "status"},
		{"GET /dead-letters?since=yesterday", "", "since"},
		{"GET /dead-letters?before=x", "", "before"},
		{"GET /dead-letters?before=9999999999999999999", "", "before"},
		{"GET /dead-letters?text=" + strings.Repeat("x", 201), "", "text"},
		{"GET /dead-letters?limit=1001", "", "limit"},
		{"GET /dead-letters?sort=reason", "", "sort"},
		{"GET /dead-letters?sort=job&before=9", "", "before"},
		{"GET /dead-letters?sort=job&after=9", "", "after"},
		{"GET /dead-letters?sort=job&after=~-job~7~12~99~3~", "", "after"},
		{"GET /dead-letters?sort=job&after=~job~7~12~99~x~", "", "after"},
		{"GET /dead-letters?sort=job&after=~job~7~12~99~-3~", "", "after"},
		{"GET /dead-letters?sort=job&after=~job~7~12~99~3~!", "", "after"},
		{"GET /dead-letters?sort=created_at&after=~created_at~x", "", "after"},
		{"GET /dead-letters?after=~job~7~12~99~3~", "", "after"},
		{"GET /dead-letters/last", "", "run"},
		{"POST /dead-letters/0/redrive", "", "run"},
		{"POST /dead-letters/9999999999999999999/close", "", "run"},
		{"POST /dead-letters/12/redrive", `{"params":"x"}`, "params"},
		{"POST /dead-letters/redrive", `{"filter":{"jobs":"x"}}`, "filter.jobs"},
		{"POST /dead-letters/redrive", `{"runs":["12"],"spacing":"soon"}`, "spacing"},
		{"POST /dead-letters/close", `{"filter":{"limit":10001}}`, "filter.limit"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response, body := resttest.Send(t, server, method, "/api/v1"+path, c.body)
		var p api.Problem
		if err := json.Unmarshal([]byte(body), &p); err != nil || response.StatusCode != http.StatusUnprocessableEntity || p.Field != c.field {
			t.Errorf("%s %s: %d %s", c.request, c.body, response.StatusCode, body)
		}
	}
	if asked := f.Called(); asked != "" {
		t.Errorf("the catalog was asked %s", asked)
	}
}

// A run that is a dead letter says so, and one from before they were kept does
// not.
func TestRunThatIsADeadLetter(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Runs = resttest.DeadRun{Fake: f} })
	const head = `"job_id":7,"namespace":"default","group":"g","cause":"schedule","state":"failed","final":true,"tries":0,"created_at":"2030-01-31T08:00:00.000Z"`
	resttest.WantRoute(t, f, server, "GET /runs/12", "", 200, "dead letter 12", `{"id":"12",`+head+`,"dead_letter":{"status":"open"}}`)
	resttest.WantRoute(t, f, server, "GET /runs/404", "", 200, "", `{"id":"404",`+head+`}`)
	f.Err = job.Errorf(job.Unavailable, "the disk is full")
	if response, body := resttest.Send(t, server, "GET", "/api/v1/runs/12", ""); response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

// What kept many dead letters from being settled is logged once, and told of
// each.
func TestTroubleOfManyIsLoggedOnce(t *testing.T) {
	t.Parallel()
	f, log := &resttest.Fake{}, &bytes.Buffer{}
	server := resttest.Serve(t, f, func(c *rest.Config) {
		c.DeadLetters, c.Logger = resttest.FullDisk{Fake: f}, slog.New(slog.NewTextHandler(log, nil))
	})
	_, body := resttest.Send(t, server, "POST", "/api/v1/dead-letters/redrive", `{"runs":["1"]}`)
	if strings.Count(body, "the disk is full") != 3 || strings.Count(body, "is no dead letter") != 1 || !strings.HasPrefix(body, `{"done":1,"failed":4,`) {
		t.Errorf("the answer is %s", body)
	}
	if strings.Count(log.String(), "the disk is full") != 1 {
		t.Errorf("the log is %s", log)
	}
}

// triedRun answers runs that an executor has.
type triedRun struct{ *resttest.Fake }

func (t triedRun) Run(context.Context, int64) (job.Run, error) {
	r := resttest.StoredRun()
	r.State, r.AttemptID = job.Running, 99
	return r, nil
}

// A run that is shown alone says where it is, and which executor has it.
func TestRunHasItsPlace(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Runs = triedRun{f} })
	response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs/5", "")
	if response.StatusCode != http.StatusOK || !strings.Contains(body, `"namespace":"default","group":"g",`) || !strings.Contains(body, `"executor":"http://10.0.0.1:9999"`) {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}
