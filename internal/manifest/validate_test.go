package manifest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/job"
)

// strict is a server of dry runs that refuses references to objects it does not have, as
// Orth's server does, and jobs whose param is "bad".
type strict struct {
	has   map[ID]bool
	asked []string
}

func (s *strict) Carry(_ context.Context, step Step) (int64, error) {
	o := &step.Object
	s.asked = append(s.asked, string(step.Verb)+" "+o.Key)
	missing := func(field string, kind Kind, key any) error {
		if text, _ := key.(string); !s.has[ID{kind, o.Namespace, text}] {
			return job.FieldErrorf(field, "%s %v does not exist", kind.Noun(), key)
		}
		return nil
	}
	spec := o.Spec
	if step.Verb != VerbCreate && step.Patch != nil {
		spec = step.Patch
	}
	var all []error
	if template, ok := spec[fieldTemplate]; ok && template != nil {
		all = append(all, missing(fieldTemplate, KindJob, template))
	}
	for _, child := range mapsOf(spec[fieldChildren]) {
		all = append(all, missing(fieldChildren, KindJob, child[fieldKey]))
	}
	for i, node := range mapsOf(spec[fieldNodes]) {
		if node[fieldJob] == "old" && node["param"] != nil {
			all = append(all, job.FieldErrorf(fmt.Sprintf("nodes[%d].param.day", i), "is no input"))
		}
		all = append(all, missing(fmt.Sprintf("nodes[%d].job", i), KindJob, node[fieldJob]))
	}
	eachSchedule(spec, func(at map[string]any) {
		calendars, _ := at[fieldCalendars].([]any)
		for _, key := range calendars {
			all = append(all, missing("schedule.calendars", KindCalendar, key))
		}
		if at["excluded"] != nil && len(calendars) == 0 {
			all = append(all, job.FieldErrorf("schedule.excluded", "no calendar excludes a day"))
		}
	})
	eachChannels(spec, func(at map[string]any) {
		channels, _ := at[fieldChannels].([]any)
		for _, key := range channels {
			all = append(all, missing(fieldChannels, KindAlarmChannel, key))
		}
	})
	if spec["param"] == "bad" {
		all = append(all, job.FieldErrorf("param", "is bad"))
	}
	if step.Verb == VerbDelete && o.Kind == KindGroup {
		all = append(all, job.Errorf(job.Conflict, "jobs name the group"))
	}
	for _, err := range all {
		if err != nil {
			return 0, err
		}
	}
	return 1, nil
}

func workflowDoc(key string, nodes ...any) Object {
	return Object{Kind: KindWorkflow, Namespace: "default", Key: key, Spec: map[string]any{fieldNodes: nodes}}
}

func nodeOf(name, of string, after ...any) map[string]any {
	n := map[string]any{"name": name, fieldJob: of}
	if len(after) > 0 {
		n[fieldAfter] = after
	}
	return n
}

