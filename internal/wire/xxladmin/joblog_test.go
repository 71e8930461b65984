package xxladmin

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

// logRoom has rows 1 to 6 of job 7, which is of group 3, and notes what is asked.
type logRoom struct {
	query   *LogQuery
	from    int
	page    job.LogPage
	err     error // of each question
	batches int   // that are to be removed
}

func (l *logRoom) List(_ context.Context, q LogQuery) ([]LogRow, int, error) {
	l.query = &q
	return logRows(), 6, l.err
}

func (l *logRoom) Row(_ context.Context, id int64) (LogRow, error) {
	if rows := logRows(); id > 0 && id <= int64(len(rows)) {
		return rows[id-1], l.err
	}
	return LogRow{}, job.Errorf(job.NotFound, "attempt %d does not exist", id)
}

func (l *logRoom) Lines(_ context.Context, _ *LogRow, from int) (job.LogPage, error) {
	l.from = from
	return l.page, l.err
}

// logRows is a row of each kind.
func logRows() []LogRow {
	at := func(seconds int) time.Time {
		return time.Date(2026, 3, 1, 23, 59, 59, 999e6, time.UTC).Add(time.Duration(seconds) * time.Second)
	}
	j := job.Job{
		ID: 7, Handler: job.Handler{Kind: job.HandlerNamed, Name: "report<b>"}, Param: "größe=1", Retry: retry.Policy{Tries: 2},
	}
	row := func(id int64, state job.State, edit func(*LogRow)) LogRow {
		r := LogRow{
			Attempt: job.Attempt{
				ID: id, RunID: 10 + id, JobID: 7, Number: 1, Address: "http://10.0.0.1:9999/", State: state, TriggeredAt: at(0), AcceptedAt: at(1), EndedAt: at(2),
			},
			Run: job.Run{ID: 10 + id, JobID: 7, GroupID: 3, State: state, AttemptID: id}, Job: j,
		}
		if !state.Final() {
			r.Attempt.EndedAt = time.Time{}
		}
		edit(&r)
		return r
	}
	return []LogRow{
		row(1, job.Succeeded, func(r *LogRow) { r.Attempt.Message = `done <i> & "gone"` }),
		row(2, job.Running, func(r *LogRow) { r.Run.Param, r.Run.Shard = new("x"), job.Shard{Index: 1, Total: 3} }),
		row(3, job.Dispatched, func(r *LogRow) { r.Attempt.AcceptedAt = time.Time{} }),
		row(4, job.Failed, func(r *LogRow) {
			r.Attempt.AcceptedAt, r.Attempt.Message, r.Telling = time.Time{}, "refused <script>", Telling{Looked: true, Messages: []alarm.Delivery{alarm.GivenUp}}
		}),
		row(5, job.TimedOut, func(r *LogRow) { r.Attempt.Number, r.Telling = 2, Telling{Again: true} }),
		row(6, job.Lost, func(r *LogRow) { r.Job, r.Telling = job.Job{}, Telling{Looked: true} }),
	}
}

