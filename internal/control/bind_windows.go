package control

import (
	"context"
	"net"
)

// bind listens on a path. Who may connect is who may write in the folder.
func bind(path string) (net.Listener, error) {
	var listening net.ListenConfig
	return listening.Listen(context.Background(), "unix", path)
}
