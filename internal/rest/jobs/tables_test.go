package jobs_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/rest/resttest"
	"github.com/orthd/orth/job"
)

// The cursor of a page leads to the next one, with all that the order knows.
func TestSortedJobs(t *testing.T) {
	t.Parallel()
	jobs := []job.Job{resttest.StoredJob(), resttest.StoredJob(), resttest.StoredJob()}
	for i := range jobs {
		jobs[i].Key, jobs[i].Title = "job-"+string(rune('a'+i)), "t ~ &"
	}
	f := &resttest.Fake{FoundJobs: jobs}
	list := resttest.ListOf[api.JobList](t, f, "/jobs?sort=-title&limit=2&label=a&label=b=c&label_mode=any&owner=x&status=held")
	if len(list.Jobs) != 2 || list.Next == "" || url.QueryEscape(list.Next) != list.Next {
		t.Fatalf("got %+v", list)
	}
	if asked := f.Last(); !strings.Contains(asked, "rank jobs by {By:title Down:true} behind none: default/ ") ||
		!strings.Contains(asked, "label=a+b=c") || !strings.HasSuffix(asked, "any=true owner=x status=held") {
		t.Errorf("asked %s", asked)
	}
	resttest.ListOf[api.JobList](t, f, "/jobs?sort=-title&limit=2&after="+list.Next)
	if asked := f.Last(); !strings.Contains(asked, "behind {Value:1 Text:ét ~ & Namespace: Key:job-b}:") {
		t.Errorf("asked %s", asked)
	}
	if list = resttest.ListOf[api.JobList](t, f, "/jobs?sort=next_at&limit=9"); list.Next != "" || len(list.Jobs) != 3 {
		t.Errorf("the last page is followed by %q", list.Next)
	}
}

func TestSortedRuns(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{FoundRuns: []job.Run{resttest.StoredRun(), resttest.StoredRun(), resttest.StoredRun()}}
	f.FoundRuns[0].StartedAt, f.FoundRuns[0].By = resttest.Instant, "user-1"
	list := resttest.ListOf[api.RunList](t, f, "/runs?sort=duration&limit=2")
	if len(list.Runs) != 2 || list.Next != 0 || list.After == "" || url.QueryEscape(list.After) != list.After || list.Since != api.At(resttest.Instant) {
		t.Fatalf("got %+v", list)
	}
	if r := list.Runs[0]; r.Executor != "http://one:9999" || r.StartedAt != api.At(resttest.Instant) || r.By != "user-1" || r.Group != "g" {
		t.Errorf("got %+v", r)
	}
	resttest.ListOf[api.RunList](t, f, "/runs?sort=duration&limit=2&after="+list.After)
	if asked := f.Last(); !strings.HasPrefix(asked, "rank runs by {By:duration Down:false} behind {Value:-1 ID:1152921504606846976 Top:2305843009213693952 Floor:7}") {
		t.Errorf("asked %s", asked)
	}
	if list = resttest.ListOf[api.RunList](t, f, "/runs?sort=duration&limit=3"); list.After != "" {
		t.Errorf("the last page is followed by %q", list.After)
	}
	resttest.ListOf[api.RunList](t, f, "/runs?after=77")
	if asked := f.Last(); !strings.Contains(asked, "before=77 ") {
		t.Errorf("asked %s", asked)
	}
}

