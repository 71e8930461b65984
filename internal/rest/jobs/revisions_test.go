package jobs_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	revisionTail  = `"at":"2030-01-31T08:00:00.000Z","by":{"kind":"user","name":"ann"},"operation":"update-job","note":"why not","changed":["param","title"]`
	revisionsJSON = `{"revisions":[{"number":2,` + revisionTail + `},` +
		`{"number":1,"at":"2030-01-31T08:00:00.000Z","by":{"kind":"server"},"changed":[],"code":true,"deleted":true}]`
	savedJSON = `{"number":2,` + revisionTail + `,"job":{"id":7,"namespace":"default","key":"report","group":"g","schedule":{"kind":"manual"},` +
		`"misfire":"skip","handler":{"kind":"shell","source":"echo 1\necho 2\n","source_at":"2030-01-31T08:00:00.000Z"},"param":"old","route":"round",` +
		`"overlap":"serial","overlap_scope":"executor","labels":{"team":"data"},"on_crash":"report","enabled":false,"version":2,` +
		`"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z"}}`
	diffJSON = `{"before":{"number":2,` + revisionTail + `},"after":{"number":3,` + revisionTail + `},"fields":[` +
		`{"field":"enabled","before":false,"after":true},{"field":"labels.team","before":"data"},` +
		`{"field":"param","before":"old","after":"new"},{"field":"schedule.anchor","after":"2030-01-31T08:00:00.000Z"},` +
		`{"field":"schedule.every","after":"1m0s"},{"field":"schedule.kind","before":"manual","after":"every"}],` +
		`"source":"@@ -1,2 +1,2 @@\n echo 1\n-echo 2\n+echo 3\n"}`
	trialRunJSON = `{"id":"1152921504606846976","job_id":7,"job_key":"report","cause":"trial","state":"planned","final":false,"tries":0,` +
		`"created_at":"2030-01-31T08:00:00.000Z"}`
)

// bySystem is the server's own token as who asks: kind, name and kind again.
const bySystem = "system" + " system (system)"

func TestRoutesOfRevisions(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /jobs/report/revisions", "", 200, "revisions of default/report {JobID:0 Before:0 Recoded:false Limit:50}", revisionsJSON + "}"},
		{
			"GET /jobs/report/revisions?namespace=team&changed=code&before=9&limit=2", "", 200,
			"revisions of team/report {JobID:0 Before:9 Recoded:true Limit:2}", revisionsJSON + `,"next":1}`,
		},
		{"GET /jobs/report/revisions/2", "", 200, "revision 2 of default/report", savedJSON},
		{"GET /jobs/report/revisions/2/diff/3", "", 200, "revision 2 of default/report\nrevision 3 of default/report", diffJSON},
		{"POST /jobs/report/trial", "", 201, "try default/report by " + bySystem + ` kind "" timeout 0s at ""`, trialRunJSON},
		{
			"POST /jobs/report/trial", `{"kind":"python","code":"print(1)","param":"","timeout":"30s","address":"http://1"}`, 201,
			"job default/report\n" + "try default/report by " + bySystem + ` kind "python" timeout 30s at "http://1" code "print(1)" param ""`, trialRunJSON,
		},
		{
			"GET /runs/12/trial", "", 200, "trial 12",
			`{"run_id":"12","by":{"kind":"user","name":"ann"},"timeout":"1m0s","kind":"python","code":"print(1)"}`,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestRevisionsRefused(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) {
		c.Places = resttest.FakePlaces{"job default/missing": nil}
	})
	for _, c := range []struct {
		request, body string
		status        int
	}{
		{"GET /jobs/missing/revisions", "", 404},
		{"GET /jobs/missing/revisions/2", "", 404},
		{"POST /jobs/missing/restore", `{"revision":2}`, 404},
		{"GET /jobs/report/revisions/9", "", 404},
		{"GET /jobs/report/revisions/2/diff/9", "", 404},
		{"GET /jobs/report/revisions/9/diff/2", "", 404},
		{"GET /jobs/report/revisions/0", "", 422},
		{"GET /jobs/report/revisions?changed=param", "", 422},
		{"POST /jobs/report/restore", `{}`, 422},
		{"POST /jobs/report/restore", `{"revision":4}`, 422},
		{"POST /jobs/report/restore", `{"revision":5}`, 422},
		{"POST /jobs/report/restore", `{"revision":9}`, 404},
		{"POST /jobs/report/trial", `{"kind":"named","code":"x"}`, 422},
		{"POST /jobs/report/trial", `{"timeout":"soon"}`, 422},
		{"GET /runs/404/trial", "", 404},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response, text := resttest.Send(t, server, method, "/api/v1"+path, c.body)
		if resttest.WantProblem(t, response, text); response.StatusCode != c.status {
			t.Errorf("%s %s: status %d, want %d: %s", c.request, c.body, response.StatusCode, c.status, text)
		}
	}
}

