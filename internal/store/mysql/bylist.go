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
	among        = regexp.MustCompile(`^\w+ IN \(`)
)

// byPrimary stands behind the tables, each of whose rows is found by its primary key: of
// one that was empty when it was counted the database reads all, for each of the rows.
const byPrimary = " FORCE INDEX (PRIMARY)"

// byList returns how to do for many rows of arguments what a statement does for one: they
// come as one text, a table named given. Neither database tells which rows an UPDATE has
// found, so that this is asked before: who writes has the turn, and nobody else changes
// them meanwhile.
func byList(collation string) func(query, kinds string) (sqlstore.List, bool) {
	var lists sync.Map // *sqlstore.List by statement, which are constants; nil for one of another shape
	return func(query, kinds string) (sqlstore.List, bool) {
		list, found := lists.Load(query)
		if !found {
			list, _ = lists.LoadOrStore(query, writeList(query, kinds, collation))
		}
		if l := list.(*sqlstore.List); l != nil {
			return *l, true
		}
		return sqlstore.List{}, false
	}
}

// writeList writes the statements of byList. It returns nil for a shape that it does not know.
func writeList(query, kinds, collation string) *sqlstore.List {
	list := &sqlstore.List{}
	query = breaks.ReplaceAllString(query, " ")
	if bounded.MatchString(query) {
		return nil
	}
	given := query
	query = named(query)
	if m := insertValues.FindStringSubmatch(query); m != nil {
		of := insertValues.FindStringSubmatch(given)
		list.Many = rebind(m[1] + " VALUES " + strings.Repeat("("+of[2]+"), ", sqlstore.ManyRows-1) + "(" + of[2] + ")" + m[3])
		list.Do = m[1] + " SELECT " + m[2] + " FROM @" + m[3]
	} else if m := insertSelect.FindStringSubmatch(query); m != nil {
		rest := joined.ReplaceAllString(" FROM @ JOIN "+m[3], "STRAIGHT_JOIN $1"+byPrimary)
		list.Which, list.Do = "SELECT given.n"+rest, m[1]+" SELECT "+m[2]+rest
	} else if m := updateOne.FindStringSubmatch(query); len(m) > 3 && !strings.Contains(m[2], "SELECT") && !among.MatchString(m[3]) {
		list.Which = "SELECT given.n FROM @ STRAIGHT_JOIN " + m[1] + byPrimary + " WHERE " + m[3]
		list.Do = "UPDATE @ STRAIGHT_JOIN " + m[1] + byPrimary + " SET " + m[2] + " WHERE " + m[3]
	} else {
		return nil
	}
	for _, text := range []*string{&list.Which, &list.Do} {
		*text = rebind(strings.Replace(*text, "@", givenRows(*text, kinds, collation), 1))
	}
	return list
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
