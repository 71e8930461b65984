package client_test

import (
	"testing"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// Pages of a list that is sorted follow one another by what the page before has told.
func TestSortedLists(t *testing.T) {
	t.Parallel()
	m := &memory{}
	c := serve(t, m, nil)
	for _, key := range []string{"first", "other", "third"} {
		_, err := c.CreateJob(t.Context(), api.NewJob{Key: key, Group: "g", Handler: api.Handler{Kind: job.HandlerNamed, Name: "hello"}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Trigger(t.Context(), key, api.Trigger{}); err != nil {
			t.Fatal(err)
		}
	}
	q := client.JobQuery{
		Sort: "-title", Labels: []string{"a", "b=c"}, AnyLabel: true, Owner: "x", Status: "started", Recent: true, Limit: 2,
	}
	page, err := c.Jobs(t.Context(), q)
	if err != nil || len(page.Jobs) != 2 || page.Next == "" || page.Jobs[0].Activity == nil || page.Jobs[0].Activity.Running != 1 {
		t.Fatalf("got %+v, %v", page, err)
	}
	q.After = page.Next
	if page, err = c.Jobs(t.Context(), q); err != nil || len(page.Jobs) != 1 || page.Jobs[0].Key != "third" || page.Next != "" {
		t.Fatalf("got %+v, %v", page, err)
	}
	q.Sort = "title"
	if _, err = c.Jobs(t.Context(), client.JobQuery{Sort: "title", After: "~-title~1~~first"}); !job.Is(err, job.Invalid) {
		t.Errorf("a cursor of another order: got %v", err)
	}
	runs := client.RunQuery{
		Sort: "-duration", Executor: "http://a:1", Label: "a", By: "user-1", Text: "x", Late: time.Second, MinDuration: time.Second,
		MaxDuration: time.Minute, MinTries: 1, MaxTries: 2, Limit: 2,
	}
	found, err := c.Runs(t.Context(), runs)
	if err != nil || len(found.Runs) != 2 || found.After == "" || found.Next != 0 {
		t.Fatalf("got %+v, %v", found, err)
	}
	runs.After = found.After
	if found, err = c.Runs(t.Context(), runs); err != nil || len(found.Runs) != 1 || found.After != "" {
		t.Fatalf("got %+v, %v", found, err)
	}
}

func TestJobFacets(t *testing.T) {
	t.Parallel()
	found, err := serve(t, &memory{}, nil).JobFacets(t.Context())
	if err != nil || found.Jobs != 1 || len(found.Groups) != 1 || found.Groups[0].Value != "g of default" {
		t.Errorf("got %+v, %v", found, err)
	}
}
