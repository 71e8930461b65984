package mysql

import (
	"regexp"
	"strings"
)

// What statements write for all databases and MySQL calls by another name.
var (
	// Orth's statements write CROSS JOIN … ON where the order of the tables is meant.
	joinInOrder = regexp.MustCompile(`\bCROSS JOIN (\w+ \w+ ON)\b`)
	// The sum of integers is a decimal unless it is cast.
	sum     = regexp.MustCompile(`\bSUM\(([^()]*)\)`)
	integer = regexp.MustCompile(`\bAS BIGINT\)`)
	// Lower case is that of ASCII letters, as elsewhere: tis620 is a set of bytes that has
	// no other letters with a case. The bytes are those of UTF-8, before and after.
	lower = [2]string{"CAST(LOWER(CONVERT(CAST(", " AS BINARY) USING tis620)) AS BINARY)"}
	// Words of MySQL, or of MariaDB, that are names of columns here.
	reserved = regexp.MustCompile(`\b(groups|lines|manual|parallel)\b`)
	text     = regexp.MustCompile(`'[^']*'`)
	breaks   = regexp.MustCompile(`\s*\n\s*`)
	// Of two keys that begin with the job the newest run is at the end of this one.
	newestOf = regexp.MustCompile(`\bFROM runs l WHERE l\.job_id = j\.id\b`)
)

// The other databases have indexes of the runs that wait, and of nothing else. Here
// columns stand for them that are NULL in all other rows.
var (
	waitingIn = regexp.MustCompile(`\b(r\.)?group_id = (\?|g\.id) AND ((?:r\.)?priority IN \(0, 1, 2\) AND )?((?:r\.)?ready_at > 0)`)
	// The condition comes later in statements with joins.
	joinedRuns = regexp.MustCompile(`\bruns r ON r\.group_id = g\.id\b`)
	waiting    = regexp.MustCompile(`\bWHERE r\.ready_at > 0`)
	// Runs that are over and did not succeed.
	badState = regexp.MustCompile(`\b(\w+\.)?state = \? AND (?:\w+\.)?state <> 'succeeded' AND (?:\w+\.)?ended_at > 0\b`)
	// Attempts that are not the first of their runs.
	later = regexp.MustCompile(`\br\.attempt_id (IN \([?, ]+\)) AND r\.tries > 1\b`)
	// Runs that wait, and expire.
	expiring = regexp.MustCompile(`\br\.expires_at > 0 AND r\.expires_at <= \? AND r\.ready_at > 0 AND (.*)\bORDER BY r\.expires_at\b`)
)

// rebind writes a statement in MySQL's words. Texts in quotes stay as they are.
func rebind(query string) string {
	query = listFirst(breaks.ReplaceAllString(query, " "))
	query = newestOf.ReplaceAllString(query, "FROM runs l FORCE INDEX (runs_job) WHERE l.job_id = j.id")
	query = waitingIn.ReplaceAllString(query, "${1}ready_group = $2 AND $3$4")
	if waiting.MatchString(query) {
		query = joinedRuns.ReplaceAllString(query, "runs r ON r.ready_group = g.id")
	}
	query = badState.ReplaceAllString(query, "${1}bad_state = ?")
	query = later.ReplaceAllString(query, "r.again_attempt $1 AND r.tries > 1")
	query = lowered(query)
	query = expiring.ReplaceAllString(query, "r.ready_expires > 0 AND r.ready_expires <= ? AND ${1}ORDER BY r.ready_expires")
	var out strings.Builder
	from := 0
	for _, at := range append(text.FindAllStringIndex(query, -1), []int{len(query), len(query)}) {
		out.WriteString(words(query[from:at[0]]))
		out.WriteString(query[at[0]:at[1]])
		from = at[1]
	}
	return out.String()
}

// ownRows are the rows of the table that a statement changes, which a subquery looks at.
var ownRows = regexp.MustCompile(`\(SELECT o\.id FROM runs o (WHERE [^()]*)\)`)

// rebindApart is rebind for MySQL, which looks at rows of the table that it changes in a table of
// their own only. (MariaDB needs none, and would not let the values of a list into it.)
func rebindApart(query string) string {
	return ownRows.ReplaceAllString(rebind(query), "(SELECT own.id FROM (SELECT o.id FROM runs o $1) own)")
}

// lowered writes LOWER of ASCII letters alone.
func lowered(query string) string {
	const call = "LOWER("
	before, rest, some := strings.Cut(query, call)
	if !some {
		return query
	}
	end, depth := 0, 1
	for ; end < len(rest) && depth > 0; end++ {
		switch rest[end] {
		case '(':
			depth++
		case ')':
			depth--
		}
	}
	if depth > 0 {
		return query // no statement of ours
	}
	return before + lower[0] + rest[:end-1] + lower[1] + lowered(rest[end:])
}

// words translates what stands outside of quotes.
func words(part string) string {
	part = joinInOrder.ReplaceAllString(part, "STRAIGHT_JOIN $1")
	part = sum.ReplaceAllString(part, "CAST(SUM($1) AS SIGNED)")
	part = integer.ReplaceAllString(part, "AS SIGNED)")
	return reserved.ReplaceAllString(part, "`$1`")
}
