package xxl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
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

const logToken = "s3cr3t-t0ken"

// logRoom has rows 1 to 6 of job 7, which is of group 3, and notes what is done.
type logRoom struct {
	query   *LogQuery
	from    int
	page    job.LogPage
	err     error // of each question
	done    string
	batches int // that are to be removed
}

func (l *logRoom) List(_ context.Context, q LogQuery) ([]LogRow, int, error) {
	l.query = &q
	return logRows(), 6, l.err
}

func (l *logRoom) Row(_ context.Context, id int64) (LogRow, error) {
	if rows := logRows(); id <= int64(len(rows)) {
		return rows[id-1], l.err
	}
	return LogRow{}, job.Errorf(job.NotFound, "attempt %d does not exist", id)
}

func (l *logRoom) Lines(_ context.Context, _ *LogRow, from int) (job.LogPage, error) {
	l.from = from
	return l.page, l.err
}

func (l *logRoom) Kill(_ context.Context, row *LogRow, reason string) error {
	l.done += fmt.Sprintf("kill run %d: %s;", row.Run.ID, reason)
	return l.err
}

func (l *logRoom) Clean(ctx context.Context, jobID, group int64, what job.Cleaning) (bool, error) {
	if jobID != 7 || group != 0 && group != 3 {
		return false, job.Errorf(job.NotFound, "group %d has no job %d", group, jobID)
	}
	if err := ctx.Err(); err != nil {
		return true, err
	}
	l.done += fmt.Sprintf("clean %d keep %d before %t;", jobID, what.Keep, !what.Before.IsZero())
	l.batches--
	return l.batches > 0, l.err
}

func (l *logRoom) take() string {
	done := l.done
	l.done = ""
	return done
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

func logDoor(room *logRoom) *JobLogHandler {
	return NewJobLogHandler(JobLogConfig{
		Attempts: room, Changes: room, Token: logToken, Zone: time.FixedZone("", 8*3600),
	})
}

// script posts a form with the token.
func script(t *testing.T, h http.Handler, call, form string) (int, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/xxl-job-admin/joblog/"+call, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=UTF-8")
	r.Header.Set("Authorization", "Bearer "+logToken)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if !json.Valid(w.Body.Bytes()) {
		t.Errorf("%s %s: no JSON: %s", call, form, w.Body)
	}
	return w.Code, w.Body.String()
}

