package cli_test

import "testing"

// TestGoldenGroup is about the tokens of groups.
func TestGoldenGroup(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const made = `"id":"7","label":"from November","created_at":"2030-01-31T01:30:00.000Z","outbound":true,"executors":12`
	list := func(only, tokens string) answers {
		return answers{"GET /groups/reports/tokens": {`200 {"group":"reports","own_token_only":` + only + `,"tokens":[` + tokens + `]}`}}
	}
	const two = `{` + made + `},{"id":"8","created_at":"2030-01-31T01:30:00.000Z","last_used_at":"2030-01-31T01:31:00.000Z","outbound":true,"executors":0}`
	const shut = `{"id":"6","created_at":"2030-01-31T01:30:00.000Z","outbound":false,"executors":1}`
	add := answers{"POST /groups/reports/tokens": {`201 {` + made + `,"token":"orthg_shown-once"}`}}
	patch := func(only string) answers {
		return answers{"PATCH /groups/reports": {`200 {"group":"reports","own_token_only":` + only + `}`}}
	}
	handlers := answers{"GET /groups/reports/handlers": {
		`200 {"executors":3,"silent":2,"handlers":[{"kind":"shell","executors":1},{"kind":"named","name":"pay","executors":3},{"kind":"named","name":"report","executors":1}]}`,
	}}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"group-handlers", "group handlers reports", handlers},
		{"group-handlers-json", "group handlers reports -o json", handlers},
		{"group-handlers-name", "group handlers reports -o name", handlers},
		{"group-handlers-foreign", "group handlers reports", answers{"GET /groups/reports/handlers": {`200 {"executors":1,"silent":1,"handlers":[]}`}}},
		{"group-handlers-none", "group handlers reports", answers{"GET /groups/reports/handlers": {`200 {"executors":0,"silent":0,"handlers":[]}`}}},
		{"group-token-add", "group token add reports --label November", add},
		{"group-token-add-json", "group token add reports -o json", add},
		{"group-token-add-full", "group token add reports", answers{"POST /groups/reports/tokens": {
			`503 {"code":"full","detail":"group reports has 10 tokens already, which is the most","hint":"remove one"}`,
		}}},
		{"group-token-add-known", "group token add reports --label x", answers{"POST /groups/reports/tokens": {
			`422 {"code":"invalid","field":"token","detail":"is a well-known value that protects nothing"}`,
		}}},
		{"group-token-list", "group token list reports", list("false", two)},
		{"group-token-list-json", "group token list reports -o json", list("false", two)},
		{"group-token-list-unsealed", "group token list reports", list("false", shut+`,{`+made+`}`)},
		{"group-token-list-only", "group token ls reports", list("true", two)},
		{"group-token-list-none", "group token list reports", list("false", "")},
		{"group-token-list-shut", "group token list reports", list("true", "")},
		{"group-token-remove", "group token remove reports 7 --yes", answers{"DELETE /groups/reports/tokens/7": {"204 "}}},
		{"group-token-remove-json", "group token rm reports 7 --yes -o json", answers{"DELETE /groups/reports/tokens/7": {"204 "}}},
		{"group-token-remove-used", "group token remove reports 7 --yes", answers{"DELETE /groups/reports/tokens/7": {
			`409 {"code":"conflict","detail":"token 7 of group reports is still used: 12 executors do so","hint":"give them another one first, or force it"}`,
		}}},
		{"group-token-remove-force", "group token remove reports 7 --yes --force", answers{"DELETE /groups/reports/tokens/7": {"204 "}}},
		{"group-token-add-stdin", "group token add reports --stdin", add},
		{"group-token-add-both", "group token add reports --stdin --file x", add},
		{"group-token-add-file-missing", "group token add reports --file no/such/file", add},
		{"group-token-remove-odd", "group token remove reports November --yes", nil},
		{"group-edit", "group edit reports --own-token-only", patch("true")},
		{"group-edit-open", "group edit reports --own-token-only=false", patch("false")},
		{"group-edit-json", "group edit reports --own-token-only -o json", patch("true")},
		{"group-edit-nothing", "group edit reports", nil},
		{"group-edit-none", "group edit reports --own-token-only", answers{"PATCH /groups/reports": {
			`409 {"code":"conflict","detail":"group reports has no token of its own: all its executors would be refused","hint":"make one first"}`,
		}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
