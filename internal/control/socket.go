package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/orthd/orth/job"
)

const (
	socketFile = "control.sock"
	// pathFile holds the socket's path when the folder's own is too long.
	pathFile = "control.path"
	// maxPath is the longest path of a socket in bytes, the least of all
	// systems.
	maxPath = 103
	// nameRoom is what making a socket in a folder adds to the folder's path.
	nameRoom = len("/.c1234567890/s")
	// elsewhere is how folders for sockets begin in the system's temporary one.
	elsewhere = "orth-control-"
	// knockFor is how long a socket may take to let somebody in.
	knockFor = 2 * time.Second
)

// Listen opens the control socket of a data folder, for its owner only. The
// executor calls it while it holds the folder's lock. A socket left behind by a
// dead process is replaced; one that answers is job.Conflict. Where the
// folder's path is too long for a socket, it stands in the system's temporary
// folder, and the file control.path says where. Closing the listener removes
// what Listen made.
func Listen(dir string) (net.Listener, error) {
	l, err := listen(dir)
	if err != nil {
		return nil, fmt.Errorf("open the control socket: %w", err)
	}
	return l, nil
}

func listen(dir string) (net.Listener, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := clearAway(dir); err != nil {
		return nil, err
	}
	if len(dir)+nameRoom <= maxPath {
		path := filepath.Join(dir, socketFile)
		l, err := listenOn(path)
		return newListener(l, err, path)
	}
	short, err := os.MkdirTemp("", elsewhere) // mode 0700
	if err != nil {
		return nil, err
	}
	l, err := listenIn(short, dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(short))
	}
	return l, nil
}

// listenIn opens the socket of dir in another folder.
func listenIn(short, dir string) (net.Listener, error) {
	path := filepath.Join(short, "s")
	if len(short)+nameRoom > maxPath {
		return nil, &job.Error{
			Kind: job.Invalid, Message: fmt.Sprintf("the paths of %s and of %s are too long for a socket", dir, short),
			Hint: "use a data folder with a shorter path, or set TMPDIR to a shorter one",
		}
	}
	l, err := listenOn(path)
	if err != nil {
		return nil, err
	}
	pointer := filepath.Join(dir, pathFile)
	if err := writeWhole(pointer, path); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return newListener(l, nil, path, short, pointer)
}

// newListener returns a listener that removes the paths when it is closed.
func newListener(l net.Listener, err error, paths ...string) (net.Listener, error) {
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // its name may have changed
	return &listener{Listener: l, paths: paths}, nil
}

// listener removes what was made for it.
type listener struct {
	net.Listener
	paths []string
	once  sync.Once
}

// Close stops listening. A second call only returns an error.
func (l *listener) Close() error {
	// First the names: a path without a listener looks like a crash.
	l.once.Do(func() {
		for _, path := range l.paths {
			_ = os.Remove(path) // the next Listen finds what stays
		}
	})
	return l.Listener.Close()
}

// clearAway removes what a dead process left in a folder, and refuses when a
// living one is there.
func clearAway(dir string) error {
	path, err := locate(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	switch info, err := os.Lstat(path); {
	case err == nil && info.Mode()&fs.ModeSocket == 0:
		return &job.Error{
			Kind: job.Conflict, Message: path + " is there and is no socket",
			Hint: "move it away: an executor keeps its control socket there",
		}
	case err == nil:
		if c, err := knock(context.Background(), path); err == nil {
			c.Close()
			return &job.Error{
				Kind: job.Conflict, Message: "another executor answers at " + path,
				Hint: "stop the other one, or give each executor a folder of its own",
			}
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if short := filepath.Dir(path); short != dir {
		// What stands elsewhere is in nobody's way, and may be another user's
		// by now: only the pointer to it must go.
		_ = errors.Join(os.Remove(path), os.Remove(short))
		path = filepath.Join(dir, pathFile)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove what another process left: %w", err)
	}
	return nil
}

// locate returns the path of a folder's socket, and fs.ErrNotExist when the
// folder names none. Nobody may listen there.
func locate(dir string) (string, error) {
	path := filepath.Join(dir, socketFile)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	pointer := filepath.Join(dir, pathFile)
	f, err := os.Open(pointer)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPath+2)) // a line end, and one byte too many
	if err != nil {
		return "", err
	}
	path = strings.TrimSpace(string(text))
	if len(path) > maxPath || !filepath.IsAbs(path) || !strings.HasPrefix(filepath.Base(filepath.Dir(path)), elsewhere) {
		return "", &job.Error{
			Kind: job.Conflict, Message: pointer + " does not name a control socket",
			Hint: "remove it when no executor runs on this folder",
		}
	}
	return path, nil
}

func knock(ctx context.Context, path string) (net.Conn, error) {
	dialer := net.Dialer{Timeout: knockFor}
	return dialer.DialContext(ctx, "unix", path)
}

// writeWhole writes a file of the owner's that appears whole or not at all.
func writeWhole(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".c*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(text + "\n")
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
