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
	updateSome   = regexp.MustCompile(`^UPDATE (\w+) SET `)
	deleteSome   = regexp.MustCompile(`^DELETE FROM (\w+) WHERE (.*)$`)
	// The beginning of a WHERE that locates the row.
	equalities = regexp.MustCompile(`^(?:\w+ = given\.c\d+(?: AND |$))+`)
	containing = regexp.MustCompile(`^(\w+) IN \(SELECT ([\w.]+) FROM (.*)\)$`)
	equality   = regexp.MustCompile(`\w+ = given`)
)

// few is true of all given rows. PostgreSQL thinks that it is true of few of them, and so
// begins with these.
const few = "given.n % 1 = 0"

// allGiven is all columns of the given rows.
const allGiven = "given.*"

// atOnce writes a statement that takes arrays: the rows of arguments are those of a table
// named given.
func atOnce(query, kinds string, key int) (string, error) {
	query = fromUnderWay(oneLine(query))
	text, value, err := forGiven(query, kinds, key)
	switch {
	case err != nil:
		return "", err
	case noted(query) != "":
		return answering(query, text, value) + " SELECT number FROM took", nil
	}
	return text + " RETURNING " + value, nil
}

// forGiven writes a statement of one line for the rows of given, and the value that a row is to
// answer with.
func forGiven(query, kinds string, key int) (text, value string, err error) {
	if placeholders(query) != len(kinds) || key >= len(kinds) || kinds[key] != 'i' || strings.Trim(kinds, "it") != "" {
		return "", "", job.Errorf(job.Internal, "%s: its arguments are not of the kinds %q with the key %d", query, kinds, key)
	}
	query, given := named(query, kinds), givenRows(kinds)
	if parts := insertValues.FindStringSubmatch(query); parts != nil {
		return parts[1] + " SELECT " + parts[3] + " FROM " + given + parts[4], parts[2], nil
	}
	if parts := insertSelect.FindStringSubmatch(query); parts != nil {
		if head, tail, ok := cutOutside(query, " FROM "); ok {
			return head + " FROM " + given + ", " + tail + " AND " + few, parts[1], nil
		}
	}
	const end = ".ctid = given.place"
	value = "given.c" + strconv.Itoa(key+1)
	if parts := deleteSome.FindStringSubmatch(query); len(parts) > 2 && strings.Contains(parts[2], "given.c") {
		return "DELETE FROM " + parts[1] + " USING " + allPlaces(parts[1], parts[2], given) + " WHERE " + within(parts[1]) + parts[1] + end, value, nil
	}
	if parts := updateSome.FindStringSubmatch(query); parts != nil {
		head, tail, _ := cutOutside(query, " WHERE ")
		if where := equalities.FindString(tail); where != "" {
			return head + " FROM " + places(parts[1], where, given) + " WHERE " + tail + " AND " + parts[1] + end, value, nil
		}
		if where := containing.FindString(tail); where == tail && tail != "" {
			return head + " FROM " + allPlaces(parts[1], tail, given) + " WHERE " + within(parts[1]) + parts[1] + end, value, nil
		}
	}
	return "", "", job.Errorf(job.Internal, "%s: this statement cannot be executed for many rows at once", query)
}

// places returns the given rows with the place of the row of the table that each is
// about, by an index. Joined by that, the database has no choice of plans: by the columns
// alone it may read all of a table of which it believes that it is small, or that few of
// its rows are in the state that is asked for.
func places(table, where, given string) string {
	where = equality.ReplaceAllString(strings.TrimSuffix(where, " AND "), "own.$0")
	//nolint:unqueryvet // All that is given is asked for.
	return "(SELECT " + allGiven + ", (SELECT own.ctid FROM " + table + " own WHERE " + where + ") AS place FROM " + given +
		" WHERE " + few + " OFFSET 0) given"
}

// within begins a condition on places with the table that they are of: in a table with
// partitions every one of these has rows at the same places.
func within(table string) string { return table + ".tableoid = given.part AND " }

// allPlaces returns the given rows, each with the places of all rows of the table that
// it is about. Those that a list names are found after the list: in another order the
// database may read all of a table that looks empty.
func allPlaces(table, where, given string) string {
	named := ""
	if parts := containing.FindStringSubmatch(where); parts != nil {
		named = " CROSS JOIN LATERAL (SELECT " + parts[2] + " AS name FROM " + parts[3] + " OFFSET 0) list"
		where = parts[1] + " = list.name"
	}
	//nolint:unqueryvet // All that is given is asked for.
	return "(SELECT " + allGiven + ", own.place, own.part FROM " + given + named + " CROSS JOIN LATERAL (SELECT " + table + ".ctid AS place, " +
		table + ".tableoid AS part FROM " + table + " WHERE " + where + " OFFSET 0) own WHERE " + few + " OFFSET 0) given"
}

// givenRows returns the table of the arguments, a column for each placeholder and n, the
// number of the row.
func givenRows(kinds string) string {
	arrays, names := make([]string, len(kinds)), make([]string, len(kinds))
	for i, kind := range kinds {
		number := strconv.Itoa(i + 1)
		arrays[i], names[i] = "$"+number+"::bigint[]", "c"+number
		if kind == 't' {
			arrays[i] = "$" + number + "::text[]"
		}
	}
	return "unnest(" + strings.Join(arrays, ", ") + ") WITH ORDINALITY AS given(" + strings.Join(names, ", ") + ", n)"
}

// placeholders counts those of a query, without what is in quotes.
func placeholders(query string) (n int) {
	for i, part := range strings.Split(query, "'") {
		if i%2 == 0 {
			n += strings.Count(part, "?")
		}
	}
	return n
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
