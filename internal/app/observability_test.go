package app

import (
	"context"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/internal/observe"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// scrape returns the page of the figures as an owner of the server's token sees it.
func scrape(t *testing.T, s *Server, accept string) string {
	t.Helper()
	status, text := ask(t, s, "/metrics", s.config.APIToken.Reveal(), accept)
	if status != http.StatusOK {
		t.Fatalf("/metrics answered %d: %s", status, text)
	}
	return text
}

// ask fetches a page of the server.
func ask(t *testing.T, s *Server, path, token, accept string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// employ runs an executor of the group g until the test ends.
func employ(t *testing.T, s *Server) *executor.Executor {
	t.Helper()
	e, err := executor.New(executor.Config{
		Servers: []string{s.URL()}, Group: "g", Token: s.ExecutorToken().Reveal(), Listen: "127.0.0.1:0", Data: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	e.Handle("hello", func(_ context.Context, t *handler.Task) error { t.Log("hello"); return nil })
	ended := make(chan error, 1)
	go func() { ended <- e.Run(t.Context()) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Errorf("the executor stopped with %v", err)
		}
	})
	return e
}

// families returns the names of the metrics of a page, with their types, without those
// of the Go runtime and of the process.
func families(page string) map[string]string {
	names := map[string]string{}
	for line := range strings.Lines(page) {
		if rest, ok := strings.CutPrefix(line, "# TYPE orth_"); ok {
			name, kind, _ := strings.Cut(strings.TrimSpace(rest), " ")
			names["orth_"+name] = kind
		}
	}
	return names
}

// documented returns the metrics of the tables of docs/observability.md, with their
// types.
func documented(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	row := regexp.MustCompile("(?m)^\\| `(orth_[a-z_]+)`[^|]*\\| (counter|gauge|histogram) \\|")
	for _, found := range row.FindAllStringSubmatch(read(t, "docs", "observability.md"), -1) {
		names[found[1]] = found[2]
	}
	return names
}

// read reads a file of the repository.
func read(t *testing.T, path ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{"..", ".."}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestFiguresAreAsDocumented: the names of the metrics of a server and an executor that
// have worked are those of the documentation, and boards and alert rules ask for
// nothing else.
func TestFiguresAreAsDocumented(t *testing.T) {
	t.Parallel()
	s := begin(t)
	e := employ(t, s)
	c := s.Jobs()
	create(t, c, "paced", schedule.Spec{Kind: schedule.KindEvery, Every: 100 * time.Millisecond, Count: 3})
	create(t, c, "by-hand", schedule.Spec{Kind: schedule.KindManual})
	trigger(t, c, "by-hand", "")
	until(t, "all runs have ended", func() bool {
		runs, err := c.Runs(t.Context(), jobrows.RunFilter{Limit: 10})
		return err == nil && len(runs) == 4 && !slices.ContainsFunc(runs, func(r job.Run) bool { return r.State != job.Succeeded })
	})
	page := scrape(t, s, "")
	for _, want := range []string{
		`orth_runs_ended_total{cause="schedule",outcome="succeeded"} 3`, `orth_attempts_ended_total{outcome="succeeded"} 4`,
		`orth_dispatch_calls_total{result="accepted"} 4`, `orth_runs_planned_total{kind="on_time"} 3`,
		`orth_schedule_lag_seconds_count{result="accepted"} 4`, `orth_executors{group="g",state="alive"} 1`,
		`orth_run_duration_seconds_count{outcome="succeeded"} 4`, `orth_ready 1`, `orth_database_failures_total 0`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no line %s", want)
		}
	}
	if strings.Contains(page, "by-hand") || strings.Contains(page, "paced") {
		t.Error("the page tells keys of jobs: there may be a million of them")
	}
	shown := families(page)
	theirs := observe.NewMetrics(observe.Config{Prefix: "orth_executor_", Collect: func() (list []observe.Sample) {
		for _, x := range e.Samples(t.Context()) {
			list = append(list, observe.Sample(x))
		}
		return list
	}})
	maps.Copy(shown, families(render(t, theirs)))
	told := documented(t)
	for name, kind := range shown {
		if told[name] != kind {
			t.Errorf("docs/observability.md says of the %s %s: %q", kind, name, told[name])
		}
	}
	for name := range told {
		if name == "orth_data_free_bytes" && runtime.GOOS == "windows" {
			shown[name] = "gauge"
		}
		if shown[name] == "" {
			t.Errorf("docs/observability.md tells of %s, which nobody shows", name)
		}
	}
	checkQueries(t, shown)
}

// checkQueries finds metrics in boards and alert rules that nobody shows.
func checkQueries(t *testing.T, shown map[string]string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "deploy", "*", "*"))
	if err != nil || len(files) < 5 {
		t.Fatalf("deploy has %v, %v", files, err)
	}
	name := regexp.MustCompile(`\borth_[a-z_]+`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		asked := name.FindAllString(string(text), -1)
		if len(asked) == 0 && !strings.HasSuffix(file, "prometheus.yml") {
			t.Errorf("%s asks for no metric", file)
		}
		for _, metric := range asked {
			if strings.HasPrefix(metric, "orth_solana_") {
				continue // the tests of orth-solana look at these
			}
			base := metric
			for _, part := range []string{"_bucket", "_sum", "_count"} {
				if cut, ok := strings.CutSuffix(metric, part); ok && shown[cut] == "histogram" {
					base = cut
				}
			}
			if shown[base] == "" || shown[base] == "histogram" && base == metric {
				t.Errorf("%s asks for %s, which nobody shows", file, metric)
			}
		}
	}
}

// render returns a page.
func render(t *testing.T, h http.Handler) string {
	t.Helper()
	w := new(page)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	h.ServeHTTP(w, request)
	return w.String()
}

// page is an answer that is kept.
type page struct{ strings.Builder }

// Header implements http.ResponseWriter.
func (*page) Header() http.Header { return http.Header{} }

// WriteHeader implements http.ResponseWriter.
func (*page) WriteHeader(int) {}
