package observe

import (
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
)

// collector turns a snapshot into metrics at each scrape. It describes nothing
// in advance, so the registry checks what it collects.
type collector struct {
	config  Config
	total   *prometheus.Desc
	dropped atomic.Uint64
}

func newCollector(c Config) *collector {
	total := prometheus.NewDesc(c.Prefix+"metrics_dropped_total",
		"Samples that could not be shown because their name, labels or number do not fit.", nil, nil)
	return &collector{config: c, total: total}
}

// Describe implements prometheus.Collector. What is collected is known only at
// the scrape.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect implements prometheus.Collector. Several scrapes may call it at the
// same time.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	s := snapshot{prefix: c.config.Prefix, families: map[string]*family{}}
	for i, sample := range c.collectSamples() {
		reason := "there are too many samples"
		if i < sampleLimit {
			reason = s.addSample(sample)
		}
		if reason != "" {
			s.dropSample(sample, reason)
		}
	}
	if s.dropped > 0 {
		c.dropped.Add(s.dropped)
		c.config.Logger.Warn("drop samples that cannot be shown", slog.Uint64("samples", s.dropped),
			slog.String("first", s.firstName), slog.String("reason", s.firstReason))
	}
	for _, metric := range s.metrics {
		to <- metric
	}
	if total, err := prometheus.NewConstMetric(c.total, prometheus.CounterValue, float64(c.dropped.Load())); err == nil {
		to <- total
	}
}

// collectSamples calls the process's function; a panic there costs its samples only.
func (c *collector) collectSamples() (samples []Sample) {
	defer func() {
		if p := recover(); p != nil {
			c.dropped.Add(1)
			c.config.Logger.Error("collect samples", slog.Any("panic", p), slog.String("stack", string(debug.Stack())))
		}
	}()
	return c.config.Collect()
}

// family is what all samples of one name have in common.
type family struct {
	desc   *prometheus.Desc
	kind   prometheus.ValueType
	labels []string        // sorted
	seen   map[string]bool // the values of the labels, by the names' order
}

// snapshot is one scrape on its way. One goroutine owns it.
type snapshot struct {
	prefix   string
	families map[string]*family
	metrics  []prometheus.Metric

	dropped                uint64
	firstName, firstReason string
}

func (s *snapshot) dropSample(sample Sample, reason string) {
	if s.dropped == 0 {
		s.firstName, s.firstReason = sample.Name, reason
	}
	s.dropped++
}

// addSample takes in a sample or returns why it cannot be shown.
func (s *snapshot) addSample(sample Sample) (reason string) {
	name := s.prefix + sample.Name
	if reason := refuse(name, sample); reason != "" {
		return reason
	}
	labels := slices.SortedFunc(slices.Values(sample.Labels), func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var names, values []string
	for _, label := range labels {
		names, values = append(names, label[0]), append(values, strings.ToValidUTF8(label[1], "\uFFFD"))
	}
	f := s.families[name]
	if f == nil {
		f = newFamily(name, sample, names)
		s.families[name] = f
	}
	if !slices.Equal(f.labels, names) {
		return "its labels are others than those of the name's first sample"
	}
	key := strings.Join(values, "\xff") // which no valid text contains
	if f.seen[key] {
		return "its labels have the values of another sample"
	}
	metric, err := f.metric(&sample, values)
	if err != nil {
		return err.Error()
	}
	f.seen[key] = true
	s.metrics = append(s.metrics, metric)
	return ""
}

func newFamily(name string, first Sample, labels []string) *family {
	f := &family{kind: prometheus.GaugeValue, labels: labels, seen: map[string]bool{}}
	if first.Counter {
		f.kind = prometheus.CounterValue
	}
	help := strings.ToValidUTF8(first.Help, "\uFFFD")
	f.desc = prometheus.NewDesc(name, help, labels, nil)
	return f
}

// metric returns the sample as the library has it.
func (f *family) metric(sample *Sample, values []string) (prometheus.Metric, error) {
	if sample.Buckets != nil {
		return prometheus.NewConstHistogram(f.desc, sample.Count, sample.Value, sample.Buckets, values...)
	}
	return prometheus.NewConstMetric(f.desc, f.kind, sample.Value, values...)
}

// refuse looks at a sample alone.
func refuse(name string, sample Sample) (reason string) {
	switch {
	case !isBareName(sample.Name) || !isBareName(name):
		return "its name is not made of letters, digits and underscores"
	case strings.HasPrefix(name, "go_"), strings.HasPrefix(name, "process_"), strings.HasPrefix(name, "promhttp_"):
		return "its name belongs to the runtime"
	case sample.Name == "metrics_dropped_total":
		return "its name belongs to the count of dropped samples"
	}
	var names []string
	for _, label := range sample.Labels {
		switch {
		case !isBareName(label[0]), strings.HasPrefix(label[0], "__"):
			return "the name of a label is not made of letters, digits and underscores"
		case slices.Contains(names, label[0]):
			return "a label stands there twice"
		}
		names = append(names, label[0])
	}
	return ""
}

// isBareName reports whether a name can stand in the text format without quotes.
func isBareName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || '9' < r) {
			return false
		}
	}
	return name != ""
}
