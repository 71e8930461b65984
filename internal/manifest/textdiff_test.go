package manifest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestTextDiff(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, old, new, want string }{
		{"same", "a\n", "a\n", ""},
		{"one", "a\nb\nc\n", "a\nB\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		{"new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"gone", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"end", "a", "a\n", "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"},
		{"far", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nx\n", "@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -9,4 +10,4 @@\n 9\n 10\n 11\n-12\n+x\n"},
	} {
		if diff := cmp.Diff(c.want, TextDiff(c.old, c.new)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	large := strings.Repeat("a\n", maxDiff+1)
	if got := TextDiff(large, strings.Repeat("b\n", maxDiff+1)); strings.Count(got, "\n") != 2*(maxDiff+1)+1 {
		t.Errorf("a large text has %d lines", strings.Count(got, "\n"))
	}
}

// What a difference says makes the new text of the old one.
func TestAnyTextDiff(t *testing.T) {
	t.Parallel()
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "", "c"}), 0, 40), func(l []string) string {
		if len(l) == 0 {
			return ""
		}
		return strings.Join(l, "\n") + "\n"
	})
	rapid.Check(t, func(r *rapid.T) {
		old, now := text.Draw(r, "old"), text.Draw(r, "new")
		got, err := applyDiff(old, TextDiff(old, now))
		if err != nil || got != now {
			r.Fatalf("%v\n%s", err, cmp.Diff(now, got))
		}
	})
}

// applyDiff carries out a difference in the unified format.
func applyDiff(old, diff string) (string, error) {
	rest := strings.SplitAfter(old, "\n")
	rest = rest[:len(rest)-1]
	var out strings.Builder
	at := 0
	for line := range strings.Lines(diff) {
		switch line[0] {
		case '@':
			var start int
			if _, err := fmt.Sscanf(line, "@@ -%d", &start); err != nil {
				return "", err
			}
			if strings.HasPrefix(line, fmt.Sprintf("@@ -%d,0 ", start)) {
				start++
			}
			for ; at < start-1; at++ {
				out.WriteString(rest[at])
			}
		case '+':
			out.WriteString(line[1:])
		default:
			if at >= len(rest) || rest[at] != line[1:] {
				return "", fmt.Errorf("line %d is not %q", at+1, line)
			}
			if at++; line[0] == ' ' {
				out.WriteString(line[1:])
			}
		}
	}
	return out.String() + strings.Join(rest[at:], ""), nil
}
