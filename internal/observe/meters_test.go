package observe

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"
)

// shown returns the page of the meters.
func shown(t *testing.T, m *Meters, accept string) string {
	t.Helper()
	w := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/metrics", nil)
	request.Header.Set("Accept", accept)
	NewMetrics(Config{Prefix: "orth_", Meters: m, Collect: func() []Sample {
		return []Sample{{
			Name: "task_seconds", Help: "A histogram that was counted elsewhere.", Value: 2.5, Count: 3, Buckets: map[float64]uint64{0.5: 1, 1: 2},
		}}
	}}).ServeHTTP(w, request)
	return w.Body.String()
}

func TestMeters(t *testing.T) {
	t.Parallel()
	m := NewMeters("orth_")
	ends := m.Counter("ends_total", "Ends.", "outcome")
	ends.Of("good").Add(2)
	ends.Of("good").Add(1)
	ends.Of("bad").Add(-5)
	m.Counter("alone_total", "Alone.").Of().Add(1)
	took := m.Histogram("took_seconds", "Time.", []float64{0.1, 1}).Of()
	took.Took(50 * time.Millisecond)
	took.Took(-time.Second)
	took.Observe(0.5)
	took.Example(2*time.Second, "4bf92f3577b34da6a3ce929d0e0e4736")
	took.Example(time.Second/4, "")

	page := shown(t, m, "")
	for _, want := range []string{
		`orth_ends_total{outcome="good"} 3`, `orth_ends_total{outcome="bad"} 0`, "orth_alone_total 1",
		`orth_took_seconds_bucket{le="0.1"} 2`, `orth_took_seconds_bucket{le="1"} 4`, `orth_took_seconds_bucket{le="+Inf"} 5`,
		`orth_task_seconds_bucket{le="0.5"} 1`, `orth_task_seconds_bucket{le="+Inf"} 3`, "orth_task_seconds_sum 2.5",
	} {
		if !strings.Contains(page, want+"\n") {
			t.Errorf("the page has no line %s:\n%s", want, page)
		}
	}
	open := shown(t, m, "application/openmetrics-text;version=1.0.0")
	if !strings.Contains(open, `trace_id="4bf92f3577b34da6a3ce929d0e0e4736"`) || !strings.HasSuffix(open, "# EOF\n") {
		t.Errorf("in OpenMetrics there is no example:\n%s", open)
	}
}

// TestMetersAreBounded: whoever can make values up makes no more series than there may
// be.
func TestMetersAreBounded(t *testing.T) {
	t.Parallel()
	m := NewMeters("orth_")
	ends := m.Counter("ends_total", "Ends.", "group", "outcome")
	for i := range seriesLimit + 10 {
		ends.Of("g"+strconv.Itoa(i), "good").Add(1)
	}
	ends.Of("g1", "good").Add(1)
	page := shown(t, m, "")
	if n := strings.Count(page, "\north_ends_total{"); n != seriesLimit+1 {
		t.Errorf("there are %d series, want %d and one for the others", n, seriesLimit)
	}
	for _, want := range []string{`orth_ends_total{group="other",outcome="other"} 10`, `orth_ends_total{group="g1",outcome="good"} 2`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no line %s", want)
		}
	}
}

// TestCountingTakesNoMemory: what is counted on the path of a run costs additions.
func TestCountingTakesNoMemory(t *testing.T) {
	m := NewMeters("orth_")
	ends, took := m.Counter("ends_total", "Ends.", "outcome").Of("good"), m.Histogram("took_seconds", "Time.", []float64{0.1, 1}).Of()
	took.Took(time.Millisecond)
	if n := testing.AllocsPerRun(1000, func() { ends.Add(1); took.Took(time.Millisecond); took.Example(time.Millisecond, "") }); n > 0 {
		t.Errorf("counting allocates %v times", n)
	}
}

func BenchmarkCount(b *testing.B) {
	m := NewMeters("orth_")
	ends, took := m.Counter("ends_total", "Ends.", "outcome").Of("good"), m.Histogram("took_seconds", "Time.", []float64{0.1, 1}).Of()
	b.ReportAllocs()
	for b.Loop() {
		ends.Add(1)
		took.Took(3 * time.Millisecond)
	}
}
