package s3

import (
	"bytes"
	"io"
	"sync"
)

// loan reads data that belong to the caller. A request that was given up may still be
// reading its body when its caller goes on, so that the data are given back explicitly:
// nothing is read afterwards.
type loan struct {
	mu   sync.Mutex
	data *bytes.Reader // guarded by mu; empty when the data were given back
}

func newLoan(data []byte) *loan { return &loan{data: bytes.NewReader(data)} }

func (l *loan) giveBack() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.data = bytes.NewReader(nil)
}

// Read implements io.Reader.
func (l *loan) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.Read(p)
}

// ReadAt implements io.ReaderAt.
func (l *loan) ReadAt(p []byte, offset int64) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.ReadAt(p, offset)
}

// Seek implements io.Seeker.
func (l *loan) Seek(offset int64, whence int) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.data.Seek(offset, whence)
}

var _ interface {
	io.ReadSeeker
	io.ReaderAt
} = (*loan)(nil)
