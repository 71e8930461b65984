package wiretest

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Outcome is what became of a case.
type Outcome string

// What can become of a case. None is left out in silence.
const (
	Passed        Outcome = "ok"
	Failed        Outcome = "failed"
	NotApplicable Outcome = "not applicable"
)

// Verdict is what is said of one case.
type Verdict struct {
	ID, Title string
	Outcome   Outcome
	// Reason says why the case does not apply, or what was otherwise than
	// wanted. Empty when it passed.
	Reason string
	// Took is how long the case was played.
	Took time.Duration
	// Transcript is what was sent and what came, line by line.
	Transcript string
}

// String tells the verdict in a line.
func (v Verdict) String() string {
	text := fmt.Sprintf("%s: %s: %s", v.ID, v.Outcome, v.Title)
	if v.Reason != "" {
		text += ": " + v.Reason
	}
	if v.Took > 0 {
		text += fmt.Sprintf(" (%s)", v.Took.Round(time.Millisecond))
	}
	return text
}

// transcript collects what is said on the wire. Many may write at once.
type transcript struct {
	mu    sync.Mutex
	lines []string
}

// mostLines bounds a transcript; a case that polls says the same many times.
const mostLines = 200

func (t *transcript) note(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if len(line) > longest {
		line = line[:longest] + "…"
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.lines); n < mostLines && (n == 0 || t.lines[n-1] != line) {
		t.lines = append(t.lines, line)
	}
}

func (t *transcript) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, "\n")
}
