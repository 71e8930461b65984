package job

import (
	"errors"
	"testing"
)

// What a workflow gives to a job is refused where it is written, not when it runs.
func TestCheckRunTemplate(t *testing.T) {
	t.Parallel()
	fallback := "eu"
	template := called(`{"url":"https://h/${input:day|url}/${input:count|url}/${input:region|url}"}`,
		Input{Name: "day", Pattern: "[0-9-]+"}, Input{Name: "count", Type: InputInteger, Default: &fallback}, Input{Name: "region", Default: &fallback})
	bare := called(`{"url":"https://h/"}`)
	j, none := &template, &bare
	some := func(text string) *string { return &text }
	for _, c := range []struct {
		j           *Job
		template    *string
		field, want string
	}{
		{none, nil, "", ""},
		{none, some("any text"), "", ""},
		{j, some(`{"day":"2030-01-31"}`), "", ""},
		{j, some(`{"day":"2030-01-31","count":7,"region":"us"}`), "", ""},
		{j, some(`{"day":"{{param}}"}`), "", ""},
		{j, some(`{"day":"2030-{{planned_at}}","count":{{nodes.a.result}}}`), "", ""},
		{j, some(`{"day":{{param}}}`), "", ""},
		{j, some(`{{param}}`), "", ""},
		{j, some(`{"{{param}}":"1"}`), "", ""},
		{j, some(`{"day":"1", {{param}}}`), "", ""},

		{j, nil, "nodes[0].param.day", "the input day has no value and no default: give it as {\"day\": \"…\"}"},
		{j, some(""), "nodes[0].param.day", "the input day has no value and no default: give it as {\"day\": \"…\"}"},
		{j, some(`{"region":"{{param}}"}`), "nodes[0].param.day", "the input day has no value and no default: give it as {\"day\": \"…\"}"},
		{j, some(`{"day":"1","dya":"{{param}}"}`), "nodes[0].param", `"dya" is no input of job call: there are count, day, region`},
		{j, some(`{"day":"1","dya":"2"}`), "nodes[0].param", `"dya" is no input of job call: there are count, day, region`},
		{j, some(`{"day":"today"}`), "nodes[0].param.day", `"today" is no value of day: all of it must match [0-9-]+`},
		{j, some(`{"day":"{{param}}","count":"x"}`), "nodes[0].param.count", `"x" is no value of count: it must be a whole number of at most 15 digits`},
		{j, some(`{"day":"{{param}}","region":{"x":1}}`), "nodes[0].param", `the value of "region" must be a text, a number, true or false`},
		{j, some(`["{{param}}"]`), "nodes[0].param", "must be an object of JSON with the values of the job's inputs"},
		{j, some(`day=1`), "nodes[0].param", "must be an object of JSON with the values of the job's inputs"},
		{j, some(`day={{param}}`), "nodes[0].param", "must be an object of JSON with the values of the job's inputs"},
		{j, some(`{"day":"${secret:x}"}`), "nodes[0].param.day", `the value "${secret:x}" of day refers to a secret, which only the parameter and the labels of a job itself can`},
	} {
		shown := "none"
		if c.template != nil {
			shown = *c.template
		}
		err := c.j.CheckRunTemplate("nodes[0].param", c.template)
		if c.want == "" {
			if err != nil {
				t.Errorf("%s: %v", shown, err)
			}
			continue
		}
		wrong, ok := errors.AsType[*Error](err)
		if !ok || wrong.Kind != Invalid || wrong.Field != c.field || wrong.Message != c.want {
			t.Errorf("%s: %v, want %s: %s", shown, err, c.field, c.want)
		}
	}
}
