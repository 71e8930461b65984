package sim

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// How many events a trace keeps and shows.
const (
	traceKept  = 50_000
	traceShown = 200
)

// trace is what has happened in a world.
type trace struct {
	began time.Time

	mu     sync.Mutex
	events []string // guarded by mu
}

func newTrace() *trace { return &trace{began: time.Now()} }

// note adds an event; those that are too many are left out.
func (t *trace) note(format string, args ...any) {
	event := fmt.Sprintf("%9.3fs  ", time.Since(t.began).Seconds()) + fmt.Sprintf(format, args...)
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.events) < traceKept {
		t.events = append(t.events, event)
	}
}

// newest returns the events that a reader sees first, the oldest of them first.
func (t *trace) newest() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.events[max(0, len(t.events)-traceShown):], "\n")
}

var (
	// namesRun finds the runs that a fault or an event is about.
	namesRun = regexp.MustCompile(`\brun \d+\b`)
	// general finds events that matter to every run.
	general = regexp.MustCompile(`^(FAULT|HEAL|users: (pause|change|end)|the storm)`)
)

// story returns the events about the runs that the text names, among the faults of
// the storm and what users did.
func (t *trace) story(text string) string {
	runs := namesRun.FindAllString(text, -1)
	t.mu.Lock()
	defer t.mu.Unlock()
	var told []string
	for _, event := range t.events {
		_, what, _ := strings.Cut(event, "s  ")
		if general.MatchString(what) || slices.Contains(runs, namesRun.FindString(event)) {
			told = append(told, event)
		}
	}
	return strings.Join(told, "\n")
}
