package executor_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
)

// release is a server of one release of the family: how it answers, and what it
// takes.
type release struct {
	board

	path     string // in front of /api/
	token    string // its token's header
	runs     string // the path at which it starts runs
	success  string
	later    bool // from 3.5 on: wants the group's name and an object
	sick     bool // it answers that its database is away; guarded by mu
	url      string
	said     []string          // guarded by mu: the names of the calls it took
	outcomes map[int64]outcome // guarded by mu
}

// outcome is one item of a callback that a server took.
type outcome struct {
	Code    int
	Message string
	times   int
}

// String shows an outcome as "code message".
func (o outcome) String() string { return strings.TrimSpace(fmt.Sprintf("%d %s", o.Code, o.Message)) }

func releaseOf(t *testing.T, name string) *release {
	t.Helper()
	r := map[string]*release{
		"2.3":       {path: "/xxl-job-admin", token: "XXL-JOB-ACCESS-TOKEN", runs: "/run", success: `{"code":200,"msg":null,"content":null}`},
		"3.2":       {path: "/xxl-job-admin", token: "XXL-JOB-ACCESS-TOKEN", runs: "/run", success: `{"code":200,"msg":"Success","content":null,"success":true}`},
		"3.4":       {token: "XXL-JOB-ACCESS-TOKEN", runs: "/run", success: `{"code":200,"data":null,"msg":"Success","success":true}`},
		"3.5":       {token: "XXL-JOB-ACCESS-TOKEN", runs: "/trigger", success: `{"code":200,"msg":"Success","data":null,"success":true}`, later: true},
		"orth-java": {path: "/orth-admin", token: "ORTH-ACCESS-TOKEN", runs: "/run", success: `{"code":200,"msg":"Success","data":null,"success":true}`},
	}[name]
	r.outcomes = make(map[int64]outcome)
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.url = server.URL + r.path
	return r
}

// ServeHTTP implements http.Handler.
func (r *release) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, _ := io.ReadAll(q.Body)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, r.answer(q, body))
}

func (r *release) answer(q *http.Request, body []byte) (reply string) {
	no := func(text string) string { return `{"code":500,"msg":"` + text + `","data":null,"success":false}` }
	name, ok := strings.CutPrefix(q.URL.Path, r.path+"/api/")
	group := q.Header.Get("Xxl-Job-Appname")
	switch {
	case !ok:
		return "<html>no such page</html>"
	case r.later && group == "":
		return no("invalid request, accessToken or appname is empty.")
	case r.later && (group != "app-x" || q.Header.Get(r.token) != token):
		return no("invalid request, accessToken or appname invalid.")
	case q.Header.Get(r.token) != token:
		return no("The access token is wrong.")
	}
	var items []struct {
		LogID       int64  `json:"logId"`
		LogDateTim  int64  `json:"logDateTim"`
		LogDateTime int64  `json:"logDateTime"`
		HandleCode  int    `json:"handleCode"`
		HandleMsg   string `json:"handleMsg"`
	}
	object := struct {
		List any `json:"callbackList"`
	}{&items}
	if name == "callback" {
		var err error
		if r.later {
			err = json.Unmarshal(body, &object)
		} else {
			err = json.Unmarshal(body, &items)
		}
		if err != nil || len(items) == 0 {
			return no("openapi invoke error: java.lang.IllegalStateException")
		}
	}
	r.change(func() {
		if r.sick {
			reply = no("openapi invoke error: cannot open JDBC connection")
			return
		}
		reply = r.success
		r.said = append(r.said, name)
		for _, i := range items {
			if i.LogDateTim+i.LogDateTime != runAt || r.later != (i.LogDateTime != 0) {
				reply = no("openapi invoke error: the date of " + fmt.Sprint(i.LogID))
				return
			}
			r.outcomes[i.LogID] = outcome{i.HandleCode, i.HandleMsg, r.outcomes[i.LogID].times + 1}
		}
	})
	return reply
}

// want waits for the outcome of an attempt and compares it.
func (r *release) want(t *testing.T, attempt int64, want string) {
	t.Helper()
	var got outcome
	r.await(t, fmt.Sprintf("the callback of %d", attempt), func() bool {
		got = r.outcomes[attempt]
		return got.times > 0
	})
	if got.String() != strings.TrimSpace(want) {
		t.Errorf("attempt %d was called back as %q; want %q", attempt, got, want)
	}
}

// start sends a run as the release does.
func (r *release) start(t *testing.T, s *subject, what run) string {
	t.Helper()
	body, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	return r.ask(t, s, r.runs, string(body))
}

func (r *release) ask(t *testing.T, s *subject, path, body string) string {
	t.Helper()
	h := http.Header{r.token: {token}}
	if r.later {
		h["Xxl-Job-Appname"] = []string{"app-x"}
	}
	return s.send(t, http.MethodPost, path, body, h)
}

