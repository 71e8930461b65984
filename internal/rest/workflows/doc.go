// Package workflows has the operations about what jobs run by: workflows, calendars, pauses,
// backfills and secrets.
//
// It knows how these look in JSON. It must never know when a job runs. A checked request
// comes from the guard, one question goes to the stores.
package workflows
