package alarm

import (
	"slices"
	"strings"
)

// anyValue matches every value of a label in a Scope.
const anyValue = "*"

// Fits reports whether the scope matches a job of a group. An empty job key means the group
// alone; then a scope with jobs or labels does not match.
func (s *Scope) Fits(jobKey, group string, labels map[string]string) bool {
	if !fitsOne(s.Jobs, jobKey) || !fitsOne(s.Groups, group) {
		return false
	}
	for name, wanted := range s.Labels {
		value, has := labels[name]
		if !has || wanted != anyValue && wanted != value {
			return false
		}
	}
	return true
}

// fitsOne reports whether a key matches one of the patterns, or there are none. No pattern
// matches the empty key.
func fitsOne(patterns []string, key string) bool {
	return len(patterns) == 0 || key != "" && slices.ContainsFunc(patterns, func(pattern string) bool {
		if start, open := strings.CutSuffix(pattern, "*"); open {
			return strings.HasPrefix(key, start)
		}
		return pattern == key
	})
}
