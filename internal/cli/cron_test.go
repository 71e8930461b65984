package cli_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the tests do not depend on the machine's zones

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/cli"
	"github.com/orthd/orth/internal/cli/kit"
)

// cron runs a command line with a standard input.
func cron(t *testing.T, stdin io.Reader, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	code := cli.Execute(t.Context(), append([]string{"cron"}, args...), kit.Config{
		Stdout: &out, Stderr: &errs, Stdin: stdin, Getenv: func(string) string { return "" }, Version: "1.2.3",
	})
	return result{code, out.String(), errs.String()}
}

// TestCron compares what the commands print with golden files. They need no
// server and find none.
func TestCron(t *testing.T) {
	t.Parallel()
	const march, newYork = " --from 2026-03-01T00:00:00Z", " --zone America/New_York"
	for name, args := range map[string]string{
		"next":                   "next 0~30~2~*~*~? --zone Europe/Berlin --count 3 --from 2026-03-27T12:00:00.5Z",
		"next-local":             "next 0~30~2~*~*~? --zone Europe/Berlin --count 2 --from 2026-03-27T02:30",
		"next-json":              "next 0~30~2~*~*~? --zone Asia/Shanghai --count 2 -o json" + march,
		"next-quartz":            "next 0~30~2~*~*~? --count 2 --from 2026-03-07 --dst quartz" + newYork,
		"next-wall":              "next 0~30~2~*~*~? --count 2 --from 2026-03-07 --dst wall" + newYork,
		"next-unix":              "next 30~2~*~*~1-5 --count 2" + march,
		"next-macro":             "next @daily --count 2" + march,
		"next-rate":              "next @every~90s --count 2" + march,
		"next-fractions":         "next @every~1500ms --count 2" + march,
		"next-last":              "next 0~0~0~1~1~?~2027 --count 3" + march,
		"next-over":              "next 0~0~0~1~1~?~2025 --count 3" + march,
		"next-over-json":         "next 0~0~0~1~1~?~2025 -o json" + march,
		"next-never":             "next 0~0~0~31~2~? --count 3" + march,
		"wrong-field":            "next 0~61~*~*~*~?",
		"wrong-shape":            "next 0~30~2",
		"wrong-long":             "next " + strings.Repeat("1,", 60) + "99," + strings.Repeat("2,", 60) + "~0~0~*~*~?",
		"wrong-escape":           "next 0~0~\x1b[31m~*~*~?",
		"wrong-rate":             "next @every~soon",
		"explain":                "explain 0~30~2~*~*~?" + newYork + march,
		"explain-quartz":         "explain 0~30~2~*~*~? --dst quartz" + newYork + march,
		"explain-zh":             "explain 0~30~1,2~*~*~? --lang zh" + newYork + march,
		"explain-pace":           "explain 0~0/20~*~*~*~?" + newYork + march,
		"explain-json":           "explain 0~0~3~?~*~6#3 -o json --zone Australia/Lord_Howe" + march,
		"explain-days":           "explain 0~0~12~1-5,15W,L-3,LW,L~*~? --zone Asia/Shanghai" + march,
		"explain-days-zh":        "explain 0~0~12~1-5,15W,L-3,LW,L,L-2W~*~? --lang zh --zone Asia/Shanghai" + march,
		"explain-last-friday":    "explain 0~0~12~?~JAN-MAR,JUL~6L~2026-2030" + march,
		"explain-last-friday-zh": "explain 0~0~12~?~JAN-MAR,JUL~6L~2026-2030 --lang zh" + march,
		"explain-lists":          "explain */5~1,2,4,5,7,8,10,11,13,14,16,17,19,21,22~22-2~*~1/3~?" + march,
		"explain-unix":           "explain */5~9-17~*~*~0,1-5" + march,
		"explain-macro":          "explain @weekly" + march,
		"explain-rate":           "explain @every~1h --lang zh" + march,
		"explain-never":          "explain 0~0~0~31~2~?" + march,
		"explain-warned":         "explain 0~0/0~12~?~*~MONDAY" + march,
		"explain-lost-day":       "explain 0~0~0/12~*~*~? --zone Pacific/Apia --from 2011-12-01T00:00:00Z --dst quartz",
		"explain-only-in-gap":    "explain 0~30~2~8~3~?~2026" + newYork + march,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			words := strings.Split(args, " ")
			for i := range words {
				words[i] = strings.ReplaceAll(words[i], "~", " ")
			}
			r := cron(t, strings.NewReader(""), words...)
			compare(t, "cron-"+name, fmt.Sprintf("$ orth cron %q\n== exit code %d\n== standard output\n%s== standard error\n%s",
				words, r.code, r.stdout, r.stderr))
		})
	}
	for _, sub := range []string{"", "next", "explain"} {
		t.Run("help "+sub, func(t *testing.T) {
			t.Parallel()
			r := cron(t, strings.NewReader(""), append(strings.Fields(sub), "--help")...)
			if r.code != 0 || r.stderr != "" {
				t.Errorf("exit code %d, standard error %s", r.code, r.stderr)
			}
			compare(t, strings.TrimSuffix("cron-help-"+sub, "-"), r.stdout)
		})
	}
}

