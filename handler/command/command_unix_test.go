//go:build unix

package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/internal/process"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSplit(t *testing.T) {
	t.Parallel()
	for param, want := range map[string][]string{
		`ls -l  /tmp`:             {"ls", "-l", "/tmp"},
		`a 'b c' "d \"e\" \\ \n"`: {"a", "b c", `d "e" \ \n`},
		`a '' ""`:                 {"a", "", ""},
		`a\ b c\'d`:               {"a b", "c'd"},
		`a | b > $HOME; *`:        {"a", "|", "b", ">", "$HOME;", "*"},
		`x'y'"z"`:                 {"xyz"},
		` ["a", "b c", ""] `:      {"a", "b c", ""},
	} {
		if got, err := split(param); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", param, got, err)
		}
	}
	for _, param := range []string{"", "  ", "''", "[]", `[""]`, "[1]", `["a"`, `a 'b`, `a "b`, `a \`, "a\x00b"} {
		if got, err := split(param); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %q, %v", param, got, err)
		}
	}
}

// FuzzSplit: whatever comes out of it comes out again when it goes in as JSON
// or in single quotes.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{`a 'b c' "d"`, `["x"]`, `\`, `"\`, "a\tb\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, param string) {
		args, err := split(param)
		if err != nil {
			return
		}
		quoted := ""
		for i, arg := range args {
			quoted += "'" + strings.ReplaceAll(arg, "'", `'\''`) + "' "
			args[i] = strings.ToValidUTF8(arg, "?")
		}
		if again, err := split(quoted); err != nil || len(again) != len(args) {
			t.Errorf("%q gave %q, in quotes %q, %v", param, args, again, err)
		}
		text, _ := json.Marshal(args)
		if again, err := split(string(text)); err != nil || !slices.Equal(again, args) {
			t.Errorf("%q gave %q, as JSON %q, %v", param, args, again, err)
		}
	})
}

