package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// head begins a document of a job.
const head = "apiVersion: orth/v1\nkind: Job\nmetadata: {key: report}\n"

// noFiles is a folder with nothing in it.
func noFiles(name string, _ int) (string, error) { return "", fmt.Errorf("is not there: %s", name) }

// readOne reads a text with one document.
func readOne(t *testing.T, name, text string) Object {
	t.Helper()
	all, mistakes := Read(name, []byte(text), "default", noFiles)
	if len(mistakes) > 0 || len(all) != 1 {
		t.Fatalf("%d documents, %v", len(all), mistakes)
	}
	return all[0]
}

// What means the same is read as the same.
func TestOneForm(t *testing.T) {
	t.Parallel()
	want := map[string]any{
		"group": "ops", "handler": map[string]any{"kind": "named", "name": "report"}, "timeout": "1m30s",
		"schedule": map[string]any{"kind": "cron", "cron": "0 0 2 * * ?"},
	}
	for name, spec := range map[string]string{
		"short": "{group: ops, handler: {kind: named, name: report}, timeout: 90s, schedule: {kind: cron, cron: '0 0 2 * * ?'}}",
		"defaults": "{group: ops, handler: {kind: named, name: report}, timeout: 1m30s, misfire: skip, route: round, overlap: serial, on_crash: report, " +
			"overlap_scope: cluster, overlap_queue: 1000, retry: {tries: 0}, labels: {}, children: [], delivery: {priority: normal}, param: '', inputs: [], stop_after: 0, " +
			"schedule: {kind: cron, cron: '0 0 2 * * ?', zone: UTC, excluded: skip, dst: {gap: fire_after, overlap: first, straight: true}}}",
		"nothing":  "{group: ops, handler: {kind: named, name: report}, timeout: 90s, title: null, retry: ~, schedule: {kind: cron, cron: '0 0 2 * * ?', start: null}}",
		"aliases":  "{group: &g ops, title: '', handler: {kind: named, name: &n report}, timeout: 90s, schedule: {kind: cron, cron: '0 0 2 * * ?'}, delivery: {priority: normal}}",
		"fraction": "{group: ops, handler: {kind: named, name: report}, timeout: 1.5m, schedule: {kind: cron, cron: '0 0 2 * * ?'}, overlap_queue: 1_000}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, text := range []string{head + "spec: " + spec, strings.ReplaceAll("\ufeff---\n"+head+"spec: "+spec+"\n---\n", "\n", "\r\n")} {
				if diff := cmp.Diff(want, readOne(t, "a.yaml", text).Spec); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// JSON is read with tabs, escapes and several documents in a list.
func TestJSON(t *testing.T) {
	t.Parallel()
	const one = "{\n\t\"apiVersion\": \"orth\\/v1\", \"kind\": \"Job\", \"metadata\": {\"key\": \"a\", \"namespace\": \"team\"},\n" +
		"\t\"spec\": {\"group\": \"ops\", \"handler\": {\"kind\": \"named\", \"name\": \"x\"}, \"title\": \"\\ud83d\\ude00\", \"enabled\": false, \"retry\": {\"tries\": 2, \"jitter\": 0.5}}}"
	all, mistakes := Read("a.JSON", []byte("["+one+","+strings.Replace(one, `"a"`, `"b"`, 1)+"]\n"+strings.Replace(one, `"a"`, `"c"`, 1)), "default", noFiles)
	if len(mistakes) > 0 || len(all) != 3 {
		t.Fatalf("%d documents, %v", len(all), mistakes)
	}
	want := map[string]any{
		"group": "ops", "handler": map[string]any{"kind": "named", "name": "x"}, "title": "😀", "enabled": false,
		"retry": map[string]any{"tries": 2.0, "jitter": 0.5},
	}
	if diff := cmp.Diff(want, all[1].Spec); diff != "" || all[1].Namespace != "team" || all[2].Key != "c" || all[1].Origin != "a.JSON:3" || all[2].Origin != "a.JSON:6" {
		t.Errorf("%+v\n%s", all, diff)
	}
}

// Mistakes say where they are, and what was perhaps meant.
func TestMistakes(t *testing.T) {
	t.Parallel()
	const spec = head + "spec:\n  group: ops\n"
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	bomb := "a: &a [" + strings.TrimSuffix(strings.Repeat("x, ", 10), ", ") + "]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 10), ", "))
	}
	for _, c := range []struct{ name, file, text, want, hint string }{
		{"unknown field", "a.yaml", spec + "  timeoutt: 3s\n", `a.yaml:6:3: there is no field "timeoutt" here`, `did you mean "timeout"?`},
		{"camel", "a.yaml", spec + "  stopAfter: 3\n", `a.yaml:6:3: there is no field "stopAfter" here`, `did you mean "stop_after"?`},
		{"far", "a.yaml", head + "spec:\n  retry: {something: 1}\n", `a.yaml:5:11: there is no field "something" here`, "there are delays, initial"},
		{"key in spec", "a.yaml", spec + "  key: x\n", `a.yaml:6:3: there is no field "key" here`, ""},
		{"server's field", "a.yaml", head + "spec:\n  children: [{key: x, id: 7}]\n", `a.yaml:5:23: there is no field "id" here`, ""},
		{"word", "a.yaml", spec + "  route: robin\n", `a.yaml:6:10: "robin" is no route`, "write one of first"},
		{"near word", "a.yaml", spec + "  overlap: seriell\n", `a.yaml:6:12: "seriell" is no overlap`, `did you mean "serial"?`},
		{"duration", "a.yaml", spec + "  timeout: 30\n", `a.yaml:6:12: must be a text, and is "30"`, "put it in quotes"},
		{"duration text", "a.yaml", spec + "  timeout: fast\n", `a.yaml:6:12: "fast" is no duration`, ""},
		{"label", "a.yaml", spec + "  labels: {tier: 1}\n", `a.yaml:6:18: must be a text, and is "1"`, "put it in quotes"},
		{"number", "a.yaml", spec + "  stop_after: many\n", `a.yaml:6:15: must be a whole number, and is "many"`, ""},
		{"half", "a.yaml", spec + "  stop_after: 1.5\n", `a.yaml:6:15: must be a whole number, and is "1.5"`, ""},
		{"truth", "a.yaml", spec + "  enabled: 'yes'\n", `a.yaml:6:12: must be true or false, and is "yes"`, ""},
		{"list", "a.yaml", spec + "  alarm_emails: a@b\n", `a.yaml:6:17: must be a list, and is "a@b"`, ""},
		{"mapping", "a.yaml", spec + "  retry: 3\n", `a.yaml:6:10: must be a mapping, and is "3"`, ""},
		{"hole", "a.yaml", spec + "  alarm_emails: [~]\n", `a.yaml:6:18: is nothing: an entry of a list must say something`, ""},
		{"twice", "a.yaml", spec + "  group: other\n", `a.yaml:6:3: "group" is said twice, first in line 5`, ""},
		{"merge", "a.yaml", spec + "  <<: {}\n", `a.yaml:6:3: the name of a field must be a plain text`, ""},
		{"tag", "a.yaml", spec + "  title: !!binary aGk=\n", `a.yaml:6:10: values of the tag "!!binary" are not read`, ""},
		{"no YAML", "a.yaml", "a: b: c\n", "a.yaml:1:1: it is not YAML: mapping values", ""},
		{"not a document", "a.yaml", "[1]", "a.yaml:1:1: a document must be a mapping", ""},
		{"version", "a.yaml", "apiVersion: orth/v2\nkind: Job\n", `a.yaml:1:13: "orth/v2" is no version that is known here`, "write apiVersion: orth/v1"},
		{"no version", "a.yaml", "kind: Job\n", "a.yaml:1:1: apiVersion is missing", ""},
		{"kind", "a.yaml", "apiVersion: orth/v1\nkind: Jobb\n", `a.yaml:2:7: "Jobb" is no kind of document`, `did you mean "Job"?`},
		{"far kind", "a.yaml", "apiVersion: orth/v1\nkind: Deployment\n", `a.yaml:2:7: "Deployment" is no kind of document`, "write one of Group, Calendar, Job"},
		{"top", "a.yaml", "apiVersion: orth/v1\nkind: Job\nmeta: {}\n", `a.yaml:3:1: there is no field "meta" here`, ""},
		{"no metadata", "a.yaml", "apiVersion: orth/v1\nkind: Job\n", "a.yaml:1:1: metadata is missing", ""},
		{"key", "a.yaml", "apiVersion: orth/v1\nkind: Job\nmetadata: {key: Report}\nspec: {}\n", `a.yaml:3:17: the key "Report" must be lower-case`, ""},
		{"no key", "a.yaml", "apiVersion: orth/v1\nkind: Job\nmetadata: {}\nspec: {}\n", "a.yaml:3:11: the key is missing", ""},
		{"space of a pause", "a.yaml", "apiVersion: orth/v1\nkind: Pause\nmetadata: {key: x, namespace: y}\nspec: {}\n", "a.yaml:3:31: a pause lives in no namespace", ""},
		{"no group", "a.yaml", head + "spec: {title: x}\n", "a.yaml:4:7: group is missing", ""},
		{"no kind of code", "a.yaml", spec + "  handler: {source: x}\n", "a.yaml:6:12: kind is missing", ""},
		{"empty list", "a.yaml", "apiVersion: orth/v1\nkind: AlarmRule\nmetadata: {key: x}\nspec: {kinds: [], channels: [a]}\n", "a.yaml:4:7: kinds is missing", ""},
		{"no spec", "a.yaml", head, "a.yaml:1:1: spec is missing", ""},
		{"absent with spec", "a.yaml", "apiVersion: orth/v1\nkind: Job\nmetadata: {key: x, absent: true}\nspec: {}\n", "a.yaml:4:7: there is a spec, and absent says", ""},
		{"deep", "a.yaml", spec + "  title: " + deep + "\n", "values stand within values more than 64 deep", ""},
		{"bomb", "a.yaml", bomb, "there are more than 200000 values", ""},
		{"itself", "a.yaml", "a: &a [*a]\n", "a.yaml:1:", ""},
		{"no file", "a.yaml", head + "spec: {group: ops, handler: {kind: shell, source_file: x.sh}}\n", "a.yaml:4:56: x.sh: is not there: x.sh", ""},
		{"file and text", "a.yaml", head + "spec: {group: ops, handler: {kind: shell, source: y, source_file: x.sh}}\n", "there is source_file, and source too", ""},
		{"secret", "a.yaml", "apiVersion: orth/v1\nkind: AlarmChannel\nmetadata: {key: ops}\nspec:\n  kind: slack\n  secrets: {url: https://x}\n", `a.yaml:6:18: the secret "url" must not stand in a file`, "write ${env:ORTH_CHANNEL_OPS_URL}"},
		{"two sources", "a.yaml", "apiVersion: orth/v1\nkind: Calendar\nmetadata: {key: x}\nspec: {shipped: cn, rules: {}}\n", "a.yaml:4:7: a calendar has one of rules", ""},
		{"unknown data", "a.yaml", "apiVersion: orth/v1\nkind: Calendar\nmetadata: {key: x}\nspec: {shipped: zz}\n", `a.yaml:4:17: no holiday data has the key "zz"`, ""},
		{"weekday", "a.yaml", "apiVersion: orth/v1\nkind: Calendar\nmetadata: {key: x}\nspec: {rules: {weekdays: [MONDAYS]}}\n", "a.yaml:4:27: ", ""},
		{"no JSON", "a.json", "{\n\t\"a\": tru }", "a.json:2:", ""},
		{"half of JSON", "a.json", "{\"apiVersion\": \"orth/v1\",\n", "a.json:2:1: it is not JSON: it ends in the middle", ""},
		{"JSON twice", "a.json", "{\"kind\": 1,\n \"kind\": 2}", `a.json:2:2: "kind" is said twice, first in line 1`, ""},
		{"JSON field", "a.json", "{\"apiVersion\":\"orth/v1\",\"kind\":\"Job\",\"metadata\":{\"key\":\"x\"},\n\"spec\":{\"gruop\":\"x\"}}", `a.json:2:9: there is no field "gruop" here`, `did you mean "group"?`},
		{"deep JSON", "a.json", deep, "values stand within values more than 64 deep", ""},
		{"bytes", "a.yaml", "a: \xff", "a.yaml: is not UTF-8", ""},
		{"large", "a.yaml", strings.Repeat("#", MaxFile+1), "a.yaml: is larger than 1024 KiB", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			all, mistakes := Read(c.file, []byte(c.text), "default", noFiles)
			if len(mistakes) != 1 || len(all) != 0 {
				t.Fatalf("%d documents, mistakes %v", len(all), mistakes)
			}
			known, ok := errors.AsType[*job.Error](mistakes[0])
			if !ok || known.Kind != job.Invalid || !strings.Contains(known.Message, c.want) || !strings.HasPrefix(known.Message, c.file+":") {
				t.Errorf("%v, want %q", mistakes[0], c.want)
			}
			if ok && !strings.Contains(known.Hint, c.hint) {
				t.Errorf("hint %q, want %q", known.Hint, c.hint)
			}
		})
	}
}

