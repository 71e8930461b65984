package reason

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestChinese reads the cases that the console's tests read too. Times stand in angles,
// because each says them in its own way.
func TestChinese(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/chinese.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 50 {
		t.Fatalf("there are %d cases", len(cases))
	}
	times := regexp.MustCompile(`<(.*?)>`)
	for _, c := range cases {
		want := times.ReplaceAllStringFunc(c[1], func(at string) string {
			said, ok := moment(strings.Trim(at, "<>"))
			if !ok {
				t.Errorf("%s is no time", at)
			}
			return said
		})
		got, known := Chinese(c[0])
		if !known || got != want {
			t.Errorf("%s\n got %s (known: %v)\nwant %s", c[0], got, known, want)
		}
	}
}

func TestChineseLeavesOthers(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "exit status 3", "wrong month", "the deadline was missed", "维护 [x] {run}", "covered by run " + strings.Repeat("7", longest)} {
		if said, known := Chinese(text); known {
			t.Errorf("%.60q became %.60q", text, said)
		}
	}
}

// TestGaps holds the Chinese of each sentence against its English: a gap that one has
// and the other has not would leave something out, or show its name.
func TestGaps(t *testing.T) {
	t.Parallel()
	if len(sentences()) < 100 {
		t.Fatalf("there are %d sentences", len(sentences()))
	}
	for _, s := range sentences() {
		named := make(map[string]bool)
		open := 0
		for _, name := range s.gaps {
			named[name] = true
			if name == "[" {
				open++
			}
		}
		if got := strings.Count(s.chinese, "["); got != open {
			t.Errorf("%s has %d parts that may be missing, and %s has %d", s.pattern, open, s.chinese, got)
		}
		for _, gap := range inParts.FindAllString(s.chinese, -1) {
			if !named[strings.Trim(gap, "{}")] {
				t.Errorf("%s is not in %s", gap, s.pattern)
			}
		}
	}
}

func TestMoment(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 6, 2, 30, 0, 0, time.FixedZone("", 7200))
	if got, ok := moment(at.Format(time.RFC3339)); !ok || got != "2026-05-06 00:30:00 UTC" {
		t.Errorf("%s, %v", got, ok)
	}
}

// FuzzChinese looks for texts that stop the server, or that make much out of little.
func FuzzChinese(f *testing.F) {
	for _, text := range []string{
		"run 7: failed: [a] {end}", "not reached: a has failed, b was skipped", "waits: 3 runs of this job are under way, run 4 among them, and no more may be (serial)",
		"2 of 3 shards failed: 1 (run 4 failed: x), and 1 more", "it took 1.5s, longer than -292y", "it took -2562047h47m16.854775808s, longer than 1s", "\xff (executor \xfe)",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		said, known := Chinese(text)
		if !known {
			if said != "" {
				t.Errorf("%q is unknown and became %q", text, said)
			}
			return
		}
		if len(said) > 20*len(text)+200 {
			t.Errorf("%d bytes became %d", len(text), len(said))
		}
		if !strings.ContainsFunc(said, func(r rune) bool { return unicode.Is(unicode.Han, r) || unicode.In(r, unicode.Po) }) {
			t.Errorf("%q became %q", text, said)
		}
	})
}

func BenchmarkChinese(b *testing.B) {
	for name, text := range map[string]string{
		"server":  "executor 10.0.0.7:9999 is gone: its lease has ended, it does not answer and no result came",
		"program": strings.Repeat("java.lang.IllegalStateException: no such table: ledger ", 18),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Chinese(text)
			}
		})
	}
}
