package executor_test

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/orthd/orth/executor"
	"github.com/orthd/orth/handler/javascript"
)

// TestJavaScriptChild is no test: executors of TestRunJavaScript run this
// program with its name as their child for a script.
func TestJavaScriptChild(t *testing.T) {
	if os.Getenv("ORTH_JS_EGRESS") == "" {
		t.Skip("it is the child of another test")
	}
	os.Exit(javascript.Main(flag.Args(), os.Environ(), os.Stdout))
}

func TestRunJavaScript(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "pong") }))
	t.Cleanup(service.Close)
	fetch := fmt.Sprintf("result(await (await fetch(%q)).text())", service.URL)
	for _, test := range []struct {
		name   string
		calls  executor.Calls
		source string
		want   string // how the outcome begins
		part   string // of the outcome
	}{
		{"log and result", executor.Calls{}, "log('param', param); result('did ' + param)", "200 did a b", ""},
		{"failure", executor.Calls{}, "fail('no rows')", "500 ", "no rows"},
		{"error", executor.Calls{}, "nothing.there", "500 ", "'nothing' is not defined"},
		{"fetch of a host that is named", executor.Calls{Enabled: true, Hosts: []string{"127.0.0.1"}}, fetch, "200 pong", ""},
		{"fetch of another host", executor.Calls{Enabled: true, Hosts: []string{"api.example.com"}}, fetch, "500 ", "127.0.0.1"},
		{"fetch of a private host", executor.Calls{Enabled: true}, fetch, "500 ", "127.0.0.1"},
		{"fetch without calls", executor.Calls{Hosts: []string{"127.0.0.1"}, Private: true}, fetch, "500 ", "127.0.0.1"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := newAdmin(t)
			c := scripts(plain(t, a))
			c.Programs.JavaScript = []string{self, "-test.run=^TestJavaScriptChild$", "--"}
			c.Calls = test.calls
			l := launch(t, a, c)
			l.run(t, script(1, 1, "GLUE_JS", test.source).with(func(r *run) { r.Param = "a b" }), success)
			got := a.outcome(t, 1).String()
			if !strings.HasPrefix(got, test.want) || !strings.Contains(got, test.part) {
				t.Errorf("called back as %q; want %q … %q", got, test.want, test.part)
			}
			if text := l.logged(t, 1); test.want == "200 did a b" && !strings.Contains(text, "param a b") {
				t.Errorf("the log is %q", text)
			}
		})
	}
	t.Run("not offered", func(t *testing.T) {
		t.Parallel()
		a := newAdmin(t)
		l := launch(t, a, scripts(plain(t, a)))
		if got := l.try(t, script(1, 1, "GLUE_JS", "log(1)")); !strings.HasPrefix(got, `{"code":500,`) {
			t.Errorf("an executor without JavaScript took a script: %s", got)
		}
	})
}
