package jobs_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/deadletters"
	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// workshop is a catalog of jobs whose code was last changed at an instant, with runs of
// one of them that have ended with a parameter of their own.
type workshop struct {
	stock
	of    string // the job of all runs
	param *string
	made  time.Time // when the runs were made
	// changed is what the last revision has changed; nil means only that of the code counts.
	changed []string
}

func newWorkshop() *workshop {
	w := &workshop{stock: stock{&resttest.Fake{}, make(map[string]job.Job)}}
	put := func(key, handler string) {
		j := resttest.StoredJob()
		j.ID, j.Key, j.Param = int64(len(w.jobs)+1), key, `{"url":"https://fixed.example"}`
		j.Handler.Name = handler
		w.jobs[key] = j
	}
	put("http", job.HandlerNameHTTP)
	put("command", job.HandlerNameCommand)
	put("data", "import")
	put("instance", "")
	follower := w.jobs["instance"]
	follower.Handler, follower.Template, follower.TemplateKey = job.Handler{}, w.jobs["http"].ID, "http"
	w.jobs["instance"] = follower
	return w
}

func (w *workshop) Run(_ context.Context, id int64) (job.Run, error) {
	return job.Run{ID: id, JobID: w.jobs[w.of].ID, JobKey: w.of, State: job.Failed, Cause: job.CauseManual, Param: w.param, CreatedAt: w.made}, nil
}

func (w *workshop) DeadLetter(context.Context, int64) (job.DeadLetter, error) {
	d := resttest.StoredLetter()
	d.JobID, d.JobKey, d.Group = w.jobs[w.of].ID, w.of, "g"
	return d, nil
}

func (w *workshop) RedriveAll(ctx context.Context, _ deadletters.Letters, how deadletters.Redriving) ([]deadletters.Settled, bool, error) {
	d, err := w.DeadLetter(ctx, 12)
	if err == nil {
		_, err = how.May(&d)
	}
	return []deadletters.Settled{{Letter: d, Err: err}}, false, nil
}

func (w *workshop) Revisions(_ context.Context, _, key string, q jobrows.RevisionQuery) ([]job.Revision, error) {
	if w.changed != nil && !q.Recoded {
		return []job.Revision{{At: resttest.Instant, Changed: w.changed}}, nil
	}
	if w.changed != nil || !q.Recoded || q.Limit != 1 || key == "instance" {
		return nil, nil
	}
	return []job.Revision{{At: resttest.Instant}}, nil
}

// versions notes for which versions of jobs parameters are given.
type versions struct {
	*workshop
	got []int64
}

func (v *versions) Trigger(ctx context.Context, namespace, key string, t jobs.Trigger) (job.Run, error) {
	v.got = append(v.got, t.JobVersion)
	return v.workshop.Trigger(ctx, namespace, key, t)
}

func (v *versions) TryJob(_ context.Context, _, _ string, a jobs.Attempted) (job.Run, error) {
	v.got = append(v.got, a.JobVersion)
	return resttest.StoredRun(), nil
}

func (v *versions) CreateBackfill(_ context.Context, _, _ string, b job.Backfill) (job.Backfill, error) {
	v.got = append(v.got, b.JobVersion)
	return b, nil
}

// A parameter is for the version of the job of which it was asked whether the caller may
// give it: the job may be another one when the run is made.
func TestParameterHasItsVersion(t *testing.T) {
	t.Parallel()
	v := &versions{workshop: newWorkshop()}
	v.of, v.param = "data", new("before")
	a := resttest.NewAsker(t, func(config *rest.Config) {
		config.Callers = resttest.Tokens{"ada": {Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Operator, Namespace: "default", Group: "g"}}}}
		config.Jobs, config.Runs, config.DeadLetters, config.Revisions, config.Trials, config.Backfills = v, v, v, v, v, v
	})
	for _, request := range []string{
		"POST /jobs/data/trigger", "POST /jobs/data/trial", "POST /runs/12/rerun",
		`POST /jobs/data/backfills`,
	} {
		body := `{"param":"x"}`
		if strings.Contains(request, "backfills") {
			body = `{"param":"x","from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"}`
		}
		method, path, _ := strings.Cut(request, " ")
		if status, got, _ := a.Ask(t, resttest.Permitted{Method: method, Path: guard.Prefix + path, Body: body}, "ada"); status != http.StatusCreated {
			t.Fatalf("%s: %d %s", request, status, got)
		}
	}
	a.Ask(t, resttest.Permitted{Method: "POST", Path: guard.Prefix + "/runs/12/rerun"}, "ada")
	a.Ask(t, resttest.Permitted{Method: "POST", Path: guard.Prefix + "/jobs/data/trigger"}, "ada")
	version := v.jobs["data"].Version
	if want := []int64{version, version, version, version, version, 0}; !slices.Equal(v.got, want) {
		t.Errorf("the versions are %v, want %v", v.got, want)
	}
}

