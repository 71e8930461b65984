package jobs_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/breaker"
	"github.com/orthd/orth/internal/rest"
	"github.com/orthd/orth/internal/rest/resttest"
)

func TestCreateJobWithDelivery(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	server := resttest.Serve(t, f, nil)
	const delivery = `{"priority":"high","expire_after":"10m0s","deadline":"2h0m0s","selector":{"zone":"eu"},"keep_for":"720h0m0s","keep_runs":50}`
	response, body := resttest.Send(t, server, http.MethodPost, "/api/v1/jobs",
		`{"key":"a","group":"g","handler":{"kind":"named","name":"h"},"route":"least_loaded","delivery":`+delivery+`}`)
	if response.StatusCode != http.StatusCreated || !strings.Contains(body, `"delivery":`+delivery) {
		t.Fatalf("status %d: %s", response.StatusCode, body)
	}
	want := `"delivery":{"priority":"high","expire_after":600000000000,"deadline":7200000000000,"selector":{"zone":"eu"},"keep_for":2592000000000000,"keep_runs":50}`
	if asked := f.Called(); !strings.Contains(asked, want) || !strings.Contains(asked, `"route":"least_loaded"`) {
		t.Errorf("the catalog was not asked with %s:\n%s", want, asked)
	}
	response, body = resttest.Send(t, server, http.MethodPost, "/api/v1/jobs",
		`{"key":"a","group":"g","handler":{"kind":"named","name":"h"},"delivery":{"priority":"urgent"}}`)
	p := resttest.WantProblem(t, response, body)
	if p.Status != http.StatusUnprocessableEntity || p.Field != "delivery.priority" || !strings.Contains(p.Detail, "high, normal, low") {
		t.Errorf("an unknown priority: %s", body)
	}
}

// sick is executors of which all fail.
type sick struct{}

func (sick) Status(address string, now time.Time) breaker.Status {
	return breaker.Status{
		Address: address, State: breaker.Open, Failures: 5, Reason: "connection refused",
		Until: time.Date(2030, 1, 31, 8, 0, 30, 0, time.UTC),
	}
}

func TestExecutorsThatAreLeftAlone(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, func(c *rest.Config) { c.Breakers = sick{} })
	_, body := resttest.Send(t, server, http.MethodGet, "/api/v1/executors", "")
	want := `"breaker":{"state":"open","failures":5,"reason":"connection refused","until":"2030-01-31T08:00:30.000Z"}`
	if !strings.Contains(body, want) {
		t.Errorf("got %s, want %s", body, want)
	}
}
