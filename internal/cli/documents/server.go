package documents

import (
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/cli/kit"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/job"
)

// OpenServer returns the server as a target of manifests.
func OpenServer(t *kit.Tool) (*reconcile.Server, error) {
	found, err := t.FindServer()
	if err != nil {
		return nil, err
	}
	if found.Namespace.Value == "" {
		found.Namespace.Value = job.DefaultNamespace
	}
	return &reconcile.Server{Namespace: found.Namespace.Value, Getenv: t.Getenv, Dial: func(namespace string) (*client.Client, error) {
		there := found
		there.Namespace = kit.Origin{Value: namespace, From: "the manifests"}
		return t.Dial(there)
	}}, nil
}
