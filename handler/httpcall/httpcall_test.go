package httpcall_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/handler"
	"github.com/orthd/orth/handler/httpcall"
	"github.com/orthd/orth/internal/egress"
	"github.com/orthd/orth/job"
	"github.com/orthd/orth/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig calls a server of the test. In a parameter, URL stands for its address.
type rig struct {
	caller *httpcall.Caller
	url    string
}

func newRig(t *testing.T, c httpcall.Config, serve http.HandlerFunc) *rig {
	t.Helper()
	s := httptest.NewServer(serve)
	t.Cleanup(s.Close)
	client, err := egress.New(egress.Config{Private: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	c.Client = client
	caller, err := httpcall.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{caller, s.URL}
}

func (r *rig) call(ctx context.Context, param string) (log, result string, err error) {
	var out strings.Builder
	task := handler.NewTask(handler.TaskConfig{
		Task:   job.Task{Param: strings.ReplaceAll(param, "URL", r.url)},
		Output: &out,
	})
	err = r.caller.Handle(ctx, task)
	return out.String(), task.ResultText(), err
}

// echo answers with what it was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_, _ = fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), body)
}

func TestRequests(t *testing.T) {
	t.Parallel()
	r := newRig(t, httpcall.Config{}, echo)
	for _, test := range []struct{ name, param, want string }{
		{"lines", "url: URL/a?b=c:d\nmethod: get\ndata: x", "GET /a?b=c:d  "},
		{"lines of Windows", "url: URL/a\r\nmethod: post\r\ndata: {\"a\": 1}\r\n", `POST /a application/json;charset=UTF-8 {"a": 1}`},
		{"only an address", "url:URL/", "GET /  "},
		{"data makes a POST", "url: URL/\ndata: x", "POST / application/json;charset=UTF-8 x"},
		{"sample object", `{"url":"URL/","method":"get","data":"hello"}`, "GET /  "},
		{"sample object, sent", `{"url":"URL/","method":"POST","data":"hello"}`, "POST / application/json;charset=UTF-8 hello"},
		{"empty data", `{"url":"URL/","method":"get","data":""}`, "GET /  "},
		{"body", `{"url":"URL/","body":"hello"}`, "POST / text/plain; charset=utf-8 hello"},
		{"body with GET", `{"url":"URL/","method":"get","body":"hello"}`, "GET / text/plain; charset=utf-8 hello"},
		{"json", `{"url":"URL/","method":"put","json":{"b":1,"a":12345678901234567890}}`, `PUT / application/json;charset=UTF-8 {"b":1,"a":12345678901234567890}`},
		{"form", `{"url":"URL/","form":{"b":"1 &","a":"2"}}`, "POST / application/x-www-form-urlencoded a=2&b=1+%26"},
		{"own type", `{"url":"URL/","body":"<a/>","headers":{"content-type":"text/xml"}}`, "POST / text/xml <a/>"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log, result, err := r.call(t.Context(), test.param)
			if err != nil || result != strings.TrimRight("200 OK\n"+test.want, "") {
				t.Errorf("result %q, %v; want %q", result, err, test.want)
			}
			if !strings.Contains(log, test.want+"\n") || !strings.Contains(log, "200 OK after ") || !strings.Contains(log, "Content-Length: ") {
				t.Errorf("log %q", log)
			}
			if unsent := strings.Contains(log, "is not sent with GET"); unsent != (test.name == "lines" || test.name == "sample object") {
				t.Errorf("log %q", log)
			}
		})
	}
}

