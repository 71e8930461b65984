package api_test

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

var instant = time.Date(2030, 1, 31, 8, 0, 0, 123e6, time.UTC)

func fullJob() job.Job {
	return job.Job{
		ID: 7, Namespace: "default", Key: "report", Title: "Report", GroupID: 3, Group: "reports",
		Schedule:      schedule.Spec{Kind: schedule.KindEvery, Every: 90 * time.Second, Anchor: instant, DST: &schedule.DST{Gap: schedule.GapAfter, Overlap: schedule.OverlapBoth, Straight: true}},
		Misfire:       schedule.MisfireFireOnce,
		MisfireLimits: schedule.MisfireLimits{Threshold: time.Second, Window: time.Hour, Max: 7, Spacing: time.Minute},
		StopAfter:     5, StopReason: "stopped", HeldBy: "nights", Fired: 3, Failures: 2,
		Handler: job.Handler{Kind: job.HandlerShell, Source: "echo <hi> & bye", SourceAt: instant},
		Param:   "p", Route: job.RouteFailover, Overlap: job.OverlapConcurrent, Concurrency: 4,
		OverlapScope: job.ScopeCluster, OverlapQueue: 50,
		Labels: map[string]string{"team": "data", "b": ""}, Timeout: time.Minute,
		Retry: retry.Policy{
			Tries: 3, Initial: time.Second, Multiplier: 2, Max: time.Minute, Jitter: 0.1,
			Delays: []time.Duration{time.Second, time.Hour}, On: []string{retry.OnLost},
		},
		OnCrash: job.CrashRerun, Children: []job.Child{{JobID: 8, Key: "mail"}, {JobID: 9, On: job.ChildOnFailure, Param: "{{result}}"}}, Enabled: true, Version: 4,
		NextAt: instant, LastAt: instant.Add(-time.Minute), CreatedAt: instant, UpdatedAt: instant,
	}
}

