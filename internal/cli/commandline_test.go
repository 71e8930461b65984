package cli_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/internal/pagetest"
)

// printed returns the commands of orth that a text has: in quotes, or on lines of their
// own.
func printed(text string) (commands [][]string) {
	for _, found := range regexp.MustCompile("(?m)'(orth [^'`\n]*)'|`(orth [^`\n]*)`|^ +(orth .*)$").FindAllStringSubmatch(text, -1) {
		commands = append(commands, pagetest.Words(strings.Join(found[1:], ""))...)
	}
	return commands
}

// TestPrintedCommandsWork: what a command prints for the next step works as it is
// printed, whatever flags named the server and the namespace.
func TestPrintedCommandsWork(t *testing.T) {
	t.Parallel()
	answers := map[string][]string{
		"POST /jobs": {"201 " + byHand}, "GET /jobs/by-hand": {"200 " + byHand}, "POST /jobs/by-hand/trigger": {"201 " + planned}, "POST /jobs/by-hand/start": {"200 " + byHand},
		"GET /runs/" + runID: {"200 " + planned}, "GET /runs/" + runID + "/attempts": {`200 {"attempts":[]}`},
		"GET /groups/ops": {`200 {"namespace":"default","key":"ops","version":1}`}, "GET /executors": {`200 {"executors":[]}`}, "GET /groups": {`200 {"groups":[]}`},
	}
	odd := filepath.Join(t.TempDir(), "it's a folder")
	tokenFile := writeFile(t, t.TempDir(), "the token $HOME", token+"\n")
	for _, c := range []struct {
		name, line string
		env        func(f *fake) map[string]string
		flags      func(f *fake) []string
		space      string
	}{
		{"the environment", "job create by-hand --group ops --manual --handler clean", (*fake).env, nil, ""},
		{"flags", "job create by-hand --group ops --manual --handler clean", nil, func(f *fake) []string {
			return []string{"--server", f.URL, "--token-file", tokenFile, "--namespace", "team-a"}
		}, "team-a"},
		{"a namespace in the key", "job trigger team-b/by-hand", (*fake).env, nil, ""},
		{"a trigger", "job trigger by-hand", nil, func(f *fake) []string { return []string{"--server", f.URL + "/", "--token-file", tokenFile} }, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := newFake(t, answers)
			env, args := map[string]string{}, strings.Fields(c.line)
			if c.env != nil {
				env = c.env(server)
			}
			if c.flags != nil {
				args = append(args, c.flags(server)...)
			}
			r := orth(t.Context(), env, args...)
			if r.code != 0 {
				t.Fatalf("%d, %s", r.code, r.stderr)
			}
			next := printed(r.stdout + r.stderr)
			if len(next) == 0 {
				t.Fatalf("no command is printed:\n%s%s", r.stdout, r.stderr)
			}
			for _, line := range next {
				if again := orth(t.Context(), env, line[1:]...); again.code != 0 {
					t.Errorf("%q: exit code %d, %s", line, again.code, again.stderr)
				}
				if c.space != "" && !strings.Contains(server.seen(), "/start?namespace="+c.space) && !strings.Contains(server.seen(), "/trigger?namespace="+c.space) {
					t.Errorf("%q: is in another namespace:\n%s", line, server.seen())
				}
			}
		})
	}
	r := orth(t.Context(), nil, "job", "list", "--data", odd)
	if r.code == 0 || !slices.ContainsFunc(printed(r.stderr), func(line []string) bool { return slices.Equal(line, []string{"orth", "server", "--data", odd}) }) {
		t.Errorf("%d, %s", r.code, r.stderr)
	}
}

// TestSwitchingMany: job stop takes several keys, sends them some hundreds at a time and
// shows what became of each.
func TestSwitchingMany(t *testing.T) {
	t.Parallel()
	golden(t, "job-disable-many", "job disable report etl gone", map[string][]string{"POST /jobs/bulk": {
		`200 {"done":2,"failed":1,"items":[{"key":"report"},{"key":"etl"},{"key":"gone","error":{"code":"not_found","detail":"there is no job gone that you may see"}}]}`,
	}})
	golden(t, "job-enable-many", "job enable report etl -o json", map[string][]string{"POST /jobs/bulk": {`200 {"done":2,"failed":0,"items":[{"key":"report"},{"key":"etl"}]}`}})
	server := newFake(t, map[string][]string{"POST /jobs/bulk": {`200 {"done":200,"failed":0,"items":[]}`, `200 {"done":200,"failed":0,"items":[]}`, `200 {"done":50,"failed":0,"items":[]}`}})
	args := []string{"job", "disable"}
	for i := range 450 {
		args = append(args, fmt.Sprintf("j%d", i))
	}
	r := orth(t.Context(), server.env(), args...)
	if r.code != 0 || !strings.Contains(r.stderr, "450 jobs are done") || strings.Count(server.seen(), "POST") != 3 {
		t.Errorf("%d, %s, %d requests", r.code, r.stderr, strings.Count(server.seen(), "POST"))
	}
	server = newFake(t, map[string][]string{"POST /jobs/bulk": {`200 {"done":200,"failed":0,"items":[{"key":"j0"}]}`, `503 {"code":"unavailable","detail":"the database is away"}`}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if r := orth(ctx, server.env(), args[:300]...); r.code != 6 || !strings.Contains(r.stderr, "200 jobs are done") || !strings.Contains(r.stderr, "the database is away") {
		t.Errorf("%d, %s%s", r.code, r.stdout, r.stderr)
	}
}
