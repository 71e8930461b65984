package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/orthd/orth/internal/logbook"
	"github.com/orthd/orth/internal/logbook/keeping"
	"github.com/orthd/orth/internal/store"
	"github.com/orthd/orth/job"
)

// divided is a running store whose packs of logs are in partitions, and a separate pool.
type divided struct {
	*testing.T
	store.Store
	db   *sql.DB
	hold string
	now  time.Time
}

// LogPartitions tests the partitions of packs of logs. open returns a running store on an
// empty database that has them, and a separate pool; both end with the test. hold is a
// statement that holds the table in a transaction, as a backup does.
func LogPartitions(t *testing.T, hold string, open func(t *testing.T) (store.Store, *sql.DB)) {
	t.Helper()
	for name, test := range map[string]func(*divided){
		"days": days, "readers": movedUnderReaders, "held": heldByOthers, "killed": killedBetween, "refused": refusedPartitions, "row by row": besideUndivided,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, db := open(t)
			test(&divided{T: t, Store: s, db: db, hold: hold, now: time.Date(2026, 3, 1, 12, 30, 0, 0, time.UTC)})
		})
	}
}

// mebi is the size of the blobs of these tests: many parts, and much more than what an empty
// partition takes.
const mebi = 1 << 20

// packed returns bytes that compress badly and are the same for the same seed.
func packed(seed int) []byte {
	data := make([]byte, mebi)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(data) // It never fails.
	return data
}

func (d *divided) put(name string, seed int) {
	d.Helper()
	if err := d.LogBlobs().Put(d.Context(), name, packed(seed)); err != nil {
		d.Fatal(err)
	}
}

// whole checks that a blob is what was put.
func (d *divided) whole(name string, seed int) {
	d.Helper()
	got, err := d.LogBlobs().Get(d.Context(), name, 0, mebi)
	if err != nil || !bytes.Equal(got, packed(seed)) {
		d.Errorf("the blob %s is not what was put: %v", name, err)
	}
}

// parts returns the partitions.
func (d *divided) parts() []logbook.Partition {
	d.Helper()
	all, _, err := d.LogPartitions(d.Context())
	if err != nil || len(all) == 0 {
		d.Fatalf("%d partitions, %v", len(all), err)
	}
	return all
}

// rows counts the parts that are there.
func (d *divided) rows() (n int) {
	d.Helper()
	if err := d.db.QueryRowContext(d.Context(), "SELECT COUNT(*) FROM log_blob_parts").Scan(&n); err != nil {
		d.Fatal(err)
	}
	return n
}

func (d *divided) remove(names ...string) {
	d.Helper()
	if err := d.LogBlobs().Delete(d.Context(), names); err != nil {
		d.Fatal(err)
	}
}

// days writes four packs a day, which are kept for three days, and now and then one
// for long. Partitions come and go, and nothing is lost.
func days(d *divided) {
	divider := keeping.NewDivider(keeping.DividerConfig{Partitions: d.Store})
	kept := map[string]int{}
	for day := range 30 {
		for i := range 4 {
			name, seed := fmt.Sprintf("%02d/%d", day, i), day*10+i
			d.put(name, seed)
			kept[name] = seed
		}
		if day >= 3 {
			for i := range 4 {
				if name := fmt.Sprintf("%02d/%d", day-3, i); i > 0 || day%8 > 0 {
					d.remove(name)
					delete(kept, name)
				}
			}
		}
		for more := true; more; {
			divides, again, err := divider.Turn(d.Context(), d.now.AddDate(0, 0, day))
			if err != nil || !divides {
				d.Fatalf("day %d: %v, %v", day, divides, err)
			}
			more = again
		}
		all := d.parts()
		if len(all) > 10 {
			d.Fatalf("day %d: there are %d partitions", day, len(all))
		}
		if newest := all[len(all)-1]; newest.Number() != d.now.AddDate(0, 0, day).Unix()/3600 {
			d.Fatalf("day %d: the newest partition is that of %d", day, newest.Number())
		}
	}
	for name, seed := range kept {
		d.whole(name, seed)
	}
	// Half of what there is at most is not wanted, and what went in the last days.
	if wanted, rows := len(kept)*mebi>>16, d.rows(); rows < wanted || rows > 2*wanted+5*4*mebi>>16 {
		d.Errorf("%d parts are there, %d are wanted", rows, wanted)
	}
	var rest int
	next := d.parts()
	if err := d.db.QueryRowContext(d.Context(), fmt.Sprintf("SELECT COUNT(*) FROM log_blob_parts WHERE id >= %d", next[len(next)-1].To)).Scan(&rest); err != nil || rest != 0 {
		d.Errorf("%d parts are in the rest, %v", rest, err)
	}
}

// movedUnderReaders reads a blob without a pause while it is moved from partition to
// partition.
func movedUnderReaders(d *divided) {
	d.put("a", 1)
	ctx, stop := context.WithCancel(d.Context())
	defer stop()
	reads := make(chan struct{}, 1) // one was made since it was emptied last
	ended := make(chan error, 2)
	for range cap(ended) {
		go func() { ended <- d.readOn(ctx, reads) }()
	}
	number := d.now.Unix() / 3600
	for i := range int64(12) {
		select {
		case <-reads:
		default:
		}
		old := d.parts()
		d.start(number + i)
		if err := d.MoveBlob(d.Context(), "a", old[len(old)-1]); err != nil {
			d.Fatal(err)
		}
		d.eventually(func() error { return d.DropPartition(d.Context(), old[len(old)-1]) })
		select {
		case <-reads:
		case err := <-ended:
			d.Fatal(err)
		}
	}
	stop()
	for range cap(ended) {
		if err := <-ended; err != nil {
			d.Error(err)
		}
	}
	if all := d.parts(); len(all) != 1 || d.rows() != mebi>>16 {
		d.Errorf("%d partitions with %d parts are left", len(all), d.rows())
	}
}