// TestValidate: a plan is refused where applying it would be, and not because an object
// refers to another one that the same plan makes.
func TestValidate(t *testing.T) {
	t.Parallel()
	rule := func(channels ...any) Object {
		return Object{Kind: KindAlarmRule, Namespace: "default", Key: "r", Spec: map[string]any{
			fieldChannels: channels, fieldEscalation: []any{map[string]any{"after": "30m", fieldChannels: []any{"new"}}},
		}}
	}
	channel := Object{Kind: KindAlarmChannel, Namespace: "default", Key: "new", Spec: map[string]any{"kind": "webhook"}}
	calendar := Object{Kind: KindCalendar, Namespace: "default", Key: "new", Spec: map[string]any{"rules": map[string]any{}}}
	group := groupDoc("old", map[string]any{})
	const dated = `{"group":"g","param":"${input:day}","inputs":[{"name":"day","pattern":"[0-9]+"}]}`
	given := func(name, of, param string) map[string]any {
		n := nodeOf(name, of)
		n["param"] = param
		return n
	}
	absent := func(o Object) Object { o.Absent, o.Spec = true, nil; return o }
	for _, c := range []struct {
		name       string
		want, have []Object
		refused    string
	}{
		{"fine", []Object{jobDoc(t, "a", plain)}, nil, ""},
		{"bad", []Object{jobDoc(t, "a", `{"group":"g","param":"bad"}`), jobDoc(t, "b", `{"group":"g","param":"bad"}`)}, nil, "create a: param: is bad\ncreate b: param: is bad"},
		{"bad change", []Object{jobDoc(t, "a", `{"group":"g","param":"bad"}`)}, []Object{jobDoc(t, "a", `{"group":"g"}`)}, "change a: param: is bad"},
		{"new child", []Object{jobDoc(t, "a", `{"group":"g","children":[{"key":"b"}]}`), jobDoc(t, "b", plain)}, nil, ""},
		{"no child", []Object{jobDoc(t, "a", `{"group":"g","children":[{"key":"b"},{"key":"c"}]}`), jobDoc(t, "b", plain)}, nil, "create a: children: job c does not exist"},
		{
			"no child of a job that is there",
			[]Object{jobDoc(t, "a", `{"group":"g","title":"t","children":[{"key":"c"}]}`)},
			[]Object{jobDoc(t, "a", `{"group":"g"}`)},
			"change a: children: job c does not exist",
		},
		{"bad beside a new child", []Object{jobDoc(t, "a", `{"group":"g","param":"bad","children":[{"key":"b"}]}`), jobDoc(t, "b", plain)}, nil, "create a: param: is bad"},
		{"new template", []Object{jobDoc(t, "a", `{"group":"g","template":"b"}`), jobDoc(t, "b", plain)}, nil, ""},
		{"bad beside a new template", []Object{jobDoc(t, "a", `{"group":"g","template":"b","param":"bad"}`), jobDoc(t, "b", plain)}, nil, "create a: param: is bad"},
		{"template of a template", []Object{jobDoc(t, "a", `{"group":"g","template":"b"}`), jobDoc(t, "b", `{"group":"g","template":"there"}`)}, nil, ""},
		{"no template", []Object{jobDoc(t, "a", `{"group":"g","template":"b"}`)}, nil, "create a: template: job b does not exist"},
		{"new calendar", []Object{jobDoc(t, "a", `{"group":"g","schedule":{"kind":"every","every":"1m","calendars":["new"],"excluded":"shift"}}`), calendar}, nil, ""},
		{
			"no calendar",
			[]Object{jobDoc(t, "a", `{"group":"g","schedule":{"kind":"several","of":[{"kind":"every","every":"1m","calendars":["new","no"]}]}}`), calendar},
			nil, "create a: schedule.calendars: calendar no does not exist",
		},
		{"new node", []Object{workflowDoc("w", nodeOf("x", "b"), nodeOf("y", "there", map[string]any{"node": "x"})), jobDoc(t, "b", plain)}, nil, ""},
		{"only new nodes", []Object{workflowDoc("w", nodeOf("x", "b")), jobDoc(t, "b", plain)}, nil, ""},
		{"no node", []Object{workflowDoc("w", nodeOf("x", "b"), nodeOf("y", "c")), jobDoc(t, "b", plain)}, nil, "create w: nodes: job c does not exist"},
		{"values of a new job", []Object{workflowDoc("w", given("x", "b", `{"day":"1"}`)), jobDoc(t, "b", dated)}, nil, ""},
		{
			"no values of a new job",
			[]Object{workflowDoc("w", nodeOf("y", "there"), nodeOf("x", "b")), jobDoc(t, "b", dated)},
			nil, "create w: nodes[1].param.day: the input day has no value and no default: give it as {\"day\": \"…\"}",
		},
		{
			"values that a change no longer takes",
			[]Object{workflowDoc("w", given("x", "b", `{"hour":"{{param}}"}`)), jobDoc(t, "b", dated)},
			[]Object{workflowDoc("w", nodeOf("x", "b")), jobDoc(t, "b", plain)},
			"change w: nodes[0].param.day: the input day has no value and no default: give it as {\"day\": \"…\"}",
		},
		{
			"values that only the new inputs take",
			[]Object{workflowDoc("w", given("x", "old", `{"day":"1"}`)), jobDoc(t, "old", dated)},
			[]Object{workflowDoc("w", nodeOf("x", "old")), jobDoc(t, "old", plain)},
			"",
		},
		{
			"no values of a new child",
			[]Object{jobDoc(t, "a", `{"group":"g","children":[{"key":"b","param":"{\"day\":\"x\"}"}]}`), jobDoc(t, "b", dated)},
			nil, "create a: children[0].param.day: \"x\" is no value of day: all of it must match [0-9]+",
		},
		{
			"a child as it was",
			[]Object{jobDoc(t, "a", `{"group":"g","title":"t","children":[{"key":"b"}]}`), jobDoc(t, "b", dated)},
			[]Object{jobDoc(t, "a", `{"group":"g","children":[{"key":"b"}]}`), jobDoc(t, "b", plain)},
			"",
		},
		{"new channel", []Object{rule("there"), channel}, nil, ""},
		{"only new channels", []Object{rule("new"), channel}, nil, ""},
		{"no channel", []Object{rule("new", "no"), channel}, nil, "create r: channels: alarm channel no does not exist"},
		{"deletion", []Object{absent(group)}, []Object{group}, "delete old: jobs name the group"},
		{"deletion with its jobs", []Object{absent(group), absent(jobDoc(t, "a", plain))}, []Object{group, jobDoc(t, "a", `{"group":"old"}`)}, ""},
	} {
		server := &strict{has: map[ID]bool{{KindJob, "default", "there"}: true, {KindAlarmChannel, "default", "there"}: true}}
		plan, err := Decide(c.want, c.have, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		before := says(plan)
		done := 0
		refusals, err := plan.Validate(t.Context(), server, func(n int) { done = n })
		var got []string
		for _, r := range refusals {
			got = append(got, string(r.Step.Verb)+" "+r.Step.Object.Key+": "+r.Err.Error())
		}
		if diff := cmp.Diff(c.refused, strings.Join(got, "\n")); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", c.name, err, diff)
		}
		marked := 0
		for i := range plan.Changes {
			if plan.Changes[i].Refused != "" {
				marked++
			}
		}
		if marked != len(refusals) || done != len(plan.Changes) || says(plan) != before {
			t.Errorf("%s: %d changes are marked, %d validated, and the plan is\n%s", c.name, marked, done, says(plan))
		}
	}
}