// TestLogListEnvelopes compares both envelopes with what is in testdata.
func TestLogListEnvelopes(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"joblog_table.json": "jobGroup=3&jobId=7&start=0&length=10", "joblog_paged.json": "jobGroup=3&jobId=7&offset=0&pagesize=10",
	} {
		_, got := post(t, newWorld().handler(t), "joblog/pageList", form)
		got = strings.ReplaceAll(got, `,{"id"`, ",\n{\"id\"") + "\n"
		path := filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLogListQuery(t *testing.T) {
	t.Parallel()
	zone := time.FixedZone("", 8*3600) // as that of the world
	from, to := time.Date(2026, 3, 1, 0, 0, 0, 0, zone), time.Date(2026, 3, 2, 0, 0, 0, 0, zone)
	const day = "filterTime=2026-03-01+00%3A00%3A00+-+2026-03-01+23%3A59%3A59"
	for form, want := range map[string]LogQuery{
		"jobId=7":             {JobID: 7, Status: LogAny, Limit: 10},
		"jobGroup=3&jobId=0":  {Group: 3, Status: LogAny, Limit: 10},
		"jobGroup=3&jobId=-1": {Group: 3, Status: LogAny, Limit: 10},
		"jobGroup=3&jobId=7&logStatus=1&start=20&length=200":  {JobID: 7, Group: 3, Status: LogSuccess, Offset: 20, Limit: 200},
		"jobId=7&logStatus=2&offset=10000&pagesize=1&start=5": {JobID: 7, Status: LogFailure, Offset: 10_000, Limit: 1},
		"jobId=7&logStatus=3&" + day:                          {JobID: 7, Status: LogRunning, Since: from, Until: to, Limit: 10},
		"jobId=7&logStatus=9&filterTime=&x=y":                 {JobID: 7, Status: LogAny, Limit: 10},
		"jobId=7&jobId=8":                                     {JobID: 7, Status: LogAny, Limit: 10},
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "joblog/pageList", form); w.log.query == nil {
			t.Errorf("%s: %s", form, got)
		} else if diff := cmp.Diff(want, *w.log.query, cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
	for form, want := range map[string]string{
		"": textNoRows, "jobGroup=0&jobId=0": textNoRows, "jobGroup=-1": textNoRows,
		`jobId=x`: `jobId: \"x\" is not a whole number`, "jobId=9223372036854775808": "jobId: ", "jobId=7&jobGroup=0x1": "jobGroup: ",
		"jobId=7&length=-1": "length: -1", "jobId=7&pagesize=0": "pagesize: 0",
		"jobId=7&start=10001": "start: 10001 is more than", "jobId=7&offset=-1": "offset: -1", "jobId=7&logStatus=all": "logStatus: ",
		"jobId=7&filterTime=2026-03-01": "filterTime: ", "jobId=7&filterTime=a+-+b": "filterTime: ", "jobId=7&filterTime=2026-03-01+00:00:00+-+2026-13-01+00:00:00": "filterTime: ",
		"jobId=1'+OR+'1'='1": "jobId: ", "jobId=%zz": "no form", "a;b=1": "no form",
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "joblog/pageList", form); !strings.HasPrefix(got, `{"code":500,"msg":"`) || !strings.Contains(got, want) || w.log.query != nil {
			t.Errorf("%s: %s; want %s", form, got, want)
		}
	}
}

func TestLogLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		form string
		page job.LogPage
		from int
		want string
	}{
		"lines": {
			"logId=2&fromLineNum=3&executorAddress=http://10.9.9.9/&triggerTime=0",
			job.LogPage{From: 3, To: 4, Text: "<b>\"a\" & 'b'\n", End: true},
			3,
			`{"fromLineNum":3,"toLineNum":4,"logContent":"&lt;b&gt;&#34;a&#34; &amp; &#39;b&#39;\n","isEnd":false,"end":false}`,
		},
		"the end":     {"logId=1&fromLineNum=5", job.LogPage{From: 5, To: 4, End: true}, 5, `{"fromLineNum":5,"toLineNum":4,"logContent":"","isEnd":true,"end":true}`},
		"not the end": {"logId=2&fromLineNum=5", job.LogPage{From: 5, To: 4}, 5, `{"fromLineNum":5,"toLineNum":4,"logContent":"","isEnd":false,"end":false}`},
		"the echo":    {"logId=2&fromLineNum=-2", job.LogPage{From: 1, To: 0}, 1, `{"fromLineNum":-2,"toLineNum":0,"logContent":"","isEnd":false,"end":false}`},
		"no number":   {"logId=2", job.LogPage{From: 1, To: 0}, 1, `{"fromLineNum":1,"toLineNum":0,"logContent":"","isEnd":false,"end":false}`},
	} {
		w := newWorld()
		w.log.page = c.page
		_, got := post(t, w.handler(t), "joblog/logDetailCat", c.form)
		if want := `{"code":200,"msg":null,"content":` + c.want + `,"data":` + c.want + `}`; got != want || w.log.from != c.from {
			t.Errorf("%s: %s from %d", name, got, w.log.from)
		}
	}
	for form, want := range map[string]string{"": textNoLog, "logId=99": textNoLog, "logId=-1": textNoLog, "logId=x": "logId: ", "logId=2&fromLineNum=x": "fromLineNum: "} {
		if _, got := post(t, newWorld().handler(t), "joblog/logDetailCat", form); !strings.HasPrefix(got, `{"code":500,"msg":"`+want) {
			t.Errorf("%s: %s", form, got)
		}
	}
}

// done is the answer to what was carried out, when nothing reveals the generation.
const done = `{"code":200,"msg":null,"content":null,"data":null}`