func TestFromJob(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(api.FromJob(fullJob()))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":7,"namespace":"default","key":"report","title":"Report","group":"reports",` +
		`"schedule":{"kind":"every","every":"1m30s","anchor":"2030-01-31T08:00:00.123Z","dst":{"gap":"fire_after","overlap":"both","straight":true}},"misfire":"fire_once",` +
		`"misfire_limits":{"threshold":"1s","window":"1h0m0s","max":7,"spacing":"1m0s"},` +
		`"handler":{"kind":"shell","source":"echo \u003chi\u003e \u0026 bye","source_at":"2030-01-31T08:00:00.123Z"},` +
		`"param":"p","route":"failover","overlap":"concurrent","concurrency":4,"overlap_scope":"cluster","overlap_queue":50,"labels":{"b":"","team":"data"},"timeout":"1m0s",` +
		`"retry":{"tries":3,"initial":"1s","multiplier":2,"max":"1m0s","jitter":0.1,"delays":["1s","1h0m0s"],"on":["lost"]},"on_crash":"rerun",` +
		`"children":[{"id":8,"key":"mail","on":"success"},{"id":9,"on":"failure","param":"{{result}}"}],"stop_after":5,"enabled":true,"stop_reason":"stopped","held_by":"nights","fired":3,"failures":2,"version":4,"next_at":"2030-01-31T08:00:00.123Z",` +
		`"last_at":"2030-01-31T07:59:00.123Z","created_at":"2030-01-31T08:00:00.123Z","updated_at":"2030-01-31T08:00:00.123Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestFromInstance: a job that follows its template shows no code, one that pins
// a version shows that.
func TestFromInstance(t *testing.T) {
	t.Parallel()
	text := func(j job.Job) string {
		t.Helper()
		out, err := json.Marshal(api.FromJob(j))
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	j := job.Job{Template: 5, TemplateKey: "base"}
	if got := text(j); strings.Contains(got, "handler") || !strings.Contains(got, `"template":"base"`) {
		t.Errorf("follower %s", got)
	}
	j.TemplateVersion, j.Handler = 3, job.Handler{Kind: job.HandlerNamed, Name: "n"}
	if got := text(j); !strings.Contains(got, `"handler":{"kind":"named","name":"n"},"template":"base","template_version":3`) {
		t.Errorf("pinned %s", got)
	}
}

// TestNewJobKeepsAll sends what FromJob shows back as a new job.
func TestNewJobKeepsAll(t *testing.T) {
	t.Parallel()
	want := fullJob()
	shown := api.FromJob(want)
	got := api.NewJob{
		Namespace: shown.Namespace, Key: shown.Key, Title: shown.Title, Group: shown.Group,
		Schedule: shown.Schedule, Misfire: shown.Misfire, MisfireLimits: shown.MisfireLimits, StopAfter: shown.StopAfter, Handler: shown.Handler, Param: shown.Param,
		Route: shown.Route, Overlap: shown.Overlap, Concurrency: shown.Concurrency,
		OverlapScope: shown.OverlapScope, OverlapQueue: shown.OverlapQueue, Labels: shown.Labels, Timeout: shown.Timeout, Retry: shown.Retry,
		TemplateVersion: shown.TemplateVersion,
		OnCrash:         shown.OnCrash, Enabled: shown.Enabled,
	}.Job()
	// The server gives these.
	want.ID, want.GroupID, want.Version, want.Children = 0, 0, 0, nil
	want.StopReason, want.HeldBy, want.Fired, want.Failures = "", "", 0, 0
	want.Handler.SourceAt = time.Time{}
	want.NextAt, want.LastAt, want.CreatedAt, want.UpdatedAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFromRun(t *testing.T) {
	t.Parallel()
	param := ""
	got, err := json.Marshal(api.FromRun(job.Run{
		ID: math.MaxInt64, JobID: 7, JobKey: "report", JobVersion: 2, GroupID: 3, PlannedAt: instant,
		Cause: job.CauseParent, CauseID: 12, State: job.Failed, Reason: "no more retries",
		Param: &param, Tries: 2, AttemptID: 99, Message: "boom", CreatedAt: instant, EndedAt: instant,
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"9223372036854775807","job_id":7,"job_key":"report","planned_at":"2030-01-31T08:00:00.123Z",` +
		`"cause":"parent","cause_id":"12","state":"failed","final":true,"reason":"no more retries","param":"",` +
		`"tries":2,"attempt_id":"99","message":"boom","created_at":"2030-01-31T08:00:00.123Z","ended_at":"2030-01-31T08:00:00.123Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestFromRunHidesItsOwnIDAsCause(t *testing.T) {
	t.Parallel()
	got := api.FromRun(job.Run{ID: 5, CauseID: 5, Cause: job.CauseManual, State: job.Planned})
	if got.CauseID != 0 || got.Final {
		t.Errorf("got %+v, want no cause id and not final", got)
	}
}

func TestFromAttempt(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(api.FromAttempt(job.Attempt{
		ID: 99, RunID: 12, JobID: 7, Number: 2, Address: "http://10.0.0.1:9999", State: job.Running,
		TriggeredAt: instant, AcceptedAt: instant,
	}))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":"99","run_id":"12","job_id":7,"number":2,"address":"http://10.0.0.1:9999","state":"running",` +
		`"triggered_at":"2030-01-31T08:00:00.123Z","accepted_at":"2030-01-31T08:00:00.123Z"}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestFromLogPage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		page job.LogPage
		want api.LogPage
	}{
		{"lines", job.LogPage{From: 3, To: 5, Text: "a\nb\nc\n"}, api.LogPage{From: 3, To: 5, Next: 6, Text: "a\nb\nc\n"}},
		{"nothing new", job.LogPage{From: 6, To: 5}, api.LogPage{From: 6, To: 5, Next: 6}},
		{"past the end", job.LogPage{From: 6}, api.LogPage{From: 6, Next: 6}},
		{"kept", job.LogPage{From: 6, To: 6, Text: "a\n", FromMemory: true}, api.LogPage{From: 6, To: 6, Next: 7, Text: "a\n", FromMemory: true}},
		{"over", job.LogPage{From: 6, To: 5, End: true}, api.LogPage{From: 6, To: 5, Next: 6, Done: true}},
		{"from the start", job.LogPage{From: 0, To: 2, Text: "a\nb\n"}, api.LogPage{From: 1, To: 2, Next: 3, Text: "a\nb\n"}},
	} {
		if diff := cmp.Diff(c.want, api.FromLogPage(c.page)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestFromExecutor(t *testing.T) {
	t.Parallel()
	want := api.Executor{
		Group: "reports", Address: "http://10.0.0.1:9999",
		LeaseUntil: api.At(instant), RegisteredAt: api.At(instant), SeenAt: api.At(instant),
		Features: []string{"shell"},
	}
	got := api.FromExecutor(job.Executor{
		GroupID: 3, Group: "reports", Address: "http://10.0.0.1:9999",
		LeaseUntil: instant, RegisteredAt: instant, SeenAt: instant, Features: []string{"shell"},
	})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The document names every kind of handler that there is.
func TestHandlerKinds(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[api.Handler]().FieldByName("Kind")
	var want []string
	for _, kind := range job.HandlerKinds() {
		want = append(want, string(kind))
	}
	if got := field.Tag.Get("enum"); got != strings.Join(want, ",") {
		t.Errorf("the kinds are %s, want %v", got, want)
	}
	field, _ = reflect.TypeFor[api.NewJob]().FieldByName("Concurrency")
	if got := field.Tag.Get("maximum"); got != strconv.Itoa(job.MaxConcurrency) {
		t.Errorf("the largest concurrency is %s, want %d", got, job.MaxConcurrency)
	}
	field, _ = reflect.TypeFor[api.NewJob]().FieldByName("OverlapQueue")
	if got := field.Tag.Get("maximum"); got != strconv.Itoa(job.MaxOverlapQueue) {
		t.Errorf("the longest queue is %s, want %d", got, job.MaxOverlapQueue)
	}
	if got := api.FromJob(job.Job{}).OverlapScope; got != job.ScopeExecutor {
		t.Errorf("a job of before counts in the scope %q", got)
	}
}
