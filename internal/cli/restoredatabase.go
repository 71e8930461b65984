package cli

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/orthd/orth/internal/backup"
	"github.com/orthd/orth/internal/store/mysql"
	"github.com/orthd/orth/internal/store/postgres"
	"github.com/orthd/orth/internal/store/sqlstore"
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
		return usagef("--db: a database is put back by its own tools, such as pg_restore and mariadb; then call this without an archive")
	case r.missed != backup.MissedSkip && r.missed != backup.MissedPolicy:
		return usagef("--missed: %q is unknown; use %s or %s", r.missed, backup.MissedSkip, backup.MissedPolicy)
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
	found, err := inspectDatabase(ctx, r.address)
	switch {
	case err != nil:
		return err
	case found.Unfit != nil:
		return found.Unfit
	case found.Refused != nil:
		return found.Refused
	case found.Version == 0:
		return job.Errorf(job.Invalid, "the database %s has no tables of Orth: put the copy back first, with pg_restore, mariadb or mysql", found.Name)
	case r.dry && found.Version != found.Newest:
		wrong := job.Errorf(job.Invalid, "the copy in %s has schema version %d, and this Orth %d: what it would come to can be told after the schema is brought up to date", found.Name, found.Version, found.Newest)
		wrong.Hint = "run 'orth migrate up', or do it without --dry-run, which brings it up to date first"
		return wrong
	case len(found.Others) > 0 && !r.dry:
		return conflicting("the database "+found.Name+" is in use: "+strings.Join(found.Others, ", "), "stop all servers, and end other sessions of the role")
	}
	if !r.yes && !r.dry {
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
	return t.show(done, func() error { return t.tellRestored(&done, r.dry) })
}

// knownDatabase refuses an address of a database that cannot be looked at. It does not
// repeat the address, which may hold a password.
func knownDatabase(address string) error {
	if isPostgres(address) || mysql.IsAddress(address) {
		return nil
	}
	wrong := job.FieldErrorf("--db", "the address of the database begins neither with postgres:// or postgresql:// nor with mysql:// or mariadb://")
	wrong.Hint = "SQLite in a data folder is named with --data"
	return wrong
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// settleDatabase does the work, while no server can start.
func (t *tool) settleDatabase(ctx context.Context, r *databaseRestore, taken time.Time) (done restored, err error) {
	s, inner, err := openDatabase(ctx, r.address)
	if err != nil {
		return done, err
	}
	done.Database = s.Name()
	if r.dry {
		defer func() { err = errors.Join(err, s.Close()) }()
		if taken, err = t.takenAt(ctx, inner, taken); err == nil {
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
	if taken, err = t.takenAt(ctx, inner, taken); err != nil {
		return done, err
	}
	t.step("settling what the copy does not know")
	done.Report, err = settle(ctx, inner, &settlement{missed: r.missed, taken: taken, version: t.Version})
	return done, err
}

// sharedStore is a store in a database that servers share.
type sharedStore interface {
	Name() string
	// Hold keeps servers from starting on the database until the function is called.
	Hold(ctx context.Context) (release func() error, err error)
	Run(ctx context.Context) error
	Close() error
}

// openDatabase opens a database of either kind, and brings its schema up to date.
func openDatabase(ctx context.Context, address string) (sharedStore, *sqlstore.Store, error) {
	if mysql.IsAddress(address) {
		s, err := mysql.Open(ctx, address, mysql.Config{})
		if err != nil {
			return nil, nil, err
		}
		return s, s.Store, nil
	}
	s, err := postgres.Open(ctx, address, postgres.Config{})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Store, nil
}

// takenAt returns when the copy counts as made: as somebody says, and not before the
// newest that it has.
func (t *tool) takenAt(ctx context.Context, s *sqlstore.Store, taken time.Time) (time.Time, error) {
	newest, err := s.Newest(ctx)
	switch {
	case err != nil:
		return taken, err
	case newest.IsZero() && taken.IsZero():
		return taken, usagef("--taken is needed: the copy has no instant of its own")
	case taken.IsZero():
		return newest, nil
	case taken.Before(newest) && newest.Before(time.Now()):
		t.tell("the copy has what happened until %s: it counts as made then", newest.In(t.Location).Format(time.RFC3339))
		return newest, nil
	}
	return taken, nil
}
