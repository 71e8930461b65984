package guard

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/intent"
	"github.com/orthd/orth/job"
)

// Places finds the place of objects that requests name by an id or a key of their own.
type Places interface {
	// Place returns where the object of a kind is stored: job, deleted job, run, attempt,
	// backfill, pause, workflow run, alarm, notification, silence, secret, group. Only
	// jobs and secrets are named by a namespace too; that of a group may be empty, which
	// is any. A pause of several groups is in
	// several places, and so is a secret that is for those. Kinds: NotFound.
	Place(ctx context.Context, kind, namespace, key string) ([]access.Object, error)
}

// namespaceOf returns the namespace that a request names.
func namespaceOf(ctx huma.Context) string {
	return cmp.Or(ctx.Query("namespace"), job.DefaultNamespace)
}

// OnServer is for what belongs to the server as a whole.
func OnServer(huma.Context, Places) (Found, error) {
	return Found{on: []access.Object{access.Server()}}, nil
}

// Anywhere is for what everybody may know who has the right on anything.
func Anywhere(huma.Context, Places) (Found, error) { return Found{}, nil }

// Narrowed is for lists: each row counts.
func Narrowed(huma.Context, Places) (Found, error) { return Found{later: true}, nil }

// InBody is for places that only the body determines.
func InBody(huma.Context, Places) (Found, error) { return Found{later: true}, nil }

// PauseInBody is like [InBody], for the pause of a key: what it is expected to
// be is asked of the stored one.
func PauseInBody(ctx huma.Context, places Places) (Found, error) {
	return Found{later: true, named: intent.Object{Kind: "pause", Key: ctx.Param("key")}}, nil
}

// InNamespace is for what belongs to no group.
func InNamespace(ctx huma.Context, places Places) (Found, error) {
	o := access.Object{Namespace: namespaceOf(ctx)}
	return Found{on: []access.Object{o}, named: intent.Object{Namespace: o.Namespace, Key: ctx.Param("key")}}, nil
}

// InNamespaceIfAny is like [InNamespace], for lists that are narrowed to what
// the caller may see when the request names no namespace.
func InNamespaceIfAny(ctx huma.Context, places Places) (Found, error) {
	if ctx.Query("namespace") == "" {
		return Narrowed(ctx, places)
	}
	return InNamespace(ctx, places)
}

// Everywhere is like another scope, for lists that are narrowed to what the caller
// may see when the request asks for all namespaces.
func Everywhere(in Scope) Scope {
	return func(ctx huma.Context, places Places) (Found, error) {
		if ctx.Query("namespace") == access.All {
			return Narrowed(ctx, places)
		}
		return in(ctx, places)
	}
}

// Keyed is for what a key names that belongs to no group. Whether there is one makes no
// difference: the right is one on the namespace.
func Keyed(kind string) Scope {
	return func(ctx huma.Context, places Places) (Found, error) {
		f, err := InNamespace(ctx, places)
		f.named.Kind = kind
		return f, err
	}
}

// KeyedShared is like [Keyed], for what everybody of a namespace may see.
func KeyedShared(kind string) Scope {
	return func(ctx huma.Context, places Places) (Found, error) {
		f, err := InNamespaceShared(ctx, places)
		f.named.Kind = kind
		return f, err
	}
}

// InNamespaceShared is for what everybody of a namespace may see.
func InNamespaceShared(ctx huma.Context, places Places) (Found, error) {
	f, err := InNamespace(ctx, places)
	f.on[0].Shared = true
	return f, err
}

