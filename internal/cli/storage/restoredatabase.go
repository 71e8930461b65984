package storage

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/cli/database"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/cli/timing"
	"github.com/orthd/orth/internal/output"
	"github.com/orthd/orth/internal/store/sqlstore"
	"github.com/orthd/orth/job"
)

// databaseRestore selects the restored database.
type databaseRestore struct {
	address, taken string
	missed         backup.Missed
	yes, dry       bool
}

// restoreDatabase reconciles a database that was restored with its own tools.
func restoreDatabase(ctx context.Context, t *kit.Tool, r databaseRestore, args []string) error {
	switch {
	case len(args) > 0:
		return output.Usagef("--db: restore the database with its own tools, such as pg_restore or mariadb, then run this command without an archive")
	case r.missed != backup.MissedSkip && r.missed != backup.MissedPolicy:
		return output.Usagef("--missed: must be %[2]s or %[3]s, got %[1]q", r.missed, backup.MissedSkip, backup.MissedPolicy)
	}
	if err := database.CheckAddress(r.address); err != nil {
		return err
	}
	taken, err := timing.ParseFlag("taken-at", r.taken, t.Location)
	if err != nil {
		return err
	}
	if taken.After(time.Now()) {
		return output.Usagef("--taken-at: must not be in the future, got %s", r.taken)
	}
	found, err := database.Inspect(ctx, r.address)
	switch {
	case err != nil:
		return err
	case found.Unfit != nil:
		return found.Unfit
	case found.Refused != nil:
		return found.Refused
	case found.Version == 0:
		return job.Errorf(job.Invalid, "database %s has no Orth tables: restore the backup first, with pg_restore, mariadb or mysql", found.Name)
	case r.dry && found.Version != found.Newest:
		wrong := job.Errorf(job.Invalid, "the backup in %s has schema version %d, this program %d: a dry run needs the current schema", found.Name, found.Version, found.Newest)
		wrong.Hint = "run 'orth migrate up', or omit --dry-run, which migrates the schema first"
		return wrong
	case len(found.Others) > 0 && !r.dry:
		return conflicting("database "+found.Name+" is in use: "+strings.Join(found.Others, ", "), "stop all servers, and end other sessions of the role")
	}
	if !r.yes && !r.dry {
		if !kit.AsksAPerson(t.Stdin) {
			return output.Usagef("standard input is not a terminal, so confirmation is impossible: add --yes")
		}
		if sure, err := t.Confirm("Reconcile " + found.Name + " as a restored backup?"); err != nil || !sure {
			return err
		}
	}
	done, err := settleDatabase(ctx, t, &r, taken)
	if err != nil {
		return err
	}
	return t.Show(done, func() error { return printRestored(t, &done, r.dry) })
}

// IsPostgres reports whether an address is one of PostgreSQL.

// settleDatabase reconciles the database while no server can start.
func settleDatabase(ctx context.Context, t *kit.Tool, r *databaseRestore, taken time.Time) (done restored, err error) {
	s, inner, err := database.Open(ctx, r.address)
	if err != nil {
		return done, err
	}
	done.Database = s.Name()
	if r.dry {
		defer func() { err = errors.Join(err, s.Close()) }()
		if taken, err = takenAt(ctx, t, inner, taken); err == nil {
			done.Report, err = settle(ctx, inner, &settlement{missed: r.missed, taken: taken, version: t.Version, dry: true})
		}
		return done, err
	}
	release, err := s.Hold(ctx)
	if err != nil {
		return done, errors.Join(err, s.Close())
	}
	writing, stop := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- s.Run(writing) }()
	defer func() {
		stop()
		err = errors.Join(err, <-ended, release(), s.Close())
	}()
	if taken, err = takenAt(ctx, t, inner, taken); err != nil {
		return done, err
	}
	printStep(t, "reconciling the time since the backup")
	done.Report, err = settle(ctx, inner, &settlement{missed: r.missed, taken: taken, version: t.Version})
	return done, err
}

// takenAt returns the time of the backup: the one of the flag, but not before the newest
// time in the data.
func takenAt(ctx context.Context, t *kit.Tool, s *sqlstore.Store, taken time.Time) (time.Time, error) {
	newest, err := s.Newest(ctx)
	switch {
	case err != nil:
		return taken, err
	case newest.IsZero() && taken.IsZero():
		return taken, output.Usagef("--taken-at is required: the backup contains no times")
	case taken.IsZero():
		return newest, nil
	case taken.Before(newest) && newest.Before(time.Now()):
		t.PrintNote("The newest time in the backup is %s; using it as the time of the backup.", newest.In(t.Location).Format(time.RFC3339))
		return newest, nil
	}
	return taken, nil
}
