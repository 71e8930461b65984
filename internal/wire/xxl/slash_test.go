package xxl

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/wire/xxl/dialect"
)

// misjoined returns a path as peers and proxies write it whose base URL ends in a
// slash, or that add one at the end.
func misjoined(path string) []string {
	return []string{path + "/", "/" + path, path + "//", strings.ReplaceAll(path, "/", "//"), "//" + strings.ReplaceAll(path, "/", "///") + "///"}
}

// request sends one request and returns the HTTP status and the answer.
func request(t *testing.T, h http.Handler, path, body string, headers map[string]string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

// TestSlashesOfServers: each path at which a server is called is the same with slashes
// doubled and at the end, also below the context paths of old admins: the same answer,
// the same work, and the same refusal for a wrong token.
func TestSlashesOfServers(t *testing.T) {
	t.Parallel()
	const registration = `{"registryGroup":"EXECUTOR","registryKey":"g","registryValue":"http://10.0.0.1:9999/"}`
	room, jobs := new(serverRoom), newJobRoom()
	admin := NewAdminHandler(AdminConfig{Token: "tok", Leases: room, Outcomes: room, JobCalls: JobCalls{Book: jobs, Switch: jobs, Groups: jobs}})
	done := func() string { return room.take() + jobs.take() }
	type route struct {
		path, body string
		served     string // is in the answer to the right token
	}
	right, wrong := map[string]string{dialect.HeaderToken: "tok"}, map[string]string{dialect.HeaderToken: "tik"}
	routes := []route{
		{path: "/api/registry", body: registration, served: `"code":200`},
		{path: "/api/registryRemove", body: registration, served: `"code":200`},
		{path: "/api/callback", body: `[{"logId":7,"handleCode":200}]`, served: `"code":200`},
		{path: "/api/triggerJob", body: `{"id":1}`, served: `"code":`},
		{path: "/api/startJob", body: `{"id":1}`, served: `"code":`},
		{path: "/api/stopJob", body: `{"id":1}`, served: `"code":`},
		{path: "/api/removeJob", body: `{"id":1}`, served: `"code":`},
		{path: "/api/addJob", body: `{}`, served: `"code":`},
		{path: "/api/updateJob", body: `{}`, served: `"code":`},
		{path: "/api/nope", body: `{}`, served: "uri-mapping(nope) not found."},
	}
	for _, c := range routes {
		for _, context := range []string{"", "/xxl-job-admin", "/orth-admin"} {
			status, want := request(t, admin, context+c.path, c.body, right)
			work := done()
			if !strings.Contains(want, c.served) || strings.Contains(want, "uri-mapping") != strings.Contains(c.served, "uri-mapping") {
				t.Fatalf("%s: %d %s", context+c.path, status, want)
			}
			for _, path := range misjoined(context + c.path) {
				if s, got := request(t, admin, path, c.body, right); s != status || got != want || done() != work {
					t.Errorf("%s: %d %s; want %d %s and the same work", path, s, got, status, want)
				}
				s, got := request(t, admin, path, c.body, wrong)
				if !strings.Contains(got, dialect.TextToken) || s != status || done() != "" {
					t.Errorf("%s with a wrong token: %d %s", path, s, got)
				}
			}
		}
	}
}

// TestSlashesOfExecutors: so is each path at which an executor is called. A query still
// makes another path, as with all executors of the dialect.
func TestSlashesOfExecutors(t *testing.T) {
	t.Parallel()
	room := new(executorRoom)
	h := NewExecutorHandler(ExecutorConfig{Token: "tok", Tasks: room, Logs: room})
	right, wrong := map[string]string{dialect.HeaderToken: "tok"}, map[string]string{dialect.HeaderToken: "tik"}
	for path, body := range map[string]string{
		dialect.PathBeat: "", dialect.PathIdleBeat: `{"jobId":70}`, dialect.PathKill: `{"jobId":5}`, dialect.PathLog: `{"logId":9,"logDateTim":1795226987000,"fromLineNum":1}`,
		dialect.PathRun:     `{"jobId":5,"logId":9,"glueType":"BEAN","executorHandler":"demo"}`,
		dialect.PathTrigger: `{"jobId":5,"logId":9,"glueType":"BEAN","executorHandler":"demo"}`,
	} {
		status, want := request(t, h, path, body, right)
		work := room.take()
		if status != http.StatusOK || strings.Contains(want, "uri-mapping") {
			t.Fatalf("%s: %d %s", path, status, want)
		}
		for _, other := range misjoined(path) {
			if s, got := request(t, h, other, body, right); s != status || got != want || room.take() != work {
				t.Errorf("%s: %d %s; want %d %s and the same work", other, s, got, status, want)
			}
			if _, got := request(t, h, other, body, wrong); !strings.Contains(got, dialect.TextToken) || room.take() != "" {
				t.Errorf("%s with a wrong token: %s", other, got)
			}
		}
		for _, other := range []string{path + "?x=1", path + "/?x=1", "/x" + path, path + "/x", path + "%2F"} {
			if _, got := request(t, h, other, body, right); !strings.Contains(got, "uri-mapping("+other+") not found.") || room.take() != "" {
				t.Errorf("%s: %s", other, got)
			}
		}
	}
}

// TestSlashesOfSettings: a server's address in the settings may end in slashes; what is
// asked for has none of them.
func TestSlashesOfSettings(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"": "/api/registry", "/": "/api/registry", "//": "/api/registry", "/xxl-job-admin": "/xxl-job-admin/api/registry", "/xxl-job-admin//": "/xxl-job-admin/api/registry",
	} {
		asked := make(chan string, 1)
		server := newFakeAdmin(t, func(w http.ResponseWriter, r *http.Request) {
			asked <- r.RequestURI
			answer(w, adminContent, dialect.ExecutorSuccess)
		})
		if err := newAdminClient(t, "tok", server.url+base).Register(t.Context(), "g", "http://10.0.0.1:9999/"); err != nil {
			t.Errorf("%q: %v", base, err)
		} else if got := <-asked; got != want {
			t.Errorf("%q: asked for %s, want %s", base, got, want)
		}
	}
}
