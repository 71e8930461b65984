package logformat

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestShow(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("y", MaxShown)
	for in, want := range map[string]string{
		"":                          "",
		"plain\ttext\n":             "plain\ttext\n",
		"no end":                    "no end",
		"grüße 你好 🙂\n":              "grüße 你好 🙂\n",
		"a\x00b\x07\n":              `a\x00b\x07` + "\n",
		"10%\r20%\r\n":              `10%\r20%` + "\n",
		"bad \xff\xc3 utf-8\n":      `bad \xff\xc3 utf-8` + "\n",
		"\x1b[31mred\x1b[0m\n":      "\x1b[31mred\x1b[0m\n",
		"\x1b[38;5;1m256\n":         "\x1b[38;5;1m256\n",
		"\x1b[2Jgone\n":             `\x1b[2Jgone` + "\n",
		"\x1b]0;title\x07\n":        `\x1b]0;title\x07` + "\n",
		"\x1b[" + long[:80] + "m\n": `\x1b[` + long[:80] + "m\n",
		"user\u202egpj.exe\n":       `user\u202egpj.exe` + "\n",
		"\u0085next\u2028\n":        `\u0085next\u2028` + "\n",
		long + "\n":                 long + "\n",
		long + "zz":                 long + "… [2 more bytes of this line: download the log to get them]",
		"\x1b[1m" + long + "\nb\n":  "\x1b[1m" + long[4:] + "\x1b[0m… [4 more bytes of this line: download the log to get them]\nb\n",
		long[1:] + "你\n":            long[1:] + "… [3 more bytes of this line: download the log to get them]\n",
	} {
		if got := Show(in); got != want {
			t.Errorf("%.60q is shown as %.200q, want %.200q", in, got, want)
		}
	}
}

func TestStripANSI(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n":                                    "plain\n",
		"\x1b[1;31mred\x1b[m and\x1b[K more\n":       "red and more\n",
		"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n": "link\n",
		"\x1b]0;title\atext\n":                       "text\n",
		"\x1b(Btext\x1b7\n":                          "text\n",
		"\x1b[31\nnext\n":                            "[31\nnext\n",
		"\x1b]never ended\n":                         "]never ended\n",
		"end\x1b":                                    "end",
	} {
		if got := StripANSI(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestStamp(t *testing.T) {
	t.Parallel()
	shanghai := time.FixedZone("CST", 8*3600)
	for line, want := range map[string]string{
		"2030-01-31 08:00:01 started":           "2030-01-31T00:00:01Z",
		"2030-01-31 08:00:01.250 [main] x":      "2030-01-31T00:00:01.25Z",
		"2030-01-31 08:00:01,250 INFO":          "2030-01-31T00:00:01.25Z",
		"2030/01/31 08:00:01 go":                "2030-01-31T00:00:01Z",
		"2030-01-31T08:00:01Z x":                "2030-01-31T08:00:01Z",
		"2030-01-31T08:00:01.123456789+01:00 x": "2030-01-31T07:00:01.123456789Z",
		"2030-01-31T08:00:01-0130":              "2030-01-31T09:30:01Z",
		"2030-01-31 08:00:01 +0000 x":           "2030-01-31T08:00:01Z",
		"[2030-01-31 08:00:01] x":               "2030-01-31T00:00:01Z",
		"\x1b[36m2030-01-31 08:00:01\x1b[0m x":  "2030-01-31T00:00:01Z",
		"2028-02-29 00:00:00":                   "2028-02-28T16:00:00Z",
		"2030-02-29 00:00:00":                   "",
		"2030-04-31 00:00:00":                   "",
		"2030-13-01 00:00:00":                   "",
		"2030-01-01 24:00:00":                   "",
		"2030-01/01 00:00:00":                   "",
		"2030-0x-01 00:00:00":                   "",
		"2030-01-01 00:00":                      "",
		"at 2030-01-01 00:00:00":                "",
		"":                                      "",
	} {
		at, ok := Stamp(line, shanghai)
		got := ""
		if ok {
			got = at.UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is of %q, want %q", line, got, want)
		}
	}
}

func TestHeadAndBehind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"\n", "a\n", "bb\n", "a long line\n"})).Draw(t, "text"), "") +
			rapid.SampledFrom([]string{"", "tail"}).Draw(t, "tail")
		lines, bytes := rapid.IntRange(0, 5).Draw(t, "lines"), rapid.IntRange(0, 30).Draw(t, "bytes")
		head, taken := Head(text, lines, bytes)
		switch {
		case !strings.HasPrefix(text, head), taken != Count(head), taken > lines:
			t.Fatalf("head of %d lines, %d of them: %q", lines, taken, head)
		case taken > 1 && len(head) > bytes:
			t.Fatalf("head has %d bytes, %d are allowed", len(head), bytes)
		case head+Behind(text, taken) != text:
			t.Fatalf("%q and %q do not make %q", head, Behind(text, taken), text)
		case lines > 0 && text != "" && taken == 0:
			t.Fatal("not even one line was taken")
		}
	})
	if got := Behind("a\nb", 2); got != "" {
		t.Errorf("behind all lines stands %q", got)
	}
}

