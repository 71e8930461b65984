package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/job"
)

// databaseRestore says which database was put back.
type databaseRestore struct {
	address, taken string
	missed         backup.Missed
	yes, dry       bool
}

// restoreDatabase makes a database fit for now that its own tools have put back.
func (t *tool) restoreDatabase(ctx context.Context, r databaseRestore, args []string) error {
	switch {
	case len(args) > 0:
		return usagef("--db: a database is put back by its own tools, such as pg_restore; then call this without an archive")
	case r.missed != backup.MissedSkip && r.missed != backup.MissedPolicy:
		return usagef("--missed: %q is unknown; use %s or %s", r.missed, backup.MissedSkip, backup.MissedPolicy)
	case r.dry:
		return usagef("--dry-run: a database cannot only be tried; put the copy into another one, and look there")
	}
	if err := knownDatabase(r.address); err != nil {
		return err
	}
	taken, err := instant("taken", r.taken, t.Location)
	if err != nil {
		return err
	}
	if taken.After(time.Now()) {
		return usagef("--taken: %s is in the future", r.taken)
	}
	found, err := postgres.Inspect(ctx, r.address)
	switch {
	case err != nil:
		return err
	case found.Unfit != nil:
		return found.Unfit
	case found.Version == 0:
		return job.Errorf(job.Invalid, "the database %s has no tables of Orth: put the copy back first, such as with pg_restore", found.Name)
	case len(found.Others) > 0:
		return conflicting("the database "+found.Name+" is in use: "+strings.Join(found.Others, ", "), "stop all servers, and end other sessions of the role")
	}
	if !r.yes {
		if !asksAPerson(t.Stdin) {
			return usagef("nobody can be asked here: add --yes")
		}
		if sure, err := t.confirm("Make " + found.Name + " fit for now, as a copy that was put back?"); err != nil || !sure {
			return err
		}
	}
	done, err := t.settleDatabase(ctx, &r, taken)
	if err != nil {
		return err
	}
	return t.show(done, func() error { return t.tellRestored(&done, false) })
}

// knownDatabase refuses an address of a database that cannot be looked at. It does not
// repeat the address, which may hold a password.
func knownDatabase(address string) error {
	if isPostgres(address) {
		return nil
	}
	wrong := job.FieldErrorf("--db", "the address of the database begins neither with postgres:// nor with postgresql://")
	wrong.Hint = "SQLite in a data folder is named with --data"
	return wrong
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// settleDatabase does the work, while no server can start.
func (t *tool) settleDatabase(ctx context.Context, r *databaseRestore, taken time.Time) (done restored, err error) {
	s, err := postgres.Open(ctx, r.address, postgres.Config{})
	if err != nil {
		return done, err
	}
	done.Database = s.Name()
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
	newest, err := s.Newest(ctx)
	switch {
	case err != nil:
		return done, err
	case newest.IsZero() && taken.IsZero():
		return done, usagef("--taken is needed: the copy has no instant of its own")
	case taken.IsZero():
		taken = newest
	case taken.Before(newest) && newest.Before(time.Now()):
		t.tell("the copy has what happened until %s: it counts as made then", newest.In(t.Location).Format(time.RFC3339))
		taken = newest
	}
	t.step("settling what the copy does not know")
	done.Report, err = settle(ctx, s.Store, r.missed, taken, t.Version)
	return done, err
}
