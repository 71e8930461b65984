package form

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

func fields() []Field {
	return []Field{
		{Name: "url", Secret: true, Needed: true, Check: Address, Doc: "where it goes"},
		{Name: "method", Default: "POST", Check: OneOf("POST", "PUT"), Doc: "how"},
		{Name: "text", Lines: true},
		{Name: "list", Check: AtMost(2, func(entry string) error {
			if entry == "bad" {
				return errors.New("it has a bad entry")
			}
			return nil
		})},
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	type settings = map[string]string
	url := settings{"url": "https://a.example/x"}
	for _, test := range []struct {
		settings, secrets settings
		want              Values
		field, says       string
	}{
		{nil, url, Values{"url": "https://a.example/x", "method": "POST", "text": "", "list": ""}, "", ""},
		{
			settings{"method": " PUT ", "text": "a\n\tb", "list": "a, b,"},
			url,
			Values{"url": "https://a.example/x", "method": "PUT", "text": "a\n\tb", "list": "a, b,"},
			"", "",
		},
		{nil, nil, nil, "secrets.url", "it is missing: where it goes"},
		{nil, settings{"url": "  "}, nil, "secrets.url", "it is missing"},
		{settings{"method": "GET"}, url, nil, "settings.method", `"GET" is not possible: write one of POST, PUT`},
		{settings{"method": "PO\nST"}, url, nil, "settings.method", "control character"},
		{settings{"text": "a\x00"}, url, nil, "settings.text", "control character"},
		{settings{"text": strings.Repeat("x", maxValue+1)}, url, nil, "settings.text", "at most 16384"},
		{settings{"list": "a,b,c"}, url, nil, "settings.list", "it has 3 entries, at most 2"},
		{settings{"list": "a,bad"}, url, nil, "settings.list", "a bad entry"},
		{settings{"url": "https://a.example/"}, nil, nil, "settings.url", "it is a secret"},
		{nil, settings{"url": "https://a.example/", "method": "PUT"}, nil, "secrets.method", "it is no secret"},
		{settings{"nothing": "x"}, url, nil, "settings.nothing", "no such setting: it has method, text, list"},
		{nil, settings{"nothing": "x"}, nil, "secrets.nothing", "no such secret: it has url"},
	} {
		got, err := Read(fields(), alarm.Channel{Kind: "fax", Settings: test.settings, Secrets: test.secrets})
		if test.field == "" {
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Errorf("%v: %v %s", test.settings, err, diff)
			}
			continue
		}
		e, ok := errors.AsType[*job.Error](err)
		if !ok || e.Kind != job.Invalid || e.Field != test.field || !strings.Contains(e.Message, test.says) {
			t.Errorf("%v %v: %v", test.settings, test.secrets, err)
		}
	}
	if _, err := Read(nil, alarm.Channel{Settings: settings{"x": "y"}}); err == nil || !strings.Contains(err.Error(), "it has none") {
		t.Error(err)
	}
}

// TestAddress: what is wrong is said without the address, which may be a secret.
func TestAddress(t *testing.T) {
	t.Parallel()
	for in, says := range map[string]string{
		"https://a.example/x?y=1":     "",
		"http://127.0.0.1:80":         "",
		"hooks.example.com/token":     "begins with neither",
		"ftp://a.example/token":       "begins with neither",
		"https:///token":              "names no host",
		"https://me:token@a.example/": "has a user in it",
		"https://a.example/x#token":   "#",
		"https://a.example/token\x7f": "no address",
		"https://[::1/token":          "no address",
	} {
		err := Address(in)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "token")) {
			t.Errorf("%q: %v", in, err)
		}
	}
}
