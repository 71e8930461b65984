package orth

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// room is an executor in which job 7 runs, attempt 9 is known and job 8 is discarded.
type room struct {
	killed string // the reason of the last kill
	task   job.Task
}

func (r *room) Accept(_ context.Context, t job.Task) error {
	r.task = t
	switch {
	case t.Handler.Name == "nope":
		return job.Errorf(job.Refused, "job handler [nope] not found.")
	case t.JobID == 8:
		return job.Errorf(job.Refused, "block strategy effect：Discard Later")
	case t.AttemptID == 9:
		return job.Errorf(job.Duplicate, "attempt 9 was accepted before")
	case t.AttemptID == 10:
		return job.Errorf(job.Refused, "this executor's machine has no php")
	}
	return nil
}

func (r *room) Busy(jobID int64) bool { return jobID == 7 }

func (r *room) Kill(_ context.Context, jobID int64, reason string) bool {
	r.killed = reason
	return jobID == 7
}

func (r *room) Read(_ int64, _ time.Time, from int) (job.LogPage, error) {
	if from > 100 {
		return job.LogPage{To: 1, Text: "readLog fail, logFile not exists"}, nil // a line of a log that is there
	}
	return job.LogPage{Text: "readLog fail, logFile not exists", End: true}, nil
}

// ask sends one request as the fork's server does.
func ask(r *room, method, path, body string, kinds ...job.HandlerKind) string {
	h := xxl.NewExecutorHandler(xxl.ExecutorConfig{
		Token: "tok", Group: "app-x", Speeches: []dialect.Speech{Speech()}, Tasks: r, Logs: r, Kinds: kinds,
	})
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header = http.Header{"Orth-Access-Token": {"tok"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, request)
	return w.Body.String()
}

// run is a request of the fork's server.
func run(jobID, attempt int, handler, glue string) string {
	return `{"jobId":` + strconv.Itoa(jobID) + `,"executorHandler":"` + handler + `","executorParams":"p","executorBlockStrategy":"CONCURRENT",` +
		`"executorTimeout":0,"logId":` + strconv.Itoa(attempt) + `,"logDateTime":1795227257299,"glueType":"` + glue + `","glueSource":"","glueUpdatetime":0,` +
		`"broadcastIndex":0,"broadcastTotal":1,"executorConcurrency":3,"scheduleTime":1795227257000}`
}

// TestExecutorAnswers: the fork's servers are answered in its words.
func TestExecutorAnswers(t *testing.T) {
	t.Parallel()
	const success = `{"code":200,"msg":"Success"}`
	no := func(text string) string { return `{"code":500,"msg":"` + text + `"}` }
	carries := func(value string) string {
		return `{"code":200,"msg":"Success","data":` + value + `,"content":` + value + `}`
	}
	for _, c := range []struct {
		name, method, path, body, want string
		kinds                          []job.HandlerKind
	}{
		{"E1", "POST", "/beat", `""`, success, nil},
		{"E3", "GET", "/beat", "", no("Invalid request, HttpMethod not supported."), nil},
		{"E6", "POST", "/nope", "{}", no("Invalid request, URI-mapping(/nope) not found."), nil},
		{"E7", "POST", "/beat?x=1", "{}", no("Invalid request, URI-mapping(/beat?x=1) not found."), nil},
		{"R1", "POST", "/run", run(5, 1, "demo", "BEAN"), success, nil},
		{"R2", "POST", "/run", run(5, 1, "nope", "BEAN"), no("Job handler not found: nope"), nil},
		{"R3", "POST", "/run", run(5, 1, "", "GLUE_RUBY"), no("Invalid glue type: GLUE_RUBY"), nil},
		{"R5", "POST", "/run", run(8, 1, "demo", "BEAN"), no("Block strategy effect: Discard Later"), nil},
		{"R9", "POST", "/run", run(5, 9, "demo", "BEAN"), no("Duplicate trigger request, logId: 9"), nil},
		{"R21", "POST", "/run", run(5, 1, "", "GLUE_SHELL"), no("Invalid glue type: GLUE(Shell)"), []job.HandlerKind{job.HandlerNamed}},
		{"another refusal", "POST", "/run", run(5, 10, "", "GLUE_PHP"), no("this executor's machine has no php"), nil},
		{"K1", "POST", "/idleBeat", `{"jobId":77}`, success, nil},
		{"K2", "POST", "/idleBeat", `{"jobId":7}`, no("Job thread is running or has queued triggers"), nil},
		{"K3", "POST", "/kill", `{"jobId":77}`, carries(`"Job thread not running (already killed or never started)"`), nil},
		{"K4", "POST", "/kill", `{"jobId":7}`, carries(`"Job killed successfully"`), nil},
		{
			"K5 and K11", "POST", "/log", `{"logDateTim":1795226987000,"logId":1,"fromLineNum":1}`,
			carries(`{"fromLineNum":1,"toLineNum":0,"logContent":"Log file does not exist","isEnd":true,"end":true}`), nil,
		},
		{
			"a log with that text", "POST", "/log", `{"logDateTim":1795226987000,"logId":1,"fromLineNum":101}`,
			carries(`{"fromLineNum":101,"toLineNum":1,"logContent":"readLog fail, logFile not exists","isEnd":false,"end":false}`), nil,
		},
	} {
		if got := ask(new(room), c.method, c.path, c.body, c.kinds...); got != c.want {
			t.Errorf("%s: %s; want %s", c.name, got, c.want)
		}
	}
	for _, body := range []string{"", "{bad"} { // E11
		if got := ask(new(room), "POST", "/run", body); !strings.HasPrefix(got, `{"code":500,"msg":"Request error: `) {
			t.Errorf("run %q: %s", body, got)
		}
	}
}

// TestExecutorReads: the fields of a task that only the fork's servers send arrive, and
// their kills have their reason.
func TestExecutorReads(t *testing.T) {
	t.Parallel()
	r := new(room)
	ask(r, "POST", "/run", run(5, 1, "demo", "BEAN"))
	if r.task.Overlap != job.OverlapConcurrent || r.task.Concurrency != 3 || !r.task.PlannedAt.Equal(time.UnixMilli(1795227257000)) {
		t.Errorf("the task is %+v", r.task)
	}
	ask(r, "POST", "/kill", `{"jobId":7}`)
	if r.killed != "Admin scheduler kill request" {
		t.Errorf("killed for %q", r.killed)
	}
}

// TestOutcomes: the fork's servers receive ends in its words, under its header.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/orth-admin/api/callback" || r.Header.Get("Orth-Access-Token") != "tok" || r.Header["Xxl-Job-Access-Token"] != nil {
			t.Errorf("%s with %v", r.URL, r.Header)
		}
		bodies <- string(body)
		_, _ = io.WriteString(w, `{"code":200,"msg":"Success","data":null,"success":true}`)
	}))
	t.Cleanup(server.Close)
	client, err := xxl.NewAdminClient(xxl.AdminClientConfig{
		Addresses: []string{server.URL + "/orth-admin"}, Speeches: []dialect.Speech{Speech()}, Group: "app-x", Token: "tok",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for said, want := range map[string]string{
		"job execute timeout ": "Job execution timeout",
		"exit status 3":        "orth script execution failed with exit code: 3",
		"scheduling center kill job. [job running, killed]":                                     "Admin scheduler kill request [job running, killed]",
		"block strategy effect：Cover Early [job running, killed]":                               "Block strategy effect: Cover Early [job running, killed]",
		"web container destroy and kill the job. [job not executed, in the job queue, killed.]": "Executor shutdown - terminating job [job not executed, in queue, killed]",
		"it went wrong": "it went wrong",
	} {
		if err := client.SendOutcomes(t.Context(), []job.Outcome{{AttemptID: 1, State: job.Failed, Message: said}}); err != nil {
			t.Fatal(err)
		}
		if got := <-bodies; got != `[{"logId":1,"logDateTim":0,"handleCode":500,"handleMsg":"`+want+`"}]` {
			t.Errorf("%q is told as %s", said, got)
		}
	}
}
