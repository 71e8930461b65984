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
// closed. The listener is closed in any case. A connection ends with a request whose
// body comes in chunks: it may have had a length too, of which net/http tells nothing,
// and whoever stands in between may see its end elsewhere.
func Serve(server *http.Server, listener net.Listener, grace time.Duration) func(context.Context) error {
	server.Handler = lastOfChunks(server.Handler)
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

// lastOfChunks has the connection of a request in chunks closed after its answer.
func lastOfChunks(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
