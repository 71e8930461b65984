package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/orthd/orth/internal/jobs"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// BenchmarkReads reads a run, a job and pages of both over loopback with the token of a
// user who may view one group, 16 connections at once, beside an empty handler: client
// and server are in the same process.
func BenchmarkReads(b *testing.B) {
	const root = "root-of-the-benchmark-0123456789"
	server, err := New(Config{Data: b.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, APIToken: redacted.New(root)})
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(b.Context()) }()
	b.Cleanup(func() {
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	c := server.Jobs()
	for i := range 50 {
		_, err := c.CreateJob(b.Context(), job.Job{
			Key: fmt.Sprintf("job-%d", i), Group: "g", Schedule: schedule.Spec{Kind: schedule.KindManual},
			Handler: job.Handler{Kind: job.HandlerNamed, Name: "hello"},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	run, err := c.Trigger(b.Context(), "", "job-7", jobs.Trigger{})
	if err != nil {
		b.Fatal(err)
	}
	base := server.URL() + "/api/v1"
	administer(b, http.MethodPost, base+"/users", root, `{"name":"viewer-1","kind":"service","grants":[{"role":"viewer","namespace":"default","group":"g"}]}`, nil)
	tokens := make([]string, 16) // each has a rate of its own
	for i := range tokens {
		var made struct {
			Token string `json:"token"`
		}
		administer(b, http.MethodPost, base+"/users/viewer-1/tokens", root, `{"label":"bench"}`, &made)
		tokens[i] = made.Token
	}

	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 500)) }))
	b.Cleanup(empty.Close)
	for _, of := range []struct{ name, url string }{
		{"empty", empty.URL},
		{"run", fmt.Sprintf("%s/runs/%d", base, run.ID)},
		{"job", base + "/jobs/job-7"},
		{"runs", base + "/runs?limit=50"},
		{"jobs", base + "/jobs?limit=50"},
		{"jobs-recent", base + "/jobs?limit=50&with=recent"},
	} {
		b.Run(of.name, func(b *testing.B) {
			b.SetParallelism(8)
			var next atomic.Int64
			b.RunParallel(func(p *testing.PB) {
				token := tokens[int(next.Add(1))%len(tokens)]
				client := &http.Client{Transport: &http.Transport{}}
				defer client.CloseIdleConnections()
				for p.Next() {
					if err := get(client, of.url, token); err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
		})
	}
}

func get(client *http.Client, url, token string) error {
	r, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// administer makes a request that must succeed, and reads its answer.
func administer(b *testing.B, method, url, token, body string, into any) {
	b.Helper()
	r, err := http.NewRequestWithContext(b.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= http.StatusBadRequest {
		b.Fatalf("%s %s: %s %s, %v", method, url, response.Status, text, err)
	}
	if into != nil {
		if err := json.Unmarshal(text, into); err != nil {
			b.Fatal(err)
		}
	}
}
