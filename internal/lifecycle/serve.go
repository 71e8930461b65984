package lifecycle

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Serve returns a loop that serves HTTP on the listener until its context ends.
// Requests under way may then take up to grace; after that their connections are
// closed. The listener is closed in any case.
func Serve(server *http.Server, listener net.Listener, grace time.Duration) func(context.Context) error {
	return func(ctx context.Context) error {
		ended := make(chan error, 1)
		go func() { ended <- server.Serve(listener) }()
		select {
		case err := <-ended:
			return fmt.Errorf("serve %s: %w", listener.Addr(), err)
		case <-ctx.Done():
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if server.Shutdown(last) != nil {
			_ = server.Close() // what remains has had its time
		}
		<-ended //nolint:errcheck // It is always http.ErrServerClosed now.
		return nil
	}
}
