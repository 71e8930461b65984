// Package waiting has the runs that a dispatcher holds in memory, by priority and due time,
// with the definitions of their jobs, what was sent of them lately, and what an answer of
// an executor means for them.
//
// It knows when a run is due, where it is parked and how long it waits next. It must never
// know SQL, protocols or the executors themselves, and it starts no goroutine: the
// dispatcher owns what it holds. Runs and answers go in; runs, verdicts and reasons go out.
package waiting
