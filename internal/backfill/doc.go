// Package backfill runs jobs for slots of the past, at a bounded rate.
//
// It knows backfills, the slots of a schedule, and how many runs may be active. It must
// never know executors, protocols or SQL. It reads running backfills from the store. It
// commits runs in the same transaction that advances the backfill, so that a crash neither
// loses nor doubles a slot. The dispatcher finds the runs like all others.
//
//	ClaimBackfills ──▶ ahead(slots) ──▶ decide(view, now) ──▶ CommitStep
//	      ▲                                                       │
//	      └────────── Look, or a run has ended ◀── runs ◀─────────┘
//
// A backfill follows the slots of the job's current schedule, from the last slot taken on.
// When the schedule is changed, the remaining slots are those of the new one, and never
// more in all than were counted when the backfill was created. A backfill runs a stopped
// job too. The backfills of a job end when the job is deleted, or when its schedule names
// no slots any more.
package backfill
