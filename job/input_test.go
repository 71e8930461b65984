package job

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/schedule"
)

// called returns a job that calls an address, with inputs.
func called(param string, inputs ...Input) Job {
	return Job{
		Key: "call", Param: param, Inputs: inputs, Schedule: schedule.Spec{Kind: schedule.KindManual},
		Handler: Handler{Kind: HandlerNamed, Name: HandlerNameHTTP},
	}
}

func TestCheckInputs(t *testing.T) {
	t.Parallel()
	const param = `{"url":"https://h/${input:day|url}"}`
	day := func(change func(i *Input)) Input {
		i := Input{Name: "day"}
		change(&i)
		return i
	}
	some := func(text string) *string { return &text }
	at := func(n float64) *float64 { return &n }
	named := func(param string, inputs ...Input) Job {
		j := called(param, inputs...)
		j.Handler.Name = "import"
		return j
	}
	data := called("day=${input:day}", Input{Name: "day"})
	data.Handler.Name = "import"
	follower := data
	follower.Handler, follower.Template = Handler{}, 3
	timed := called(param, Input{Name: "day"})
	timed.Schedule.Kind = schedule.KindEvery
	many := called(param)
	for i := range MaxInputs + 1 {
		many.Inputs = append(many.Inputs, Input{Name: fmt.Sprint("i", i)})
	}
	for _, c := range []struct {
		j           Job
		field, want string
	}{
		{called("any ${input:x} ${input:"), "", ""},
		{called(`{"url":"https://h/x","json":{"n":"${input:day}"}}`, day(func(i *Input) { i.Type, i.Min, i.Max = InputInteger, at(1), at(31) })), "", ""},
		{called(`{"url":"https://${input:day|url}.example/x"}`, day(func(i *Input) { i.Options = []string{"eu", "us"} })), "", ""},
		{called(`{"url":"https://${input:day|url}.example/x"}`, Input{Name: "day"}), "param", "day stands in its host"},
		{called(`{"URL":"https://h.example${input:day|url}"}`, Input{Name: "day"}), "param", "day stands in its host"},
		{called(`{"url":"${input:day|url}"}`, Input{Name: "day"}), "param", "day stands in its host"},
		{called(`{"url":"https://h/${input:day}"}`, Input{Name: "day"}), "param", "write ${input:day|url}"},
		{called(`{"url":"https://h/","secrets":["${input:day}"]}`, Input{Name: "day"}), "param", "names secrets, which no input may"},
		{named(`{"url":"${input:day}","secrets":"${input:day}"}`, Input{Name: "day"}), "", ""},
		{called(param, day(func(i *Input) { i.Type = "date" })), "inputs[0].type", "use text, integer, number or boolean"},
		{called(param, day(func(i *Input) { i.Type, i.Min = InputBoolean, at(0) })), "inputs[0].min", "the type is boolean"},
		{called(param, day(func(i *Input) { i.Min, i.Max = at(2), at(1) })), "inputs[0].max", "1 is less than min, which is 2"},
		{called(param, day(func(i *Input) { i.Type, i.Default = InputInteger, some("1.5") })), "inputs[0].default", "a whole number"},
		{called(param, Input{Name: "day"}), "", ""},
		{called(param, Input{Name: "day", Default: some("today"), Options: []string{"today", "yesterday"}, Pattern: "[a-z]+", Description: "which"}), "", ""},
		{called(`["p","${input:day}","$${input:x}"]`, Input{Name: "day"}), "", ""},
		{data, "", ""},
		{follower, "param", "must be an object or a list of JSON"},
		{called("url: https://h/${input:day}", Input{Name: "day"}), "param", "must be an object or a list of JSON"},
		{timed, "inputs[0].default", "is missing: the schedule is every"},
		{many, "inputs", "are 33, at most 32 are allowed"},
		{called(param, Input{Name: "Day"}), "inputs[0].name", "must be lower-case"},
		{called(param, Input{Name: "day"}, Input{Name: "day"}), "inputs[1].name", "the name of two inputs"},
		{called(param, Input{Name: "day"}, Input{Name: "hour"}), "inputs[1]", "hour is not used: write ${input:hour}"},
		{called(param, Input{Name: "hour"}), "param", "${input:day} is none of the job's inputs: there are hour"},
		{called(`{"a":"${input:day"}`, Input{Name: "day"}), "param", "is no reference to an input"},
		{called(param, day(func(i *Input) { i.Description = "a\nb" })), "inputs[0].description", "one line"},
		{called(param, day(func(i *Input) { i.Description = strings.Repeat("x", MaxInputText+1) })), "inputs[0].description", "at most 200"},
		{called(param, day(func(i *Input) { i.Pattern = "(" })), "inputs[0].pattern", "no expression"},
		{called(param, day(func(i *Input) { i.Pattern = "a)|(b" })), "inputs[0].pattern", "no expression"},
		{called(param, day(func(i *Input) { i.Pattern = strings.Repeat(".{0,1000}", 9) })), "inputs[0].pattern", "at most 1000 are allowed"},
		{called(param, day(func(i *Input) { i.Options = []string{"a", "a"} })), "inputs[0].options", `"a" stands twice`},
		{called(param, day(func(i *Input) { i.Options, i.Pattern = []string{"ab"}, "a" })), "inputs[0].options", "all of it must match a"},
		{called(param, day(func(i *Input) { i.Default, i.Options = some("x"), []string{"a"} })), "inputs[0].default", `"x" is no value of day: use one of a`},
		{called(param, day(func(i *Input) { i.Default = some("${secret:a}") })), "inputs[0].default", "refers to a secret"},
	} {
		err := c.j.CheckInputs()
		if c.want == "" {
			if err != nil {
				t.Errorf("%s %+v: %v", c.j.Param, c.j.Inputs, err)
			}
			continue
		}
		if !Is(err, Invalid) || !strings.Contains(err.Error(), c.field+": ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %+v: %v, want %s: %s", c.j.Param, c.j.Inputs, err, c.field, c.want)
		}
	}
}

