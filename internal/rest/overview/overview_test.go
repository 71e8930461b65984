package overview_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
)

func TestOverviewRoutes(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) {
		c.Servers = someServers{f}
		c.Settings = func() []api.Setting {
			return []api.Setting{{Name: "data", Value: "d", Source: api.FromFile, File: "f"}}
		}
	})
	const stands = `"state":"draining","self":true,"address":"http://one","leads":true,"lag":"1.5s","planned":1,"sent":2,"held":3,"clock_skew":"-1ms"`
	const zero = `"failed":0,"timed_out":0,"cancelled":0,"lost":`
	for _, c := range []struct{ request, call, want string }{
		{
			"GET /summary?namespace=team&group=g&zone=Asia/Tokyo", "summary {Sight:{All:true Places:[]} Namespace:team Group:g Zone:Asia/Tokyo}", `{"at":"2030-01-31T08:00:00.000Z","runs":{"waiting":1,"retrying":2,"late":3,"running":4},` +
				`"jobs":{"total":9,"scheduled":5,"soon":6},"executors":{"alive":10,"draining":11,"unreachable":12,"silent":13},"open":{"dead_letters":7,"alarms":8},` +
				`"zone":"Asia/Tokyo","today":{"day":"2030-01-31","runs":3,"succeeded":3,` + zero + `0,"skipped":0,"attempts":4,"success_rate":1},` +
				`"yesterday":{"day":"2030-01-30","runs":1,"succeeded":0,` + zero + `1,"skipped":0,"attempts":0,"success_rate":0}}`,
		},
		{
			"GET /servers", "", `{"servers":[{"name":"one:1","version":"","started_at":"2030-01-31T08:00:00.000Z","listen":"","scheme":"http","store":"",` +
				`"database_bytes":0,"ready":false,"reasons":[],"loops":[{"name":"planner"}],"executors":0,` + stands + `}]}`,
		},
		{
			"GET /servers/one:1", "", `{"name":"one:1","version":"","started_at":"2030-01-31T08:00:00.000Z","listen":"","scheme":"http","store":"",` +
				`"database_bytes":0,"ready":false,"reasons":[],"loops":[{"name":"planner"}],"executors":0,` + stands + `}`,
		},
		{"GET /settings", "", `{"settings":[{"name":"data","value":"d","source":"file","file":"f"}]}`},
	} {
		resttest.WantRoute(t, f, server, c.request, "", 200, c.call, c.want)
	}
	f.Called()
	_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/namespaces", "")
	if asked := f.Called(); !strings.Contains(asked, "namespaces {All:true Places:[]} and [") || !strings.Contains(asked, "grants") ||
		strings.TrimSpace(body) != `{"namespaces":[{"name":"team","jobs":1,"groups":2,"workflows":3,"calendars":4}]}` {
		t.Errorf("namespaces: asked %q, got %s", asked, body)
	}
}

// someServers are those of a fake database.
type someServers struct{ f *resttest.Fake }

func (s someServers) Servers(context.Context) ([]api.Server, error) {
	return []api.Server{{
		Name: "one:1", StartedAt: api.At(resttest.Instant), Scheme: "http", Reasons: []api.Unready{}, Loops: []api.ServerLoop{{Name: "planner"}},
		State: api.ServerDraining, Self: true, Address: "http://one", Leads: true, Lag: api.Duration(1500 * time.Millisecond), Planned: 1, Sent: 2, Held: 3,
		ClockSkew: api.Duration(-time.Millisecond),
	}}, nil
}

func (s someServers) DrainServer(_ context.Context, name string, on bool) error {
	return s.f.Note("drain server %s %t", name, on)
}

// A server is told to drain by its name; one that is not there is told of as such.
func TestDrainServer(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, func(c *rest.Config) { c.Servers = someServers{f} })
	status, body := resttest.Send(t, server, http.MethodPut, "/api/v1/servers/one:1/drain", `{"on":true}`)
	if asked := f.Called(); status.StatusCode != http.StatusOK || !strings.Contains(asked, "drain server one:1 true") || !strings.Contains(body, `"state":"draining"`) {
		t.Errorf("%d %s, asked %q", status.StatusCode, body, asked)
	}
	for _, path := range []string{"/api/v1/servers/two:1", "/api/v1/servers/%2E"} {
		if status, body := resttest.Send(t, server, http.MethodGet, path, ""); status.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %d %s", path, status.StatusCode, body)
		}
	}
}

// Whoever sees a part is told about this part, and the namespaces of it; servers and
// settings are for administrators.
func TestOverviewIsNarrowed(t *testing.T) {
	t.Parallel()
	a := resttest.NewAsker(t, nil)
	const as = "viewer at its group"
	const sight = "{All:false Places:[{Namespace:default Group:g}]}"
	for path, want := range map[string]string{
		"/namespaces": "namespaces " + sight + ` and ["default"]`,
		"/summary":    "summary {Sight:" + sight + " Namespace: Group: Zone:UTC}",
	} {
		if status, body, called := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + path}, as); status != http.StatusOK || called != want {
			t.Errorf("%s: %d %s, asked %q, want %q", path, status, body, called, want)
		}
	}
	for _, path := range []string{"/servers", "/settings"} {
		for _, as := range []string{as, "owner at the server", "admin at its namespace"} {
			if status, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + path}, as); status != http.StatusForbidden {
				t.Errorf("%s as %s: %d %s", path, as, status, body)
			}
		}
	}
}
