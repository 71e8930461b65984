package output

import (
	"strings"
	"testing"
)

// No line of a text becomes a request of troff.
func FuzzTroff(f *testing.F) {
	f.Add(".so /etc/passwd")
	f.Add("a\n'b\n\\fB")
	f.Fuzz(func(t *testing.T, text string) {
		for line := range strings.SplitSeq(troff(text), "\n") {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				t.Errorf("%q is a request", line)
			}
		}
	})
}