func TestWrongCron(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"next":                      "EXPR is required",
		"next * * * * * ?":          "put the expression in quotes",
		"explain":                   "EXPR is required",
		"explain @daily @daily":     "put the expression in quotes",
		"explain @daily --lang fr":  "must be one of en, zh",
		"next @daily --count 0":     "--count: must be between 1 and 10000, got 0",
		"next @daily --count 10001": "--count: must be between 1 and 10000, got 10001",
		"next @daily --dst java":    `--dst: "java" is not`,
		"next @every --dst java":    `--dst: "java" is not`,
		"next @daily --zone Mars":   `--zone: unknown time zone "Mars"`,
		"next @daily --zone Local":  `--zone: unknown time zone "Local"`,
		"next @daily --from soon":   `--from: "soon" is not a time`,
		"next @daily -o xml":        "must be one of table, wide, json, yaml, name",
		"next @daily --batch":       `unknown command "@daily"`,
		"next --batch --count 0":    "--count: must be between",
		"next --batch --dst java":   `--dst: "java" is not`,
		"next --batch --zone Mars":  `--zone: unknown time zone "Mars"`,
		"next @sometimes":           "^",
		"next @daily --zone Europe/Paris --from 2026-03-29T02:30": "2026-03-29T02:30 does not exist in Europe/Paris",
		"next @daily --zone Europe/Paris --from 2026-10-25T02:30": "use 2026-10-25T02:30:00+02:00 or 2026-10-25T02:30:00+01:00",
		"next @daily --zone Pacific/Apia --from 2011-12-30":       "2011-12-30 does not exist in Pacific/Apia",
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			r := cron(t, strings.NewReader(""), strings.Split(args, " ")...)
			if r.code != 2 || r.stdout != "" {
				t.Errorf("exit code %d, standard output %q", r.code, r.stdout)
			}
			if !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "--help'") {
				t.Errorf("%q is missing in: %s", want, r.stderr)
			}
		})
	}
}

// TestCronNow looks ahead from the present when no time is named.
func TestCronNow(t *testing.T) {
	t.Parallel()
	before := time.Now()
	r := cron(t, strings.NewReader(""), "next", "* * * * * ?", "--count", "1", "-o", "json")
	var at time.Time
	if err := at.UnmarshalText([]byte(strings.Trim(r.stdout, "[]\"\n "))); err != nil {
		t.Fatalf("%v in %+v", err, r)
	}
	if !at.After(before) || at.After(time.Now().Add(time.Second)) {
		t.Errorf("a firing at %s, asked at %s", at, before)
	}
}

