package dialect

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
	HeaderPlannedAt = "Orth-Planned-At" // milliseconds since 1970
	HeaderOnCrash   = "Orth-On-Crash"   // only when it is not the default
	HeaderRunID     = "Orth-Run-Id"
	HeaderTry       = "Orth-Try"    // 1 for the first attempt of a run
	HeaderLabels    = "Orth-Labels" // as the query of a URL, by key
	HeaderTrace     = "Traceparent" // as the W3C has it
)

// HeaderAttemptID in a request to kill ends that attempt and leaves the rest
// of the job alone.
const HeaderAttemptID = "Orth-Attempt-Id"

// AppendExtras appends what the body of the task does not carry.
func AppendExtras(f post.Fields, t *job.Task) post.Fields {
	if !t.PlannedAt.IsZero() {
		f = f.AddInt(HeaderPlannedAt, t.PlannedAt.UnixMilli())
	}
	if t.OnCrash == job.CrashRerun {
		f = f.Add(HeaderOnCrash, string(t.OnCrash))
	}
	if t.RunID > 0 {
		f = f.AddInt(HeaderRunID, t.RunID)
	}
	if t.Try > 0 {
		f = f.AddInt(HeaderTry, int64(t.Try))
	}
	if len(t.Labels) > 0 && job.CheckTaskLabels("labels", t.Labels) == nil {
		values := make(url.Values, len(t.Labels))
		for key, value := range t.Labels {
			values[key] = []string{value}
		}
		f = f.Add(HeaderLabels, values.Encode())
	}
	if t.Trace != "" {
		f = f.Add(HeaderTrace, t.Trace)
	}
	return f
}

// ReadExtras adds the headers' fields to the task. It skips what it cannot parse: the task
// is complete without it.
func ReadExtras(h http.Header, t *job.Task) {
	if n, ok := HeaderInteger(h, HeaderPlannedAt, jsontext.MaxMillis); ok {
		t.PlannedAt = job.FromMillis(n)
	}
	if values := h[HeaderOnCrash]; len(values) > 0 && values[0] == string(job.CrashRerun) {
		t.OnCrash = job.CrashRerun
	}
	if n, ok := HeaderInteger(h, HeaderRunID, math.MaxInt64); ok {
		t.RunID = n
	}
	if n, ok := HeaderInteger(h, HeaderTry, math.MaxInt32); ok {
		t.Try = int(n)
	}
	if values := h[HeaderLabels]; len(values) > 0 {
		t.Labels = parseLabels(values[0])
	}
	if values := h[HeaderTrace]; len(values) > 0 && job.ValidTrace(values[0]) {
		t.Trace = values[0]
	}
}

// HeaderInteger returns the number in a header, and false when there is none
// from 1 to high.
func HeaderInteger(h http.Header, name string, high int64) (int64, bool) {
	values := h[name]
	if len(values) == 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	return n, err == nil && n > 0 && n <= high
}

// parseLabels returns nil for a text that AppendExtras would not write: half of
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
