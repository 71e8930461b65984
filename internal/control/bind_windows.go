package control

import (
	"context"
	"net"
)

// listenOn listens on a path. Who may connect is who may write in the folder.
func listenOn(path string) (net.Listener, error) {
	var listening net.ListenConfig
	return listening.Listen(context.Background(), "unix", path)
}
