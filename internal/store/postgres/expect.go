package postgres

import (
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// unexpectedMark begins the text that is no number, in the database's error that rows were
// expected to take effect and did not.
const unexpectedMark = "orth: rows that took effect: "

// expectOne writes a statement that fails unless it changes a row.
func expectOne(query string) string {
	query = fromUnderWay(query)
	return answering(query, words(query), "1") + " SELECT " + checked("COUNT(*) > 0", "COUNT(*)") + " FROM took"
}

// expectAll writes the statement of atOnce that fails unless all rows of arguments take effect.
func expectAll(query, kinds string, key int) (string, error) {
	query = fromUnderWay(oneLine(query))
	text, value, err := forGiven(query, kinds, key)
	if err != nil {
		return "", err
	}
	count := "COUNT(*)"
	if strings.Contains(text, " own WHERE "+few) || insertSelect.MatchString(query) {
		count = "COUNT(DISTINCT number)" // a row of arguments may take effect many times
	}
	return answering(query, text, value) + " SELECT " + checked(count+" = CARDINALITY($1)", count) + " FROM took", nil
}

// checked writes an expression that fails unless a condition is true. PostgreSQL does not
// compute it before it knows the count.
func checked(condition, count string) string {
	return "CASE WHEN " + condition + " THEN 0 ELSE ('" + unexpectedMark + "' || " + count + ")::integer END"
}

// unexpected reports whether an error is that of checked.
func unexpected(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == "22P02" && strings.Contains(said.Message, unexpectedMark)
}
