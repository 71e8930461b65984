package redact

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/job"
)

func made(tb testing.TB, c Config) *Mask {
	tb.Helper()
	m, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func same(tb testing.TB, what, got, want string) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s differs (-want +got):\n%s", what, diff)
	}
}

// TestShapes reads testdata/shapes.txt: pairs of lines, what comes and what goes out.
func TestShapes(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, cases := made(t, Config{}), 0
	for pair := range strings.SplitSeq(strings.TrimSpace(string(raw)), "\n\n") {
		text, want, both := strings.Cut(pair, "\n")
		if !both {
			t.Fatalf("%q stands alone", pair)
		}
		cases++
		same(t, text, m.Text(text), want)
		same(t, "with others around it, "+text, m.Text("first=1\n"+text+"\nlast: 2\n"), "first=1\n"+want+"\nlast: 2\n")
		same(t, "without a mask, "+text, made(t, Config{NoDefaults: true}).Text(text), text)
	}
	if cases < 60 {
		t.Errorf("only %d cases were read", cases)
	}
}

// TestPlain reads testdata/plain.txt: lines of logs without a secret.
func TestPlain(t *testing.T) {
	t.Parallel()
	raw, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	m := made(t, Config{})
	for line := range strings.Lines(string(raw)) {
		same(t, "a line without a secret", m.Text(line), line)
	}
}

// A text without secrets costs no memory. Allocations are counted for the whole process, so
// that nothing runs in parallel.
func TestPlainAllocates(t *testing.T) {
	raw, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	m, text := made(t, Config{Literals: []string{"hunter2hunter2"}}), string(raw)
	if n := testing.AllocsPerRun(10, func() { _ = m.Text(text) }); n != 0 {
		t.Errorf("a text without secrets costs %v allocations", n)
	}
}

func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	lines := "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\nMzEfYyjiWA4R4/M2bS1GB4t7NXp98C3SC6dVMvDuictGeurT8jNbvJZHtCSuYEvu\nshort==\n"
	const first, last = "-----BEGIN RSA PRIVATE KEY-----\n", "-----END RSA PRIVATE KEY-----\n"
	m := made(t, Config{})
	for name, c := range map[string][2]string{
		"all of it":      {"a: 1\n" + first + lines + last + "b: 2\n", "a: 1\n" + first + "***\n***\n***\n" + last + "b: 2\n"},
		"with headers":   {first + "Proc-Type: 4,ENCRYPTED\n\n" + lines + last, first + "***\n\n***\n***\n***\n" + last},
		"no end":         {"x\n" + first + lines, "x\n" + first + "***\n***\n***\n"},
		"no end, others": {first + lines + "and then: more\nbase64\n", first + "***\n***\n***\nand then: more\nbase64\n"},
		"no beginning":   {"it says:\n" + lines + last + "x\n", "it says:\n***\n***\n***\n" + last + "x\n"},
		"two":            {first + lines + last + first + lines + last, strings.Repeat(first+"***\n***\n***\n"+last, 2)},
		"with times in front": {
			"12:00 " + first + "12:00 " + strings.ReplaceAll(lines, "\n", "\n12:00 ") + last,
			"12:00 " + first + "***\n***\n***\n***" + last,
		},
		"Windows":  {strings.ReplaceAll(first+lines+last, "\n", "\r\n"), strings.ReplaceAll(first+"***\n***\n***\n"+last, "\n", "\r\n")},
		"one line": {`{"k":"-----BEGIN PRIVATE KEY-----\nMIIE\nabc=\n-----END PRIVATE KEY-----\n"}`, `{"k":"-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----\n"}`},
		"half a line": {
			`k: "-----BEGIN EC PRIVATE KEY-----\nMIIE\nabc`, `k: "-----BEGIN EC PRIVATE KEY-----***`,
		},
		"a public one": {
			"-----BEGIN PUBLIC KEY-----\n" + lines + "-----END PUBLIC KEY-----\n", "-----BEGIN PUBLIC KEY-----\n" + lines + "-----END PUBLIC KEY-----\n",
		},
	} {
		same(t, name, m.Text(c[0]), c[1])
	}
}

func TestLiterals(t *testing.T) {
	t.Parallel()
	m := made(t, Config{NoDefaults: true, Literals: []string{
		"correct horse", "aaaaaaaa", "short", "two\nlines!", "with*star", "********", "correct horse battery", "correct horse", "Zzzzzzzzzz", "日本語のパスワード",
	}})
	for text, want := range map[string]string{
		"":                                    "",
		"it is correct horse.":                "it is ***.",
		"correct horse battery staple":        "*** staple",
		"correct hors":                        "correct hors",
		"correct horscorrect horse":           "correct hors***",
		"correct horsecorrect horse":          "***",
		"aaaaaaaaaaaaa":                       "***",
		"aaaaaaa":                             "aaaaaaa",
		"short, two\nlines! and ********":     "short, two\nlines! and ********",
		"withcorrect horsestar with*star":     "with***star ***",
		"wiZzzzzzzzzz Zzzzzzzzz\nZzzzzzzzzzz": "wi*** Zzzzzzzzz\n***z",
		"das ist 日本語のパスワード":                   "das ist ***",
		"horse":                               "horse",
	} {
		same(t, text, m.Text(text), want)
	}
}

