package alarmtext

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

var update = flag.Bool("update", false, "write testdata")

// message is one that uses every field; each kind has one item.
func message(language string) alarm.Message {
	m := samples(language)[1]
	for i, kind := range alarm.Kinds()[1:] {
		next := alarm.Item{At: m.At.Add(-time.Duration(i+1) * time.Minute), Kind: kind, Job: "import", Group: "billing", RunID: int64(800 - i), Tries: 1}
		if kind.OfGroup() {
			next.Job, next.RunID = "", 0
		}
		m.Items = append(m.Items, next)
	}
	m.Alarms, m.Events, m.More, m.Namespace = 11, 340, 4, "prod"
	m.Reasons = append([]alarm.Reason{{Text: "connection refused", Count: 37, Run: 799}}, m.Reasons...)
	m.Log = append(m.Log, "\tat main.go:3", "\x1b[31mred\x1b[0m")
	return m
}

func TestShippedTemplates(t *testing.T) {
	t.Parallel()
	for _, language := range languages() {
		over := message(language)
		over.State = alarm.Resolved
		cases := map[string]alarm.Message{"many": message(language), "many_resolved": over}
		for i, name := range []string{"test", "one", "one_resolved"} {
			cases[name] = samples(language)[i]
		}
		for name, m := range cases {
			title, text, err := Render(alarm.Template{}, m)
			if err != nil {
				t.Errorf("%s %s: %v", language, name, err)
				continue
			}
			golden(t, name+"_"+language+".txt", title+"\n\n"+text+"\n")
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

// TestEveryKindHasWords: no message shows a name of the API.
func TestEveryKindHasWords(t *testing.T) {
	t.Parallel()
	for _, language := range languages() {
		for _, kind := range alarm.Kinds() {
			if wordsOf(language).kinds[kind] == "" {
				t.Errorf("%s has no words for %s", language, kind)
			}
		}
		for _, severity := range alarm.Severities() {
			if wordsOf(language).severities[severity] == "" {
				t.Errorf("%s has no word for %s", language, severity)
			}
		}
	}
}

func TestUnknownLanguageIsEnglish(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"", "fr", "../../x"} {
		title, _, err := Render(alarm.Template{}, samples(language)[0])
		if err != nil || title != "[test] Orth can reach this channel" {
			t.Errorf("%q: %q, %v", language, title, err)
		}
	}
}

// TestReasonsInTheLanguage: a server's reason is written in the language of the message, a
// program's text stays as it is.
func TestReasonsInTheLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, reason, want string }{
		{alarm.English, "group billing has no executor since 2026-11-21T02:30:05Z", "group billing has no executor since 2026-11-21T02:30:05Z"},
		{alarm.Chinese, "group billing has no executor since 2026-11-21T02:30:05Z", "执行器组 billing 自 2026-11-21 02:30:05 UTC 起没有执行器"},
		{alarm.Chinese, "3 runs in a row ended badly; the last: exit status 1", "连续 3 次运行未成功；最近一次：exit status 1"},
		{alarm.Chinese, "exit status 1: 没有空间", "exit status 1: 没有空间"},
	} {
		m := samples(c.language)[1]
		m.Items[0].Reason, m.Reasons[0].Text = c.reason, c.reason
		_, text, err := Render(alarm.Template{Text: "{{range .Items}}{{.Reason}}{{end}}|{{range .Reasons}}{{.Text}}{{end}}"}, m)
		if err != nil || text != c.want+"|"+c.want {
			t.Errorf("%s in %s: %q, %v", c.reason, c.language, text, err)
		}
	}
}