// TestAnswers: which answers succeed, and what the others say of another try.
// TestTraceGoesAlong: a call is part of the run's trace, unless it has one of its own.
func TestTraceGoesAlong(t *testing.T) {
	t.Parallel()
	const trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	got := make(chan string, 1)
	r := newRig(t, httpcall.Config{}, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Traceparent") })
	for _, test := range []struct{ trace, param, want string }{
		{trace, `{"url":"URL/"}`, trace},
		{"", `{"url":"URL/"}`, ""},
		{trace, `{"url":"URL/","headers":{"traceparent":"own"}}`, "own"},
	} {
		task := handler.NewTask(handler.TaskConfig{Task: job.Task{Param: strings.ReplaceAll(test.param, "URL", r.url), Trace: test.trace}})
		if err := r.caller.Handle(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		if header := <-got; header != test.want {
			t.Errorf("%s: the header is %q, want %q", test.param, header, test.want)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	r := newRig(t, httpcall.Config{}, func(w http.ResponseWriter, r *http.Request) {
		var status int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &status)
		if after := r.URL.Query().Get("after"); after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, "the body")
	})
	for _, test := range []struct {
		path, more string
		class      retry.Class // empty: success
		after      time.Duration
		text       string
	}{
		{"200", ``, "", 0, "200 OK\nthe body"},
		{"201", ``, "", 0, "201 Created\nthe body"},
		{"204", ``, "", 0, "204 No Content"},
		{"201", `"expect":200`, retry.ClassPermanent, 0, "expected 200, got 201 Created: the body"},
		{"201", `"expect":[200,201]`, "", 0, ""},
		{"404", `"expect":["2xx",404]`, "", 0, ""},
		{"304", ``, retry.ClassPermanent, 0, "304 Not Modified"},
		{"400", ``, retry.ClassPermanent, 0, "expected 2xx, got 400 Bad Request: the body"},
		{"404", ``, retry.ClassPermanent, 0, "/404: expected"},
		{"409", `"retry_on":[409]`, retry.ClassTransient, 0, ""},
		{"429", ``, retry.ClassTransient, 0, ""},
		{"429?after=7", ``, retry.ClassNotReady, 7 * time.Second, ""},
		{"503?after=0", ``, retry.ClassNotReady, 0, ""},
		{"503?after=soon", ``, retry.ClassTransient, 0, ""},
		{"503?after=Wed,%2021%20Oct%202015%2007:28:00%20GMT", ``, retry.ClassNotReady, 0, ""},
		{"500?after=7", ``, retry.ClassTransient, 0, ""},
		{"500", ``, retry.ClassTransient, 0, "500 Internal Server Error: the body"},
		{"200", `"expect_body":"body"`, "", 0, ""},
		{"200", `"expect_body":"ready"`, retry.ClassTransient, 0, `the body does not contain "ready"`},
		{"500", `"log_body":false`, retry.ClassTransient, 0, "expected 2xx, got 500 Internal Server Error"},
	} {
		t.Run(test.path+test.more, func(t *testing.T) {
			t.Parallel()
			if test.more != "" {
				test.more = "," + test.more
			}
			log, result, err := r.call(t.Context(), `{"url":"URL/`+test.path+`"`+test.more+`}`)
			if test.class == "" {
				if err != nil || !strings.Contains(result, test.text) {
					t.Errorf("%q, %v; want %q", result, err, test.text)
				}
				return
			}
			class, after := retry.ClassOf(err)
			if class != test.class || after != test.after || err == nil || !strings.Contains(err.Error(), test.text) {
				t.Errorf("%s after %s: %v", class, after, err)
			}
			if quiet := strings.Contains(test.more, "log_body"); quiet == strings.Contains(log+err.Error(), "the body") && test.path == "500" {
				t.Errorf("log %q, error %v", log, err)
			}
		})
	}
}

func TestBodies(t *testing.T) {
	t.Parallel()
	r := newRig(t, httpcall.Config{MaxBody: 3001, Secrets: map[string]string{"S": "hush-hush"}}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/long":
			_, _ = fmt.Fprint(w, strings.Repeat("é", 5000))
		case "/binary":
			_, _ = w.Write([]byte{0xff, 0, 1})
		case "/straddling":
			_, _ = fmt.Fprint(w, strings.Repeat("x", 2996), "hush-hush")
		case "/broken":
			w.Header().Set("Content-Length", "100")
			_, _ = fmt.Fprint(w, "some hush-h")
		}
	})
	log, result, err := r.call(t.Context(), `{"url":"URL/long"}`)
	if err != nil || len([]rune(result)) != len("200 OK\n")+1000 || !strings.HasSuffix(result, job.CutMark) ||
		!strings.Contains(log, "3001 bytes of it were read") {
		t.Errorf("long: %v, %d characters, log %q", err, len([]rune(result)), log[len(log)-100:])
	}
	if _, result, err := r.call(t.Context(), `{"url":"URL/binary"}`); err != nil || result != "200 OK\n(3 bytes that are no text)" {
		t.Errorf("binary: %q, %v", result, err)
	}
	if log, _, err := r.call(t.Context(), `{"url":"URL/straddling"}`); err != nil || strings.Contains(log, "xh") {
		t.Errorf("a part of a secret is shown: %v, %q", err, log[len(log)-100:])
	}
	log, _, err = r.call(t.Context(), `{"url":"URL/broken"}`)
	if class, _ := retry.ClassOf(err); err == nil || class != retry.ClassTransient || strings.Contains(log, "hush") || !strings.Contains(log, "some \n") {
		t.Errorf("broken: %v, %q", err, log)
	}
}

