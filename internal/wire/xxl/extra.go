package xxl

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/orthd/orth/internal/wire/jsontext"
	"github.com/orthd/orth/internal/wire/post"
	"github.com/orthd/orth/job"
)

// The words of a task that the dialect's body has no place for. They travel as
// headers of the request that starts the task, because every peer passes over
// headers that it does not know, and some are strict about fields. The names
// are in Go's canonical form.
const (
	headerPlannedAt = "Orth-Planned-At" // milliseconds since 1970
	headerOnCrash   = "Orth-On-Crash"   // only when it is not the default
	headerRunID     = "Orth-Run-Id"
	headerTry       = "Orth-Try"    // 1 for the first attempt of a run
	headerLabels    = "Orth-Labels" // as the query of a URL, by key
	headerTrace     = "Traceparent" // as the W3C has it
)

// headerAttemptID, in a request to kill, ends that attempt and leaves the rest
// of the job alone.
const headerAttemptID = "Orth-Attempt-Id"

// appendExtras appends what the body of the task does not carry.
func appendExtras(f post.Fields, t *job.Task) post.Fields {
	if !t.PlannedAt.IsZero() {
		f = f.AddInt(headerPlannedAt, t.PlannedAt.UnixMilli())
	}
	if t.OnCrash == job.CrashRerun {
		f = f.Add(headerOnCrash, string(t.OnCrash))
	}
	if t.RunID > 0 {
		f = f.AddInt(headerRunID, t.RunID)
	}
	if t.Try > 0 {
		f = f.AddInt(headerTry, int64(t.Try))
	}
	if len(t.Labels) > 0 && job.CheckTaskLabels("labels", t.Labels) == nil {
		values := make(url.Values, len(t.Labels))
		for key, value := range t.Labels {
			values[key] = []string{value}
		}
		f = f.Add(headerLabels, values.Encode())
	}
	if t.Trace != "" {
		f = f.Add(headerTrace, t.Trace)
	}
	return f
}

// readExtras adds the headers' fields to the task. It skips what it cannot parse: the task
// is complete without it.
func readExtras(h http.Header, t *job.Task) {
	if n, ok := headerInteger(h, headerPlannedAt, jsontext.MaxMillis); ok {
		t.PlannedAt = job.FromMillis(n)
	}
	if values := h[headerOnCrash]; len(values) > 0 && values[0] == string(job.CrashRerun) {
		t.OnCrash = job.CrashRerun
	}
	if n, ok := headerInteger(h, headerRunID, math.MaxInt64); ok {
		t.RunID = n
	}
	if n, ok := headerInteger(h, headerTry, math.MaxInt32); ok {
		t.Try = int(n)
	}
	if values := h[headerLabels]; len(values) > 0 {
		t.Labels = parseLabels(values[0])
	}
	if values := h[headerTrace]; len(values) > 0 && job.ValidTrace(values[0]) {
		t.Trace = values[0]
	}
}

// headerInteger returns the number in a header, and false when there is none
// from 1 to high.
func headerInteger(h http.Header, name string, high int64) (int64, bool) {
	values := h[name]
	if len(values) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	return n, err == nil && n > 0 && n <= high
}

// parseLabels returns nil for a text that appendExtras would not write: half of
// the labels would mislead a handler more than none.
func parseLabels(text string) map[string]string {
	if text == "" || len(text) > job.MaxLabelsText {
		return nil
	}
	values, err := url.ParseQuery(text)
	if err != nil {
		return nil
	}
	labels := make(map[string]string, len(values))
	for key, all := range values {
		if len(all) != 1 {
			return nil
		}
		labels[key] = all[0]
	}
	if len(labels) == 0 || job.CheckTaskLabels("labels", labels) != nil {
		return nil
	}
	return labels
}