// A calendar from a file, from holiday data and from rules are all rules.
func TestCalendars(t *testing.T) {
	t.Parallel()
	files := func(name string, _ int) (string, error) {
		if name != "off.csv" {
			return "", errors.New("is not there")
		}
		return "2030-05-01,May Day\n", nil
	}
	const head = "apiVersion: orth/v1\nkind: Calendar\nmetadata: {key: x}\nspec: "
	day := []any{map[string]any{"date": "2030-05-01", "name": "May Day"}}
	for spec, want := range map[string]any{
		"{text_file: off.csv, weekends: false}":                                              day,
		"{format: csv, text: '2030-05-01,May Day', weekends: false}":                         day,
		"{rules: {mode: exclude, dates: [{date: 2030-05-01, name: May Day}], weekdays: []}}": day,
	} {
		all, mistakes := Read("a.yaml", []byte(head+spec), "default", files)
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", spec, mistakes)
			continue
		}
		rules, _ := all[0].Spec["rules"].(map[string]any)
		if diff := cmp.Diff(want, rules["dates"]); diff != "" || rules["mode"] != nil {
			t.Errorf("%s: %s %v", spec, diff, rules)
		}
	}
	all, mistakes := Read("a.yaml", []byte(head+"{shipped: cn, title: China}"), "default", nil)
	if len(mistakes) > 0 || all[0].text("title") != "China" || all[0].Spec["shipped"] != nil {
		t.Errorf("%v %v", all, mistakes)
	}
}

