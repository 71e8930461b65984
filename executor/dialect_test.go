package executor

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// TestServers: the dialect is that of all servers, or of the one that has it in
// front.
func TestServers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		dialect string
		servers []string
		want    []server
		all     job.Dialect // of all of them
	}{
		{"", []string{"http://a/x"}, []server{{"http://a/x", ""}}, ""},
		{"auto", []string{"http://a", "https://b:1/orth-admin"}, []server{{"http://a", ""}, {"https://b:1/orth-admin", ""}}, ""},
		{"xxl-job", []string{"http://a", "http://b"}, []server{{"http://a", job.DialectXXL}, {"http://b", job.DialectXXL}}, job.DialectXXL},
		{"xxl-job-3.5", []string{"http://a"}, []server{{"http://a", job.DialectXXL35}}, job.DialectXXL35},
		{"", []string{"orth-java=http://a", "http://b"}, []server{{"http://a", job.DialectOrthJava}, {"http://b", ""}}, ""},
		{"orth-java", []string{"http://a", "auto=http://b"}, []server{{"http://a", job.DialectOrthJava}, {"http://b", ""}}, ""},
		{"", []string{"http://a/x=y"}, []server{{"http://a/x=y", ""}}, ""},
		{"", []string{"xxl-job-3.5=http://a/x=y"}, []server{{"http://a/x=y", job.DialectXXL35}}, job.DialectXXL35},
	} {
		c := good()
		c.Dialect, c.Servers = test.dialect, test.servers
		got, err := c.servers()
		if err != nil || !slices.Equal(got, test.want) || dialectOfAll(got) != test.all {
			t.Errorf("%q, %q: %v, of all %q, %v; want %v, of all %q", test.dialect, test.servers, got, dialectOfAll(got), err, test.want, test.all)
		}
		if _, err := New(c); err != nil {
			t.Errorf("New with %q, %q: %v", test.dialect, test.servers, err)
		}
		for _, s := range got {
			if d := dialectAt(got)(s.address); d != s.dialect {
				t.Errorf("%s is spoken to as %q", s.address, d)
			}
		}
	}
	if d := dialectAt(nil)("http://a"); d != "" {
		t.Errorf("a server that nobody named is spoken to as %q", d)
	}
}

func TestServersRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ dialect, server, field, text string }{
		{"xxl", "http://a", "dialect", "one of auto, xxl-job, xxl-job-3.5, orth-java"},
		{"xxl-job-2", "http://a", "dialect", `"xxl-job-2"`},
		{"", "native2=http://a", "servers", `"native2"`},
		{"", "orth-java=", "servers", "is not a URL"},
		{"", "orth-java=a:8080", "servers", `"a:8080" is not a URL`},
		{"", "orth-java=http://u:p@host", "servers", "is not a URL"},
		{"", "=", "servers", "is not a URL"},
	} {
		c := good()
		c.Dialect, c.Servers = test.dialect, []string{test.server}
		_, err := New(c)
		wrong, ok := errors.AsType[*job.Error](err)
		if !ok || wrong.Kind != job.Invalid || wrong.Field != test.field || !strings.Contains(wrong.Message, test.text) {
			t.Errorf("%q, %q: %v; want an Invalid error of the field %s with %q", test.dialect, test.server, err, test.field, test.text)
		}
	}
}
