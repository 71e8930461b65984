package workflows_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	calendarHead = `{"namespace":"default","key":"works","rules":{"weekdays":["SUN"],`
	calendarTail = `"known_until":"2030-05-01","source":"a package"},"version":2,` +
		`"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z"}`
	calendarJSON = calendarHead + `"dates":[{"date":"2030-05-01","name":"Labour Day"}],"yearly":[{"rule":"12-25"}],` + calendarTail

	pauseJSON = `{"key":"nights","version":2,"reason":"backups","from":"2030-01-31T08:00:00.000Z",` +
		`"window":{"cron":"0 0 2 * * ?","zone":"Asia/Shanghai","for":"3h0m0s"},"active":false,` +
		`"begins_at":"2030-01-31T09:00:00.000Z","created_at":"2030-01-31T08:00:00.000Z"}`

	firingsJSON = `{"firings":[{"at":"2030-01-31T08:00:00.000Z","local":"2030-01-31 16:00:00 +08:00 Thu"},` +
		`{"at":"2030-01-31T08:00:01.500Z","local":"2030-01-31 16:00:01.5 +08:00 Thu","named":"2030-01-31T08:00:01.000Z"},` +
		`{"at":"2030-01-31T09:00:00.000Z","local":"2030-01-31 17:00:00 +08:00 Thu","dropped":true,"calendar":"works","day":"Labour Day"}],` +
		`"zone":"UTC+8",`

	backfillJSON = `"job_id":7,"job_key":"report","namespace":"default","from":"2030-01-31T08:00:00.000Z","to":"2030-01-31T09:00:00.000Z","slots":2,` +
		`"first":"2030-01-31T08:00:00.000Z","last":"2030-01-31T08:30:00.000Z","parallel":1,"state":"running",` +
		`"made":0,"skipped":0,"succeeded":0,"failed":0,"created_at":"2030-01-31T08:00:00.000Z"}`
)