// TestNothingLeaks: a server that echoes everything does not make secrets
// visible, wherever the parameter has put them.
func TestNothingLeaks(t *testing.T) {
	t.Parallel()
	const secret, other = `pa"ss wörd&1`, "of-another-job"
	var got string
	r := newRig(t, httpcall.Config{Secrets: map[string]string{"PW": secret, "OTHER": other}}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		user, password, _ := r.BasicAuth()
		got = r.URL.Path + "|" + r.URL.Query().Get("q") + "|" + r.Header.Get("X-Thing") + "|" + user + ":" + password + "|" + string(body)
		w.Header().Set("Set-Cookie", "session=opensesame")
		w.Header().Set("X-Auth-Token", "opensesame")
		w.Header().Set("X-Echo", secret)
		w.Header().Set("Location", "/next?access_token=opensesame&page=2")
		w.WriteHeader(http.StatusTeapot)
		_, _ = fmt.Fprint(w, r.URL.RequestURI(), r.Header, got, other, "literal-bearer", "tok-in-query")
	})
	auth := "Basic " + base64.StdEncoding.EncodeToString([]byte("joe:literal-bearer"))
	param := `{"url":"URL/${secret:PW}/x?q=${secret:PW}&access_token=tok-in-query&page=3","secrets":["PW"],"retry_on":[418],
		"headers":{"X-Thing":"a ${secret:PW}","Authorization":"` + auth + `","X-Api-Key":"literal-bearer"},"json":{"a":"${secret:PW}"}}`
	log, result, err := r.call(t.Context(), param)
	want := "/" + secret + "/x|" + secret + "|a " + secret + `|joe:literal-bearer|{"a":"pa\"ss wörd` + "\\u00261\"}"
	if got != want {
		t.Errorf("the server got %q, want %q", got, want)
	}
	if err == nil || !strings.Contains(log, "page=3") || !strings.Contains(log, "page=2") {
		t.Errorf("%v, log %q", err, log)
	}
	for _, hush := range []string{
		"rd&1", "pa%22ss", "pa\\\"ss", `pa"ss`, "u00261", other, "opensesame", "literal-bearer", "tok-in-query", auth[6:],
		base64.StdEncoding.EncodeToString([]byte(secret)),
	} {
		if strings.Contains(log+result+err.Error(), hush) {
			t.Errorf("%q is shown:\n%s\n%v", hush, log, err)
		}
	}
}

func TestPasswordInAddress(t *testing.T) {
	t.Parallel()
	r := newRig(t, httpcall.Config{Secrets: map[string]string{"PW": "p@ss"}}, func(w http.ResponseWriter, r *http.Request) {
		_, password, _ := r.BasicAuth()
		_, _ = fmt.Fprint(w, password == "p@ss", r.Header.Get("Authorization"))
	})
	param := strings.Replace(`{"url":"URL/","secrets":["PW"]}`, "URL", strings.Replace(r.url, "://", "://joe:${secret:PW}@", 1), 1)
	log, result, err := r.call(t.Context(), param)
	if err != nil || result != "200 OK\ntrueBasic ***" || strings.Contains(log, "joe") {
		t.Errorf("%q, %v, log %q", result, err, log)
	}
	// The same address without a listener.
	_, _, err = r.call(t.Context(), `{"url":"http://joe:${secret:PW}@127.0.0.1:1/?token=abcdef","secrets":["PW"]}`)
	if class, _ := retry.ClassOf(err); err == nil || class != retry.ClassTransient || strings.Contains(err.Error(), "p@ss") ||
		strings.Contains(err.Error(), "abcdef") || !strings.Contains(err.Error(), "GET http://127.0.0.1:1/?token=***: dial tcp") {
		t.Errorf("%s: %v", class, err)
	}
}

