package mysql

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// The shapes of statements that byList knows. A table of a subquery may be named by a row
// that is given; how many rows it has may not.
var (
	insertValues = regexp.MustCompile(`^(INSERT INTO \w+ \([^)]*\)) VALUES \((.*)\)( -- keeps .*)?$`)
	insertSelect = regexp.MustCompile(`^(INSERT INTO \w+ \([^)]*\)) SELECT ([^()]*) FROM (.*)$`)
	updateOne    = regexp.MustCompile(`^UPDATE (\w+) SET (.*?) WHERE (.*)$`)
	bounded      = regexp.MustCompile(`\b(LIMIT|OFFSET)\b`)
	joined       = regexp.MustCompile(`\bJOIN (\w+ \w+)\b`)
	givenColumn  = regexp.MustCompile(`\bgiven\.c\d+\b`)
	notExists    = regexp.MustCompile(` AND NOT EXISTS \(SELECT 1 FROM (\w+)( \w+) WHERE [^()]*\)$`)
	among        = regexp.MustCompile(`^\w+ IN \(`)
)

// byPrimary is appended to the tables, each of whose rows is found by its primary key:
// without it the database reads all rows of a table that was empty when it was counted, for
// each of the rows.
const byPrimary = " FORCE INDEX (PRIMARY)"

// byList returns how to do for many rows of arguments what a statement does for one: they
// come as one text, a table named given. Neither database returns which rows an UPDATE has
// found, so a query before it does: the writer has the turn, and no other writer changes
// them in between.
func byList(collation string) func(query, kinds string, key int) (sqlstore.List, bool) {
	var lists sync.Map // *sqlstore.List by statement, which are constants; nil for one of another shape
	return func(query, kinds string, key int) (sqlstore.List, bool) {
		list, found := lists.Load(query)
		if !found {
			list, _ = lists.LoadOrStore(query, writeList(query, kinds, collation, key))
		}
		if l := list.(*sqlstore.List); l != nil {
			return *l, true
		}
		return sqlstore.List{}, false
	}
}

// writeList writes the statements of byList. It returns nil for a shape that it does not know.
func writeList(query, kinds, collation string, key int) *sqlstore.List {
	list := &sqlstore.List{}
	query = breaks.ReplaceAllString(query, " ")
	if bounded.MatchString(query) { // no value of a list
		return placeholders(query, kinds, key)
	}
	given := query
	query = named(query)
	if m := insertValues.FindStringSubmatch(query); m != nil {
		of := insertValues.FindStringSubmatch(given)
		list.Many = rebind(m[1] + " VALUES " + strings.Repeat("("+of[2]+"), ", sqlstore.ManyRows-1) + "(" + of[2] + ")" + m[3])
		list.Do = m[1] + " SELECT " + m[2] + " FROM @" + m[3]
	} else if m := insertSelect.FindStringSubmatch(query); m != nil {
		there, free, keeps := unlessThere(m[3], m[1])
		list.Which = "SELECT given.n" + inOrder(" FROM @ JOIN "+there)
		list.Do = m[1] + " SELECT " + m[2] + inOrder(" FROM @ JOIN "+free) + keeps
		writeValues(list, given, kinds, key)
	} else if m := updateOne.FindStringSubmatch(query); len(m) > 3 && !strings.Contains(m[2], "SELECT") && !among.MatchString(m[3]) {
		list.Which = "SELECT given.n FROM @ STRAIGHT_JOIN " + m[1] + byPrimary + " WHERE " + m[3]
		list.Do = "UPDATE @ STRAIGHT_JOIN " + m[1] + byPrimary + " SET " + m[2] + " WHERE " + m[3]
		writeValues(list, given, kinds, key)
	} else {
		return placeholders(given, kinds, key)
	}
	for _, text := range []*string{&list.Which, &list.Do} {
		*text = rebind(strings.Replace(*text, "@", givenRows(*text, kinds, collation), 1))
	}
	return list
}

// placeholders returns a list for which there is no table of arguments; nil when there are no
// placeholders either.
func placeholders(query, kinds string, key int) *sqlstore.List {
	list := &sqlstore.List{}
	if writeValues(list, query, kinds, key); list.Values == nil {
		return nil
	}
	return list
}

// inOrder goes from table to table as they are written, by their primary keys.
func inOrder(from string) string { return joined.ReplaceAllString(from, "STRAIGHT_JOIN $1"+byPrimary) }

// unlessThere returns the query by primary key for a row that an INSERT … SELECT would
// make, and what that selects without the condition: then the existing row causes the
// conflict, and the database need not first collect the others in a temporary table.
func unlessThere(from, insert string) (there, free, keeps string) {
	m := notExists.FindStringSubmatchIndex(from)
	if len(m) < 6 || !strings.HasPrefix(insert, "INSERT INTO "+from[m[2]:m[3]]+" (") {
		return from, from, ""
	}
	return from[:m[5]] + byPrimary + from[m[5]:], from[:m[0]] + from[m[1]:], keepsPrimary
}

// named puts columns of the given rows in the place of the placeholders, in order.
func named(query string) string {
	var out strings.Builder
	number, quoted := 0, false
	for _, c := range []byte(query) {
		quoted = quoted != (c == '\'')
		if c != '?' || quoted {
			out.WriteByte(c)
			continue
		}
		number++
		fmt.Fprintf(&out, "given.c%d", number)
	}
	return out.String()
}

// givenRows returns the table of the arguments: n, the number of the row from 1 on, and a
// column for each placeholder that a statement names.
func givenRows(statement, kinds, collation string) string {
	used := make(map[string]bool, len(kinds))
	for _, name := range givenColumn.FindAllString(statement, -1) {
		used[name] = true
	}
	var out strings.Builder
	out.WriteString("JSON_TABLE(?, '$[*]' COLUMNS (n FOR ORDINALITY")
	for i, kind := range kinds {
		if !used[fmt.Sprintf("given.c%d", i+1)] {
			continue
		}
		of := "BIGINT"
		if kind == 't' {
			of = "LONGTEXT CHARACTER SET utf8mb4 COLLATE " + collation
		}
		fmt.Fprintf(&out, ", c%d %s PATH '$[%d]' ERROR ON ERROR", i+1, of, i)
	}
	out.WriteString(")) given")
	return out.String()
}
