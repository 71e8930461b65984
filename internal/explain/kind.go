package explain

// Kind is the subject of a Fact. The API returns the values as they are. They keep their
// meaning; new ones may be added.
type Kind string

// The kinds of facts about a run.
const (
	// KindCause: why the run exists.
	KindCause Kind = "cause"
	// KindSlot: the planned time of the run; KindNoSlot: it has none.
	KindSlot   Kind = "slot"
	KindNoSlot Kind = "no_slot"
	// KindParam: it has a parameter of its own.
	KindParam Kind = "param"
	// KindAddresses: only some executors may take it.
	KindAddresses Kind = "addresses"
	// KindSent and the others: the life of an attempt.
	KindSent         Kind = "sent"
	KindAccepted     Kind = "accepted"
	KindUndelivered  Kind = "undelivered"
	KindAttemptEnded Kind = "attempt_ended"
	// KindEvidence: a report that came after the end of an attempt was recorded.
	KindEvidence Kind = "evidence"
	// KindSplit: it was split into shards.
	KindSplit Kind = "split"
	// KindLeftOut: attempts that are not listed one by one.
	KindLeftOut Kind = "left_out"
	// KindNoted: a reason that was recorded with the run before it was sent.
	KindNoted Kind = "noted"
	// KindWaiting: it waits, and for what; KindRunning: it is running.
	KindWaiting Kind = "waiting"
	KindRunning Kind = "running"
	// KindChildren: other jobs that its end may start.
	KindChildren Kind = "children"
	// KindExpires: when it expires.
	KindExpires Kind = "expires"
	// KindDeadLetter: it failed for good, and how that was resolved.
	KindDeadLetter Kind = "dead_letter"
	// KindStopping: a user cancels it, and its executor has not reported the end.
	KindStopping Kind = "stopping"
	// KindEnded: its end.
	KindEnded Kind = "ended"
	// KindRun: another run, in short.
	KindRun Kind = "run"
)

// The kinds of facts about jobs.
const (
	KindJobCreated Kind = "job_created"
	KindJobChanged Kind = "job_changed"
	KindJobDeleted Kind = "job_deleted"
	KindStarted    Kind = "started"
	KindStopped    Kind = "stopped"
	// KindNext: what comes next.
	KindNext Kind = "next"
	// KindPlanned: up to when firings are planned.
	KindPlanned Kind = "planned"
	// KindHeld: a pause holds, or held, the job back.
	KindHeld Kind = "held"
	// KindExecutors and KindNoExecutor: the live executors of the group.
	KindExecutors  Kind = "executors"
	KindNoExecutor Kind = "no_executor"
)

// The kinds of facts about schedules and their slots.
const (
	KindSchedule   Kind = "schedule"
	KindUnreadable Kind = "schedule_unreadable"
	// KindFires and KindFiresNot: whether the instant in question is a slot.
	KindFires    Kind = "fires"
	KindFiresNot Kind = "fires_not"
	// KindDropped and KindMoved: the effect of a calendar or the jitter on a slot.
	KindDropped Kind = "dropped"
	KindMoved   Kind = "moved"
	// KindBefore and KindAfter: the nearest firings.
	KindBefore Kind = "firing_before"
	KindAfter  Kind = "firing_after"
	// KindClock: the clock of the zone stepped; KindTwice: it showed the time in question
	// twice.
	KindClock Kind = "clock_stepped"
	KindTwice Kind = "clock_twice"
	// KindBounds: the start, the end or the count of the schedule.
	KindBounds Kind = "bounds"
	// KindCalendarChanged: a calendar was changed since the instant.
	KindCalendarChanged Kind = "calendar_changed"
	// KindNoRecord: no run is recorded for the instant.
	KindNoRecord Kind = "no_record"
	// KindRecordBefore: the last record before the instant.
	KindRecordBefore Kind = "record_before"
)