func TestBadParams(t *testing.T) {
	t.Parallel()
	r := newRig(t, httpcall.Config{Secrets: map[string]string{"A": "x", "LINES": "a\nb"}}, echo)
	for _, test := range []struct{ param, want string }{
		{"", "it is empty"},
		{"method: get", "it has no url"},
		{"http://a.example", `line 1, "http://a.example", begins with none of url:`},
		{"url: URL\n\nmode: x", `line 3, "mode: x"`},
		{`{"url":"URL"`, "it is no JSON object"},
		{`{"url":"URL","cookies":{}}`, `the field "cookies" is unknown: there are body, data,`},
		{`{"url":1}`, "the field url is wrong: 1 is not a text"},
		{`{"url":null}`, "the field url is wrong: null is not a text"},
		{`{"url":"URL","headers":{"a":1}}`, "the field headers is wrong"},
		{`{"url":"URL","method":"TRACE"}`, `the method "TRACE" is none of GET,`},
		{`{"url":"URL","timeout":"ten"}`, `write "10s"`},
		{`{"url":"URL","timeout":-1}`, `write "10s"`},
		{`{"url":"URL","expect":99}`, "no status"},
		{`{"url":"URL","expect":[]}`, "it is empty"},
		{`{"url":"URL","expect":"6xx"}`, "no status"},
		{`{"url":"URL","retry_on":true}`, "no status"},
		{`{"url":"URL","body":"a","json":1}`, "the fields body and json exclude one another"},
		{`{"url":"URL","headers":{"Host":"b"}}`, "the header Host belongs to the connection"},
		{`{"url":"URL","headers":{"a b":"b"}}`, `the header "a b"`},
		{`{"url":"URL","headers":{"a":"b\nc: d"}}`, `the header "a"`},
		{`{"url":"URL","headers":{"a":"${secret:LINES}"},"secrets":["LINES"]}`, "secret of several lines"},
		{`{"url":"URL","secrets":["B"]}`, `this executor has no secret "B"`},
		{`{"url":"URL/${secret:A}"}`, `add "A" to the field secrets`},
		{`{"url":"http://a b/"}`, "the url cannot be read"},
		{`{"url":"ftp://a.example/"}`, "use http or https"},
		{`{"url":"http://169.254.169.254/"}`, "metadata"},
	} {
		t.Run(test.param, func(t *testing.T) {
			t.Parallel()
			_, _, err := r.call(t.Context(), test.param)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got %v, want %q", err, test.want)
			}
			if class, _ := retry.ClassOf(err); class != retry.ClassPermanent {
				t.Errorf("%v is %s", err, class)
			}
		})
	}
}

func TestTimeAndCancel(t *testing.T) {
	t.Parallel()
	started := make(chan struct{}, 2)
	r := newRig(t, httpcall.Config{}, func(_ http.ResponseWriter, r *http.Request) {
		started <- struct{}{}
		<-r.Context().Done()
	})
	_, _, err := r.call(t.Context(), `{"url":"URL/","timeout":0.02}`)
	if class, _ := retry.ClassOf(err); !handler.IsTimedOut(err) || class != retry.ClassTransient || !strings.Contains(err.Error(), "give the field timeout") {
		t.Errorf("%s: %v", class, err)
	}
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-started
		cancel()
	}()
	if _, _, err := r.call(ctx, `{"url":"URL/","timeout":"1m"}`); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []httpcall.Config{{}, {Client: http.DefaultClient, MaxBody: -1}} {
		if _, err := httpcall.New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