// A cursor is good for its own order alone, and says so.
func TestCursorsOfOtherOrders(t *testing.T) {
	t.Parallel()
	server := resttest.Serve(t, &resttest.Fake{}, nil)
	for path, field := range map[string]string{
		"/jobs?sort=title&after=job-a":            "after",
		"/jobs?sort=title&after=~-title~0~~job-a": "after",
		"/jobs?sort=title&after=~title~x~~job-a":  "after",
		"/jobs?sort=title&after=~title~0~!~job-a": "after",
		"/jobs?sort=title&after=~title~0~":        "after",
		"/jobs?after=~title~0~~job-a":             "after",
		"/jobs?sort=luck":                         "sort",
		"/jobs?with=all":                          "with",
		"/jobs?with=recent&limit=101":             "limit",
		"/jobs?label=a&label=a&label=a&label=a&label=a&label=a&label=a&label=a&label=a": "label",
		"/runs?sort=tries&after=77":              "after",
		"/runs?sort=tries&after=~-tries~1~2~3~4": "after",
		"/runs?sort=tries&after=~tries~1~2~3":    "after",
		"/runs?sort=tries&after=~tries~1~2~3~x":  "after",
		"/runs?sort=tries&before=77":             "before",
		"/runs?after=~tries~1~2~3~4":             "after",
		"/runs?after=abc":                        "after",
		"/runs?sort=id":                          "sort",
		"/runs?late=soon":                        "late",
		"/runs?min_duration=-1s":                 "min_duration",
		"/runs?max_duration=1":                   "max_duration",
		"/runs?min_tries=-1":                     "min_tries",
	} {
		response, body := resttest.Send(t, server, http.MethodGet, "/api/v1"+path, "")
		var problem api.Problem
		if err := json.Unmarshal([]byte(body), &problem); err != nil {
			t.Fatalf("%s: %s: %v", path, body, err)
		}
		if code := response.StatusCode; code != http.StatusBadRequest && code != http.StatusUnprocessableEntity || !strings.Contains(body, field) {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

func TestRunFilters(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	resttest.ListOf[api.RunList](t, f, "/runs?executor=http://a:1&label=team=x&by=user-1&text=boom&late=30s&min_duration=1m&max_duration=1h30m&min_tries=2&max_tries=5&cause_id=77")
	want := `more={http://a:1 team=x user-1 boom 30000000000 60000000000 5400000000000 2 5 77}`
	if asked := f.Last(); !strings.Contains(asked, want) {
		t.Errorf("asked %s, want %s", asked, want)
	}
}

func TestRecent(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{FoundJobs: []job.Job{resttest.StoredJob(), resttest.StoredJob()}}
	f.FoundJobs[1].ID, f.FoundJobs[1].Key = 8, "other"
	list := resttest.ListOf[api.JobList](t, f, "/jobs?with=recent&limit=50")
	if asked := f.Last(); asked != "activity of [7 8]" {
		t.Errorf("asked %s", asked)
	}
	text, err := json.Marshal(list.Jobs[0].Activity)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"recent":[{"run_id":"1152921504606846976","state":"failed","ended_at":"2030-01-31T08:00:01.500Z","duration_ms":1500},` +
		`{"run_id":"5","state":"skipped","ended_at":"2030-01-31T08:00:00.000Z"}],` +
		`"last":{"run_id":"1152921504606846977","state":"running","at":"2030-01-31T08:00:01.000Z"},"success_rate":0.6667,"rated":3,"running":1,"waiting":2}`
	if string(text) != want {
		t.Errorf("got %s, want %s", text, want)
	}
	if text, err = json.Marshal(list.Jobs[1].Activity); err != nil || string(text) != `{"recent":[],"rated":0,"running":0,"waiting":0}` {
		t.Errorf("a job that never ran: got %s, %v", text, err)
	}
	if list = resttest.ListOf[api.JobList](t, f, "/jobs"); list.Jobs[0].Activity != nil {
		t.Error("a list that nobody asked for more tells what happened")
	}
}

func TestJobFacets(t *testing.T) {
	t.Parallel()
	f := &resttest.Fake{}
	found := resttest.ListOf[api.JobFacets](t, f, "/job-facets?namespace=big")
	if found.Jobs != 2 || !found.Partial || len(found.Groups) != 2 || found.Groups[0] != (api.Facet{Value: "a", Jobs: 2}) || found.Labels == nil {
		t.Errorf("got %+v", found)
	}
	if asked := f.Last(); !strings.HasPrefix(asked, "facets of big: ") {
		t.Errorf("asked %s", asked)
	}
}
