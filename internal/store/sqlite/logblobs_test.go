package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// running opens a store and runs its writer until the returned function is called.
func running(tb testing.TB, path string) (s *Store, stop func()) {
	tb.Helper()
	s, err := Open(path, Config{})
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) //nolint:usetesting // stop ends it, also after the test
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	return s, func() {
		cancel()
		if err := <-ended; err != nil {
			tb.Error(err)
		}
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	}
}

func TestLogBlobs(t *testing.T) {
	t.Parallel()
	blobtest.Suite{Open: func(t *testing.T) logbook.Blobs {
		t.Helper()
		s, stop := running(t, filepath.Join(t.TempDir(), "orth.db"))
		t.Cleanup(stop)
		return s.LogBlobs()
	}, Large: 3<<20 + 3}.Run(t)
}

// Blobs are there after a restart, and leave nothing behind when they go.
func TestLogBlobsStay(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	s, stop := running(t, path)
	data := blobtest.Data(1, 200_000)
	for i := range 3 {
		if err := s.LogBlobs().Put(t.Context(), fmt.Sprintf("day/%d", i), data); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	s, stop = running(t, path)
	got, err := s.LogBlobs().Get(t.Context(), "day/2", 0, 200_000)
	if err != nil || !bytes.Equal(got, data) {
		t.Errorf("a blob from before the restart is not what was put, %v", err)
	}
	if err := s.LogBlobs().Delete(t.Context(), []string{"day/0", "day/2"}); err != nil {
		t.Fatal(err)
	}
	stop()
	db, err := openPool(path, 1, readSettings())
	if err != nil {
		t.Fatal(err)
	}
	defer closing(t, db)
	var blobs, parts int
	if err := db.QueryRowContext(t.Context(), "SELECT (SELECT COUNT(*) FROM log_blobs), (SELECT COUNT(*) FROM log_blob_parts)").Scan(&blobs, &parts); err != nil {
		t.Fatal(err)
	}
	if blobs != 1 || parts != 4 {
		t.Errorf("%d blobs in %d parts are left, want 1 in 4", blobs, parts)
	}
}

// A blob of which a part is gone is missing, and not shorter.
func TestLogBlobDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "orth.db")
	s, stop := running(t, path)
	defer stop()
	if err := s.LogBlobs().Put(t.Context(), "a", blobtest.Data(1, 200_000)); err != nil {
		t.Fatal(err)
	}
	alter(t, path, `DELETE FROM log_blob_parts WHERE id = 2`)
	for offset, want := range map[int64]job.Kind{0: "", 60_000: job.NotFound, 65_536: job.NotFound, 131_072: "", 140_000: ""} {
		if _, err := s.LogBlobs().Get(t.Context(), "a", offset, 10_000); job.KindOf(err) != want {
			t.Errorf("10,000 bytes from %d on: %v, want kind %q", offset, err, want)
		}
	}
}

func TestLogBlobTooLarge(t *testing.T) {
	t.Parallel()
	s, stop := running(t, filepath.Join(t.TempDir(), "orth.db"))
	defer stop()
	if err := s.LogBlobs().Put(t.Context(), "a", make([]byte, 64<<20+1)); !job.Is(err, job.Invalid) {
		t.Errorf("a blob of more than 64 MiB: %v, want it invalid", err)
	}
}

// BenchmarkLogBlob is how long others wait for the pack of a server that keeps logs
// in the database, and how long a chunk of it takes to read.
func BenchmarkLogBlob(b *testing.B) {
	s, stop := running(b, filepath.Join(b.TempDir(), "orth.db"))
	defer stop()
	for _, size := range []int{1 << 20, 8 << 20} {
		data, n := blobtest.Data(1, size), 0
		b.Run(fmt.Sprintf("put/%d-MiB", size>>20), func(b *testing.B) {
			b.SetBytes(int64(size))
			for b.Loop() {
				n++
				if err := s.LogBlobs().Put(b.Context(), fmt.Sprintf("%d/%d", size, n), data); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.LogBlobs().Get(b.Context(), "8388608/1", 5<<20, 32<<10); err != nil {
				b.Fatal(err)
			}
		}
	})
}
