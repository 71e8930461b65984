package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/api"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/schedule"
)

// jobDoc returns a job with a spec in JSON.
func jobDoc(t *testing.T, key, spec string) Object {
	t.Helper()
	all, mistakes := Read("a.json", []byte(`{"apiVersion":"orth/v1","kind":"Job","metadata":{"key":"`+key+`"},"spec":`+spec+`}`), "default", nil)
	if len(mistakes) > 0 {
		t.Fatal(mistakes[0])
	}
	return all[0]
}

// stored returns an object as a server has it.
func stored(o Object, version int64) Object {
	o.Spec, o.Version, o.Origin = copied(o.Spec), version, ""
	return o
}

const plain = `{"group":"ops","handler":{"kind":"named","name":"x"}}`

// says returns what a plan does, one line for each object.
func says(p Plan) string {
	var out []string
	for i := range p.Changes {
		c := &p.Changes[i]
		line := string(c.Action) + " " + c.ID().String()
		for k := range c.Fields {
			old, now := c.Fields[k].Texts()
			line += " " + c.Fields[k].Path + ":" + old + "→" + now
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

func TestDecide(t *testing.T) {
	t.Parallel()
	other := func(space string, o Object) Object { o.Namespace = space; return o }
	gone := Object{Kind: KindJob, Namespace: "default", Key: "old", Absent: true}
	marked := jobDoc(t, "marked", plain)
	marked.Spec["labels"] = map[string]any{Mark: "team"}
	for _, c := range []struct {
		name       string
		want, have []Object
		options    Options
		says       string
	}{
		{"new", []Object{jobDoc(t, "a", plain)}, nil, Options{}, "create job default/a group:→ops handler.kind:→named handler.name:→x"},
		{"same", []Object{jobDoc(t, "a", plain)}, []Object{stored(jobDoc(t, "a", plain), 3)}, Options{}, "none job default/a"},
		{
			"by hand",
			[]Object{jobDoc(t, "a", plain)},
			[]Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"y"},"timeout":"30s","labels":{"a.b":"c"}}`)},
			Options{},
			`change job default/a handler.name:y→x labels."a.b":c→ timeout:30s→`,
		},
		{"left alone", []Object{jobDoc(t, "a", plain)}, []Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":true}`)}, Options{}, "none job default/a"},
		{"stopped", []Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":false}`)}, []Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":true}`)}, Options{}, "change job default/a enabled:true→false"},
		{
			"anchor",
			[]Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"schedule":{"kind":"several","of":[{"kind":"every","every":"1m"},{"kind":"once","delay":"1m"}]}}`)},
			[]Object{jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"schedule":{"kind":"several","of":[{"kind":"every","every":"60s","anchor":"2030-01-01T00:00:00Z"},{"kind":"once","delay":"1m"}]}}`)},
			Options{},
			"none job default/a",
		},
		{"elsewhere", []Object{other("team", jobDoc(t, "a", plain))}, []Object{jobDoc(t, "a", plain)}, Options{}, "create job team/a group:→ops handler.kind:→named handler.name:→x"},
		{"absent", []Object{gone}, []Object{jobDoc(t, "old", plain)}, Options{}, "delete job default/old"},
		{"absent already", []Object{gone}, nil, Options{}, "none job default/old"},
		{
			"prune",
			[]Object{jobDoc(t, "a", plain)},
			[]Object{marked, jobDoc(t, "hand", plain), other("team", marked)},
			Options{Set: "team", Prune: true, Namespaces: []string{"default"}},
			"create job default/a group:→ops handler.kind:→named handler.name:→x labels.\"orth.managed\":→team\ndelete job default/marked",
		},
		{"no prune", []Object{jobDoc(t, "a", plain)}, []Object{stored(jobDoc(t, "a", plain), 1), marked}, Options{}, "none job default/a"},
		{"mark stays", []Object{jobDoc(t, "marked", plain)}, []Object{marked}, Options{}, "none job default/marked"},
		{"mark again", []Object{jobDoc(t, "marked", plain)}, []Object{marked}, Options{Set: "team"}, "none job default/marked"},
		{"adopt", []Object{jobDoc(t, "a", plain)}, []Object{stored(jobDoc(t, "a", plain), 1)}, Options{Set: "team"}, `change job default/a labels."orth.managed":→team`},
		{
			"groups of the set",
			[]Object{groupDoc("My.Group", map[string]any{"title": "x"})},
			[]Object{groupDoc("gone", map[string]any{"labels": map[string]any{Mark: "team"}}), groupDoc("hand", map[string]any{})},
			Options{Set: "team", Prune: true, Namespaces: []string{"default"}},
			"create group default/My.Group labels.\"orth.managed\":→team title:→x\ndelete group default/gone",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan, err := Decide(c.want, c.have, c.options)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.says, says(plan)); diff != "" {
				t.Error(diff)
			}
			if plan.Empty() == strings.ContainsAny(c.says, "→") && !strings.Contains(c.says, "delete") {
				t.Errorf("empty: %t", plan.Empty())
			}
		})
	}
}

func TestDecideRefuses(t *testing.T) {
	t.Parallel()
	marked := jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"labels":{"orth.managed":"team"}}`)
	for name, c := range map[string]struct {
		want Object
		o    Options
		kind job.Kind
	}{
		"another set": {jobDoc(t, "a", plain), Options{Set: "mine"}, job.Conflict},
		"mark":        {marked, Options{}, job.Invalid},
		"no set":      {jobDoc(t, "a", plain), Options{Prune: true}, job.Invalid},
		"set":         {jobDoc(t, "a", plain), Options{Set: "No Key"}, job.Invalid},
	} {
		if _, err := Decide([]Object{c.want}, []Object{marked}, c.o); !job.Is(err, c.kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// memory is a server that keeps what steps say, and fails when it is told to.
type memory struct {
	jobs    map[ID]map[string]any
	version map[ID]int64
	fail    int // at this step, from 1
	did     []string
}

func newMemory(have ...Object) *memory {
	m := &memory{jobs: map[ID]map[string]any{}, version: map[ID]int64{}}
	for _, o := range have {
		m.jobs[o.ID()], m.version[o.ID()] = copied(o.Spec), o.Version
	}
	return m
}

func (m *memory) Carry(_ context.Context, s Step) (int64, error) {
	id := s.Object.ID()
	m.did = append(m.did, string(s.Verb)+" "+id.Key)
	if m.fail--; m.fail == 0 {
		return 0, job.Errorf(job.Unavailable, "down")
	}
	if s.Version != 0 && s.Version != m.version[id] {
		return 0, job.Errorf(job.Conflict, "%s has version %d, not %d", id, m.version[id], s.Version)
	}
	if s.Verb != VerbCreate && m.jobs[id] == nil {
		return 0, job.Errorf(job.NotFound, "there is no %s", id)
	}
	for _, child := range mapsOf(s.Object.Spec[fieldChildren]) {
		key, _ := child["key"].(string)
		if _, there := m.jobs[ID{KindJob, id.Namespace, key}]; !there && s.Verb != VerbDelete && (s.Verb == VerbLink || s.Verb == VerbCreate) {
			return 0, job.Errorf(job.Invalid, "there is no child %s", key)
		}
	}
	m.version[id]++
	switch s.Verb {
	case VerbCreate:
		m.jobs[id] = copied(s.Object.Spec)
	case VerbChange, VerbLink:
		merge(m.jobs[id], s.Patch)
	case VerbStart, VerbStop:
		m.jobs[id][fieldEnabled] = s.Verb == VerbStart
	case VerbDelete:
		delete(m.jobs, id)
	}
	return m.version[id], nil
}

// merge merges a patch as RFC 7396 says.
func merge(fields, patch map[string]any) {
	for name, value := range patch {
		inner, object := value.(map[string]any)
		was, both := fields[name].(map[string]any)
		switch {
		case value == nil:
			delete(fields, name)
		case object && both:
			merge(was, inner)
		default:
			fields[name] = copiedValue(value)
		}
	}
}

func (m *memory) objects() (all []Object) {
	for id, spec := range m.jobs {
		all = append(all, Object{Kind: id.Kind, Namespace: id.Namespace, Key: id.Key, Spec: copied(spec), Version: m.version[id]})
	}
	return all
}

// Children, also of each other, are linked when all jobs are there; a job starts
// after that. What others take their code from comes before them.
// groupDoc returns a group.
func groupDoc(key string, spec map[string]any) Object {
	return Object{Kind: KindGroup, Namespace: "default", Key: key, Spec: spec}
}

// A group is there before the jobs that name it, goes after them, and takes no tokens
// but its own when all else is done.
func TestGroupSteps(t *testing.T) {
	t.Parallel()
	old := groupDoc("old", map[string]any{"title": "x"})
	gone, goneJob := old, jobDoc(t, "gone", plain)
	gone.Absent, goneJob.Absent = true, true
	want := []Object{jobDoc(t, "a", plain), groupDoc("new", map[string]any{"title": "y", fieldOwnToken: true}), gone, goneJob}
	m := newMemory(old, jobDoc(t, "gone", plain))
	plan, err := Decide(want, m.objects(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	steps := plan.Steps()
	if steps[0].Object.Spec[fieldOwnToken] != nil || steps[2].Patch[fieldOwnToken] != true {
		t.Errorf("steps %+v", steps)
	}
	if _, err := Apply(t.Context(), m, steps, func(Step) {}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.did, ", "); got != "create new, create a, change new, delete gone, delete old" {
		t.Error(got)
	}
	if plan, err = Decide(want, m.objects(), Options{}); err != nil || !plan.Empty() {
		t.Errorf("something is left: %s, %v", says(plan), err)
	}
}

// What a server has of a group is exported without what belongs to the place.
func TestFromGroup(t *testing.T) {
	t.Parallel()
	o, err := FromGroup(api.GroupFigures{
		Namespace: "default", Key: "My.Group", Title: "x", Labels: map[string]string{Mark: "set", "owner": "data"}, Version: 3, Executors: 5, Jobs: 7,
	})
	if o.Unmark(); err != nil || o.Version != 3 || !cmp.Equal(o.Spec, map[string]any{"title": "x", "labels": map[string]any{"owner": "data"}}) {
		t.Errorf("%+v, %v", o, err)
	}
	p, err := FromPause(api.Pause{Key: "p", Version: 4, Reason: "r", From: api.At(time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC))})
	if err != nil || p.Version != 4 || !cmp.Equal(p.Spec, map[string]any{"from": "2030-01-01T00:00:00.000Z", "reason": "r"}) {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	child := func(key string) string {
		return `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":true,"children":[{"key":"` + key + `"}]}`
	}
	want := []Object{
		jobDoc(t, "a", child("b")), jobDoc(t, "b", child("c")), jobDoc(t, "c", plain),
		jobDoc(t, "aa", `{"group":"ops","template":"c"}`),
		{Kind: KindCalendar, Namespace: "default", Key: "z", Spec: map[string]any{}},
		{Kind: KindAlarmRule, Namespace: "default", Key: "r", Spec: map[string]any{}},
	}
	have := []Object{
		jobDoc(t, "old", plain), {Kind: KindCalendar, Namespace: "default", Key: "old-days", Spec: map[string]any{}},
	}
	for _, o := range have {
		o.Absent = true
		want = append(want, o)
	}
	plan, err := Decide(want, have, Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := newMemory(have...)
	if _, err := Apply(t.Context(), m, plan.Steps(), func(Step) {}); err != nil {
		t.Fatal(err)
	}
	wantSteps := "create z, create a, create b, create c, create aa, link a, link b, start a, start b, create r, delete old, delete old-days"
	if got := strings.Join(m.did, ", "); got != wantSteps {
		t.Errorf("%s\nwant %s", got, wantSteps)
	}
}

// A failure leaves what is done, and the next plan goes on from there.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	want := []Object{
		jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":true,"children":[{"key":"b"}]}`), jobDoc(t, "b", plain),
		jobDoc(t, "c", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":false,"timeout":"5s"}`),
	}
	have := jobDoc(t, "c", `{"group":"ops","handler":{"kind":"named","name":"x"},"enabled":true}`)
	for fail := 1; fail <= 6; fail++ {
		m := newMemory(stored(have, 7))
		m.fail = fail
		plan, err := Decide(want, m.objects(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		told := 0
		done, err := Apply(t.Context(), m, plan.Steps(), func(Step) { told++ })
		if !job.Is(err, job.Unavailable) || done != fail-1 || told != done {
			t.Fatalf("failing at %d: %d done, %d told, %v", fail, done, told, err)
		}
		if plan, err = Decide(want, m.objects(), Options{}); err != nil {
			t.Fatal(err)
		}
		if _, err = Apply(t.Context(), m, plan.Steps(), func(Step) {}); err != nil {
			t.Fatalf("after failing at %d: %v", fail, err)
		}
		if plan, err = Decide(want, m.objects(), Options{}); err != nil || !plan.Empty() {
			t.Errorf("after failing at %d something is left: %s, %v", fail, says(plan), err)
		}
	}
}

// What somebody else has changed meanwhile is not overwritten.
func TestMeanwhile(t *testing.T) {
	t.Parallel()
	have := stored(jobDoc(t, "a", `{"group":"ops","handler":{"kind":"named","name":"y"}}`), 4)
	plan, err := Decide([]Object{jobDoc(t, "a", plain)}, []Object{have}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	have.Version = 5
	if done, err := Apply(t.Context(), newMemory(have), plan.Steps(), func(Step) {}); !job.Is(err, job.Conflict) || done != 0 {
		t.Errorf("%d done, %v", done, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	if _, err := Apply(ctx, newMemory(), plan.Steps(), func(Step) {}); err == nil || err.Error() != "enough" {
		t.Errorf("given up: %v", err)
	}
}

// The patch makes of any two jobs the second one, and then nothing is left to do.
func TestAnyPatch(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		have, want := drawSpec(r, "have"), drawSpec(r, "want")
		whole := copied(have)
		merge(whole, patch(have, want))
		if diff := cmp.Diff(want, whole); diff != "" {
			r.Fatal(diff)
		}
		if len(compare("", have, want)) == 0 != cmp.Equal(have, want) {
			r.Fatalf("%v and %v: %v", have, want, compare("", have, want))
		}
	})
}

func drawSpec(r *rapid.T, label string) map[string]any {
	value := rapid.SampledFrom([]any{"x", "y", 1.0, true, []any{"a"}, []any{map[string]any{"k": "v"}}})
	inner := rapid.MapOfN(rapid.SampledFrom([]string{"a", "b.c"}), value, 1, 2)
	return rapid.MapOf(rapid.SampledFrom([]string{"p", "q", "r"}), rapid.OneOf(value, rapid.Map(inner, func(m map[string]any) any { return m }))).Draw(r, label)
}

// A job of a server is exported and read as what it is.
func TestFromJob(t *testing.T) {
	t.Parallel()
	shown := api.FromJob(job.Job{
		ID: 7, Namespace: "team", Key: "a", Group: "ops", Schedule: schedule.Spec{Kind: schedule.KindCron, Cron: "0 0 2 * * ?"},
		Handler: job.Handler{Kind: job.HandlerPython, Source: "print(1)\n"}, Children: []job.Child{{JobID: 8, Key: "b"}, {JobID: 9}},
		Overlap: job.OverlapSerial, OnCrash: job.CrashReport, Labels: map[string]string{Mark: "set", "tier": "1"}, Version: 4, Enabled: true, Misfire: schedule.MisfireSkip, Route: job.RouteRound,
	})
	o, err := FromJob(shown)
	if err != nil || o.Version != 4 {
		t.Fatal(o, err)
	}
	o.Unmark()
	delayed, err := FromJob(api.Job{Key: "d", Schedule: api.Schedule{Kind: schedule.KindOnce, Delay: api.Duration(time.Hour), At: api.At(time.Now())}})
	if err != nil || delayed.text("schedule", "delay") != "1h0m0s" || delayed.text("schedule", "at") != "" {
		t.Errorf("with a delay: %v, %v", delayed, err)
	}
	files, err := Files([]Object{o}, true)
	if err != nil {
		t.Fatal(err)
	}
	const document = `apiVersion: orth/v1
kind: Job
metadata:
  key: a
  namespace: team
spec:
  group: ops
  schedule:
    kind: cron
    cron: 0 0 2 * * ?
    dst:
      gap: skip
      overlap: second
  handler:
    kind: python
    source_file: a.py
  overlap_scope: executor
  labels:
    tier: "1"
  children:
    - key: b
  enabled: true
`
	if len(files) != 2 || files[0].Name != "jobs/a.py" || string(files[0].Text) != "print(1)\n" {
		t.Fatalf("%+v", files)
	}
	if diff := cmp.Diff(document, string(files[1].Text)); diff != "" {
		t.Error(diff)
	}
}

// Secrets go along when they must, and only then.
func TestSecrets(t *testing.T) {
	t.Parallel()
	channel := func(settings string, secrets ...string) Object {
		o := Object{Kind: KindAlarmChannel, Namespace: "default", Key: "ops", Spec: map[string]any{"kind": "email", "settings": map[string]any{"host": settings}}, Secrets: map[string]string{}}
		for _, name := range secrets {
			o.Secrets[name] = Variable("ops", name)
		}
		return o
	}
	const variable = "ORTH_CHANNEL_OPS_PASSWORD"
	for _, c := range []struct {
		name       string
		want, have Object
		again      bool
		sent       map[string]string
		steps      int
	}{
		{"same", channel("a", "password"), channel("a", "password"), false, nil, 0},
		{"again", channel("a", "password"), channel("a", "password"), true, map[string]string{"password": variable}, 1},
		{"moved", channel("b", "password"), channel("a", "password"), false, map[string]string{"password": variable}, 1},
		{"new", channel("a", "password"), channel("a"), false, map[string]string{"password": variable}, 1},
		{"gone", channel("a"), channel("a", "password"), false, map[string]string{"password": ""}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			plan, err := Decide([]Object{c.want}, []Object{c.have}, Options{Secrets: c.again})
			if err != nil {
				t.Fatal(err)
			}
			steps := plan.Steps()
			if len(steps) != c.steps || c.steps > 0 && !cmp.Equal(steps[0].Secrets, c.sent) {
				t.Errorf("%+v", steps)
			}
			var names []string
			if c.sent["password"] != "" {
				names = []string{variable}
			}
			if got := Variables(steps); !cmp.Equal(got, names) {
				t.Errorf("needs %v, want %v", got, names)
			}
			text, err := json.Marshal(plan)
			if err != nil || strings.Contains(string(text), "ORTH_CHANNEL") {
				t.Errorf("%s, %v", text, err)
			}
		})
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	p := Plan{Changes: []Change{{Action: ActionCreate}, {Action: ActionNone}, {Action: ActionDelete}}}
	if got := p.Summary(); got != "1 to create, 0 to change, 1 to delete, 1 as they are" {
		t.Error(got)
	}
	p.Changes = p.Changes[1:2]
	if got := p.Summary(); got != "nothing to do: 1 object is as its document says" {
		t.Error(got)
	}
}
