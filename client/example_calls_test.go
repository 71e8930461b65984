package client_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/job"
)

// playing starts a server that gives the same answers for ever, by method and path,
// and returns a client of it.
func playing(answers map[string]string) (c *client.Client, stop func()) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, known := answers[r.Method+" "+r.URL.RequestURI()]
		w.Header().Set("Content-Type", "application/json")
		if !known {
			w.Header().Set("Content-Type", api.ProblemType)
			w.WriteHeader(http.StatusNotFound)
			text = `{"code":"not_found","detail":"there is nothing at ` + r.URL.RequestURI() + `"}`
		}
		_, _ = io.WriteString(w, text)
	}))
	c, err := client.New(client.Config{Address: server.URL, Token: "the-token"})
	if err != nil {
		panic(err)
	}
	return c, func() { c.Close(); server.Close() }
}

// All jobs, page by page.
func ExampleClient_Jobs() {
	c, stop := playing(map[string]string{
		"GET /api/v1/jobs?group=reports&limit=2&namespace=default": `{"jobs":[{"key":"daily"},{"key":"hourly"}],"next":"hourly"}`,

		"GET /api/v1/jobs?after=hourly&group=reports&limit=2&namespace=default": `{"jobs":[{"key":"weekly"}]}`,
	})
	defer stop()
	for q := (client.JobQuery{Group: "reports", Limit: 2}); ; {
		page, err := c.Jobs(context.Background(), q)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, j := range page.Jobs {
			fmt.Println(j.Key)
		}
		if q.After = page.Next; q.After == "" {
			break
		}
	}
	// Output:
	// daily
	// hourly
	// weekly
}

// A run of now, with a parameter, and its end. The call is repeated when its answer
// is lost, and makes one run all the same.
func ExampleClient_Trigger() {
	c, stop := playing(map[string]string{
		"POST /api/v1/jobs/daily/trigger?namespace=default": `{"id":"4711","state":"queued"}`,
		"GET /api/v1/runs/4711":                             `{"id":"4711","state":"succeeded","final":true}`,
	})
	defer stop()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	param := "2026-05-04"
	run, err := c.Trigger(ctx, "daily", api.Trigger{Param: &param})
	if err == nil {
		run, err = c.Wait(ctx, run.ID)
	}
	fmt.Println(run.ID, run.State, err)
	// Output: 4711 succeeded <nil>
}

// A program that may crash between its own record and the trigger writes the key down
// first, and does the same again after its start.
func ExampleWithKey() {
	c, stop := playing(map[string]string{"POST /api/v1/jobs/invoice/trigger?namespace=default": `{"id":"4712"}`})
	defer stop()
	for range 2 {
		run, err := c.Trigger(client.WithKey(context.Background(), "invoice-of-order-99"), "invoice", api.Trigger{})
		fmt.Println(run.ID, err)
	}
	// Output:
	// 4712 <nil>
	// 4712 <nil>
}

// A change of the job as it was read: somebody else's meanwhile is a conflict.
func ExampleClient_UpdateJob() {
	c, stop := playing(map[string]string{
		"GET /api/v1/jobs/daily?namespace=default":   `{"key":"daily","version":3}`,
		"PATCH /api/v1/jobs/daily?namespace=default": `{"key":"daily","version":4,"title":"Every day"}`,
	})
	defer stop()
	ctx := context.Background()
	j, err := c.Job(ctx, "daily")
	if err == nil {
		j, err = c.UpdateJob(ctx, j.Key, j.Version, map[string]any{"title": "Every day"})
	}
	if job.Is(err, job.Conflict) {
		fmt.Println("read it again")
	}
	fmt.Println(j.Version, err)
	// Output: 4 <nil>
}

// What went wrong is told by its kind.
func ExampleClient_Job() {
	c, stop := playing(nil)
	defer stop()
	_, err := c.Job(context.Background(), "gone")
	switch {
	case job.Is(err, job.NotFound):
		fmt.Println("there is no such job, or it may not be seen")
	case job.Is(err, job.Unreachable), job.Is(err, job.Unavailable):
		fmt.Println("the server is away")
	}
	// Output: there is no such job, or it may not be seen
}
