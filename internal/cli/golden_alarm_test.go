package cli_test

import (
	"strings"
	"testing"
)

const (
	alarmRule = `{"id":3,"namespace":"default","key":"nightly","title":"Night","kinds":["failed","streak","slow","group_down"],` +
		`"scope":{"jobs":["a-*"],"labels":{"team":"*"}},"severity":"critical","count":5,"factor":1.5,"longer":"1h0m0s","channels":["ops","mail"],"recovered":true,` +
		`"repeat":"never","escalation":[{"after":"30m0s","channels":["boss","phone"]}],"enabled":true,"version":2,` +
		`"created_at":"2030-01-30T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z"}`
	plainRule = `{"id":4,"namespace":"default","key":"plain","kinds":["failure_rate","not_started","backlog","missed","dead_letter"],"channels":["ops"],` +
		`"enabled":false,"version":1,"created_at":"2030-01-30T01:30:00.000Z","updated_at":"2030-01-30T01:30:00.000Z"}`
	alarmChannel = `{"id":4,"namespace":"default","key":"mail","title":"Mail","kind":"email","default":true,"settings":{"host":"mx","to":"ops@example.com"},` +
		`"language":"zh","template":{"text":"{{.Rule}}\n{{.Text}}"},"per_minute":5,"enabled":true,"secrets":["password"],"ok_at":"2030-01-30T01:30:00.000Z",` +
		`"failed_at":"2030-01-31T01:30:00.000Z","failure":"535 no","failures":2,"version":2,` +
		`"created_at":"2030-01-30T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z"}`
	freshChannel = `{"id":5,"namespace":"default","key":"ops","kind":"slack","enabled":true,"secrets":["url"],"version":1,` +
		`"created_at":"2030-01-30T01:30:00.000Z","updated_at":"2030-01-30T01:30:00.000Z"}`
	channelFields = `{"kinds":[{"kind":"email","fields":[{"name":"host","secret":false,"needed":true,"doc":"The mail server."},` +
		`{"name":"port","secret":false,"needed":false,"default":"587"},{"name":"password","secret":true,"needed":false,"doc":"The password."}]},` +
		`{"kind":"slack","fields":[{"name":"url","secret":true,"needed":true,"doc":"The address of the webhook."}]}]}`
	alarmSilence = `{"id":"5","namespace":"default","comment":"moving","rules":["nightly"],"kinds":["failed","lost"],"scope":{"groups":["billing"]},` +
		`"from":"2030-01-31T01:30:00.000Z","until":"2030-01-31T03:30:00.000Z","active":true,"ends_at":"2030-01-31T03:30:00.000Z","created_at":"2030-01-31T01:30:00.000Z"}`
	weeklySilence = `{"id":"6","namespace":"default","comment":"weekly","from":"2030-01-31T01:30:00.000Z","cron":"0 0 2 ? * SUN","zone":"Asia/Shanghai",` +
		`"length":"3h0m0s","active":false,"begins_at":"2030-02-02T18:00:00.000Z","created_at":"2030-01-31T01:30:00.000Z"}`
	overSilence = `{"id":"2","namespace":"default","comment":"done","from":"2030-01-01T01:30:00.000Z","until":"2030-01-01T03:30:00.000Z","active":false,` +
		`"created_at":"2030-01-01T01:30:00.000Z"}`
	firing = `{"id":"12","namespace":"default","rule":"nightly","kind":"timed_out","severity":"critical","group":"reports","job_id":7,"job_key":"report",` +
		`"state":"firing","reason":"boom","first_at":"2030-01-31T01:30:00.000Z","last_at":"2030-01-31T02:30:00.000Z","count":2,"last_run_id":"40"}`
	noted = `{"id":"11","namespace":"default","kind":"group_down","severity":"warning","group":"reports","state":"firing",` +
		`"first_at":"2030-01-31T01:30:00.000Z","last_at":"2030-01-31T02:30:00.000Z","count":1,"noted_at":"2030-01-31T02:40:00.000Z","noted_by":"alice","silenced_by":"5"}`
	calmed = `{"id":"10","namespace":"default","rule":"nightly","kind":"lost","severity":"info","group":"reports","job_id":7,"job_key":"report",` +
		`"state":"resolved","first_at":"2030-01-31T01:30:00.000Z","last_at":"2030-01-31T02:30:00.000Z","ended_at":"2030-01-31T02:40:00.000Z","count":3,` +
		`"noted_at":"2030-01-31T02:35:00.000Z"}`
	entries = `{"entries":[{"event_id":"8","at":"2030-01-31T01:30:00.000Z","run_id":"39","job_key":"report","state":"timed_out","reason":"too slow"},` +
		`{"event_id":"9","at":"2030-01-31T02:30:00.000Z","reason":"nobody is there"}]`
	given = `{"id":"20","namespace":"default","rule":"nightly","channel":"ops","status":"failed","state":"firing","alarms":1,"events":2,"tries":9,` +
		`"title":"[critical] reports: report timed out","error":"no answer","created_at":"2030-01-31T01:30:00.000Z","ended_at":"2030-01-31T02:30:00.000Z"}`
	onTheWay = `{"id":"21","namespace":"default","to":"ops@example.com","status":"pending","state":"firing","alarms":1,"events":1,"tries":1,` +
		`"title":"[warning] report","due_at":"2030-01-31T02:30:00.000Z","created_at":"2030-01-31T01:30:00.000Z"}`
)

