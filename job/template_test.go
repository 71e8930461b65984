package job

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// In JSON a value stays one value, whatever another run or a user has put into it.
func TestExpandInJSON(t *testing.T) {
	t.Parallel()
	words := map[string]string{
		"evil": `x","url":"https://evil.example","secrets":["KEY"],"y":"`, "json": `{"rows":5}`, "text": "a b", "number": "7", "none": "", "break": `\`,
	}
	for _, test := range []struct{ template, want string }{
		{`{"url":"https://h/{{evil}}"}`, `{"url":"https://h/x\",\"url\":\"https://evil.example\",\"secrets\":[\"KEY\"],\"y\":\""}`},
		{`{"a":{{json}},"b":{{text}},"c":{{none}},"d":{{number}}}`, `{"a":{"rows":5},"b":"a b","c":"","d":7}`},
		{`{"a":{{evil}}}`, `{"a":"x\",\"url\":\"https://evil.example\",\"secrets\":[\"KEY\"],\"y\":\""}`},
		{`["p","{{json}}","{{break}}"]`, `["p","{\"rows\":5}","\\"]`},
		{`{"a\"":"{{number}}\\","b":"{{evil}}"}`, `{"a\"":"7\\","b":"x\",\"url\":\"https://evil.example\",\"secrets\":[\"KEY\"],\"y\":\""}`},
		{`{{json}}`, `{"rows":5}`},
		{`run {{text}} "{{break}}"`, `run a b "\"`},
		{`"{{evil}}"`, `"` + words["evil"] + `"`}, // no object and no list: as it is
	} {
		if got, fits := Expand(test.template, words, 1000); !fits || got != test.want {
			t.Errorf("%s became %s, %t; want %s", test.template, got, fits, test.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`["\\{}:,\[\]a0]{0,20}`)).Draw(t, "value")
		text, fits := Expand(`{"url":"https://h/{{v}}","n":{{v}},"list":["{{v}}"]}`, map[string]string{"v": value}, MaxParam)
		var read map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &read); !fits || err != nil || len(read) != 3 {
			t.Fatalf("%q made %s: %v", value, text, err)
		}
		var url string
		if err := json.Unmarshal(read["url"], &url); err != nil || url != "https://h/"+strings.ToValidUTF8(value, "\uFFFD") {
			t.Fatalf("%q became the address %q, %v", value, url, err)
		}
	})
}

func TestCheckFixedTemplate(t *testing.T) {
	t.Parallel()
	for template, good := range map[string]bool{
		"": true, "url: https://h/": true, `{"url":"https://h/{{param}}"}`: true, `["rsync","{{param}}"]`: true, `{"json":{{result}}}`: true, "a {{ b": true,
		"{{param}}": false, "url: https://h/{{param}}": false, "rsync {{param}} /to": false, `{"url":"{{param}}"`: false, `"{{param}}"`: false, `{{{param}}:1}`: false,
	} {
		err := CheckFixedTemplate("param", template)
		if good != (err == nil) || err != nil && !Is(err, Invalid) {
			t.Errorf("%s: %v", template, err)
		}
	}
}
