package importer

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/manifest"
	"github.com/orthd/orth/job"
)

var update = flag.Bool("update", false, "write the golden files")

// shown returns what came of a text as one text.
func shown(t *testing.T, got Imported) string {
	t.Helper()
	files, err := manifest.Files(got.Objects, false)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for i, f := range files {
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(f.Text)
	}
	out.WriteString("\n# Notes\n")
	for _, n := range got.Notes {
		out.WriteString("# " + n.String() + "\n")
	}
	return out.String()
}

// TestGoldens compares what becomes of the files of testdata with what stands beside
// them. What is made can be read again as documents.
func TestGoldens(t *testing.T) {
	t.Parallel()
	for name, turn := range map[string]func([]byte) (Imported, error){
		"user.crontab": func(text []byte) (Imported, error) { return Crontab(text, false, Options{Group: "ops"}) },
		"system.crontab": func(text []byte) (Imported, error) {
			return Crontab(text, true, Options{Group: "ops", Prefix: "host1-", Namespace: "team", Zone: "Europe/Berlin", Start: true})
		},
		"cronjobs.yaml": func(text []byte) (Imported, error) { return Kubernetes(text, Options{Group: "batch", Start: true}) },
		"list.json":     func(text []byte) (Imported, error) { return Kubernetes(text, Options{Group: "batch", Zone: "UTC"}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			got, err := turn(text)
			if err != nil {
				t.Fatal(err)
			}
			out := shown(t, got)
			readable(t, got)
			file := filepath.Join("testdata", name+".golden")
			if *update {
				if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// readable makes sure that documents are what manifest reads.
func readable(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, got Imported,
) {
	t.Helper()
	files, err := manifest.Files(got.Objects, false)
	if err != nil {
		t.Fatalf("write the documents: %v", err)
	}
	for _, f := range files {
		if len(f.Text) > manifest.MaxFile {
			continue
		}
		if _, mistakes := manifest.Read(f.Name, f.Text, job.DefaultNamespace, nil); len(mistakes) > 0 {
			t.Fatalf("the documents cannot be read: %v\n%s", mistakes, f.Text)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]string{
		`date`:                {"date", ""},
		`date +\%F`:           {"date +%F", ""},
		`mail ann%Hello%%Bye`: {"mail ann", "Hello\n\nBye"},
		`a\\b%`:               {`a\\b`, ""},
		`%x`:                  {"", "x"},
		`cat%50\%`:            {"cat", "50%"},
	} {
		command, input, piped := percent(text)
		if command != want[0] || input != want[1] || piped != strings.Contains(strings.ReplaceAll(text, `\%`, ""), "%") {
			t.Errorf("%q: %q, %q, %v", text, command, input, piped)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]Options{
		"no group":       {},
		"a wrong group":  {Group: "a b"},
		"a wrong prefix": {Group: "a", Prefix: "Ü"},
		"a long prefix":  {Group: "a", Prefix: strings.Repeat("a", 60)},
	} {
		if _, err := Crontab(nil, false, o); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Kubernetes(nil, o); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	o := Options{Group: "g"}
	for name, text := range map[string]string{
		"too large": strings.Repeat("#\n", MaxSize/2+1), "no text": "\xff\xfe", "a zero": "* * * * * a\x00b",
		"lines that end with carriage returns": "5 4 * * * a\r6 4 * * * b\r",
		"a large variable in many scripts":     "A=" + strings.Repeat("x", 200_000) + "\n" + strings.Repeat("* * * * * a\n", 4_000),
	} {
		if _, err := Crontab([]byte(text), false, o); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"too large": strings.Repeat("#\n", MaxSize/2+1), "no YAML": "a: [", "an alias": "a: &x {}\nb: *x\n",
		"deep": strings.Repeat("[", 100) + strings.Repeat("]", 100),
	} {
		if _, err := Kubernetes([]byte(text), o); !job.Is(err, job.Invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestManyOfOneName turns many lines with the same command: the last of them is told as
// fast as the first, and each job has a name of its own.
func TestManyOfOneName(t *testing.T) {
	t.Parallel()
	const lines = 60_000
	got, err := Crontab([]byte(strings.Repeat("* * * * * a\n", lines)), false, Options{Group: "g", Zone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Objects) != maxJobs || got.Objects[maxJobs-1].Key != fmt.Sprint("a-", maxJobs) {
		t.Errorf("%d jobs, the last is %s", len(got.Objects), got.Objects[len(got.Objects)-1].Key)
	}
	if len(got.Notes) != maxNotes+1 {
		t.Fatalf("%d notes", len(got.Notes))
	}
	last := got.Notes[maxNotes].String()
	if want := fmt.Sprintf("%d more of kind too-many-jobs", lines-maxJobs-maxNotes); !strings.HasPrefix(last, want) {
		t.Errorf("the last note is %q, want it to begin with %q", last, want)
	}
}

// TestMarks reads what editors of other systems put into a table.
func TestMarks(t *testing.T) {
	t.Parallel()
	got, err := Crontab([]byte("\ufeff# Nightly\r\n5 4 * * * /bin/report\r\nSHELL=\r\n6 4 * * * /bin/other\r\n"), false, Options{Group: "g", Zone: "UTC"})
	if err != nil || len(got.Objects) != 2 || len(got.Notes) != 0 {
		t.Fatalf("%v, notes %v, error %v", got.Objects, got.Notes, err)
	}
	out := shown(t, got)
	if !strings.Contains(out, "title: Nightly") || strings.Contains(out, "exec") || strings.Contains(out, `\r`) {
		t.Errorf("got\n%s", out)
	}
}

// Whatever a table says, what is made of it is good, and each line without a job that
// is none of cron's own is told of.
func FuzzCrontab(f *testing.F) {
	for _, name := range []string{"user.crontab", "system.crontab"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), name == "system.crontab")
	}
	f.Fuzz(func(t *testing.T, text string, system bool) {
		got, err := Crontab([]byte(text), system, Options{Group: "g"})
		if err != nil && !job.Is(err, job.Invalid) {
			t.Fatal(err)
		}
		readable(t, got)
	})
}

func FuzzKubernetes(f *testing.F) {
	for _, name := range []string{"cronjobs.yaml", "list.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Kubernetes([]byte(text), Options{Group: "g"})
		if err != nil && !job.Is(err, job.Invalid) {
			t.Fatal(err)
		}
		readable(t, got)
	})
}
