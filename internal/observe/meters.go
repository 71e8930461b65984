package observe

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// seriesLimit bounds the label values of one name that were not told in advance;
// what comes beyond it is counted under [Other].
const seriesLimit = 1000

// Other stands for every label value beyond the limit of a name.
const Other = "other"

// Meters are instruments that a process counts with as things happen, beside the
// samples that are taken at a scrape. Instruments are made when the process is
// wired; one that is made twice, or has a bad name, panics then.
type Meters struct {
	prefix   string
	registry *prometheus.Registry
}

// NewMeters returns no instruments yet. The prefix begins the name of each.
func NewMeters(prefix string) *Meters {
	return &Meters{prefix: prefix, registry: prometheus.NewRegistry()}
}

// Counter returns a counter of name, which ends in _total, for each combination of
// the label's values.
func (m *Meters) Counter(name, help string, labels ...string) *Counters {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: m.prefix + name, Help: help}, labels)
	m.registry.MustRegister(v)
	return &Counters{vec: v}
}

// Histogram returns a histogram of name for each combination of the labels' values.
// The bounds are the upper ones of its classic buckets, in base units; a scraper
// that asks for them gets native buckets too.
func (m *Meters) Histogram(name, help string, bounds []float64, labels ...string) *Histograms {
	v := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: m.prefix + name, Help: help, Buckets: bounds,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 120, NativeHistogramMinResetDuration: time.Hour,
	}, labels)
	m.registry.MustRegister(v)
	return &Histograms{vec: v}
}

// Counters are the counters of one name.
type Counters struct {
	vec   *prometheus.CounterVec
	known bounded
}

// Of returns the counter of these values, which whoever counts often keeps. Values
// beyond the limit of a name share the counter of [Other].
func (c *Counters) Of(values ...string) Counter {
	return Counter{c.vec.WithLabelValues(c.known.boundedValues(values)...)}
}

// Counter is one that only grows. It may be used from many goroutines and
// allocates nothing.
type Counter struct{ to prometheus.Counter }

// Add counts n more; what is negative is left out.
func (c Counter) Add(n int) {
	if n > 0 {
		c.to.Add(float64(n))
	}
}

// Histograms are the histograms of one name.
type Histograms struct {
	vec   *prometheus.HistogramVec
	known bounded
}

// Of returns the histogram of these values, as [Counters.Of] does.
func (h *Histograms) Of(values ...string) Histogram {
	return Histogram{h.vec.WithLabelValues(h.known.boundedValues(values)...)}
}

// Histogram counts values by their size. It may be used from many goroutines, and
// allocates nothing but for an example.
type Histogram struct{ to prometheus.Observer }

// Observe counts a value in base units.
func (h Histogram) Observe(value float64) { h.to.Observe(value) }

// Took counts a duration in seconds; a negative one counts as none.
func (h Histogram) Took(d time.Duration) { h.to.Observe(max(d, 0).Seconds()) }

// Example counts a duration that the trace with the id is an example of; an empty
// id is none.
func (h Histogram) Example(d time.Duration, trace string) {
	if e, ok := h.to.(prometheus.ExemplarObserver); ok && trace != "" {
		e.ObserveWithExemplar(max(d, 0).Seconds(), prometheus.Labels{"trace_id": trace})
		return
	}
	h.Took(d)
}

// bounded keeps the label values of one name few.
type bounded struct {
	mu   sync.Mutex
	seen map[string]struct{} // guarded by mu
}

// boundedValues returns the values, or Other in place of each when there are too many.
func (b *bounded) boundedValues(values []string) []string {
	if len(values) == 0 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = make(map[string]struct{})
	}
	key := strings.Join(values, "\xff") // which no valid text contains
	if _, known := b.seen[key]; !known && len(b.seen) >= seriesLimit {
		return slices.Repeat([]string{Other}, len(values))
	}
	b.seen[key] = struct{}{}
	return values
}
