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
		{name: "value", param: "sh -c 'exit 4'", allow: []string{"sh"}, err: "script exit value(4) is failed"},
		{name: "words", param: "sh -c 'echo no >$ORTH_JOB_RESULT_FILE; exit 4'", allow: []string{"sh"}, err: "no"},
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