// OnJob is for a job that the path names.
func OnJob(ctx huma.Context, places Places) (Found, error) {
	return place(ctx, places, intent.Object{Kind: KindJob, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// OnSecret is for a named secret that the path names.
func OnSecret(ctx huma.Context, places Places) (Found, error) {
	return place(ctx, places, intent.Object{Kind: KindSecret, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// at is for an object that the path names by a parameter.
func at(ctx huma.Context, places Places, kind, param string) (Found, error) {
	return place(ctx, places, intent.Object{Kind: kind, Key: ctx.Param(param)})
}

// place finds where an object is stored.
func place(ctx huma.Context, places Places, named intent.Object) (Found, error) {
	on, err := places.Place(ctx.Context(), named.Kind, named.Namespace, named.Key)
	if err == nil && len(on) == 1 {
		named.Namespace, named.Group = on[0].Namespace, on[0].Group
	}
	return Found{on: on, named: named}, err
}

// OnGroup is for a group of executors that the path names by its key. No other one of
// the server has that; a namespace that the query names is the group's, or there is none.
func OnGroup(ctx huma.Context, places Places) (Found, error) {
	return place(ctx, places, intent.Object{Kind: KindGroup, Namespace: ctx.Query("namespace"), Key: ctx.Param("group")})
}

// OnGroupOrNew is like [OnGroup], for what makes the group when there is none:
// in the default namespace.
func OnGroupOrNew(ctx huma.Context, places Places) (Found, error) {
	named := intent.Object{Kind: KindGroup, Key: ctx.Param("group")}
	f, err := place(ctx, places, named)
	if !job.Is(err, job.NotFound) {
		return f, err
	}
	o := NewGroupAt(named.Key)
	named.Namespace, named.Group = o.Namespace, o.Group
	return Found{on: []access.Object{o}, named: named}, nil
}

// NewGroupAt is the place of a group that is created because a request names it.
func NewGroupAt(key string) access.Object {
	return access.Object{Namespace: job.DefaultNamespace, Group: key}
}

// OnRun is for a run that the path names.
func OnRun(ctx huma.Context, places Places) (Found, error) {
	if ctx.Param("run") != "" {
		return at(ctx, places, "run", "run")
	}
	return at(ctx, places, "run", "id")
}

// OnBackfill is for a backfill that the path names.
func OnBackfill(ctx huma.Context, places Places) (Found, error) {
	return at(ctx, places, "backfill", "id")
}

// OnPause is for a pause that the path names.
func OnPause(ctx huma.Context, places Places) (Found, error) { return at(ctx, places, "pause", "key") }

// OnWorkflowRun is for a run of a workflow that the path names.
func OnWorkflowRun(ctx huma.Context, places Places) (Found, error) {
	return at(ctx, places, "workflow run", "id")
}

// OnAlarm is for an alarm that the path names.
func OnAlarm(ctx huma.Context, places Places) (Found, error) { return at(ctx, places, "alarm", "id") }

// OnNotification is for a message about an alarm that the path names.
func OnNotification(ctx huma.Context, places Places) (Found, error) {
	return at(ctx, places, "notification", "id")
}

// OnSilence is for a silence that the path names.
func OnSilence(ctx huma.Context, places Places) (Found, error) {
	return at(ctx, places, "silence", "id")
}

// OnSavedJob is for a job that the path names, and for one that was deleted and whose
// revisions are kept.
func OnSavedJob(ctx huma.Context, places Places) (Found, error) {
	f, err := OnJob(ctx, places)
	if !job.Is(err, job.NotFound) {
		return f, err
	}
	named := f.named
	if f, err = place(ctx, places, intent.Object{Kind: "deleted job", Namespace: named.Namespace, Key: named.Key}); err == nil {
		named.Namespace, named.Group = f.named.Namespace, f.named.Group
	}
	f.named = named
	return f, err
}

// OnUser is for users, who belong to the whole server.
func OnUser(ctx huma.Context, places Places) (Found, error) {
	f, err := OnServer(ctx, places)
	f.named = intent.Object{Kind: "user", Key: ctx.Param("name")}
	return f, err
}

// OnAttempt is for an attempt that the path names.
func OnAttempt(ctx huma.Context, places Places) (Found, error) {
	return at(ctx, places, "attempt", "id")
}
