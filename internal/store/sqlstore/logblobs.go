package sqlstore

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

const (
	// blobPart is the bytes of a blob in one row.
	blobPart = 64 << 10
	// maxBlob bounds a blob, in bytes: it is written in one transaction, for which
	// others wait.
	maxBlob = 64 << 20
	// listedBlobs is how many names are read at once.
	listedBlobs = 500
	// sequenceBlobParts gives the ids of parts.
	sequenceBlobParts = "log_blob_parts"
)

const (
	// By log_blobs' primary key.
	findBlob = `SELECT first_part, size, sum FROM log_blobs WHERE name = ?`
	// By log_blobs' primary key.
	insertBlob     = `INSERT INTO log_blobs (name, first_part, size, sum, created_at) VALUES (?, ?, ?, ?, ?)`
	insertBlobPart = `INSERT INTO log_blob_parts (id, data) VALUES (?, ?)`
	// By log_blob_parts' primary key.
	readBlobParts = `SELECT id, data FROM log_blob_parts WHERE id >= ? AND id <= ? ORDER BY id`
	// By log_blobs' primary key.
	deleteBlob = `DELETE FROM log_blobs WHERE name = ?`
	// By log_blob_parts' primary key; the parts of one blob.
	deleteBlobParts = `DELETE FROM log_blob_parts WHERE id >= ? AND id < ?`
	// By log_blobs' primary key, in the order of names.
	listBlobs = `SELECT name, size, created_at FROM log_blobs WHERE name > ? ORDER BY name LIMIT ?`
)

// logBlobs keeps packs of logs in the database. A blob is written in one
// transaction, for which other writes wait.
type logBlobs struct{ store *Store }

// LogBlobs returns the packs of logs in this database.
func (s *Store) LogBlobs() logbook.Blobs { return logBlobs{s} }

// heldBlob is the row of a blob.
type heldBlob struct{ first, size, sum int64 }

func (h *heldBlob) fields() []any {
	return []any{(*integer)(&h.first), (*integer)(&h.size), (*integer)(&h.sum)}
}

// end is the id behind its last part.
func (h *heldBlob) end() int64 { return h.first + (h.size+blobPart-1)/blobPart }

// Put stores a blob of at most 64 MiB. Kinds: Invalid when it is larger, Conflict
// when the name has other data.
func (b logBlobs) Put(ctx context.Context, name string, data []byte) error {
	if err := logbook.CheckBlobName(name); err != nil {
		return err
	}
	if len(data) > maxBlob {
		return job.Errorf(job.Invalid, "the blob %s has %d bytes; the database takes at most %d", name, len(data), maxBlob)
	}
	wanted := heldBlob{size: int64(len(data)), sum: int64(crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))}
	return b.store.writer.update(ctx, func(t *tx) error {
		var there heldBlob
		found, err := t.read(findBlob, []any{name}, there.fields())
		if err != nil {
			return err
		}
		if found {
			if there.size != wanted.size || there.sum != wanted.sum {
				return job.Errorf(job.Conflict, "the blob %s is there already, with other data", name)
			}
			return nil
		}
		return t.putBlob(name, wanted, data)
	})
}

func (t *tx) putBlob(name string, h heldBlob, data []byte) (err error) {
	parts := h.end() - h.first
	if parts > 0 {
		if h.first, err = t.reserve(sequenceBlobParts, parts); err != nil {
			return err
		}
	}
	id := h.first
	for part := range slices.Chunk(data, blobPart) {
		if err := t.do(insertBlobPart, id, part); err != nil {
			return err
		}
		id++
	}
	return t.do(insertBlob, name, h.first, h.size, h.sum, job.Millis(time.Now()))
}