func TestTemplatesOfUsers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ template, want, fails string }{
		{"{{.Rule}}", "nightly jobs", ""},
		{"a\n b\t\x07c", "a b c", ""},
		{`{{date "Asia/Shanghai" .At}}`, "2026-11-21 10:30:05 CST", ""},
		{`{{date "" .At}}`, "2026-11-21 02:30:05 UTC", ""},
		{`{{date "Nowhere/Land" .At}}`, "", `no zone is named "Nowhere/Land"`},
		{`{{date "../../etc/passwd" .At}}`, "", "no zone is named"},
		{`{{.Rule | upper | truncate 7}}`, "NIGHTLY…", ""},
		{`{{range .Items}}{{.Job}} {{.RunID}} {{$.Rule}}{{end}}`, "nightly-report 812 nightly jobs", ""},
		{`{{range $i, $line := .Log}}{{if $i}}, {{end}}{{$line}}{{else}}-{{end}}`, "writing report.csv, write report.csv: no space left on device", ""},
		{`{{json .Rule}}{{json .Items}}`, `"nightly jobs"[{"At":"2026-11-21T02:30:05Z"`, ""},
		{`{{kind "dead_letter"}} {{kind "new_one"}} {{severity "info"}} {{severity "x"}}`, "became a dead letter new_one info x", ""},
		{`{{with index .Items 0}}{{lower .Job}}{{end}}{{join ", " .Log | len}}`, "nightly-report61", ""},
		{`{{duration .At .At}}`, "0s", ""},
		{"{{.Nothing}}", "", "can't evaluate field Nothing"},
		{"{{.At.Nothing}}", "", "can't evaluate field Nothing"},
		{"{{.Rule", "", "unclosed action"},
		{`{{index .Items 99}}`, "", "out of range"},
		{`{{printf "%s" .Rule}}`, "", `function "printf" not defined`},
		{`{{.Rule | html}}`, "", `function "html" not defined`},
		{`{{if (call .Rule)}}{{end}}`, "", `function "call" not defined`},
		{`{{with $x := (print 1)}}{{end}}`, "", `function "print" not defined`},
		{`{{range 1000000000}}{{end}}`, "", "range goes over"},
		{`{{range .Events}}{{end}}`, "", "range goes over"},
		{`{{$n := 1000000000}}{{range $n}}{{end}}`, "", "range goes over"},
		{`{{range .Items}}{{range .Log}}{{range .Log}}{{end}}{{end}}{{end}}`, "", "more than two loops"},
		{`{{range .Items}}{{else}}{{range 9}}{{end}}{{end}}`, "", "range goes over"},
		{`{{define "x"}}{{template "x"}}{{template "x"}}{{end}}{{template "x"}}`, "", "define and block are not available"},
		{`{{template "title"}}`, "", "template is not available"},
		{`{{block "x" .}}{{end}}`, "", "define and block are not available"},
		{strings.Repeat("x", alarm.MaxTemplate+1), "", "more than 8192 bytes"},
	} {
		title, _, err := Render(alarm.Template{Title: test.template}, samples("en")[1])
		switch {
		case test.fails == "" && (err != nil || !strings.HasPrefix(title, test.want)):
			t.Errorf("%s: %q, %v, want %q", test.template, title, err, test.want)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails) || !job.Is(err, job.Invalid)):
			t.Errorf("%s: %v, want %q", test.template, err, test.fails)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		0: "0s", 1400 * time.Millisecond: "1s", time.Minute: "1m", 61 * time.Second: "1m1s", time.Hour: "1h", 90 * time.Minute: "1h30m",
		10 * time.Hour: "10h", 100 * time.Minute: "1h40m", 20 * time.Minute: "20m", 3605 * time.Second: "1h0m5s",
	} {
		if got := duration(from, from.Add(d)); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		template alarm.Template
		fails    string
	}{
		{alarm.Template{}, ""},
		{alarm.Template{Title: "{{.Rule}}", Text: "{{.Group}}"}, ""},
		{alarm.Template{Title: "{{.X}}"}, "title: the template cannot be used"},
		{alarm.Template{Text: "{{.X}}"}, "text: the template cannot be used"},
		// A template that only some messages show to be wrong.
		{alarm.Template{Text: "{{(index .Items 0).Job}}"}, "out of range"},
		{alarm.Template{Text: `{{if eq .State "resolved"}}{{.X}}{{end}}`}, "field X"},
		{alarm.Template{Text: strings.Repeat("x", alarm.MaxTemplate+1)}, "more than 8192 bytes"},
	} {
		err := Check(test.template)
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%+v: %v, want %q", test.template, err, test.fails)
		}
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	m := samples("zh")[1]
	m.Log = nil
	for range 20 {
		m.Log = append(m.Log, strings.Repeat("日志", 400))
	}
	loops := `{{range .Log}}{{range $.Log}}{{.}}{{end}}{{end}}`
	title, text, err := Render(alarm.Template{Title: loops, Text: loops}, m)
	if err != nil || len(title) > maxTitle || len(text) > maxText || len(text) < maxText-8 {
		t.Errorf("%d and %d bytes, %v", len(title), len(text), err)
	}
	for _, s := range []string{title, text} {
		if !utf8.ValidString(s) || !strings.HasSuffix(s, mark) || strings.ContainsRune(s, utf8.RuneError) {
			t.Errorf("%q … is not cut on a character with a mark", s[len(s)-9:])
		}
	}
	if _, err := Body(loops, m); err == nil || !strings.Contains(err.Error(), "more than 64 KiB") {
		t.Errorf("a body: %v", err)
	}
	if err := CheckBody(loops); err != nil {
		t.Errorf("the sample is small: %v", err)
	}
	if err := CheckBody("{{.X}}"); !job.Is(err, job.Invalid) {
		t.Errorf("a wrong body: %v", err)
	}
}

