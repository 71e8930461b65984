package alarm_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
)

func TestScopeFits(t *testing.T) {
	t.Parallel()
	team := map[string]string{"team": "data", "tier": ""}
	for name, c := range map[string]struct {
		scope      alarm.Scope
		job, group string
		labels     map[string]string
		want       bool
	}{
		"nothing said":             {alarm.Scope{}, "report", "g", nil, true},
		"nothing said, of a group": {alarm.Scope{}, "", "g", nil, true},
		"the job":                  {alarm.Scope{Jobs: []string{"a", "report"}}, "report", "g", nil, true},
		"another job":              {alarm.Scope{Jobs: []string{"a", "reports"}}, "report", "g", nil, false},
		"the start of a job":       {alarm.Scope{Jobs: []string{"rep*"}}, "report", "g", nil, true},
		"a start that is all":      {alarm.Scope{Jobs: []string{"report*"}}, "report", "g", nil, true},
		"another start":            {alarm.Scope{Jobs: []string{"port*"}}, "report", "g", nil, false},
		"any job":                  {alarm.Scope{Jobs: []string{"*"}}, "report", "g", nil, true},
		"any job, of a group":      {alarm.Scope{Jobs: []string{"*"}}, "", "g", nil, false},
		"the group":                {alarm.Scope{Groups: []string{"g"}}, "report", "g", nil, true},
		"the group alone":          {alarm.Scope{Groups: []string{"g"}}, "", "g", nil, true},
		"capital letters":          {alarm.Scope{Groups: []string{"G*"}}, "report", "g", nil, false},
		"job and group":            {alarm.Scope{Jobs: []string{"r*"}, Groups: []string{"g"}}, "report", "h", nil, false},
		"the label":                {alarm.Scope{Labels: map[string]string{"team": "data"}}, "report", "g", team, true},
		"any value":                {alarm.Scope{Labels: map[string]string{"tier": "*", "team": "*"}}, "report", "g", team, true},
		"another value":            {alarm.Scope{Labels: map[string]string{"team": "dat"}}, "report", "g", team, false},
		"an empty value":           {alarm.Scope{Labels: map[string]string{"tier": ""}}, "report", "g", team, true},
		"no such label":            {alarm.Scope{Labels: map[string]string{"owner": "*"}}, "report", "g", team, false},
		"a label of no job":        {alarm.Scope{Labels: map[string]string{"team": "data"}}, "", "g", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := c.scope.Fits(c.job, c.group, c.labels); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// What fits a scope still fits when the scope says more ways to fit, and what does
// not fit does not when it says another part.
func TestScopeGrows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[ab]{1,3}`)
		pattern := rapid.StringMatching(`[ab]{0,2}\*?`)
		scope := alarm.Scope{Jobs: rapid.SliceOfN(pattern, 0, 3).Draw(t, "jobs")}
		job, group := key.Draw(t, "job"), key.Draw(t, "group")
		fits := scope.Fits(job, group, nil)
		if len(scope.Jobs) > 0 && fits {
			more := alarm.Scope{Jobs: append([]string{pattern.Draw(t, "more")}, scope.Jobs...)}
			if !more.Fits(job, group, nil) {
				t.Fatalf("%q fits %v and not %v", job, scope.Jobs, more.Jobs)
			}
		}
		narrow := scope
		narrow.Groups = []string{key.Draw(t, "of")}
		if narrow.Fits(job, group, nil) && (!fits || narrow.Groups[0] != group) {
			t.Fatalf("%q of %q fits %+v", job, group, narrow)
		}
	})
}

func BenchmarkScopeFits(b *testing.B) {
	s := alarm.Scope{Groups: []string{"billing"}, Labels: map[string]string{"team": "*"}}
	for range alarm.MaxScope {
		s.Jobs = append(s.Jobs, strings.Repeat("a", 8)+"*")
	}
	labels := map[string]string{"team": "data"}
	for b.Loop() {
		s.Fits("report", "billing", labels)
	}
}