func TestMatcher(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p     Pattern
		line  string
		start int // -1: no match
	}{
		{Pattern{Text: "b"}, "abc", 1},
		{Pattern{Text: "B"}, "abc", -1},
		{Pattern{Text: "B", Fold: true}, "abc", 1},
		{Pattern{Text: "error", Fold: true}, "an eRror, an ERROR", 3},
		{Pattern{Text: "error", Fold: true}, "erro", -1},
		{Pattern{Text: "eeer", Fold: true}, "EEEEr", 1},
		{Pattern{Text: "ÜBER", Fold: true}, "die über", 4},
		{Pattern{Text: "a.c"}, "abc a.c", 4},
		{Pattern{Text: "a.c", Regexp: true}, "abc a.c", 0},
		{Pattern{Text: "A.C", Regexp: true, Fold: true}, "xabc", 1},
		{Pattern{Text: "^b", Regexp: true}, "ab", -1},
		{Pattern{Text: "needle", Regexp: true}, strings.Repeat("x", maxTried) + "needle", -1},
		{Pattern{Text: "needle"}, strings.Repeat("x", maxTried) + "needle", maxTried},
	} {
		m, err := NewMatcher("text", c.p)
		if err != nil {
			t.Fatal(err)
		}
		start, _, found := m.Find(c.line)
		if found != (c.start >= 0) || found && start != c.start {
			t.Errorf("%+v in %.40q: found %t at %d, want %d", c.p, c.line, found, start, c.start)
		}
	}
	for _, p := range []Pattern{{}, {Text: "a\nb"}, {Text: "(", Regexp: true}, {Text: `\C`, Regexp: true}, {Text: strings.Repeat("x", MaxPattern+1)}} {
		if _, err := NewMatcher("grep", p); !job.Is(err, job.Invalid) || !strings.HasPrefix(err.Error(), "grep: ") {
			t.Errorf("%.20q: the error is %v", p.Text, err)
		}
	}
}

