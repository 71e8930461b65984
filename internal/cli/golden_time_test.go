package cli_test

import (
	"slices"
	"testing"
)

const (
	trade = `{"id":11,"namespace":"default","key":"trade","group":"desk","schedule":{"kind":"daily","daily":"09:00-18:00 MON-FRI every 5m",` +
		`"zone":"Asia/Shanghai","start":"2030-01-01T00:00:00.000Z","end":"2031-01-01T00:00:00.000Z","count":10,"jitter":"5m0s","calendars":["cn","office"],"excluded":"shift"},` +
		`"misfire":"fire_all","misfire_limits":{"threshold":"10s","window":"6h0m0s","max":50,"spacing":"2s"},"handler":{"kind":"named","name":"trade"},` +
		`"route":"round","overlap":"serial","on_crash":"report","stop_after":5,"enabled":true,"held_by":"weekly","fired":3,"failures":2,"version":1,` +
		`"next_at":"2030-01-31T01:00:00.000Z","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	follow = `{"id":12,"namespace":"default","key":"follow","group":"desk","schedule":{"kind":"after","after":"10m0s"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"follow"},"route":"round","overlap":"serial","on_crash":"report","enabled":true,"version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	several = `{"id":13,"namespace":"default","key":"several","group":"desk","schedule":{"kind":"several","zone":"Europe/Berlin","of":[` +
		`{"kind":"cron","cron":"0 0 18 ? * MON-THU"},{"kind":"every","every":"1h0m0s"},{"kind":"once","at":"2030-01-01T00:00:00.000Z"}]},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"close"},"route":"round","overlap":"serial","on_crash":"report","enabled":false,` +
		`"stop_reason":"stopped after 5 failed runs in a row; the last one: run 123 failed","version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	under = `{"id":15,"namespace":"default","key":"under","group":"desk","schedule":{"kind":"once","delay":"10m0s","at":"2030-01-31T01:00:00.000Z"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"close"},"route":"round","overlap":"serial","on_crash":"report","enabled":true,"version":1,` +
		`"next_at":"2030-01-31T01:00:00.000Z","created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`
	later = `{"id":14,"namespace":"default","key":"later","group":"desk","schedule":{"kind":"once","delay":"10m0s"},"misfire":"skip",` +
		`"handler":{"kind":"named","name":"close"},"route":"round","overlap":"serial","on_crash":"report","enabled":false,"version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-01T00:00:00.000Z"}`

	firings = `{"firings":[{"at":"2030-02-01T01:00:00.000Z","local":"2030-02-01 09:00:00 +08:00 Fri"},` +
		`{"at":"2030-02-02T01:00:00.000Z","local":"2030-02-02 09:00:00 +08:00 Sat","dropped":true,"calendar":"cn","day":"Spring Festival"},` +
		`{"at":"2030-02-03T01:00:00.000Z","local":"2030-02-03 09:00:00 +08:00 Sun","dropped":true,"calendar":"office"},` +
		`{"at":"2030-02-09T01:00:00.000Z","local":"2030-02-09 09:00:00 +08:00 Sat","named":"2030-02-04T01:00:00.000Z","calendar":"cn"},` +
		`{"at":"2030-02-10T01:03:12.000Z","local":"2030-02-10 09:03:12 +08:00 Sun","named":"2030-02-10T01:00:00.000Z"}],` +
		`"zone":"Asia/Shanghai","sentence":"At 09:00 (Asia/Shanghai)","warnings":["calendar cn ends on 2030-12-31"],"more":false}`

	closed = `{"firings":[` + shut + `,` + shut + `,` + shut + `,` + shut + `,` + shut + `,` + shut + `],"zone":"Asia/Shanghai","sentence":"At 09:00 (Asia/Shanghai)","more":true}`
	shut   = `{"at":"2030-02-02T01:00:00.000Z","local":"2030-02-02 09:00:00 +08:00 Sat","dropped":true,"calendar":"cn","day":"Spring Festival"}`

	office = `{"namespace":"default","key":"office","title":"Our office","rules":{"mode":"exclude","weekdays":["SAT","SUN"],` +
		`"dates":[{"date":"2030-01-01","name":"New Year"}],"ranges":[{"from":"2030-02-02","to":"2030-02-08","name":"Spring Festival"}],` +
		`"yearly":[{"rule":"12-25","name":"Christmas"}],"except":[{"date":"2030-02-09","name":"makes up for the festival"}],` +
		`"known_until":"2030-12-31","source":"the office"},"version":3,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-02T00:00:00.000Z"}`
	mondays = `{"namespace":"default","key":"mondays","rules":{"mode":"only","weekdays":["MON"]},"version":1,` +
		`"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-02T00:00:00.000Z"}`
	open = `{"namespace":"default","key":"open","rules":{},"version":1,"created_at":"2030-01-01T00:00:00.000Z","updated_at":"2030-01-02T00:00:00.000Z"}`

	paused = `{"key":"all","reason":"moving the database","from":"2030-01-31T01:00:00.000Z","active":true,"created_at":"2030-01-31T01:00:00.000Z"}`
	weekly = `{"key":"weekly","namespace":"team","groups":["billing","desk"],"from":"2030-01-31T01:00:00.000Z","until":"2031-01-31T01:00:00.000Z",` +
		`"window":{"cron":"0 0 2 ? * SUN","zone":"Europe/Berlin","for":"3h0m0s"},"active":false,"begins_at":"2030-02-03T01:00:00.000Z",` +
		`"created_at":"2030-01-31T01:00:00.000Z"}`
	brief = `{"key":"billing","groups":["billing"],"from":"2030-01-31T01:00:00.000Z","until":"2030-01-31T03:00:00.000Z","active":true,` +
		`"ends_at":"2030-01-31T03:00:00.000Z","created_at":"2030-01-31T01:00:00.000Z"}`
	past = `{"key":"past","from":"2029-01-31T01:00:00.000Z","until":"2029-01-31T03:00:00.000Z","active":false,"created_at":"2029-01-31T01:00:00.000Z"}`

	plan = `{"id":"0","job_id":7,"job_key":"report","namespace":"default","from":"2029-12-31T23:00:00.000Z","to":"2030-01-03T23:00:00.000Z","slots":3,` +
		`"first":"2030-01-01T01:30:00.000Z","last":"2030-01-03T01:30:00.000Z","parallel":2,"spacing":"2s","skip_succeeded":true,"state":"running",` +
		`"made":0,"skipped":0,"succeeded":0,"failed":0}`
	begun = `{"id":"12","job_id":7,"job_key":"report","namespace":"default","from":"2029-12-31T23:00:00.000Z","to":"2030-01-03T23:00:00.000Z","slots":3,` +
		`"first":"2030-01-01T01:30:00.000Z","last":"2030-01-03T01:30:00.000Z","parallel":2,"state":"running","made":2,"skipped":0,"succeeded":1,"failed":0,` +
		`"created_at":"2030-01-31T01:00:00.000Z"}`
	done = `{"id":"12","job_id":7,"job_key":"report","namespace":"default","from":"2029-12-31T23:00:00.000Z","to":"2030-01-03T23:00:00.000Z","slots":3,` +
		`"first":"2030-01-01T01:30:00.000Z","last":"2030-01-03T01:30:00.000Z","parallel":2,"state":"finished","made":2,"skipped":1,"succeeded":2,"failed":0,` +
		`"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:00:04.000Z"}`
	broke = `{"id":"12","job_id":7,"from":"2029-12-31T23:00:00.000Z","to":"2030-01-03T23:00:00.000Z","slots":3,` +
		`"first":"2030-01-01T01:30:00.000Z","last":"2030-01-03T01:30:00.000Z","parallel":1,"param":"x y","spacing":"2s","skip_succeeded":true,"state":"finished",` +
		`"made":3,"skipped":0,"succeeded":2,"failed":1,"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:01:00.000Z"}`
	dropped = `{"id":"12","job_id":7,"job_key":"report","namespace":"default","from":"2029-12-31T23:00:00.000Z","to":"2030-01-03T23:00:00.000Z","slots":3,` +
		`"first":"2030-01-01T01:30:00.000Z","last":"2030-01-03T01:30:00.000Z","parallel":1,"state":"cancelled","reason":"wrong dates",` +
		`"made":1,"skipped":0,"succeeded":1,"failed":0,"created_at":"2030-01-31T01:00:00.000Z","ended_at":"2030-01-31T01:01:00.000Z"}`

	backfilled = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"backfill","cause_id":"12",` +
		`"state":"planned","final":false,"tries":0,"created_at":"2030-01-31T01:30:00.000Z"}`
	slotless = `{"id":"1152921504606846976","job_id":7,"job_key":"report","cause":"manual","state":"planned","final":false,"tries":0,` +
		`"created_at":"2030-01-31T01:30:00.000Z"}`
)

// TestTimeCommands compares what the commands about schedules, calendars, pauses
// and backfills show and send with golden files.
func TestTimeCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const create, handler = "job create x --group desk ", " --handler h"
	made := answers{"POST /jobs": {"201 " + trade}}
	const days = " --from 2030-01-01 --to 2030-01-04T00:00"
	berlin := answers{"GET /jobs/report": {"200 " + report}, "POST /jobs/report/backfills": {"200 " + plan, "201 " + begun}}
	with := func(one, answer string, more ...string) answers {
		all := answers{one: append([]string{answer}, more...)}
		for name, said := range berlin {
			all[name] = append([]string{}, said...)
		}
		return all
	}
	for _, c := range []struct {
		name    string
		args    string // split at blanks; ~ stands for a blank inside
		answers answers
	}{
		{
			"when-daily", create + "--daily 09:00-18:00~MON-FRI~every~5m --zone Asia/Shanghai --from 2030-01-01 --until 2031-01-01T08:00:00+08:00 --count 10 " +
				"--jitter 5m --calendar cn --calendar office --excluded shift --misfire fire-all --misfire-threshold 10s --misfire-window 6h --misfire-max 50 " +
				"--misfire-spacing 2s --stop-after 5 --enable" + handler, made,
		},
		{"when-after", create + "--after 10m --enable" + handler, answers{"POST /jobs": {"201 " + follow}}},
		{"when-in", create + "--in 10m" + handler, answers{"POST /jobs": {"201 " + later}}},
		{"when-at-clock", create + "--at 2030-01-31~08:00 --zone Asia/Shanghai" + handler, answers{"POST /jobs": {"201 " + later}}},
		{
			"when-several", create + "--every 1h --cron 0~0~18~?~*~MON-THU --cron 0~0~16~?~*~FRI --daily 01:00-02:00~every~30m --at 2030-01-01 --zone Europe/Berlin --dst quartz" + handler,
			answers{"POST /jobs": {"201 " + several}},
		},
		{"when-wrong-member", create + "--every 1h --cron 0~0~25~*~*~?" + handler, nil},
		{"when-wrong-daily", create + "--daily 09:00-18:00~SOMEDAY~every~5m" + handler, nil},
		{"when-wrong-member-by-server", create + "--every 1h --cron 0~0~18~*~*~?" + handler, answers{
			"POST /jobs": {`422 {"code":"invalid","detail":"never fires","field":"schedule.of[1].cron"}`},
		}},
		{"time-job-list", "job list", answers{"GET /jobs": {`200 {"jobs":[` + follow + `,` + later + `,` + several + `,` + trade + `,` + under + `]}`}}},
		{"time-job-show", "job show trade", answers{"GET /jobs/trade": {"200 " + trade}, "GET /jobs/trade/firings": {"200 " + firings}}},
		{"time-job-show-ended", "job show several", answers{"GET /jobs/several": {"200 " + several}}},
		{"time-job-start-after", "job enable follow", answers{"POST /jobs/follow/start": {"200 " + follow}}},
		{"job-next", "job next trade --count 5 --from 2030-01-31T08:00:00+08:00", answers{"GET /jobs/trade/firings": {"200 " + firings}}},
		{"job-next-clock", "job next trade --from 2030-01-31 --lang zh -o json", answers{
			"GET /jobs/trade": {"200 " + trade}, "GET /jobs/trade/firings": {"200 " + firings},
		}},
		{"job-next-dropped", "job next trade --count 6", answers{"GET /jobs/trade/firings": {"200 " + closed}}},
		{"time-job-show-dropped", "job show trade", answers{"GET /jobs/trade": {"200 " + trade}, "GET /jobs/trade/firings": {"200 " + closed}}},
		{"job-next-none", "job next by-hand", answers{"GET /jobs/by-hand/firings": {`200 {"firings":[],"zone":"UTC","sentence":"Only when triggered","more":false}`}}},
		{"trigger-slot", "job trigger report --planned-at 2030-01-31~02:30 --delay 10m", answers{
			"GET /jobs/report": {"200 " + report}, "POST /jobs/report/trigger": {"201 " + planned},
		}},
		{"run-list-slotless", "run list", answers{"GET /runs": {`200 {"runs":[` + slotless + `,` + backfilled + `]}`}}},
		{"run-show-slotless", "run show " + runID, answers{"GET /runs/" + runID: {"200 " + slotless}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`}}},
		{"run-show-backfill", "run show " + runID, answers{"GET /runs/" + runID: {"200 " + backfilled}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`}}},

		{"calendar-list", "calendar list", answers{"GET /calendars": {`200 {"calendars":[` + mondays + `,` + office + `,` + open + `]}`}}},
		{"calendar-list-none", "calendar list", answers{"GET /calendars": {`200 {"calendars":[]}`}}},
		{"calendar-list-none-json", "calendar list -o json", answers{"GET /calendars": {`200 {"calendars":[]}`}}},
		{"calendar-show", "calendar show office --year 2030", answers{"GET /calendars/office": {"200 " + office}}},
		{"calendar-show-beyond", "calendar show office --year 2031", answers{"GET /calendars/office": {"200 " + office}}},
		{"calendar-show-only", "calendar show mondays --year 2030", answers{"GET /calendars/mondays": {"200 " + mondays}}},
		{"calendar-show-json", "calendar show office -o json", answers{"GET /calendars/office": {"200 " + office}}},
		{"calendar-save-builtin", "calendar save office --builtin cn --title Our~office", answers{"PUT /calendars/office": {`200 {"calendar":` + office + `,"warnings":["line 3: left out"]}`}}},
		{"calendar-save-csv", "calendar save office --file testdata/office.csv --no-weekends", answers{"PUT /calendars/office": {`201 {"calendar":` + office + `}`}}},
		{"calendar-save-rules", "calendar save office --file testdata/office.json -o json", answers{"PUT /calendars/office": {`201 {"calendar":` + office + `}`}}},
		{"calendar-save-wrong", "calendar save office --file testdata/office.ics", answers{
			"PUT /calendars/office": {`422 {"code":"invalid","detail":"line 7: the date is none","field":"text"}`},
		}},
		{"calendar-delete", "calendar delete office --yes", answers{"DELETE /calendars/office": {"204 "}}},
		{"calendar-delete-used", "calendar rm office --yes", answers{"DELETE /calendars/office": {`409 {"code":"conflict","detail":"the jobs trade and report name the calendar"}`}}},
		{"calendar-builtin", "calendar builtin", answers{"GET /shipped-calendars": {
			`200 {"calendars":[{"key":"cn","title":"China","first_year":2024,"last_year":2026,"source":"chinese-days 1.5.7"}]}`,
		}}},

		{"pause-list", "pause list", answers{"GET /pauses": {`200 {"pauses":[` + paused + `,` + brief + `,` + past + `,` + weekly + `]}`}}},
		{"pause-list-everywhere", "pause list -A", answers{"GET /pauses": {`200 {"pauses":[` + paused + `,` + brief + `,` + past + `,` + weekly + `]}`}}},
		{"pause-list-one", "pause list -n other", answers{"GET /pauses": {`200 {"pauses":[` + paused + `,` + brief + `,` + past + `,` + weekly + `]}`}}},
		{"pause-list-names", "pause list -A -o name", answers{"GET /pauses": {`200 {"pauses":[` + paused + `,` + weekly + `]}`}}},
		{"pause-list-none", "pause list", answers{"GET /pauses": {`200 {"pauses":[]}`}}},
		{"pause-list-none-json", "pause list -o json", answers{"GET /pauses": {`200 {"pauses":[]}`}}},
		{"pause-all", "pause --reason moving~the~database", answers{"PUT /pauses/all": {"200 " + paused}}},
		{"pause-until", "pause billing --group billing --from 2030-01-31~09:00 --until 2030-01-31T11:00", answers{"PUT /pauses/billing": {"200 " + brief}}},
		{"pause-for", "pause billing --group billing --from 2030-01-31T09:00:00+08:00 --for 2h -o json", answers{"PUT /pauses/billing": {"200 " + brief}}},
		{
			"pause-window", "pause weekly --namespace team --group billing --group desk --cron 0~0~2~?~*~SUN --zone Europe/Berlin --for 3h --until 2031-01-31",
			answers{"PUT /pauses/weekly": {"200 " + weekly}},
		},
		{"pause-window-wrong", "pause weekly --cron 0~0~2~*~*~SUN --for 3h", nil},
		{"resume", "resume", answers{"DELETE /pauses/all": {"204 "}}},
		{"resume-missing", "resume billing", answers{"DELETE /pauses/billing": {`404 {"code":"not_found","detail":"there is no pause \"billing\""}`}}},

		{"backfill-dry-run", "job backfill report --dry-run --max 3 --parallel 2 --spacing 2s --skip-succeeded" + days, berlin},
		{"backfill-run", "job backfill report --yes --param x~y --parallel 2" + days, with("GET /backfills/12", "200 "+begun, append(slices.Repeat([]string{"503 {}"}, 2*tries), "200 "+done)...)},
		{"backfill-run-json", "job backfill report --yes -o json --from 2030-01-01T00:00:00Z --to 2030-01-04T00:00:00Z", with("GET /backfills/12", "200 "+done)},
		{"backfill-run-failed", "job backfill report --yes" + days, with("GET /backfills/12", "200 "+broke)},
		{"backfill-run-cancelled", "job backfill report --yes" + days, with("GET /backfills/12", "200 "+dropped)},
		{"backfill-run-gone", "job backfill report --yes" + days, with("GET /backfills/12", `404 {"code":"not_found","detail":"there is no backfill 12"}`)},
		{"backfill-detach", "job backfill report --yes --detach" + days, with("GET /backfills/12", "200 "+done)},
		{"backfill-too-many", "job backfill report --yes" + days, answers{"GET /jobs/report": {"200 " + report}, "POST /jobs/report/backfills": {
			`422 {"code":"invalid","detail":"there are 40000 slots","hint":"name max","field":"max"}`,
		}}},
		{"backfill-list", "backfill list --job report", answers{"GET /backfills": {`200 {"backfills":[` + begun + `],"next":"12"}`, `200 {"backfills":[` + dropped + `,` + broke + `]}`}}},
		{"backfill-list-none", "backfill list", answers{"GET /backfills": {`200 {"backfills":[]}`}}},
		{"backfill-show", "backfill show 12", answers{"GET /backfills/12": {"200 " + broke}}},
		{"backfill-show-json", "backfill show 12 -o json", answers{"GET /backfills/12": {"200 " + done}}},
		{"backfill-cancel", "backfill cancel 12 --reason wrong~dates", answers{"POST /backfills/12/cancel": {"200 " + dropped}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// TestWrongTimes refuses what cannot be meant before a server is asked.
func TestWrongTimes(t *testing.T) {
	t.Parallel()
	const create, handler, every = "job create x --group g ", " --handler h", "job create x --group g --handler h --every 5s "
	for line, want := range map[string]string{
		create + "--after 5s --every 5s" + handler:                                   "--every and --after are mutually exclusive: only --cron",
		create + "--after 5s --in 5s" + handler:                                      "--after and --in are mutually exclusive",
		create + "--after 1ms" + handler:                                             "--after: must be at least 100ms, got 1ms",
		create + "--after 0s" + handler:                                              "--after: must be at least 100ms, got 0s",
		create + "--in -5s" + handler:                                                "--in: must be at least 1ms, got -5s",
		create + "--in 0s" + handler:                                                 "--in: must be at least 1ms, got 0s",
		create + "--manual --count 5" + handler:                                      "--count cannot be combined with --manual",
		create + "--manual --calendar cn" + handler:                                  "--calendar cannot be combined with --manual",
		create + "--every 5s --dst wall" + handler:                                   "--dst requires --cron or --daily",
		create + "--every 5s --excluded shift" + handler:                             "--excluded requires --calendar",
		create + "--daily 9-18~every~5m" + handler:                                   "--daily: ",
		create + "--cron @daily --zone Mars" + handler:                               "--zone: unknown time zone",
		every + "--from 2030-01-31 --until 2030-01-31":                               "--until: must be after --from",
		every + "--from soon":                                                        `--from: "soon" is not a time`,
		every + "--until 2030-13-31":                                                 `--until: "2030-13-31" is not a time`,
		every + "--from 2026-03-29T02:30 --zone Europe/Paris":                        "2026-03-29T02:30 does not exist in Europe/Paris",
		every + "--count 0":                                                          "--count: must be between 1 and",
		every + "--count 1000000001":                                                 "--count: must be between",
		every + "--jitter 25h":                                                       "--jitter: must be between 1ms and 24h, got 25h0m0s",
		every + "--jitter 0s":                                                        "--jitter: must be between",
		every + "--stop-after 0":                                                     "--stop-after: must be between 1 and 1000, got 0",
		every + "--misfire-max 5":                                                    "--misfire-max requires --misfire fire-all",
		every + "--misfire fire-once --misfire-window 5h":                            "--misfire-window requires --misfire fire-all",
		every + "--misfire-spacing 1s":                                               "--misfire-spacing requires",
		every + "--misfire fire-all --misfire-max 10001":                             "--misfire-max: must be between 1 and 10000, got 10001",
		every + "--misfire fire-all --misfire-window 0s":                             "--misfire-window: must be at least 1ms, got 0s",
		every + "--misfire fire-all --misfire-spacing 2h":                            "--misfire-spacing: must be between 0 and 1h, got 2h0m0s",
		every + "--misfire-threshold 25h":                                            "--misfire-threshold: must be between 1ms and 24h, got 25h0m0s",
		every + "--calendar a --calendar a":                                          "--calendar: ",
		every + "--every 1s --every 200000d":                                         `--every: "200000d" is not a duration`,
		"job next":                                                                   "KEY is required: orth job next KEY",
		"job next x --count 0":                                                       "--count: must be between 1 and 1000, got 0",
		"job next x --count 1001":                                                    "--count: must be between 1 and 1000, got 1001",
		"job next x --lang de":                                                       "must be one of en, zh",
		"job trigger x --delay -1s":                                                  "--delay: must be between 0 and 720h, got -1s",
		"job trigger x --delay 721h":                                                 "--delay: must be between 0 and 720h, got 721h0m0s",
		"calendar save x":                                                            "one of --builtin or --file",
		"calendar save x --builtin cn --file y.ics":                                  "--builtin and --file are mutually exclusive",
		"calendar save x --builtin=":                                                 "--builtin: the key must not be empty",
		"calendar save x --file y.txt":                                               `--file: "y.txt" must end in`,
		"calendar save x --file y.json --no-weekends":                                "--no-weekends is not allowed with a .json file",
		"calendar show x --year 1969":                                                "--year: must be between 1970 and 2126, got 1969",
		"pause a b":                                                                  "too many arguments: orth pause [KEY]",
		"pause --for 0s":                                                             "--for: must be at least 1s, got 0s",
		"pause --for 2h --until 2030-01-31":                                          "--for and --until are mutually exclusive",
		"pause --cron @daily":                                                        "--cron requires --for",
		"pause --zone UTC":                                                           "--zone requires --cron",
		"pause --zone Mars --from 2030-01-31":                                        "--zone: unknown time zone",
		"pause --until 2020-01-31":                                                   "--until: must be after the start of the pause",
		"pause --from 2030-01-31 --until 2030-01-30":                                 "--until: must be after the start of the pause, 2030-01-31T00:00:00+08:00",
		"pause --from soon":                                                          `--from: "soon" is not a time`,
		"pause --cron @daily --for 1h --zone Mars":                                   "--zone: unknown time zone",
		"job backfill x --yes":                                                       "--from is required",
		"job backfill x --yes --from 2030-01-01":                                     "--to is required",
		"job backfill x --from 2030-01-01 --to 2030-01-02":                           "standard input is not a terminal, so confirmation is impossible: check with --dry-run, then add --yes",
		"job backfill x --yes --from 2030-01-01 --to 2030-01-02 --max 0":             "--max: must be between 1 and 100000, got 0",
		"job backfill x --yes --from 2030-01-01 --to 2030-01-02 --parallel 65":       "--parallel: must be between 1 and 64, got 65",
		"job backfill x --yes --from 2030-01-01 --to 2030-01-02 --spacing -1s":       "--spacing: must not be negative, got -1s",
		"job backfill x --yes --from 2030-01-02T00:00:00Z --to 2030-01-01T00:00:00Z": "--to: must be after --from",
		"backfill show last":                                                         `ID: "last" is not an id of a backfill`,
		"backfill cancel 0":                                                          `ID: "0" is not an id of a backfill`,
		"backfill list --limit 0":                                                    "--limit: must be at least 1, got 0",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			wrong(t, line, want)
		})
	}
}
