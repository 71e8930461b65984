package jobrows

// Order is how a list is sorted: by one of a few names, and the other way round when
// Down is set. What has no value comes last in both.
type Order struct {
	By   string
	Down bool
}

// The orders of jobs, runs and dead letters besides those of keys and ids.
const (
	ByKey       = "key"
	ByTitle     = "title"
	ByNext      = "next_at"
	ByUpdated   = "updated_at"
	ByLastEnded = "last_ended_at"
	ByPlanned   = "planned_at"
	ByStarted   = "started_at"
	ByEnded     = "ended_at"
	ByDuration  = "duration"
	ByTries     = "tries"
	ByJob       = "job"
)
