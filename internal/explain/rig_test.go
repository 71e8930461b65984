package explain

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
	"github.com/orthd/orth/schedule/calendar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// instant reads an instant.
func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UTC()
}

// at and wall are moments.
func at(text string) Moment { return Moment{At: instant(text)} }

func wall(text string) Moment {
	clock, err := time.Parse("2006-01-02 15:04:05", text)
	if err != nil {
		panic(err)
	}
	return Moment{Wall: clock}
}

// now is when everything is asked: a Wednesday.
var now = instant("2026-05-06T12:00:00Z")

// report is a job of half past two in Berlin, started long ago.
func report() job.Job {
	rules := schedule.Wall()
	return job.Job{
		ID: 7, Namespace: "default", Key: "report", GroupID: 1, Group: "reports", Misfire: schedule.MisfireFireOnce,
		Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 30 2 * * ?", Zone: "Europe/Berlin", DST: &rules},
		Enabled:  true, Version: 3, CreatedAt: instant("2026-01-01T00:00:00Z"), UpdatedAt: instant("2026-01-02T00:00:00Z"),
		LastAt: instant("2026-05-06T00:30:00Z"), NextAt: instant("2026-05-07T00:30:00Z"),
	}
}

// works allows no weekend and not the first of May.
func works() job.Calendar {
	return job.Calendar{
		Key: "works", CreatedAt: instant("2026-01-01T00:00:00Z"), UpdatedAt: instant("2026-01-01T00:00:00Z"),
		Rules: calendar.Rules{
			Weekdays: []calendar.Weekday{calendar.Weekday(time.Saturday), calendar.Weekday(time.Sunday)},
			Dates:    []calendar.Day{{Date: calendar.Date{Year: 2026, Month: time.May, Day: 1}, Name: "Labour Day"}},
		},
	}
}

func alive() []job.Executor {
	return []job.Executor{{GroupID: 1, Group: "reports", Address: "http://10.0.0.1:9999", SeenAt: now.Add(-3 * time.Second)}}
}

// text shows an explanation as people see it, in UTC, with the kinds and values.
func text(e Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n", e.Question, e.Answer)
	for _, f := range e.Facts {
		when := "-"
		if !f.At.IsZero() {
			when = f.At.UTC().Format("2006-01-02T15:04:05.999Z")
		}
		fmt.Fprintf(&b, "%s  %s  %s", when, f.Kind, f.Text)
		if f.Run != 0 {
			fmt.Fprintf(&b, "  [run %d]", f.Run)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// golden compares an explanation with a golden file, and checks what holds for
// each one.
func golden(t *testing.T, name string, e Explanation) {
	t.Helper()
	sound(t, e)
	path, got := filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".txt"), text(e)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("run the test with -update when this is wanted: %s", diff)
	}
}

// sound checks that facts are in order, that no placeholder is left, and that no
// zero time has crept into a sentence.
func sound(t interface {
	Helper()
	Errorf(format string, args ...any)
}, e Explanation,
) {
	t.Helper()
	texts := []string{e.Question, e.Answer}
	said := make([]string, 0, len(e.Answers))
	for _, one := range e.Answers {
		listed(t, one)
		said = append(said, one.Text)
	}
	if joined := strings.Join(said, " "); joined != e.Answer {
		t.Errorf("the answer is %q, its sentences %q", e.Answer, joined)
	}
	for i, f := range e.Facts {
		listed(t, f.Sentence)
		texts = append(texts, f.Text)
		if i > 0 && f.At.Before(e.Facts[i-1].At) {
			t.Errorf("the fact %q comes after a later one", f.Text)
		}
		if f.Kind == "" || strings.HasSuffix(f.Text, ".") {
			t.Errorf("a fact without a kind, or with a full stop: %+v", f)
		}
	}
	for _, text := range texts {
		if text == "" || strings.ContainsAny(text, "{}\n") || strings.Contains(text, "0001-01-01") {
			t.Errorf("the text %q is broken", text)
		}
	}
	if !strings.HasSuffix(e.Answer, ".") {
		t.Errorf("the answer %q is no sentence", e.Answer)
	}
}