// TestLogListEnvelopes compares both envelopes with what is in testdata.
func TestLogListEnvelopes(t *testing.T) {
	t.Parallel()
	for name, form := range map[string]string{
		"joblog_table.json": "jobGroup=3&jobId=7&start=0&length=10", "joblog_paged.json": "jobGroup=3&jobId=7&offset=0&pagesize=10",
	} {
		_, got := script(t, logDoor(new(logRoom)), callLogList, form)
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
	zone := time.FixedZone("", 8*3600)
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
		room := new(logRoom)
		if _, got := script(t, logDoor(room), callLogList, form); room.query == nil {
			t.Errorf("%s: %s", form, got)
		} else if diff := cmp.Diff(want, *room.query); diff != "" {
			t.Errorf("%s (-want +got):\n%s", form, diff)
		}
	}
	for form, want := range map[string]string{
		"": textNoRows, "jobGroup=0&jobId=0": textNoRows, "jobGroup=-1": textNoRows,
		"jobId=x": "jobId: is no whole number", "jobId=9223372036854775808": "jobId: is no whole number", "jobId=7&jobGroup=0x1": "jobGroup: ",
		"jobId=7&length=201": "length: 201 is not between 1 and 200", "jobId=7&length=-1": "length: -1", "jobId=7&pagesize=0": "pagesize: 0",
		"jobId=7&start=10001": "start: 10001 is not", "jobId=7&offset=-1": "offset: -1", "jobId=7&logStatus=all": "logStatus: ",
		"jobId=7&filterTime=2026-03-01": "filterTime: ", "jobId=7&filterTime=a+-+b": "filterTime: ", "jobId=7&filterTime=2026-03-01+00:00:00+-+2026-13-01+00:00:00": "filterTime: ",
		"jobId=1'+OR+'1'='1": "jobId: is no whole number", "jobId=%zz": "no form", "a;b=1": "no form",
	} {
		room := new(logRoom)
		if _, got := script(t, logDoor(room), callLogList, form); !strings.HasPrefix(got, `{"code":500,"msg":"`) || !strings.Contains(got, want) || room.query != nil {
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
		room := &logRoom{page: c.page}
		_, got := script(t, logDoor(room), callLogLines, c.form)
		if want := `{"code":200,"msg":"Success","data":` + c.want + `,"content":` + c.want + `}`; got != want || room.from != c.from {
			t.Errorf("%s: %s from %d", name, got, room.from)
		}
	}
	for form, want := range map[string]string{"": textNoLog, "logId=99": textNoLog, "logId=-1": textNoLog, "logId=x": "logId: ", "logId=2&fromLineNum=x": "fromLineNum: "} {
		if _, got := script(t, logDoor(new(logRoom)), callLogLines, form); !strings.HasPrefix(got, `{"code":500,"msg":"`+want) {
			t.Errorf("%s: %s", form, got)
		}
	}
}

// TestLogKill: only what an executor has, and has not ended, is killed.
func TestLogKill(t *testing.T) {
	t.Parallel()
	for form, c := range map[string]struct{ want, done string }{
		"id=2":  {executorSuccess, "kill run 12: " + textKillByHand + ";"},
		"id=3":  {`{"code":500,"msg":"` + textNoKill, ""},
		"id=4":  {`{"code":500,"msg":"` + textNoKill, ""},
		"id=1":  {`{"code":500,"msg":"it is over already: its state is succeeded`, ""},
		"id=5":  {`{"code":500,"msg":"it is over already: its state is timed_out`, ""},
		"id=99": {`{"code":500,"msg":"` + textNoLog, ""},
		"":      {`{"code":500,"msg":"` + textNoLog, ""},
		"id=2x": {`{"code":500,"msg":"id: is no whole number`, ""},
	} {
		room := new(logRoom)
		if _, got := script(t, logDoor(room), callLogKill, form); !strings.HasPrefix(got, c.want) || room.done != c.done {
			t.Errorf("%s: %s, %q", form, got, room.done)
		}
	}
}

func TestLogClean(t *testing.T) {
	t.Parallel()
	for form, c := range map[string]struct {
		batches    int
		want, done string
	}{
		"jobGroup=3&jobId=7&type=1": {1, executorSuccess, "clean 7 keep 0 before true;"},
		"jobGroup=0&jobId=7&type=5": {1, executorSuccess, "clean 7 keep 1000 before false;"},
		"jobId=7&type=9":            {3, executorSuccess, strings.Repeat("clean 7 keep 0 before false;", 3)},
		"jobGroup=4&jobId=7&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=8&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=0&type=9": {1, `{"code":500,"msg":"` + textNoJob, ""},
		"jobGroup=3&jobId=7&type=0": {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=10":           {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=4294967305":   {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7":                   {1, `{"code":500,"msg":"` + textNoCleaning, ""},
		"jobId=7&type=all":          {1, `{"code":500,"msg":"type: is no whole number`, ""},
	} {
		room := &logRoom{batches: c.batches}
		if _, got := script(t, logDoor(room), callLogClean, form); !strings.HasPrefix(got, c.want) || room.done != c.done {
			t.Errorf("%s: %s, %q", form, got, room.done)
		}
	}
	room := &logRoom{batches: 1 << 30}
	h := logDoor(room)
	h.config.Timeout = 10 * time.Millisecond
	if status, got := script(t, h, callLogClean, "jobId=7&type=9"); status != http.StatusServiceUnavailable || !strings.Contains(got, textUncleaned) {
		t.Errorf("without an end: %d %s", status, got)
	}
}

// TestLogTroubles: what is inside is not told, and what may work again says so.
func TestLogTroubles(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{errors.New("sqlite: /secret"), http.StatusServiceUnavailable, textInternal},
		{job.Errorf(job.Unavailable, "executor http://10.0.0.1:9999/ is away"), http.StatusServiceUnavailable, "is away"},
		{job.Errorf(job.Conflict, "run 12 is over"), http.StatusOK, "run 12 is over"},
	} {
		var log lockedText
		for call, form := range map[string]string{callLogList: "jobId=7", callLogLines: "logId=2", callLogKill: "id=2"} {
			h := logDoor(&logRoom{err: c.err})
			h.config.Logger = slog.New(slog.NewTextHandler(&log, nil))
			if status, got := script(t, h, call, form); status != c.status || !strings.HasPrefix(got, `{"code":500,"msg":"`) || !strings.Contains(got, c.want) || strings.Contains(got, "secret") {
				t.Errorf("%s, %v: %d %s", call, c.err, status, got)
			}
		}
		if told := strings.Contains(log.String(), "serve a script of the old log"); told != (c.status != http.StatusOK) {
			t.Errorf("%v: log: %s", c.err, log.String())
		}
	}
	h := logDoor(new(logRoom))
	for range maxLogBusy {
		h.busy <- struct{}{}
	}
	if status, got := script(t, h, callLogList, "jobId=7"); status != http.StatusServiceUnavailable || !strings.Contains(got, textTooManyLogs) {
		t.Errorf("while others are served: %d %s", status, got)
	}
}

// TestHostileRequestsToTheLog is A13, A17, A28, A29 and A35: without the token no call
// tells or changes anything, whether the id is there or not; and with it, nothing
// malformed does.
func TestHostileRequestsToTheLog(t *testing.T) {
	t.Parallel()
	room := &logRoom{batches: 1}
	addr := serve(t, logDoor(room))
	const form = "Content-Type: application/x-www-form-urlencoded\r\n"
	const refused = `{"code":401,"msg":"the request must show the token of the API","content":null,"data":null}`
	wrong := wrongTokens()
	delete(wrong, "as a bearer") // the right way here
	wrong["as another scheme"] = "Authorization: Basic " + logToken + "\r\n"
	wrong["two bearers"] = "Authorization: Bearer x\r\nAuthorization: Bearer " + logToken + "\r\n"
	wrong["an executor's token"] = "XXL-JOB-ACCESS-TOKEN: orthg_a\r\n"
	targets := []string{
		"/joblog/pageList", "/xxl-job-admin/joblog/logDetailCat", "/orth-admin/joblog/logKill", "/joblog/clearLog", "/joblog/nothing",
		"/joblog/logDetailCat?executorAddress=http://10.9.9.9/&triggerTime=0&logId=2&fromLineNum=1",
	}
	var attacks []attack
	for name, headers := range wrong {
		for _, target := range targets {
			for _, body := range []string{"jobId=7&logId=2&id=2&type=9", "jobId=8&logId=99&id=99&type=9", "token=" + logToken + "&accessToken=" + logToken + "&id=2", "%zz"} {
				attacks = append(attacks, attack{"A13 A17 A28 A35 " + target + ", " + name, hostile("POST", target, form+headers, body), "401 Unauthorized", refused})
			}
			attacks = append(attacks, attack{"GET " + target + ", " + name, hostile("GET", target, headers, ""), "401 Unauthorized", refused})
		}
	}
	const shown = form + "Authorization: Bearer " + logToken + "\r\n"
	for name, body := range nonsense() {
		if name == "a form" {
			continue
		}
		for call, want := range map[string]string{callLogList: textNoRows, callLogLines: textNoLog, callLogKill: textNoLog, callLogClean: textNoJob} {
			a := attack{name: call + ", " + name, request: hostile("POST", "/joblog/"+call, shown, body), want: want}
			if _, err := url.ParseQuery(body); err != nil {
				a.status, a.want = "400 Bad Request", "no form"
			}
			if name == "a number like a bomb" {
				a.request = hostile("POST", "/joblog/"+call, strings.Replace(shown, "x-www-form-urlencoded", "json", 1), body)
				a.status, a.want = "415 Unsupported", "must be of the type"
			}
			attacks = append(attacks, a)
		}
	}
	for _, call := range []string{callLogKill, callLogClean} {
		for _, method := range []string{"GET", "PUT", "DELETE", "TRACE", "post"} {
			attacks = append(attacks, attack{name: "A29 " + method + " " + call, request: hostile(method, "/joblog/"+call+"?id=2&jobId=7&type=9", shown, ""), status: "405 Method Not Allowed"})
		}
	}
	attacks = append(attacks,
		attack{"A17 another group", hostile("POST", "/joblog/clearLog", shown, "jobGroup=4&jobId=7&type=9"), "", textNoJob},
		attack{"too large", hostile("POST", "/joblog/logKill", shown, "x="+strings.Repeat("y", maxLogBody)+"&id=2"), "413 Request Entity Too Large", "over 64 KiB"},
		attack{"a long number", hostile("POST", "/joblog/logKill", shown, "id="+strings.Repeat("2", 9000)), "", "id: is no whole number"},
		attack{"9,000 ids", hostile("POST", "/joblog/logKill", shown, strings.Repeat("id=&", 9_000)), "", textNoLog},
		attack{"an unknown name", hostile("POST", "/joblog/logKill/", shown, "id=2"), "404 Not Found", textPathUnknown},
	)
	strike(t, addr, attacks, room.take)
	for _, headers := range []string{"Authorization: bearer " + logToken, "XXL-JOB-ACCESS-TOKEN: " + logToken, "ORTH-ACCESS-TOKEN: " + logToken} {
		strike(t, addr, []attack{{headers, hostile("GET", "/joblog/pageList?jobId=7", headers+"\r\n", ""), "", `"recordsTotal":6`}}, room.take)
	}
	open := NewJobLogHandler(JobLogConfig{Attempts: room, Changes: room})
	if status, _ := script(t, open, callLogKill, "id=2"); status != http.StatusUnauthorized || room.done != "" {
		t.Errorf("without a token of the server: %d, %q", status, room.done)
	}
}

func FuzzLogForm(f *testing.F) {
	f.Add("jobGroup=3&jobId=7&logStatus=1&filterTime=2026-03-01+00:00:00+-+2026-03-01+23:59:59&offset=1&pagesize=2")
	f.Add("jobId=%00&start=-1;length")
	f.Fuzz(func(t *testing.T, text string) {
		values, err := url.ParseQuery(text)
		if err != nil {
			return
		}
		q, err := (&logForm{values}).query(time.UTC)
		switch {
		case err != nil && !job.Is(err, job.Invalid):
			t.Errorf("%v", err)
		case err == nil && (q.JobID <= 0 && q.Group <= 0 || q.Limit < 1 || q.Limit > maxLogRows || q.Offset < 0 || q.Offset > maxLogOffset):
			t.Errorf("%+v", q)
		}
	})
}
