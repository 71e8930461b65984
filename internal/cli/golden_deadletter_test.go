package cli_test

import "testing"

const (
	deadOpen = `{"run_id":"1152921504606846976","job_id":7,"job_key":"report","namespace":"default","group":"reports","state":"timed_out","cause":"schedule",` +
		`"planned_at":"2030-01-31T01:30:00.000Z","tries":3,"ended_at":"2030-01-31T01:40:00.000Z","message":"too slow\nby far","reason":"gave up after 2 retries","status":"open"}`
	deadRedriven = `{"run_id":"12","job_id":8,"job_key":"ping","namespace":"default","group":"ops","state":"lost","cause":"manual","tries":1,` +
		`"ended_at":"2030-01-31T01:40:00.000Z","reason":"the executor is gone","status":"retried","redriven_run":"40"}`
	deadClosed = `{"run_id":"11","job_id":8,"job_key":"ping","namespace":"default","group":"ops","state":"failed","cause":"parent","tries":1,` +
		`"ended_at":"2030-01-31T01:40:00.000Z","message":"no","status":"closed","closed_at":"2030-01-31T02:00:00.000Z","closed_reason":"known","job_deleted":true}`
	redriven = `{"id":"1152921504606846990","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"redrive","cause_id":"1152921504606846976",` +
		`"state":"planned","final":false,"reason":"in the place of run 1152921504606846976, which timed out","tries":0,"created_at":"2030-01-31T03:30:00.000Z"}`
	deadRun = `{"id":"1152921504606846976","job_id":7,"job_key":"report","planned_at":"2030-01-31T01:30:00.000Z","cause":"schedule",` +
		`"state":"timed_out","final":true,"reason":"gave up after 2 retries","tries":3,"attempt_id":"99","created_at":"2030-01-31T01:30:00.000Z",` +
		`"ended_at":"2030-01-31T01:40:00.000Z","dead_letter":`
	settledSome = `{"done":1,"failed":1,"more":true,"letters":[{"run_id":"12","job_key":"ping","state":"failed","new_run":"40","ready_at":"2030-01-31T01:30:00.000Z"},` +
		`{"run_id":"13","error":{"title":"There is no such thing","status":404,"code":"not_found","detail":"run 13 is no dead letter"}}]}`
	settledDry  = `{"done":1,"failed":0,"letters":[{"run_id":"12","job_key":"ping","state":"timed_out","ready_at":"2030-01-31T01:30:00.000Z"}]}`
	settledNone = `{"done":0,"failed":0,"letters":[]}`
	settledShut = `{"done":2,"failed":0,"letters":[{"run_id":"12","job_key":"ping","state":"failed"},{"run_id":"13","job_key":"report","state":"lost"}]}`
)

