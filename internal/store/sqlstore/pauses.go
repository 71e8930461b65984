package sqlstore

import (
	"context"
	"time"

	"github.com/orthd/orth/job"
)

const (
	// By a scan of at most job.MaxPauses rows, in the order of pauses' unique
	// pause_key.
	listPauses = `SELECT definition, id, pause_key, version, created_at FROM pauses ORDER BY pause_key`
	// By pauses' unique pause_key.
	readPauseStanding = `SELECT id, version, created_at FROM pauses WHERE pause_key = ?`
	// By a scan of at most job.MaxPauses index entries, for new pauses only.
	countPauses = `SELECT COUNT(*) FROM pauses`
	insertPause = `INSERT INTO pauses (id, pause_key, definition, version, created_at) VALUES (?, ?, ?, 1, ?)`
	// By pauses' primary key.
	updatePause = `UPDATE pauses SET definition = ?, version = version + 1 WHERE id = ?`
	// By pauses' unique pause_key.
	deletePause = `DELETE FROM pauses WHERE pause_key = ?`
	// By job_plans_held, which holds the jobs that are held and nothing else. They
	// keep the pause's key for the reasons of what was held.
	lookAtHeld = `UPDATE job_plans SET look_at = next_at WHERE held_by = ? AND held_by <> ''`
)

// SavePause writes a pause, over the one of its key when there is one, and returns it as
// stored. With a Version the one of its key must have it. Planners look again at the jobs
// that the one before held. Kinds: Conflict when it has another version or is deleted, Full
// when there are too many.
func (s *Store) SavePause(ctx context.Context, p job.Pause) (job.Pause, error) {
	seen := p.Version
	p.Version = 0 // the row has it
	definition, err := encode(p)
	if err != nil {
		return job.Pause{}, err
	}
	given := p
	err = s.writer.update(ctx, func(t *tx) error {
		p = given // it may be done again
		var id, version int64
		var created time.Time
		found, err := t.read(readPauseStanding, []any{p.Key}, []any{&id, &version, (*instant)(&created)})
		switch {
		case err != nil:
			return err
		case seen != 0 && !found:
			return job.Errorf(job.Conflict, "pause %s was deleted since it was read: leave the version out to create it again", p.Key)
		case seen != 0 && version != seen:
			return job.Errorf(job.Conflict, "pause %s was changed since it was read: its version is %d, the change was made from %d; look at it and try again",
				p.Key, version, seen)
		case !found:
			p.Version = 1
			err = t.addPause(&p, definition)
		default:
			p.ID, p.Version, p.CreatedAt = id, version+1, created
			err = t.replacePause(&p, definition)
		}
		if err != nil {
			return err
		}
		t.names("pause", p.Namespace, "", p.Key)
		return t.touchRules()
	})
	if err != nil {
		return job.Pause{}, err
	}
	return p, nil
}

func (t *tx) addPause(p *job.Pause, definition string) error {
	var n int64
	if _, err := t.read(countPauses, nil, []any{&n}); err != nil {
		return err
	}
	if n >= job.MaxPauses {
		full := job.Errorf(job.Full, "pause %s cannot be made: there are %d pauses already", p.Key, n)
		full.Hint = "lift pauses that are over"
		return full
	}
	var err error
	if p.ID, err = t.reserve(sequencePauses, 1); err != nil {
		return err
	}
	return t.do(insertPause, p.ID, p.Key, definition, job.Millis(p.CreatedAt))
}

func (t *tx) replacePause(p *job.Pause, definition string) error {
	if err := t.do(updatePause, definition, p.ID); err != nil {
		return err
	}
	return t.do(lookAtHeld, p.Key)
}

// DeletePause deletes a pause: planners look at once at the jobs that it held. Those are
// due already, so their next firing holds the time. Kinds: NotFound.
func (s *Store) DeletePause(ctx context.Context, key string, _ time.Time) error {
	return s.writer.update(ctx, func(t *tx) error {
		found, err := t.one(deletePause, key)
		if err != nil {
			return err
		}
		if !found {
			return job.Errorf(job.NotFound, "pause %s does not exist", key)
		}
		if err := t.do(lookAtHeld, key); err != nil {
			return err
		}
		return t.touchRules()
	})
}

// Pauses returns all pauses in order of key. One that cannot be read has a
// window that does not compile.
func (s *Store) Pauses(ctx context.Context) ([]job.Pause, error) {
	return list(ctx, s.reader, pauseFields, listPauses)
}

func pauseFields(p *job.Pause) []any {
	return []any{pauseText{p}, (*integer)(&p.ID), (*text)(&p.Key), (*integer)(&p.Version), (*instant)(&p.CreatedAt)}
}

// pauseText receives a pause as JSON text.
type pauseText document[job.Pause]

// Scan implements sql.Scanner. It takes any text.
func (p pauseText) Scan(src any) error {
	if err := document[job.Pause](p).Scan(src); err != nil {
		*p.into = job.Pause{Reason: "its definition cannot be read", Window: &job.Window{Cron: unreadable}}
	}
	return nil
}
