package process

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestConfinedChild: a child of another user gains no privileges by the files it runs,
// keeps its files for itself, and gets nothing that the executor has open.
func TestConfinedChild(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	leak, err := unix.Dup(int(os.Stdin.Fd())) // not closed on exec, as what a parent hands over
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(leak) }()
	before := unix.Umask(0o022)
	defer unix.Umask(before)
	script := fmt.Sprintf(`umask; grep NoNewPrivs /proc/self/status; if [ -e /proc/self/fd/%d ]; then echo leaked; fi; id -u`, leak)
	for _, test := range []struct{ user, want string }{
		{"65534:65534", "0077\nNoNewPrivs:\t1\n65534\n"},
		{"", "0022\nNoNewPrivs:\t0\n"}, // nothing of it stays behind for others
	} {
		user, want := test.user, test.want
		s, err := New(Config{User: user, Isolation: group})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.Close() })
		if strings.Contains(s.Isolation(), "umask") {
			t.Skip(s.Isolation())
		}
		var output bytes.Buffer
		exit, err := s.Run(t.Context(), Command{Path: shell, Args: []string{"-c", script}, Dir: "/", Env: Inherited(nil), Output: &output})
		if err != nil || exit.Value != 0 || !strings.HasPrefix(output.String(), want) {
			t.Errorf("as %q: %+v, %v, wrote %q, want %q", user, exit, err, output.String(), want)
		}
	}
	if mask := unix.Umask(0o022); mask != 0o022 {
		t.Errorf("the executor's own umask became %o", mask)
	}
}
