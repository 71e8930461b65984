package job

import (
	"strings"
	"testing"
)

func TestValidTrace(t *testing.T) {
	t.Parallel()
	const good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	if !ValidTrace(good) || TraceOf(good) != "4bf92f3577b34da6a3ce929d0e0e4736" {
		t.Errorf("%s is refused, or of the trace %q", good, TraceOf(good))
	}
	for name, bad := range map[string]string{
		"nothing":         "",
		"short":           good[:54],
		"long":            good + "0",
		"a later version": "01" + good[2:],
		"upper case":      strings.ToUpper(good),
		"no trace":        "00-" + strings.Repeat("0", 32) + good[35:],
		"no span":         good[:36] + strings.Repeat("0", 16) + "-01",
		"another sign":    strings.Replace(good, "-", "_", 1),
		"a line break":    good[:54] + "\n",
	} {
		if ValidTrace(bad) || TraceOf(bad) != "" {
			t.Errorf("%s: %q is taken", name, bad)
		}
	}
}

func FuzzValidTrace(f *testing.F) {
	f.Add("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
	f.Fuzz(func(t *testing.T, text string) {
		if ValidTrace(text) && strings.ContainsFunc(text, func(r rune) bool { return r != '-' && !strings.ContainsRune("0123456789abcdef", r) }) {
			t.Errorf("%q is taken", text)
		}
	})
}
