package rest_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/orthd/orth/job"
)

func (f *fake) AddAddress(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	return job.Executor{
		Namespace: "team", Group: group, Address: address, Manual: true, RegisteredAt: instant, SeenAt: instant, Unreachable: "connection refused", Dialect: d,
	}, f.note("add %s to %s as %q", address, group, d)
}

func (f *fake) Facts(_ context.Context, group, address string) (job.Facts, error) {
	return job.Facts{Kind: "solana", At: instant, Text: `{"slot":1}`}, f.note("facts of %s in %s", address, group)
}

func (f *fake) Offer(_ context.Context, group string) (job.Offer, error) {
	return job.Offer{Executors: 3, Silent: 1, Handlers: []job.OfferedHandler{
		{Kind: job.HandlerShell, Executors: 2}, {Kind: job.HandlerNamed, Name: "report", Executors: 1},
	}}, f.note("handlers of %s", group)
}

func (f *fake) SetDialect(_ context.Context, group, address string, d job.Dialect) (job.Executor, error) {
	return job.Executor{
		Group: group, Address: address, RegisteredAt: instant, SeenAt: instant, Dialect: d, DialectBy: job.DialectSet,
	}, f.note("speak to %s of %s as %q", address, group, d)
}

func (f *fake) RemoveAddress(_ context.Context, group, address string) error {
	return f.note("remove %s from %s", address, group)
}

func (f *fake) Rewrites(_ context.Context, group string) ([]job.Rewrite, error) {
	return []job.Rewrite{{From: "http://a", To: "http://b:{port}"}}, f.note("rewrites of %s", group)
}

func (f *fake) SaveRewrites(_ context.Context, group string, rules []job.Rewrite) error {
	return f.note("rewrites of %s become %+v", group, rules)
}

func TestGroupRoutes(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
	const rules = `{"rules":[{"from":"http://a","to":"http://b:{port}"}]}`
	for _, c := range []struct {
		request, body string
		status        int
		call, want    string
	}{
		{
			"POST /groups/My.Group/addresses", `{"address":"http://10.0.0.5:9999"}`, 201, `add http://10.0.0.5:9999 to My.Group as ""`,
			`{"namespace":"team","group":"My.Group","address":"http://10.0.0.5:9999","manual":true,"registered_at":"2030-01-31T08:00:00.000Z",` +
				`"seen_at":"2030-01-31T08:00:00.000Z","unreachable":"connection refused"}`,
		},
		{
			"POST /groups/My.Group/addresses", `{"address":"http://h","dialect":"xxl-job-3.5"}`, 201, `add http://h to My.Group as "xxl-job-3.5"`,
			`{"namespace":"team","group":"My.Group","address":"http://h","manual":true,"registered_at":"2030-01-31T08:00:00.000Z",` +
				`"seen_at":"2030-01-31T08:00:00.000Z","dialect":"xxl-job-3.5","unreachable":"connection refused"}`,
		},
		{
			"PUT /groups/g/addresses/dialect?address=http%3A%2F%2Fh%2F", `{"dialect":"orth-java"}`, 200, `speak to http://h/ of g as "orth-java"`,
			`{"namespace":"default","group":"g","address":"http://h/","registered_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z",` +
				`"dialect":"orth-java","dialect_by":"set"}`,
		},
		{
			"PUT /groups/g/addresses/dialect?address=http%3A%2F%2Fh%2F", `{"dialect":"auto"}`, 200, `speak to http://h/ of g as ""`,
			`{"namespace":"default","group":"g","address":"http://h/","registered_at":"2030-01-31T08:00:00.000Z","seen_at":"2030-01-31T08:00:00.000Z","dialect_by":"set"}`,
		},
		{"DELETE /groups/g/addresses?address=http%3A%2F%2F10.0.0.5%3A9999", "", 204, "remove http://10.0.0.5:9999 from g", ""},
		{
			"GET /groups/g/handlers", "", 200, "handlers of g",
			`{"executors":3,"silent":1,"handlers":[{"kind":"shell","executors":2},{"kind":"named","name":"report","executors":1}]}`,
		},
		{"GET /groups/g/rewrites", "", 200, "rewrites of g", rules},
		{"PUT /groups/g/rewrites", rules, 200, "rewrites of g become [{From:http://a To:http://b:{port}}]", rules},
		{"PUT /groups/g/rewrites", `{"rules":[]}`, 200, "rewrites of g become []", `{"rules":[]}`},
	} {
		wantRoute(t, f, server, c.request, c.body, c.status, c.call, c.want)
	}
}

// What is missing is refused before anybody is asked.
func TestGroupRoutesRefuse(t *testing.T) {
	t.Parallel()
	f := &fake{}
	server := serve(t, f, nil)
	for _, c := range [][2]string{
		{"POST", `{}`}, {"POST", `{"address":7}`}, {"POST", `[]`},
	} {
		response, body := send(t, server, c[0], "/api/v1/groups/g/addresses", c[1])
		if response.StatusCode != http.StatusUnprocessableEntity || f.called() != "" {
			t.Errorf("%s %s: %d %s", c[0], c[1], response.StatusCode, body)
		}
	}
	if response, body := send(t, server, http.MethodDelete, "/api/v1/groups/g/addresses", ""); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("remove without an address: %d %s", response.StatusCode, body)
	}
}