// Steps that stand alone are sent: a job is not started before it has its new schedule.
func TestValidateSends(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, have, asked string }{
		{`{"group":"g","enabled":true}`, `{"group":"g","enabled":false}`, "start a"},
		{`{"group":"g","enabled":true,"title":"t"}`, `{"group":"g","enabled":false}`, "change a"},
		{`{"group":"g","enabled":false}`, `{"group":"g","enabled":true}`, ""},
		{`{"group":"g","title":"t","children":[{"key":"there"}]}`, `{"group":"g"}`, "change a"},
		{`{"group":"g"}`, `{"group":"g"}`, ""},
	} {
		server := &strict{has: map[ID]bool{{KindJob, "default", "there"}: true}}
		plan, err := Decide([]Object{jobDoc(t, "a", c.want)}, []Object{stored(jobDoc(t, "a", c.have), 4)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		refusals, err := plan.Validate(t.Context(), server, func(int) {})
		if got := strings.Join(server.asked, ", "); got != c.asked || err != nil || len(refusals) > 0 {
			t.Errorf("%s: %s, %v, %v", c.want, got, refusals, err)
		}
	}
}

// What says nothing about a change ends the validation.
func TestValidateEnds(t *testing.T) {
	t.Parallel()
	plan, err := Decide([]Object{jobDoc(t, "a", plain)}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	away := carries(func(Step) (int64, error) { return 0, job.Errorf(job.Unreachable, "the server is away") })
	if _, err := plan.Validate(t.Context(), away, func(int) {}); !job.Is(err, job.Unreachable) || plan.Changes[0].Refused != "" {
		t.Errorf("%v, %q", err, plan.Changes[0].Refused)
	}
	over, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := plan.Validate(over, away, func(int) {}); err == nil || err.Error() != "enough" {
		t.Error(err)
	}
}

type carries func(Step) (int64, error)

func (c carries) Carry(_ context.Context, s Step) (int64, error) { return c(s) }