func TestFillInputs(t *testing.T) {
	t.Parallel()
	fallback := "eu"
	j := called(`{"url":"https://h/${input:day|url}","headers":{"X":"${secret:k}","Y":"$${input:day}"},"secrets":["OWN"],"body":"${input:day} ${input:region} ${secret:OWN}"}`,
		Input{Name: "day"}, Input{Name: "region", Default: &fallback, Options: []string{"eu", "us"}})
	const after = `","headers":{"X":"${secret:k}","Y":"${input:day}"},"secrets":["OWN"],"body":"`
	for _, c := range []struct{ values, want, wrong string }{
		{`{"day":"a b"}`, `{"url":"https://h/a%20b` + after + `a b eu ${secret:OWN}"}`, ""},
		{`{"day":7,"region":"us"}`, `{"url":"https://h/7` + after + `7 us ${secret:OWN}"}`, ""},
		{`{"day":true,"region":null}`, `{"url":"https://h/true` + after + `true eu ${secret:OWN}"}`, ""},
		{`{"day":"\",\"url\":\"https://evil\",\"x\":\""}`, `{"url":"https://h/%22%2C%22url%22%3A%22https%3A%2F%2Fevil%22%2C%22x%22%3A%22` + after + `\",\"url\":\"https://evil\",\"x\":\" eu ${secret:OWN}"}`, ""},
		{"", "", "the input day has no value and no default"},
		{"{}", "", "the input day has no value and no default"},
		{`{"day":"1","url":"https://evil.example"}`, "", `"url" is no input of job call: there are day, region`},
		{`{"url":"https://evil.example","secrets":["OWN"]}`, "", `the value of "secrets" must be a text`},
		{`{"day":"1","region":"cn"}`, "", `"cn" is no value of region: use one of eu, us`},
		{`{"day":["x"]}`, "", "must be a text, a number, true or false"},
		{`{"day":"${secret:OWN}"}`, "", "refers to a secret"},
		{`{"day":"a\nb"}`, "", "one line of text"},
		{`{"day":"` + strings.Repeat("x", MaxInputValue+1) + `"}`, "", "at most 1000 are allowed"},
		{`["day"]`, "", "must be an object of JSON"},
		{`day=1`, "", "must be an object of JSON"},
		{`null`, "", "must be an object of JSON"},
		{`{"day":"1"} {}`, "", "must be an object of JSON"},
	} {
		got, err := j.FillInputs(c.values)
		if c.wrong != "" {
			if !Is(err, Invalid) || !strings.HasPrefix(err.Error(), "param") || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v, want %q", c.values, err, c.wrong)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s became %s, %v; want %s", c.values, got, err, c.want)
		}
	}
	// No two values make a reference together, and none hides one.
	empty := ""
	for _, c := range []struct{ param, a, b string }{
		{"${input:a}${input:b}", "${sec", "ret:k}"},
		{"${input:a}{secret:k}${input:b}", "$", "x"},
		{"${input:a}${secret:k} ${input:b}", "$", "x"},
	} {
		j := Job{Key: "j", Param: c.param, Handler: Handler{Kind: HandlerNamed, Name: "x"}, Inputs: []Input{{Name: "a", Default: &empty}, {Name: "b", Default: &empty}}}
		values, err := json.Marshal(map[string]string{"a": c.a, "b": c.b})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := j.FillInputs(string(values)); !Is(err, Invalid) || !strings.Contains(err.Error(), "only the job itself says where secrets stand") {
			t.Errorf("%s with %s became %s, %v", c.param, values, got, err)
		}
		if _, err := j.FillInputs(""); err != nil {
			t.Errorf("%s with defaults: %v", c.param, err)
		}
	}
}

