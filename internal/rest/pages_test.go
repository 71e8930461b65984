package rest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

func TestPageOfJobs(t *testing.T) {
	t.Parallel()
	jobs := func(n, size int) []job.Job {
		list := make([]job.Job, n)
		for i := range list {
			list[i] = resttest.StoredJob()
			list[i].Key, list[i].Handler.Source = fmt.Sprintf("job-%02d", i), strings.Repeat("x", size)
		}
		return list
	}
	labelled := jobs(6, 0)
	for i := range labelled {
		labelled[i].Labels = map[string]string{"a": strings.Repeat("x", 1<<20)}
	}
	for _, c := range []struct {
		name    string
		jobs    []job.Job
		want    int
		next    string
		request string
	}{
		{"none", nil, 0, "", "?limit=3"},
		{"fewer than the limit", jobs(2, 0), 2, "", "?limit=3"},
		{"as many as the limit", jobs(3, 0), 3, "job-02", "?limit=3"},
		{"large ones", jobs(6, 1<<20), 4, "job-03", ""},
		{"large labels", labelled, 3, "job-02", ""},
		{"one that is too large alone", jobs(2, 5<<20), 1, "job-00", ""},
	} {
		server := resttest.Serve(t, &resttest.Fake{FoundJobs: c.jobs}, nil)
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/jobs"+c.request, "")
		var list api.JobList
		if err := json.Unmarshal([]byte(body), &list); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", c.name, response.StatusCode, err)
		}
		if len(list.Jobs) != c.want || list.Next != c.next {
			t.Errorf("%s: got %d jobs, next %q; want %d, %q", c.name, len(list.Jobs), list.Next, c.want, c.next)
		}
	}
}

func TestPageOfRuns(t *testing.T) {
	t.Parallel()
	runs := func(n, size int) []job.Run {
		list := make([]job.Run, n)
		param := strings.Repeat("p", size)
		for i := range list {
			list[i] = resttest.StoredRun()
			list[i].ID, list[i].Param, list[i].Message = int64(1000-i), &param, param
		}
		return list
	}
	for _, c := range []struct {
		name    string
		runs    []job.Run
		want    int
		next    api.ID
		request string
	}{
		{"none", nil, 0, 0, "?limit=3"},
		{"fewer than the limit", runs(2, 0), 2, 0, "?limit=3"},
		{"as many as the limit", runs(3, 0), 3, 998, "?limit=3"},
		{"large ones", runs(4, 1<<20), 2, 999, ""},
	} {
		server := resttest.Serve(t, &resttest.Fake{FoundRuns: c.runs}, nil)
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1/runs"+c.request, "")
		var list api.RunList
		if err := json.Unmarshal([]byte(body), &list); err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %v", c.name, response.StatusCode, err)
		}
		if len(list.Runs) != c.want || list.Next != c.next {
			t.Errorf("%s: got %d runs, next %v; want %d, %v", c.name, len(list.Runs), list.Next, c.want, c.next)
		}
	}
}
