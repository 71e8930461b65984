package xxl

import (
	"net/http"
	"strconv"

	"github.com/orthd/orth/job"
)

// The words of a task that the dialect's body has no place for. They travel as
// headers of the request that starts the task, because every peer passes over
// headers that it does not know, and some are strict about fields. The names
// are in Go's canonical form.
const (
	headerPlannedAt = "Orth-Planned-At" // milliseconds since 1970
	headerOnCrash   = "Orth-On-Crash"   // only when it is not the default
)

// setExtras writes what the body of the task does not say.
func setExtras(h http.Header, t *job.Task) {
	if !t.PlannedAt.IsZero() {
		h[headerPlannedAt] = []string{strconv.FormatInt(t.PlannedAt.UnixMilli(), 10)}
	}
	if t.OnCrash != "" && t.OnCrash != job.CrashReport {
		h[headerOnCrash] = []string{string(t.OnCrash)}
	}
}

// readExtras adds to the task what its headers say. What cannot be understood
// is left out: the task is complete without it.
func readExtras(h http.Header, t *job.Task) {
	if values := h[headerPlannedAt]; len(values) > 0 {
		if n, err := strconv.ParseInt(values[0], 10, 64); err == nil && n > 0 && n <= maxMillis {
			t.PlannedAt = fromMillis(n)
		}
	}
	if values := h[headerOnCrash]; len(values) > 0 && values[0] == string(job.CrashRerun) {
		t.OnCrash = job.CrashRerun
	}
}
