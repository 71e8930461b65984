package orth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/wire/xxl"
	"github.com/orthd/orth/internal/wire/xxl/dialect"
	"github.com/orthd/orth/job"
)

// desk is a server behind the door: it keeps the last call.
type desk struct{ said string }

func (r *desk) Register(_ context.Context, b job.Beat) error {
	r.said = fmt.Sprintf("%s at %s speaks %q with token %d", b.Group, b.Address, b.Dialect, b.TokenID)
	return nil
}

func (r *desk) Deregister(_ context.Context, group, address string) error {
	r.said = "farewell of " + group + " at " + address
	return nil
}

func (r *desk) CompleteAs(_ context.Context, _ job.Caller, outcomes []job.Outcome) error {
	r.said = fmt.Sprintf("%d outcomes", len(outcomes))
	return nil
}

// Caller knows the group's token, and one that all groups share.
func (r *desk) Caller(_ context.Context, token string) (job.Caller, error) {
	switch token {
	case ourToken:
		return job.Caller{}, nil
	case "of-reports":
	default:
		return job.Caller{}, job.Errorf(job.Unauthorized, "no")
	}
	return job.Caller{GroupID: 1, Group: ourGroup, TokenID: 4}, nil
}

// Wrong lets others guess.
func (r *desk) Wrong(context.Context, string) error { return job.Errorf(job.Unauthorized, "no") }

// call sends a request with lines of headers, "Name: value".
func call(h http.Handler, path, body string, lines ...string) (int, string) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	text, _ := io.ReadAll(w.Result().Body)
	return w.Code, string(text)
}

const (
	registers = `{"registryGroup":"EXECUTOR","registryKey":"reports","registryValue":"http://10.0.0.1:9999/"}`

	classicEnd = `,"data":null,"content":null,"success":`
	contentEnd = `,"content":null,"success":`
	dataEnd    = `,"data":null,"success":`
)

// TestVisits: by how an executor calls it is known what it speaks, and it is answered
// in that.
func TestVisits(t *testing.T) {
	t.Parallel()
	const (
		token  = "XXL-JOB-ACCESS-TOKEN: a-good-token"
		forks  = "ORTH-ACCESS-TOKEN: a-good-token"
		named  = "XXL-JOB-APPNAME: reports"
		old    = "Accept-Charset: application/json;charset=UTF-8"
		later  = "Accept-Charset: UTF-8"
		ours   = "Orth-Incarnation: f00d"
		others = "Accept-Charset: ISO-8859-1"
		api    = "/api/registry"
	)
	for name, c := range map[string]struct {
		path    string
		lines   []string
		dialect job.Dialect
		end     string
	}{
		"somebody":                       {api, []string{token}, "", classicEnd},
		"somebody with both":             {api, []string{token, forks}, "", classicEnd},
		"somebody who reads Latin":       {api, []string{token, others}, "", classicEnd},
		"Java up to 3.2":                 {"/xxl-job-admin" + api, []string{token, old}, job.DialectXXL2, contentEnd},
		"Java 3.3":                       {"/xxl-job-admin" + api, []string{token, later}, job.DialectXXL3, dataEnd},
		"Java 3.4.1, without a path":     {api, []string{token, later}, job.DialectXXL3, dataEnd},
		"3.5":                            {api, []string{token, later, named}, job.DialectXXL35, dataEnd},
		"3.5 of another make":            {api, []string{token, named}, job.DialectXXL35, dataEnd},
		"the fork":                       {"/orth-admin" + api, []string{forks, later}, job.DialectOrthJava, dataEnd},
		"the fork at another path":       {api, []string{forks, later}, job.DialectOrthJava, dataEnd},
		"the fork with doubled slashes":  {"//orth-admin//api/registry", []string{forks}, job.DialectOrthJava, dataEnd},
		"XXL-JOB at the fork's path":     {"/orth-admin" + api, []string{token, later}, job.DialectXXL3, dataEnd},
		"an executor of Orth":            {api, []string{token, forks, ours}, job.DialectXXL, classicEnd},
		"an executor of Orth, 3.5":       {api, []string{token, named, ours}, job.DialectXXL, classicEnd},
		"an executor of Orth, the fork":  {"/orth-admin" + api, []string{forks, ours}, job.DialectXXL, classicEnd},
		"many charsets":                  {api, []string{token, others, later}, job.DialectXXL3, dataEnd},
		"a path that begins as the fork": {"/orth-administrator" + api, []string{token}, "-", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behind := new(desk)
			h := xxl.NewAdminHandler(xxl.AdminConfig{Token: ourToken, Leases: behind, Outcomes: behind, Speeches: []dialect.Speech{Speech()}})
			_, got := call(h, c.path, registers, c.lines...)
			if c.dialect == "-" {
				if behind.said != "" || !strings.Contains(got, "not found") {
					t.Errorf("%s %s", behind.said, got)
				}
				return
			}
			if want := fmt.Sprintf(`reports at http://10.0.0.1:9999/ speaks %q with token 0`, c.dialect); behind.said != want {
				t.Errorf("%s; want %s", behind.said, want)
			}
			if want := `{"code":200,"msg":"Success"` + c.end + `true}`; got != want {
				t.Errorf("answered %s; want %s", got, want)
			}
			for _, wrong := range []struct{ path, body, text string }{
				{c.path + "s", registers, "invalid request, uri-mapping(registrys) not found."},
				{c.path, "", "invalid request, requestBody empty."},
				{c.path, "{}", "Illegal Argument."},
				{c.path, "[", "openapi invoke error: "},
			} {
				status, got := call(h, wrong.path, wrong.body, c.lines...)
				if status != http.StatusOK || !strings.HasPrefix(got, `{"code":500,"msg":"`+wrong.text) || !strings.HasSuffix(got, c.end+"false}") {
					t.Errorf("%s %s: answered %d %s", wrong.path, wrong.body, status, got)
				}
			}
			for i := range c.lines {
				c.lines[i] = strings.Replace(c.lines[i], "a-good-token", "another", 1)
			}
			text := "The access token is wrong."
			if c.dialect == job.DialectXXL35 {
				text = "invalid request, accessToken or appname invalid."
			}
			if _, got := call(h, c.path, registers, c.lines...); got != `{"code":500,"msg":"`+text+`"`+c.end+"false}" {
				t.Errorf("a wrong token: answered %s", got)
			}
		})
	}
}

