package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/internal/cluster"
	"github.com/orthd/orth/job"
)

const (
	// By servers' primary key.
	readServer = `SELECT life, address, started_at, lease_until, draining FROM servers WHERE name = ?`
	// By servers' primary key.
	updateServer = `UPDATE servers SET beat_at = ?, lease_until = ?, watching_until = ?, figures = ?, address = ?, version = ?, stopped_at = 0,
		draining = CASE WHEN ? = 1 THEN 1 ELSE draining END WHERE name = ? AND life = ?`
	// By servers' primary key.
	takeServer = `UPDATE servers SET life = ?, address = ?, version = ?, started_at = ?, beat_at = ?, lease_until = ?, stopped_at = 0,
		draining = 0, watching_until = ?, figures = ? WHERE name = ?`
	insertServer = `INSERT INTO servers (name, life, address, version, started_at, beat_at, lease_until, watching_until, figures)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	// By servers' primary key.
	leaveServer = `UPDATE servers SET stopped_at = ?, lease_until = ?, watching_until = 0 WHERE name = ? AND life = ?`
	// By servers' primary key: there are few servers.
	drainServer = `UPDATE servers SET draining = ? WHERE name = ?`
	// All servers: there are few.
	countWorking = `SELECT COUNT(*) FROM servers WHERE lease_until > ? AND stopped_at = 0 AND draining = 0 AND name <> ?`
	// All servers: there are few.
	listAtWork = `SELECT name FROM servers WHERE lease_until > ? AND stopped_at = 0 AND draining = 0 ORDER BY name LIMIT ?`
	// All servers: there are few.
	readWatched = `SELECT COALESCE(MAX(watching_until), 0) FROM servers`
	// All servers: there are few.
	readLost = `SELECT COALESCE(MAX(lease_until), 0) FROM servers WHERE lease_until <= ? AND stopped_at = 0`
	// By servers' primary key.
	watchServer = `UPDATE servers SET watching_until = ? WHERE name = ?`
	// All servers: there are few.
	listServers = `SELECT name, life, address, version, started_at, beat_at, lease_until, stopped_at, draining, watching_until, figures
		FROM servers ORDER BY name LIMIT ?`
	// All servers: there are few.
	pruneServers = `DELETE FROM servers WHERE beat_at < ? AND lease_until < ?`

	// By leads' primary key.
	readLead   = `SELECT holder, lease_until, term FROM leads WHERE name = ?`
	insertLead = `INSERT INTO leads (name, holder, lease_until, term) VALUES (?, ?, ?, 1)`
	// By leads' primary key.
	takeLead = `UPDATE leads SET holder = ?, lease_until = ?, term = ? WHERE name = ?`
	// By leads' primary key.
	leaveLead = `UPDATE leads SET lease_until = 0 WHERE name = ? AND holder = ?`
)

// maxServers bounds the servers that are listed.
const maxServers = 1000

// leadOfChores is the name of the lead of what one server does for all.
const leadOfChores = "chores"

// now returns the database's time.
func (t *tx) now() (now time.Time, err error) {
	_, err = t.read(t.dialect.Now, nil, []any{(*instant)(&now)})
	return now, err
}

// Now implements [cluster.Store].
func (s *Store) Now(ctx context.Context) (time.Time, error) {
	now, _, err := first(ctx, s.reader, func(at *time.Time) []any { return []any{(*instant)(at)} }, s.config.Dialect.Now)
	return now, err
}

// BeatServer implements [cluster.Store].
func (s *Store) BeatServer(ctx context.Context, b cluster.Beat) (heard cluster.Heard, err error) {
	err = s.writer.submit(ctx, func(t *tx) (err error) { // no change that anybody wants
		heard, err = t.beatServer(&b)
		return err
	})
	return heard, err
}

func (t *tx) beatServer(b *cluster.Beat) (heard cluster.Heard, err error) {
	if heard.At, err = t.now(); err != nil {
		return heard, err
	}
	heard.Taken, heard.Draining, err = t.keepServer(b, heard.At)
	if err != nil || heard.Taken != "" {
		return heard, err
	}
	if heard.Leads, heard.Term, err = t.lead(leadOfChores, b, heard.At); err != nil {
		return heard, err
	}
	if _, err = t.read(readWatched, nil, []any{(*instant)(&heard.Watched)}); err != nil {
		return heard, err
	}
	if _, err = t.read(readLost, []any{heard.At.UnixMilli()}, []any{(*instant)(&heard.Lost)}); err != nil {
		return heard, err
	}
	err = readEach(t, func(name *string) []any { return []any{(*text)(name)} },
		func(name *string) { heard.Working = append(heard.Working, *name) }, listAtWork, heard.At.UnixMilli(), maxServers)
	return heard, err
}

// keepServer writes the server's row.
func (t *tx) keepServer(b *cluster.Beat, now time.Time) (taken string, draining bool, err error) {
	var life, address string
	var started, lease time.Time
	found, err := t.read(readServer, []any{b.Name},
		[]any{(*text)(&life), (*text)(&address), (*instant)(&started), (*instant)(&lease), (*truth)(&draining)})
	if err != nil {
		return "", false, err
	}
	at, until, watching := now.UnixMilli(), now.Add(b.For).UnixMilli(), int64(0)
	if b.Watching > 0 {
		watching = now.Add(b.Watching).UnixMilli()
	}
	switch {
	case !found:
		err = t.do(insertServer, b.Name, b.Life, b.Address, b.Version, job.Millis(b.StartedAt), at, until, watching, b.Figures)
		return "", false, err
	case life == b.Life:
		err = t.do(updateServer, at, until, watching, b.Figures, b.Address, b.Version, bit(b.Stops), b.Name, b.Life)
		return "", draining || b.Stops, err
	case started.After(b.StartedAt) && lease.After(now):
		return address, false, nil
	}
	err = t.do(takeServer, b.Life, b.Address, b.Version, job.Millis(b.StartedAt), at, until, watching, b.Figures, b.Name)
	return "", false, err
}

// lead takes or keeps a lead for a server that wants it, and gives up one that it does
// not want.
func (t *tx) lead(name string, b *cluster.Beat, now time.Time) (leads bool, term int64, err error) {
	var holder string
	var until time.Time
	found, err := t.read(readLead, []any{name}, []any{(*text)(&holder), (*instant)(&until), (*integer)(&term)})
	switch {
	case err != nil:
		return false, 0, err
	case !b.Lead:
		if holder == b.Life && until.After(now) {
			err = t.do(leaveLead, name, b.Life)
		}
		return false, term, err
	case !found:
		err = t.do(insertLead, name, b.Life, now.Add(b.For).UnixMilli())
		return err == nil, 1, err
	case holder != b.Life && until.After(now):
		return false, term, nil
	case holder != b.Life:
		term++
	}
	err = t.do(takeLead, b.Life, now.Add(b.For).UnixMilli(), term, name)
	return err == nil, term, err
}

// LeaveServer implements [cluster.Store].
func (s *Store) LeaveServer(ctx context.Context, name, life string) error {
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		now, err := t.now()
		if err != nil {
			return err
		}
		if err := t.do(leaveServer, now.UnixMilli(), now.UnixMilli(), name, life); err != nil {
			return err
		}
		return t.do(leaveLead, leadOfChores, life)
	})
}

// Servers implements [cluster.Store].
func (s *Store) Servers(ctx context.Context) ([]cluster.Row, error) {
	fields := func(r *cluster.Row) []any {
		return []any{
			(*text)(&r.Name), (*text)(&r.Life), (*text)(&r.Address), (*text)(&r.Version), (*instant)(&r.StartedAt), (*instant)(&r.BeatAt),
			(*instant)(&r.LeaseUntil), (*instant)(&r.StoppedAt), (*truth)(&r.Draining), (*instant)(&r.WatchingUntil), (*text)(&r.Figures),
		}
	}
	return list(ctx, s.reader, fields, listServers, maxServers)
}

// DrainServer implements [cluster.Store].
func (s *Store) DrainServer(ctx context.Context, name string, on bool) error {
	return s.writer.update(ctx, func(t *tx) error {
		now, err := t.now()
		if err != nil {
			return err
		}
		var life, address string
		var started, lease time.Time
		var draining bool
		found, err := t.read(readServer, []any{name},
			[]any{(*text)(&life), (*text)(&address), (*instant)(&started), (*instant)(&lease), (*truth)(&draining)})
		switch {
		case err != nil:
			return err
		case !found:
			return job.Errorf(job.NotFound, "there is no server %q", name)
		case !lease.After(now):
			return job.Errorf(job.Conflict, "the server %q is gone since %s", name, lease.UTC().Format(time.RFC3339))
		case draining == on:
			return nil
		}
		if on {
			var others int64
			if _, err := t.read(countWorking, []any{now.UnixMilli(), name}, []any{(*integer)(&others)}); err != nil {
				return err
			}
			if others == 0 {
				wrong := job.Errorf(job.Conflict, "no other server would work while %q drains", name)
				wrong.Hint = "start another one first; to hold jobs back, pause them"
				return wrong
			}
		}
		return t.do(drainServer, bit(on), name)
	})
}

// PruneServers implements [cluster.Store].
func (s *Store) PruneServers(ctx context.Context, heard, changed time.Time) error {
	return s.writer.submit(ctx, func(t *tx) error { // no change that anybody wants
		if err := t.do(pruneServers, heard.UnixMilli(), heard.UnixMilli()); err != nil {
			return err
		}
		return t.pruneChanges(changed)
	})
}