func TestCronBatch(t *testing.T) {
	t.Parallel()
	const from = `"from":"2026-03-01T00:00:00Z"`
	long := strings.Repeat("x", 64<<10)
	for _, c := range []struct{ name, line, want string }{
		{"all fields", `{"expr":"0 30 2 * * ?","zone":"America/New_York","from":"2026-03-07T12:00:00Z","count":2,"dst":"quartz"}`, `["2026-03-09T06:30:00Z","2026-03-10T06:30:00Z"]`},
		{"the flags' defaults", `{"expr":"0 0 12 * * ?"}`, `["2026-03-01T11:00:00Z","2026-03-02T11:00:00Z","2026-03-03T11:00:00Z"]`},
		{"null", `{"expr":"0 0 12 * * ?","count":null,"zone":null,"from":null,"dst":null}`, `["2026-03-01T11:00:00Z","2026-03-02T11:00:00Z","2026-03-03T11:00:00Z"]`},
		{"local time", `{"expr":"0 0 12 * * ?","count":1,"zone":"Asia/Shanghai","from":"2026-03-01 12:00"}`, `["2026-03-02T04:00:00Z"]`},
		{"rate", `{"expr":"@every 1h","count":1,` + from + `}`, `["2026-03-01T01:00:00Z"]`},
		{"fractions", `{"expr":"@every 400ms","count":3,` + from + `}`, `["2026-03-01T00:00:00.4Z","2026-03-01T00:00:00.8Z","2026-03-01T00:00:01.2Z"]`},
		{"never", `{"expr":"0 0 0 31 2 ?"}`, `[]`},
		{"no more", `{"expr":"0 0 0 1 1 ? 2027","zone":"UTC"}`, `["2027-01-01T00:00:00Z"]`},
		{"blanks", "  {\"expr\":\"@daily\",\"count\":1,\"zone\":\"UTC\"}\t\r", `["2026-03-02T00:00:00Z"]`},
		{"empty", ``, `{"error":"empty line: write a question such as {\"expr\":\"0 30 2 * * ?\"}"}`},
		{"no JSON", `0 30 2 * * ?`, `{"error":"the line contains a JSON number: write a question such as {\"expr\":\"0 30 2 * * ?\"}"}`},
		{"broken", `{"expr":x}`, `{"error":"the line is not valid JSON: invalid character 'x' looking for beginning of value at byte 9 of the line"}`},
		{"cut off", `{"expr":"@daily"`, `{"error":"the line is not valid JSON: it is incomplete"}`},
		{"array", `["@daily"]`, `{"error":"the line contains a JSON array: write a question such as {\"expr\":\"0 30 2 * * ?\"}"}`},
		{"two questions", `{"expr":"@daily"} {}`, `{"error":"unexpected text at byte 18 of the line: write one question per line"}`},
		{"unknown field", `{"expr":"@daily","cuont":1}`, `{"error":"unknown field \"cuont\": the fields are expr, zone, from, count and dst"}`},
		{"no expression", `{"zone":"UTC"}`, `{"error":"expr is required, such as \"0 30 2 * * ?\""}`},
		{"wrong type", `{"expr":5}`, `{"error":"expr: must be a string, got a JSON number"}`},
		{"wrong count type", `{"expr":"@daily","count":"5"}`, `{"error":"count: must be a whole number, got a JSON string"}`},
		{"count", `{"expr":"@daily","count":0}`, `{"error":"count: must be between 1 and 10000, got 0"}`},
		{"large count", `{"expr":"@daily","count":10001}`, `{"error":"count: must be between 1 and 10000, got 10001"}`},
		{"zone", `{"expr":"@daily","zone":"Mars"}`, `{"error":"zone: unknown time zone \"Mars\": use an IANA name such as \"Asia/Shanghai\", \"Europe/Berlin\" or \"UTC\""}`},
		{"from", `{"expr":"@daily","from":"soon"}`, `{"error":"from: \"soon\" is not a time: use the form 2030-01-31T08:00:00Z, or 2030-01-31T08:00 for the local time of the zone"}`},
		{"dst", `{"expr":"@daily","dst":"java"}`, `{"error":"dst: \"java\" is not a set of rules for clock changes: use quartz or wall"}`},
		{"expression", `{"expr":"0 61 * * * ?"}`, `{"error":"expr: minute (column 3): 61 is out of range; allowed are 0-59, *, lists, ranges and steps"}`},
		{"too long", `{"expr":"` + long + `"}`, `{"error":"the line is longer than 64 KiB: write one question per line"}`},
		{"far too long", strings.Repeat(long, 4), `{"error":"the line is longer than 64 KiB: write one question per line"}`},
		{"one byte too long", long + "x", `{"error":"the line is longer than 64 KiB: write one question per line"}`},
		{"as long as can be", `{"expr":"@daily","count":1,"zone":"UTC"}` + long[40:], `{"error":"unexpected text at byte 41 of the line: write one question per line"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			// A good line behind it shows that the work goes on, with and
			// without an end of the last line.
			const good, goodAnswer = `{"expr":"@hourly","count":1,"zone":"UTC"}`, `["2026-03-01T01:00:00Z"]`
			for _, end := range []string{"", "\n"} {
				r := cron(t, strings.NewReader(c.line+"\n"+good+end), "next", "--batch", "--count", "3", "--zone", "Europe/Berlin", "--from", "2026-03-01T00:00:00Z")
				if diff := cmp.Diff(c.want+"\n"+goodAnswer+"\n", r.stdout); diff != "" || r.code != 0 || r.stderr != "" {
					t.Errorf("exit code %d, standard error %q, output %s", r.code, r.stderr, diff)
				}
			}
		})
	}
	if r := cron(t, strings.NewReader(""), "next", "--batch"); r != (result{}) {
		t.Errorf("an empty batch came to %+v", r)
	}
}

// TestCronBatchStreams asks the second question only when the first is answered.
func TestCronBatchStreams(t *testing.T) {
	t.Parallel()
	askFrom, ask := io.Pipe()
	answers, answerTo := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- cli.Execute(t.Context(), []string{"cron", "next", "--batch"}, kit.Config{Stdin: askFrom, Stdout: answerTo, Stderr: io.Discard})
	}()
	for year := 2030; year < 2033; year++ {
		_, _ = fmt.Fprintf(ask, "{\"expr\":\"@yearly\",\"count\":1,\"from\":\"%d-06-01T00:00:00Z\"}\n", year)
		want := fmt.Sprintf("[\"%d-01-01T00:00:00Z\"]\n", year+1)
		got := make([]byte, len(want))
		if _, err := io.ReadFull(answers, got); err != nil || string(got) != want {
			t.Fatalf("%v, %q is not %q", err, got, want)
		}
	}
	_ = ask.Close()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestCronBatchBroken ends when questions cannot be read or answers not be
// written.
func TestCronBatchBroken(t *testing.T) {
	t.Parallel()
	if r := cron(t, broken{}, "next", "--batch"); r.code != 1 || !strings.Contains(r.stderr, "read questions: it is broken") {
		t.Errorf("came to %+v", r)
	}
	var errs bytes.Buffer
	code := cli.Execute(t.Context(), []string{"cron", "next", "--batch"}, kit.Config{
		Stdin: strings.NewReader("{\"expr\":\"@daily\"}\n"), Stdout: broken{}, Stderr: &errs,
	})
	if code != 1 || !strings.Contains(errs.String(), "write answers: it is broken") {
		t.Errorf("exit code %d, %s", code, &errs)
	}
}

// TestCronBatchInterrupted ends between two questions.
func TestCronBatchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	code := cli.Execute(ctx, []string{"cron", "next", "--batch"}, kit.Config{
		Stdin: strings.NewReader("{\"expr\":\"@daily\"}\n"), Stdout: &out, Stderr: &errs,
	})
	if code != 130 || out.Len() > 0 || errs.String() != "orth: interrupted\n" {
		t.Errorf("exit code %d, %q, %q", code, &out, &errs)
	}
}

// broken can neither be read nor written.
type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errors.New("it is broken") }
func (broken) Write([]byte) (int, error) { return 0, errors.New("it is broken") }
