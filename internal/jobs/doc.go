// Package jobs carries out the commands of users on jobs and on what belongs to them:
// their runs, backfills, trials, calendars, pauses and groups. It is the row at the left
// end of the path.
//
// It knows what a valid job, calendar, pause and backfill is, when a job fires, and what
// starting, stopping, triggering and cancelling mean. It must never know HTTP, SQL, or how
// a run is planned or sent. Requests come in from the doors; rows go out, and a hint that
// there are new ones.
package jobs
