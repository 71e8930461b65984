package rest

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
)

// What operations need that no role gives and none takes.
const (
	// open is for what everybody may do, also without credentials: to sign in.
	open access.Right = "open"
	// self is for what everybody who is known may do, with themselves. Its scope is
	// [onSelf] or [onSelfLocked].
	self access.Right = "self"
)

// onNobody is for operations that are open.
func onNobody(huma.Context, Places) (found, error) { return found{}, nil }

// onSelf is for what callers do with themselves.
func onSelf(ctx huma.Context, places Places) (found, error) {
	f, err := onSelfLocked(ctx, places)
	if caller := intent.Caller(ctx.Context()); err == nil && caller.Locked {
		err = access.Denied(&caller, self)
	}
	return f, err
}

// onSelfLocked is for what callers do with themselves even while they have to change
// the password before anything else.
func onSelfLocked(ctx huma.Context, places Places) (found, error) {
	caller := intent.Caller(ctx.Context())
	if caller.Kind == "" {
		return found{}, access.Denied(&caller, self)
	}
	return found{named: intent.Object{Kind: "user", Key: caller.Name}}, nil
}