func TestCommand(t *testing.T) {
	t.Parallel()
	spawner, err := process.New(process.Config{TempRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spawner.Close() })
	shell, err := resolve("sh")
	if err != nil {
		t.Fatal(err)
	}
	bin, alias, own := t.TempDir(), filepath.Join(t.TempDir(), "alias"), t.TempDir()
	if err := errors.Join(
		os.Symlink(shell, filepath.Join(bin, "sh")), os.Symlink("sh", filepath.Join(bin, "many")), os.Symlink(bin, alias),
		os.WriteFile(filepath.Join(own, "sh"), []byte("#!/bin/sh\necho not me\n"), 0o700),
	); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, param, log, result, err string
		allow                         []string
	}{
		{name: "a name", param: "echo a 'b  c' | d", allow: []string{"echo"}, log: "\na b  c | d\n"},
		{name: "all", param: `["sh", "-c", "echo $ORTH_JOB_ID; echo r >$ORTH_JOB_RESULT_FILE"]`, allow: []string{"*"}, log: "\n7\n", result: "r"},
		{name: "value", param: "sh -c 'exit 4'", allow: []string{"sh"}, err: "exit status 4"},
		{name: "error line", param: "sh -c 'echo disk full >&2; exit 4'", allow: []string{"sh"}, log: "\ndisk full\n", err: "exit status 4: disk full"},
		{name: "words", param: "sh -c 'echo no >$ORTH_JOB_RESULT_FILE; exit 4'", allow: []string{"sh"}, err: "no"},
		{name: "long result", param: "sh -c 'head -c 45000 /dev/zero | tr \\\\0 x >$ORTH_JOB_RESULT_FILE'", allow: []string{"sh"}, result: strings.Repeat("x", 45_000)},
		{name: "long failure", param: "sh -c 'head -c 45000 /dev/zero | tr \\\\0 x >$ORTH_JOB_RESULT_FILE; exit 4'", allow: []string{"sh"}, err: strings.Repeat("x", 45_000)},
		{name: "nothing allowed", param: "echo", err: "`commands`"},
		{name: "not allowed", param: "/bin/sh -c true", allow: []string{"echo"}, err: "/bin/sh is not allowed"},
		{name: "not there", param: "no-such-program", allow: []string{"*"}, err: "install it"},
		{name: "the same by another path", param: filepath.Join(bin, "sh") + " -c 'echo $0'", allow: []string{filepath.Join(alias, "sh")}, log: "\n" + filepath.Join(alias, "sh") + "\n"},
		{name: "the same by name", param: "sh -c 'echo $0'", allow: []string{filepath.Join(alias, "sh")}, log: "\n" + filepath.Join(alias, "sh") + "\n"},
		{name: "another name of the file", param: filepath.Join(bin, "many") + " -c true", allow: []string{filepath.Join(bin, "sh")}, err: "many is not allowed"},
		{name: "another file of the name", param: filepath.Join(own, "sh"), allow: []string{"/bin/sh"}, err: "is not allowed"},
		{name: "wrong", param: "echo '", allow: []string{"*"}, err: "not closed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h, err := New(Config{Allow: test.allow, Spawner: spawner})
			if err != nil {
				t.Fatal(err)
			}
			output := new(bytes.Buffer)
			task := handler.NewTask(handler.TaskConfig{Task: job.Task{JobID: 7, Param: test.param}, Output: output})
			err = h.Handle(t.Context(), task)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if !strings.Contains(output.String(), test.log) {
				t.Errorf("log %q", output)
			}
			if diff := cmp.Diff(test.result, task.ResultText()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	for param, want := range map[string]invocation{
		`{"program": "ls"}`: {args: []string{"ls"}},
		` {"program":"ls","args":["-l","a b"],"dir":"/tmp"} `:  {args: []string{"ls", "-l", "a b"}, dir: "/tmp"},
		`{"program":"x","env":{"B":"2","A":"1 = one","C":""}}`: {args: []string{"x"}, env: []string{"A=1 = one", "B=2", "C="}},
		`["ls", "-l"]`: {args: []string{"ls", "-l"}},
		`ls '-l'`:      {args: []string{"ls", "-l"}},
	} {
		got, err := parse(param)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(invocation{})); err != nil || diff != "" {
			t.Errorf("%s: %v %s", param, err, diff)
		}
	}
	for param, want := range map[string]string{
		`{}`:                                   "names no program",
		`{"program":""}`:                       "names no program",
		`{"program":"a","argv":["b"]}`:         "argv",
		`{"program":"a","args":"b"}`:           "args",
		`{"program":"a","args":[1]}`:           "args",
		`{"program":"a","env":{"A":1}}`:        "env",
		`{"program":"a","env":{"":"1"}}`:       "no name of a variable",
		`{"program":"a","env":{"A=B":"1"}}`:    "no name of a variable",
		`{"program":"a","env":{"ORTH_X":""}}`:  "ORTH_X",
		`{"program":"a","env":{"A":"\u0000"}}`: "NUL",
		`{"program":"a","args":["\u0000"]}`:    "NUL",
		`{"program":"a"} b`:                    "after the JSON object",
		`{"program":`:                          "must be an object",
	} {
		if _, err := parse(param); !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", param, err, want)
		}
	}
}

// FuzzParse: a parameter is refused, or its document round-trips.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"program":"a","args":["b"],"dir":"/","env":{"A":"b"}}`, `["x"]`, `a 'b'`, `{"program":"a","env":{"A":"\ud800"}}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, param string) {
		v, err := parse(param)
		if err != nil {
			return
		}
		d := document{Program: v.args[0], Args: v.args[1:], Dir: v.dir, Env: map[string]string{}}
		for _, variable := range v.env {
			name, value, _ := strings.Cut(variable, "=")
			d.Env[name] = value
		}
		for i, arg := range v.args {
			v.args[i] = strings.ToValidUTF8(arg, "\ufffd")
		}
		text, _ := json.Marshal(d)
		again, err := parse(string(text))
		if err != nil || len(again.args) != len(v.args) || again.dir != v.dir || !slices.Equal(again.env, v.env) {
			t.Errorf("%q gave %+v, and %s gave %+v, %v", param, v, text, again, err)
		}
	})
}