// An edge may be only the name of a node, and one of them no list.
func TestEdges(t *testing.T) {
	t.Parallel()
	const head = "apiVersion: orth/v1\nkind: Workflow\nmetadata: {key: x}\nspec: {nodes: [{name: a, job: a}, {name: b, job: b, join: all, after: "
	want := []any{map[string]any{"node": "a"}}
	for _, after := range []string{"a", "[a]", "{node: a}", "[{node: a}]", "[{node: a, on: success}]"} {
		all, mistakes := Read("a.yaml", []byte(head+after+"}]}"), "default", nil)
		if after == "{node: a}" {
			if len(mistakes) == 0 {
				t.Errorf("%s is read as %v", after, all)
			}
			continue
		}
		if len(mistakes) > 0 {
			t.Errorf("%s: %v", after, mistakes)
			continue
		}
		if diff := cmp.Diff(map[string]any{"name": "b", "job": "b", "after": want}, mapsOf(all[0].Spec["nodes"])[1]); diff != "" {
			t.Errorf("%s: %s", after, diff)
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A folder is read with what stands beside its documents, and nothing else.
func TestLoad(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := head + "spec:\n  group: ops\n  handler: {kind: shell, source_file: report.sh}\n"
	write(t, dir, "jobs/report.yaml", script)
	write(t, dir, "jobs/report.sh", "echo one\r\n")
	write(t, dir, "more/two.yml", strings.ReplaceAll(strings.ReplaceAll(script, "report.sh", "../jobs/report.sh"), "key: report", "key: two, namespace: team"))
	write(t, dir, ".git/hidden.yaml", "no document")
	write(t, dir, ".hidden.yaml", "no document")
	write(t, dir, "README.md", "no document")
	all, err := Load(dir, "default")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for i := range all {
		names = append(names, all[i].ID().String()+" "+all[i].text("handler", "source"))
	}
	if want := []string{"job default/report echo one\r\n", "job team/two echo one\r\n"}; !cmp.Equal(want, names) {
		t.Errorf("%q, want %q", names, want)
	}
	if one, err := Load(filepath.Join(dir, "jobs", "report.yaml"), "other"); err != nil || len(one) != 1 || one[0].Namespace != "other" {
		t.Errorf("one file: %v, %v", one, err)
	}
}

// A document reads no file from outside of its folder.
func TestOutside(t *testing.T) {
	t.Parallel()
	outer := t.TempDir()
	write(t, outer, "secret.sh", "secret")
	for _, c := range []struct{ name, file, want string }{
		{"up", "../secret.sh", "must be a file within the folder"},
		{"far up", "a/../../secret.sh", "must be a file within the folder"},
		{"rooted", filepath.ToSlash(filepath.Join(outer, "secret.sh")), "must be a file within the folder"},
		{"backslash", `..\\secret.sh`, "must be a file within the folder"},
		{"link", "link.sh", "a.yaml:4:"},
		{"folder", "sub", "is no plain file"},
		{"missing", "missing.sh", "missing.sh: "},
		{"large", "large.sh", "is larger than 512 KiB"},
		{"bytes", "bytes.sh", "is not UTF-8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "in")
			write(t, dir, "a.yaml", head+`spec: {group: ops, handler: {kind: shell, source_file: "`+c.file+`"}}`)
			write(t, filepath.Dir(dir), "secret.sh", "secret")
			write(t, dir, "sub/x", "")
			write(t, dir, "large.sh", strings.Repeat("x", 512<<10+1))
			write(t, dir, "bytes.sh", "\xff")
			if err := os.Symlink(filepath.Join(outer, "secret.sh"), filepath.Join(dir, "link.sh")); err != nil && c.name == "link" {
				t.Skipf("no links here: %v", err)
			}
			all, err := Load(dir, "default")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, %v", all, err)
			}
		})
	}
}

// All mistakes of a folder are told at once; an object is described once.
func TestAllMistakes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	good := head + "spec: {group: ops, handler: {kind: named, name: x}}\n"
	write(t, dir, "a.yaml", good+"---\n"+head+"spec: {gruop: x}\n")
	write(t, dir, "b.yaml", good)
	_, err := Load(dir, "default")
	want := "2 mistakes:\na.yaml:9:8: there is no field \"gruop\" here; did you mean \"group\"?\nb.yaml:1: job default/report is described already in a.yaml:1"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if _, err := Load(filepath.Join(dir, "none"), "default"); err == nil {
		t.Error("a folder that is not there was read")
	}
}

