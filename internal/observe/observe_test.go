package observe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// get asks a real server for a page.
func get(t *testing.T, c Config, method, path string) (status int, page string, header http.Header) {
	t.Helper()
	server := httptest.NewServer(NewHandler(c))
	t.Cleanup(func() { server.Client().CloseIdleConnections(); server.Close() })
	request, err := http.NewRequest(method, server.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text), response.Header
}

// scrape returns the lines of the samples with the prefix t_ and the kinds of
// all metrics, after a strict parser has read them.
func scrape(t *testing.T, c Config) (lines string, kinds map[string]string) {
	t.Helper()
	c.Prefix = "t_"
	status, page, _ := get(t, c, http.MethodGet, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("status %d: %s", status, page)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(page))
	if err != nil {
		t.Fatalf("the page cannot be parsed: %v", err)
	}
	kinds = map[string]string{}
	for name, family := range families {
		kinds[name] = strings.ToLower(family.GetType().String())
	}
	var kept strings.Builder
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, "t_") {
			kept.WriteString(line)
		}
	}
	return kept.String(), kinds
}

// fixed collects the same samples each time.
func fixed(samples ...Sample) func() []Sample { return func() []Sample { return samples } }

func TestSamplesAreShown(t *testing.T) {
	t.Parallel()
	lines, kinds := scrape(t, Config{Collect: fixed(
		Sample{Name: "queued", Help: "Tasks that wait.", Value: 3},
		Sample{Name: "ended_total", Help: "Ends.", Counter: true, Labels: [][2]string{{"state", "failed"}, {"kind", "script"}}, Value: 2},
		Sample{Name: "ended_total", Counter: true, Labels: [][2]string{{"kind", "script"}, {"state", "a \"b\"\n\\"}}, Value: 1e9},
		Sample{Name: "ratio", Value: math.NaN()},
	)})
	want := `t_ended_total{kind="script",state="a \"b\"\n\\"} 1e+09
t_ended_total{kind="script",state="failed"} 2
t_metrics_dropped_total 0
t_queued 3
t_ratio NaN
`
	if lines != want {
		t.Errorf("lines\n%s, want\n%s", lines, want)
	}
	for name, want := range map[string]string{
		"t_ended_total": "counter", "t_queued": "gauge", "go_goroutines": "gauge", "process_start_time_seconds": "gauge",
	} {
		if kinds[name] != want {
			t.Errorf("%s is a %q, want a %s", name, kinds[name], want)
		}
	}
}

func TestBadSamplesAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	label := func(name, value string) [][2]string { return [][2]string{{name, value}} }
	good := Sample{Name: "good", Labels: label("a", "1"), Value: 1}
	tests := []struct {
		name string
		bad  Sample
	}{
		{"no name", Sample{}},
		{"a digit first", Sample{Name: "9lives"}},
		{"a name in quotes", Sample{Name: "a b"}},
		{"a name beyond ASCII", Sample{Name: "größe"}},
		{"a name with a line", Sample{Name: "a 1\nb"}},
		{"a label without a name", Sample{Name: "x", Labels: label("", "1")}},
		{"a label with a hyphen", Sample{Name: "x", Labels: label("a-b", "1")}},
		{"a label of Prometheus itself", Sample{Name: "x", Labels: label("__name__", "1")}},
		{"a label twice", Sample{Name: "x", Labels: [][2]string{{"a", "1"}, {"a", "2"}}}},
		{"other labels", Sample{Name: "good", Labels: label("b", "1")}},
		{"no labels", Sample{Name: "good"}},
		{"the same sample again", Sample{Name: "good", Labels: label("a", "1"), Value: 2}},
		{"our own name", Sample{Name: "metrics_dropped_total"}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			lines, _ := scrape(t, Config{Collect: fixed(good, tc.bad), Logger: slog.New(slog.NewTextHandler(&log, nil))})
			if want := "t_good{a=\"1\"} 1\nt_metrics_dropped_total 1\n"; lines != want {
				t.Errorf("lines\n%s, want\n%s", lines, want)
			}
			if !strings.Contains(log.String(), "samples=1") {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}

func TestRuntimeNamesAreNotTaken(t *testing.T) {
	t.Parallel()
	c := Config{Collect: fixed(Sample{Name: "go_goroutines", Help: "Mine.", Value: -1}, Sample{Name: "process_mine"})}
	status, page, _ := get(t, c, http.MethodGet, "/metrics")
	if status != http.StatusOK || strings.Contains(page, "Mine.") || strings.Contains(page, "process_mine") ||
		!strings.Contains(page, "\nmetrics_dropped_total 2\n") {
		t.Errorf("status %d, page\n%s", status, page)
	}
}

func TestInvalidTextIsShownWithAMark(t *testing.T) {
	t.Parallel()
	lines, _ := scrape(t, Config{Collect: fixed(
		Sample{Name: "x", Help: "bad \xff help", Labels: [][2]string{{"a", "b\xffc"}}},
	)})
	if want := "t_metrics_dropped_total 0\nt_x{a=\"b\uFFFDc\"} 0\n"; lines != want {
		t.Errorf("lines\n%s, want\n%s", lines, want)
	}
}

func TestSamplesAreBounded(t *testing.T) {
	t.Parallel()
	many := make([]Sample, sampleLimit+5)
	for i := range many {
		many[i] = Sample{Name: "x", Labels: [][2]string{{"i", fmt.Sprint(i)}}}
	}
	lines, _ := scrape(t, Config{Collect: fixed(many...)})
	if n := strings.Count(lines, "t_x{"); n != sampleLimit || !strings.Contains(lines, "t_metrics_dropped_total 5\n") {
		t.Errorf("%d samples, want %d, and 5 dropped", n, sampleLimit)
	}
}

func TestPanicOfCollectCostsItsSamplesOnly(t *testing.T) {
	t.Parallel()
	lines, kinds := scrape(t, Config{Collect: func() []Sample { panic("secret") }})
	if lines != "t_metrics_dropped_total 1\n" || kinds["go_goroutines"] == "" {
		t.Errorf("lines\n%s, %d kinds", lines, len(kinds))
	}
}

func TestScrapesMayOverlap(t *testing.T) {
	t.Parallel()
	handler := NewHandler(Config{Collect: fixed(Sample{Name: "x"}, Sample{Name: "x"})})
	var wg sync.WaitGroup
	for range scrapesAtOnce {
		wg.Go(func() {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
			if recorder.Code != http.StatusOK {
				t.Errorf("status %d", recorder.Code)
			}
		})
	}
	wg.Wait()
}

func TestScrapesAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}), make(chan struct{})
	handler := NewHandler(Config{Collect: func() []Sample { entered <- struct{}{}; <-leave; return nil }})
	ask := func() int {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		return recorder.Code
	}
	var wg sync.WaitGroup
	for range scrapesAtOnce {
		wg.Go(func() { ask() })
		<-entered
	}
	if code := ask(); code != http.StatusServiceUnavailable {
		t.Errorf("status %d of one scrape too many, want 503", code)
	}
	close(leave)
	wg.Wait()
}

func TestPages(t *testing.T) {
	t.Parallel()
	sick := func() error { return errors.New("no server has answered for 40s") }
	long := func() error { return errors.New(strings.Repeat("ü", 5000)) }
	tests := []struct {
		name, method, path string
		healthy            func() error
		status             int
		page               string
	}{
		{"well", http.MethodGet, "/healthz", func() error { return nil }, 200, "ok\n"},
		{"not asked", http.MethodGet, "/healthz", nil, 200, "ok\n"},
		{"head", http.MethodHead, "/healthz", nil, 200, ""},
		{"sick", http.MethodGet, "/healthz", sick, 503, "no server has answered for 40s\n"},
		{"at length", http.MethodGet, "/healthz", long, 503, strings.Repeat("ü", reasonLimit/2) + "\n"},
		{"panic", http.MethodGet, "/healthz", func() error { panic("secret") }, 503, "the health could not be told: look at the process's log\n"},
		{"post", http.MethodPost, "/healthz", nil, 405, "Method Not Allowed\n"},
		{"root", http.MethodGet, "/", nil, 404, "404 page not found\n"},
		{"below", http.MethodGet, "/metrics/x", nil, 404, "404 page not found\n"},
		{"profiles", http.MethodGet, "/debug/pprof/", nil, 404, "404 page not found\n"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			status, page, _ := get(t, Config{Healthy: tc.healthy}, tc.method, tc.path)
			if status != tc.status || page != tc.page {
				t.Errorf("%d %q, want %d %q", status, page, tc.status, tc.page)
			}
		})
	}
}