// TestAlarmCommands compares what commands show and send of alarms with golden
// files.
func TestAlarmCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	made := func(folder, answer string) answers { return answers{"POST /alarm/" + folder: {"201 " + answer}} }
	one := func(request, answer string) answers { return answers{request: {"200 " + answer}} }
	for _, c := range []struct {
		name    string
		args    string // as in TestCommands
		answers answers
	}{
		{"alarm-list", "alarm list", one("GET /alarms", `{"alarms":[`+firing+`,`+noted+`]}`)},
		{
			"alarm-list-all", "alarms ls --state all --rule nightly --kind timed-out --job report --group g --since 2030-01-31T08:00 --until 2030-02-01T00:00:00Z --limit 3",
			one("GET /alarms", `{"alarms":[`+firing+`,`+noted+`,`+calmed+`],"next":"10"}`),
		},
		{"alarm-list-none", "alarm list", one("GET /alarms", `{"alarms":[]}`)},
		{"alarm-list-json", "alarm list -o json", one("GET /alarms", `{"alarms":[`+firing+`]}`)},
		{"alarm-list-wrong-kind", "alarm list --kind late", nil},
		{"alarm-list-wrong-limit", "alarm list --limit 0", nil},
		{"alarm-show", "alarm show 12", answers{"GET /alarms/12": {"200 " + firing}, "GET /alarms/12/entries": {"200 " + entries + "}"}}},
		{"alarm-show-more", "alarm show 11 --limit 2", answers{"GET /alarms/11": {"200 " + noted}, "GET /alarms/11/entries": {"200 " + entries + `,"next":"9"}`}}},
		{"alarm-show-over", "alarm show 10 -o json", answers{"GET /alarms/10": {"200 " + calmed}, "GET /alarms/10/entries": {`200 {"entries":[]}`}}},
		{"alarm-show-wrong", "alarm show last", nil},
		{"alarm-acknowledge", "alarm acknowledge 12 --by alice", one("POST /alarms/12/note", noted)},
		{"alarm-messages", "alarm messages", one("GET /alarm/notifications", `{"notifications":[`+onTheWay+`,`+given+`]}`)},
		{"alarm-messages-failed", "alarm messages --failed --channel ops --rule nightly --since 2030-01-31T08:00 --limit 1", one("GET /alarm/notifications", `{"notifications":[`+given+`]}`)},
		{"alarm-messages-everywhere", "alarm messages --all-namespaces", one("GET /alarm/notifications", `{"notifications":[`+given+`]}`)},
		{"alarm-messages-none", "alarm messages --status dropped", one("GET /alarm/notifications", `{"notifications":[]}`)},
		{"alarm-messages-both", "alarm messages --failed --status sent", nil},
		{"alarm-resend", "alarm resend 20", one("POST /alarm/notifications/20/retry", given)},
		{"alarm-rule-create", "alarm rule create nightly --kind failed,timed_out,lost --channel ops", made("rules", alarmRule)},
		{"alarm-rule-create-full", "alarm rule create nightly --kind streak,failure-rate,slow --channel ops --channel mail --job a-* --group g --label team=* --severity critical " +
			"--count 5 --percent 20 --window 2h --min-runs 10 --longer-than 1h --factor 1.5 --within 1m --for 3m --notify-resolved --group-by job --wait 5s --interval 1m --repeat never " +
			"--escalate 30m=boss,phone --title Night --disabled", made("rules", alarmRule)},
		{"alarm-rule-create-nothing", "alarm rule create nightly", nil},
		{"alarm-rule-create-no-channel", "alarm rule create nightly --kind failed", nil},
		{"alarm-rule-create-wrong-kind", "alarm rule create nightly --kind late --channel ops", nil},
		{"alarm-rule-create-wrong-repeat", "alarm rule create nightly --kind failed --channel ops --repeat soon", nil},
		{"alarm-rule-create-wrong-step", "alarm rule create nightly --kind failed --channel ops --escalate boss", nil},
		{"alarm-rule-create-unknown-channel", "alarm rule create nightly --kind failed --channel ops", answers{"POST /alarm/rules": {
			`422 {"code":"invalid","detail":"channel ops does not exist in namespace default","field":"channels","hint":"make the channel first: 'orth alarm channel create ops'"}`,
		}}},
		{"alarm-rule-edit", "alarm rule edit nightly --severity info --notify-resolved=false --job x --unset label --unset escalate --if-version 2", one("PATCH /alarm/rules/nightly", alarmRule)},
		{"alarm-rule-edit-nothing", "alarm rule edit nightly", nil},
		{"alarm-rule-enable", "alarm rule enable nightly", one("PATCH /alarm/rules/nightly", alarmRule)},
		{"alarm-rule-disable", "alarm rule disable plain", one("PATCH /alarm/rules/plain", plainRule)},
		{"alarm-rule-list", "alarm rule list", one("GET /alarm/rules", `{"rules":[`+alarmRule+`,`+plainRule+`]}`)},
		{"alarm-rule-list-everywhere", "alarm rule list --all-namespaces", one("GET /alarm/rules", `{"rules":[`+alarmRule+`]}`)},
		{"alarm-rule-list-none", "alarm rule list", one("GET /alarm/rules", `{"rules":[]}`)},
		{"alarm-rule-show", "alarm rule show nightly", one("GET /alarm/rules/nightly", alarmRule)},
		{"alarm-rule-show-defaults", "alarm rule show plain", one("GET /alarm/rules/plain", plainRule)},
		{"alarm-rule-show-json", "alarm rule show plain -o json", one("GET /alarm/rules/plain", plainRule)},
		{"alarm-rule-delete", "alarm rule delete nightly --yes", answers{"DELETE /alarm/rules/nightly": {"204 "}}},
		{"alarm-channel-create", "alarm channel create ops --kind slack --secret url=-", made("channels", freshChannel)},
		{"alarm-channel-create-full", "alarm channel create mail --kind email --set host=mx --set to=a@b,c=d --secret password=p~q --default --language zh --per-minute 5 " +
			"--text-template {{.Rule}} --title Mail --disabled --namespace team", made("channels", alarmChannel)},
		{
			"alarm-channel-create-tested", "alarm channel create ops --kind slack --secret url=- --test",
			answers{"POST /alarm/channel-test": {`200 {"delivered":false,"answer":"no_service","took":"1s"}`}},
		},
		{"alarm-channel-create-no-kind", "alarm channel create ops", nil},
		{"alarm-channel-create-wrong-set", "alarm channel create ops --kind slack --set host", nil},
		{"alarm-channel-create-wrong-secret", "alarm channel create ops --kind slack --secret geheim", nil},
		{"alarm-channel-create-two-stdin", "alarm channel create ops --kind slack --secret a=- --secret b=-", nil},
		{"alarm-channel-create-no-file", "alarm channel create ops --kind slack --secret url=@/nonexistent/url", nil},
		{"alarm-channel-edit", "alarm channel edit mail --set host=new --unset secrets.password --unset title-template --default=false", one("PATCH /alarm/channels/mail", alarmChannel)},
		{"alarm-channel-list", "alarm channel list", one("GET /alarm/channels", `{"channels":[`+alarmChannel+`,`+freshChannel+`]}`)},
		{"alarm-channel-list-everywhere", "alarm channel list --all-namespaces", one("GET /alarm/channels", `{"channels":[`+alarmChannel+`]}`)},
		{"alarm-channel-list-none", "alarm channel list", one("GET /alarm/channels", `{"channels":[]}`)},
		{"alarm-channel-show", "alarm channel show mail", one("GET /alarm/channels/mail", alarmChannel)},
		{"alarm-channel-test", "alarm channel test ops", one("POST /alarm/channels/ops/test", `{"delivered":true,"answer":"the channel took the message","took":"120ms"}`)},
		{"alarm-channel-test-failed", "alarm channel test ops", one("POST /alarm/channels/ops/test", `{"delivered":false,"answer":"no_service","took":"120ms"}`)},
		{"alarm-channel-delete", "alarm channel rm ops --yes", answers{"DELETE /alarm/channels/ops": {"204 "}}},
		{"alarm-channel-kinds", "alarm channel kinds", one("GET /alarm/channel-kinds", channelFields)},
		{"alarm-channel-kinds-one", "alarm channel kinds slack", one("GET /alarm/channel-kinds", channelFields)},
		{"alarm-channel-kinds-wrong", "alarm channel kinds fax", one("GET /alarm/channel-kinds", channelFields)},
		{"alarm-silence-create", "alarm silence create --from 2030-01-31T09:30 --until 2030-01-31T11:30 --comment moving --rule nightly --kind failed,lost --group billing", made("silences", alarmSilence)},
		{"alarm-silence-create-window", "alarm silence create --cron 0~0~2~?~*~SUN --duration 3h --zone Asia/Shanghai --comment weekly", made("silences", weeklySilence)},
		{"alarm-silence-create-from", "alarm silence create --from 2030-01-31T09:30 --for 2h --zone Europe/Berlin --comment moving", made("silences", alarmSilence)},
		{"alarm-silence-create-no-comment", "alarm silence create --for 2h", nil},
		{"alarm-silence-create-no-end", "alarm silence create --comment x", nil},
		{"alarm-silence-create-both", "alarm silence create --comment x --for 2h --until 2030-01-31", nil},
		{"alarm-silence-create-no-length", "alarm silence create --comment x --cron 0~0~2~?~*~SUN", nil},
		{"alarm-silence-create-wrong-cron", "alarm silence create --comment x --cron 61~0~2~?~*~SUN --duration 1h", nil},
		{"alarm-silence-list", "alarm silence list", one("GET /alarm/silences", `{"silences":[`+overSilence+`,`+alarmSilence+`,`+weeklySilence+`]}`)},
		{"alarm-silence-list-all", "alarm silence list --all", one("GET /alarm/silences", `{"silences":[`+overSilence+`,`+alarmSilence+`]}`)},
		{"alarm-silence-list-everywhere", "alarm silence list --all --all-namespaces", one("GET /alarm/silences", `{"silences":[`+alarmSilence+`]}`)},
		{"alarm-silence-list-none", "alarm silence list", one("GET /alarm/silences", `{"silences":[`+overSilence+`]}`)},
		{"alarm-silence-end", "alarm silence end 5", one("POST /alarm/silences/5/end", overSilence)},
		{"alarm-silence-end-wrong", "alarm silence end now", nil},
		{"alarm-silence-delete", "alarm silence delete 5 --yes", answers{"DELETE /alarm/silences/5": {"204 "}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// A secret comes from a file as it is there, but for the line break at its end.
func TestSecretFromFile(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"POST /alarm/channels": {"201 " + freshChannel}})
	path := writeFile(t, t.TempDir(), "secret", "-----BEGIN\n a b \n\r\n")
	r := orth(t.Context(), server.env(), "alarm", "channel", "create", "ops", "--kind", "slack", "--secret", "key=@"+path, "--set", "ca=@"+path)
	if r.code != 0 || !strings.Contains(server.seen(), `"settings":{"ca":"-----BEGIN\n a b \n"}`) ||
		!strings.Contains(server.seen(), `"secrets":{"key":"-----BEGIN\n a b \n"}`) {
		t.Errorf("%+v\n%s", r, server.seen())
	}
	if strings.Contains(r.stdout+r.stderr, "BEGIN") {
		t.Errorf("it is shown: %+v", r)
	}
	huge := writeFile(t, t.TempDir(), "huge", strings.Repeat("x", 1<<17))
	if r := orth(t.Context(), server.env(), "alarm", "channel", "create", "ops", "--kind", "slack", "--secret", "key=@"+huge); r.code != 2 {
		t.Errorf("a huge file: %+v", r)
	}
}
