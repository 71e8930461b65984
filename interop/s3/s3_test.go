package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/blob/s3"
	"github.com/orthd/orth/internal/certs/certstest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

func TestBlobs(t *testing.T) {
	t.Parallel()
	g := begin(t, "http")
	var opened atomic.Int64
	blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
		t.Helper()
		s := open(t, g.config(fmt.Sprintf("suite-%d", opened.Add(1))))
		if err := s.Check(t.Context()); err != nil {
			t.Fatal(err)
		}
		return s
	}}.Run(t)
}

// A store that lists at most 1,000 objects at once lists them all.
func TestLongList(t *testing.T) {
	t.Parallel()
	s, want := open(t, begin(t, "http").config("many")), 1203
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := i; n < want; n += 8 {
				if err := s.Put(t.Context(), fmt.Sprintf("%d/%04d", n%3, n), []byte("x")); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	err := s.List(t.Context(), func(name string, _ int64, _ time.Time) bool {
		seen[name] = true
		return true
	})
	if err != nil || len(seen) != want {
		t.Errorf("%d blobs are listed, %v; want %d", len(seen), err, want)
	}
}

// What is wrong is told when the store is looked at, in words.
func TestCheck(t *testing.T) {
	t.Parallel()
	g := begin(t, "http")
	for name, c := range map[string]struct {
		edit  func(*s3.Config)
		kind  job.Kind
		words string
	}{
		"good":             {func(*s3.Config) {}, "", ""},
		"no bucket":        {func(c *s3.Config) { c.Place = g.elsewhere("nowhere") }, job.Invalid, "has no bucket nowhere"},
		"wrong secret key": {func(c *s3.Config) { c.SecretKey = redacted.New("wrong-horse-battery") }, job.Invalid, ""},
		"wrong access key": {func(c *s3.Config) { c.AccessKey = "nobody" }, job.Invalid, ""},
		"nobody there":     {func(c *s3.Config) { c.Place.Endpoint.Host = freeAddress(t) }, job.Unavailable, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := g.config("check")
			c.edit(&config)
			err := open(t, config).Check(t.Context())
			if job.KindOf(err) != c.kind || err != nil && !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v of kind %q, want %q and %q", err, job.KindOf(err), c.kind, c.words)
			}
			if err == nil {
				return
			}
			t.Log(err)
			if strings.Contains(err.Error(), "horse") {
				t.Errorf("%v shows a key", err)
			}
			if e, _ := errors.AsType[*job.Error](err); c.kind == job.Invalid && e.Hint == "" {
				t.Errorf("%v does not say what to do", err)
			}
		})
	}
}

// Wrong keys are refused by every call, and nothing waits for them.
func TestWrongKeys(t *testing.T) {
	t.Parallel()
	config := begin(t, "http").config("keys")
	config.SecretKey = redacted.New("wrong-horse-battery")
	s := open(t, config)
	refused := func(what string, err error) {
		t.Helper()
		if !job.Is(err, job.Refused) {
			t.Errorf("%s: %v, want it refused", what, err)
		}
	}
	refused("put", s.Put(t.Context(), "a", []byte("x")))
	_, err := s.Get(t.Context(), "a", 0, 1)
	refused("get", err)
	refused("delete", s.Delete(t.Context(), []string{"a"}))
	refused("list", s.List(t.Context(), func(string, int64, time.Time) bool { return true }))
}

// The store is killed while blobs are put: each call returns in time, and what was
// said to be stored is there when the store is.
func TestKilled(t *testing.T) {
	t.Parallel()
	g := begin(t, "http")
	s := open(t, g.config("killed"))
	const putters = 4
	var all sync.WaitGroup
	var stored sync.Map
	var failed atomic.Int64
	ctx, stop := context.WithCancel(t.Context())
	first := make(chan struct{}, putters)
	for p := range putters {
		all.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				seed := p*1_000_000 + i
				name := fmt.Sprintf("%d/%d", p, i)
				switch err := s.Put(ctx, name, blobtest.Data(seed, 300_000)); {
				case err == nil:
					stored.Store(name, seed)
				case job.Is(err, job.Unavailable):
					failed.Add(1)
					return
				case ctx.Err() == nil:
					t.Errorf("put %s: %v", name, err)
				}
				if i == 5 {
					first <- struct{}{}
				}
			}
		})
	}
	for range putters {
		select {
		case <-first:
		case <-time.After(30 * time.Second):
			t.Fatal("nothing is stored")
		}
	}
	g.kill()
	over := make(chan struct{})
	go func() {
		defer close(over)
		all.Wait()
	}()
	select {
	case <-over:
	case <-time.After(45 * time.Second):
		t.Error("calls wait for a store that is gone")
	}
	stop()
	<-over
	if failed.Load() != putters {
		t.Errorf("%d of %d were told that the store is gone", failed.Load(), putters)
	}
	g.start()
	n := 0
	stored.Range(func(name, seed any) bool {
		n++
		got, err := s.Get(t.Context(), name.(string), 0, 300_000)
		if err != nil || !bytes.Equal(got, blobtest.Data(seed.(int), 300_000)) {
			t.Errorf("%s was stored, and is not what was put: %v", name, err)
		}
		return true
	})
	t.Logf("%d blobs were stored before the store was killed", n)
	if err := s.Put(t.Context(), "after", []byte("x")); err != nil {
		t.Errorf("put when the store is there again: %v", err)
	}
}

// An encrypted store is believed when its authority is known, and only then.
func TestEncrypted(t *testing.T) {
	t.Parallel()
	authority := certstest.New(t)
	cert, key := authority.Issue(t, certstest.Both("127.0.0.1"))
	g := begin(t, "https", "--cert", cert, "--key", key)
	config := g.config("tls")
	err := open(t, config).Check(t.Context())
	if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown authority: %v", err)
	}
	config.CA = authority.Path
	s := open(t, config)
	if err := s.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := blobtest.Data(1, 3<<20)
	if err := s.Put(t.Context(), "a/b", data); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(t.Context(), "a/b", 1<<20, 1<<20); err != nil || !bytes.Equal(got, data[1<<20:2<<20]) {
		t.Errorf("what comes back is not what was put: %v", err)
	}
}
