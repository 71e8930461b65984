// Package backfills implements orth backfill and orth job backfill: plan, start, watch and cancel
// runs for a past time.
//
// The server decides which slots a backfill has.
package backfills