func FuzzRead(f *testing.F) {
	f.Add("a.yaml", head+"spec: {group: ops, handler: {kind: shell, source: 'echo'}, schedule: {kind: cron, cron: '* * * * * ?'}}")
	f.Add("a.json", `[{"apiVersion":"orth/v1","kind":"Pause","metadata":{"key":"x"},"spec":{"window":{"cron":"0 0 2 * * ?","for":"3h"}}}]`)
	f.Add("a.yaml", "apiVersion: orth/v1\nkind: AlarmChannel\nmetadata: {key: x}\nspec: {kind: slack, secrets: {url: '${env:A}'}}\n---\n&a [*a]")
	f.Fuzz(func(t *testing.T, name, text string) {
		all, mistakes := Read(name, []byte(text), "default", noFiles)
		for _, err := range mistakes {
			if !job.Is(err, job.Invalid) {
				t.Errorf("%v is of the kind %v", err, job.KindOf(err))
			}
		}
		files, err := Files(all, false)
		if err != nil {
			t.Fatal(err)
		}
		for i := range files {
			again, mistakes := Read(files[i].Name, files[i].Text, "default", noFiles)
			if len(mistakes) > 0 || len(again) != 1 {
				t.Fatalf("what was written is not read: %v\n%s", mistakes, files[i].Text)
			}
		}
	})
}
