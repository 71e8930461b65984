package queue

import "time"

// Old keys are forgotten a few at a time by the calls that add new ones.
const (
	// ageEvery is after how many finished items the age of the oldest
	// remembered key is looked at. Their number is looked at each time.
	ageEvery = 8
	// pruneSteps is how many keys one call may forget: more than are added,
	// so that what is kept shrinks after a limit was lowered.
	pruneSteps = 2 * ageEvery
)

// Ack ends an item in processing. Its key is remembered.
func (q *Queue) Ack(tx *Tx, key int64, now time.Time) error {
	return q.finish(tx, key, now, Processing)
}

// Drop ends a scheduled item that will not be processed. Its key is
// remembered.
func (q *Queue) Drop(tx *Tx, key int64, now time.Time) error {
	return q.finish(tx, key, now, Scheduled)
}

func (q *Queue) finish(tx *Tx, key int64, now time.Time, from Place) error {
	r, err := q.expect(tx, key, from)
	if err != nil {
		return err
	}
	remember := q.config.Remember >= 0
	tx.endRow(r, now, remember)
	if remember {
		q.prune(tx, now)
	}
	return nil
}

// prune forgets the keys that finished first, as far as they are too many or, now
// and then, too old.
func (q *Queue) prune(tx *Tx, now time.Time) {
	known := &q.stateIn(tx).remembered
	over := known.len() - q.config.Remember
	n := max(0, min(over, pruneSteps))
	if (known.next-1)%ageEvery == 0 {
		for n < min(known.len(), pruneSteps) && now.Sub(instant(known.endingAt(known.first+uint64(n)).at)) >= q.config.RememberFor {
			n++
		}
	}
	if n > 0 {
		tx.forget(q.stateIn(tx), n)
	}
}
