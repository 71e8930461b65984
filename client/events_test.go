package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// streams is a server whose streams are told in advance, one after the other; then it
// says that it is away.
func streams(t *testing.T, asked *[]string, texts ...string) *client.Client {
	t.Helper()
	var next atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := int(next.Add(1)) - 1
		*asked = append(*asked, r.URL.RequestURI()+" "+r.Header.Get("Last-Event-ID"))
		if n >= len(texts) || strings.HasPrefix(texts[n], "{") {
			p := api.Problem{Status: http.StatusServiceUnavailable, Code: job.Unavailable, Detail: "away"}
			if n < len(texts) {
				p = api.Problem{Status: http.StatusForbidden, Code: job.Forbidden, Detail: "no"}
			}
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(p.Status)
			_, _ = fmt.Fprintf(w, `{"code":%q,"detail":%q,"status":%d}`, p.Code, p.Detail, p.Status)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, texts[n])
	}))
	t.Cleanup(server.Close)
	return newClient(t, client.Config{Address: server.URL, Token: "t", Retries: -1})
}

// callViewer is an event as a server sends it.
func callViewer(name, id, data string) string {
	text := "event: " + name + "\n"
	if id != "" {
		text += "id: " + id + "\n"
	}
	return text + "data: " + data + "\n\n"
}

func aRunEvent(id, run string) string {
	return callViewer("run", id, `{"kind":"run","change":"running","at":"2030-01-31T08:00:00Z","namespace":"n","run":{"id":"`+run+`","state":"running"}}`)
}

// listen returns what a client is told until it has so many events, or an error.
func listen(ctx context.Context, c *client.Client, q client.EventQuery, n int) (told []string, err error) {
	for e, err := range c.Events(ctx, q) {
		if err != nil {
			return told, err
		}
		switch {
		case e.Opened:
			told = append(told, "open "+e.ID)
		case e.Reset != "":
			told = append(told, "reset "+e.Reset+" "+e.ID)
		case e.Run != nil:
			told = append(told, "run "+e.Run.ID.String()+" "+e.ID)
		default:
			told = append(told, e.Kind)
		}
		if len(told) == n {
			break
		}
	}
	return told, nil
}

// A stream that breaks goes on behind the last event.
func TestEvents(t *testing.T) {
	t.Parallel()
	var asked []string
	c := streams(t, &asked,
		": orth\n\n"+callViewer("open", "1-1", `{"server":"1"}`)+aRunEvent("1-2", "5")+": beat\nid: 1-9\n\n"+callViewer("later", "", "{}"),
		callViewer("open", "1-9", `{"server":"1","resumed":true}`)+aRunEvent("1-10", "6")+callViewer("problem", "", `{"code":"unavailable","detail":"away","status":503}`),
		callViewer("reset", "2-0", `{"reason":"restarted"}`)+callViewer("job", "2-1", `{"kind":"job","change":"saved","namespace":"n"}`),
	)
	told, err := listen(t.Context(), c, client.EventQuery{Namespace: "n", Group: "g", Job: "j", Run: 5, Kinds: []string{"run", "job"}, After: "0-1"}, 5)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"open 1-1", "run 5 1-2", "run 6 1-10", "reset restarted 2-0", "job"}, told); diff != "" {
		t.Errorf("told (-want +got)\n%s", diff)
	}
	const path = "/api/v1/events?group=g&job=j&kinds=run%2Cjob&namespace=n&run=5 "
	if diff := cmp.Diff([]string{path + "0-1", path + "1-9", path + "1-10"}, asked); diff != "" {
		t.Errorf("asked (-want +got)\n%s", diff)
	}
}

// What does not pass ends it, and so does a server that was never there.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		texts []string
		want  job.Kind
	}{
		{"away", nil, job.Unavailable},
		{"forbidden", []string{"{"}, job.Forbidden},
		{"forbidden later", []string{callViewer("open", "1-1", "{}"), "{"}, job.Forbidden},
		{"told why", []string{callViewer("open", "1-1", "{}") + callViewer("problem", "", `{"code":"unauthorized","detail":"no","status":401}`)}, job.Unauthorized},
		{"not JSON", []string{callViewer("open", "1-1", "nonsense")}, job.Refused},
		{"not JSON either", []string{callViewer("run", "1-1", "nonsense")}, job.Refused},
	} {
		var asked []string
		if _, err := listen(t.Context(), streams(t, &asked, c.texts...), client.EventQuery{}, 100); job.KindOf(err) != c.want {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var asked []string
	if _, err := listen(ctx, streams(t, &asked, callViewer("open", "1-1", "{}")), client.EventQuery{}, 100); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a server that is away for a while: %v", err)
	}
}

func TestFollowSummary(t *testing.T) {
	t.Parallel()
	var asked []string
	summary := func(n int) string { return callViewer("summary", "", fmt.Sprintf(`{"runs":{"running":%d}}`, n)) }
	c := streams(t, &asked, ": orth\n\n"+summary(1)+summary(2), summary(2)+summary(3))
	var told []int
	enough := errors.New("enough")
	err := c.FollowSummary(t.Context(), client.SummaryQuery{Namespace: "team"}, func(s api.Summary) error {
		if told = append(told, s.Runs.Running); len(told) == 4 {
			return enough
		}
		return nil
	})
	if asked[0] != "/api/v1/events?kinds=summary&namespace=team " {
		t.Errorf("asked %q", asked)
	}
	if diff := cmp.Diff([]int{1, 2, 2, 3}, told); diff != "" || !errors.Is(err, enough) {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	if err := streams(t, &asked, callViewer("summary", "", "x")).FollowSummary(t.Context(), client.SummaryQuery{}, func(api.Summary) error { return nil }); job.KindOf(err) != job.Refused {
		t.Errorf("no JSON: %v", err)
	}
}

func TestDashboard(t *testing.T) {
	t.Parallel()
	c := serve(t, &memory{}, nil)
	if _, err := c.Dashboard(t.Context(), client.DashboardQuery{Range: "1h", Zone: "UTC", Namespace: "n", Group: "g"}); job.KindOf(err) != job.Unavailable {
		t.Errorf("a server without dashboards: %v", err)
	}
	if _, err := c.Dashboard(t.Context(), client.DashboardQuery{Range: "2h"}); job.KindOf(err) != job.Invalid {
		t.Errorf("a time that there is not: %v", err)
	}
}

// Whatever comes, the client neither panics nor goes on for ever.
func FuzzEvents(f *testing.F) {
	f.Add(": orth\n\n" + callViewer("open", "1-1", "{}") + aRunEvent("1-2", "5"))
	f.Add("event: run\ndata\nid\n\n\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		var asked []string
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		c := streams(t, &asked, text+callViewer("problem", "", `{"code":"forbidden","detail":"no","status":403}`), "{")
		if _, err := listen(ctx, c, client.EventQuery{}, 1000); err == nil {
			t.Error("it ended without an error")
		}
	})
}
