package overview

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/rest/guard"
)

// viewCheck is how often it is asked again who reads a stream, and what he may see.
const viewCheck = 5 * time.Second

// errSlow ends the stream of a reader that does not keep up.
var errSlow = errors.New("the reader does not keep up")

// viewing is one stream for one viewer.
type viewing struct {
	server  *overviewRoom
	request *http.Request
	ctx     context.Context //nolint:containedctx // a stream is no longer than its request
	to      *guard.EventWriter
	sight   atomic.Pointer[access.Sight]

	checkAt, beatAt time.Time // used by the one goroutine that calls turn
}

// showing shows a stream until show returns, the reader goes, may see nothing any
// more, or the server stops.
func (s *overviewRoom) showing(r *http.Request, w http.ResponseWriter, sight access.Sight, show func(*viewing) error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	if s.config.Stopping != nil {
		stopped := make(chan struct{})
		defer func() { cancel(nil); <-stopped }()
		go func() {
			defer close(stopped)
			select {
			case <-s.config.Stopping:
				cancel(guard.ErrStopping)
			case <-ctx.Done():
			}
		}()
	}
	now := time.Now()
	v := &viewing{
		server: s, request: r, ctx: ctx, to: guard.NewEventWriter(w),
		checkAt: now.Add(viewCheck), beatAt: now.Add(guard.StreamBeat),
	}
	v.sight.Store(&sight)
	err := v.to.Comment("orth")
	if err == nil {
		err = show(v)
	}
	if ctx.Err() != nil || v.to.Lost() || errors.Is(err, errSlow) {
		return // the reader has left, or reconnects anyway
	}
	_ = v.to.Send("problem", "", s.Problem(ctx, "stream", err).Problem)
}

// together runs two parts of a stream at the same time until one of them ends, and
// returns why.
func (v *viewing) together(first, second func(*viewing) error) error {
	ctx, end := context.WithCancelCause(v.ctx)
	v.ctx = ctx
	var running sync.WaitGroup
	defer running.Wait()
	defer end(nil) // before it waits, also when first panics
	running.Go(func() {
		defer func() {
			if p := recover(); p != nil {
				v.server.Logger().ErrorContext(ctx, "stream panicked", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				end(fmt.Errorf("panic: %v", p))
			}
		}()
		end(second(v))
	})
	end(first(v))
	return context.Cause(ctx)
}

// idle keeps a stream open until it ends.
func (v *viewing) idle() error {
	for {
		wait, cancel := context.WithDeadline(v.ctx, v.next())
		<-wait.Done()
		cancel()
		if err := v.turn(nil); err != nil {
			return err
		}
	}
}

// next returns when there is something to be done though nothing happens.
func (v *viewing) next() time.Time {
	if v.beatAt.Before(v.checkAt) {
		return v.beatAt
	}
	return v.checkAt
}

// turn does the periodic work of a stream: it checks the viewer's credential, and sends a
// heartbeat. A stream of events also gets its position, because it may have received
// nothing for long. An error ends the stream.
func (v *viewing) turn(place func() (id string)) error {
	if v.ctx.Err() != nil {
		return context.Cause(v.ctx)
	}
	now := time.Now()
	if !now.Before(v.checkAt) {
		v.checkAt = now.Add(viewCheck)
		caller, err := v.server.Caller(v.request)
		if err != nil {
			return err
		}
		if !caller.Somewhere(access.View) {
			return access.Denied(&caller, access.View)
		}
		sight := caller.Sight(access.View)
		v.sight.Store(&sight)
	}
	if now.Before(v.beatAt) {
		return nil
	}
	v.beatAt = now.Add(guard.StreamBeat)
	if place == nil {
		return v.to.Comment("beat")
	}
	return v.to.Write(": beat\nid: "+place(), nil, "\n\n")
}
