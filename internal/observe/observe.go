package observe

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Sample is one value at the time of a scrape.
type Sample struct {
	// Name is the metric's name without the prefix, in snake_case. That of a
	// counter ends in _total.
	Name string
	// Help says in a sentence what the value is and in which unit. The first
	// sample of a name decides.
	Help string
	// Counter tells that the value only grows while the process lives.
	// Otherwise it is a gauge. The first sample of a name decides.
	Counter bool
	// Labels are pairs of name and value. All samples of one Name must have
	// the same names of labels, and no two the same values.
	Labels [][2]string
	// Value is the value in base units: seconds, bytes, ratios from 0 to 1. Of a
	// histogram it is the sum of all values.
	Value float64
	// Buckets makes the sample a histogram: how many values there were up to each
	// upper bound. Count is how many there were in all.
	Buckets map[float64]uint64
	Count   uint64
}

// Config is what a process shows.
type Config struct {
	// Prefix begins the name of each sample, as in "orth_executor_". It may be
	// empty.
	Prefix string
	// Collect takes the snapshot. It is called for each scrape, at most four at
	// a time, and must be quick. Nil shows the runtime alone.
	Collect func() []Sample
	// Meters are shown beside the samples, without the prefix. Nil means none.
	Meters *Meters
	// Healthy returns nil, or why the process cannot do its work; everybody who
	// reaches the page reads the text, so it must hold no secret. Nil means always healthy.
	Healthy func() error
	// Logger tells of samples that were dropped. Defaults to none.
	Logger *slog.Logger
}

const (
	// sampleLimit bounds the samples of one scrape; the rest is dropped.
	sampleLimit = 10_000
	// scrapesAtOnce bounds the scrapes at one time; more are answered with 503.
	scrapesAtOnce = 4
	// scrapeTime is when a scrape that still waits is answered with 503.
	scrapeTime = 10 * time.Second
	// reasonLimit bounds the text of a bad health, in bytes.
	reasonLimit = 1 << 10
)

// NewHandler returns the pages: GET /metrics, which is [NewMetrics], and GET /healthz,
// which is 200 with "ok", or 503 with the reason. Any other path is 404. It asks for
// no credential: whoever serves it decides who may reach it.
func NewHandler(c Config) http.Handler {
	if c.Healthy == nil {
		c.Healthy = func() error { return nil }
	}
	metrics := NewMetrics(c)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { health(w, c) })
	return mux
}

// NewMetrics returns the page with the metrics at any path, in the formats of
// Prometheus and OpenMetrics: the figures of the Go runtime and of the process, the
// samples, and the meters.
//
// Samples that cannot be shown (a bad name, labels that do not fit, a value given
// twice) are dropped, and counted by the metric <prefix>metrics_dropped_total; all
// others are shown. A panic of Collect or Healthy is answered, not passed on.
func NewMetrics(c Config) http.Handler {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Collect == nil {
		c.Collect = func() []Sample { return nil }
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		newCollector(c),
	)
	if c.Meters != nil {
		registry.MustRegister(c.Meters.registry)
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            errorLog{c.Logger},
		ErrorHandling:       promhttp.ContinueOnError,
		MaxRequestsInFlight: scrapesAtOnce,
		Timeout:             scrapeTime,
		EnableOpenMetrics:   true,
	})
}

// health writes the page for watchers.
func health(w http.ResponseWriter, c Config) {
	header := w.Header()
	header.Set("Content-Type", "text/plain; charset=utf-8")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	text := "ok"
	if err := safely(c.Healthy); err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		text = err.Error()
		text = strings.ToValidUTF8(text[:min(len(text), reasonLimit)], "")
	}
	_, _ = io.WriteString(w, text+"\n") // a watcher that has gone reads nothing
}

// safely turns a panic into an error that tells nothing of the inside.
func safely(ask func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("the health could not be told: look at the process's log")
		}
	}()
	return ask()
}

// errorLog passes on what the library could not show.
type errorLog struct{ logger *slog.Logger }

// Println implements promhttp.Logger.
func (l errorLog) Println(v ...any) {
	l.logger.Warn("show metrics", slog.Any("error", v))
}
