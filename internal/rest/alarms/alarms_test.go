package alarms_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	stamps   = `"version":2,"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z"}`
	ruleTail = `"kinds":["streak"],"scope":{"jobs":["a-*"],"labels":{"team":"*"}},"count":5,"window":"1h0m0s","channels":["ops"],"repeat":"never",` +
		`"escalation":[{"after":"1m0s","channels":["boss"]}],"enabled":true,` + stamps
	ruleJSON    = `{"id":3,"namespace":"default","key":"nightly","title":"Night",` + ruleTail
	channelTail = `"kind":"email","settings":{"host":"mx"},"template":{"title":"x"},"enabled":true,"secrets":["password"],` +
		`"failed_at":"2030-01-31T08:00:00.000Z","failure":"no","failures":2,"version":1,` +
		`"created_at":"2030-01-31T08:00:00.000Z","updated_at":"2030-01-31T08:00:00.000Z"}`
	channelJSON = `{"id":4,"namespace":"default","key":"ops",` + channelTail
	silenceJSON = `{"id":"5","namespace":"default","comment":"moving","rules":["nightly"],"from":"1930-01-31T08:00:00.000Z",` +
		`"until":"2080-01-31T08:00:00.000Z","active":false,"created_at":"2030-01-31T08:00:00.000Z"}`
	alarmJSON = `{"id":"12","namespace":"default","rule":"nightly","kind":"streak","severity":"warning","group":"g","job_id":7,"job_key":"report",` +
		`"state":"firing","reason":"boom","first_at":"2030-01-31T08:00:00.000Z","last_at":"2030-01-31T08:00:00.000Z","count":2,"last_run_id":"40"}`
	entryJSON   = `{"event_id":"9","at":"2030-01-31T08:00:00.000Z","run_id":"40","job_key":"report","state":"failed","reason":"boom"}`
	messageHead = `{"id":"20","namespace":"default","rule":"nightly","channel":"ops","status":`
	messageTail = `"state":"firing","alarms":1,"events":2,"tries":9,"title":"[warning] report","error":"no answer",`
	messageJSON = messageHead + `"failed",` + messageTail + `"created_at":"2030-01-31T08:00:00.000Z","ended_at":"2030-01-31T08:00:00.000Z"}`
	pendingJSON = messageHead + `"pending",` + messageTail + `"due_at":"2030-01-31T08:00:00.000Z","created_at":"2030-01-31T08:00:00.000Z"}`

	ruleNote = `"scope":{"jobs":["a-*"],"labels":{"team":"*"}},"severity":"","count":5,"window":3600000000000,"channels":["ops"],"repeat":-1,` +
		`"escalation":[{"after":60000000000,"channels":["boss"]}],`
	zeroStamps = `"version":0,"created_at":"0001-01-01T00:00:00Z","updated_at":"0001-01-01T00:00:00Z"}`
)

