package control

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAnotherUserCannotConnect connects as another user, which only root can
// play, even in a folder that everybody may enter.
func TestAnotherUserCannotConnect(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs to be root to act as another user")
	}
	const nobody = 65534
	dir := shortDir(t)
	must(t, os.Chmod(dir, 0o777)) // the socket alone must keep others out
	l, err := Listen(dir)
	must(t, err)
	defer l.Close()
	connect := func(uid int) error {
		result := make(chan error, 1)
		go func() {
			runtime.LockOSThread() // for good: the thread ends with this goroutine
			if uid != 0 {
				if _, err := unix.SetfsuidRetUid(uid); err != nil {
					result <- err
					return
				}
			}
			s, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err == nil {
				defer func() { _ = unix.Close(s) }()
				err = unix.Connect(s, &unix.SockaddrUnix{Name: filepath.Join(dir, socketFile)})
			}
			result <- err
		}()
		return <-result
	}
	if err := connect(nobody); !errors.Is(err, syscall.EACCES) {
		t.Errorf("another user got %v, want EACCES", err)
	}
	if err := connect(0); err != nil {
		t.Errorf("the owner got %v", err)
	}
}
