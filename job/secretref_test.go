package job

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFillSecrets(t *testing.T) {
	t.Parallel()
	values := map[string]string{"a": `v"1`, "b.c-d_e": "ü\n"}
	fill := func(text string) (string, error) {
		return FillSecrets(text, 1000, func(key string) (string, error) {
			value, ok := values[key]
			if !ok {
				return "", Errorf(NotFound, "no %s", key)
			}
			return value, nil
		})
	}
	for _, test := range []struct{ text, want string }{
		{"", ""},
		{"plain ${a} $ {secret:a} ${env:X}", "plain ${a} $ {secret:a} ${env:X}"},
		{"${secret:a}", `v"1`},
		{"x${secret:a}y${secret:b.c-d_e}z", "xv\"1yü\nz"},
		{"$${secret:a} $$${secret:a}", "${secret:a} $${secret:a}"},
		{"${secret:a|url}", "v%221"},
		{"${secret:b.c-d_e|url}", "%C3%BC%0A"},
		{`"${secret:a}"`, `"v\"1"`},
		{` ["${secret:a}", "$${secret:a}"] `, ` ["v\"1", "${secret:a}"] `},
		{`{"${secret:a}":"${secret:a|url}"}`, `{"v\"1":"v%221"}`},
		{`{"${secret:a}"`, `{"v"1"`}, // no JSON
		{`{"secrets":["PW","a"],"x":"${secret:PW} ${secret:a} ${secret:b.c-d_e}"}`, `{"secrets":["PW","a"],"x":"${secret:PW} ${secret:a} ü\n"}`},
		{`{"secrets":"a","x":"${secret:a}"}`, `{"secrets":"a","x":"v\"1"}`},
	} {
		got, err := fill(test.text)
		if err != nil || got != test.want {
			t.Errorf("%s became %q, %v; want %q", test.text, got, err, test.want)
		}
	}
	for _, text := range []string{
		"${secret:", "${secret:}", "${secret:a", "${secret:A}", "${secret:a b}", "${secret:a|}", "${secret:a|base64}", "${secret:a|url|url}", "${secret:$${secret:a}}",
		`{"secrets":["PW"],"x":"${secret:OTHER}"}`, "${secret:" + strings.Repeat("a", MaxKey+1) + "}",
	} {
		if got, err := fill(text); !Is(err, Invalid) || !strings.Contains(err.Error(), "is no reference to a secret") || got != "" {
			t.Errorf("%s became %q, %v", text, got, err)
		}
	}
	if _, err := fill("${secret:none}"); !Is(err, NotFound) {
		t.Errorf("a missing one: %v", err)
	}
}

// TestFillSecretsBound: a small text with many references to a large value stops at the
// limit, before it takes all memory.
func TestFillSecretsBound(t *testing.T) {
	t.Parallel()
	asked, value := 0, strings.Repeat("\x01", 64<<10)
	text := `["` + strings.Repeat("${secret:a}", 5000) + `"]`
	_, err := FillSecrets(text, MaxParam, func(string) (string, error) { asked++; return value, nil })
	if !Is(err, Invalid) || !strings.Contains(err.Error(), "more than 65536 bytes") || asked > 1 {
		t.Errorf("%d values were put in: %v", asked, err)
	}
}

