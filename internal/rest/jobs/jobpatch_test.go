package jobs_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
	"github.com/orthd/orth/schedule"
)

// fullJob is a job with something in every field that a user may edit.
func fullJob() *job.Job {
	j := resttest.StoredJob()
	j.Title, j.Param, j.Version, j.Enabled = "T", "p", 4, true
	j.Schedule = schedule.Spec{
		Kind: schedule.KindCron, Cron: "0 30 2 * * ?", DST: &schedule.DST{Gap: schedule.GapAfter}, Zone: "Europe/Berlin",
		Count: 5, Calendars: []string{"de"},
	}
	j.MisfireLimits = schedule.MisfireLimits{Threshold: time.Minute}
	j.Overlap, j.OverlapScope, j.Concurrency, j.StopAfter = job.OverlapConcurrent, job.ScopeCluster, 4, 2
	j.Labels = map[string]string{"a": "1", "b": "2"}
	j.Timeout, j.Retry = 30*time.Second, retry.Policy{Tries: 3, Initial: time.Second, Multiplier: 2}
	j.Delivery = job.Delivery{Priority: job.PriorityHigh, Deadline: time.Hour}
	j.Children = []job.Child{{JobID: 9, On: job.ChildOnFailure}}
	j.Logs = job.LogPolicy{KeepFor: time.Hour, MaxBytes: 1 << 20}
	j.AlarmEmails = []string{"b@example.com"}
	return &j
}

// TestPatchJob: a field that is absent stays as it is, null gives it its default,
// objects are merged, and what names other jobs is looked up.
func TestPatchJob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		patch string
		edit  func(*job.Job)
	}{
		{`{}`, func(*job.Job) {}},
		{`{"key":"other","title":"","param":"new"}`, func(j *job.Job) { j.Key, j.Title, j.Param = "other", "", "new" }},
		{`{"description":"For the books.\nCall them."}`, func(j *job.Job) { j.Description = "For the books.\nCall them." }},
		{`{"title":null,"route":null,"timeout":null}`, func(j *job.Job) { j.Title, j.Route, j.Timeout = "", "", 0 }},
		{`{"labels":{"b":null,"c":"3"}}`, func(j *job.Job) { j.Labels = map[string]string{"a": "1", "c": "3"} }},
		{`{"alarm_emails":["a@example.com"]}`, func(j *job.Job) { j.AlarmEmails = []string{"a@example.com"} }},
		{`{"alarm_emails":null}`, func(j *job.Job) { j.AlarmEmails = nil }},
		{`{"labels":null,"delivery":null}`, func(j *job.Job) { j.Labels, j.Delivery = nil, job.Delivery{} }},
		{`{"retry":{"tries":5}}`, func(j *job.Job) { j.Retry.Tries = 5 }},
		{`{"logs":{"off":true,"keep_for":null}}`, func(j *job.Job) { j.Logs = job.LogPolicy{Off: true, MaxBytes: 1 << 20} }},
		{`{"logs":null}`, func(j *job.Job) { j.Logs = job.LogPolicy{} }},
		{`{"logs":{"max_bytes":-1}}`, nil},
		{`{"delivery":{"deadline":"2h"}}`, func(j *job.Job) { j.Delivery.Deadline = 2 * time.Hour }},
		{`{"schedule":{"zone":"UTC","count":null}}`, func(j *job.Job) { j.Schedule.Zone, j.Schedule.Count = "UTC", 0 }},
		{`{"Schedule":{"ZONE":"UTC"}}`, nil},
		{`{"schedule":{"ZONE":"UTC"}}`, func(j *job.Job) { j.Schedule.Zone = "UTC" }},
		{`{"schedule":{"kind":"cron","cron":"0 0 1 * * ?"}}`, func(j *job.Job) { j.Schedule.Cron = "0 0 1 * * ?" }},
		{`{"schedule":{"kind":"every","every":"5s"}}`, func(j *job.Job) {
			j.Schedule.Kind, j.Schedule.Cron, j.Schedule.DST, j.Schedule.Every = schedule.KindEvery, "", nil, 5*time.Second
		}},
		{`{"schedule":{"kind":"manual"}}`, func(j *job.Job) { j.Schedule = schedule.Spec{Kind: schedule.KindManual} }},
		{`{"schedule":null}`, func(j *job.Job) { j.Schedule = schedule.Spec{} }},
		{`{"handler":{"name":"other"}}`, func(j *job.Job) { j.Handler.Name = "other" }},
		{`{"handler":{"kind":"shell","source":"echo"}}`, func(j *job.Job) {
			j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo"}
		}},
		{`{"overlap_scope":"executor","overlap_queue":7}`, func(j *job.Job) { j.OverlapScope, j.OverlapQueue = job.ScopeExecutor, 7 }},
		{`{"overlap_scope":null}`, func(j *job.Job) { j.OverlapScope = "" }},
		{`{"overlap_scope":"planet"}`, nil},
		{`{"overlap_queue":100001}`, nil},
		{`{"children":null}`, func(j *job.Job) { j.Children = nil }},
		{`{"children":[{"key":"report","on":"always"}]}`, func(j *job.Job) {
			j.Children = []job.Child{{JobID: 7, On: job.ChildOnAlways}}
		}},
		{`{"template":"report"}`, func(j *job.Job) { j.Template = 7 }},
		{`{"template":"report","template_version":3}`, func(j *job.Job) { j.Template, j.TemplateVersion = 7, 3 }},
	} {
		f := &resttest.Fake{Old: fullJob()}
		server := resttest.Serve(t, f, nil)
		response, body := resttest.Send(t, server, http.MethodPatch, "/api/v1/jobs/report", test.patch)
		if test.edit == nil {
			if response.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s: status %d, %s", test.patch, response.StatusCode, body)
			}
			continue
		}
		if response.StatusCode != http.StatusOK {
			t.Errorf("%s: status %d, %s", test.patch, response.StatusCode, body)
			continue
		}
		want := fullJob()
		test.edit(want)
		lines := strings.Split(f.Called(), "\n")
		text, _ := strings.CutPrefix(lines[len(lines)-1], "update default/report at 0: ")
		var got job.Job
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v in %q", test.patch, err, text)
		}
		// The catalog keeps these itself.
		for _, j := range []*job.Job{want, &got} {
			j.ID, j.Version, j.Enabled, j.CreatedAt, j.UpdatedAt = 0, 0, false, time.Time{}, time.Time{}
		}
		if diff := cmp.Diff(want, &got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.patch, diff)
		}
	}
}

