package cli_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
)

// told is a server that tells events, and then that they may not be seen any more.
func told(t *testing.T, text string) map[string]string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Last-Event-ID") == "1-7" {
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"code":"forbidden","detail":"no more of that","status":403}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return map[string]string{"ORTH_SERVER": server.URL, "ORTH_TOKEN": token}
}

const events = ": orth\n\nevent: open\nid: 1-1\ndata: {\"server\":\"1\"}\n\n" +
	"event: run\nid: 1-2\ndata: {\"kind\":\"run\",\"change\":\"waiting_retry\",\"at\":\"2030-01-31T01:30:00.012Z\",\"namespace\":\"default\",\"group\":\"reports\"," +
	"\"run\":{\"id\":\"5\",\"state\":\"waiting_retry\",\"final\":false,\"cause\":\"manual\",\"reason\":\"red \\u001b[31m\"},\"job\":{\"id\":7,\"key\":\"report\"}}\n\n" +
	"event: job\nid: 1-3\ndata: {\"kind\":\"job\",\"change\":\"saved\",\"at\":\"2030-01-31T01:30:01Z\",\"namespace\":\"default\",\"group\":\"reports\",\"job\":{\"id\":7,\"key\":\"report\"}}\n\n" +
	"event: executor\nid: 1-4\ndata: {\"kind\":\"executor\",\"change\":\"silent\",\"at\":\"2030-01-31T01:30:02Z\",\"namespace\":\"default\",\"group\":\"reports\",\"executor\":{\"address\":\"http://10.0.0.1:9999\"}}\n\n" +
	"event: reset\nid: 1-6\ndata: {\"reason\":\"gap\"}\n\n" +
	"event: alarm\nid: 1-7\ndata: {\"kind\":\"alarm\",\"change\":\"fires\",\"at\":\"2030-01-31T01:30:03Z\",\"namespace\":\"default\",\"alarm\":{\"id\":\"3\",\"rule\":\"nightly\",\"severity\":\"critical\",\"reason\":\"3 runs\"}}\n\n"

func TestEvents(t *testing.T) {
	t.Parallel()
	r := orth(t.Context(), told(t, events), "events")
	want := "09:30:00.012  run       waiting retry  default/reports  report  run 5  - red  [31m\n" +
		"09:30:01.000  job       saved          default/reports  report\n" +
		"09:30:02.000  executor  silent         default/reports  http://10.0.0.1:9999\n" +
		"09:30:03.000  alarm     fires          default  alarm 3  nightly  - 3 runs\n"
	if diff := cmp.Diff(want, r.stdout); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.code == 0 || !strings.Contains(r.stderr, "Some events were missed: too many changes at once") || !strings.Contains(r.stderr, "no more of that") {
		t.Errorf("exit code %d, %s", r.code, r.stderr)
	}
	r = orth(t.Context(), told(t, events), "events", "-o", "json", "-f", "run,job", "--run", "5")
	if lines := strings.Split(strings.TrimSpace(r.stdout), "\n"); len(lines) != 4 || !strings.HasPrefix(lines[0], `{"id":"1-2","kind":"run","change":"waiting_retry",`) {
		t.Errorf("for programs: %s", r.stdout)
	}
	if r = orth(t.Context(), told(t, events), "events", "-o", "yaml"); strings.Count(r.stdout, "---\n") != 4 || !strings.Contains(r.stdout, "change: saved") {
		t.Errorf("as YAML: %s", r.stdout)
	}
}

func TestEventsUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"events -f runs": "--kinds", "events --run x": "--run", "events -o name": "-o name", "events more": "orth events takes no arguments",
	} {
		if r := orth(t.Context(), told(t, events), strings.Split(line, " ")...); r.code != 2 || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, %s", line, r.code, r.stderr)
		}
	}
}

func TestTopFollows(t *testing.T) {
	t.Parallel()
	one := func(running string) string {
		return "event: summary\ndata: {\"at\":\"2030-01-31T01:30:00Z\",\"runs\":{\"running\":" + running + "}}\n\n"
	}
	end := "event: problem\ndata: {\"code\":\"forbidden\",\"detail\":\"no more of that\",\"status\":403}\n\n"
	r := orth(t.Context(), told(t, one("3")+one("4")+end), "top", "--follow")
	if strings.Count(r.stdout, "Counted:") != 1 || !strings.Contains(r.stdout, "3 running") || !strings.Contains(r.stdout, "4 running") ||
		r.code == 0 || !strings.Contains(r.stderr, "no more of that") {
		t.Errorf("exit code %d, %s%s", r.code, r.stdout, r.stderr)
	}
}
