package alarmtext

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain ä 日\ttab\n":                    "plain ä 日\ttab\n",
		"a\r\nb\rc":                           "a\nb\nc",
		"\x1b[1;31mred\x1b[0m \x1b[2K\x1bMup": "red up",
		"\x1b]0;title\x07x\x1b]8;;u\x1b\\y":   "xy",
		"a\x00b\x08c\x7f\u0085d":              "abcd",
		"\u202eevil\u2066\u200f":              "evil",
		"bad \xff\xfe":                        "bad \uFFFD",
		"\x1b":                                "",
	} {
		if got := Clean(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	if got := Line("  a\r\n\tb\u2028c\u00a0 d "); got != "a b c d" {
		t.Errorf("%q", got)
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in    string
		limit int
		want  string
	}{
		{"abc", 3, "abc"}, {"abcd", 3, mark}, {"abcdef", 5, "ab" + mark}, {"日本語", 8, "日" + mark}, {"日本語", 2, ""}, {"abc", 2, ""}, {"", 0, ""},
	} {
		if got := Cut(test.in, test.limit); got != test.want {
			t.Errorf("%q to %d: %q, want %q", test.in, test.limit, got, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "text"), rapid.IntRange(0, 40).Draw(t, "limit")
		if got := Cut(s, limit); len(got) > limit || !utf8.ValidString(got) {
			t.Fatalf("%q to %d: %q", s, limit, got)
		}
	})
}

func TestUnmarked(t *testing.T) {
	t.Parallel()
	for in, harm := range map[string]string{
		"[click](https://evil.example)": "](",
		"![pixel](https://x)":           "![",
		"[a][b]":                        "][",
		"<@all> <font color=x>":         "<@",
		"</a>":                          "</",
		"@all":                          "@all",
		"**bold**":                      "**",
		"__bold__":                      "__",
		"___":                           "__",
		"~~~~~":                         "~~",
		"# heading":                     "# ",
		"   > quote":                    "   > ",
	} {
		got := Unmarked(in)
		if strings.HasPrefix(got, harm) || !strings.HasPrefix(harm, "#") && !strings.HasPrefix(harm, "   >") && strings.Contains(got, harm) {
			t.Errorf("%q became %q", in, got)
		}
		if strings.ReplaceAll(got, "\u200b", "") != in {
			t.Errorf("%q looks different: %q", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.RuneFrom([]rune("[](<>@*_~`!#\\ a\n"))).Draw(t, "text")
		got := Unmarked(s)
		for _, harm := range []string{"](", "][", "**", "__", "~~", "![", "<a", "<@", "<!", "@a", "\n#", "\n>"} {
			if strings.Contains(got, harm) {
				t.Fatalf("%q keeps %q: %q", s, harm, got)
			}
		}
		if strings.ReplaceAll(got, "\u200b", "") != s {
			t.Fatalf("%q looks different: %q", s, got)
		}
	})
}
