package mysql

import (
	"context"
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/orthd/orth/internal/blob/blobtest"
	"github.com/orthd/orth/internal/store/dbtest"
)

// BenchmarkForgetLogs removes 256 MiB of packs of logs, row by row and by the partition,
// and divides a table with them.
func BenchmarkForgetLogs(b *testing.B) {
	const blobs, size = 64, 4 << 20
	for _, way := range []string{"rows", "partition", "divide"} {
		b.Run(way, func(b *testing.B) {
			var took time.Duration
			for range b.N {
				address := migrated(b)
				s, db := running(b, address), query(b, address)
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
				if way == "divide" {
					dbtest.Must(b, db, "ALTER TABLE log_blob_parts REMOVE PARTITIONING")
				}
				began := time.Now()
				switch way {
				case "rows":
					err = byRows(b.Context(), db, next, size>>16)
				case "partition":
					err = s.DropPartition(b.Context(), all[0])
				default:
					dbtest.Must(b, db, "ALTER TABLE log_blob_parts PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (4294967296), PARTITION rest VALUES LESS THAN MAXVALUE)")
				}
				if err != nil {
					b.Fatal(err)
				}
				took += time.Since(began)
			}
			b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms")
		})
	}
}

// byRows removes parts as they are removed without partitions, those of a blob at a time.
func byRows(ctx context.Context, db *sql.DB, next, parts int64) error {
	for id := int64(1); id < next; id += parts {
		if _, err := db.ExecContext(ctx, "DELETE FROM log_blob_parts WHERE id >= ? AND id < ?", id, id+parts); err != nil {
			return err
		}
	}
	return nil
}
