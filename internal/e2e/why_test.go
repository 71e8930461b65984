//go:build unix

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// TestFailureSaysWhy fails a script: the line that says why is in the list of runs, in
// the dead letter, on the dashboard and in the alarm, with its secret hidden. The links
// of the alarm lead to the console, without any setting.
func TestFailureSaysWhy(t *testing.T) {
	t.Parallel()
	s, box := newSite(t), newMailbox(t)
	s.startServer(allowPrivate)
	s.startExecutor()
	s.hook("box", box.url)
	s.rule("bad", "box", api.AlarmRuleFields{Kinds: []alarm.Kind{alarm.KindFailed}, GroupBy: alarm.ByJob})
	s.orth("job", "create", "copy", "--group", s.group, "--manual", "--retries", "1", "--retry-delay", "100ms", "--shell",
		"echo copying; echo 'psql: error: connection refused, password=hunter2hunter2' >&2; echo cleaned up; exit 3")
	const why = "exit status 3: psql: error: connection refused, password=***"
	id := s.trigger("copy")
	if r := s.becomes(id, job.Failed); r.Message != why {
		t.Errorf("the run says %q", r.Message)
	}
	for _, args := range [][]string{
		{"run", "list", "-o", "wide"},
		{"run", "show", id},
		{"dead-letter", "list", "-o", "wide"},
		{"dead-letter", "show", id},
		{"dead-letter", "list", "--text", "Connection REFUSED", "-o", "wide"},
		{"run", "list", "--text", "connection refused", "-o", "wide"},
		{"dashboard", "-o", "json"},
	} {
		if out := s.orth(args...); !strings.Contains(out, why) {
			t.Errorf("orth %s does not say why:\n%s", strings.Join(args, " "), out)
		}
	}
	told := box.wait(t, 1)[0]
	if !strings.Contains(told.Title, "copy failed: "+why) || len(told.Items) != 1 || told.Items[0].Reason != why || told.Reasons[0].Text != why {
		t.Errorf("the message is %+v", told)
	}
	fired := s.alarms(client.AlarmQuery{Job: "copy"})
	if len(fired) != 1 || fired[0].Reason != why {
		t.Fatalf("the alarms are %+v", fired)
	}
	for link, want := range map[string]string{
		told.Link: "/console/runs/" + id, told.Items[0].Link: "/console/runs/" + id, told.AlarmLink: fmt.Sprintf("/console/alarms/%s", fired[0].ID),
	} {
		if link != "http://"+s.server+want || !strings.Contains(told.Text, link) {
			t.Errorf("the link %q does not lead to %s, or is not in the text:\n%s", link, want, told.Text)
		}
		if status, page := get(t, link); status != http.StatusOK || !strings.Contains(page, "<base href=") {
			t.Errorf("%s: status %d, %.200s", link, status, page)
		}
	}
}

// get asks for a page as a browser does.
func get(t *testing.T, address string) (status int, page string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}
