package sqlstore

import (
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/job"
)

// written is the stored state of a definition that is being saved; its version is 0 when
// there is none yet.
type written struct {
	id, version int64
	created     time.Time
}

// overwriting finds the definition that is to be written at a version, 0 for a new
// one. Kinds: Conflict when it exists already or has another version, NotFound.
func (t *tx) overwriting(query, noun, namespace, key string, version int64) (written, error) {
	id, has, created, err := t.standingOf(query, namespace, key)
	switch {
	case err != nil:
		return written{}, err
	case id != 0 && version == 0:
		return written{}, job.Errorf(job.Conflict, "%s %s exists already in namespace %s", noun, key, namespace)
	case id == 0 && version != 0:
		return written{}, noDefinition(noun, namespace, key)
	case has != version:
		return written{}, job.Errorf(job.Conflict, "%s %s was changed since it was read: it has version %d, not %d", noun, key, has, version)
	}
	return written{id, has, created}, nil
}

// standingOf reads which definition has the key; id is 0 when none has.
func (t *tx) standingOf(query, namespace, key string) (id, version int64, created time.Time, err error) {
	_, err = t.read(query, []any{namespace, key}, []any{&id, &version, (*instant)(&created)})
	return id, version, created, err
}

func noDefinition(noun, namespace, key string) error {
	return job.Errorf(job.NotFound, "%s %s does not exist in namespace %s", noun, key, namespace)
}

func noSilence(id int64) error { return job.Errorf(job.NotFound, "there is no silence %d", id) }

// alarmID returns the id of a new definition, or Full when there are most of its
// sort already.
func (t *tx) alarmID(count, noun string, most int64) (int64, error) {
	var n int64
	if _, err := t.read(count, nil, []any{&n}); err != nil {
		return 0, err
	}
	if n >= most {
		full := job.Errorf(job.Full, "there are %d %s already, which is the most", n, noun)
		full.Hint = "delete some that are no longer needed"
		return 0, full
	}
	return t.reserve(sequenceAlarmDefinitions, 1)
}

// touchAlarmBook records that definitions have changed.
func (t *tx) touchAlarmBook() error {
	return t.do(advanceSequence, 1, sequenceAlarmBook)
}

func ruleFields(r *alarm.Rule) []any {
	return []any{
		document[alarm.Rule]{r},
		(*integer)(&r.ID), (*text)(&r.Namespace), (*text)(&r.Key),
		(*integer)(&r.Version), (*instant)(&r.CreatedAt), (*instant)(&r.UpdatedAt),
	}
}

func channelFields(c *alarmconfig.Channel) []any {
	return []any{
		document[alarm.Channel]{&c.Channel},
		(*integer)(&c.ID), (*text)(&c.Namespace), (*text)(&c.Key), (*truth)(&c.Default), (*text)(&c.Sealed),
		(*integer)(&c.Version), (*instant)(&c.CreatedAt), (*instant)(&c.UpdatedAt),
		(*instant)(&c.OKAt), (*instant)(&c.FailedAt), (*text)(&c.Failure), (*count)(&c.Failures),
	}
}

func silenceFields(s *alarm.Silence) []any {
	return []any{document[alarm.Silence]{s}, (*integer)(&s.ID), (*text)(&s.Namespace), (*instant)(&s.CreatedAt)}
}