// TestServersOfEveryRelease: one executor registers, runs, is killed, reports, serves logs
// and leaves, with a server of each release, without configuration for it.
func TestServersOfEveryRelease(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"2.3", "3.2", "3.4", "3.5", "orth-java"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := releaseOf(t, name)
			fork := name == "orth-java"
			s := start(t, newAdmin(t), func(c *executor.Config) {
				c.Servers, c.DrainFor = []string{r.url}, time.Millisecond
			})
			r.await(t, "the registration", func() bool { return slices.Contains(r.said, "registry") })
			say := func(classic, forked string) string {
				if fork {
					return forked
				}
				return classic
			}
			ask := func(what, path, body, want string) {
				t.Helper()
				if got := r.ask(t, s, path, body); got != want {
					t.Errorf("%s: %s; want %s", what, got, want)
				}
			}
			begin := func(what run, want string) {
				t.Helper()
				if got := r.start(t, s, what); got != want {
					t.Errorf("run %d: %s; want %s", what.LogID, got, want)
				}
			}
			ask("beat", "/beat", "", success)
			begin(bean(1, 11, "demo"), success)
			r.want(t, 11, "200")
			begin(bean(1, 11, "demo"), refusal(say("repeat trigger job, logId:11", "Duplicate trigger request, logId: 11")))
			begin(bean(1, 12, "nope"), refusal(say("job handler [nope] not found.", "Job handler not found: nope")))
			begin(bean(2, 21, "hold").with(func(r *run) { r.Timeout = 1 }), success)
			begin(bean(3, 31, "hold"), success)
			s.started(t, 31)
			begin(bean(3, 32, "hold").block("DISCARD_LATER"), refusal(say("block strategy effect：Discard Later", "Block strategy effect: Discard Later")))
			begin(bean(3, 33, "hold"), success)
			ask("idleBeat", "/idleBeat", `{"jobId":3}`, refusal(say("job thread is running or has trigger queue.", "Job thread is running or has queued triggers")))
			if got := r.ask(t, s, "/kill", `{"jobId":3}`); !strings.HasPrefix(got, `{"code":200,"msg":"Success"`) ||
				strings.Contains(got, "Job killed successfully") != fork {
				t.Errorf("kill: %s", got)
			}
			r.want(t, 31, say("500 scheduling center kill job. [job running, killed]", "500 Admin scheduler kill request [job running, killed]"))
			r.want(t, 33, say("500 scheduling center kill job. [job not executed, in the job queue, killed.]",
				"500 Admin scheduler kill request [job not executed, in queue, killed]"))
			r.want(t, 21, say("502 job execute timeout ", "502 Job execution timeout"))
			for _, date := range []string{"logDateTim", "logDateTime"} {
				got := r.ask(t, s, "/log", fmt.Sprintf(`{%q:%d,"logId":99,"fromLineNum":1}`, date, runAt))
				if !strings.Contains(got, say("readLog fail, logFile not exists", "Log file does not exist")) {
					t.Errorf("a log that is not there: %s", got)
				}
			}
			begin(bean(4, 41, "hold"), success)
			s.started(t, 41)
			s.stop()
			r.want(t, 41, say("500 web container destroy and kill the job. [job running, killed]",
				"500 Executor shutdown - terminating job [job running, killed]"))
			r.mu.Lock()
			defer r.mu.Unlock()
			if i := slices.Index(r.said, "registryRemove"); i < 0 || !slices.Contains(r.said[i:], "callback") {
				t.Errorf("the calls were %q; want the farewell before the last outcome", r.said)
			}
			for attempt, o := range r.outcomes {
				if o.times != 1 {
					t.Errorf("attempt %d was called back %d times", attempt, o.times)
				}
			}
		})
	}
}

// TestServersOfTwoReleases: the servers of one cluster may be of two releases; each is
// called in its own, whichever receives the outcomes.
func TestServersOfTwoReleases(t *testing.T) {
	t.Parallel()
	before, after := releaseOf(t, "2.3"), releaseOf(t, "3.5")
	s := start(t, newAdmin(t), func(c *executor.Config) {
		c.Servers, c.Beat = []string{before.url, "xxl-job-3.5=" + after.url}, time.Hour
	})
	before.await(t, "the registration", func() bool { return len(before.said) > 0 })
	sick := func(r *release, is bool) { r.change(func() { r.sick = is }) }
	s.run(t, bean(1, 11, "demo"), success)
	before.want(t, 11, "200")
	sick(before, true)
	s.run(t, bean(1, 12, "fail").with(func(r *run) { r.Param = "why" }), success)
	after.want(t, 12, "500 why")
	sick(before, false)
	sick(after, true)
	if got := after.start(t, s, bean(1, 13, "demo")); got != success {
		t.Error(got)
	}
	before.want(t, 13, "200")
	after.mu.Lock()
	defer after.mu.Unlock()
	if len(after.outcomes) != 1 {
		t.Errorf("the second server has %v", after.outcomes)
	}
}
