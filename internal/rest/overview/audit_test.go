package overview_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/rest/resttest"
)

func someLines(n int) []audit.Line {
	lines, last := make([]audit.Line, n), audit.Line{}
	for i := range lines {
		lines[i] = audit.Line{At: resttest.Instant, Actor: audit.Actor{Kind: "user", ID: 7, Name: "ann"}, Operation: "a", Before: `{"x":"<1>"}`}
		lines[i].Follow(&last)
		last = lines[i]
	}
	return lines
}

func TestListAudit(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Lines: someLines(5)}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	response, body := resttest.SendWith(t, server, "GET", "/audit?actor=ann&operation=a&kind=job&namespace=n&key=k&from=2030-01-01T00:00:00Z&until=2030-02-01T00:00:00Z&after=9&order=oldest&limit=2", "")
	var list api.AuditList
	if err := json.Unmarshal([]byte(body), &list); err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %s", response.StatusCode, body)
	}
	if len(list.Lines) != 2 || list.Next != 2 || string(list.Lines[0].Before) != `{"x":"<1>"}` || list.Lines[0].After != nil || list.Lines[1].Previous != list.Lines[0].Digest {
		t.Errorf("got %s", body)
	}
	want := audit.Query{
		Actor: "ann", Operation: "a", Kind: "job", Namespace: "n", Key: "k", From: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC),
		Until: time.Date(2030, 2, 1, 0, 0, 0, 0, time.UTC), After: 9, Oldest: true, Limit: 2,
	}
	if diff := cmp.Diff(want, l.Query); diff != "" {
		t.Error(diff)
	}
	if _, body = resttest.SendWith(t, server, "GET", "/audit", ""); strings.Contains(body, `"next"`) || l.Query.Oldest || l.Query.Limit != 100 {
		t.Errorf("%+v: %s", l.Query, body)
	}
	for _, wrong := range []string{"limit=0", "limit=1001", "after=x", "order=any", "from=now", "what=x"} {
		if response, body = resttest.SendWith(t, server, "GET", "/audit?"+wrong, ""); response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d, %s", wrong, response.StatusCode, body)
		}
	}
}

// A page of large lines ends before it is too large, and goes on.
func TestListAuditOfLargeLines(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Lines: someLines(100)}
	for i := range l.Lines {
		l.Lines[i].After = `"` + strings.Repeat("x", 100_000) + `"`
	}
	_, body := resttest.SendWith(t, resttest.Ledgered(t, &resttest.Fake{}, l), "GET", "/audit", "")
	var list api.AuditList
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		t.Fatal(err)
	}
	if n := len(list.Lines); n == 0 || n == 100 || list.Next != list.Lines[n-1].Seq {
		t.Errorf("a page has %d lines and goes on after %s", n, list.Next)
	}
}

func TestPruneAudit(t *testing.T) {
	t.Parallel()
	l := &resttest.FakeLedger{Lines: someLines(1), Pruned: audit.Removed{Lines: 3, First: 1, Last: 3, Digest: "ab"}}
	server := resttest.Ledgered(t, &resttest.Fake{}, l)
	response, body := resttest.SendWith(t, server, "DELETE", "/audit?before=2030-01-01T00:00:00Z", "")
	if response.StatusCode != http.StatusOK || strings.TrimSpace(body) != `{"lines":3,"first":"1","last":"3","digest":"ab","more":true}` {
		t.Errorf("status %d, %s", response.StatusCode, body)
	}
	if i := l.Last(); i.Operation != audit.PruneOperation || i.Right != "admin" {
		t.Errorf("wants %s by %s", i.Operation, i.Right)
	}
	if response, body = resttest.SendWith(t, server, "DELETE", "/audit", ""); response.StatusCode != http.StatusUnprocessableEntity {
		t.Errorf("status %d, %s", response.StatusCode, body)
	}
}
