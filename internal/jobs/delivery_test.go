package jobs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/jobs/jobstest"
	"github.com/orthd/orth/job"
)

func TestDelivery(t *testing.T) {
	t.Parallel()
	many := make(map[string]string)
	for i := range job.MaxLabels + 1 {
		many[fmt.Sprintf("k%d", i)] = ""
	}
	tests := []struct {
		name     string
		delivery job.Delivery
		field    string // at fault; empty when it is good
	}{
		{"nothing", job.Delivery{}, ""},
		{"everything", job.Delivery{
			Priority: job.PriorityHigh, ExpireAfter: time.Second, Deadline: job.MaxDeadline,
			Selector: map[string]string{"zone": "eu", "python": "3.11.2"}, KeepFor: time.Minute, KeepRuns: job.MaxKeepRuns,
		}, ""},
		{"a priority", job.Delivery{Priority: "urgent"}, "delivery.priority"},
		{"an end in the past", job.Delivery{ExpireAfter: -1}, "delivery.expire_after"},
		{"an end at once", job.Delivery{ExpireAfter: time.Millisecond}, "delivery.expire_after"},
		{"an end too late", job.Delivery{ExpireAfter: job.MaxExpireAfter + 1}, "delivery.expire_after"},
		{"a deadline", job.Delivery{Deadline: job.MaxDeadline + 1}, "delivery.deadline"},
		{"a time to keep", job.Delivery{KeepFor: -time.Hour}, "delivery.keep_for"},
		{"a number to keep", job.Delivery{KeepRuns: -1}, "delivery.keep_runs"},
		{"too many labels", job.Delivery{Selector: many}, "delivery.selector"},
		{"a label's key", job.Delivery{Selector: map[string]string{"Zone": "eu"}}, "delivery.selector"},
		{"a label that no executor can have", job.Delivery{
			Selector: map[string]string{"zone": strings.Repeat("x", job.MaxFeature-4)},
		}, "delivery.selector"},
	}
	for _, test := range tests {
		_, c := newWorld()
		j := jobstest.GoodJob()
		j.Delivery = test.delivery
		_, err := c.CreateJob(t.Context(), j)
		wrong, _ := errors.AsType[*job.Error](err)
		switch {
		case test.field == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.field != "" && (wrong == nil || wrong.Kind != job.Invalid || wrong.Field != test.field):
			t.Errorf("%s: %v, want %s to be at fault", test.name, err, test.field)
		}
	}
}

func TestEveryRouteMayBeUsed(t *testing.T) {
	t.Parallel()
	_, c := newWorld()
	for i, route := range job.Routes() {
		j := jobstest.GoodJob()
		j.Key, j.Route = fmt.Sprintf("job-%d", i), route
		create(t, c, j)
	}
	j := jobstest.GoodJob()
	j.Route = "nearest"
	if _, err := c.CreateJob(t.Context(), j); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "busyover") {
		t.Errorf("an unknown route: %v", err)
	}
}

func TestTriggerAtAddresses(t *testing.T) {
	t.Parallel()
	w, c := newWorld()
	j := create(t, c, jobstest.GoodJob())
	w.Alive = []job.Executor{
		{GroupID: j.GroupID, Address: "http://1/"}, {GroupID: j.GroupID, Address: "http://2"}, {GroupID: j.GroupID + 1, Address: "http://other"},
	}
	trigger := func(addresses ...string) (job.Run, error) {
		return c.Trigger(t.Context(), "", "report", Trigger{Addresses: addresses})
	}
	r, err := trigger("http://2/", "http://1", "http://2")
	if want := []string{"http://2", "http://1/"}; err != nil || !slices.Equal(w.RunsByID[r.ID].Addresses, want) {
		t.Errorf("the run may go to %v, want %v; %v", w.RunsByID[r.ID].Addresses, want, err)
	}
	if r, err := trigger(); err != nil || len(w.RunsByID[r.ID].Addresses) != 0 {
		t.Errorf("a run for any executor may go to %v; %v", w.RunsByID[r.ID].Addresses, err)
	}
	before := len(w.RunsByID)
	refused := func(want string, addresses ...string) {
		t.Helper()
		_, err := trigger(addresses...)
		if wrong, ok := errors.AsType[*job.Error](err); !ok || wrong.Field != "addresses" || !strings.Contains(err.Error(), want) {
			t.Errorf("%.3q: %v, want it refused with %q", addresses, err, want)
		}
	}
	// The server must not be led to call others.
	refused(`"http://169.254.169.254/latest" is no executor of group g: use some of http://1/, http://2`, "http://1/", "http://169.254.169.254/latest")
	refused("use some of", "http://other")
	refused("use some of", "")
	refused("at most 64", slices.Repeat([]string{"http://1/"}, job.MaxAddresses+1)...)
	w.Alive = nil
	refused("which has none at the moment", "http://1/")
	if len(w.RunsByID) != before {
		t.Error("a run was made although its address was refused")
	}
}
