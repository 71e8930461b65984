package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/blobtest"
)

// BenchmarkForgetLogs removes 256 MiB of packs of logs, row by row, with the vacuum that follows,
// and by the partition. It reports the processor time of the database and the bytes of its
// write-ahead log, of all who write into the server.
func BenchmarkForgetLogs(b *testing.B) {
	const blobs, size = 64, 4 << 20
	for _, way := range []string{"rows", "partition"} {
		b.Run(way, func(b *testing.B) {
			var took, spent time.Duration
			var wal int64
			for range b.N {
				address := database(b, "")
				s, err := Open(b.Context(), address, Config{Readers: 1})
				if err != nil {
					b.Fatal(err)
				}
				serve(b, s)
				db := query(b, address)
				db.SetMaxOpenConns(2)
				data := blobtest.Data(1, size)
				for i := range blobs {
					if err := s.LogBlobs().Put(b.Context(), fmt.Sprintf("day/%d", i), data); err != nil {
						b.Fatal(err)
					}
				}
				all, next, err := s.LogPartitions(b.Context())
				if err == nil {
					err = s.StartPartition(b.Context(), time.Now().Unix()/3600)
				}
				if err != nil {
					b.Fatal(err)
				}
				conn, err := db.Conn(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				before, began, worked := written(b, db), time.Now(), backends(b, db)
				if way == "partition" {
					err = s.DropPartition(b.Context(), all[0])
				} else {
					err = byRows(b.Context(), conn, next, size>>16)
				}
				if err != nil {
					b.Fatal(err)
				}
				took, spent, wal = took+time.Since(began), spent+backends(b, db)-worked, wal+written(b, db)-before
				_ = conn.Close() // it is done with
			}
			b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms")
			b.ReportMetric(float64(spent.Milliseconds())/float64(b.N), "db-cpu-ms")
			b.ReportMetric(float64(wal)/float64(b.N), "wal-B")
		})
	}
}

// byRows removes parts as they are removed without partitions, those of a blob at a time.
func byRows(ctx context.Context, conn *sql.Conn, next, parts int64) error {
	for id := int64(1); id < next; id += parts {
		if _, err := conn.ExecContext(ctx, "DELETE FROM log_blob_parts WHERE id >= $1 AND id < $2", id, id+parts); err != nil {
			return err
		}
	}
	_, err := conn.ExecContext(ctx, "VACUUM log_blob_parts")
	return err
}

// written is where the write-ahead log of the server ends.
func written(b *testing.B, db *sql.DB) (at int64) {
	b.Helper()
	if err := db.QueryRowContext(b.Context(), "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint").Scan(&at); err != nil {
		b.Fatal(err)
	}
	return at
}
