package app

import (
	"context"
	"fmt"
	"time"

	"github.com/orthd/orth/internal/app/executors"
	"github.com/orthd/orth/internal/logbook/keeping"
	"github.com/orthd/orth/internal/logbook/reading"
	"github.com/orthd/orth/job"
)

// minLogTotal is the least that may be stored of all logs.
const minLogTotal = 16 << 20

// checkLogs reports what is wrong with how much is kept of logs.
func (c *Config) checkLogs() error {
	switch {
	case c.KeepLogs < time.Minute || c.KeepLogs > job.MaxKeepFor:
		return job.FieldErrorf("keep-logs-for", "%s is not between %s and %s", c.KeepLogs, time.Minute, job.MaxKeepFor)
	case c.LogMaxBytes < job.MinLogBytes || c.LogMaxBytes > job.MaxLogBytes:
		return job.FieldErrorf("log-max-bytes", "%d is not between %d and %d", c.LogMaxBytes, job.MinLogBytes, int64(job.MaxLogBytes))
	case c.LogMaxTotal < minLogTotal:
		return job.FieldErrorf("log-max-total", "%d is less than %d", c.LogMaxTotal, minLogTotal)
	}
	return nil
}

// logKept reports whether a server keeps the log of a task.
func logKept(t job.Task) bool { return !t.LogsOff }

// keepLogs builds the keeper of logs and returns who reads them.
func (s *Server) keepLogs(peers executors.ByDialect) (*reading.Reader, error) {
	c, db := &s.config, s.store
	blobs, err := s.blobs()
	if err != nil {
		return nil, fmt.Errorf("open the store of logs: %w", err)
	}
	hide, err := c.openMasks()
	if err != nil {
		return nil, err
	}
	s.masks = hide
	s.keeper = keeping.NewKeeper(keeping.KeeperConfig{
		Index: db, Shelf: countedShelf{db, s.meters}, Debts: db, Past: db, Cellar: db, Names: db, Blobs: blobs, Origin: countedOrigin{following{peers}, s.meters},
		Pushes: s.natives.Pushes, Mask: hide.Text, KeepFor: c.KeepLogs, MaxBytes: c.LogMaxBytes, MaxTotal: c.LogMaxTotal,
		Idle: s.cluster.Draining, Logger: c.Logger.With("room", "logbook"),
	})
	s.divider = keeping.NewDivider(keeping.DividerConfig{Partitions: db, Logger: c.Logger.With("room", "logbook")})
	s.gauges.logs = s.keeper.Load
	return reading.NewReader(reading.ReaderConfig{Index: db, Memory: s.keeper, Origin: peers, Mask: hide.Text}), nil
}

// following fetches logs for the keeper. An executor that pushes them is only asked when
// nothing arrives: it has restarted, or its instructions came from a server that is gone.
// Where there were lines, it is asked to push those that follow.
type following struct{ executors.ByDialect }

// followFor is how long such an executor pushes a log after a request.
const followFor = time.Hour

// ReadLog implements logbook.Origin.
func (f following) ReadLog(ctx context.Context, address string, attempt int64, at time.Time, fromLine int) (job.LogPage, error) {
	page, err := f.ByDialect.ReadLog(ctx, address, attempt, at, fromLine)
	if err == nil && page.To >= fromLine && f.Natively(address) && f.Native.Pushes(address) {
		// Nothing hangs on it: the keeper asks again.
		_ = f.Native.Follow(ctx, address, job.Attempt{ID: attempt, TriggeredAt: at}, page.To+1, followFor)
	}
	return page, err
}
