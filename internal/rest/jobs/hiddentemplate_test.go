package jobs_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/guard"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// templated has jobs with a template, and revisions that name two.
type templated struct{ *resttest.Fake }

func fromTemplate(j job.Job, key string) job.Job {
	j.Template, j.TemplateKey, j.TemplateVersion = 9, key, 3
	return j
}

func (f templated) Job(ctx context.Context, namespace, key string) (job.Job, error) {
	j, err := f.Fake.Job(ctx, namespace, key)
	return fromTemplate(j, strings.Replace(key, "report", "base", 1)), err
}

func (f templated) Revision(ctx context.Context, namespace, key string, number int64) (job.Revision, bool, error) {
	r, live, err := f.Fake.Revision(ctx, namespace, key, number)
	r.Job = fromTemplate(r.Job, map[int64]string{1: "base", 2: "base-open"}[number])
	return r, live, err
}

// Who may not see the template of a job is not told its name, wherever the job is shown.
func TestHiddenTemplate(t *testing.T) {
	t.Parallel()
	var f *resttest.Fake
	a := resttest.NewAsker(t, func(c *rest.Config) {
		f, _ = c.Jobs.(*resttest.Fake)
		c.Jobs, c.Revisions = templated{f}, templated{f}
		c.Places = resttest.FakePlaces{
			"job default/base": {{Namespace: "default", Group: "other"}}, "job default/base-gone": nil,
		}
	})
	f.FoundJobs = []job.Job{fromTemplate(resttest.StoredJob(), "base"), fromTemplate(resttest.StoredJob(), "base-open"), fromTemplate(resttest.StoredJob(), "base-gone")}
	const part, whole = "viewer at its group", "viewer at its namespace"
	for _, c := range []struct {
		path, as       string
		shown, unshown []string
	}{
		{"/jobs/report", part, nil, []string{`"template`}},
		{"/jobs/report", whole, []string{`"template":"base","template_version":3`}, nil},
		{"/jobs/report-open", part, []string{`"template":"base-open","template_version":3`}, nil},
		{"/jobs/report-gone", part, []string{`"template":"base-gone"`}, nil},
		{"/jobs", part, []string{`"base-open"`, `"base-gone"`}, []string{`"base"`}},
		{"/jobs", whole, []string{`"base"`, `"base-open"`, `"base-gone"`}, nil},
		{"/jobs/report/revisions/1", part, nil, []string{`"template`}},
		{"/jobs/report/revisions/2", part, []string{`"template":"base-open"`}, nil},
		{"/jobs/report/revisions/1/diff/2", part, []string{`"base-open"`}, []string{`"base"`}},
		{"/jobs/report/revisions/1/diff/2", whole, []string{`"base"`, `"base-open"`}, nil},
	} {
		status, body, _ := a.Ask(t, resttest.Permitted{Method: http.MethodGet, Path: guard.Prefix + c.path}, c.as)
		if status != http.StatusOK {
			t.Errorf("%s as %s: %d %s", c.path, c.as, status, body)
		}
		for _, text := range c.shown {
			if !strings.Contains(body, text) {
				t.Errorf("%s as %s does not tell %s: %s", c.path, c.as, text, body)
			}
		}
		for _, text := range c.unshown {
			if strings.Contains(body, text) {
				t.Errorf("%s as %s tells %s: %s", c.path, c.as, text, body)
			}
		}
	}
}
