package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alerting"
	"github.com/orthd/orth/internal/app/oldadmin"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/queries"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// oldLog is a script of the old log.
type oldLog struct {
	*testing.T
	server *Server
}

// post calls the page of the log and returns the status and the body of the answer.
func (l oldLog) post(token, call string, form url.Values) (int, string) {
	l.Helper()
	r, err := http.NewRequestWithContext(l.Context(), http.MethodPost, l.server.URL()+"/xxl-job-admin/joblog/"+call, strings.NewReader(form.Encode()))
	if err != nil {
		l.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header["XXL-JOB-ACCESS-TOKEN"] = []string{token}
	return send(l.T, r)
}

// read calls with the token of the API and decodes the answer.
func (l oldLog) read(call string, into any, pairs ...any) {
	l.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(fmt.Sprint(pairs[i]), fmt.Sprint(pairs[i+1]))
	}
	_, text := l.post(l.server.config.APIToken.Reveal(), call, form)
	if err := json.Unmarshal([]byte(text), into); err != nil {
		l.Fatalf("%s: %s: %v", call, text, err)
	}
}

// oldRow is what of a row is looked at.
type oldRow struct {
	ID      int64  `json:"id"`
	Group   int64  `json:"jobGroup"`
	Job     int64  `json:"jobId"`
	Handler string `json:"executorHandler"`
	Param   string `json:"executorParam"`
	Trigger int    `json:"triggerCode"`
	Handle  int    `json:"handleCode"`
	Message string `json:"handleMsg"`
	Alarm   int    `json:"alarmStatus"`
}

type oldTable struct {
	Total int      `json:"recordsTotal"`
	Data  []oldRow `json:"data"`
}

type oldAnswer struct {
	Code int    `json:"code"`
	Text string `json:"msg"`
	Data struct {
		Total   int      `json:"total"`
		Rows    []oldRow `json:"data"`
		Content string   `json:"logContent"`
		To      int      `json:"toLineNum"`
		End     bool     `json:"isEnd"`
	} `json:"data"`
}

