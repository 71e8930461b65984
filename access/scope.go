package access

import "github.com/orthd/orth/job"

// OfPause returns the places of the jobs that a pause holds. A pause for all namespaces is
// in the place of the whole server.
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

// OfSecret returns the places of the jobs that may refer to a secret. That is the
// namespace, where every reader may see that the secret exists, or groups of it.
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
