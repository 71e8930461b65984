package runner

import (
	"context"
	"strings"
	"testing"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/job"
)

// The outcome carries a small log whole to servers of Orth, which name the run, unless they
// keep nothing of it.
func TestOutcomeCarriesTheLog(t *testing.T) {
	t.Parallel()
	live(t, nil, func(h *house) {
		h.code["greet"] = handler.Func(func(_ context.Context, t *handler.Task) error { t.Log("hello"); return nil })
		named, foreign, off := task(1, 1, "greet"), task(2, 2, "greet"), task(3, 3, "greet")
		named.RunID, off.RunID, off.LogsOff = 11, 13, true
		h.accept(named, foreign, off)
		for _, o := range h.outcomes() {
			log := h.logs.text(o.AttemptID)
			switch {
			case o.AttemptID != 1 && o.Log != "":
				t.Errorf("attempt %d: the log travels: %q", o.AttemptID, o.Log)
			case o.AttemptID == 1 && (o.Log != log || !strings.HasSuffix(log, "\n")):
				t.Errorf("the log that travels is %q, want %q", o.Log, log)
			case o.State != job.Succeeded || log == "":
				t.Errorf("attempt %d: %s, log %q", o.AttemptID, o.State, log)
			}
		}
	})
}
