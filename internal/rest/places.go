package rest

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

// onServer is for what belongs to the server as a whole.
func onServer(huma.Context, Places) (found, error) {
	return found{on: []access.Object{access.Server()}}, nil
}

// anywhere is for what everybody may know who has the right on anything.
func anywhere(huma.Context, Places) (found, error) { return found{}, nil }

// narrowed is for lists: each row counts.
func narrowed(huma.Context, Places) (found, error) { return found{later: true}, nil }

// inBody is for places that only the body determines.
func inBody(huma.Context, Places) (found, error) { return found{later: true}, nil }

// pauseInBody is like [inBody], for the pause of a key: what it is expected to
// be is asked of the stored one.
func pauseInBody(ctx huma.Context, places Places) (found, error) {
	return found{later: true, named: intent.Object{Kind: "pause", Key: ctx.Param("key")}}, nil
}

// inNamespace is for what belongs to no group.
func inNamespace(ctx huma.Context, places Places) (found, error) {
	o := access.Object{Namespace: namespaceOf(ctx)}
	return found{on: []access.Object{o}, named: intent.Object{Namespace: o.Namespace, Key: ctx.Param("key")}}, nil
}

// inNamespaceIfAny is like [inNamespace], for lists that are narrowed to what
// the caller may see when the request names no namespace.
func inNamespaceIfAny(ctx huma.Context, places Places) (found, error) {
	if ctx.Query("namespace") == "" {
		return narrowed(ctx, places)
	}
	return inNamespace(ctx, places)
}

// everywhere is like another scope, for lists that are narrowed to what the caller
// may see when the request asks for all namespaces.
func everywhere(in Scope) Scope {
	return func(ctx huma.Context, places Places) (found, error) {
		if ctx.Query("namespace") == access.All {
			return narrowed(ctx, places)
		}
		return in(ctx, places)
	}
}

// of is for what a key names that belongs to no group. Whether there is one makes no
// difference: the right is one on the namespace.
func of(kind string) Scope {
	return func(ctx huma.Context, places Places) (found, error) {
		f, err := inNamespace(ctx, places)
		f.named.Kind = kind
		return f, err
	}
}

// shared is like [of], for what everybody of a namespace may see.
func shared(kind string) Scope {
	return func(ctx huma.Context, places Places) (found, error) {
		f, err := inNamespaceShared(ctx, places)
		f.named.Kind = kind
		return f, err
	}
}

// inNamespaceShared is for what everybody of a namespace may see.
func inNamespaceShared(ctx huma.Context, places Places) (found, error) {
	f, err := inNamespace(ctx, places)
	f.on[0].Shared = true
	return f, err
}

// onJob is for a job that the path names.
func onJob(ctx huma.Context, places Places) (found, error) {
	return place(ctx, places, intent.Object{Kind: kindJob, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// onSecret is for a named secret that the path names.
func onSecret(ctx huma.Context, places Places) (found, error) {
	return place(ctx, places, intent.Object{Kind: kindSecret, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// at is for an object that the path names by a parameter.
func at(ctx huma.Context, places Places, kind, param string) (found, error) {
	return place(ctx, places, intent.Object{Kind: kind, Key: ctx.Param(param)})
}

// place finds where an object is stored.
func place(ctx huma.Context, places Places, named intent.Object) (found, error) {
	on, err := places.Place(ctx.Context(), named.Kind, named.Namespace, named.Key)
	if err == nil && len(on) == 1 {
		named.Namespace, named.Group = on[0].Namespace, on[0].Group
	}
	return found{on: on, named: named}, err
}

// onGroup is for a group of executors that the path names by its key. No other one of
// the server has that; a namespace that the query names is the group's, or there is none.
func onGroup(ctx huma.Context, places Places) (found, error) {
	return place(ctx, places, intent.Object{Kind: kindGroup, Namespace: ctx.Query("namespace"), Key: ctx.Param("group")})
}

// onGroupOrNew is like [onGroup], for what makes the group when there is none:
// in the default namespace.
func onGroupOrNew(ctx huma.Context, places Places) (found, error) {
	named := intent.Object{Kind: kindGroup, Key: ctx.Param("group")}
	f, err := place(ctx, places, named)
	if !job.Is(err, job.NotFound) {
		return f, err
	}
	o := newGroupAt(named.Key)
	named.Namespace, named.Group = o.Namespace, o.Group
	return found{on: []access.Object{o}, named: named}, nil
}

// newGroupAt is the place of a group that is created because a request names it.
func newGroupAt(key string) access.Object {
	return access.Object{Namespace: job.DefaultNamespace, Group: key}
}

func onRun(ctx huma.Context, places Places) (found, error) {
	if ctx.Param("run") != "" {
		return at(ctx, places, "run", "run")
	}
	return at(ctx, places, "run", "id")
}

func onBackfill(ctx huma.Context, places Places) (found, error) {
	return at(ctx, places, "backfill", "id")
}
func onPause(ctx huma.Context, places Places) (found, error) { return at(ctx, places, "pause", "key") }
func onWorkflowRun(ctx huma.Context, places Places) (found, error) {
	return at(ctx, places, "workflow run", "id")
}
func onAlarm(ctx huma.Context, places Places) (found, error) { return at(ctx, places, "alarm", "id") }
func onNotification(ctx huma.Context, places Places) (found, error) {
	return at(ctx, places, "notification", "id")
}
func onSilence(ctx huma.Context, places Places) (found, error) {
	return at(ctx, places, "silence", "id")
}
