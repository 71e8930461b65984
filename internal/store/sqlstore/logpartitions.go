package sqlstore

import (
	"context"
	"fmt"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/job"
)

// Divided are the partitions of log_blob_parts, by ranges of ids, in the database's own
// dialect. Its changes to tables use a separate session, and wait only briefly for others
// that hold the table.
type Divided interface {
	// List returns the partitions in order of their ids, but for the rest, which takes what
	// has no other.
	List(ctx context.Context) ([]logbook.Partition, error)
	// Add makes a partition, behind all others and in the place of the rest, which is empty there.
	Add(ctx context.Context, number int64) error
	// Drop drops a partition, if it is there.
	Drop(ctx context.Context, name string) error
}

const (
	// By log_blobs' primary key, in the order of names.
	listPackedBlobs = `SELECT name, first_part, size FROM log_blobs WHERE name > ? ORDER BY name LIMIT ?`
	// By sequences' primary key.
	raiseSequence = `UPDATE sequences SET next = ? WHERE name = ? AND next < ?`
	// By log_blob_parts' primary key; the parts of one blob.
	copyBlobParts = `INSERT INTO log_blob_parts (id, data) SELECT id + ?, data FROM log_blob_parts WHERE id >= ? AND id < ?`
	// By log_blobs' primary key.
	moveBlob = `UPDATE log_blobs SET first_part = ? WHERE name = ?`
)

// LogPartitions implements logbook.Partitions.
func (s *Store) LogPartitions(ctx context.Context) (all []logbook.Partition, next int64, err error) {
	divided := s.config.Dialect.Divided
	if divided == nil {
		return nil, 0, nil
	}
	if next, err = s.nextPart(ctx); err != nil {
		return nil, 0, err
	}
	all, err = divided.List(ctx)
	return all, next, s.config.Dialect.translate(err)
}

// nextPart returns the id that the next part gets. No part is under way with a lower one:
// ids are taken in the transactions that use them, one after the other.
func (s *Store) nextPart(ctx context.Context) (int64, error) {
	fields := func(n *int64) []any { return []any{(*integer)(n)} }
	next, _, err := first(ctx, s.reader, fields, readSequence, sequenceBlobParts)
	return next, err
}

// StartPartition implements logbook.Partitions.
func (s *Store) StartPartition(ctx context.Context, number int64) error {
	all, _, err := s.LogPartitions(ctx)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return job.Errorf(job.Invalid, "the database has no partitions of packs of logs")
	}
	switch newest := all[len(all)-1].Number(); {
	case newest > number:
		return job.Errorf(job.Conflict, "there is a partition of packs of logs behind that of the hour %d", number)
	case newest < number:
		if err := s.config.Dialect.Divided.Add(ctx, number); err != nil {
			return s.config.Dialect.translate(err)
		}
	}
	from := number * logbook.PartitionIDs
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		return t.do(raiseSequence, from, sequenceBlobParts, from)
	})
}

// PackedBlobs implements logbook.Partitions.
func (s *Store) PackedBlobs(ctx context.Context, visit func(name string, first, size int64) bool) error {
	type row struct {
		name        string
		first, size int64
	}
	fields := func(r *row) []any { return []any{(*text)(&r.name), (*integer)(&r.first), (*integer)(&r.size)} }
	for last := ""; ; {
		rows, err := list(ctx, s.reader, fields, listPackedBlobs, last, listedBlobs)
		if err != nil {
			return fmt.Errorf("list the blobs: %w", err)
		}
		for _, r := range rows {
			if r.size > 0 && !visit(r.name, r.first, r.size) {
				return nil
			}
			last = r.name
		}
		if len(rows) < listedBlobs {
			return nil
		}
	}
}

// MoveBlob implements logbook.Partitions. Parts that are missing stay so.
func (s *Store) MoveBlob(ctx context.Context, name string, from logbook.Partition) error {
	return s.writer.submit(ctx, func(t *tx) error { // readers see no change
		var h heldBlob
		found, err := t.read(findBlob, []any{name}, h.fields())
		if err != nil || !found || h.size == 0 || h.first < from.From || h.first >= from.To {
			return err
		}
		to, err := t.reserve(sequenceBlobParts, h.end()-h.first)
		if err != nil {
			return err
		}
		if to < from.To {
			return job.Errorf(job.Conflict, "parts are still written into the partition %s", from.Name)
		}
		if err := t.do(copyBlobParts, to-h.first, h.first, h.end()); err != nil {
			return err
		}
		return t.do(moveBlob, to, name)
	})
}

// DropPartition implements logbook.Partitions.
func (s *Store) DropPartition(ctx context.Context, p logbook.Partition) error {
	divided := s.config.Dialect.Divided
	if divided == nil {
		return job.Errorf(job.Invalid, "the database has no partitions of packs of logs")
	}
	next, err := s.nextPart(ctx)
	if err != nil {
		return err
	}
	if next < p.To {
		return job.Errorf(job.Conflict, "parts are still written into the partition %s", p.Name)
	}
	return s.config.Dialect.translate(divided.Drop(ctx, p.Name))
}
