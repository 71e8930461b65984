package resttest

import (
	"cmp"
	"context"
	"strings"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/job"
)

// FakePlaces knows where objects are, by kind and key; those that it does not know
// are in group g of their namespace.
type FakePlaces map[string][]access.Object

// Place implements Places.
func (f FakePlaces) Place(_ context.Context, kind, namespace, key string) ([]access.Object, error) {
	if on := f["group "+key]; kind == "group" && len(on) == 1 {
		if namespace != "" && on[0].Namespace != namespace {
			return nil, job.Errorf(job.NotFound, "%s %s does not exist", kind, key)
		}
		return on, nil
	}
	if on, known := f[kind+" "+strings.TrimPrefix(namespace+"/"+key, "/")]; known {
		if len(on) == 0 {
			return nil, job.Errorf(job.NotFound, "%s %s does not exist", kind, key)
		}
		return on, nil
	}
	if kind == "deleted job" { // those that a test names
		return nil, job.Errorf(job.NotFound, "%s %s does not exist", kind, key)
	}
	if kind == "group" {
		return []access.Object{{Namespace: cmp.Or(namespace, job.DefaultNamespace), Group: key}}, nil
	}
	return []access.Object{{Namespace: cmp.Or(namespace, job.DefaultNamespace), Group: "g"}}, nil
}