// TestPatchOfInstance: another template takes the pinned version away with it.
func TestPatchOfInstance(t *testing.T) {
	t.Parallel()
	for patch, want := range map[string][2]int64{
		`{"param":"x"}`:             {5, 3},
		`{"template":"report"}`:     {7, 0},
		`{"template":null}`:         {0, 0},
		`{"template_version":9}`:    {5, 9},
		`{"template_version":null}`: {5, 0},
	} {
		old := resttest.StoredJob()
		old.Template, old.TemplateVersion, old.TemplateKey = 5, 3, "base"
		f := &resttest.Fake{Old: &old}
		_, body := resttest.Send(t, resttest.Serve(t, f, nil), http.MethodPatch, "/api/v1/jobs/report", patch)
		lines := strings.Split(f.Called(), "\n")
		_, text, _ := strings.Cut(lines[len(lines)-1], ": ")
		var got job.Job
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatalf("%s: %v: %s", patch, err, body)
		}
		if template := [2]int64{got.Template, got.TemplateVersion}; template != want {
			t.Errorf("%s: %v, want %v", patch, template, want)
		}
	}
}

func TestPatchVersion(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	resttest.Send(t, server, http.MethodPatch, "/api/v1/jobs/report?namespace=team", `{"version":3}`)
	if got := f.Called(); !strings.HasPrefix(got, "update team/report at 3: ") {
		t.Errorf("called %q", got)
	}
}