func TestRoutesOfRules(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call          string
		want          string
	}{
		{"GET /calendars?namespace=team", "", 200, "calendars team", `{"calendars":[` + calendarHead + calendarTail + `]}`},
		{"GET /calendars/works", "", 200, "calendar default/works", calendarJSON},
		{"DELETE /calendars/works", "", 204, "delete calendar default/works", ""},
		{
			"PUT /calendars/works?namespace=team", `{"title":"Works","rules":{"yearly":[{"rule":"12-25","observed":"monday"}]},"version":3}`, 200,
			`save calendar team/works "Works" with 1 yearly rules over 3`, `{"calendar":` + calendarJSON + `}`,
		},
		{
			"PUT /calendars/works", `{"format":"csv","text":"2030-05-01,Labour Day","weekends":false}`, 200,
			`import calendar default/works "" from {Format:csv Text:2030-05-01,Labour Day Shipped: Weekends:false}`,
			`{"calendar":` + calendarJSON + `,"warnings":["line 2 was left out"]}`,
		},
		{
			"PUT /calendars/works", `{"shipped":"cn"}`, 200,
			`import calendar default/works "" from {Format: Text: Shipped:cn Weekends:true}`,
			`{"calendar":` + calendarJSON + `,"warnings":["line 2 was left out"]}`,
		},
		{
			"GET /shipped-calendars", "", 200, "",
			`{"calendars":[{"key":"cn","title":"China","first_year":2020,"last_year":2030,"source":"a package"}]}`,
		},
		{"GET /pauses", "", 200, "pauses", `{"pauses":[` + pauseJSON + `]}`},
		{"GET /pauses/nights", "", 200, "pause nights", pauseJSON},
		{"DELETE /pauses/nights", "", 204, "lift nights", ""},
		{
			"PUT /pauses/nights", `{"version":2,"reason":"move","groups":["g"],"until":"2030-01-31T08:00:00Z"}`, 200,
			`pause nights of version 2 "move" of "" [g] from 0001-01-01T00:00:00Z until 2030-01-31T08:00:00Z`,
			`{"key":"nights","version":3,"reason":"move","groups":["g"],"from":"0001-01-01T00:00:00.000Z","until":"2030-01-31T08:00:00.000Z",` +
				`"active":true,"ends_at":"2030-01-31T08:00:00.000Z","created_at":"0001-01-01T00:00:00.000Z"}`,
		},
		{
			"GET /jobs/report/firings", "", 200, "firings default/report from 0001-01-01T00:00:00Z, 20",
			firingsJSON + `"sentence":"Every hour","warnings":["mind the gap"],"more":true}`,
		},
		{
			"GET /jobs/report/firings?namespace=team&from=2030-01-31T09:00:00%2B01:00&count=3&language=zh", "", 200,
			"firings team/report from 2030-01-31T08:00:00Z, 3", firingsJSON + `"sentence":"每小时一次","warnings":["mind the gap"],"more":true}`,
		},
		{
			"GET /timeline?namespace=team&group=g&from=2030-01-31T08:00:20Z&after=a&limit=2", "", 200,
			`timeline of team/g from 2030-01-31T08:00:20Z until 2030-02-01T08:00:00Z after "a", 2`,
			`{"from":"2030-01-31T08:00:20.000Z","until":"2030-02-01T08:00:00.000Z","jobs":[` +
				`{"namespace":"","key":"busy","title":"Busy","group":"g","zone":"Asia/Shanghai","minutes":[0,90],"counts":[1,6],"partly":true},` +
				`{"namespace":"","key":"report","group":"g","zone":"UTC","minutes":[],"counts":[],"problem":"no such calendar"}],"next":"report"}`,
		},
		{
			"POST /firings?namespace=team", `{"schedule":{"kind":"every","every":"1h"},"from":"2030-01-31T08:00:00Z","count":5,"job_key":"x"}`, 200,
			`firings of every 1h in team as "x" from 2030-01-31T08:00:00Z, 5`, firingsJSON + `"sentence":"Every hour","warnings":["mind the gap"],"more":true}`,
		},
		{
			"POST /jobs/report/backfills", `{"from":"2030-01-31T08:00:00Z","to":"2030-01-31T09:00:00Z","parallel":2,"spacing":"1s","skip_succeeded":true}`, 201,
			"backfill default/report 2 at once, 1s apart, skip true", `{"id":"5",` + backfillJSON,
		},
		{
			"POST /jobs/report/backfills?dry_run=true&namespace=team", `{"from":"2030-01-31T08:00:00Z","to":"2030-01-31T09:00:00Z","max":9}`, 200,
			"preview backfill team/report from 2030-01-31T08:00:00Z to 2030-01-31T09:00:00Z, 9", `{"id":"0",` + backfillJSON,
		},
		{"GET /backfills", "", 200, "backfills {Sight:{All:true Places:[]} Namespace: Job: BeforeID:0 Limit:100 JobID:0}", `{"backfills":[]}`},
		{"GET /backfills?namespace=team", "", 200, "backfills {Sight:{All:true Places:[]} Namespace:team Job: BeforeID:0 Limit:100 JobID:0}", `{"backfills":[]}`},
		{
			"GET /backfills?job=report&namespace=team&before=9&limit=3", "", 200,
			"backfills {Sight:{All:true Places:[]} Namespace:team Job:report BeforeID:9 Limit:3 JobID:0}", `{"backfills":[]}`,
		},
		{"GET /backfills/5", "", 200, "backfill 5", `{"id":"5",` + backfillJSON},
		{"POST /backfills/5/cancel", "", 200, `cancel backfill 5 because ""`, `{"id":"5",` + backfillJSON},
		{"POST /backfills/5/cancel", `{"reason":"enough"}`, 200, `cancel backfill 5 because "enough"`, `{"id":"5",` + backfillJSON},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What does not fit its schema, or says two things, never reaches the catalog.
func TestRulesThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct{ request, body, field, detail string }{
		{"PUT /calendars/works", `{}`, "", "one of rules, text and shipped, and 0"},
		{"PUT /calendars/works", `{"shipped":"cn","rules":{}}`, "", "one of rules, text and shipped, and 2"},
		{"PUT /calendars/works", `{"text":"x"}`, "format", "is missing"},
		{"PUT /calendars/works", `{"shipped":"cn","format":"ics"}`, "format", "leave it out"},
		{"PUT /calendars/works", `{"rules":{},"weekends":true}`, "weekends", "name the weekdays in rules"},
		{"PUT /calendars/works", `{"rules":{"holidays":[]}}`, "rules.holidays", "not a field"},
		{"PUT /calendars/works", `{"rules":{"dates":[{"date":"2030-02-30"}]}}`, "body", "2030-02-30"},
		{"PUT /calendars/works", `{"rules":{"dates":[{"day":"2030-02-28","date":"2030-02-28"}]}}`, "rules.dates[0].day", "not a field"},
		{"PUT /pauses/all", `{"window":{"cron":"@daily"}}`, "window.for", "is missing"},
		{"PUT /pauses/all", `{"until":"tomorrow"}`, "until", "RFC 3339"},
		{"GET /jobs/report/firings?from=now", "", "from", "RFC 3339"},
		{"GET /jobs/report/firings?count=1001", "", "count", ""},
		{"GET /timeline?from=now", "", "from", "RFC 3339"},
		{"GET /timeline?until=then", "", "until", "RFC 3339"},
		{"GET /timeline?limit=201", "", "limit", ""},
		{"POST /firings", `{"schedule":{"kind":"several","of":[{"kind":"cron"},{"kind":"moon"}]}}`, "schedule.of[1].kind", "must be one of"},
		{"POST /firings", `{"schedule":{"kind":"cron","seed":5}}`, "schedule.seed", "not a field"},
		{"POST /firings", `{"schedule":{"kind":"cron","dst":{"leap":1}}}`, "schedule.dst.leap", "not a field"},
		{"POST /jobs", `{"key":"x","group":"g","handler":{"kind":"named"},"misfire_limits":{"limit":1}}`, "misfire_limits.limit", "not a field"},
		{"POST /jobs/report/backfills", `{"from":"2030-01-31T08:00:00Z"}`, "to", "is missing"},
		{"POST /jobs/report/backfills", `{"from":"2030-01-31T08:00:00Z","to":"2030-01-31T08:00:00Z","max":100001}`, "max", ""},
		{"GET /backfills/99999999999999999999", "", "id", ""},
		{"GET /backfills?before=9999999999999999999", "", "before", "larger than any id"},
		{"POST /backfills/9999999999999999999/cancel", "", "id", "larger than any id"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response, body := resttest.Send(t, server, method, "/api/v1"+path, c.body)
		p, asked := resttest.WantProblem(t, response, body), f.Called()
		if p.Code != job.Invalid || p.Field != c.field || !strings.Contains(p.Detail, c.detail) || asked != "" {
			t.Errorf("%s %s: asked %q, got %+v", c.request, c.body, asked, p)
		}
	}
}

func TestBackfillLocation(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	body := `{"from":"2030-01-31T08:00:00Z","to":"2030-01-31T09:00:00Z"}`
	response, _ := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/backfills", body)
	if got := response.Header.Get("Location"); got != "/api/v1/backfills/5" {
		t.Errorf("Location %q", got)
	}
	response, _ = resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/backfills?dry_run=true", body)
	if got, there := response.Header["Location"]; there {
		t.Errorf("a dry run is at %q", got)
	}
}

func TestPageOfBackfills(t *testing.T) {
	t.Parallel()
	fills := func(n, size int) []job.Backfill {
		list := make([]job.Backfill, n)
		param := strings.Repeat("p", size)
		for i := range list {
			list[i] = resttest.StoredBackfill(int64(1000 - i))
			list[i].Param = &param
		}
		return list
	}
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		name    string
		fills   []job.Backfill
		want    int
		next    api.ID
		request string
	}{
		{"fewer than the limit", fills(2, 0), 2, 0, "?limit=3"},
		{"as many as the limit", fills(3, 0), 3, 998, "?limit=3"},
		{"large ones", fills(6, 1<<20), 4, 997, ""},
	} {
		f.Fills = c.fills
		_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/backfills"+c.request, "")
		var list api.BackfillList
		if err := json.Unmarshal([]byte(body), &list); err != nil || len(list.Backfills) != c.want || list.Next != c.next {
			t.Errorf("%s: got %d, next %v, want %d, %v; %v", c.name, len(list.Backfills), list.Next, c.want, c.next, err)
		}
	}
}
