package guard

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/jobs/jobrows"
	"github.com/orthd/orth/job"
)

// MaxPage bounds the texts of users in one page of a list, in bytes: a page ends before it
// exceeds this, and names the start of the next one.
const MaxPage = 4 << 20

// PathIn returns the path of what has a key in a namespace.
func PathIn(folder, key, namespace string) string {
	path := Prefix + folder + url.PathEscape(key)
	if namespace != job.DefaultNamespace {
		path += "?namespace=" + url.QueryEscape(namespace)
	}
	return path
}

// ParseID reads an id whose digits the schema has checked; 19 of them can still
// be too many.
func ParseID(field, text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, job.FieldErrorf(field, "%s is larger than any id", text)
	}
	return id, nil
}

// IDText returns an id as the API writes it.
func IDText(id int64) string { return strconv.FormatInt(id, 10) }

// InSight leaves out the definitions of namespaces that the caller must not see.
func InSight[T any](ctx context.Context, s *Guard, all []T, namespace func(*T) string) []T {
	sight := s.Sight(ctx, access.View)
	return slices.DeleteFunc(all, func(one T) bool { return !sight.Sees(access.Object{Namespace: namespace(&one)}) })
}

// ParseInstant reads an instant of a query; empty is the zero time.
func ParseInstant(field, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	var at api.Time
	if err := at.UnmarshalText([]byte(text)); err != nil {
		return time.Time{}, job.FieldErrorf(field, "%w", err)
	}
	return at.Time, nil
}

// OrderOf reads a sort: a name, with - before it the other way round.
func OrderOf(sort string) jobrows.Order {
	by, down := strings.CutPrefix(sort, "-")
	return jobrows.Order{By: by, Down: down}
}

// Cursor returns where a page of a sorted list ends: the sort, and what the next page
// begins behind. The parts are numbers, or texts in base64.
func Cursor(sort string, parts ...string) string {
	return "~" + sort + "~" + strings.Join(parts, "~")
}

// CursorParts returns what a cursor of a sort was made of; n of them.
func CursorParts(text, sort string, n int) ([]string, error) {
	wrong := job.FieldErrorf("after", "%q is not the after of a page that is sorted by %s", text, sort)
	wrong.Hint = "send the value of the page before, with the same sort"
	rest, ok := strings.CutPrefix(text, "~"+sort+"~")
	if !ok {
		return nil, wrong
	}
	found := strings.Split(rest, "~")
	if len(found) != n {
		return nil, wrong
	}
	return found, nil
}

// NotBefore refuses the id of a page before in a list that has none.
func NotBefore(what, sort string) error {
	wrong := job.FieldErrorf("before", "is for %s in order of their ids, and these are sorted by %s", what, sort)
	wrong.Hint = "send after of the page before as after"
	return wrong
}