// What is restored keeps its key, whether it is started and what the catalog gives it.
func TestRestore(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Old: fullJob()}
	server := resttest.Serve(t, f, nil)
	response, text := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/restore", `{"revision":2,"version":4}`)
	if response.StatusCode != http.StatusOK {
		t.Fatalf("status %d: %s", response.StatusCode, text)
	}
	call := f.Called()
	for _, part := range []string{
		"revision 2 of default/report", "update default/report at 4: ", `"param":"old"`, `"labels":{"team":"data"}`, `"enabled":true`,
		`"handler":{"kind":"shell","source":"echo 1\necho 2\n"}`, `"key":"report"`,
	} {
		if !strings.Contains(call, part) {
			t.Errorf("%s is missing in %s", part, call)
		}
	}
	if strings.Contains(call, `"children"`) || strings.Contains(call, `"title":"T"`) {
		t.Errorf("something of the present job stayed: %s", call)
	}
}

// A job that was deleted is created anew, stopped.
func TestRestoreDeleted(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) {
		c.Places = resttest.FakePlaces{"job default/gone": nil, "deleted job default/gone": {{Namespace: "default", Group: "g"}}}
	})
	response, text := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/gone/restore", `{"revision":3}`)
	call := f.Called()
	if response.StatusCode != http.StatusOK || !strings.Contains(call, `create {"id":0,"namespace":"default","key":"gone"`) ||
		!strings.Contains(call, `"enabled":false`) {
		t.Errorf("status %d: %s\n%s", response.StatusCode, text, call)
	}
	response, _ = resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/gone/restore", `{"revision":3,"version":4}`)
	if response.StatusCode != http.StatusConflict {
		t.Errorf("restored over a version that is gone: %d", response.StatusCode)
	}
}

// Code takes the right to write scripts, wherever it comes from.
func TestCodeNeedsItsRight(t *testing.T) {
	t.Parallel()
	for role, want := range map[access.Role]map[string]int{
		access.Operator: {
			"/jobs/report/trial {}": 201, `/jobs/report/trial {"kind":"shell","code":"x"}`: 403, `/jobs/report/restore {"revision":2}`: 403,
		},
		access.Editor:        {`/jobs/report/restore {"revision":1}`: 200},
		access.Viewer:        {"/jobs/report/trial {}": 403, `/jobs/report/restore {"revision":1}`: 403},
		access.Administrator: {`/jobs/report/trial {"kind":"shell","code":"x"}`: 201, `/jobs/report/restore {"revision":2}`: 200},
	} {
		a := resttest.NewAsker(t, nil)
		for request, status := range want {
			path, body, _ := strings.Cut(request, " ")
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1"+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+string(role)+" at its group")
			r.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			if a.Handler.ServeHTTP(w, r); w.Code != status {
				t.Errorf("%s %s: status %d, want %d: %s", role, request, w.Code, status, w.Body)
			}
		}
	}
}

// A note is said to the store with the intent, once it is one line, and only where it
// is kept.
func TestNotes(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"PATCH", "/jobs/report?note=too+slow", `{"param":"x"}`, 200},
		{"POST", "/jobs/report/stop?note=too+slow", "", 200},
		{"POST", "/jobs/report/restore?note=too+slow", `{"revision":1}`, 200},
		{"DELETE", "/jobs/report?note=too+slow", "", 204},
		{"POST", "/jobs/report/stop?note=too%0Aslow", "", 422},
		{"POST", "/jobs/report/stop?note=" + strings.Repeat("x", job.MaxNote+1), "", 422},
		{"POST", "/jobs/report/trigger?note=x", "", 422},
	} {
		response, text := resttest.SendWith(t, server, c.method, c.path, c.body)
		if response.StatusCode != c.status {
			t.Errorf("%s %s: status %d, want %d: %s", c.method, c.path, response.StatusCode, c.status, text)
		}
		if got := l.Last(); c.status < 300 && (got == nil || got.Note != "too slow") {
			t.Errorf("%s %s wants %+v", c.method, c.path, got)
		}
	}
}

// What was restored has to match what the caller has read.
func TestRestoreMatches(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Versions: map[string]string{"job report": "v"}}
	response, text := resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), "POST", "/jobs/report/restore", `{"revision":1}`, "If-Match", "*")
	if got := l.Last(); response.StatusCode != http.StatusOK || got == nil || len(got.Match) != 1 {
		t.Errorf("status %d: %s; wants %+v", response.StatusCode, text, got)
	}
}
