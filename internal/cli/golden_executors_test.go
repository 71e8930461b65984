package cli_test

import "testing"

// TestGoldenExecutors is about the executors of groups and their addresses.
func TestGoldenExecutors(t *testing.T) {
	t.Parallel()
	const times = `"lease_until":"2030-01-31T01:31:30.000Z","registered_at":"2030-01-30T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z"`
	const rules = `{"rules":[{"from":"http://172.17.","to":"http://gateway:{port}"},{"from":"10.0.0.0/8","to":"http://ten"}]}`
	type answers = map[string][]string
	const byHand = `{"group":"reports","address":"http://10.0.0.5:9999","manual":true,"registered_at":"2030-01-30T01:30:00.000Z","seen_at":"2030-01-31T01:30:00.000Z"`
	const facts = `200 {"namespace":"default","group":"reports","address":"http://10.0.0.5:9999","kind":"solana","at":"2030-01-31T01:30:00.000Z",` +
		`"facts":{"slot":417,"queue":{"dead":2},"threads":[]}}`
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"executors-states", "executors", answers{"GET /executors": {`200 {"executors":[` +
			`{"group":"reports","address":"http://10.0.0.1:9999","started_at":"2030-01-30T01:30:00.000Z","incarnation":"f00d",` +
			`"load":{"running":3,"waiting":7},` + times + `},` +
			`{"group":"reports","address":"http://172.17.0.2:9999","unreachable":"dial tcp 172.17.0.2:9999: i/o timeout",` + times + `},` +
			`{"group":"reports","address":"http://gateway:9999","registered_as":"http://172.17.0.3:9999","dialect":"xxl-job-3","dialect_by":"seen",` + times + `},` +
			`{"group":"reports","address":"http://10.0.0.4:9999","trouble":"another executor registers this address too",` + times + `},` +
			byHand + `,"unreachable":"connection refused"}]}`}}},
		{"executors-namespaces", "executors", answers{"GET /executors": {`200 {"executors":[` +
			`{"namespace":"default","group":"reports","address":"http://10.0.0.1:9999",` + times + `},` +
			`{"namespace":"team-a","group":"edge","address":"http://10.0.0.2:9999","unreachable":"connection refused",` + times + `}]}`}}},
		{"executors-one-namespace", "executors --namespace team-a", answers{"GET /executors": {`200 {"executors":[` +
			`{"namespace":"team-a","group":"edge","address":"http://10.0.0.2:9999",` + times + `}]}`}}},
		{"executors-by-hand", "executors", answers{"GET /executors": {`200 {"executors":[` + byHand + `},` + byHand + `,"unreachable":"it said farewell"}]}`}}},
		{"executors-kind", "executors --kind solana -o json", answers{"GET /executors": {`200 {"executors":[` +
			`{"namespace":"default","group":"reports","address":"http://10.0.0.1:9999","kind":"solana","facts_at":"2030-01-31T01:30:00.000Z",` + times + `}]}`}}},
		{"executors-facts", "executors facts reports http://10.0.0.5:9999", answers{"GET /groups/reports/addresses/facts": {facts}}},
		{"executors-facts-json", "executors facts reports http://10.0.0.5:9999 -o json", answers{"GET /groups/reports/addresses/facts": {facts}}},
		{"executors-facts-none", "executors facts reports http://10.0.0.6:9999", answers{"GET /groups/reports/addresses/facts": {
			`404 {"code":"not_found","detail":"no executor at http://10.0.0.6:9999 in group reports has told about itself"}`,
		}}},
		{"executors-facts-few", "executors facts reports", nil},
		{"executors-add", "executors add reports http://10.0.0.5:9999", answers{"POST /groups/reports/addresses": {"201 " + byHand + "}"}}},
		{"executors-add-silent", "executors add reports http://10.0.0.5:9999", answers{
			"POST /groups/reports/addresses": {"201 " + byHand + `,"unreachable":"connection refused"}`},
		}},
		{"executors-add-wrong", "executors add reports 10.0.0.5", answers{"POST /groups/reports/addresses": {
			`422 {"code":"invalid","detail":"address \"10.0.0.5\" is no base URL of an executor"}`,
		}}},
		{"executors-add-dialect", "executors add reports http://10.0.0.5:9999 --dialect xxl-job-3.5", answers{
			"POST /groups/reports/addresses": {"201 " + byHand + `,"dialect":"xxl-job-3.5","dialect_by":"set"}`},
		}},
		{"executors-add-dialect-unknown", "executors add reports http://10.0.0.5:9999 --dialect klingon", nil},
		{"executors-dialect", "executors dialect reports http://10.0.0.5:9999 orth-java", answers{
			"PUT /groups/reports/addresses/dialect": {"200 " + byHand + `,"dialect":"orth-java","dialect_by":"set"}`},
		}},
		{"executors-dialect-auto", "executors dialect reports http://10.0.0.5:9999 auto", answers{
			"PUT /groups/reports/addresses/dialect": {"200 " + byHand + `}`},
		}},
		{"executors-dialect-missing", "executors dialect reports http://10.0.0.5:9999 xxl-job", answers{
			"PUT /groups/reports/addresses/dialect": {`404 {"code":"not_found","detail":"group reports has no executor at http://10.0.0.5:9999"}`},
		}},
		{"executors-dialect-unknown", "executors dialect reports http://10.0.0.5:9999 klingon", nil},
		{"executors-dialect-few", "executors dialect reports http://10.0.0.5:9999", nil},
		{"executors-add-few", "executors add reports", nil},
		{"executors-remove", "executors remove reports http://10.0.0.5:9999", answers{"DELETE /groups/reports/addresses": {"204 "}}},
		{"executors-remove-json", "executors rm reports http://10.0.0.5:9999 -o json", answers{"DELETE /groups/reports/addresses": {"204 "}}},
		{"executors-rewrite", "executors rewrite reports", answers{"GET /groups/reports/rewrites": {"200 " + rules}}},
		{"executors-rewrite-none", "executors rewrite reports", answers{"GET /groups/reports/rewrites": {`200 {"rules":[]}`}}},
		{"executors-rewrite-none-json", "executors rewrite reports -o json", answers{"GET /groups/reports/rewrites": {`200 {"rules":[]}`}}},
		{"executors-rewrite-add", "executors rewrite reports --from http://172.18. --to http://other", answers{
			"GET /groups/reports/rewrites": {"200 " + rules}, "PUT /groups/reports/rewrites": {"200 " + rules},
		}},
		{"executors-rewrite-change", "executors rewrite reports --from http://172.17. --to http://other", answers{
			"GET /groups/reports/rewrites": {"200 " + rules}, "PUT /groups/reports/rewrites": {"200 " + rules},
		}},
		{"executors-rewrite-remove", "executors rewrite reports --remove 10.0.0.0/8", answers{
			"GET /groups/reports/rewrites": {"200 " + rules}, "PUT /groups/reports/rewrites": {"200 " + rules},
		}},
		{"executors-rewrite-remove-missing", "executors rewrite reports --remove 11.0.0.0/8", answers{
			"GET /groups/reports/rewrites": {"200 " + rules},
		}},
		{"executors-rewrite-half", "executors rewrite reports --from http://172.17.", nil},
		{"executors-rewrite-both", "executors rewrite reports --from a --to b --remove c", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