// Whatever the values are: what an editor has fixed stays as it is.
func TestInputsStayWhereTheyArePut(t *testing.T) {
	t.Parallel()
	j := called(`{"url":"https://fixed.example/${input:a|url}","secrets":["OWN"],"headers":{"X":"${secret:OWN}"},"body":"${input:a}${input:b}"}`,
		Input{Name: "a"}, Input{Name: "b"})
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[$"{}:,\\secrtOWN]{0,24}`))
		values, err := json.Marshal(map[string]string{"a": value.Draw(t, "a"), "b": value.Draw(t, "b")})
		if err != nil {
			t.Fatal(err)
		}
		text, err := j.FillInputs(string(values))
		if err != nil {
			return
		}
		var read struct {
			URL     string
			Secrets []string
			Headers map[string]string
			Body    string
		}
		if err := json.Unmarshal([]byte(text), &read); err != nil {
			t.Fatalf("%s made %s: %v", values, text, err)
		}
		if !strings.HasPrefix(read.URL, "https://fixed.example/") || strings.ContainsAny(read.URL[len("https://fixed.example/"):], "/?#@:") ||
			len(read.Secrets) != 1 || read.Headers["X"] != "${secret:OWN}" || RefersToSecrets(read.Body) {
			t.Fatalf("%s made %s", values, text)
		}
	})
}

// Values that are no texts have their type, within its bounds, and stand without quotes
// where they are all of a text.
func TestTypedInputs(t *testing.T) {
	t.Parallel()
	least, most := 1.0, 5.0
	j := called(`{"url":"https://h/${input:n|url}","json":{"n":"${input:n}","x" : [ "${input:x}" ,"x=${input:x}","\"${input:n}\""],"b":"${input:b}","${input:b}" :"${input:t}"}}`,
		Input{Name: "n", Type: InputInteger, Min: &least, Max: &most}, Input{Name: "x", Type: InputNumber, Default: new("-1.5e3")},
		Input{Name: "b", Type: InputBoolean, Default: new("true")}, Input{Name: "t", Type: InputText, Default: new("7"), Max: &most})
	if err := j.CheckInputs(); err != nil {
		t.Fatal(err)
	}
	const want = `{"url":"https://h/3","json":{"n":3,"x" : [ -1.5e3 ,"x=-1.5e3","\"3\""],"b":true,"true" :"7"}}`
	for _, values := range []string{`{"n":3}`, `{"n":"3","b":true}`} {
		if got, err := j.FillInputs(values); err != nil || got != want {
			t.Errorf("%s became %s, %v", values, got, err)
		}
	}
	for _, wrong := range []struct{ values, want string }{
		{`{"n":0}`, "at least 1 are allowed"},
		{`{"n":6}`, "at most 5 are allowed"},
		{`{"n":1.5}`, "a whole number"},
		{`{"n":"01"}`, "a whole number"},
		{`{"n":"3,\"y\":4"}`, "a whole number"},
		{`{"n":""}`, "a whole number"},
		{`{"n":3,"x":"1,2"}`, "as JSON writes it"},
		{`{"n":3,"x":"NaN"}`, "as JSON writes it"},
		{`{"n":3,"x":" 1"}`, "as JSON writes it"},
		{`{"n":3,"x":"[1]"}`, "as JSON writes it"},
		{`{"n":3,"x":1e999}`, "beyond"},
		{`{"n":3,"b":1}`, "must be true or false"},
		{`{"n":3,"b":"True"}`, "must be true or false"},
		{`{"n":3,"t":"123456"}`, "at most 5 characters are allowed"},
	} {
		if got, err := j.FillInputs(wrong.values); !Is(err, Invalid) || !strings.Contains(err.Error(), wrong.want) {
			t.Errorf("%s became %s, %v; want %s", wrong.values, got, err, wrong.want)
		}
	}
}

func FuzzFillInputs(f *testing.F) {
	f.Add(`{"a":"${input:a}"}`, `{"a":"x"}`)
	f.Add(`${input:a} $${input:a} ${secret:b}`, `{"a":5}`)
	f.Add(`["\"${input:a}","${input:a}",{"${input:a}":"${input:a}"}]`, `{"a":5}`)
	f.Fuzz(func(t *testing.T, param, values string) {
		for _, kind := range InputTypes() {
			j := Job{Key: "j", Param: param, Inputs: []Input{{Name: "a", Type: kind}}, Handler: Handler{Kind: HandlerNamed, Name: HandlerNameHTTP}}
			if j.CheckInputs() != nil {
				return
			}
			text, err := j.FillInputs(values)
			if err == nil && !json.Valid([]byte(text)) {
				t.Fatalf("%s with %s became %s", param, values, text)
			}
		}
	})
}

// A task of a job with inputs has the job's parameter with the values of its run.
func TestTaskWithInputs(t *testing.T) {
	t.Parallel()
	fallback, values := "today", `{"day":"monday"}`
	j := called(`["p","${input:day}"]`, Input{Name: "day", Default: &fallback})
	for want, own := range map[string]*string{`["p","today"]`: nil, `["p","monday"]`: &values} {
		task, err := j.FillTask(NewTask(&j, &Run{Param: own}, &Attempt{}))
		if err != nil || task.Param != want {
			t.Errorf("%q, %v; want %q", task.Param, err, want)
		}
	}
	old := "rsync / evil:"
	if task, err := j.FillTask(NewTask(&j, &Run{Param: &old}, &Attempt{})); !Is(err, Invalid) || task.Param != "" {
		t.Errorf("a parameter from before there were inputs: %q, %v", task.Param, err)
	}
}
