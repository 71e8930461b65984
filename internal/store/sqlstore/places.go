package sqlstore

import (
	"context"
	"strconv"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

const (
	// By jobs_key and executor_groups' primary key.
	placeOfJob = `SELECT j.namespace, g.group_key FROM jobs j JOIN executor_groups g ON g.id = j.group_id
		WHERE j.namespace = ? AND j.job_key = ? AND j.tombstone = 0`
	// By jobs_buried_key, backwards, and the primary keys of executor_groups and
	// job_revisions.
	placeOfDeletedJob = `SELECT j.namespace, g.group_key FROM jobs j JOIN executor_groups g ON g.id = j.group_id
		WHERE j.namespace = ? AND j.job_key = ? AND j.tombstone > 0
		AND EXISTS (SELECT 1 FROM job_revisions r WHERE r.job_id = j.id) ORDER BY j.tombstone DESC LIMIT 1`
	// By the primary keys of runs, jobs and executor_groups. A run stays in the group
	// that it was made for, wherever its job has moved.
	placeOfRun = `SELECT j.namespace, g.group_key FROM runs r JOIN jobs j ON j.id = r.job_id
		JOIN executor_groups g ON g.id = r.group_id WHERE r.id = ?`
	// By the primary key of runs, by runs_again, and by the primary key of attempts.
	runsFirst = `SELECT id, id FROM runs WHERE id IN (%s) AND tries > 0`
	runsAgain = `SELECT r.attempt_id, r.id FROM runs r WHERE ` + ifAgain
	runsPast  = `SELECT a.id, a.run_id FROM attempts a WHERE ` + ifPast
	// By the primary keys of backfills, jobs and executor_groups.
	placeOfBackfill = `SELECT j.namespace, g.group_key FROM backfills b JOIN jobs j ON j.id = b.job_id
		JOIN executor_groups g ON g.id = j.group_id WHERE b.id = ?`
	// By workflow_runs' primary key.
	placeOfWorkflowRun = `SELECT namespace, '' FROM workflow_runs WHERE id = ?`
	// By alarms' primary key.
	placeOfAlarm = `SELECT namespace, group_key FROM alarms WHERE id = ?`
	// By alarm_notifications' primary key.
	placeOfNotification = `SELECT namespace, '' FROM alarm_notifications WHERE id = ?`
	// By alarm_silences' primary key.
	placeOfSilence = `SELECT namespace, '' FROM alarm_silences WHERE id = ?`
	// By pauses' unique pause_key.
	readPauseScope = `SELECT definition, id, pause_key, version, created_at FROM pauses WHERE pause_key = ?`
)

// Place returns the places of an object of a kind that users name by a key of a namespace,
// or by its id or its own key: a pause of several groups is in all of them, and what has no
// group is in its namespace. Kinds: NotFound, also for a text that is no id.
func (s *Store) Place(ctx context.Context, kind, namespace, key string) ([]access.Object, error) {
	var query string
	switch kind {
	case "job":
		return s.place(ctx, kind, key, placeOfJob, namespace, key)
	case "deleted job":
		return s.place(ctx, kind, key, placeOfDeletedJob, namespace, key)
	case "pause":
		return s.placesOfPause(ctx, key)
	case "group":
		return s.placeOfGroup(ctx, namespace, key)
	case "secret":
		return s.placesOfSecret(ctx, namespace, key)
	case "run":
		query = placeOfRun
	case "attempt":
		return s.placeOfAttempt(ctx, key)
	case "backfill":
		query = placeOfBackfill
	case "workflow run":
		query = placeOfWorkflowRun
	case "alarm":
		query = placeOfAlarm
	case "notification":
		query = placeOfNotification
	case "silence":
		query = placeOfSilence
	default:
		return nil, job.Errorf(job.Internal, "a %s has no known place", kind)
	}
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return nil, nothing(kind, key)
	}
	return s.place(ctx, kind, key, query, id)
}

// placeOfAttempt returns where the run of an attempt is.
func (s *Store) placeOfAttempt(ctx context.Context, key string) ([]access.Object, error) {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return nil, nothing("attempt", key)
	}
	type row struct{ attempt, run int64 }
	fields := func(r *row) []any { return []any{(*integer)(&r.attempt), (*integer)(&r.run)} }
	found, err := ofAttempts(ctx, s.reader, &lookup{runsFirst, runsAgain, runsPast}, fields, func(r *row) int64 { return r.attempt }, []int64{id}, 1)
	if err == nil && len(found) == 0 {
		err = nothing("attempt", key)
	}
	if err != nil {
		return nil, err
	}
	return s.place(ctx, "attempt", key, placeOfRun, found[0].run)
}

func (s *Store) place(ctx context.Context, kind, key, query string, args ...any) ([]access.Object, error) {
	o, found, err := first(ctx, s.reader, objectFields, query, args...)
	if err == nil && !found {
		err = nothing(kind, key)
	}
	if err != nil {
		return nil, err
	}
	return []access.Object{o}, nil
}

func nothing(kind, key string) error {
	return job.Errorf(job.NotFound, "%s %s does not exist", kind, key)
}

func objectFields(o *access.Object) []any {
	return []any{(*text)(&o.Namespace), (*text)(&o.Group)}
}

// placeOfGroup returns where a group is: in the namespace, which is empty for any.
func (s *Store) placeOfGroup(ctx context.Context, namespace, key string) ([]access.Object, error) {
	on, err := s.place(ctx, "group", key, placeOfGroup, key)
	if err == nil && namespace != "" && on[0].Namespace != namespace {
		return nil, nothing("group", key)
	}
	return on, err
}

// placesOfPause returns where the jobs are that a pause holds.
func (s *Store) placesOfPause(ctx context.Context, key string) ([]access.Object, error) {
	p, found, err := first(ctx, s.reader, pauseFields, readPauseScope, key)
	if err == nil && !found {
		err = nothing("pause", key)
	}
	if err != nil {
		return nil, err
	}
	return access.OfPause(&p), nil
}

// placesOfSecret returns where the jobs are that may refer to a secret.
func (s *Store) placesOfSecret(ctx context.Context, namespace, key string) ([]access.Object, error) {
	found, err := s.Secret(ctx, namespace, key)
	if err != nil {
		return nil, err
	}
	return access.OfSecret(&found), nil
}
