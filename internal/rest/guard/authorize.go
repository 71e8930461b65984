package guard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// Found is what a loader has found.
type Found struct {
	// on are the objects, as they are stored, that the right is needed on.
	on []access.Object
	// named is what the audit calls the object.
	named intent.Object
	// later is set where only the body, or each row of a list, determines the place of the
	// right: the operation calls [Guard.allow] or filters by [Guard.sight] itself.
	later bool
}

// Scope finds what a right is needed on, from the path and the query of a request
// alone. It never believes a request about what is stored.
type Scope func(huma.Context, Places) (Found, error)

// asked notes whether an operation has asked for its right.
type asked struct{ done bool }

type askedKey struct{}

// authorizing lets only those pass that have the right of an operation.
func (g *Guard) authorizing(o *Op) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		caller := intent.Caller(ctx.Context())
		if !g.paid(ctx, &caller, o) {
			return
		}
		f, err := g.permit(ctx, &caller, o)
		if err != nil {
			g.Refuse(ctx, o.ID, err)
			return
		}
		inner := ctx.Context()
		if f.later {
			inner = context.WithValue(inner, askedKey{}, &asked{})
		}
		g.intend(huma.WithContext(ctx, inner), o, &f, next)
	}
}

// permit reports why the caller may not use an operation.
func (g *Guard) permit(ctx huma.Context, caller *access.Principal, o *Op) (Found, error) {
	right, find := o.Right, func() (Found, error) { return o.Scope(ctx, g.config.Places) }
	if right == Open || right == Self {
		return find()
	}
	if !caller.Somewhere(right) {
		return Found{}, access.Denied(caller, right) // before anything is looked up
	}
	f, err := find()
	if job.Is(err, job.NotFound) {
		err = unseen(f.named)
	}
	if err != nil || f.later {
		return f, err
	}
	may := func(o access.Object) bool { return caller.May(right, o) }
	sees := func(o access.Object) bool { return caller.May(access.View, o) }
	switch {
	case !slices.ContainsFunc(f.on, func(o access.Object) bool { return !may(o) }):
		return f, nil
	case right == access.View && slices.ContainsFunc(f.on, may):
		return f, nil // who sees a part of where it is sees it
	case f.named.Key != "" && !slices.ContainsFunc(f.on, sees):
		return f, unseen(f.named)
	}
	return f, access.Denied(caller, right)
}

// unseen is the error for an object that does not exist, or that the caller may not see: it
// does not reveal which.
func unseen(named intent.Object) error {
	switch named.Kind {
	case KindJob, "calendar", "workflow", "alarm rule", "alarm channel", KindSecret:
		return job.Errorf(job.NotFound, "%s %s does not exist in namespace %s", named.Kind, named.Key, cmp.Or(named.Namespace, job.DefaultNamespace))
	}
	missing := job.Errorf(job.NotFound, "%s %s does not exist", named.Kind, named.Key)
	if named.Kind == KindGroup {
		missing.Hint = "'orth group list --all-namespaces' shows those that you may see; another one is made by 'orth group create', " +
			"or by its first executor, job, address or token, unless a group that you may not see has its key"
	}
	return missing
}

// Allow reports whether the caller has a right on all the objects. Operations call it whose
// scope cannot determine the place of the right, and for further rights.
func (g *Guard) Allow(ctx context.Context, right access.Right, on ...access.Object) error {
	noteAsked(ctx)
	caller := intent.Caller(ctx)
	for _, o := range on {
		if !caller.May(right, o) {
			return access.Denied(&caller, right)
		}
	}
	return nil
}

// Sight returns where the caller has a right: what a list is narrowed by.
func (g *Guard) Sight(ctx context.Context, right access.Right) access.Sight {
	noteAsked(ctx)
	caller := intent.Caller(ctx)
	return caller.Sight(right)
}

func noteAsked(ctx context.Context) {
	if a, _ := ctx.Value(askedKey{}).(*asked); a != nil {
		a.done = true
	}
}

// checkAsked reports an operation that did not call allow although it had to. This is a bug
// of the server; the error has no details.
func checkAsked(ctx context.Context, operation string) error {
	if a, _ := ctx.Value(askedKey{}).(*asked); a != nil && !a.done {
		return fmt.Errorf("operation %s has not asked for its right", operation)
	}
	return nil
}

// Refuse answers a request that goes no further.
func (g *Guard) Refuse(ctx huma.Context, operation string, err error) {
	p := g.Problem(ctx.Context(), operation, err).Problem
	ctx.SetHeader("Content-Type", api.ProblemType)
	if wait := retryOf(&p); wait != "" {
		ctx.SetHeader(headerRetry, wait)
	}
	ctx.SetStatus(p.Status)
	if ctx.Method() == http.MethodHead {
		return
	}
	if text, err := json.Marshal(p); err == nil { // A Problem can always be encoded.
		_, _ = ctx.BodyWriter().Write(append(text, '\n'))
	}
}
