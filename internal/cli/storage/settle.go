package storage

import (
	"context"
	"encoding/json"
	"os/user"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/audit"
	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/internal/workflow"
	"github.com/orthd/orth/job"
)

// settlement configures the reconciliation of a restored copy.
type settlement struct {
	missed  backup.Missed
	taken   time.Time // time of the backup
	version string    // of this program
	dry     bool      // only compute the result
}

// settle reconciles a store that was restored from a backup, and appends an audit entry
// about it. The writer of the store must run, unless nothing is changed.
func settle(ctx context.Context, s *sqlstore.Store, how *settlement) (backup.Report, error) {
	now := time.Now()
	keeper := workflow.NewKeeper(workflow.KeeperConfig{Book: s, Store: s, Runs: leave{}})
	report, err := backup.Settle(ctx, backup.Config{
		Numbers: s, Slots: s, Open: s, Beside: s, Missed: how.missed, Dry: how.dry, Taken: how.taken, Now: now,
		CancelWorkflow: func(ctx context.Context, id int64, reason string) error {
			_, err := keeper.CancelWorkflowRun(ctx, id, reason)
			return err
		},
	})
	if err != nil || how.dry {
		return report, err
	}
	after, err := json.Marshal(map[string]any{
		"taken_at": report.Taken, "missed": report.Missed, "slots": report.Slots, "waiting": report.Waited, "sessions_ended": report.Sessions,
		"numbers_from": report.NumbersFrom, "orth_version": how.version,
	})
	if err != nil {
		return report, err
	}
	who := "orth restore"
	if u, err := user.Current(); err == nil {
		who += " by " + u.Username
	}
	return report, s.AppendAudit(ctx, []audit.Line{{
		At: now, Actor: audit.Actor{Kind: string(access.System), Name: who}, Operation: "restore", Kind: "server", After: string(after),
	}})
}

// leave skips runs that executors have: the server asks about them when it starts.
type leave struct{ workflow.Runs }

// CancelRun does nothing.
func (leave) CancelRun(_ context.Context, id int64, _ string) (job.Run, error) {
	return job.Run{ID: id}, nil
}
