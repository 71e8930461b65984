package guard

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
)

// What operations need that no role gives and none takes.
const (
	// Open is for what everybody may do, also without credentials: to sign in.
	Open access.Right = "open"
	// Self is for what everybody who is known may do, with themselves. Its scope is
	// [OnSelf] or [OnSelfLocked].
	Self access.Right = "self"
)

// OnNobody is for operations that are open.
func OnNobody(huma.Context, Places) (Found, error) { return Found{}, nil }

// OnSelf is for what callers do with themselves.
func OnSelf(ctx huma.Context, places Places) (Found, error) {
	f, err := OnSelfLocked(ctx, places)
	if caller := intent.Caller(ctx.Context()); err == nil && caller.Locked {
		err = access.Denied(&caller, Self)
	}
	return f, err
}

// OnSelfLocked is for what callers do with themselves even while they have to change
// the password before anything else.
func OnSelfLocked(ctx huma.Context, places Places) (Found, error) {
	caller := intent.Caller(ctx.Context())
	if caller.Kind == "" {
		return Found{}, access.Denied(&caller, Self)
	}
	return Found{named: intent.Object{Kind: "user", Key: caller.Name}}, nil
}
