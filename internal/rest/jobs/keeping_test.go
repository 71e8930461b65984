package jobs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// stock is a catalog of jobs in many places.
type stock struct {
	*resttest.Fake
	jobs map[string]job.Job
}

func (s stock) Job(_ context.Context, namespace, key string) (job.Job, error) {
	j, known := s.jobs[key]
	if !known || j.Namespace != namespace {
		return job.Job{}, job.Errorf(job.NotFound, "no job %q in namespace %q", key, namespace)
	}
	return j, nil
}

func (s stock) UpdateJob(ctx context.Context, namespace, key string, _ int64, edit func(job.Job) (job.Job, error)) (job.Job, error) {
	old, err := s.Job(ctx, namespace, key)
	if err != nil {
		return old, err
	}
	j, err := edit(old)
	if err != nil {
		return job.Job{}, err
	}
	return j, s.Note("update %s", key)
}

// newStock returns jobs: kind-group, each of which runs a handler or a script, and
// those that follow one.
func newStock() stock {
	s := stock{&resttest.Fake{}, make(map[string]job.Job)}
	put := func(key, group string, edit func(j *job.Job)) {
		j := resttest.StoredJob()
		j.ID, j.Key, j.Group = int64(len(s.jobs)+1), key, group
		edit(&j)
		s.jobs[key] = j
	}
	for _, group := range []string{"g", "h"} {
		put("named-"+group, group, func(*job.Job) {})
		put("script-"+group, group, func(j *job.Job) { j.Handler = job.Handler{Kind: job.HandlerShell, Source: "echo"} })
	}
	put("moved", "h", func(*job.Job) {})
	for _, from := range []string{"named-g", "script-g", "script-h"} {
		put("of-"+from, "g", func(j *job.Job) {
			j.Template, j.TemplateKey, j.Handler = s.jobs[from].ID, from, job.Handler{}
		})
	}
	return s
}