// TestDeadLetterCommands compares what commands show and send of dead letters
// with golden files.
func TestDeadLetterCommands(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	list := answers{"GET /dead-letters": {`200 {"dead_letters":[` + deadOpen + `,` + deadRedriven + `,` + deadClosed + `]}`}}
	none := answers{"GET /dead-letters": {`200 {"dead_letters":[]}`}}
	many := func(verb, answer string) answers { return answers{"POST /dead-letters/" + verb: {"200 " + answer}} }
	run := func(letter string) answers {
		return answers{"GET /runs/" + runID: {"200 " + deadRun + letter + "}"}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`}}
	}
	for _, c := range []struct {
		name    string
		args    string // as in TestCommands
		answers answers
	}{
		{"dead-letter-list", "dead-letter list --status all", list},
		{"dead-letter-list-filter", "dead-letters ls --job report --group g --state timed-out --since 2030-01-31T08:00 --until 2030-02-01T00:00:00Z --text a~b --limit 2", list},
		{"dead-letter-list-namespace", "dead-letter list --namespace team", none},
		{"dead-letter-list-none", "dead-letter list --status all", none},
		{"dead-letter-list-json", "dead-letter list -o json", list},
		{"dead-letter-list-sorted", "dead-letter list --sort=-ended-at --limit 2", answers{"GET /dead-letters": {
			`200 {"dead_letters":[` + deadOpen + `],"after":"~-ended_at~7","since":"2030-01-31T01:30:00.000Z"}`,
			`200 {"dead_letters":[` + deadRedriven + `],"after":"~-ended_at~6","since":"2030-01-31T01:30:00.000Z"}`,
		}}},
		{"dead-letter-list-wrong-sort", "dead-letter list --sort reason", nil},
		{"dead-letter-list-wrong-time", "dead-letter list --since soon", nil},
		{"dead-letter-list-wrong-state", "dead-letter list --state succeeded", nil},
		{"dead-letter-list-wrong-limit", "dead-letter list --limit 0", nil},
		{"dead-letter-show", "dead-letter show " + runID, answers{"GET /dead-letters/" + runID: {"200 " + deadOpen}}},
		{"dead-letter-show-retried", "dead-letter show 12", answers{"GET /dead-letters/12": {"200 " + deadRedriven}}},
		{"dead-letter-show-closed", "dead-letter show 11", answers{"GET /dead-letters/11": {"200 " + deadClosed}}},
		{"dead-letter-show-json", "dead-letter show 11 -o json", answers{"GET /dead-letters/11": {"200 " + deadClosed}}},
		{"dead-letter-retry", "dead-letter retry " + runID, answers{"POST /dead-letters/" + runID + "/redrive": {"201 " + redriven}}},
		{"dead-letter-retry-param", "dead-letter retry " + runID + " --param a~b -o json", answers{"POST /dead-letters/" + runID + "/redrive": {"201 " + redriven}}},
		{"dead-letter-retry-twice", "dead-letter retry 12", answers{"POST /dead-letters/12/redrive": {
			`409 {"code":"conflict","detail":"run 12 was retried already, as run 40","hint":"look at run 40: if it ended badly too, it is a dead letter itself"}`,
		}}},
		{"dead-letter-retry-some", "dead-letter retry 12 13", many("redrive", settledSome)},
		{"dead-letter-retry-dry", "dead-letter retry 12 --dry-run", many("redrive", settledDry)},
		{"dead-letter-retry-all", "dead-letter retry --all --yes --job report --state lost --spacing 1s --limit 7 --param=", many("redrive", settledSome)},
		{"dead-letter-retry-all-json", "dead-letter retry --all --yes --spacing 0s -o json", many("redrive", settledSome)},
		{"dead-letter-retry-all-dry", "dead-letter retry --all --dry-run --text refused", many("redrive", settledDry)},
		{"dead-letter-retry-all-none", "dead-letter retry --all --yes", many("redrive", settledNone)},
		{"dead-letter-retry-all-unasked", "dead-letter retry --all", nil},
		{"dead-letter-retry-nothing", "dead-letter retry", nil},
		{"dead-letter-retry-both", "dead-letter retry 12 --all", nil},
		{"dead-letter-retry-filter-alone", "dead-letter retry --job report", nil},
		{"dead-letter-retry-wrong", "dead-letter retry last", nil},
		{"dead-letter-close", "dead-letter close 11 --reason known", answers{"POST /dead-letters/11/close": {"200 " + deadClosed}}},
		{"dead-letter-close-all", "dead-letter close --all --yes --until 2030-01-31 --reason known", many("close", settledShut)},
		{"dead-letter-close-dry", "dead-letter close --all --dry-run --job report", many("close", settledShut)},
		{"run-show-dead", "run show " + runID, run(`{"status":"open"}`)},
		{"run-show-dead-redriven", "run show " + runID, run(`{"status":"retried","redriven_run":"40"}`)},
		{"run-show-dead-closed", "run show " + runID, run(`{"status":"closed","closed_at":"2030-01-31T02:00:00.000Z"}`)},
		{"run-show-redrive", "run show " + runID, answers{"GET /runs/" + runID: {"200 " + redriven}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
