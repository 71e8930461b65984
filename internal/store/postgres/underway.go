package postgres

import (
	"regexp"
	"strings"
)

// A run that is not over has a row in the table under_way, with what it is asked for by. An index
// of runs over any of that would cost a run more than the table: PostgreSQL writes a row that has
// changed in one index into all of them. The statement that writes runs writes under_way too, and
// statements that ask for runs that wait, or that are open, ask it, or the view runs_under_way, which
// joins both. docs/decisions/history.md has the figures.

// kept are the columns of runs that under_way has, too, after the id.
const kept = "job_id, group_id, priority, ready_at, expires_at, open_on, open_job, attempt_id"

// looked are those that the view looks up in runs, one by one.
const looked = "job_version, planned_at, cause, cause_id, shard_index, shard_total, state, due_at, tries, undelivered, address, triggered_at, " +
	"accepted_at, attempt_state, check_at, created_at, started_at, ended_at, asked_by, home, avoid, addresses, reason, message, param"

var (
	insertsRuns = regexp.MustCompile(`^INSERT INTO runs \(`)
	updatesRuns = regexp.MustCompile(`^UPDATE runs SET `)
	deletesRuns = regexp.MustCompile(`^DELETE FROM runs WHERE `)
	// What an UPDATE sets: who has an ended_at is over.
	setsEnd  = regexp.MustCompile(`\bended_at = `)
	setsKept = regexp.MustCompile(`\b(?:` + strings.ReplaceAll(kept, ", ", "|") + `) = `)

	// Statements have one of these conditions when what they ask for is found among what is under way.
	// (One that only looks at rows that it finds otherwise has IS NOT NULL.)
	asksUnderWay = regexp.MustCompile(`\b(?:ready_at|open_job) > 0\b|\bopen_on > ''`)
	namesRuns    = regexp.MustCompile(`\bruns\b`)
	readsRuns    = regexp.MustCompile(`\b(FROM|JOIN) runs\b`)
	looksUp      = regexp.MustCompile(`\b(?:` + strings.ReplaceAll(looked, ", ", "|") + `)\b`)
)

// fromUnderWay has a statement look for runs among those under way if it asks for such. A statement
// about runs becomes one of one line.
func fromUnderWay(query string) string {
	if !namesRuns.MatchString(query) {
		return query
	}
	query = oneLine(query)
	if !asksUnderWay.MatchString(query) {
		return query
	}
	head, where, _ := cutOutside(query, " WHERE ")
	if !updatesRuns.MatchString(query) {
		return readsRuns.ReplaceAllString(query, "$1 "+placeOf(query))
	}
	if asksUnderWay.MatchString(outside(where)) {
		return head + " WHERE id IN (SELECT id FROM " + placeOf(where) + " WHERE " + where + ")"
	}
	return readsRuns.ReplaceAllString(query, "$1 under_way")
}

// placeOf returns what has the columns that a query names.
func placeOf(query string) string {
	if looksUp.MatchString(query) {
		return "runs_under_way"
	}
	return "under_way"
}

// answering returns a statement that is to answer with a value for each row that it writes, as the
// beginning of one that ends with what is selected FROM took: its column number has the values.
// query is the statement as it was before its arguments were written into it.
func answering(query, text, value string) string {
	notes := noted(query)
	if notes == "" {
		return "WITH took AS (" + text + " RETURNING " + value + " AS number)"
	}
	return "WITH took AS (" + text + " RETURNING " + value + " AS number, runs.id, " + of("runs") + "), noted AS (" + notes + ")"
}

// noted returns the statement by which under_way follows one that writes the runs of took; empty
// when there is nothing to follow.
func noted(query string) string {
	const forget = "DELETE FROM under_way w USING took WHERE w.id = took.id"
	switch {
	case insertsRuns.MatchString(query):
		return "INSERT INTO under_way (id, " + kept + ") SELECT id, " + kept + " FROM took WHERE ready_at IS NOT NULL OR open_on IS NOT NULL"
	case deletesRuns.MatchString(query):
		return forget
	case !updatesRuns.MatchString(query):
		return ""
	}
	set, _, _ := cutOutside(query, " WHERE ")
	switch {
	case setsEnd.MatchString(set):
		return forget
	case setsKept.MatchString(set):
		return "UPDATE under_way w SET (" + kept + ") = ROW(" + of("took") + ") FROM took WHERE w.id = took.id"
	}
	return ""
}

// of returns what is kept, as columns of a table.
func of(table string) string { return table + "." + strings.ReplaceAll(kept, ", ", ", "+table+".") }
