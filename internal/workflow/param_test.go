package workflow

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/orthd/orth/job"
)

func TestFill(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a": "1", "b": "{{a}}", "": "none", "long": strings.Repeat("x", 20)}
	value := func(name string) (string, error) {
		if text, ok := values[name]; ok {
			return text, nil
		}
		return "", errors.New("no " + name)
	}
	for template, want := range map[string]string{
		"": "", "plain": "plain", "{{a}}": "1", "x{{ a }}y{{a}}z": "x1y1z", "{{b}}": "{{a}}", "{a}}": "{a}}", `{"k":"{{a}}"}`: `{"k":"1"}`,
		"{{}}": "none", "}}{{a}}": "}}1",
	} {
		if got, err := expandTemplate(template, 20, value); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", template, got, err, want)
		}
	}
	for template, want := range map[string]string{
		"{{c}}": "no c", "{{a": `"{{a" is not closed`, "{{" + strings.Repeat("é", 30): "…", "{{a}} {{long}}": "more than 20 bytes",
		strings.Repeat("y", 21): "more than 20",
	} {
		if got, err := expandTemplate(template, 20, value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v; want an error with %q", template, got, err, want)
		}
	}
}

func TestParamOfANode(t *testing.T) {
	t.Parallel()
	r := running("a", "b:a")
	r.Nodes[0].Result = `{"rows":5}`
	r.Param = "day"
	p := newPlan(r, 0, now)
	for template, want := range map[string]string{
		"{{param}}": "day", "{{run_id}}": "7", "{{planned_at}}": "2026-05-01T11:00:00.123Z", "{{nodes.a.result}}": `{"rows":5}`,
	} {
		n := r.Nodes[1]
		n.Param = &template
		if got, err := p.param(&n); err != nil || *got != want {
			t.Errorf("%s: %v, %v; want %q", template, got, err, want)
		}
	}
	if got, err := p.param(&r.Nodes[1]); got != nil || err != nil {
		t.Errorf("without a template: %v, %v", got, err)
	}
	p.Run.PlannedAt = time.Time{}
	n, template := r.Nodes[1], "<{{planned_at}}>"
	n.Param = &template
	if got, err := p.param(&n); err != nil || *got != "<>" {
		t.Errorf("without a slot: %v, %v", got, err)
	}
}

func TestCheckParams(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"": "", "{{param}}{{run_id}}{{planned_at}}": "", "{{nodes.a.result}}": "", "{{nodes.b.result}}": "",
		"{{nodes.c.result}}": "node c does not come after c", "{{nodes.d.result}}": "does not come after d",
		"{{nodes.x.result}}": "is unknown: use {{param}}", "{{nodes.a}}": "is unknown", "{{job}}": "{{job}} is unknown", "{{param": "not closed",
	} {
		list := nodes("a", "b:a", "c:b", "d")
		list[2].Param = &template
		err := checkParams(list)
		if want == "" {
			if err != nil {
				t.Errorf("%q: %v", template, err)
			}
			continue
		}
		wrong, ok := errors.AsType[*job.Error](err)
		if !ok || wrong.Field != "nodes[2].param" || wrong.Kind != job.Invalid || !strings.Contains(wrong.Message, want) {
			t.Errorf("%q: %v, want %q", template, err, want)
		}
	}
}

// A template without braces is itself; and whatever it is, the limit holds.
func TestFillIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		template := rapid.StringOf(rapid.SampledFrom([]rune("{}ab é"))).Draw(t, "template")
		limit := rapid.IntRange(0, 30).Draw(t, "limit")
		got, err := expandTemplate(template, limit, func(name string) (string, error) { return name + name, nil })
		switch {
		case err != nil && len(template) <= limit && !strings.Contains(template, opening):
			t.Fatalf("%q is refused: %v", template, err)
		case err == nil && len(got) > limit:
			t.Fatalf("%q became %d bytes", template, len(got))
		case err == nil && !strings.Contains(template, opening) && got != template:
			t.Fatalf("%q became %q", template, got)
		}
	})
}

func FuzzFill(f *testing.F) {
	for _, seed := range []string{"", "{{a}}", "{{{{}}}}", "a{{b", "}}{{"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, template string) {
		asked := 0
		got, err := expandTemplate(template, 1000, func(string) (string, error) { asked++; return "", nil })
		if err == nil && asked == 0 && got != template {
			t.Errorf("%q became %q", template, got)
		}
		if asked > strings.Count(template, opening) {
			t.Errorf("%d values of %q", asked, template)
		}
	})
}