// TestPlaceAndVariables: a job names its folder and its variables as far as the operator
// lets it.
func TestPlaceAndVariables(t *testing.T) {
	t.Parallel()
	spawner, err := process.New(process.Config{TempRoot: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = spawner.Close() })
	top, other := t.TempDir(), t.TempDir()
	top, _ = filepath.EvalSymlinks(top)
	inner, beside, link, file := filepath.Join(top, "a", "b"), top+"-beside", filepath.Join(top, "link"), filepath.Join(top, "file")
	if err := errors.Join(
		os.MkdirAll(inner, 0o700), os.Mkdir(beside, 0o700), os.Symlink(other, link), os.WriteFile(file, nil, 0o600),
	); err != nil {
		t.Fatal(err)
	}
	run := func(c Config, d document) (string, error) {
		c.Spawner = spawner
		h, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		d.Program, d.Args = "sh", []string{"-c", `echo "in $PWD with $COLOUR of $ORTH_JOB_ID"`}
		param, _ := json.Marshal(d)
		output := new(bytes.Buffer)
		err = h.Handle(t.Context(), handler.NewTask(handler.TaskConfig{Task: job.Task{JobID: 7, Param: string(param)}, Output: output}))
		return output.String(), err
	}
	list := func(dirs, variables []string) Config {
		return Config{Allow: []string{"sh"}, Dirs: dirs, Variables: variables}
	}
	all := Config{Allow: []string{"*"}}
	colour := map[string]string{"COLOUR": "red"}
	for name, test := range map[string]struct {
		config   Config
		wanted   document
		log, err string
	}{
		"a folder below one of the list":   {list([]string{"/no/such", top}, nil), document{Dir: inner}, "in " + inner + " with  of 7", ""},
		"a folder of the list":             {list([]string{top + "/"}, nil), document{Dir: top}, "in " + top + " with", ""},
		"a listed link":                    {list([]string{link}, nil), document{Dir: link}, "with", ""},
		"no folder is listed":              {list(nil, nil), document{Dir: inner}, "", "`command-dirs`"},
		"a folder above":                   {list([]string{inner}, nil), document{Dir: top}, "", "`command-dirs`"},
		"a folder with a name that begins": {list([]string{top}, nil), document{Dir: beside}, "", "`command-dirs`"},
		"a way out through a link":         {list([]string{top}, nil), document{Dir: link}, "", "`command-dirs`"},
		"a way out upwards":                {list([]string{inner}, nil), document{Dir: inner + "/../.."}, "", "`command-dirs`"},
		"not absolute":                     {all, document{Dir: "a"}, "", "absolute"},
		"not there":                        {all, document{Dir: top + "/none"}, "", "make it"},
		"a file":                           {all, document{Dir: file}, "", "no folder"},
		"every program, every folder":      {all, document{Dir: inner, Env: colour}, "in " + inner + " with red of 7", ""},
		"a variable of the list":           {list(nil, []string{"SIZE", "COLOUR"}), document{Env: colour}, "with red of 7", ""},
		"all variables":                    {list(nil, []string{"*"}), document{Env: colour}, "with red of 7", ""},
		"no variable is listed":            {list(nil, nil), document{Env: colour}, "", "`command-env`"},
		"another variable is listed":       {list(nil, []string{"SIZE"}), document{Env: map[string]string{"LD_PRELOAD": "x"}}, "", "LD_PRELOAD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := run(test.config, test.wanted)
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error %v, want %q", err, test.err)
			}
			if !strings.Contains(log, test.log) || err != nil && log != "" {
				t.Errorf("log %q, want %q", log, test.log)
			}
		})
	}
	if _, err := New(Config{Allow: []string{"sh"}, Dirs: []string{"relative"}, Spawner: spawner}); !job.Is(err, job.Invalid) {
		t.Errorf("a list of folders that are not absolute: %v", err)
	}
}

// TestUpgradedProgram: a program stays allowed when its file is replaced, and is
// none when it is gone.
func TestUpgradedProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	listed, other := filepath.Join(dir, "tool"), filepath.Join(t.TempDir(), "tool")
	write := func() {
		t.Helper()
		if err := errors.Join(os.RemoveAll(listed), os.WriteFile(listed, []byte("#!/bin/sh\n"), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	write()
	if err := os.Symlink(listed, other); err != nil {
		t.Fatal(err)
	}
	h := &command{allowed: []string{listed}}
	for range 2 {
		if path, err := h.admit(other); err != nil || path != listed {
			t.Errorf("admitted %q, %v; want the path of the list", path, err)
		}
		write()
	}
	if err := os.Remove(listed); err != nil {
		t.Fatal(err)
	}
	if path, err := h.admit(other); !job.Is(err, job.Refused) {
		t.Errorf("without its file: %q, %v", path, err)
	}
}

func TestNewErrors(t *testing.T) {
	t.Parallel()
	if _, err := New(Config{}); !job.Is(err, job.Invalid) {
		t.Errorf("no spawner: %v", err)
	}
	if _, err := New(Config{Spawner: new(process.Spawner), Allow: []string{"no-such-program"}}); !job.Is(err, job.Invalid) {
		t.Errorf("an unknown program: %v", err)
	}
}
