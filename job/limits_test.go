package job

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCheckKey(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text       string
		key, group bool // whether it is a good one
	}{
		{"a", true, true},
		{"7", true, true},
		{"nightly-report_2.v1", true, true},
		{"a--b..c__d", true, true},
		{strings.Repeat("k", MaxKey), true, true},
		{"Sample-Executor", false, true},
		{"A", false, true},
		{"", false, false},
		{"-a", false, false},
		{"a-", false, false},
		{".", false, false},
		{"a b", false, false},
		{"a/b", false, false},
		{"a\n", false, false},
		{"café", false, false},
		{"a\x00b", false, false},
		{strings.Repeat("k", MaxKey+1), false, false},
	}
	for _, tc := range tests {
		for _, check := range []struct {
			name string
			f    func(string, string) error
			good bool
		}{{"CheckKey", CheckKey, tc.key}, {"CheckGroup", CheckGroup, tc.group}} {
			err := check.f("owner", tc.text)
			if (err == nil) != check.good {
				t.Errorf("%s(%q) = %v, good is %t", check.name, tc.text, err, check.good)
			}
			if err != nil && (KindOf(err) != Invalid || !strings.HasPrefix(err.Error(), "owner: ")) {
				t.Errorf("%s(%q) = %v, of kind %s: not an invalid owner", check.name, tc.text, err, KindOf(err))
			}
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text  string
		limit int
		want  string
	}{
		{"", 10, ""},
		{"all is well", 11, "all is well"},
		{"one too many", 11, "one " + CutMark},
		{"0123456789", 8, "0" + CutMark},
		{"0123456789", 7, CutMark},
		{"日本語日本語日本語日本語", 12, "日本語日本語日本語日本語"},
		{"日本語日本語日本語日本語", 9, "日本" + CutMark},
		{"a\xffb", 10, "a\uFFFDb"},
		{"a\xff\xfe\xfdb", 10, "a\uFFFDb"},
		{"a\x00b\x00", 10, "a\uFFFDb\uFFFD"},
		{"\xff\x00", 10, "\uFFFD\uFFFD"},
		{strings.Repeat("\x00", 12), 8, "\uFFFD" + CutMark},
	}
	for _, tc := range tests {
		if got := Clean(tc.text, tc.limit); got != tc.want {
			t.Errorf("Clean(%q, %d) = %q, want %q", tc.text, tc.limit, got, tc.want)
		}
	}
}

func TestCleanProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")) + rapid.String().Draw(t, "text")
		limit := rapid.IntRange(utf8.RuneCountInString(CutMark), 40).Draw(t, "limit")
		got := Clean(text, limit)
		switch n := utf8.RuneCountInString(got); {
		case !utf8.ValidString(got) || strings.ContainsRune(got, 0):
			t.Fatalf("Clean(%q, %d) = %q cannot be stored", text, limit, got)
		case n > limit:
			t.Fatalf("Clean(%q, %d) has %d characters", text, limit, n)
		case Clean(got, limit) != got:
			t.Fatalf("Clean(%q, %d) = %q is not clean", text, limit, got)
		}
		if kept, cut := strings.CutSuffix(got, CutMark); cut && !strings.HasPrefix(Clean(text, len(text)+1), kept) {
			t.Fatalf("Clean(%q, %d) = %q is not its beginning", text, limit, got)
		}
	})
}

func TestCheckLabels(t *testing.T) {
	t.Parallel()
	many := make(map[string]string)
	for i := range MaxLabels + 1 {
		many[string(rune('a'+i))] = ""
	}
	tests := []struct {
		name   string
		labels map[string]string
		good   bool
	}{
		{"none", nil, true},
		{"some", map[string]string{"team": "数据", "tier": "", "a.b": "x y=z"}, true},
		{"too many", many, false},
		{"a bad key", map[string]string{"Team": "x"}, false},
		{"no key", map[string]string{"": "x"}, false},
		{"the longest value", map[string]string{"a": strings.Repeat("x", MaxLabelValue)}, true},
		{"a long value", map[string]string{"a": strings.Repeat("x", MaxLabelValue+1)}, false},
		{"a line break", map[string]string{"a": "x\ny"}, false},
		{"no UTF-8", map[string]string{"a": "\xff"}, false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := CheckLabels("labels", tc.labels)
			if (err == nil) != tc.good || (err != nil && !Is(err, Invalid)) {
				t.Errorf("error %v, want good %t", err, tc.good)
			}
		})
	}
}