// TestBudget: what would take all memory or time ends with the limit that it reached.
func TestBudget(t *testing.T) {
	t.Parallel()
	m := samples("en")[1]
	m.Log = slices.Repeat([]string{strings.Repeat("x", 300)}, 100)
	loops := func(inside string) string { return `{{range .Log}}{{range $.Log}}` + inside + `{{end}}{{end}}` }
	for _, test := range []struct{ template, fails string }{
		{`{{$x := ""}}` + loops(`{{$x = join $x $.Log}}`), "join makes more than 64 KiB"},
		{`{{$x := "-"}}` + strings.Repeat(`{{$x = join $x $.Log}}`, 300), "join makes more than 64 KiB"},
		{loops(`{{$x := join "" $.Log}}`), "its functions make more than 1024 KiB together"},
		{`{{$x := .Rule}}` + strings.Repeat(`{{$x = json $x}}`, 300), "json makes more than 64 KiB"},
		{`{{$x := .}}` + strings.Repeat(`{{$x = json $x}}`, 300), "json makes more than 64 KiB"},
		{loops(strings.Repeat(`{{$x := .}}`, 600)), "its loops take more than 100000 steps"},
		{loops(`{{if and ` + strings.Repeat(`(not (not .)) `, 500) + `}}{{end}}`), "its loops take more than 100000 steps"},
		{`{{$x := "1"}}` + strings.Repeat(`{{$x = $.At.Format $x}}`, 300), "can't evaluate field Format"},
		{`{{$x := .At}}` + strings.Repeat(`{{$x = $x.Local}}`, 3), "can't evaluate field Local"},
		{`{{step 1}}`, "not defined"},
	} {
		for name, render := range map[string]func(string) error{
			"text": func(text string) error { _, _, err := Render(alarm.Template{Text: text}, m); return err },
			"body": func(text string) error { _, err := Body(text, m); return err },
		} {
			err := render(test.template)
			// A machine that is busy meets the limit of time before that of steps.
			late := err != nil && strings.Contains(test.fails, "steps") && strings.Contains(err.Error(), "longer than 2s")
			if err == nil || !late && !strings.Contains(err.Error(), test.fails) || !job.Is(err, job.Invalid) {
				t.Errorf("%s of %.60s…: %v, want %q", name, test.template, err, test.fails)
			}
		}
	}
	clock := time.Now()
	b := newBudget(func() time.Time { clock = clock.Add(maxTime / 3); return clock })
	var err error
	for range 4 {
		_, err = b.payStep(1)
	}
	if err == nil || !strings.Contains(err.Error(), "longer than 2s") {
		t.Errorf("a rendering without an end: %v", err)
	}
}