func TestRoutesOfAlarms(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const anyTime = `"Since":"0001-01-01T00:00:00Z","Until":"0001-01-01T00:00:00Z"`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"GET /alarms", "", 200,
			`alarms {"Sight":{"All":true,"Places":null},"Before":0,"Namespace":"","State":"","Rule":"","Kind":"","Severity":"","JobID":0,"Group":"",` + anyTime + `,"Limit":100}`,
			`{"alarms":[` + alarmJSON + `]}`,
		},
		{
			"GET /alarms?namespace=team&state=firing&rule=nightly&kind=streak&severity=critical&job=report&group=g&before=99&limit=1" +
				"&since=2030-01-31T08:00:00Z&until=2030-01-31T09:00:00Z", "", 200,
			"job team/report\n" + `alarms {"Sight":{"All":true,"Places":null},"Before":99,"Namespace":"team","State":"firing","Rule":"nightly","Kind":"streak","Severity":"critical","JobID":7,"Group":"g",` +
				`"Since":"2030-01-31T08:00:00Z","Until":"2030-01-31T09:00:00Z","Limit":1}`,
			`{"alarms":[` + alarmJSON + `],"next":"12"}`,
		},
		{"GET /alarms/12", "", 200, "alarm 12", alarmJSON},
		{"GET /alarms/12/entries", "", 200, "alarm 12\nentries of 12 after 0, 100", `{"entries":[` + entryJSON + `]}`},
		{"GET /alarms/12/entries?after=8&limit=1", "", 200, "alarm 12\nentries of 12 after 8, 1", `{"entries":[` + entryJSON + `],"next":"9"}`},
		{"POST /alarms/12/note", "", 200, "note alarm 12 by \"\"\nalarm 12", alarmJSON},
		{"POST /alarms/12/note", `{"by":"alice"}`, 200, "note alarm 12 by \"alice\"\nalarm 12", alarmJSON},
		{
			"GET /alarm/notifications", "", 200,
			`notifications {"Sight":{"All":true,"Places":null},"Before":0,"Namespace":"","Status":"","Rule":"","Channel":"",` + anyTime + `,"Limit":100}`,
			`{"notifications":[` + messageJSON + `]}`,
		},
		{
			"GET /alarm/notifications?namespace=team&status=failed&rule=nightly&channel=ops&before=99&limit=1&since=2030-01-31T08:00:00Z", "", 200,
			`notifications {"Sight":{"All":true,"Places":null},"Before":99,"Namespace":"team","Status":"failed","Rule":"nightly","Channel":"ops","Since":"2030-01-31T08:00:00Z",` +
				`"Until":"0001-01-01T00:00:00Z","Limit":1}`,
			`{"notifications":[` + messageJSON + `],"next":"20"}`,
		},
		{"POST /alarm/notifications/20/retry", "", 200, "retry 20", pendingJSON},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestRoutesOfAlarmRules(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const full = `{"key":"night","kinds":["failed","lost"],"channels":["ops"],"severity":"critical","enabled":false,"repeat":"2h","wait":"5s",` +
		`"scope":{"groups":["g"]},"recovered":true,"group_by":"job","factor":1.5}`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /alarm/rules", "", 200, "rules of ", `{"rules":[` + ruleJSON + `]}`},
		{"GET /alarm/rules/nightly?namespace=team", "", 200, "rule team/nightly", ruleJSON},
		{
			"POST /alarm/rules", `{"key":"nightly","kinds":["failed"],"channels":["ops"]}`, 201,
			`create rule {"id":0,"namespace":"default","key":"nightly","enabled":true,"kinds":["failed"],"severity":"","channels":["ops"],` + zeroStamps, ruleJSON,
		},
		{
			"POST /alarm/rules?namespace=team", full, 201,
			`create rule {"id":0,"namespace":"team","key":"night","enabled":false,"kinds":["failed","lost"],"scope":{"groups":["g"]},"severity":"critical",` +
				`"factor":1.5,"channels":["ops"],"recovered":true,"group_by":"job","wait":5000000000,"repeat":7200000000000,` + zeroStamps,
			strings.NewReplacer(`"default"`, `"team"`, `"nightly"`, `"night"`).Replace(ruleJSON),
		},
		{
			"PATCH /alarm/rules/nightly", `{"title":null,"kinds":["failed"],"count":null,"scope":{"labels":{"team":null}},"version":2}`, 200,
			`update rule default/nightly at 2: {"id":0,"namespace":"default","key":"nightly","enabled":true,"kinds":["failed"],"scope":{"jobs":["a-*"]},` +
				`"severity":"","window":3600000000000,"channels":["ops"],"repeat":-1,"escalation":[{"after":60000000000,"channels":["boss"]}],` + zeroStamps,
			`{"id":0,"namespace":"default","key":"nightly","kinds":["failed"],"scope":{"jobs":["a-*"]},"window":"1h0m0s","channels":["ops"],"repeat":"never",` +
				`"escalation":[{"after":"1m0s","channels":["boss"]}],"enabled":true,"version":0,"created_at":"0001-01-01T00:00:00.000Z","updated_at":"0001-01-01T00:00:00.000Z"}`,
		},
		{
			"PATCH /alarm/rules/nightly?namespace=team", `{"enabled":false}`, 200,
			`update rule team/nightly at 0: {"id":0,"namespace":"default","key":"nightly","title":"Night","enabled":false,"kinds":["streak"],` + ruleNote + zeroStamps,
			strings.NewReplacer(`"id":3`, `"id":0`, `"enabled":true`, `"enabled":false`, `"version":2`, `"version":0`, "2030-01-31T08:00", "0001-01-01T00:00").Replace(ruleJSON),
		},
		{"DELETE /alarm/rules/nightly", "", 204, "delete rule default/nightly", ""},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
	response, _ := resttest.Send(t, server, http.MethodPost, "/api/v1/alarm/rules", `{"namespace":"team","key":"a","kinds":["failed"],"channels":["ops"]}`)
	if got := response.Header.Get("Location"); got != "/api/v1/alarm/rules/a?namespace=team" {
		t.Errorf("Location %q", got)
	}
}