func TestScan(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("hay\n", 500) + "needle\n" + strings.Repeat("hay\n", 500) + "needle"
	for _, p := range []Pattern{{Text: "needle"}, {Text: "NEEDLE", Fold: true}, {Text: "^needle$", Regexp: true}} {
		m, err := NewMatcher("text", p)
		if err != nil {
			t.Fatal(err)
		}
		var at []int
		tried, err := m.Scan(t.Context(), text, func(before int, _ string) bool { at = append(at, before); return true })
		if err != nil || tried != 1002 || len(at) != 2 || at[0] != 500 || at[1] != 1001 {
			t.Errorf("%+v: %d lines tried, found at %v, %v", p, tried, at, err)
		}
		if tried, err = m.Scan(t.Context(), text, func(int, string) bool { return false }); err != nil || tried != 501 {
			t.Errorf("%+v: %d lines tried up to the first, %v", p, tried, err)
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		tried, err = m.Scan(ctx, text, func(int, string) bool { cancel(gone); return true })
		if !errors.Is(err, gone) || tried < 501 || tried > 501+lookAt {
			t.Errorf("%+v: given up after %d lines with %v", p, tried, err)
		}
		if tried, err = m.Scan(ctx, text, nil); !errors.Is(err, gone) || tried != 0 {
			t.Errorf("%+v: begun after it was given up: %d lines, %v", p, tried, err)
		}
	}
}

// TestScanOfCostlyExpression: a short expression that compiles into much is refused, and
// one that is allowed looks at the context within long lines, too.
func TestScanOfCostlyExpression(t *testing.T) {
	t.Parallel()
	for _, text := range []string{strings.Repeat(".{0,1000}", 3), "(?:a{0,30}){0,30}b", "[a-z]{1001,}"} {
		if _, err := NewMatcher("text", Pattern{Text: text, Regexp: true}); !job.Is(err, job.Invalid) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
	if _, err := NewMatcher("text", Pattern{Text: strings.Repeat(".{0,1000}", 3), Regexp: true}); err == nil || !strings.Contains(err.Error(), "at most 1000 are allowed") {
		t.Errorf("the reason is %v", err)
	}
	m, err := NewMatcher("text", Pattern{Text: "x{1,3}y", Regexp: true})
	if err != nil {
		t.Fatal(err)
	}
	gone := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	line := "xy" + strings.Repeat("x", lookAtBytes) + "\n"
	tried, err := m.Scan(ctx, strings.Repeat(line, 5), func(int, string) bool { cancel(gone); return true })
	if !errors.Is(err, gone) || tried > 2 {
		t.Errorf("given up after %d long lines with %v", tried, err)
	}
}

func FuzzShow(f *testing.F) {
	f.Add("a\x1b[31mb\x00\xff\n\u202ec")
	f.Fuzz(func(t *testing.T, text string) {
		shown := Show(text)
		bare := shown
		for at := 0; at < len(bare); at++ {
			if n := sgr(bare[at:]); n > 0 {
				bare = bare[:at] + bare[at+n:]
				at--
			}
		}
		if !utf8.ValidString(shown) {
			t.Errorf("%q is shown as %q, which is no UTF-8", text, shown)
		}
		for _, r := range bare {
			if r < ' ' && r != '\t' && r != '\n' || r == 0x7f || misleading(r) {
				t.Errorf("%q is shown with %U: %q", text, r, shown)
			}
		}
		if strings.Count(shown, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q has other lines when it is shown: %q", text, shown)
		}
		if again := Show(shown); again != shown && len(text) < MaxShown {
			t.Errorf("%q changes when it is shown again: %q", shown, again)
		}
	})
}

func FuzzStripANSI(f *testing.F) {
	f.Add("\x1b[31mred\x1b]0;t\a\x1b\\")
	f.Fuzz(func(t *testing.T, text string) {
		bare := StripANSI(text)
		if strings.ContainsRune(bare, escape) {
			t.Errorf("%q keeps an escape: %q", text, bare)
		}
		if strings.Count(bare, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q has other lines: %q", text, bare)
		}
	})
}

func FuzzStamp(f *testing.F) {
	f.Add("2030-01-31T08:00:01.5+01:00 x")
	f.Fuzz(func(t *testing.T, line string) {
		at, ok := Stamp(line, time.UTC)
		if year := at.UTC().Year(); ok && (year < -1 || year > 10000) {
			t.Errorf("%q is of the year %d", line, year)
		}
	})
}

func FuzzMatcher(f *testing.F) {
	f.Add("needle", "hay NEEDLE", true, false)
	f.Fuzz(func(t *testing.T, pattern, line string, fold, expression bool) {
		m, err := NewMatcher("text", Pattern{Text: pattern, Fold: fold, Regexp: expression})
		if err != nil {
			return
		}
		start, end, found := m.Find(line)
		if found && (start < 0 || end < start || end > len(line)) {
			t.Fatalf("found at %d..%d of %d", start, end, len(line))
		}
		if expression || len(line) > maxTried || !ascii(pattern) {
			return
		}
		source := regexp.QuoteMeta(pattern)
		if !fold {
			if found != strings.Contains(line, pattern) {
				t.Errorf("found is %t", found)
			}
		} else if ascii(line) && found != regexp.MustCompile("(?i)"+source).MatchString(line) {
			t.Errorf("found is %t", found)
		}
	})
}