func TestPatchProblems(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ patch, field, detail string }{
		{`[]`, "body", "must be an object"},
		{`{"version":1.5}`, "version", "must be an integer"},
		{`{"version":"1"}`, "version", "must be an integer"},
		{`{"version":0}`, "version", "0 is not a version: they count from 1"},
		{`{"enabled":true}`, "enabled", "is not changed here"},
		{`{"id":null}`, "id", "is not a field that the API knows"},
		{`{"key":null}`, "key", "is missing"},
		{`{"param":5}`, "param", "must be a text in quotes"},
		{`{"misfire":"later"}`, "misfire", "must be one of skip, fire_once, fire_all"},
		{`{"schedule":{"every":"soon"}}`, "schedule.every", "must be a duration such as 500ms, 30s or 1h30m"},
		{`{"schedule":{"cron":"x","colour":"red"}}`, "schedule.colour", "is not a field that the API knows"},
		{`{"handler":5}`, "handler", "must be an object"},
		{`{"delivery":{"colour":"red"}}`, "delivery.colour", "is not a field that the API knows"},
		{`{"children":[{"key":"a","colour":"red"}]}`, "children[0].colour", "is not a field that the API knows"},
		{`{"children":[{"key":"missing"}]}`, "children", `there is no job "missing" in namespace "default": create it first`},
		{`{"labels":{` + strings.TrimSuffix(manyFields(1001), ",") + `}}`, "labels", "has 1001 fields, at most 1000 are allowed"},
		{`{"template":"missing"}`, "template", `there is no job "missing" in namespace "default": create it first`},
	} {
		f := &resttest.Fake{}
		response, body := resttest.Send(t, resttest.Serve(t, f, nil), http.MethodPatch, "/api/v1/jobs/report", test.patch)
		var p api.Problem
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatalf("%s: %v: %s", test.patch, err, body)
		}
		if response.StatusCode != http.StatusUnprocessableEntity || p.Field != test.field || p.Detail != test.detail || p.Code != job.Invalid {
			t.Errorf("%s: status %d, %s: %s", test.patch, response.StatusCode, p.Field, p.Detail)
		}
		if calls := f.Called(); strings.Contains(calls, "update") {
			t.Errorf("%s: the catalog was asked %q", test.patch, calls)
		}
	}
}

// TestPatchKnowsAllFields: a patch starts from what the API shows of a job, so
// that must have every field of a new job.
func TestPatchKnowsAllFields(t *testing.T) {
	t.Parallel()
	shown := make(map[string]reflect.Type)
	for field := range reflect.TypeFor[api.Job]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		shown[name] = field.Type
	}
	for field := range reflect.TypeFor[api.NewJob]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if shown[name] != field.Type {
			t.Errorf("%s is a %v, and shown as a %v", name, field.Type, shown[name])
		}
	}
}

func TestCopies(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{Copies: []jobs.Copied{
		{Key: "report-0", Job: job.Job{ID: 8}},
		{Key: "report-1", Err: job.Errorf(job.Conflict, "job report-1 exists already")},
		{Key: "report-2", Err: errors.New("the disk has a secret")},
	}}
	server := resttest.Serve(t, f, nil)
	response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/copies", `{"params":["a",""],"as_instances":true,"dry_run":true,"key_template":"x-{index}"}`)
	want := `copy default/report: {"Name":"x-{index}","Each":[` +
		`{"Key":"","Title":null,"Param":"a","Schedule":null,"Labels":null},{"Key":"","Title":null,"Param":"","Schedule":null,"Labels":null}],` +
		`"AsInstances":true,"DryRun":true}`
	if got := f.Called(); response.StatusCode != http.StatusOK || got != want {
		t.Errorf("status %d, called %s", response.StatusCode, got)
	}
	var got api.Copies
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Made != 1 || got.Failed != 2 || got.Copies[0] != (api.Copied{Key: "report-0", ID: 8}) {
		t.Errorf("answer %s", body)
	}
	if why := got.Copies[1].Error; why.Code != job.Conflict || why.Detail != "job report-1 exists already" {
		t.Errorf("error %+v", why)
	}
	if why := got.Copies[2].Error; why.Code != job.Internal || why.ID == "" || strings.Contains(body, "secret") {
		t.Errorf("error %+v", why)
	}

	resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/copies", `{"tasks":[{"key":"k","title":"T","schedule":{"kind":"manual"},"labels":{"a":"1"}},{}]}`)
	tasks := `"Each":[{"Key":"k","Title":"T","Param":null,"Schedule":{"kind":"manual"},"Labels":{"a":"1"}},` +
		`{"Key":"","Title":null,"Param":null,"Schedule":null,"Labels":null}],"AsInstances":false`
	if got := f.Called(); !strings.Contains(got, tasks) {
		t.Errorf("called %s", got)
	}
	for _, wrong := range []string{`{}`, `{"params":["a"],"tasks":[{}]}`, `{"params":[` + strings.Repeat(`"",`, 100) + `""]}`} {
		if response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs/report/copies", wrong); response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: status %d, %s", wrong, response.StatusCode, body)
		}
	}
}

// manyFields returns so many fields of a JSON object, a comma after each.
func manyFields(n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, `"f%d":"",`, i)
	}
	return text.String()
}
