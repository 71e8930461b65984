package postgres

import "strings"

// oneLine returns a statement without breaks of lines.
func oneLine(query string) string { return strings.Join(strings.Fields(query), " ") }

// outside returns a query without what stands in parentheses.
func outside(query string) string {
	var out strings.Builder
	depth := 0
	for _, c := range query {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case depth == 0:
			out.WriteRune(c)
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