// TestVisitsNamed: those who name their group must show a token that is good for it.
func TestVisitsNamed(t *testing.T) {
	t.Parallel()
	const (
		empty   = "invalid request, accessToken or appname is empty."
		invalid = "invalid request, accessToken or appname invalid."
	)
	outcome := `{"callbackList":[{"logId":1,"logDateTime":1,"handleCode":200}]}`
	for name, c := range map[string]struct {
		lines []string
		text  string // empty: let in
		token int
	}{
		"the server's token":       {[]string{"XXL-JOB-ACCESS-TOKEN: a-good-token", "XXL-JOB-APPNAME: reports"}, "", 0},
		"the group's token":        {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports", "XXL-JOB-APPNAME: reports"}, "", 4},
		"of another group":         {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports", "XXL-JOB-APPNAME: mail"}, invalid, 0},
		"nobody's token":           {[]string{"XXL-JOB-ACCESS-TOKEN: guess", "XXL-JOB-APPNAME: reports"}, invalid, 0},
		"no token":                 {[]string{"XXL-JOB-APPNAME: reports"}, empty, 0},
		"an empty token":           {[]string{"XXL-JOB-ACCESS-TOKEN: ", "XXL-JOB-APPNAME: reports"}, empty, 0},
		"an empty name":            {[]string{"XXL-JOB-ACCESS-TOKEN: a-good-token", "XXL-JOB-APPNAME: "}, empty, 0},
		"a blank name, no token":   {[]string{"XXL-JOB-APPNAME:  "}, empty, 0},
		"no name, the group's":     {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports"}, "", 4},
		"the token of the fork":    {[]string{"ORTH-ACCESS-TOKEN: a-good-token", "XXL-JOB-APPNAME: reports"}, empty, 0},
		"a name of control signs":  {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports", "XXL-JOB-APPNAME: \x01\x02"}, invalid, 0},
		"a name of 16 KiB":         {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports", "XXL-JOB-APPNAME: " + strings.Repeat("x", 16<<10)}, invalid, 0},
		"the first of several one": {[]string{"XXL-JOB-ACCESS-TOKEN: of-reports", "XXL-JOB-APPNAME: mail", "XXL-JOB-APPNAME: reports"}, invalid, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			behind := new(desk)
			h := xxl.NewAdminHandler(xxl.AdminConfig{
				Leases: behind, Outcomes: behind, Credentials: behind, Speeches: []dialect.Speech{Speech()},
			})
			for path, body := range map[string]string{"/api/registry": registers, "/api/callback": outcome, "/api/registryRemove": registers} {
				behind.said = ""
				status, got := call(h, path, body, c.lines...)
				switch {
				case status != http.StatusOK:
					t.Errorf("%s: status %d", path, status)
				case c.text != "" && (behind.said != "" || !strings.HasPrefix(got, `{"code":500,"msg":"`+c.text+`"`)):
					t.Errorf("%s: answered %s, and it was said: %s", path, got, behind.said)
				case c.text == "" && (behind.said == "" || !strings.HasPrefix(got, `{"code":200,`)):
					t.Errorf("%s: answered %s", path, got)
				case path == "/api/registry" && c.text == "" && !strings.HasSuffix(behind.said, fmt.Sprintf("with token %d", c.token)):
					t.Errorf("registered as %s", behind.said)
				}
			}
		})
	}
}

// TestVisitsOpen: where no caller needs a token, those who name their group need none.
func TestVisitsOpen(t *testing.T) {
	t.Parallel()
	behind := new(desk)
	h := xxl.NewAdminHandler(xxl.AdminConfig{Leases: behind, Outcomes: behind})
	if _, got := call(h, "/api/registry", registers, "XXL-JOB-APPNAME: reports"); !strings.HasPrefix(got, `{"code":200,`) {
		t.Errorf("answered %s", got)
	}
	if _, got := call(h, "/api/registry", registers, "XXL-JOB-APPNAME: "); !strings.Contains(got, "is empty") {
		t.Errorf("answered %s", got)
	}
}
