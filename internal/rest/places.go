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
func (s *server) onServer(huma.Context) (found, error) {
	return found{on: []access.Object{access.Server()}}, nil
}

// anywhere is for what everybody may know who has the right on anything.
func (s *server) anywhere(huma.Context) (found, error) { return found{}, nil }

// narrowed is for lists: each row counts.
func (s *server) narrowed(huma.Context) (found, error) { return found{later: true}, nil }

// inBody is for places that only the body determines.
func (s *server) inBody(huma.Context) (found, error) { return found{later: true}, nil }

// pauseInBody is like [server.inBody], for the pause of a key: what it is expected to
// be is asked of the stored one.
func (s *server) pauseInBody(ctx huma.Context) (found, error) {
	return found{later: true, named: intent.Object{Kind: "pause", Key: ctx.Param("key")}}, nil
}

// inNamespace is for what belongs to no group.
func (s *server) inNamespace(ctx huma.Context) (found, error) {
	o := access.Object{Namespace: namespaceOf(ctx)}
	return found{on: []access.Object{o}, named: intent.Object{Namespace: o.Namespace, Key: ctx.Param("key")}}, nil
}

// inNamespaceIfAny is like [server.inNamespace], for lists that are narrowed to what
// the caller may see when the request names no namespace.
func (s *server) inNamespaceIfAny(ctx huma.Context) (found, error) {
	if ctx.Query("namespace") == "" {
		return s.narrowed(ctx)
	}
	return s.inNamespace(ctx)
}

// everywhere is like another loader, for lists that are narrowed to what the caller
// may see when the request asks for all namespaces.
func (s *server) everywhere(in loader) loader {
	return func(ctx huma.Context) (found, error) {
		if ctx.Query("namespace") == access.All {
			return s.narrowed(ctx)
		}
		return in(ctx)
	}
}

// of is for what a key names that belongs to no group. Whether there is one makes no
// difference: the right is one on the namespace.
func (s *server) of(kind string) loader {
	return func(ctx huma.Context) (found, error) {
		f, err := s.inNamespace(ctx)
		f.named.Kind = kind
		return f, err
	}
}

// shared is like [server.of], for what everybody of a namespace may see.
func (s *server) shared(kind string) loader {
	return func(ctx huma.Context) (found, error) {
		f, err := s.inNamespaceShared(ctx)
		f.named.Kind = kind
		return f, err
	}
}

// inNamespaceShared is for what everybody of a namespace may see.
func (s *server) inNamespaceShared(ctx huma.Context) (found, error) {
	f, err := s.inNamespace(ctx)
	f.on[0].Shared = true
	return f, err
}

// onJob is for a job that the path names.
func (s *server) onJob(ctx huma.Context) (found, error) {
	return s.place(ctx, intent.Object{Kind: kindJob, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// onSecret is for a named secret that the path names.
func (s *server) onSecret(ctx huma.Context) (found, error) {
	return s.place(ctx, intent.Object{Kind: kindSecret, Namespace: namespaceOf(ctx), Key: ctx.Param("key")})
}

// at is for an object that the path names by a parameter.
func (s *server) at(ctx huma.Context, kind, param string) (found, error) {
	return s.place(ctx, intent.Object{Kind: kind, Key: ctx.Param(param)})
}

// place finds where an object is stored.
func (s *server) place(ctx huma.Context, named intent.Object) (found, error) {
	on, err := s.config.Places.Place(ctx.Context(), named.Kind, named.Namespace, named.Key)
	if err == nil && len(on) == 1 {
		named.Namespace, named.Group = on[0].Namespace, on[0].Group
	}
	return found{on: on, named: named}, err
}

// onGroup is for a group of executors that the path names by its key. No other one of
// the server has that; a namespace that the query names is the group's, or there is none.
func (s *server) onGroup(ctx huma.Context) (found, error) {
	return s.place(ctx, intent.Object{Kind: kindGroup, Namespace: ctx.Query("namespace"), Key: ctx.Param("group")})
}

// onGroupOrNew is like [server.onGroup], for what makes the group when there is none:
// in the default namespace.
func (s *server) onGroupOrNew(ctx huma.Context) (found, error) {
	named := intent.Object{Kind: kindGroup, Key: ctx.Param("group")}
	f, err := s.place(ctx, named)
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

func (s *server) onRun(ctx huma.Context) (found, error) {
	if ctx.Param("run") != "" {
		return s.at(ctx, "run", "run")
	}
	return s.at(ctx, "run", "id")
}

func (s *server) onBackfill(ctx huma.Context) (found, error) { return s.at(ctx, "backfill", "id") }
func (s *server) onPause(ctx huma.Context) (found, error)    { return s.at(ctx, "pause", "key") }
func (s *server) onWorkflowRun(ctx huma.Context) (found, error) {
	return s.at(ctx, "workflow run", "id")
}
func (s *server) onAlarm(ctx huma.Context) (found, error) { return s.at(ctx, "alarm", "id") }
func (s *server) onNotification(ctx huma.Context) (found, error) {
	return s.at(ctx, "notification", "id")
}
func (s *server) onSilence(ctx huma.Context) (found, error) { return s.at(ctx, "silence", "id") }
