package cli_test

import "testing"

// TestGoldenGroup is about the tokens of groups.
func TestGoldenGroup(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const made = `"id":"7","label":"from November","created_at":"2030-01-31T01:30:00.000Z"`
	list := func(only, tokens string) answers {
		return answers{"GET /groups/reports/tokens": {`200 {"group":"reports","own_token_only":` + only + `,"tokens":[` + tokens + `]}`}}
	}
	const two = `{` + made + `},{"id":"8","created_at":"2030-01-31T01:30:00.000Z","last_used_at":"2030-01-31T01:31:00.000Z"}`
	add := answers{"POST /groups/reports/tokens": {`201 {` + made + `,"token":"orthg_shown-once"}`}}
	patch := func(only string) answers {
		return answers{"PATCH /groups/reports": {`200 {"group":"reports","own_token_only":` + only + `}`}}
	}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"group-token-add", "group token add reports --label November", add},
		{"group-token-add-json", "group token add reports -o json", add},
		{"group-token-add-full", "group token add reports", answers{"POST /groups/reports/tokens": {
			`503 {"code":"full","detail":"group reports has 10 tokens already, which is the most","hint":"remove one"}`,
		}}},
		{"group-token-list", "group token list reports", list("false", two)},
		{"group-token-list-json", "group token list reports -o json", list("false", two)},
		{"group-token-list-only", "group token ls reports", list("true", two)},
		{"group-token-list-none", "group token list reports", list("false", "")},
		{"group-token-list-shut", "group token list reports", list("true", "")},
		{"group-token-remove", "group token remove reports 7", answers{"DELETE /groups/reports/tokens/7": {"204 "}}},
		{"group-token-remove-json", "group token rm reports 7 -o json", answers{"DELETE /groups/reports/tokens/7": {"204 "}}},
		{"group-token-remove-odd", "group token remove reports November", nil},
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
