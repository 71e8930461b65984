package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/orthd/orth/job"
)

// openConsoles is how many people look at the dashboard at the same time.
const openConsoles = 100

// consoles measures what open pages of the console cost the server beside the runs
// themselves: each holds a stream of events with a summary, as the dashboard does. The server's processor time with them, less the time without them in
// the minute before, is told as a part of one core; the reads that a page makes anew
// after an event are not in it.
func consoles(d demand) func(context.Context, options) ([]figure, error) {
	return func(ctx context.Context, o options) ([]figure, error) {
		o.Jobs, o.Every, o.Dialect = d.jobs, d.every, string(job.DialectXXL)
		r, err := newRig(o, "consoles")
		if err != nil {
			return nil, err
		}
		defer r.end()
		if err := r.start(ctx); err != nil {
			return nil, err
		}
		if err := wait(ctx, warmup); err != nil {
			return nil, err
		}
		without, err := r.window(ctx, o.Window)
		if err != nil {
			return nil, err
		}
		pages, err := r.openPages(ctx, openConsoles)
		if err != nil {
			return nil, err
		}
		defer pages.close()
		if err := wait(ctx, time.Second); err != nil {
			return nil, err
		}
		told := pages.lines.Load()
		with, err := r.window(ctx, o.Window)
		if err != nil {
			return nil, err
		}
		told = pages.lines.Load() - told
		if err := pages.failed(); err != nil {
			return nil, err
		}
		a, b := without.share(), with.share()
		return []figure{
			plain("recorded", with.rate(), rate),
			plain("events told to all", float64(told)/o.Window.Seconds(), rate),
			plain("of a core without them", a, percent), plain("of a core with 100 open", b, percent),
			atMost("of a core for the consoles", max(b-a, 0), percent, 5),
		}, nil
	}
}

// share is the server's processor time as a part of one core, in percent.
func (w window) share() float64 { return 100 * w.server.Seconds() / w.to.Sub(w.from).Seconds() }

// pages are open consoles.
type pages struct {
	lines   atomic.Int64 // events that came
	stop    context.CancelFunc
	reading sync.WaitGroup
	client  *http.Client
	broken  atomic.Pointer[error]
}

// openPages opens so many consoles and waits until each has its stream.
func (r *rig) openPages(ctx context.Context, n int) (*pages, error) {
	text, err := os.ReadFile(filepath.Join(r.o.Dir, "server", "api.token"))
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	p := &pages{stop: stop, client: &http.Client{Transport: &http.Transport{}}}
	for range n {
		const path = "/api/v1/events?kinds=run,job,executor,alarm,summary"
		if err := p.open(ctx, "http://"+r.o.Server+path, strings.TrimSpace(string(text))); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// open holds one stream and counts its events.
func (p *pages) open(ctx context.Context, url, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := p.client.Do(request)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close()
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	p.reading.Go(func() {
		defer func() { _ = answer.Body.Close() }()
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			if bytes.HasPrefix(lines.Bytes(), []byte("event: ")) {
				p.lines.Add(1)
			}
		}
		if ctx.Err() != nil {
			return
		}
		err := lines.Err()
		if err == nil {
			err = fmt.Errorf("%s: the server ended the stream", url)
		}
		p.broken.CompareAndSwap(nil, &err)
	})
	return nil
}

// failed is the first trouble of a stream.
func (p *pages) failed() error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	return nil
}

func (p *pages) close() {
	p.stop()
	p.reading.Wait()
	p.client.CloseIdleConnections()
}