// TestLogKill: only what an executor has, and has not ended, is killed.
func TestLogKill(t *testing.T) {
	t.Parallel()
	for form, c := range map[string]struct{ want, request string }{
		"id=2":  {done, `a token: POST /api/v1/runs/12/cancel {"reason":"` + textKillByHand + `"}`},
		"id=3":  {`{"code":500,"msg":"` + textNoKill, ""},
		"id=4":  {`{"code":500,"msg":"` + textNoKill, ""},
		"id=1":  {`{"code":500,"msg":"it is over already: its state is succeeded`, ""},
		"id=5":  {`{"code":500,"msg":"it is over already: its state is timed_out`, ""},
		"id=99": {`{"code":500,"msg":"` + textNoLog, ""},
		"":      {`{"code":500,"msg":"` + textNoLog, ""},
		"id=2x": {`{"code":500,"msg":"id: `, ""},
	} {
		w := newWorld()
		if _, got := post(t, w.handler(t), "joblog/logKill", form); !strings.HasPrefix(got, c.want) || w.take() != c.request {
			t.Errorf("%s: %s, %q", form, got, w.requests)
		}
	}
}

func TestLogClean(t *testing.T) {
	t.Parallel()
	const request = `a token: POST /api/v1/runs/clean {"job":"nightly-report","namespace":"default"`
	for form, c := range map[string]struct {
		batches       int
		want, request string
	}{
		"jobGroup=3&jobId=7&type=5": {1, done, request + `,"keep":1000}`},
		"jobGroup=0&jobId=7&type=9": {1, done, request + `,"all":true}`},
		"jobId=7&type=9":            {3, done, strings.Repeat(request+`,"all":true}`+"\n", 2) + request + `,"all":true}`},
		"jobGroup=4&jobId=7&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=8&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=0&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=7&type=0": {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=10":           {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=4294967305":   {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7":                   {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=all":          {1, `{"code":500,"msg":"type: `, ""},
	} {
		w := newWorld()
		w.log.batches = c.batches
		if _, got := post(t, w.handler(t), "joblog/clearLog", form); !strings.HasPrefix(got, c.want) || w.take() != c.request {
			t.Errorf("%s: %s, %q", form, got, w.requests)
		}
	}
	w := newWorld()
	w.log.batches = 1
	if _, got := post(t, w.handler(t), "joblog/clearLog", "jobGroup=3&jobId=7&type=1"); got != done {
		t.Error(got)
	}
	// One month before is 28 to 31 days before.
	age, is := strings.CutPrefix(w.take(), request+`,"older_than":"`)
	age, _, _ = strings.Cut(age, `"`)
	if d, err := time.ParseDuration(age); err != nil || !is || d < 27*24*time.Hour || d > 32*24*time.Hour {
		t.Errorf("one month is %q, %v", age, err)
	}
	w = newWorld()
	w.log.batches = 1 << 30
	h := w.handler(t, func(c *Config) { c.Timeout = 10 * time.Millisecond })
	if status, got := post(t, h, "joblog/clearLog", "jobId=7&type=9"); status != http.StatusServiceUnavailable || !strings.Contains(got, textUncleaned) {
		t.Errorf("without an end: %d %s", status, got)
	}
}

// TestLogTroubles: internal errors are not returned, and a failure that a retry may mend
// has a status of its own.
func TestLogTroubles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{errInside, http.StatusServiceUnavailable, textInternal},
		{job.Errorf(job.Unavailable, "executor http://10.0.0.1:9999/ is away"), http.StatusServiceUnavailable, "is away"},
		{job.Errorf(job.Conflict, "run 12 is over"), http.StatusOK, "run 12 is over"},
	} {
		for call, form := range map[string]string{"joblog/pageList": "jobId=7", "joblog/logDetailCat": "logId=2", "joblog/logKill": "id=2"} {
			var log strings.Builder
			w := newWorld()
			w.log.err = c.err
			h := w.handler(t, func(config *Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
			if status, got := post(t, h, call, form); status != c.status || !strings.HasPrefix(got, `{"code":500,"msg":"`) || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("%s, %v: %d %s", call, c.err, status, got)
			}
			if told := strings.Contains(log.String(), "sqlite: /secret"); told != (c.err == errInside) { //nolint:errorlint // The very error.
				t.Errorf("%v: log: %s", c.err, log.String())
			}
		}
	}
	h := newWorld().handler(t)
	for range maxBusy {
		h.busy <- struct{}{}
	}
	for _, call := range []string{"joblog/pageList", "jobinfo/pageList", "jobgroup/pageList", "joblog/logDetailCat", "joblog/getJobsByGroup"} {
		if status, got := post(t, h, call, "jobId=7&jobGroup=3&logId=2"); status != http.StatusServiceUnavailable || !strings.Contains(got, "ask again") {
			t.Errorf("%s while others are served: %d %s", call, status, got)
		}
	}
}
