package overview_test

import (
	"testing"

	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

const (
	statsFigures = `"succeeded":6,"failed":1,"timed_out":1,"cancelled":3,"lost":0,"skipped":`
	statsTimes   = `"attempts":9,"success_rate":0.75,"mean_took":"1.5s","max_took":"5s","mean_late":"10ms","max_late":"40ms"}`
	statsJSON    = `{"from":"2030-01-31","to":"2030-02-01","days":[{"day":"2030-01-31","runs":15,` + statsFigures + `4,` + statsTimes +
		`,{"day":"2030-02-01","runs":1,"succeeded":0,"failed":0,"timed_out":0,"cancelled":0,"lost":0,"skipped":1,"attempts":0}],` +
		`"total":{"runs":16,` + statsFigures + `5,` + statsTimes + `}`
)

func TestRoutesOfStats(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct{ request, call string }{
		{"GET /stats", `stats of default/"" group "" from - to -`},
		{"GET /stats?group=reports&to=2030-01-31", `stats of default/"" group "reports" from - to 2030-01-31`},
		{
			"GET /stats?job=report&namespace=team&from=2030-01-01&to=2030-01-31",
			`stats of team/"report" group "" from 2030-01-01 to 2030-01-31`,
		},
		{
			"GET /jobs/report/stats?namespace=team&from=2030-01-01",
			`stats of team/"report" group "" from 2030-01-01 to -`,
		},
	} {
		resttest.WantRoute(t, f, server, c.request, "", 200, c.call, statsJSON)
	}
}

func TestStatsThatAreWrong(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	for _, c := range []struct{ path, field string }{
		{"/stats?from=yesterday", "from"},
		{"/stats?to=2030-02-30", "to"},
		{"/jobs/report/stats?from=2030-01-31T08:00:00Z", "from"},
	} {
		response, body := resttest.Send(t, server, "GET", "/api/v1"+c.path, "")
		if p, asked := resttest.WantProblem(t, response, body), f.Called(); p.Code != job.Invalid || p.Field != c.field || asked != "" {
			t.Errorf("%s: asked %q, got %+v", c.path, asked, p)
		}
	}
}
