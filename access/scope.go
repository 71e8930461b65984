package access

import "github.com/orthd/orth/job"

// OfPause returns where the jobs are that a pause holds: the server as a whole when
// it holds those of all namespaces.
func OfPause(p *job.Pause) []Object {
	if len(p.Groups) == 0 || p.Namespace == "" {
		return []Object{{Namespace: p.Namespace}}
	}
	places := make([]Object, len(p.Groups))
	for i, group := range p.Groups {
		places[i] = Object{Namespace: p.Namespace, Group: group}
	}
	return places
}

// OfSecret returns where the jobs are that may refer to a secret: the namespace as a
// whole, where everybody who may see anything may see that there is one, or groups of it.
func OfSecret(s *job.Secret) []Object {
	if len(s.Groups) == 0 {
		return []Object{{Namespace: s.Namespace, Shared: true}}
	}
	places := make([]Object, len(s.Groups))
	for i, group := range s.Groups {
		places[i] = Object{Namespace: s.Namespace, Group: group}
	}
	return places
}
