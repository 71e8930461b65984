// Package backfill runs jobs for slots of the past, at a bounded rate.
//
// It knows backfills, the slots of a schedule, and how many runs may be under
// way. It must never know executors, protocols or SQL. Running backfills come in
// from the store; runs go out, committed in the same transaction that moves the
// backfill on, so that a crash neither loses nor doubles a slot. The dispatcher
// finds the runs as it finds all others.
//
//	ClaimBackfills ──▶ ahead(slots) ──▶ decide(view, now) ──▶ CommitStep
//	      ▲                                                       │
//	      └────────── Look, or a run has ended ◀── runs ◀─────────┘
//
// A backfill goes through the slots of the schedule that its job has at the
// moment, from the last slot taken on: when the schedule is changed meanwhile, the
// slots to come are those of the new one, and never more in all than were counted
// when the backfill was made. A job that is stopped is run all the same; one that
// is deleted, or whose schedule names no slots any more, ends its backfills.
package backfill
