package sqlstore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// maxSight bounds the places of a sight in one statement.
const maxSight = 400

// within returns a statement that is narrowed by a sight, with its arguments. query
// has %s where a list of conditions is wanted of which one must hold: TRUE IN (%s).
// The columns are those of the row's namespace and of its group's key. A sight of
// nothing has no statement: ok is false. The list has one of few lengths, so that few
// statements are prepared.
func within(query string, s *access.Sight, namespace, group string) (text string, args []any, ok bool, err error) {
	switch n := len(s.Places); {
	case s.All:
		return fmt.Sprintf(query, "TRUE"), nil, true, nil
	case n == 0:
		return "", nil, false, nil
	case n > maxSight:
		return "", nil, false, job.Errorf(job.Full, "there are rights in %d places, at most %d can be listed at once", n, maxSight)
	}
	size := maxSight
	for _, fits := range [...]int{1, 8, 50} {
		if len(s.Places) <= fits {
			size = fits
			break
		}
	}
	condition := "(" + namespace + " = ? AND ? IN ('" + access.All + "', " + group + "))"
	for i := range size {
		p := s.Places[min(i, len(s.Places)-1)] // the last one fills the list up
		args = append(args, p.Namespace, p.Group)
	}
	return fmt.Sprintf(query, strings.TrimSuffix(strings.Repeat(condition+", ", size), ", ")), args, true, nil
}

// narrowed returns the part of a sight that lies in a namespace, and in a group of it;
// an empty name is no bound. Each place is there once.
func narrowed(s access.Sight, namespace, group string) access.Sight {
	if s.All || namespace == "" && group == "" {
		return s
	}
	var part access.Sight
	for _, p := range s.Places {
		if namespace != "" && p.Namespace != namespace || group != "" && p.Group != access.All && p.Group != group {
			continue
		}
		if group != "" {
			p.Group = group
		}
		if !slices.Contains(part.Places, p) { // a namespace and one of its groups become the same
			part.Places = append(part.Places, p)
		}
	}
	return part
}

// listWithin returns the rows of a query that is narrowed by a sight: its arguments,
// those of the places, and at last how many rows are wanted. See [within].
func listWithin[T any](
	ctx context.Context, r *reader, fields func(*T) []any, query string, sight access.Sight, namespace, group string, args []any, limit int,
) ([]T, error) {
	text, places, ok, err := within(query, &sight, namespace, group)
	if err != nil || !ok {
		return nil, err
	}
	return list(ctx, r, fields, text, slices.Concat(args, places, []any{page(limit)})...)
}