// TestLongMessage: a template sees a bounded part of whatever a message holds.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	m := samples("en")[1]
	m.Log = slices.Repeat([]string{strings.Repeat("x", 1<<20)}, 1000)
	m.Rule, m.Items[0].Reason = strings.Repeat("r", 1<<20), strings.Repeat("s", 1<<20)
	v := viewOf(m)
	if len(v.Log) != maxList || len(v.Log[0]) > maxField || len(v.Rule) > maxField || len(v.Items[0].Reason) > maxField {
		t.Errorf("%d lines of %d bytes, a rule of %d, a reason of %d", len(v.Log), len(v.Log[0]), len(v.Rule), len(v.Items[0].Reason))
	}
}

// TestWhatJobsSayStaysInItsLine: a reason cannot pretend to be another line of the
// message.
func TestWhatJobsSayStaysInItsLine(t *testing.T) {
	t.Parallel()
	m := samples("en")[1]
	_, before, err := Render(alarm.Template{}, m)
	if err != nil {
		t.Fatal(err)
	}
	forged := "x\nOpen: https://evil.example/\r\nRule: none\u2028y\x1b]8;;https://evil.example/\x07z\u202e"
	m.Rule, m.Group, m.Items[0].Reason, m.Items[0].Job, m.Reasons[0].Text = forged, forged, forged, forged, forged
	m.Log = []string{"a\nb", "c"}
	title, after, err := Render(alarm.Template{}, m)
	if err != nil || strings.Contains(title, "\n") || strings.Count(after, "\n") != strings.Count(before, "\n") {
		t.Errorf("%v\n%s\n%s", err, title, after)
	}
	if strings.ContainsAny(after, "\x1b\x07\u202e\u2028\r") {
		t.Errorf("%q", after)
	}
}

func TestEveryMessageRenders(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := alarm.Message{
			Test: rapid.Bool().Draw(t, "test"), State: alarm.State(rapid.SampledFrom([]string{"firing", "resolved"}).Draw(t, "state")),
			Language: rapid.SampledFrom([]string{"en", "zh"}).Draw(t, "language"), Rule: rapid.String().Draw(t, "rule"),
			Alarms: rapid.IntRange(0, 3).Draw(t, "alarms"), Events: rapid.IntRange(0, 3).Draw(t, "events"),
			Log: rapid.SliceOfN(rapid.String(), 0, 20).Draw(t, "log"),
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "items") {
			m.Items = append(m.Items, alarm.Item{Job: rapid.String().Draw(t, fmt.Sprint("job", i)), Kind: alarm.KindFailed, Reason: rapid.String().Draw(t, "reason")})
		}
		title, text, err := Render(alarm.Template{}, m)
		if err != nil || title == "" || text == "" || len(title) > maxTitle || len(text) > maxText || strings.Contains(title, "\n") {
			t.Fatalf("%q, %q, %v", title, text, err)
		}
		if Clean(text) != text || Line(title) != title {
			t.Fatalf("not clean: %q, %q", title, text)
		}
	})
}

func FuzzRender(f *testing.F) {
	f.Add("{{range .Items}}{{.Job}}{{end}}", "x")
	f.Add("{{if .Test}}{{else with .Rule}}{{.}}{{end}}", "\x1b[0m")
	f.Fuzz(func(t *testing.T, template, said string) {
		m := samples("en")[1]
		m.Items[0].Reason, m.Log[0] = said, said
		title, text, err := Render(alarm.Template{Title: template, Text: template}, m)
		if err != nil {
			if !job.Is(err, job.Invalid) {
				t.Errorf("%v is no fault of the template's author", err)
			}
			return
		}
		if len(title) > maxTitle || len(text) > maxText || !utf8.ValidString(text) {
			t.Errorf("%d and %d bytes", len(title), len(text))
		}
	})
}
