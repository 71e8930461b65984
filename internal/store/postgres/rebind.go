package postgres

import (
	"regexp"
	"strconv"
	"strings"
)

// What statements write for all databases, and PostgreSQL names differently or needs in
// more detail.
var (
	// Orth's statements write CROSS JOIN … ON where the order of the tables is meant:
	// PostgreSQL chooses the order itself, and has no such join.
	joinInOrder = regexp.MustCompile(`\bCROSS JOIN (\w+ \w+ ON)\b`)
	position    = regexp.MustCompile(`\bINSTR\(`)
	// Runs that are over and did not succeed have their state in a separate column.
	badState = regexp.MustCompile(`\b(\w+\.)?state = \? AND (?:\w+\.)?state <> 'succeeded' AND (?:\w+\.)?ended_at > 0\b`)
	// Attempts that are not the first of their runs.
	later = regexp.MustCompile(`\br\.attempt_id (IN \([?, ]+\)) AND r\.tries > 1\b`)
	// The sum of bigints is a numeric unless it is cast.
	sum = regexp.MustCompile(`\bSUM\(([^()]*)\)`)

	// A placeholder that is compared with a constant has the type of that, and a small
	// number is an int4. These match what comes behind it, and before it.
	textBehind   = regexp.MustCompile(`^ (=|<>|<|>|<=|>=) '`)
	numberBehind = regexp.MustCompile(`^ (=|<>|<|>|<=|>=) -?\d`)
	numberBefore = regexp.MustCompile(`\d (=|<>|<|>|<=|>=) $`)
)

// rebind writes a statement in PostgreSQL's words. Texts in quotes stay as they are.
func rebind(query string) string {
	query = fromUnderWay(query)
	if noted(query) != "" {
		return answering(query, words(query), "1") + " SELECT number FROM took"
	}
	return words(query)
}

// words translates a statement word by word.
func words(query string) string {
	query = joinInOrder.ReplaceAllString(query, "JOIN $1")
	query = position.ReplaceAllString(query, "STRPOS(")
	query = badState.ReplaceAllString(query, "${1}bad_state = ? AND ${1}bad_state > ''")
	query = later.ReplaceAllString(query, "r.again_attempt $1 AND r.again_attempt > 0")
	query = sum.ReplaceAllString(query, "SUM($1)::bigint")
	var out strings.Builder
	quoted, number := false, 0
	for i := range len(query) {
		switch c := query[i]; {
		case c == '\'':
			quoted = !quoted
			out.WriteByte(c)
		case c != '?' || quoted:
			out.WriteByte(c)
		default:
			number++
			out.WriteString("$" + strconv.Itoa(number) + typeOf(query[:i], query[i+1:]))
		}
	}
	return out.String()
}

// typeOf returns the type that a placeholder must be cast to, from the text before and
// behind it.
func typeOf(before, behind string) string {
	switch {
	case textBehind.MatchString(behind):
		return "::text"
	case numberBehind.MatchString(behind), numberBefore.MatchString(before[max(0, len(before)-8):]):
		return "::bigint"
	case strings.HasSuffix(before, "LOWER(") && strings.HasPrefix(behind, ")"):
		return `::text COLLATE "C"` // as that of the columns
	}
	return ""
}
