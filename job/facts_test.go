package job

import (
	"strings"
	"testing"
)

func TestFactsCheck(t *testing.T) {
	t.Parallel()
	filled := func(size int) string { return `{"a":"` + strings.Repeat("x", size-8) + `"}` }
	for _, c := range []struct{ name, kind, text, want string }{
		{"small", "solana", `{"a":1}`, ""},
		{"as large as may be", "a-2", filled(MaxFacts), ""},
		{"blanks around it", "a", " {}\n", ""},
		{"too large", "a", filled(MaxFacts + 1), "have 65537 bytes: at most 65536"},
		{"cut short", "a", `{"a":`, "no JSON text"},
		{"nothing", "a", "", "no JSON text"},
		{"other bytes", "a", "{\"a\":\"\xff\"}", "no JSON text"},
		{"a list", "a", `[1]`, "no JSON object"},
		{"null", "a", `null`, "no JSON object"},
		{"no kind", "", `{}`, "is none"},
		{"a kind with a capital", "Solana", `{}`, "is none"},
		{"a kind with a digit in front", "2a", `{}`, "is none"},
		{"a long kind", strings.Repeat("k", 33), `{}`, "is none"},
	} {
		f := Facts{Kind: c.kind, Text: c.text}
		err := f.Check()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !Is(err, Invalid) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want Invalid with %q", c.name, err, c.want)
		}
	}
}
