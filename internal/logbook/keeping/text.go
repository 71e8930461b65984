package keeping

import (
	"container/list"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// textsBytes bounds the text of chunks that were read lately.
const textsBytes = 8 << 20

// Text returns the lines of a stored chunk, whose sum was checked. Chunks that were
// read lately are in memory; those that many ask for at once are read once.
// A chunk that is damaged or gone is an Unavailable error.
func (k *Keeper) Text(ctx context.Context, c logbook.Chunk) (string, error) {
	return k.texts.get(ctx, chunkID{c.Attempt, c.FirstLine, c.Lines}, func() (string, error) { return k.read(ctx, c) })
}

// read reads a chunk from its place, also when it has been moved.
func (k *Keeper) read(ctx context.Context, c logbook.Chunk) (string, error) {
	data, err := k.fetch(ctx, &c)
	if job.Is(err, job.NotFound) {
		if now, e := k.config.Index.Chunks(ctx, c.Attempt, c.FirstLine, 1); e == nil && len(now) == 1 &&
			now[0].FirstLine == c.FirstLine && (now[0].Pack != c.Pack || now[0].Offset != c.Offset) {
			c = now[0]
			data, err = k.fetch(ctx, &c)
		}
	}
	switch {
	case job.Is(err, job.NotFound):
		return "", errDamaged(&c, err)
	case err != nil:
		return "", fmt.Errorf("read lines %d to %d of the log of attempt %d: %w", c.FirstLine, c.Last(), c.Attempt, err)
	}
	text, err := k.codec.text(data)
	if err == nil && (len(text) != c.Raw || strings.Count(text, "\n") != c.Lines) {
		err = job.Errorf(job.Unavailable, "it has other lines than were noted")
	}
	if err != nil {
		return "", errDamaged(&c, err)
	}
	return text, nil
}

// fetch returns the bytes of a chunk.
func (k *Keeper) fetch(ctx context.Context, c *logbook.Chunk) ([]byte, error) {
	packs, err := k.config.Index.Packs(ctx, []int64{c.Pack})
	if err != nil {
		return nil, err
	}
	if len(packs) == 0 {
		return nil, job.Errorf(job.NotFound, "pack %d does not exist", c.Pack)
	}
	return k.config.Blobs.Get(ctx, packs[0].Name, c.Offset, c.Size)
}

// chunkID identifies a chunk, wherever it is stored.
type chunkID struct {
	attempt      int64
	first, lines int
}

// texts are the texts of chunks that were read lately. Its methods may be used from
// many goroutines.
type texts struct {
	mu    sync.Mutex
	known map[chunkID]*list.Element // guarded by mu
	order list.List                 // guarded by mu: of *cached, the one that was read last in front
	bytes int                       // guarded by mu
	calls map[chunkID]*reading      // guarded by mu
}

// cached is a text that is known.
type cached struct {
	id   chunkID
	text string
}

// reading is a chunk that is being read.
type reading struct {
	done chan struct{} // closed when the others are set
	text string
	err  error
}

func newTexts() *texts {
	return &texts{known: make(map[chunkID]*list.Element), calls: make(map[chunkID]*reading)}
}

// get returns a text that is known, or reads it.
func (t *texts) get(ctx context.Context, id chunkID, read func() (string, error)) (string, error) {
	for {
		t.mu.Lock()
		if e := t.known[id]; e != nil {
			t.order.MoveToFront(e)
			text := e.Value.(*cached).text //nolint:forcetypeassert // nothing else is in the list
			t.mu.Unlock()
			return text, nil
		}
		r := t.calls[id]
		if r == nil {
			r = &reading{done: make(chan struct{})}
			t.calls[id] = r
			t.mu.Unlock()
			r.text, r.err = read()
			t.put(id, r)
			return r.text, r.err
		}
		t.mu.Unlock()
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-r.done:
		}
		if r.err == nil {
			return r.text, nil
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if job.KindOf(r.err) == job.Unavailable {
			return "", r.err
		} // else the read of another caller may have been cancelled
	}
}

// put keeps what was read.
func (t *texts) put(id chunkID, r *reading) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, id)
	close(r.done)
	if r.err != nil {
		return
	}
	t.known[id] = t.order.PushFront(&cached{id, r.text})
	t.bytes += len(r.text)
	for t.bytes > textsBytes && t.order.Len() > 1 {
		oldest := t.order.Remove(t.order.Back()).(*cached) //nolint:forcetypeassert // nothing else is in the list
		t.bytes -= len(oldest.text)
		delete(t.known, oldest.id)
	}
}
