package cli

import (
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/internal/reconcile"
	"github.com/orthd/orth/job"
)

// documentsServer returns the server as a target of manifests.
func (t *tool) documentsServer() (*reconcile.Server, error) {
	found, err := t.find()
	if err != nil {
		return nil, err
	}
	if found.namespace.value == "" {
		found.namespace.value = job.DefaultNamespace
	}
	return &reconcile.Server{Namespace: found.namespace.value, Getenv: t.Getenv, Dial: func(namespace string) (*client.Client, error) {
		there := found
		there.namespace = origin{value: namespace, from: "the manifests"}
		return t.dial(there)
	}}, nil
}
