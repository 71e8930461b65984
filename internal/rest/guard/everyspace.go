package guard

import (
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// SpaceField is what the namespace is called in requests and documents.
const SpaceField = "namespace"

// OneSpace refuses the key of a job together with all namespaces.
func OneSpace(hint string) error {
	return &job.Error{
		Kind: job.Invalid, Field: SpaceField, Message: "the key of a job is one of a namespace, and " + access.All + " means all of them", Hint: hint,
	}
}

// spreading maps the star to no namespace. The key of a job together with it is refused: a
// key belongs to one namespace.
func (g *Guard) spreading(o *Op) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		switch {
		case !o.Spreads || ctx.Query(SpaceField) != access.All:
			next(ctx)
		case ctx.Query("job") != "":
			g.Refuse(ctx, o.ID, OneSpace("name the namespace of the job"))
		default:
			next(spread{ctx})
		}
	}
}

// spread is a request that names no namespace in place of all.
type spread struct{ plain }

// Unwrap leads to the connection.
func (c spread) Unwrap() huma.Context { return c.plain }

// Query returns a parameter.
func (c spread) Query(name string) string {
	if name == SpaceField {
		return ""
	}
	return c.plain.Query(name)
}

// URL returns the URL without the namespace.
func (c spread) URL() url.URL {
	u := c.plain.URL()
	query := u.Query()
	query.Del(SpaceField)
	u.RawQuery = query.Encode()
	return u
}