// What a job is to be takes rights of its own, on what is stored.
func TestKeepingJobs(t *testing.T) {
	t.Parallel()
	const (
		create = "POST /jobs"
		named  = `"schedule":{"kind":"manual"},"handler":{"kind":"named","name":"x"}`
		script = `"schedule":{"kind":"manual"},"handler":{"kind":"shell","source":"rm"}`
		timed  = `"schedule":{"kind":"manual"}`
	)
	s, known := newStock(), resttest.Tokens{}
	a := resttest.NewAsker(t, func(config *rest.Config) {
		places := resttest.FakePlaces{"group theirs": {{Namespace: "others", Group: "theirs"}}, "group free": nil, "pause new": nil, "pause ofh": {{Namespace: "default", Group: "h"}}}
		for key, j := range s.jobs {
			places["job "+j.Namespace+"/"+key] = []access.Object{{Namespace: j.Namespace, Group: j.Group}}
		}
		places["job default/moved"] = []access.Object{{Namespace: "default", Group: "g"}}
		config.Places, config.Callers, config.Jobs = places, known, s
	})
	for _, c := range []struct {
		grants, request, body string
		status                int
	}{
		{"editor@default/g", create, `{"key":"new","group":"g",` + named + `}`, 201},
		{"editor@default/g", create, `{"key":"new","group":"h",` + named + `}`, 403},
		{"operator@default/g", create, `{"key":"new","group":"g",` + named + `}`, 403},
		{"editor@default/g", create, `{"key":"new","namespace":"team","group":"g",` + named + `}`, 403},
		{"editor@default/g", create + "?namespace=team", `{"key":"new","group":"g",` + named + `}`, 403},
		// Its executors are others' in any case.
		{"editor@team", create, `{"key":"new","namespace":"team","group":"g",` + named + `}`, 403},
		{"editor@team operator@default/g", create, `{"key":"new","namespace":"team","group":"g",` + named + `}`, 201},
		{"editor@team operator@default/h", create, `{"key":"new","namespace":"team","group":"g",` + named + `}`, 403},
		{"editor@team", create, `{"key":"new","namespace":"team","group":"theirs",` + named + `}`, 403},
		{"editor@team viewer@others", create, `{"key":"new","namespace":"team","group":"theirs",` + named + `}`, 403},
		{"editor@team operator@others/theirs", create, `{"key":"new","namespace":"team","group":"theirs",` + named + `}`, 201},
		{"editor@team operator@others/g", create, `{"key":"new","namespace":"team","group":"theirs",` + named + `}`, 403},
		{"editor@default", create, `{"key":"new","group":"theirs",` + named + `}`, 403},
		{"editor@default operator@others", create, `{"key":"new","group":"theirs",` + named + `}`, 201},
		{"editor@others/theirs", create, `{"key":"new","namespace":"others","group":"theirs",` + named + `}`, 201},
		{"editor@team", create, `{"key":"new","namespace":"team","group":"free",` + named + `}`, 403},
		{"editor@team operator@default/free", create, `{"key":"new","namespace":"team","group":"free",` + named + `}`, 201},
		{"editor@default", "PATCH /jobs/named-g", `{"group":"theirs"}`, 403},
		{"editor@default operator@others", "PATCH /jobs/named-g", `{"group":"theirs"}`, 200},
		// Code.
		{"editor@default/g", create, `{"key":"new","group":"g",` + script + `}`, 403},
		{"editor@default/g scripter@default/h", create, `{"key":"new","group":"g",` + script + `}`, 403},
		{"editor@default/g scripter@default/g", create, `{"key":"new","group":"g",` + script + `}`, 201},
		{"scripter@default/g", create, `{"key":"new","group":"g",` + script + `}`, 403},
		{"editor@default/g", "PATCH /jobs/named-g", `{"handler":{"kind":"shell","source":"rm"}}`, 403},
		{"editor@default/g", "PATCH /jobs/script-g", `{"handler":{"source":"rm"}}`, 403},
		{"editor@default/g", "PATCH /jobs/script-g", `{"handler":{"kind":"python"}}`, 403},
		{"editor@default/g", "PATCH /jobs/script-g", `{"title":"x","handler":{"source":"echo"}}`, 200},
		{"editor@default/g", "PATCH /jobs/script-g", `{"handler":{"kind":"named","name":"x"}}`, 200},
		{"editor@default/g scripter@default/g", "PATCH /jobs/script-g", `{"handler":{"source":"rm"}}`, 200},
		{"editor@default/g", "POST /jobs/script-g/copies", `{"params":["x"]}`, 403},
		{"editor@default/g scripter@default/g", "POST /jobs/script-g/copies", `{"params":["x"]}`, 200},
		{"editor@default/g", "POST /jobs/script-g/copies", `{"params":["x"],"as_instances":true}`, 200},
		{"editor@default/g", "POST /jobs/named-g/copies", `{"params":["x"]}`, 200},
		// Moves.
		{"editor@default/g", "PATCH /jobs/named-g", `{"group":"h"}`, 403},
		{"editor@default/h", "PATCH /jobs/named-g", `{"group":"h"}`, 404},
		{"editor@default/g editor@default/h", "PATCH /jobs/named-g", `{"group":"h"}`, 200},
		{"editor@default/g editor@default/h", "PATCH /jobs/script-g", `{"group":"h"}`, 403},
		{"editor@default/g editor@default/h scripter@default/g", "PATCH /jobs/script-g", `{"group":"h"}`, 403},
		{"editor@default/g editor@default/h scripter@default/h", "PATCH /jobs/script-g", `{"group":"h"}`, 200},
		// Templates.
		{"editor@default/g", create, `{"key":"new","group":"g","template":"script-g",` + timed + `}`, 201},
		{"editor@default/g", create, `{"key":"new","group":"g","template":"script-h",` + timed + `}`, 422},
		{"editor@default/g viewer@default/h", create, `{"key":"new","group":"g","template":"script-h",` + timed + `}`, 403},
		{"editor@default/g viewer@default/h", create, `{"key":"new","group":"g","template":"named-h",` + timed + `}`, 201},
		{"editor@default/g viewer@default/h scripter@default/g", create, `{"key":"new","group":"g","template":"script-h",` + timed + `}`, 201},
		{"editor@default/g viewer@default/h", "PATCH /jobs/of-named-g", `{"template":"script-h"}`, 403},
		{"editor@default/g", "PATCH /jobs/of-script-h", `{"title":"x"}`, 200},
		{"editor@default/g", "PATCH /jobs/of-script-h", `{"template_version":1}`, 403},
		{"editor@default/g editor@default/h", "PATCH /jobs/of-script-g", `{"group":"h"}`, 403},
		{"editor@default/g editor@default/h", "PATCH /jobs/of-named-g", `{"group":"h"}`, 200},
		{"editor@default/g", "PATCH /jobs/of-script-g", `{"template":null,"handler":{"kind":"shell","source":"rm"}}`, 403},
		{"editor@default/g editor@default/h", "PATCH /jobs/of-script-g", `{"template":null,"group":"h"}`, 403},
		{"editor@default/g", "PATCH /jobs/of-script-g", `{"template":null}`, 200},
		// What has moved after the first look.
		{"editor@default/g", "PATCH /jobs/moved", `{"title":"x"}`, 403},
		{"editor@default/g", "PATCH /jobs/moved", `{"group":"g"}`, 403},
		// Children.
		{"editor@default/g", create, `{"key":"new","group":"g","children":[{"key":"named-g"}],` + named + `}`, 201},
		{"editor@default/g", create, `{"key":"new","group":"g","children":[{"key":"named-h"}],` + named + `}`, 422},
		{"editor@default/g viewer@default/h", create, `{"key":"new","group":"g","children":[{"key":"named-h"}],` + named + `}`, 403},
		{"editor@default/g operator@default/h", create, `{"key":"new","group":"g","children":[{"key":"named-h"}],` + named + `}`, 201},
		{"editor@default/g viewer@default/h", "PATCH /jobs/named-g", `{"children":[{"key":"named-h"}]}`, 403},
		// Runs.
		{"editor@default/g", "POST /runs/clean", `{"job":"named-g","all":true}`, 200},
		{"editor@default/g", "POST /runs/clean", `{"job":"named-h","all":true}`, 404},
		{"editor@default/g viewer@default/h", "POST /runs/clean", `{"job":"named-h","all":true}`, 403},
		// Pauses.
		{"editor@default/g", "PUT /pauses/new", `{"namespace":"default","groups":["g"]}`, 200},
		{"editor@default/g", "PUT /pauses/new", `{"namespace":"default","groups":["g","h"]}`, 403},
		{"editor@default/g", "PUT /pauses/new", `{"namespace":"default"}`, 403},
		{"editor@default", "PUT /pauses/new", `{"namespace":"default"}`, 200},
		{"editor@default", "PUT /pauses/new", `{}`, 403},
		{"editor@default/g", "PUT /pauses/ofh", `{"namespace":"default","groups":["g"]}`, 403},
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
		s.Called()
		method, path, _ := strings.Cut(c.request, " ")
		status, body, called := a.Ask(t, resttest.Permitted{Method: method, Path: guard.Prefix + path, Body: c.body}, "ada")
		if status != c.status || status >= http.StatusBadRequest && (called != "" || s.Called() != "") {
			t.Errorf("%s: %s %s: %d, want %d, asked %q: %s", c.grants, c.request, c.body, status, c.status, called, body)
		}
		if status == http.StatusUnprocessableEntity && !strings.Contains(body, "create it first") {
			t.Errorf("%s: %s %s: %s", c.grants, c.request, c.body, body)
		}
	}
}