// Get returns size bytes from offset on.
func (b logBlobs) Get(ctx context.Context, name string, offset, size int64) ([]byte, error) {
	if err := logbook.CheckBlobName(name); err != nil {
		return nil, err
	}
	if offset < 0 || size < 0 {
		return nil, job.Errorf(job.Invalid, "%d bytes from %d on cannot be read from the blob %s", size, offset, name)
	}
	for was := int64(-1); ; {
		h, found, err := first(ctx, b.store.reader, (*heldBlob).fields, findBlob, name)
		switch {
		case err != nil:
			return nil, fmt.Errorf("read the blob %s: %w", name, err)
		case !found:
			return nil, job.Errorf(job.NotFound, "there is no blob %s", name)
		case offset > h.size || size > h.size-offset:
			return nil, job.Errorf(job.NotFound, "the blob %s has %d bytes, and not %d from %d on", name, h.size, size, offset)
		case size == 0:
			return []byte{}, nil
		}
		data, err := b.join(ctx, name, h, offset, size)
		if was == h.first || !job.Is(err, job.NotFound) {
			return data, err
		}
		was = h.first // it may have been moved since
	}
}

// join reads the parts that a range touches. The ids of parts are never given again, so the
// parts of a blob that is removed at the same time are missing, and never another's.
func (b logBlobs) join(ctx context.Context, name string, h heldBlob, offset, size int64) ([]byte, error) {
	type part struct {
		id   int64
		data octets
	}
	data := make([]byte, 0, size)
	from, to := h.first+offset/blobPart, h.first+(offset+size-1)/blobPart
	next, skip := from, offset%blobPart
	fields := func(p *part) []any { return []any{(*integer)(&p.id), &p.data} }
	err := each(ctx, b.store.reader, fields, func(p *part) {
		if p.id != next || skip > int64(len(p.data)) {
			return // something is missing, as the length shows
		}
		piece := p.data[skip:]
		data = append(data, piece[:min(int64(len(piece)), size-int64(len(data)))]...)
		next, skip = next+1, 0
	}, readBlobParts, from, to)
	if err != nil {
		return nil, fmt.Errorf("read the blob %s: %w", name, err)
	}
	if int64(len(data)) != size {
		return nil, job.Errorf(job.NotFound, "the blob %s is not whole any more: it is being removed, or the database is damaged", name)
	}
	return data, nil
}

// Delete removes blobs, each in a separate write so that others get their turn. Where parts
// are in partitions they stay until theirs is dropped.
func (b logBlobs) Delete(ctx context.Context, names []string) error {
	for _, name := range names {
		if err := logbook.CheckBlobName(name); err != nil {
			return err
		}
	}
	for _, name := range names {
		err := b.store.writer.update(ctx, func(t *tx) error {
			var h heldBlob
			found, err := t.read(findBlob, []any{name}, h.fields())
			if err != nil || !found {
				return err
			}
			if b.store.config.Dialect.Divided == nil { // else they go with their partition
				if err := t.do(deleteBlobParts, h.first, h.end()); err != nil {
					return err
				}
			}
			return t.do(deleteBlob, name)
		})
		if err != nil {
			return fmt.Errorf("remove the blob %s: %w", name, err)
		}
	}
	return ctx.Err()
}

// List visits the blobs in the order of their names.
func (b logBlobs) List(ctx context.Context, visit func(name string, size int64, at time.Time) bool) error {
	type row struct {
		name string
		size int64
		at   time.Time
	}
	fields := func(r *row) []any { return []any{(*text)(&r.name), (*integer)(&r.size), (*instant)(&r.at)} }
	for last := ""; ; {
		rows, err := list(ctx, b.store.reader, fields, listBlobs, last, listedBlobs)
		if err != nil {
			return fmt.Errorf("list the blobs: %w", err)
		}
		for _, r := range rows {
			if !visit(r.name, r.size, r.at) {
				return nil
			}
			last = r.name
		}
		if len(rows) < listedBlobs {
			return nil
		}
	}
}

// octets receives a column of bytes. They are valid until the next row is read.
type octets []byte

// Scan implements sql.Scanner.
func (o *octets) Scan(src any) error {
	raw, isBytes := src.([]byte)
	if !isBytes {
		return fmt.Errorf("column holds a %T, not bytes", src)
	}
	*o = raw
	return nil
}
