//go:build !windows

package control

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
)

// listenOn listens on a path. The socket is made in a folder that only its owner
// may enter and gets its name when its mode is right: there is no moment in
// which somebody else could connect.
func listenOn(path string) (net.Listener, error) {
	private, err := os.MkdirTemp(filepath.Dir(path), ".c") // mode 0700
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(private) }() // an empty folder does no harm
	var listening net.ListenConfig
	first := filepath.Join(private, "s")
	l, err := listening.Listen(context.Background(), "unix", first)
	if err != nil {
		return nil, err
	}
	if err = os.Chmod(first, 0o600); err == nil {
		err = os.Rename(first, path)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}