func TestRoutesOfAlarmChannels(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const (
		wish = `{"key":"ops","kind":"email","settings":{"host":"mx"},"secrets":{"password":"p"},"default":true}`
		note = `{"id":0,"namespace":"default","key":"ops","kind":"email","enabled":true,"default":true,"settings":{"host":"mx"},` + zeroStamps
		kept = `{"id":0,"namespace":"default","key":"ops","kind":"email","enabled":true,"settings":{"host":"mx"},"template":{"title":"x"},` + zeroStamps
	)
	shown := `{"id":0,"namespace":"default","key":"ops","kind":"email","settings":{"host":"mx"},"template":{"title":"x"},"enabled":true,` +
		`"version":0,"created_at":"0001-01-01T00:00:00.000Z","updated_at":"0001-01-01T00:00:00.000Z"}`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /alarm/channels", "", 200, "channels of ", `{"channels":[` + channelJSON + `]}`},
		{"GET /alarm/channels/ops", "", 200, "channel default/ops", channelJSON},
		{"POST /alarm/channels", wish, 201, "create channel " + note + " with password=p", channelJSON},
		{"PATCH /alarm/channels/ops", `{"secrets":{"password":"q"}}`, 200, "update channel default/ops at 0: " + kept + " with password=q", shown},
		{
			"PATCH /alarm/channels/ops", `{"secrets":{"password":null,"url":"u"},"version":7}`, 200,
			"update channel default/ops at 7: " + kept + " with password= url=u", shown,
		},
		{"PATCH /alarm/channels/ops", `{"secrets":null}`, 200, "update channel default/ops at 0: " + kept + " with password=", shown},
		{
			"PATCH /alarm/channels/ops", `{"settings":{"host":null,"to":"x"},"template":null}`, 200,
			"update channel default/ops at 0: " + strings.NewReplacer(`"host":"mx"`, `"to":"x"`, `"template":{"title":"x"},`, "").Replace(kept) + " with ",
			strings.NewReplacer(`"host":"mx"`, `"to":"x"`, `"template":{"title":"x"},`, "").Replace(shown),
		},
		{"DELETE /alarm/channels/ops?namespace=team", "", 204, "delete channel team/ops", ""},
		{"POST /alarm/channels/ops/test", "", 200, "test channel default/ops", `{"delivered":true,"answer":"250 ok","took":"1.235s"}`},
		{"POST /alarm/channel-test", wish, 200, "test " + note + " with password=p", `{"delivered":false,"answer":"no answer","took":"0s"}`},
		{
			"GET /alarm/channel-kinds", "", 200, "", `{"kinds":[{"kind":"email","fields":[{"name":"host","secret":false,"needed":true,"doc":"The server."},` +
				`{"name":"password","secret":true,"needed":false}]},{"kind":"webhook","fields":[]},{"kind":"dingtalk","fields":[]},{"kind":"feishu","fields":[]},` +
				`{"kind":"wecom","fields":[]},{"kind":"slack","fields":[]},{"kind":"pagerduty","fields":[]}]}`,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

func TestRoutesOfAlarmSilences(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{"GET /alarm/rules?namespace=team", "", 200, "rules of team", `{"rules":[` + ruleJSON + `]}`},
		{"GET /alarm/channels?namespace=team", "", 200, "channels of team", `{"channels":[` + channelJSON + `]}`},
		{"GET /alarm/silences", "", 200, "silences of ", `{"silences":[` + silenceJSON + `]}`},
		{"GET /alarm/silences?namespace=team", "", 200, "silences of team", `{"silences":[` + silenceJSON + `]}`},
		{"GET /alarm/silences/5", "", 200, "silence 5", silenceJSON},
		{
			"POST /alarm/silences?namespace=team", `{"comment":"moving","until":"2030-01-31T08:00:00Z","kinds":["lost"],"scope":{"jobs":["a"]}}`, 201,
			`create silence {"id":0,"namespace":"team","comment":"moving","kinds":["lost"],"scope":{"jobs":["a"]},"from":"0001-01-01T00:00:00Z",` +
				`"until":"2030-01-31T08:00:00Z","created_at":"0001-01-01T00:00:00Z"}`, silenceJSON,
		},
		{
			"POST /alarm/silences", `{"comment":"x","cron":"0 0 2 * * ?","zone":"UTC","length":"1h","from":"2030-01-31T08:00:00Z"}`, 201,
			`create silence {"id":0,"namespace":"default","comment":"x","from":"2030-01-31T08:00:00Z","cron":"0 0 2 * * ?","zone":"UTC",` +
				`"length":3600000000000,"created_at":"0001-01-01T00:00:00Z"}`, silenceJSON,
		},
		{"POST /alarm/silences/5/end", "", 200, "end silence 5", silenceJSON},
		{"DELETE /alarm/silences/5", "", 204, "delete silence 5", ""},
	} {
		resttest.WantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What is wrong with a request about alarms is told with the field at fault, and
// nothing is asked then; no problem repeats a secret.
func TestAlarmRequestsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct{ request, body, field string }{
		{"POST /alarm/rules", `{"kinds":["failed"],"channels":["ops"]}`, "key"},
		{"POST /alarm/rules", `{"key":"a","kinds":["late"],"channels":["ops"]}`, "kinds[0]"},
		{"POST /alarm/rules", `{"key":"a","kinds":[],"channels":["ops"]}`, "kinds"},
		{"POST /alarm/rules", `{"key":"a","kinds":["failed"],"channels":["ops"],"wait":"soon"}`, "wait"},
		{"POST /alarm/rules", `{"key":"a","kinds":["failed"],"channels":["ops"],"repeat":"no"}`, "repeat"},
		{"POST /alarm/rules", `{"key":"a","kinds":["failed"],"channels":["ops"],"colour":"red"}`, "colour"},
		{"PATCH /alarm/rules/nightly", `{"key":"other"}`, "key"},
		{"PATCH /alarm/rules/nightly", `{"colour":"red"}`, "colour"},
		{"PATCH /alarm/rules/nightly", `{"version":0.5}`, "version"},
		{"PATCH /alarm/rules/nightly", `{"kinds":null}`, "kinds"},
		{"PATCH /alarm/rules/nightly", `{"count":"many"}`, "count"},
		{"POST /alarm/channels", `{"key":"a","kind":"fax"}`, "kind"},
		{"POST /alarm/channels", `{"key":"a","kind":"slack","secrets":{"url":5}}`, "secrets.url"},
		{"PATCH /alarm/channels/ops", `{"kind":"slack"}`, "kind"},
		{"PATCH /alarm/channels/ops", `{"secrets":"geheim"}`, "secrets"},
		{"PATCH /alarm/channels/ops", `{"secrets":{"url":["geheim"]}}`, "secrets.url"},
		{"POST /alarm/silences", `{"until":"2030-01-31T08:00:00Z"}`, "comment"},
		{"GET /alarms?state=loud", "", "state"},
		{"GET /alarms?severity=awful", "", "severity"},
		{"GET /alarms?job=missing", "", ""},
		{"GET /alarms/404/entries", "", ""},
		{"GET /alarm/notifications?limit=0", "", "limit"},
	} {
		method, path, _ := strings.Cut(c.request, " ")
		response, body := resttest.Send(t, server, method, "/api/v1"+path, c.body)
		p := resttest.WantProblem(t, response, body)
		if p.Field != c.field || p.Code != job.Invalid && p.Code != job.NotFound {
			t.Errorf("%s %s: got %+v", c.request, c.body, p)
		}
		if strings.Contains(body, "geheim") {
			t.Errorf("%s: a secret is repeated: %s", c.request, body)
		}
		if called := f.Called(); called != "" {
			t.Errorf("%s: %s", c.request, called)
		}
	}
}

// Alarms of all namespaces are those that the viewer may see.
func TestAlarmsAreNarrowed(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	status, body, called := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + "/alarms?severity=critical"}, "viewer at its group")
	const want = `alarms {"Sight":{"All":false,"Places":[{"Namespace":"default","Group":"g"}]},"Before":0,"Namespace":"",`
	if status != http.StatusOK || !strings.HasPrefix(called, want) {
		t.Errorf("%d %s, asked %s, want %s", status, body, called, want)
	}
}