// Where the parameter says what is executed, who may only operate a job runs it with the
// parameter that an editor has fixed, at every door.
func TestParameterThatIsFixed(t *testing.T) {
	t.Parallel()
	const evil = `{"param":"{\"url\":\"https://evil.example\",\"secrets\":[\"KEY\"]}"}`
	w, known := newWorkshop(), resttest.Tokens{}
	a := resttest.NewAsker(t, func(config *rest.Config) {
		config.Callers, config.Jobs, config.Runs, config.DeadLetters, config.Revisions = known, w, w, w, w
	})
	own, other := `{"url":"https://fixed.example"}`, "other"
	const span = `"from":"2026-01-01T00:00:00Z","to":"2026-01-02T00:00:00Z"`
	for _, c := range []struct {
		request, body string
		of            string // the job of the runs
		param         *string
		made          time.Time
		want          int // for an operator; an editor may all of it
	}{
		{request: "POST /jobs/http/trigger", want: 201},
		{request: "POST /jobs/http/trigger", body: evil, want: 403},
		{request: "POST /jobs/http/trigger", body: `{"param":""}`, want: 403},
		{request: "POST /jobs/http/trigger", body: `{"param":"{\"url\":\"https://fixed.example\"}"}`, want: 201},
		{request: "POST /jobs/command/trigger", body: evil, want: 403},
		{request: "POST /jobs/instance/trigger", body: evil, want: 403},
		{request: "POST /jobs/data/trigger", body: evil, want: 201},
		{request: "POST /jobs/http/trial", body: evil, want: 403},
		{request: "POST /jobs/http/trial", want: 201},
		{request: "POST /jobs/data/trial", body: evil, want: 201},
		{request: "POST /jobs/http/backfills", body: `{"param":"x",` + span + `}`, want: 403},
		{request: "POST /jobs/http/backfills?dry_run=true", body: `{"param":"x",` + span + `}`, want: 403},
		{request: "POST /jobs/http/backfills", body: `{` + span + `}`, want: 201},
		{request: "POST /jobs/data/backfills", body: `{"param":"x",` + span + `}`, want: 201},
		{request: "POST /runs/12/rerun", body: evil, of: "http", want: 403},
		{request: "POST /runs/12/rerun", body: evil, of: "data", want: 201},
		{request: "POST /runs/12/rerun", of: "http", want: 201},
		{request: "POST /runs/12/rerun", of: "http", param: &other, made: resttest.Instant, want: 201},
		{request: "POST /runs/12/rerun", of: "http", param: &own, made: resttest.Instant.Add(-1), want: 201},
		// Its parameter was data when somebody gave it.
		{request: "POST /runs/12/rerun", of: "http", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /runs/12/rerun", of: "instance", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /runs/12/rerun", of: "data", param: &other, made: resttest.Instant.Add(-1), want: 201},
		{request: "POST /runs/12/shards/retry", of: "http", param: &other, made: resttest.Instant, want: 201},
		{request: "POST /runs/12/shards/retry", of: "http", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /dead-letters/12/redrive", body: evil, of: "http", want: 403},
		{request: "POST /dead-letters/12/redrive", of: "http", want: 201},
		{request: "POST /dead-letters/12/redrive", of: "http", param: &other, made: resttest.Instant, want: 201},
		{request: "POST /dead-letters/12/redrive", of: "http", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /dead-letters/12/redrive", body: evil, of: "data", want: 201},
		{request: "POST /dead-letters/redrive", body: `{"runs":["12"],"param":"x"}`, of: "http", want: 403},
		{request: "POST /dead-letters/redrive", body: `{"runs":["12"]}`, of: "http", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /dead-letters/redrive", body: `{"runs":["12"]}`, of: "http", param: &other, made: resttest.Instant, want: 200},
		{request: "POST /runs/bulk", body: `{"action":"rerun","ids":["12"]}`, of: "http", param: &other, made: resttest.Instant.Add(-1), want: 403},
		{request: "POST /runs/bulk", body: `{"action":"rerun","ids":["12"]}`, of: "http", param: &other, made: resttest.Instant, want: 200},
	} {
		for _, role := range []access.Role{access.Operator, access.Editor} {
			known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: role, Namespace: "default", Group: "g"}}}
			w.of, w.param, w.made = c.of, c.param, c.made
			method, path, _ := strings.Cut(c.request, " ")
			status, body, _ := a.Ask(t, resttest.Permitted{Method: method, Path: guard.Prefix + path, Body: c.body}, "ada")
			if strings.Contains(body, `"failed":1`) && strings.Contains(body, `"status":403`) {
				status = http.StatusForbidden
			}
			denied := status == http.StatusForbidden
			if denied != (c.want == http.StatusForbidden && role == access.Operator) || !denied && status >= http.StatusBadRequest {
				t.Errorf("%s of %s by %s with %s: %d, want %d: %s", c.request, c.of, role, c.body, status, c.want, body)
			}
			if denied && !strings.Contains(body, "only users who may edit the job can give a run another one") {
				t.Errorf("%s: the reason is %s", c.request, body)
			}
		}
	}
}

