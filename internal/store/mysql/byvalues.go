package mysql

import (
	"regexp"
	"strings"

	"github.com/orthd/orth/internal/store/sqlstore"
)

// Statements up to the key of a row: an UPDATE or a DELETE, whose key may have one column
// more in front of it, an INSERT of what is selected, a DELETE without other conditions,
// and changes of rows that belong to others.
var (
	byKey   = regexp.MustCompile(`^(?:UPDATE (\w+) SET .*|DELETE FROM (\w+)) WHERE (\w+ = \? AND )?(\w+) = $`)
	removal = regexp.MustCompile(`^DELETE FROM \w+ WHERE (\w+) = \?$`)
	ofOther = regexp.MustCompile(`^(?:DELETE FROM|UPDATE) .* WHERE \w+ IN \(SELECT \S+ FROM [^()]* WHERE (\S+) = \?\)$`)
	byKeyOf = regexp.MustCompile(`^(INSERT INTO \w+ \([^)]*\)) SELECT [^()]* FROM \w+ \w+ .*WHERE (\w+\.\w+) = $`)
)

// ends are the parts of a statement behind which a placeholder takes a plain value.
var ends = regexp.MustCompile(`\b(LIMIT|OFFSET) $`)

// values writes statements for rows whose arguments are their placeholders: an UPDATE or a
// DELETE of one table, of which it reads the rows with these keys and changes each at once.
// (A join with a table of the arguments, as that of a list, first collects in a temporary
// table what it will write: with texts one on disk.) Of the values of a column INTERVAL
// finds that of a row by its key, in as many steps as the number of rows has bits.
type values struct {
	parts  []string // of the statement, between its placeholders
	kinds  string
	column string // that of the key
	key    int
	insert string // with its columns; empty for an UPDATE and a DELETE
	apart  bool   // there is a column in front of the key
	others bool   // any number of rows have the key, or none
	where  int    // the first placeholder behind WHERE
}

// writeValues reads a statement for [sqlstore.List]. It leaves the list alone when it has
// another shape.
func writeValues(list *sqlstore.List, query, kinds string, key int) {
	v := values{parts: strings.Split(query, "?"), kinds: kinds, key: key, where: key} // no text of an UPDATE has one
	if len(v.parts) != len(kinds)+1 {
		return
	}
	before := strings.Join(v.parts[:key+1], "?")
	for _, shape := range []*regexp.Regexp{removal, ofOther} {
		if m := shape.FindStringSubmatch(query); m != nil {
			v.column, v.others = m[1], true
			list.Values = v.does // the number of rows is not known
			return
		}
	}
	if strings.Count(before, " WHERE ") > 1 || strings.Count(before, "(") != strings.Count(before, ")") {
		return
	}
	if m := byKeyOf.FindStringSubmatch(before); m != nil {
		v.insert, v.column = m[1], m[2]
	} else if m := byKey.FindStringSubmatch(before); m != nil {
		v.column, v.apart = m[1]+m[2]+"."+m[4], m[3] != ""
	} else {
		return
	}
	if v.apart {
		v.where--
	}
	list.Values, list.WhichValues, list.Where = v.does, v.asks, v.where
}

// does returns the statement.
func (v *values) does(rows int, places []sqlstore.Place) string {
	text, ok := v.fill(0, rows, places)
	if !ok {
		return ""
	}
	switch {
	case v.others:
		return rebind(text)
	case v.insert == "":
		return rebind(strings.Replace(text, " SET ", byPrimary+" SET ", 1))
	}
	what, from, _ := strings.Cut(text, " FROM ")
	_, free, keeps := unlessThere(from, v.insert)
	return rebind(what + " FROM " + entered(free) + keeps)
}

// asks returns a query for the keys of the rows that the statement will find, or make.
func (v *values) asks(rows int, places []sqlstore.Place) string {
	text, ok := v.fill(v.where, rows, places)
	if !ok {
		return ""
	}
	if v.insert == "" {
		_, where, _ := strings.Cut(text, " WHERE ")
		table, _, _ := strings.Cut(v.column, ".")
		return rebind("SELECT " + v.column + " FROM " + table + byPrimary + " WHERE " + where)
	}
	_, from, ok := strings.Cut(text, " FROM ")
	if !ok {
		return ""
	}
	there, _, _ := unlessThere(from, v.insert)
	return rebind("SELECT " + v.column + " FROM " + entered(there))
}

// entered begins with the first of some tables, and goes from there in order.
func entered(from string) string { return strings.TrimPrefix(inOrder("JOIN "+from), "STRAIGHT_JOIN ") }

// fill puts places into the statement from a placeholder on.
func (v *values) fill(from, rows int, places []sqlstore.Place) (string, bool) {
	if v.apart && places[v.key-1] != sqlstore.PlaceSame {
		return "", false // the rows lie in several places
	}
	list := strings.Repeat("?,", rows-1) + "?"
	var out strings.Builder
	for i := from; i < len(places); i++ {
		before := v.parts[i]
		switch places[i] {
		case sqlstore.PlaceKeys:
			out.WriteString(strings.TrimSuffix(before, "= ") + "IN (" + list + ")")
			continue
		case sqlstore.PlaceSame:
			out.WriteString(before + "?")
			continue
		case sqlstore.PlaceKey, sqlstore.PlaceOwn:
		}
		own := v.column
		if places[i] == sqlstore.PlaceOwn {
			own = "ELT(INTERVAL(" + v.column + "," + list + ")," + list + ")"
			if v.kinds[i] == 'i' { // otherwise numbers and texts are compared as inexact numbers
				own = "CAST(" + own + " AS SIGNED)"
			}
		}
		if ends.MatchString(before) {
			return "", false
		}
		out.WriteString(before + own)
	}
	return out.String() + v.parts[len(places)], true
}
