package cli_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// secretAnswer is a secret as servers tell of it.
const secretAnswer = `{"id":3,"namespace":"default","key":"billing-api","title":"Billing","groups":["billing","ci"],"version":2,"created_by":"ada","updated_by":"bob",` +
	`"created_at":"2030-01-31T01:30:00.000Z","updated_at":"2030-01-31T02:30:00.000Z","replaced_at":"2030-01-31T02:30:00.000Z"`

// TestGoldenSecret is about named secrets.
func TestGoldenSecret(t *testing.T) {
	t.Parallel()
	type answers = map[string][]string
	const (
		one  = secretAnswer + `}`
		used = `{"id":4,"namespace":"default","key":"wide","version":1,"created_by":"system","updated_by":"system","created_at":"2030-01-31T01:30:00.000Z",` +
			`"updated_at":"2030-01-31T01:30:00.000Z","replaced_at":"2030-01-31T01:30:00.000Z","used_at":"2030-01-31T02:31:00.000Z"}`
		needed = `409 {"code":"conflict","detail":"secret billing-api is needed by jobs: report, sync","hint":"change these jobs first, or force it: then their runs fail"}`
	)
	list := answers{"GET /secrets": {`200 {"secrets":[` + one + `,` + used + `]}`}}
	jobs := func(more string) answers {
		return answers{"GET /secrets/billing-api/jobs": {`200 {"jobs":[{"namespace":"default","key":"report","group":"billing","field":"param"},` +
			`{"namespace":"default","key":"sync","group":"ci","field":"labels.token"}]` + more + `}`}}
	}
	for _, c := range []struct {
		name, args string
		answers    answers
	}{
		{"secret-list", "secret list", list},
		{"secret-list-json", "secret ls -o json", list},
		{"secret-list-none", "secret list", answers{"GET /secrets": {`200 {"secrets":[]}`}}},
		{"secret-show", "secret show billing-api", answers{"GET /secrets/billing-api": {"200 " + one}}},
		{"secret-show-used", "secret show wide", answers{"GET /secrets/wide": {"200 " + used}}},
		{"secret-set-no-terminal", "secret set billing-api", answers{"GET /secrets/billing-api": {"200 " + one}}},
		{"secret-set-title", "secret set billing-api --title New", answers{"GET /secrets/billing-api": {"200 " + one}, "PATCH /secrets/billing-api": {"200 " + one}}},
		{"secret-set-odd-groups", "secret set billing-api --group a --all-groups", nil},
		{"secret-set-no-file", "secret set new --from-file /nonexistent/file", nil},
		{"secret-set-argument", "secret set new hunter2-hunter2", nil},
		{"secret-delete", "secret delete billing-api --yes", answers{"DELETE /secrets/billing-api": {"204 "}}},
		{"secret-delete-needed", "secret rm billing-api --yes", answers{"DELETE /secrets/billing-api": {needed}}},
		{"secret-plan", "plan -f testdata/code/secret.yaml", list},
		{"secret-plan-json", "plan -f testdata/code/secret.yaml -o json", list},
		{"secret-plan-old-server", "plan -f testdata/code/secret.yaml", nil},
		{"secret-usage", "secret usage billing-api", jobs("")},
		{"secret-usage-more", "secret usage billing-api", jobs(`,"more":true`)},
		{"secret-usage-json", "secret usage billing-api -o json", jobs("")},
		{"secret-usage-none", "secret usage billing-api", answers{"GET /secrets/billing-api/jobs": {`200 {"jobs":[]}`}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			golden(t, c.name, c.args, c.answers)
		})
	}
}

// A value travels from a file, or standard input, into the body of a request, and to no
// other place.
func TestSecretValue(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte("line 1 of it\nline 2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const get = "GET /api/v1/secrets/billing-api?namespace=default"
	for _, test := range []struct {
		args, stdin string
		exists      bool
		want        string // the last request
	}{
		{"secret set billing-api --from-file -", "hush-hush\n", false, `POST /api/v1/secrets?namespace=default {"key":"billing-api","value":"hush-hush"}`},
		{
			"secret set billing-api --group b --title T --from-file " + file, "", false,
			`POST /api/v1/secrets?namespace=default {"key":"billing-api","title":"T","groups":["b"],"value":"line 1 of it\nline 2"}`,
		},
		{"secret set billing-api --from-file -", "hush-hush\r\n", true, `PATCH /api/v1/secrets/billing-api?namespace=default {"value":"hush-hush"}`},
		{"secret set billing-api --all-groups --force --if-version 2", "", true, `PATCH /api/v1/secrets/billing-api?namespace=default {"groups":[],"version":2,"force":true}`},
		{"secret set billing-api --from-file -", "\n", true, get},
		{"secret set billing-api --if-version 2 --from-file -", "hush-hush", false, get},
		{"secret delete billing-api --yes --force", "", true, "DELETE /api/v1/secrets/billing-api?force=true&namespace=default"},
	} {
		answers := map[string][]string{
			"POST /secrets": {"201 " + secretAnswer + "}"}, "PATCH /secrets/billing-api": {"200 " + secretAnswer + "}"}, "DELETE /secrets/billing-api": {"204 "},
		}
		if test.exists {
			answers["GET /secrets/billing-api"] = []string{"200 " + secretAnswer + "}"}
		}
		f := newFake(t, answers)
		var said strings.Builder
		cli.Execute(t.Context(), strings.Fields(test.args), kit.Config{
			Stdout: &said, Stderr: &said, Stdin: strings.NewReader(test.stdin), Version: "1.2.3",
			Getenv: func(name string) string { return f.env()[name] },
		})
		f.mu.Lock()
		requests := slices.Clone(f.requests)
		f.mu.Unlock()
		if len(requests) == 0 || requests[len(requests)-1] != test.want {
			t.Errorf("%s asked %q, want %s", test.args, requests, test.want)
		}
		if strings.Contains(said.String(), "hush") {
			t.Errorf("%s shows the value: %s", test.args, said.String())
		}
	}
}