// Who may only operate a job with inputs gives it values; without the inputs the values of
// old runs are no whole parameter.
func TestParameterOfInputs(t *testing.T) {
	t.Parallel()
	w, known := newWorkshop(), resttest.Tokens{}
	a := resttest.NewAsker(t, func(config *rest.Config) {
		config.Callers, config.Jobs, config.Runs, config.DeadLetters, config.Revisions = known, w, w, w, w
	})
	known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Operator, Namespace: "default", Group: "g"}}}
	j := w.jobs["http"]
	j.Param, j.Inputs = `{"url":"https://fixed.example/${input:day|url}"}`, []job.Input{{Name: "day"}}
	w.jobs["inputs"] = j
	values, whole := `{"day":"1"}`, j.Param
	for _, c := range []struct {
		request, body, of string
		changed           []string
		made              time.Time
		want              int
	}{
		{request: "POST /jobs/inputs/trigger", body: `{"param":"{\"day\":\"1\"}"}`, want: 201},
		{request: "POST /dead-letters/12/redrive", body: `{"param":"{\"day\":\"1\"}"}`, of: "inputs", want: 201},
		{request: "POST /dead-letters/12/redrive", body: `{"param":"{\"url\":\"1\"}"}`, of: "inputs", want: 422},
		{request: "POST /dead-letters/redrive", body: `{"runs":["12"],"param":"x"}`, of: "inputs", want: 422},
		{request: "POST /runs/12/rerun", of: "http", made: resttest.Instant.Add(1), changed: []string{"inputs", "param"}, want: 201},
		{request: "POST /runs/12/rerun", of: "http", made: resttest.Instant, changed: []string{"title"}, want: 201},
		{request: "POST /runs/12/rerun", of: "http", made: resttest.Instant.Add(-1), changed: []string{"inputs", "param"}, want: 403},
		{request: "POST /dead-letters/12/redrive", of: "http", made: resttest.Instant.Add(-1), changed: []string{"inputs"}, want: 403},
	} {
		w.of, w.param, w.made, w.changed = c.of, &values, c.made, c.changed
		method, path, _ := strings.Cut(c.request, " ")
		status, body, _ := a.Ask(t, resttest.Permitted{Method: method, Path: guard.Prefix + path, Body: c.body}, "ada")
		if strings.Contains(body, `"failed":1`) && strings.Contains(body, `"status":422`) {
			status = http.StatusUnprocessableEntity
		}
		if status != c.want {
			t.Errorf("%s of %s with %s: %d, want %d: %s", c.request, c.of, c.body, status, c.want, body)
		}
	}
	if _, body, called := a.Ask(t, resttest.Permitted{Method: http.MethodPost, Path: guard.Prefix + "/jobs/inputs/trigger", Body: fmt.Sprintf(`{"param":%q}`, whole)}, "ada"); strings.Contains(called, "fixed.example") {
		t.Errorf("what an old console shows of the job is given to a run: %s, %s", called, body)
	}
}

// What a parent gives to a child with inputs is checked when it is written; a child that was
// there before stays.
func TestValuesOfChildren(t *testing.T) {
	t.Parallel()
	w, known := newWorkshop(), resttest.Tokens{}
	a := resttest.NewAsker(t, func(config *rest.Config) { config.Callers, config.Jobs = known, w })
	known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Editor, Namespace: "default", Group: access.All}}}
	child := w.jobs["http"]
	child.Key, child.Param, child.Inputs = "inputs", `{"url":"https://h/${input:day|url}"}`, []job.Input{{Name: "day"}}
	w.jobs["inputs"] = child
	parent := w.jobs["data"]
	w.jobs["parent"] = parent
	parent.Children = []job.Child{{JobID: child.ID, Key: "inputs", On: job.ChildOnSuccess}}
	w.jobs["before"] = parent
	for _, c := range []struct{ parent, child, field, wrong string }{
		{"parent", `{"key":"inputs","param":"{\"day\":\"{{result}}\"}"}`, "", ""},
		{"parent", `{"key":"data"}`, "", ""},
		{"before", `{"key":"inputs"}`, "", ""},
		{"parent", `{"key":"inputs"}`, "children[0].param.day", "the input day has no value and no default"},
		{"parent", `{"key":"data"},{"key":"inputs","param":"{\"hour\":1,\"day\":2}"}`, "children[1].param", `\"hour\" is no input of job inputs`},
		{"before", `{"key":"inputs","param":"{{result}}"}`, "", ""},
	} {
		status, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodPatch, Path: guard.Prefix + "/jobs/" + c.parent, Body: `{"children":[` + c.child + `]}`}, "ada")
		if (status == http.StatusOK) != (c.wrong == "") || c.wrong != "" && !strings.Contains(body, `"field":"`+c.field+`"`) || !strings.Contains(body, c.wrong) {
			t.Errorf("%s of %s: %d %s, want %s: %s", c.child, c.parent, status, body, c.field, c.wrong)
		}
	}
}

