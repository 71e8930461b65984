package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/job"
)

// Dialect is what a database does in its own way. The statements use the rest:
// placeholders written ?, savepoints, and standard SQL.
type Dialect struct {
	// Begin starts a transaction that may write at once, so that it never
	// fails half way because another one writes.
	Begin string
	// Refresh is a command that the writer gives every two seconds, between transactions.
	// Defaults to none.
	Refresh string
	// Rebind turns the placeholders of a statement into the database's own.
	// Defaults to leaving them.
	Rebind func(query string) string
	// KeepFirst returns an INSERT that leaves a row out when the unique
	// columns of another row have the same values.
	KeepFirst func(insert string, unique ...string) string
	// Kept reports whether an error of the statement that KeepFirst returned means only
	// that the row was left out. Defaults to no error that does.
	Kept func(insert string, err error) bool
	// Spans is where the database has the runs of a job. Defaults to none: in an index by job and id.
	Spans *Spans
	// OneByOne means that the list behind an IN allows no LIMIT: a query that needs one
	// runs once for each id.
	OneByOne bool
	// Sparing means that savepoints are omitted until an operation fails: each is a round
	// trip to the database. A transaction must not end without an error unless it is
	// committed or rolled back.
	Sparing bool
	// Gone reports whether an error means that the session had ended before it was used
	// again, so that nothing was done. Defaults to not knowing.
	Gone func(err error) bool
	// AtOnce returns a statement, in the database's own dialect, that does for many rows of
	// arguments what an UPDATE, INSERT or DELETE does for one. Each of its placeholders is
	// an array, of numbers or of texts as the letters of kinds (i or t) define. It returns
	// the number at the placeholder key, counted from 0, of each row of arguments that took
	// effect. Numbers there are all different. A statement of another shape is an error.
	// Defaults to none: rows are executed one by one, which is as quick where no network
	// lies between.
	AtOnce func(query, kinds string, key int) (string, error)
	// ByList returns how to do for many rows of arguments, with different keys, what an
	// UPDATE or INSERT does for one, where no statement returns which rows it has found;
	// false when there is no such way. kinds and key are as for AtOnce. Writers have to
	// take turns. Defaults to never.
	ByList func(query, kinds string, key int) (List, bool)
	// Expects is how a statement is queued although its answer matters: the answer that it
	// nearly always gets is assumed. Defaults to never. Connections have to be [Pipe]s.
	Expects *Expects
	// Fault classifies an error of the driver.
	Fault func(err error) Fault
	// Now is a query for the database's time, in milliseconds UTC: the clock at that
	// moment, also within a transaction.
	Now string
	// Origin is a query for a text that names the history of the database: it is another one
	// after a standby was promoted, and where a copy was put into another server. Defaults to
	// none.
	Origin string
	// Elsewhere reports that an error is caused by the server that the connection leads to,
	// or by how it began: another connection may succeed. Defaults to no.
	Elsewhere func(err error) bool
	// Divided are the partitions of the parts of packs of logs. Defaults to none: they are
	// in one table.
	Divided Divided
	// Text returns what the database can store of a text. Defaults to all of it.
	Text func(text string) string
}

// Expects writes statements that the database refuses, with an error that ends the
// transaction, unless all of their rows take effect.
type Expects struct {
	// After is how many times in a row all rows of a statement have to take effect before the
	// next time is assumed to do the same.
	After int
	// One does so for one row of arguments, in the database's own words.
	One func(query string) string
	// All does so for what AtOnce returns.
	All func(query, kinds string, key int) (string, error)
	// Failed reports whether an error is that of such a statement.
	Failed func(err error) bool
}

// Fault is what an error of a database means.
type Fault int

// The faults.
const (
	// FaultOther: a mistake in a statement, or damage.
	FaultOther Fault = iota
	// FaultTaken: a unique value exists already.
	FaultTaken
	// FaultAway: the database is busy, full, unreachable or cannot write;
	// later it may work.
	FaultAway
	// FaultLost: the database has undone the transaction for the sake of another
	// one. The same may be done again at once.
	FaultLost
)

// defaults fills what may be left out and reports what may not.
func (d *Dialect) defaults() error {
	if d.Begin == "" || d.Now == "" || d.KeepFirst == nil || d.Fault == nil {
		return job.Errorf(job.Invalid, "a dialect needs Begin, Now, KeepFirst and Fault")
	}
	if d.Rebind == nil {
		d.Rebind = func(query string) string { return query }
	}
	if e := d.Expects; e != nil && (e.One == nil || e.All == nil || e.Failed == nil || d.AtOnce == nil) {
		return job.Errorf(job.Invalid, "a dialect that expects answers needs AtOnce, One, All and Failed")
	}
	if d.Elsewhere == nil {
		d.Elsewhere = func(error) bool { return false }
	}
	return nil
}

// translate gives an error of the driver its kind. Errors that have a kind, and
// those of an ended context, pass as they are.
func (d *Dialect) translate(err error) error {
	if _, known := errors.AsType[*job.Error](err); err == nil || known ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch d.Fault(err) {
	case FaultTaken:
		return job.Errorf(job.Conflict, "it exists already: %w", err)
	case FaultAway, FaultLost:
		return job.Errorf(job.Unavailable, "the database cannot do this now: %w", err)
	case FaultOther:
	}
	return job.Errorf(job.Internal, "the database refused a statement: %w", err)
}

// storable returns the arguments of a statement as the database can store them.
func (d *Dialect) storable(args []any) []any {
	if d.Text == nil {
		return args
	}
	own := false
	for i, arg := range args {
		given, ok := arg.(string)
		if !ok {
			continue
		}
		text := d.Text(given)
		if text == given {
			continue
		}
		if !own {
			args, own = slices.Clone(args), true // they are the caller's
		}
		args[i] = text
	}
	return args
}

// in returns query with its one %s replaced by n placeholders.
func in(query string, n int) string {
	return fmt.Sprintf(query, strings.TrimSuffix(strings.Repeat("?,", n), ","))
}

// maxIDs bounds the ids in one statement, and maxWide those where there are many of them
// at a time.
const (
	maxIDs  = 50
	maxWide = 500
)

// sized returns 1 to maxWide ids, or keys, as arguments for a list of one of few lengths,
// so that few statements are prepared. The last id fills the list up.
func sized[T any](ids []T) []any {
	n := maxWide
	for _, length := range [...]int{200, maxIDs, 8, 1} {
		if len(ids) <= length {
			n = length
		}
	}
	args := make([]any, n)
	for i := range args {
		args[i] = ids[min(i, len(ids)-1)]
	}
	return args
}

// startOf returns the beginning of a statement, for an error's text.
func startOf(query string) string {
	const most = 60
	text := strings.Join(strings.Fields(query), " ")
	if len(text) > most {
		text = text[:most] + "…"
	}
	return text
}
