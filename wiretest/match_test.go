package wiretest

import (
	"strings"
	"testing"
)

func valueOf(t *testing.T, text string) any {
	t.Helper()
	v, err := answer{body: text}.value()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, got, problem string }{
		{`{"code":200}`, `{"code":200,"msg":"Success"}`, ""},
		{`{"code":200}`, `{"code":500}`, "it.code is 500, want 200"},
		{`{"code":200}`, `[{"code":200}]`, `it is [{"code":200}], want an object`},
		{`{"code":200}`, `{"code":"200"}`, `it.code is "200", want 200`},
		{`{"msg":"!"}`, `{}`, ""},
		{`{"msg":"!"}`, `{"msg":null}`, ""},
		{`{"msg":"!"}`, `{"msg":""}`, `it.msg is "", want none`},
		{`{"msg":"~^a.c$"}`, `{"msg":"a\nc"}`, ""},
		{`{"msg":"~^[0-9]+$"}`, `{"msg":12}`, ""},
		{`{"msg":"~."}`, `{}`, `it.msg is null, want something like "."`},
		{`{"msg":"~("}`, `{"msg":"("}`, "missing closing"},
		{`{"$any":[1,"!"]}`, `1`, ""},
		{`{"$any":[1,"!"]}`, `null`, ""},
		{`{"$any":[1,"!"]}`, `2`, `it is 2, want one of [1,"!"]`},
		{`[1,{"a":2}]`, `[1,{"a":2,"b":3}]`, ""},
		{`[1]`, `[1,2]`, "it is [1,2], want [1]"},
		{`[1]`, `[2]`, "it[0] is 2, want 1"},
		{`null`, `null`, ""},
		{`null`, `0`, "it is 0, want null"},
		{`9007199254740993`, `9007199254740993`, ""},
		{`9007199254740993`, `9007199254740992`, "it is 9007199254740992, want 9007199254740993"},
		{`true`, `[]`, "it is [], want true"},
	} {
		problem := ""
		if err := match("it", valueOf(t, c.want), valueOf(t, c.got)); err != nil {
			problem = err.Error()
		}
		if !strings.Contains(problem, c.problem) || (c.problem == "") != (problem == "") {
			t.Errorf("%s against %s: %q; want %q", c.got, c.want, problem, c.problem)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	w := words{
		"job": number(7), "name": "Token", "both": "${name}-${job}", "list": []any{"${job}", "${job:text}"},
		"round": "${round}", "key": "id",
	}
	for text, want := range map[string]string{
		`"${job}"`:              `7`,
		`"a${job}b${job}"`:      `"a7b7"`,
		`"${both}"`:             `"Token-7"`,
		`"${name:lower}"`:       `"token"`,
		`"${name:upper} $x {}"`: `"TOKEN $x {}"`,
		`{"${key}":"${list}"}`:  `{"id":[7,"7"]}`,
		`"no ${end"`:            `"no ${end"`,
		`"${nothing}"`:          `the data has no word "nothing"`,
		`["${round}"]`:          `words stand in words without end`,
		`"${job:loud}"`:         `the word "job" has no form "loud"`,
	} {
		got, err := w.fill(valueOf(t, text))
		told := show(got)
		if err != nil {
			told = err.Error()
		}
		if told != want {
			t.Errorf("%s became %s; want %s", text, told, want)
		}
	}
}

// FuzzWords: whatever a text says of words, it is filled or refused.
func FuzzWords(f *testing.F) {
	w := words{"a": "x${b}", "b": number(1), "loop": "${loop}y${loop}"}
	for _, seed := range []string{"${a}", "${b:text}", "${", "}${a}{", "${a${b}}", "${loop}", "$${a}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := w.fill(text)
		if err == nil && !strings.Contains(text, "${") && got != text {
			t.Errorf("%q became %v", text, got)
		}
	})
}