// readOn reads the blob a until ctx ends, and signals each time.
func (d *divided) readOn(ctx context.Context, reads chan<- struct{}) error {
	for ctx.Err() == nil {
		got, err := d.LogBlobs().Get(ctx, "a", mebi/2, mebi/2)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // The test ended it.
		case err != nil:
			return err
		case !bytes.Equal(got, packed(1)[mebi/2:]):
			return job.Errorf(job.Internal, "other bytes than were put")
		}
		select {
		case reads <- struct{}{}:
		default:
		}
	}
	return nil
}

// start begins a partition, as soon as no transaction holds the table.
func (d *divided) start(number int64) {
	d.Helper()
	d.eventually(func() error { return d.StartPartition(d.Context(), number) })
}

// eventually does what others may hold up for a moment.
func (d *divided) eventually(do func() error) {
	d.Helper()
	err := do()
	for tries := 0; job.Is(err, job.Unavailable) && tries < 20; tries++ {
		err = do()
	}
	if err != nil {
		d.Fatal(err)
	}
}

// heldByOthers holds the table as a backup does: partitions wait for later, writers and
// readers for nothing.
func heldByOthers(d *divided) {
	d.put("a", 1)
	tx, err := d.db.BeginTx(d.Context(), nil)
	if err != nil {
		d.Fatal(err)
	}
	if _, err := tx.ExecContext(d.Context(), d.hold); err != nil {
		d.Fatal(err)
	}
	number := d.now.Unix() / 3600
	began := time.Now()
	if err := d.StartPartition(d.Context(), number); !job.Is(err, job.Unavailable) || time.Since(began) > 10*time.Second {
		d.Errorf("a partition was begun in a held table: %v after %s", err, time.Since(began))
	}
	d.put("b", 2)
	d.whole("a", 1)
	if err := tx.Rollback(); err != nil {
		d.Fatal(err)
	}
	d.start(number)
	d.whole("a", 1)
	d.whole("b", 2)
}

// killedBetween ends a turn after each of its steps: the next one goes on.
func killedBetween(d *divided) {
	divider := keeping.NewDivider(keeping.DividerConfig{Partitions: d.Store})
	d.put("a", 1)
	first, next, err := d.LogPartitions(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	d.start(d.now.Unix() / 3600)
	// It was made, and ids do not come from it yet.
	if _, err := d.db.ExecContext(d.Context(), fmt.Sprintf("UPDATE sequences SET next = %d WHERE name = 'log_blob_parts'", next)); err != nil {
		d.Fatal(err)
	}
	d.put("b", 2)
	if err := d.DropPartition(d.Context(), first[0]); !job.Is(err, job.Conflict) {
		d.Errorf("the partition that is written into was dropped: %v", err)
	}
	turn := func() {
		if _, _, err := divider.Turn(d.Context(), d.now); err != nil {
			d.Fatal(err)
		}
	}
	turn()
	d.put("c", 3)
	d.whole("b", 2)
	// One blob was moved, the next one was not, and the partition is there.
	if err := d.MoveBlob(d.Context(), "a", first[0]); err != nil {
		d.Fatal(err)
	}
	turn()
	if all := d.parts(); len(all) != 2 {
		d.Errorf("there are %d partitions, want 2", len(all))
	}
	// It was dropped, and the store does not know.
	if err := d.MoveBlob(d.Context(), "b", first[0]); err != nil {
		d.Fatal(err)
	}
	turn()
	for range 2 {
		if err := d.DropPartition(d.Context(), first[0]); err != nil {
			d.Errorf("drop what is gone: %v", err)
		}
	}
	if all := d.parts(); len(all) != 1 {
		d.Errorf("there are %d partitions, want 1", len(all))
	}
	for i, name := range []string{"a", "b", "c"} {
		d.whole(name, i+1)
	}
}

// refusedPartitions asks for what must not be done.
func refusedPartitions(d *divided) {
	d.put("a", 1)
	only := d.parts()[0]
	if err := d.MoveBlob(d.Context(), "a", only); !job.Is(err, job.Conflict) {
		d.Errorf("a blob was moved within its partition: %v", err)
	}
	if err := d.DropPartition(d.Context(), only); !job.Is(err, job.Conflict) {
		d.Errorf("the partition that is written into was dropped: %v", err)
	}
	number := d.now.Unix() / 3600
	d.start(number)
	d.start(number) // a leader that was slow
	if err := d.StartPartition(d.Context(), number-1); !job.Is(err, job.Conflict) {
		d.Errorf("a partition was begun before the newest one: %v", err)
	}
	if err := d.MoveBlob(d.Context(), "none", only); err != nil {
		d.Errorf("a blob that is gone: %v", err)
	}
	d.whole("a", 1)
}

// besideUndivided removes parts row by row, as a server does that may not change tables.
func besideUndivided(d *divided) {
	d.put("a", 1)
	d.put("b", 2)
	d.start(d.now.Unix() / 3600)
	const half = mebi >> 16
	for _, statement := range []string{
		fmt.Sprintf("DELETE FROM log_blob_parts WHERE id >= 1 AND id < %d", 1+half), "DELETE FROM log_blobs WHERE name = 'a'",
	} {
		if _, err := d.db.ExecContext(d.Context(), statement); err != nil {
			d.Fatal(err)
		}
	}
	if rows := d.rows(); rows != half {
		d.Errorf("%d parts are left, want %d", rows, half)
	}
	d.whole("b", 2)
}