func TestSecretKeys(t *testing.T) {
	t.Parallel()
	j := Job{Param: "${secret:b} ${secret:a} ${secret:b}", Labels: map[string]string{"x": "${secret:c}", "y": "$${secret:d}"}}
	keys, err := j.SecretKeys()
	if err != nil || !slices.Equal(keys, []string{"a", "b", "c"}) {
		t.Errorf("keys %v, %v", keys, err)
	}
	for key, want := range map[string]string{"a": "param", "c": "labels.x", "d": ""} {
		if got := j.SecretField(key); got != want {
			t.Errorf("%s is in %q, want %q", key, got, want)
		}
	}
	j.Labels["x"] = "${secret:"
	if _, err := j.SecretKeys(); !Is(err, Invalid) || !strings.Contains(err.Error(), "labels.x") {
		t.Errorf("a label that is wrong: %v", err)
	}
	if err := CheckNoSecrets("param", "$${secret:a}"); err != nil {
		t.Errorf("the text itself: %v", err)
	}
	for _, text := range []string{"${secret:a}", "${secret:A}"} {
		if err := CheckNoSecrets("param", text); !Is(err, Invalid) || !strings.HasPrefix(err.Error(), "param: ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestCheckTaskLabels(t *testing.T) {
	t.Parallel()
	longest := map[string]string{}
	for i := range MaxLabels {
		longest[strings.Repeat("k", MaxLabelKey-2)+string(rune('0'+i/10))+string(rune('0'+i%10))] = strings.Repeat("é", MaxLabelValue/2)
	}
	for _, labels := range []map[string]string{nil, longest, {"token": strings.Repeat("x", 4000)}} {
		if err := CheckTaskLabels("labels", labels); err != nil {
			t.Error(err)
		}
	}
	for _, labels := range []map[string]string{{"K": "x"}, {"k": "a\nb"}, {"k": "\xff"}, {"k": strings.Repeat("x", MaxLabelsText)}, {"k": strings.Repeat("é", 1000)}} {
		if err := CheckTaskLabels("labels", labels); !Is(err, Invalid) {
			t.Errorf("%.20v: %v", labels, err)
		}
	}
}

func TestSecretChecks(t *testing.T) {
	t.Parallel()
	good := Secret{Namespace: "default", Key: "api", Title: "API", Groups: []string{"My.Group"}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	if !good.Serves("My.Group") || good.Serves("other") || !(&Secret{}).Serves("any") {
		t.Error("it is wrong whose jobs may refer to it")
	}
	for field, s := range map[string]Secret{
		"namespace": {Key: "api"}, "key": {Namespace: "default", Key: "API"}, "title": {Namespace: "default", Key: "api", Title: "\x00"},
		"groups": {Namespace: "default", Key: "api", Groups: make([]string, MaxSecretGroups+1)},
	} {
		if err := s.Check(); !Is(err, Invalid) || !strings.HasPrefix(err.Error(), field+": ") {
			t.Errorf("%s: %v", field, err)
		}
	}
	for _, value := range []string{"12345678", "a\nlonger line\nb"} {
		if err := CheckSecretValue("value", value); err != nil {
			t.Error(err)
		}
	}
}

// Whatever the value: in JSON it is read again as it was, and in an address too.
func TestFilledValuesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.String().Draw(t, "value")
		put := func(text string) string {
			filled, err := FillSecrets(text, MaxParam, func(string) (string, error) { return value, nil })
			if err != nil {
				t.Fatal(err)
			}
			return filled
		}
		var read []string
		if err := json.Unmarshal([]byte(put(`["${secret:a}"]`)), &read); err != nil || read[0] != strings.ToValidUTF8(value, "\uFFFD") {
			t.Fatalf("%q became %q: %v", value, read, err)
		}
		if back, err := url.QueryUnescape(put("${secret:a|url}")); err != nil || back != value {
			t.Fatalf("%q became %q in a query: %v", value, back, err)
		}
		if back, err := url.PathUnescape(EscapeURL(value)); err != nil || back != value {
			t.Fatalf("%q became %q in a path: %v", value, back, err)
		}
	})
}

func FuzzFillSecrets(f *testing.F) {
	for _, text := range []string{"${secret:a}", "$${secret:a}", `{"secrets":["A"],"x":"${secret:A}${secret:a|url}"}`, "${secret:", "$$${secret:a}}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const value = "0123456789"
		filled, err := FillSecrets(text, MaxParam, func(string) (string, error) { return value, nil })
		keys, keysErr := SecretKeys(text)
		if (err == nil) != (keysErr == nil) {
			t.Fatalf("%q is filled with %v, and has keys with %v", text, err, keysErr)
		}
		if err != nil {
			return
		}
		if len(keys) == 0 && strings.Contains(filled, value) && !strings.Contains(text, value) {
			t.Fatalf("%q has no references and became %q", text, filled)
		}
		if len(keys) > 0 && !strings.Contains(filled, value) {
			t.Fatalf("%q refers to %v and became %q", text, keys, filled)
		}
		if json.Valid([]byte(text)) && !json.Valid([]byte(filled)) {
			t.Fatalf("%q is JSON, and %q is not", text, filled)
		}
	})
}
