package lifecycle

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Server serves a listener as http.Server does.
type Server interface {
	// Serve returns http.ErrServerClosed after one of the others.
	Serve(l net.Listener) error
	Shutdown(ctx context.Context) error
	Close() error
}

// Serve returns a loop that serves HTTP on the listener until its context ends.
// Requests under way may then take up to grace; after that their connections are
// closed. The listener is closed in any case. A connection ends with a request whose
// body comes in chunks: it may have had a length too, of which net/http tells nothing,
// and whoever stands in between may see its end elsewhere.
func Serve(server *http.Server, listener net.Listener, grace time.Duration) func(context.Context) error {
	return ServeBy(server, server, listener, grace)
}

// ServeBy is Serve for a server in front of net/http's, which has the handler.
func ServeBy(front Server, server *http.Server, listener net.Listener, grace time.Duration) func(context.Context) error {
	server.Handler = lastOfChunks(server.Handler)
	return func(ctx context.Context) error {
		ended := make(chan error, 1)
		go func() { ended <- front.Serve(listener) }()
		select {
		case err := <-ended:
			return fmt.Errorf("serve %s: %w", listener.Addr(), err)
		case <-ctx.Done():
		}
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
		defer cancel()
		if front.Shutdown(last) != nil {
			_ = front.Close() // what remains has had its time
		}
		<-ended //nolint:errcheck // It is always http.ErrServerClosed now.
		return nil
	}
}

// lastOfChunks has the connection of a request in chunks closed after its answer.
func lastOfChunks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
