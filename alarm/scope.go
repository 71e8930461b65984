package alarm

import (
	"slices"
	"strings"
)

// anyValue as the value of a label in a Scope stands for every value.
const anyValue = "*"

// Fits reports whether the scope is about a job of a group, or about the group
// alone when the job's key is empty: then a scope that names jobs or labels does
// not fit.
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

// fitsOne reports whether a key fits one of the patterns, or there are none. No
// pattern fits no key.
func fitsOne(patterns []string, key string) bool {
	return len(patterns) == 0 || key != "" && slices.ContainsFunc(patterns, func(pattern string) bool {
		if start, open := strings.CutSuffix(pattern, "*"); open {
			return strings.HasPrefix(key, start)
		}
		return pattern == key
	})
}
