package cli_test

import "testing"

// TestGoldenUser is about users, grants and tokens.
func TestGoldenUser(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const (
		ada = `{"id":"3","name":"ada","kind":"user","title":"Ada L.","email":"ada@example.com","disabled":false,"must_change_password":true,"external":false,` +
			`"grants":[{"role":"operator","namespace":"default","group":"reports"},{"role":"scripter","namespace":"default","group":"reports"}],` +
			`"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z","seen_at":"2030-01-31T02:30:00.000Z"}`
		ci = `{"id":"4","name":"ci","kind":"service","disabled":true,"must_change_password":false,"external":false,"grants":[],` +
			`"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z"}`
		eva = `{"id":"5","name":"eva","kind":"user","disabled":false,"must_change_password":false,"external":true,"grants":[],` +
			`"provided":[{"role":"admin","namespace":"*","group":"*"}],"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T01:30:00.000Z"}`
		last = `409 {"code":"conflict","detail":"user admin is the last administrator of the whole server","hint":"grant another user admin first"}`
		one  = `{"id":"12","user":"ada","key":"0123456789","label":"laptop","created_at":"2030-01-31T01:30:00.000Z","expires_at":"2030-05-01T01:30:00.000Z",` +
			`"used_at":"2030-01-31T02:30:00.000Z","limits":[{"role":"viewer","namespace":"default","group":"*"}]`
		two = `{"id":"13","user":"ada","key":"abcdefghij","created_at":"2030-01-31T01:30:00.000Z"`
	)
	users := func() answers {
		return answers{"GET /users": {`200 {"users":[` + ada + `,` + ci + `],"next":"ci"}`, `200 {"users":[` + eva + `]}`}}
	}
	sessions := func() answers {
		return answers{"GET /users/ada/sessions": {`200 {"sessions":[{"id":"12","way":"password","address":"192.0.2.7","agent":"a browser",` +
			`"created_at":"2030-01-31T01:30:00.000Z","seen_at":"2030-01-31T02:30:00.000Z","ends_at":"2030-01-31T13:30:00.000Z","current":false}]}`}}
	}
	tokens := func(path string) answers {
		return answers{"GET " + path: {`200 {"tokens":[` + one + `},` + two + `}]}`}}
	}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"user-list", "user list", users()},
		{"user-list-wide", "user list -o wide", users()},
		{"user-list-json", "user ls -o json", users()},
		{"user-list-name", "user list -o name", users()},
		{"user-list-narrow", "user list --kind user --state must-change --role operator --in default --sort=-seen-at", answers{
			"GET /users": {`200 {"users":[` + ada + `],"next":"~-seen_at~7~ada"}`, `200 {"users":[` + eva + `]}`},
		}},
		{"user-list-odd-role", "user list --role root", nil},
		{"user-show", "user show ada", answers{"GET /users/ada": {"200 " + ada}}},
		{"user-show-external", "user show eva", answers{"GET /users/eva": {"200 " + eva}}},
		{"user-show-name", "user show ada -o name", answers{"GET /users/ada": {"200 " + ada}}},
		{"user-show-missing", "user show bob", answers{"GET /users/bob": {`404 {"code":"not_found","detail":"there is no user bob"}`}}},
		{"user-create", "user create ada --title Ada --grant operator@default/reports --grant viewer", answers{"POST /users": {"201 " + ada[:len(ada)-1] + `,"password":"shown-once-xyz"}`}}},
		{"user-create-json", "user create ada -o json", answers{"POST /users": {"201 " + ada[:len(ada)-1] + `,"password":"shown-once-xyz"}`}}},
		{"user-create-service", "user create ci --service", answers{"POST /users": {"201 " + ci}}},
		{"user-create-odd-grant", "user create ci --grant root@default", nil},
		{"user-create-taken", "user create ada", answers{"POST /users": {`409 {"code":"conflict","field":"name","detail":"there is a user ada already"}`}}},
		{"user-edit", "user edit ada --title= --email a@example.com", answers{"PATCH /users/ada": {"200 " + ada}}},
		{"user-edit-nothing", "user edit ada", nil},
		{"user-disable", "user disable ci", answers{"POST /users/ci/disable": {"200 " + ci}}},
		{"user-enable", "user enable ada -o json", answers{"POST /users/ada/enable": {"200 " + ada}}},
		{"user-delete", "user delete ci --yes", answers{"DELETE /users/ci": {"204 "}}},
		{"user-delete-last", "user rm admin --yes", answers{"DELETE /users/admin": {last}}},
		{"user-password-no-terminal", "user password ada", nil},
		{"user-grant", "user grant ada editor@default/reports admin", answers{"POST /grants": {
			`201 {"user":"ada","role":"editor","namespace":"default","group":"reports"}`, `201 {"user":"ada","role":"admin","namespace":"*","group":"*"}`,
		}}},
		{"user-grant-denied", "user grant ada admin", answers{"POST /grants": {`403 {"code":"forbidden","detail":"olga lacks the right of admin here","hint":"an administrator can"}`}}},
		{"user-grant-odd", "user grant ada editor@", nil},
		{"user-revoke", "user revoke ada editor@default -o json", answers{"DELETE /grants": {"204 "}}},
		{"user-grants", "user grants --in default --user ada", answers{"GET /grants": {
			`200 {"grants":[{"user":"ada","role":"editor","namespace":"default","group":"*"}],"next":"ada"}`,
			`200 {"grants":[{"user":"eva","role":"viewer","namespace":"default","group":"x","provided":true}]}`,
		}}},
		{"user-grants-server", "user grants --server-wide -o json", answers{"GET /grants": {`200 {"grants":[]}`}}},
		{"user-grants-both", "user grants --server-wide --in a", nil},
		{"user-roles", "user roles", answers{"GET /roles": {`200 {"roles":[{"role":"viewer","rights":["view"]},{"role":"operator","rights":["view","operate"]}]}`}}},
		{"user-sessions", "user sessions ada", sessions()},
		{"user-sessions-wide", "user sessions ada -o wide", sessions()},
		{"user-sessions-name", "user sessions ada -o name", sessions()},
		{"user-sessions-none", "user sessions ada", answers{"GET /users/ada/sessions": {`200 {"sessions":[]}`}}},
		{"user-end-session", "user end-session ada 12", answers{"DELETE /users/ada/sessions/12": {"204 "}}},
		{"user-end-session-gone", "user end-session ada 12", answers{"DELETE /users/ada/sessions/12": {`404 {"code":"not_found","detail":"the user has no session 12"}`}}},
		{"user-end-session-all", "user end-session ada --all -o json", answers{"DELETE /users/ada/sessions": {"204 "}}},
		{"user-end-session-odd", "user end-session ada laptop", nil},
		{"user-end-session-which", "user end-session ada", nil},
		{"user-end-session-both", "user end-session ada 12 --all", nil},
		{"token-list", "token list", tokens("/tokens")},
		{"token-list-user", "token list --user ada -o wide", tokens("/users/ada/tokens")},
		{"token-list-name", "token ls -o name", tokens("/tokens")},
		{"token-create", "token create --label laptop --scope viewer@default --expires 2030-05-01T01:30:00Z", answers{"POST /tokens": {"201 " + one + `,"token":"orth_0123456789shown-once"}`}}},
		{"token-create-user", "token create --user ada -o json", answers{"POST /users/ada/tokens": {"201 " + two + `,"token":"orth_abcdefghijshown-once"}`}}},
		{"token-create-both", "token create --expires-in 1h --expires 2030-05-01", nil},
		{"token-create-never", "token create --expires-in 0s", nil},
		{"token-create-odd", "token create --scope everything", nil},
		{"token-revoke", "token revoke 12 --yes", answers{"DELETE /tokens/12": {"204 "}}},
		{"token-revoke-user", "token revoke 12 --yes --user ada -o json", answers{"DELETE /users/ada/tokens/12": {"204 "}}},
		{"token-revoke-odd", "token revoke laptop --yes", nil},
		{"whoami", "whoami", answers{"GET /me": {`200 {"kind":"token","name":"ada","must_change_password":false,"grants":[{"role":"admin","namespace":"*","group":"*"}],"limits":[{"role":"viewer","namespace":"a","group":"*"}]}`}}},
		{"whoami-json", "whoami -o json", answers{"GET /me": {`200 {"kind":"user","name":"ada","must_change_password":true,"grants":[]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}