// TestOldLog follows attempts on an executor through the page of the log: listed,
// read, killed and removed.
func TestOldLog(t *testing.T) {
	t.Parallel()
	s := begin(t)
	c, l := s.Jobs(), oldLog{t, s}
	fleet := assemble(t, s, 1)
	begun, taken := make(chan struct{}, 1), make(chan struct{})
	fleet.answering(func(ctx context.Context, _, _ int) error {
		switch {
		case len(fleet.of("long")) > 0:
			begun <- struct{}{}
			<-ctx.Done()
			return ctx.Err()
		case len(fleet.of("bad")) > 0:
			<-taken // else it may have failed before its acceptance is written
			return fmt.Errorf("not <today>")
		}
		return nil
	})
	for key, group := range map[string]string{"report": "g", "theirs": "h"} {
		_, err := c.CreateJob(t.Context(), job.Job{
			Key: key, Group: group, Handler: job.Handler{Kind: job.HandlerNamed, Name: "part"}, Schedule: schedule.Spec{Kind: schedule.KindManual},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	j, theirs := find(t, c, "report"), find(t, c, "theirs")
	l.addOld(j)
	over(t, c, trigger(t, c, "report", "good").ID)
	bad := trigger(t, c, "report", "bad")
	l.running(bad)
	close(taken)
	over(t, c, bad.ID)
	long := trigger(t, c, "report", "long")
	<-begun
	l.running(long)

	var table oldTable
	l.read("pageList", &table, "jobGroup", j.GroupID, "jobId", j.ID, "start", 0, "length", 10)
	want := []oldRow{
		{Param: "long", Trigger: 200}, {Param: "bad", Trigger: 200, Handle: 500, Message: "not <today>", Alarm: 2}, {Param: "good", Trigger: 200, Handle: 200},
	}
	if len(table.Data) != 3 || table.Total != 3 {
		t.Fatalf("the table is %+v", table)
	}
	for i := range want {
		got := table.Data[i]
		if want[i].Handle == 200 {
			want[i].Message = got.Message
		}
		want[i].ID, want[i].Group, want[i].Job, want[i].Handler = got.ID, j.GroupID, j.ID, "part"
		if diff := cmp.Diff(want[i], got); diff != "" {
			t.Errorf("row %d (-want +got):\n%s", i, diff)
		}
	}
	for _, q := range []struct {
		group, job int64
		status     int
		params     []string
	}{
		{j.GroupID, 0, -1, []string{"bad", "good"}},
		{j.GroupID, j.ID, 1, nil},
		{j.GroupID, 0, 2, nil},
		{0, j.ID, 3, nil},
		{theirs.GroupID, j.ID, -1, nil},
		{theirs.GroupID, 0, -1, nil},
		{0, theirs.ID, -1, nil},
	} {
		var paged oldAnswer
		l.read("pageList", &paged, "jobGroup", q.group, "jobId", q.job, "logStatus", q.status, "offset", 1, "pagesize", 2)
		total := map[bool]int{true: 3, false: 1}[q.status == -1]
		if q.group == theirs.GroupID || q.job == theirs.ID {
			total = 0
		}
		var params []string
		for _, row := range paged.Data.Rows {
			params = append(params, row.Param)
		}
		if diff := cmp.Diff(q.params, params); diff != "" || paged.Code != 200 || paged.Data.Total != total {
			t.Errorf("%+v: %+v", q, paged)
		}
	}

	// The address comes from the row, whatever the request says (A13).
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the canary was called") }))
	defer canary.Close()
	from, text := 1, ""
	until(t, "the log is read to its end", func() bool {
		var page oldAnswer
		l.read("logDetailCat", &page, "logId", table.Data[1].ID, "fromLineNum", from, "executorAddress", canary.URL, "triggerTime", 0)
		if text += page.Data.Content; page.Data.Content != "" {
			from = page.Data.To + 1
		}
		return page.Data.End
	})
	if !strings.Contains(text, "not &lt;today&gt;") {
		t.Errorf("the log is %q", text)
	}

	// Kill: what runs, once, and nothing that is over.
	var killed oldAnswer
	if l.read("logKill", &killed, "id", table.Data[0].ID); killed.Code != 200 {
		t.Errorf("%+v", killed)
	}
	const who, kind = "system", "system"
	if got := newestLines(t, l.server, 1); len(got) != 1 || !strings.HasPrefix(got[0], who+" "+kind+" 127.0.0.1 cancel-run default/") {
		t.Errorf("of the kill the audit says %q", got)
	}
	if r := over(t, c, long.ID); r.State != job.Cancelled {
		t.Errorf("the run that was killed is %s: %s", r.State, r.Reason)
	}
	for _, row := range table.Data {
		if l.read("logKill", &killed, "id", row.ID); killed.Code != 500 {
			t.Errorf("attempt %d again: %+v", row.ID, killed)
		}
	}

	l.cleans(j, theirs)
}

// running waits until it is written that an executor has the run.
func (l oldLog) running(r job.Run) {
	l.Helper()
	until(l.T, "the answer of the executor is written", func() bool {
		now, err := l.server.Jobs().Run(l.Context(), r.ID)
		return err == nil && now.State == job.Running
	})
}

// addOld writes a run of the job that ended an hour ago.
func (l oldLog) addOld(j job.Job) {
	l.Helper()
	id, err := l.server.store.NextRunID(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	old := time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond)
	err = l.server.store.AddRun(l.Context(), job.Run{
		ID: id, JobID: j.ID, GroupID: j.GroupID, PlannedAt: old, Cause: job.CauseManual, CauseID: id, State: job.Skipped, CreatedAt: old, EndedAt: old,
	})
	if err != nil {
		l.Fatal(err)
	}
}

// cleans removes rows; those that ended a moment ago stay.
func (l oldLog) cleans(j, theirs job.Job) {
	l.Helper()
	count := func() int {
		runs, err := l.server.Jobs().Runs(l.Context(), jobrows.RunFilter{JobID: j.ID})
		if err != nil {
			l.Fatal(err)
		}
		return len(runs)
	}
	for _, c := range []struct {
		group, job int64
		kind, code int
		left       int
	}{
		{theirs.GroupID, j.ID, 9, 500, 4},
		{j.GroupID, theirs.ID, 9, 500, 4},
		{j.GroupID, 0, 9, 500, 4},
		{j.GroupID, j.ID, 10, 500, 4},
		{j.GroupID, j.ID, 1, 200, 4},
		{j.GroupID, j.ID, 5, 200, 4},
		{j.GroupID, j.ID, 9, 200, 3},
		{0, j.ID, 9, 200, 3},
	} {
		var done oldAnswer
		if l.read("clearLog", &done, "jobGroup", c.group, "jobId", c.job, "type", c.kind); done.Code != c.code || count() != c.left {
			l.Errorf("%+v: %+v, %d runs are left", c, done, count())
		}
	}
}

// TestOldLogOfStrangers is A17, A28 and A35: tokens of executors, of the group whose run it
// is as well as of another one, open nothing of the log, and whether a row is there they do
// not learn. What people may do is in TestOldAdminRights.
func TestOldLogOfStrangers(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	l := oldLog{t, f.Server}
	r := trigger(t, f.Jobs(), "report", "x")
	before := rows(t, f.Server)
	answers := map[string]bool{}
	for _, token := range []string{"", "default_token", f.mine, f.its, f.config.ExecutorToken.Reveal(), f.config.AdmitSharedToken.Reveal()} {
		for _, id := range []int64{1, r.ID, 4711} {
			for _, call := range []string{"pageList", "logDetailCat", "logKill", "clearLog"} {
				form := url.Values{"jobId": {fmt.Sprint(id)}, "logId": {fmt.Sprint(id)}, "id": {fmt.Sprint(id)}, "type": {"9"}}
				status, text := l.post(token, call, form)
				if answers[text] = true; status != http.StatusUnauthorized {
					t.Errorf("%s of %d: %d %s", call, id, status, text)
				}
			}
		}
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
}

func TestTellings(t *testing.T) {
	t.Parallel()
	sent := []alarm.Delivery{alarm.Sent}
	tried := func(state, run job.State, last int64) *queries.Tried {
		return &queries.Tried{Attempt: job.Attempt{ID: 5, State: state}, Run: job.Run{ID: 8, State: run, AttemptID: last}}
	}
	shard := tried(job.Failed, job.Failed, 5)
	shard.Run.Cause, shard.Run.CauseID = job.CauseShard, 9
	for name, c := range map[string]struct {
		tried  *queries.Tried
		looked bool
		again  bool
		heard  int
	}{
		"it runs":              {tried(job.Running, job.Running, 5), false, false, 0},
		"another try follows":  {tried(job.Failed, job.WaitingRetry, 5), true, true, 0},
		"another try followed": {tried(job.Failed, job.Failed, 6), true, true, 0},
		"the last try":         {tried(job.Failed, job.Failed, 5), true, false, 1},
		"a shard":              {shard, false, false, 0},
	} {
		got := oldadmin.Telling(c.tried, map[int64]alerting.Outcome{8: {Messages: sent}, 9: {Waiting: true}})
		if got.Looked != c.looked || got.Again != c.again || len(got.Messages) != c.heard {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
