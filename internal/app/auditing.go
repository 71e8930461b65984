package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/orthd/orth/internal/lifecycle"
	"github.com/orthd/orth/internal/store"
)

// onceEvery is how often keys of requests are forgotten that are older than a day.
const onceEvery = 10 * time.Minute

// keepAuditFile opens the file that gets a copy of the audit, when there shall be one.
func (s *Server) keepAuditFile(c *Config) (err error) {
	if c.AuditFile != "" {
		s.auditFile, err = newAuditFile(c.AuditFile, func(lines int) { s.meters.auditLost.Add(lines) }, c.Logger.With("room", "audit"))
	}
	return err
}

// auditParts are the loops of the audit: that of its file, which stops after the store,
// and that of tries to sign in.
func (s *Server) auditParts() []lifecycle.Part {
	if s.auditFile == nil {
		return nil
	}
	return []lifecycle.Part{{Name: "audit file", Run: s.auditFile.Run}}
}

// forgetting forgets the keys of requests once they are old.
func forgetting(db store.Onces, logger *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		tick := time.NewTicker(onceEvery)
		defer tick.Stop()
		for {
			if err := db.DropOnce(ctx, time.Now()); err != nil && ctx.Err() == nil {
				logger.WarnContext(ctx, "old keys of requests not forgotten", "error", err)
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return nil
			}
		}
	}
}
