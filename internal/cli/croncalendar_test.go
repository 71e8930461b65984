package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestCronCalendars compares what calendars do to an expression with golden
// files. A server is asked only for what is neither a file nor holiday data.
func TestCronCalendars(t *testing.T) {
	t.Parallel()
	const (
		morning = " 0~0~9~*~*~? --zone Asia/Shanghai --from 2030-01-31"
		file    = " --calendar testdata/office.json"
	)
	remote := map[string][]string{"GET /calendars/office": {"200 " + office}}
	for name, c := range map[string]struct {
		args    string
		answers map[string][]string
	}{
		"next":          {"next" + morning + file + " --count 5", nil},
		"next-shift":    {"next" + morning + file + " --count 4 --excluded shift", nil},
		"next-json":     {"next" + morning + file + " --count 3 -o json", nil},
		"next-beyond":   {"next" + morning + "T09:00" + file + " --from 2030-12-30 --count 3", nil},
		"next-last":     {"next 0~0~9~1-7~2~?~2030 --zone Asia/Shanghai --from 2030-01-31 --count 4" + file, nil},
		"next-never":    {"next 0~0~9~2-8~2~?~2030 --zone Asia/Shanghai --from 2030-01-31 --count 4" + file, nil},
		"next-rate":     {"next @every~12h --zone Asia/Shanghai --from 2030-01-31 --count 4" + file, nil},
		"next-remote":   {"next" + morning + " --calendar office --count 3", remote},
		"next-two":      {"next" + morning + " --calendar office --calendar testdata/office.csv --count 3", remote},
		"next-missing":  {"next" + morning + " --calendar nowhere", nil},
		"next-denied":   {"next" + morning + " --calendar office", map[string][]string{"GET /calendars/office": {`401 {"code":"unauthorized","detail":"the token is wrong"}`}}},
		"explain":       {"explain" + morning + file, nil},
		"explain-zh":    {"explain" + morning + file + " --excluded shift --lang zh", nil},
		"explain-json":  {"explain" + morning + file + " -o json", nil},
		"explain-never": {"explain 0~0~9~2-8~2~?~2030 --zone Asia/Shanghai --from 2030-01-31" + file, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			golden(t, "cron-calendar-"+name, "cron "+c.args, c.answers)
		})
	}
}

// TestCronCalendarFormats reads each kind of file, and the holiday data without a
// server.
func TestCronCalendarFormats(t *testing.T) {
	t.Parallel()
	for calendar, from := range map[string]string{
		"testdata/office.ics": "calendar office.ics: file testdata/office.ics",
		"testdata/office.csv": "calendar office.csv: file testdata/office.csv",
		"cn":                  "calendar cn: built-in holiday data",
	} {
		r := orth(t.Context(), nil, "cron", "next", "0 0 9 * * ?", "--zone", "Asia/Shanghai", "--from", "2029-12-31", "--count", "2", "--calendar", calendar)
		if r.code != 0 || !strings.Contains(r.stderr, from) {
			t.Errorf("%s: exit code %d, %s", calendar, r.code, r.stderr)
		}
		if calendar != "cn" && !strings.Contains(r.stdout, "dropped by calendar "+filepath.Base(calendar)+": New Year") {
			t.Errorf("%s: New Year fires: %s", calendar, r.stdout)
		}
	}
}

// TestWrongCalendars says what is wrong with a calendar, and where.
func TestWrongCalendars(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty.ics":    {" \n", "is empty"},
		"large.csv":    {strings.Repeat("x", 512<<10+1), "is larger than 512 KiB"},
		"broken.json":  {`{"weekdays":["SAT"]`, "invalid rules of a calendar"},
		"strange.json": {`{"weekday":["SAT"]}`, `unknown field "weekday"`},
		"two.json":     {`{} {}`, "unexpected text after the rules"},
		"rule.json":    {`{"yearly":[{"rule":"13-01"}]}`, "yearly[0].rule"},
		"nothing.json": {`{"mode":"only"}`, "mode"},
		"wrong.csv":    {"2030-01-01,New Year\nsoon,x\n", "line 2"},
	} {
		path := writeFile(t, dir, name, c.text)
		lines := [][]string{{"cron", "next", "@daily", "--calendar", path}}
		if strings.HasSuffix(name, ".json") { // of the others the server says it
			lines = append(lines, []string{"calendar", "save", "x", "--file", path})
		}
		for _, line := range lines {
			server := newFake(t, nil)
			r := orth(t.Context(), server.env(), line...)
			if r.code != 1 || r.stdout != "" || !strings.Contains(r.stderr, c.want) || !strings.Contains(r.stderr, path) {
				t.Errorf("%v: exit code %d, %q is missing in %s", line, r.code, c.want, r.stderr)
			}
			if server.seen() != "" {
				t.Errorf("%v: the server was asked: %s", line, server.seen())
			}
		}
	}
	for line, want := range map[string]string{
		"cron next @daily --calendar testdata/none.ics":                                           "testdata/none.ics",
		"cron next @daily --calendar Nobody":                                                      `"Nobody" is not a calendar file`,
		"cron next @daily --calendar testdata/office.json --calendar ../cli/testdata/office.json": "office.json is given twice",
		"cron next @daily --excluded shift":                                                       "--excluded requires --calendar",
		"cron next --batch --calendar cn":                                                         "--calendar cannot be combined with --batch",
		"cron explain @daily" + strings.Repeat(" --calendar a", 9):                                "at most 8 calendars are allowed, got 9",
		"cron next @daily --calendar testdata/office.json --excluded drop":                        "must be one of skip, shift",
	} {
		if r := orth(t.Context(), nil, strings.Split(line, " ")...); r.code == 0 || r.stdout != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: exit code %d, %q is missing in %s", line, r.code, want, r.stderr)
		}
	}
}

// TestRulesComeBack saves what 'calendar show -o json' prints.
func TestRulesComeBack(t *testing.T) {
	t.Parallel()
	server := newFake(t, map[string][]string{"GET /calendars/office": {"200 " + office}, "PUT /calendars/copy": {`200 {"calendar":` + office + `}`}})
	shown := orth(t.Context(), server.env(), "calendar", "show", "office", "-o", "json")
	path := writeFile(t, t.TempDir(), "office.json", shown.stdout)
	if r := orth(t.Context(), server.env(), "calendar", "save", "copy", "--file", path); r.code != 0 {
		t.Fatalf("exit code %d, %s", r.code, r.stderr)
	}
	if want := `"yearly":[{"rule":"12-25","name":"Christmas"}],"except":[{"date":"2030-02-09"`; !strings.Contains(server.seen(), want) {
		t.Errorf("%s is missing in %s", want, server.seen())
	}
}
