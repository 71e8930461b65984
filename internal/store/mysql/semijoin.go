package mysql

import (
	"regexp"
	"strings"
)

// MariaDB before 11.1 reads all rows of a table that a statement changes when they are
// those of a list from another table. With the list in front, as a join, it goes from
// there to each row. (MySQL would find that way itself.)
var (
	deleteOfList = regexp.MustCompile(`^DELETE FROM (\w+) WHERE (\w+) IN \(SELECT (\w+) FROM (\w+) WHERE (\w+) (= \?|IN \([?,]+\))\)$`)
	updateOfList = regexp.MustCompile(`^UPDATE (\w+) SET (.*?) WHERE (?:(\w+ IS NOT NULL|\w+ > 0) AND )?(\w+) IN \(SELECT ([\w.]+) FROM ([^()]*?) WHERE ([^()]*(?:IN \([?,]+\))?)\)(.*)$`)
	assigned     = regexp.MustCompile(`(?:^|, )(\w+) = `)
	bare         = regexp.MustCompile(`^\w+$`)
	column       = regexp.MustCompile(`\b(\w+) (=|>) `)
)

// listFirst turns a statement of one table with a list into one with a join. Its
// arguments stay in their order.
func listFirst(query string) string {
	if m := deleteOfList.FindStringSubmatch(query); m != nil {
		table, key, listed, from, by, is := m[1], m[2], m[3], m[4], m[5], m[6]
		return "DELETE " + table + " FROM " + from + " STRAIGHT_JOIN " + table + " ON " + table + "." + key + " = " + from + "." + listed +
			" WHERE " + from + "." + by + " " + is
	}
	m := updateOfList.FindStringSubmatch(query)
	if m == nil {
		return query
	}
	table, set, before, key, listed, from, where, rest := m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]
	if bare.MatchString(from) {
		listed, where, from = "w."+listed, column.ReplaceAllString(where, "w.$1 $2 "), from+" w"
	}
	// Names of columns that the tables in front have as well.
	own := []string{before, rest}
	for _, a := range assigned.FindAllStringSubmatch(set, -1) {
		name := regexp.MustCompile(`\b` + a[1] + `\b`)
		set = name.ReplaceAllString(set, table+"."+a[1])
	}
	for i, part := range own {
		part = regexp.MustCompile(`^( AND )?(\w+) (IS|>|=) `).ReplaceAllString(part, "${1}"+table+".$2 $3 ")
		own[i] = regexp.MustCompile(` AND (\w+) IN \(`).ReplaceAllString(part, " AND "+table+".$1 IN (")
	}
	if own[0] != "" {
		own[0] = " AND " + own[0]
	}
	if table == "runs" && key == "group_id" && strings.Contains(own[1], "runs.ready_at > 0") {
		key = "ready_group"
	}
	return "UPDATE " + from + " STRAIGHT_JOIN " + table + " ON " + table + "." + key + " = " + listed + " SET " + set + " WHERE " + where + own[0] + own[1]
}