// Literals change while texts are masked.
func TestLiteralsChange(t *testing.T) {
	t.Parallel()
	m := made(t, Config{Literals: []string{"first-secret"}})
	const text = "first-secret second-secret"
	same(t, "before", m.Text(text), "*** second-secret")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range 100 {
			if err := m.SetLiterals([]string{"second-secret"}); err != nil {
				t.Error(err)
			}
		}
	}()
	for range 100 {
		if got := m.Text(text); got != "*** second-secret" && got != "first-secret ***" {
			t.Errorf("in between %q", got)
		}
	}
	<-done
	same(t, "after", m.Text(text), "first-secret ***")
}

func TestManyLiterals(t *testing.T) {
	t.Parallel()
	all := make([]string, MaxLiterals+1)
	for i := range all {
		all[i] = fmt.Sprintf("secret-%08d-end", i)
	}
	m := made(t, Config{})
	if err := m.SetLiterals(all); !job.Is(err, job.Full) {
		t.Errorf("too many literals: %v, want full", err)
	}
	same(t, "the last", m.Text(all[MaxLiterals-1]), Masked)
	same(t, "one too many", m.Text(all[MaxLiterals]), all[MaxLiterals])
}

func TestPatterns(t *testing.T) {
	t.Parallel()
	m := made(t, Config{Patterns: []string{`\b\d{4}-\d{4}-\d{4}\b`, `pin (\d+) of (\w+)`, `(?s)begin.*end`, `^root.*$`}})
	for text, want := range map[string]string{
		"card 1234-5678-9012 paid":             "card *** paid",
		"1234-5678-9012\n1234-5678-9013\n":     "***\n***\n",
		"pin 42 of bob, pin of none":           "pin *** of ***, pin of none",
		"begin one\ntwo end begin three end x": "begin one\ntwo end *** x",
		"root: x\r\nno root: y\r\n":            "***\r\nno root: y\r\n",
		"password=abc card 1234-5678-9012":     "password=*** card ***",
	} {
		same(t, text, m.Text(text), want)
	}
}

func TestWrongPatterns(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		patterns []string
		kind     job.Kind
	}{
		"no expression": {[]string{"("}, job.Invalid},
		"matches all":   {[]string{"x*"}, job.Invalid},
		"too long":      {[]string{strings.Repeat("x", MaxPattern+1)}, job.Invalid},
		"too large":     {[]string{"(x{1000}){1000}"}, job.Invalid},
		"too many":      {make([]string, MaxPatterns+1), job.Full},
	} {
		if _, err := New(Config{Patterns: c.patterns}); !job.Is(err, c.kind) {
			t.Errorf("%s: %v, want %s", name, err, c.kind)
		}
	}
}

// FuzzText checks what holds for every text: there are as many lines as before, a
// literal does not survive, and a masked text stays as it is.
func FuzzText(f *testing.F) {
	for _, name := range []string{"testdata/shapes.txt", "testdata/plain.txt"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for line := range strings.Lines(string(raw)) {
			f.Add(line, "hunter2hunter2")
		}
	}
	f.Add("-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\n", "IVATE KEY")
	f.Add("abc\n-----END PRIVATE KEY-----", "*abcdefg")
	f.Add("eyJeyJeyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.sig", "eyJhbGci")
	f.Fuzz(func(t *testing.T, text, literal string) {
		m, err := New(Config{Literals: []string{literal}})
		if err != nil {
			t.Fatal(err)
		}
		masked := m.Text(text)
		if strings.Count(masked, "\n") != strings.Count(text, "\n") {
			t.Errorf("%q has other lines than %q", masked, text)
		}
		hidden := len(literal) >= MinLiteral && len(literal) <= maxLiteral && !strings.ContainsAny(literal, "\r\n*")
		if hidden && strings.Contains(masked, literal) {
			t.Errorf("%q is in %q", literal, masked)
		}
		if again := m.Text(masked); again != masked {
			t.Errorf("%q becomes %q", masked, again)
		}
	})
}

// BenchmarkText is the cost of a line: of one without secrets it must stay below
// 100 ns.
func BenchmarkText(b *testing.B) {
	var literals []string
	for range 200 {
		literals = append(literals, credential.Generate().Reveal())
	}
	const line = "2026-11-21 19:30:45.123  INFO 4711 --- [pool-3-thread-1] c.e.billing.InvoiceJob : invoice 10023 sent to customer=4711 in 13 ms\n"
	raw, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		b.Fatal(err)
	}
	for name, c := range map[string]struct {
		text   string
		config Config
	}{
		"line":              {line, Config{}},
		"line/200 literals": {line, Config{Literals: literals}},
		"many lines":        {strings.Repeat(string(raw), 20), Config{Literals: literals}},
		"a secret in 100":   {strings.Repeat(line, 99) + "password=hunter2\n", Config{Literals: literals}},
		"own pattern":       {line, Config{Patterns: []string{`\b\d{4}-\d{4}-\d{4}\b`}}},
	} {
		b.Run(name, func(b *testing.B) {
			m := made(b, c.config)
			b.SetBytes(int64(len(c.text)))
			b.ReportAllocs()
			for b.Loop() {
				_ = m.Text(c.text)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(strings.Count(c.text, "\n")), "ns/line")
		})
	}
}
