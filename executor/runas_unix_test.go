//go:build unix

package executor_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// stranger is the user that the scripts of TestRunAs run as: nobody.
const stranger = "65534:65534"

// open returns a folder that every user may enter, unlike the test's own.
func open(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "orth-run-as-*") //nolint:usetesting // the folders above that one are closed
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRunAs: scripts and commands of another user work, and reach nothing in the
// data folder but their own.
func TestRunAs(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run children as others")
	}
	needs(t, "sh")
	for _, private := range []bool{true, false} {
		t.Run(fmt.Sprintf("private temp %t", private), func(t *testing.T) {
			t.Parallel()
			dir, a := open(t), newAdmin(t)
			secret := filepath.Join(dir, "token")
			if err := os.WriteFile(secret, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
			c := scripts(plain(t, a))
			c.Data = filepath.Join(dir, "data")
			c.Programs.User, c.Programs.PrivateTemp, c.Programs.Commands = stranger, private, []string{"sh"}
			l := launch(t, a, c)
			probe := fmt.Sprintf(`cd /
echo "user $(id -u):$(id -g)"
file=$(mktemp "${TMPDIR:-/tmp}/orth-probe-XXXXXX") && echo x >"$file" && rm "$file" || echo "no temporary file"
for f in '%[1]s/queue' '%[1]s/started' '%[1]s/control.sock' '%[2]s'; do
	[ -e "$f" ] || echo "missing $f"
	if [ -r "$f" ] || [ -w "$f" ]; then echo "open $f"; fi
done
ls '%[1]s' >/dev/null 2>&1 && echo "the data folder is listed"
ls '%[1]s/logs' >/dev/null 2>&1 && echo "the logs are listed"
ls '%[1]s/temp' >/dev/null 2>&1 && echo "the temporary folders are listed"
echo fine >"$ORTH_JOB_RESULT_FILE"
`, c.Data, secret)
			l.run(t, shell(1, 1, probe), success)
			a.want(t, 1, "200 fine")
			l.run(t, bean(2, 2, "commandJobHandler").with(func(r *run) { r.Param = "sh -c '" + strings.ReplaceAll(probe, "'", `'\''`) + "'" }), success)
			a.want(t, 2, "200 fine")
			for attempt := range int64(2) {
				if text := l.logged(t, attempt+1); !strings.Contains(text, "\nuser 65534:65534\n") || wrong(text) != "" {
					t.Errorf("the log of %d has %q: %s", attempt+1, wrong(text), text)
				}
			}
			closed(t, c.Data)
		})
	}
}

// wrong returns the first of the probe's findings in a log.
func wrong(text string) string {
	for line := range strings.Lines(text) {
		for _, finding := range []string{"missing ", "open ", "the ", "no temporary"} {
			if strings.HasPrefix(line, finding) {
				return line
			}
		}
	}
	return ""
}

// closed checks the modes in a data folder: others may pass through it and its
// temporary folder, and have no right to anything else.
func closed(t *testing.T, data string) {
	t.Helper()
	err := filepath.WalkDir(data, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		may := fs.FileMode(0)
		name := strings.TrimPrefix(strings.TrimPrefix(path, data), "/")
		switch name {
		case "", "temp":
			may = 0o011
		case "groovy": // the shim's classes, the same everywhere
			return fs.SkipDir
		}
		if got := info.Mode().Perm() & 0o007; got&^may != 0 {
			t.Errorf("others may do %o with %q", got, name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestRunAsKeepsModes: a data folder that is open to others stays so, and without another
// user only its owner can use it.
func TestRunAsKeepsModes(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can run children as others")
	}
	needs(t, "sh")
	for user, modes := range map[string][2]fs.FileMode{"": {0, 0o700}, stranger: {0o750, 0o751}} {
		a := newAdmin(t)
		c := scripts(plain(t, a))
		c.Data, c.Programs.User = filepath.Join(open(t), "data"), user
		if modes[0] != 0 {
			if err := errors.Join(os.Mkdir(c.Data, modes[0]), os.Chmod(c.Data, modes[0])); err != nil {
				t.Fatal(err)
			}
		}
		launch(t, a, c)
		if info, err := os.Stat(c.Data); err != nil || info.Mode().Perm() != modes[1] {
			t.Errorf("as user %q the data folder has the mode %v, %v; want %o", user, info.Mode(), err, modes[1])
		}
	}
}