// Who names a job as a child with a parameter gives its runs that parameter.
func TestParameterOfAChildThatIsFixed(t *testing.T) {
	t.Parallel()
	w, known := newWorkshop(), resttest.Tokens{}
	for key, group := range map[string]string{"http": "h", "data": "h"} {
		child := w.jobs[key]
		child.Group = group
		w.jobs[key] = child
	}
	parent := w.jobs["command"]
	parent.Handler.Name = "import"
	w.jobs["parent"] = parent
	parent.Children = []job.Child{{JobID: 1, Key: "http", On: job.ChildOnSuccess, Param: "x"}}
	w.jobs["before"] = parent
	a := resttest.NewAsker(t, func(config *rest.Config) { config.Callers, config.Jobs = known, w })
	for _, c := range []struct {
		grants, parent, children string
		want                     int
	}{
		{"editor@default/g operator@default/h", "parent", `{"key":"http"}`, 200},
		{"editor@default/g operator@default/h", "parent", `{"key":"http","param":"x"}`, 403},
		{"editor@default/g operator@default/h", "parent", `{"key":"data","param":"x"}`, 200},
		{"editor@default/g editor@default/h", "parent", `{"key":"http","param":"x"}`, 200},
		{"editor@default/g operator@default/h", "before", `{"key":"http","param":"x"}`, 200},
		{"editor@default/g operator@default/h", "before", `{"key":"http","param":"y"}`, 403},
	} {
		p := access.Principal{Kind: access.Person, ID: 9, Name: "ada"}
		for text := range strings.FieldsSeq(c.grants) {
			g, err := access.ParseGrant(text)
			if err != nil {
				t.Fatal(err)
			}
			p.Grants = append(p.Grants, g)
		}
		known["ada"] = p
		status, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodPatch, Path: guard.Prefix + "/jobs/" + c.parent, Body: `{"children":[` + c.children + `]}`}, "ada")
		if status != c.want || status == http.StatusForbidden && !strings.Contains(body, `"field":"children"`) {
			t.Errorf("%s: %s of %s: %d, want %d: %s", c.grants, c.children, c.parent, status, c.want, body)
		}
	}
}

// A value that an operator gives to a workflow, or that another run has said, stays one
// value of the parameter that says what is executed.
func TestTemplateOfAParameterThatIsFixed(t *testing.T) {
	t.Parallel()
	w, known := newWorkshop(), resttest.Tokens{}
	parent := w.jobs["command"]
	parent.Key, parent.Handler.Name = "parent", "import"
	w.jobs["parent"] = parent
	a := resttest.NewAsker(t, func(config *rest.Config) { config.Callers, config.Jobs = known, w })
	known["ada"] = access.Principal{Kind: access.Person, ID: 9, Name: "ada", Grants: []access.Grant{{Role: access.Editor, Namespace: "default", Group: access.All}}}
	for _, c := range []struct {
		job, param string
		good       bool
	}{
		{"http", `"{\"url\":\"https://h/{{param}}\"}"`, true},
		{"http", `"{{param}}"`, false},
		{"instance", `"{{param}}"`, false},
		{"command", `"rsync {{param}}"`, false},
		{"data", `"{{param}}"`, true},
	} {
		for _, request := range []resttest.Permitted{
			{Method: http.MethodPatch, Path: guard.Prefix + "/jobs/parent", Body: `{"children":[{"key":"` + c.job + `","param":` + c.param + `}]}`},
			{Method: http.MethodPut, Path: guard.Prefix + "/workflows/w", Body: `{"nodes":[{"name":"n","job":"` + c.job + `","param":` + c.param + `}]}`},
		} {
			status, body, _ := a.Ask(t, request, "ada")
			if c.good != (status == http.StatusOK) || !c.good && !strings.Contains(body, "must be an object or a list of JSON") {
				t.Errorf("%s %s %s: %d %s", request.Method, request.Path, request.Body, status, body)
			}
		}
	}
}
