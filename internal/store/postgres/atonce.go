package postgres

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/orthd/orth/job"
)

// The shapes of statements that atOnce knows. The first column of an INSERT is the one
// that the key names.
var (
	insertValues = regexp.MustCompile(`^(INSERT INTO \w+ \((\w+)[^)]*\)) VALUES \((.*?)\)( ON CONFLICT \([^)]*\) DO NOTHING)?$`)
	insertSelect = regexp.MustCompile(`^INSERT INTO \w+ \((\w+)[^)]*\) SELECT `)
)

// atOnce writes a statement that takes arrays: the rows of arguments are those of a table
// named given.
func atOnce(query, kinds string, key int) (string, error) {
	query = strings.Join(strings.Fields(query), " ")
	if strings.Count(query, "?") != len(kinds) || key >= len(kinds) || kinds[key] != 'i' || strings.Trim(kinds, "it") != "" {
		return "", job.Errorf(job.Internal, "%s: its arguments are not of the kinds %q with the key %d", query, kinds, key)
	}
	given := givenRows(kinds)
	if parts := insertValues.FindStringSubmatch(query); parts != nil {
		return named(parts[1]+" SELECT "+parts[3], kinds) + " FROM " + given + parts[4] + " RETURNING " + parts[2], nil
	}
	if parts := insertSelect.FindStringSubmatch(query); parts != nil {
		if head, tail, ok := cutOutside(query, " FROM "); ok {
			return named(head+" FROM "+given+", "+tail, kinds) + " RETURNING " + parts[1], nil
		}
	}
	if head, tail, ok := cutOutside(query, " WHERE "); ok && strings.HasPrefix(query, "UPDATE ") {
		return named(head+" FROM "+given+" WHERE "+tail, kinds) + " RETURNING given.c" + strconv.Itoa(key+1), nil
	}
	return "", job.Errorf(job.Internal, "%s: nobody knows how to do that at once", query)
}

// givenRows returns the table of the arguments, a column for each placeholder.
func givenRows(kinds string) string {
	arrays, names := make([]string, len(kinds)), make([]string, len(kinds))
	for i, kind := range kinds {
		number := strconv.Itoa(i + 1)
		arrays[i], names[i] = "$"+number+"::bigint[]", "c"+number
		if kind == 't' {
			arrays[i] = "$" + number + "::text[]"
		}
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") AS given(" + strings.Join(names, ", ") + ")"
}

// named puts the columns of the given rows in the place of the placeholders, in order.
func named(query, kinds string) string {
	var out strings.Builder
	number, quoted := 0, false
	for i := range len(query) {
		switch c := query[i]; {
		case c == '\'':
			quoted = !quoted
			out.WriteByte(c)
		case c != '?' || quoted:
			out.WriteByte(c)
		default:
			out.WriteString("given.c" + strconv.Itoa(number+1))
			if kinds[number] == 't' {
				out.WriteString(` COLLATE "C"`) // as that of the columns
			}
			number++
		}
	}
	return out.String()
}

// cutOutside cuts the query at the first word that stands outside of parentheses.
func cutOutside(query, word string) (head, tail string, found bool) {
	depth := 0
	for i := range len(query) {
		switch {
		case query[i] == '(':
			depth++
		case query[i] == ')':
			depth--
		case depth == 0 && strings.HasPrefix(query[i:], word):
			return query[:i], query[i+len(word):], true
		}
	}
	return "", "", false
}
