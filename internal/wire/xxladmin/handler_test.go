package xxladmin

import (
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthd/orth/job"
)

// wrongCredentials are headers that identify no caller with access (A02, A03, A25).
func wrongCredentials() map[string]string {
	return map[string]string{
		"nothing":                            "",
		"a known password":                   "Authorization: Basic YWRtaW46MTIzNDU2\n",
		"the token by another name":          "Token: " + goodToken + "\n",
		"another scheme":                     "Authorization: Basic " + goodToken + "\n",
		"an empty bearer":                    "Authorization: Bearer \n",
		"two bearers":                        "Authorization: Bearer " + goodToken + "\nAuthorization: Bearer " + goodToken + "\n",
		"a wrong token":                      "Authorization: Bearer default_token\n",
		"an executor's token":                "XXL-JOB-ACCESS-TOKEN: orthg_a\n",
		"two tokens":                         "XXL-JOB-ACCESS-TOKEN: " + goodToken + "\nXXL-JOB-ACCESS-TOKEN: " + goodToken + "\n",
		"an empty token":                     "ORTH-ACCESS-TOKEN: \n",
		"a session as a token":               "Authorization: Bearer " + goodSession + "\n",
		"a token as a session":               "Cookie: " + oldCookie + "=" + goodToken + "\n",
		"a made-up cookie":                   "Cookie: " + oldCookie + "=7b226964223a312c22757365726e616d65223a2261646d696e222c22726f6c65223a317d\n",
		"two cookies":                        "Cookie: " + newCookie + "=" + goodSession + "; " + newCookie + "=" + goodSession + "\n",
		"an empty cookie":                    "Cookie: " + newCookie + "=\n",
		"the API's own cookie":               "Cookie: orth=" + goodSession + "; __Host-orth=" + goodSession + "\n",
		"a wrong bearer, and a good session": "Authorization: Bearer x\nCookie: " + oldCookie + "=" + goodSession + "\n",
		"a bad session, and a good token":    "Cookie: " + oldCookie + "=x\nXXL-JOB-ACCESS-TOKEN: " + goodToken + "\n",
	}
}

const formType = "Content-Type: application/x-www-form-urlencoded\n"

// TestNobodyIsAnswered is A11, A13, A17, A28, A35 and A37: without a good credential no
// route reveals or changes anything, whether what is named is there or not.
func TestNobodyIsAnswered(t *testing.T) {
	t.Parallel()
	names := []string{"jobcode/save", "user/insert", "jobinfo/nothing", "joblog/"}
	for name, r := range routes() {
		if !r.open {
			names = append(names, name)
		}
	}
	w := newWorld()
	h := w.handler(t)
	answers := map[string]bool{}
	for _, name := range names {
		for how, headers := range wrongCredentials() {
			for _, body := range []string{"id=7&jobGroup=3&jobId=7&logId=2&type=9", "id=99&ids[]=99&jobGroup=99&jobId=99&logId=99&type=9", "token=" + goodToken, "%zz"} {
				got := ask(t, h, "POST /xxl-job-admin/"+name+" HTTP/1.1\n"+formType+headers+"\n"+body)
				if got.Code != http.StatusUnauthorized || got.Header().Get("WWW-Authenticate") == "" || w.requests != nil || w.log.query != nil {
					t.Errorf("%s with %s, %q: %d %s, %q", name, how, body, got.Code, got.Body, w.requests)
				}
				text, _, _ := strings.Cut(got.Body.String(), `,"content"`)
				text, _, _ = strings.Cut(text, `,"data"`)
				answers[text] = true
			}
		}
	}
	if len(answers) != 1 {
		t.Errorf("the answers differ: %v", answers)
	}
}

// TestGoodCredentials: a bearer, then the cookie of a login, then the header of
// executors.
func TestGoodCredentials(t *testing.T) {
	t.Parallel()
	for headers, want := range map[string]string{
		"Authorization: Bearer " + goodToken:                                              "a token",
		"Authorization: bearer  " + goodToken:                                             "a token",
		"XXL-JOB-ACCESS-TOKEN: " + goodToken:                                              "a token",
		"ORTH-ACCESS-TOKEN: " + goodToken:                                                 "a token",
		"Cookie: " + oldCookie + "=" + goodSession:                                        "ada",
		"Cookie: a=b; " + newCookie + "=" + goodSession + "; JSESSIONID=1":                "ada",
		"Cookie: " + oldCookie + "=" + goodSession + "\nXXL-JOB-ACCESS-TOKEN: default":    "ada",
		"Cookie: " + oldCookie + "=x\nAuthorization: Bearer " + goodToken:                 "a token",
		"Cookie: " + newCookie + "=" + goodSession + "; " + oldCookie + "=" + goodSession: "ada",
	} {
		w := newWorld()
		got := ask(t, w.handler(t), "POST /jobinfo/stop HTTP/1.1\n"+formType+headers+"\n\nid=7")
		if want += ": POST /api/v1/jobs/nightly-report/stop?namespace=default"; got.Code != http.StatusOK || w.take() != want {
			t.Errorf("%s: %d %s, %q", headers, got.Code, got.Body, w.requests)
		}
	}
}

// TestOtherMethods is A29: GET changes nothing, for any caller, and neither does any other
// method.
func TestOtherMethods(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.handler(t)
	reads := []string{
		"jobinfo/pageList", "jobinfo/getById", "jobinfo/nextTriggerTime", "jobgroup/pageList", "jobgroup/loadById", "joblog/getJobsByGroup", "joblog/pageList", "joblog/logDetailCat",
	}
	for name := range routes() {
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "post", "Get"} {
			for _, headers := range []string{"", "Authorization: Bearer " + goodToken + "\n", "Cookie: " + oldCookie + "=" + goodSession + "\n"} {
				got := ask(t, h, method+" /orth-admin/"+name+"?id=7&jobId=7&jobGroup=3&logId=2&type=9&userName=ada&password=pass+word HTTP/1.1\n"+headers)
				read := method == "GET" && slices.Contains(reads, name)
				if !read && (got.Code != http.StatusMethodNotAllowed || got.Header().Get("Allow") == "") || w.requests != nil {
					t.Errorf("%s %s: %d %s, %q", method, name, got.Code, got.Body, w.requests)
				}
				if read && headers != "" && got.Code != http.StatusOK {
					t.Errorf("%s %s: %d %s", method, name, got.Code, got.Body)
				}
			}
		}
	}
}

// TestSlashes: a path is the same with slashes doubled and at the end, at the root and
// below the old admins' context paths, and below none that is not theirs.
func TestSlashes(t *testing.T) {
	t.Parallel()
	const shown = formType + "Cookie: " + oldCookie + "=" + goodSession + "\n"
	for name, r := range routes() {
		for _, context := range []string{"", "/xxl-job-admin", "/orth-admin"} {
			path, id := context+"/"+name, "7"
			if strings.HasPrefix(name, "jobgroup/") {
				id = "3"
			} else if name == "joblog/logKill" {
				id = "2"
			}
			send := func(path string) (answer, work string) {
				w := newWorld()
				got := ask(t, w.handler(t), "POST "+path+" HTTP/1.1\n"+shown+"\nid="+id+"&jobId=7&logId=2&type=9&userName=ada&password=pass+word&"+
					"jobGroup=3&jobDesc=x&author=a&appname=reports&title=t&addressType=0&scheduleType=NONE&scheduleConf=&glueType=BEAN&executorHandler=h&"+
					"executorRouteStrategy=FIRST&executorBlockStrategy=SERIAL_EXECUTION&misfireStrategy=DO_NOTHING")
				return strconv.Itoa(got.Code) + " " + got.Body.String(), w.take()
			}
			answer, work := send(path)
			if !strings.HasPrefix(answer, "200 ") || !r.reads && work == "" {
				t.Errorf("%s: %s, %q", path, answer, work)
			}
			for _, other := range []string{path + "/", "/" + path, path + "//", strings.ReplaceAll(path, "/", "//"), "//" + strings.ReplaceAll(path, "/", "///") + "///"} {
				if a, w := send(other); a != answer || w != work || !Serves(other) {
					t.Errorf("%s: %s, %q; want %s, %q", other, a, w, answer, work)
				}
			}
		}
	}
}

// TestMalformedRequests: what is no form, or too much of one, changes nothing.
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	const shown = "Authorization: Bearer " + goodToken + "\n"
	w := newWorld()
	h := w.handler(t)
	for name, c := range map[string]struct {
		headers, body string
		status        int
		want          string
	}{
		"no type":         {"", "id=7", 415, "must be of the type"},
		"JSON":            {"Content-Type: application/json\n", `{"id":7}`, 415, "must be of the type"},
		"plain text":      {"Content-Type: text/plain\n", "id=7", 415, "must be of the type"},
		"parts":           {"Content-Type: multipart/form-data; boundary=b\n", "--b\r\n\r\n--b--", 415, "must be of the type"},
		"no form":         {formType, "id=%zz", 400, "are no form"},
		"semicolons":      {formType, "id=7;x=1", 400, "are no form"},
		"too large":       {formType, "id=7&x=" + strings.Repeat("y", maxForm), 413, "over 64 KiB"},
		"too many fields": {formType, strings.Repeat("id=7&", maxFields), 400, "at most 200 are allowed"},
		"not UTF-8":       {formType, "id=7&x=%ff", 400, "is not UTF-8"},
		"no id":           {formType, "id=", 200, "id: is missing"},
		"no number":       {formType, "id=7x", 200, "not a whole number"},
		"a long number":   {formType, "id=" + strings.Repeat("7", 9000), 200, "not a whole number"},
		"below nothing":   {formType, "id=-7", 200, "id: is missing"},
		"SQL":             {formType, "id=7'+OR+'1'='1", 200, "not a whole number"},
		"two ids in one":  {formType, "ids[]=7,5", 200, "names several"},
		"unknown":         {formType, "id=99", 200, textNoJob},
	} {
		for _, path := range []string{"jobinfo/start", "jobinfo/stop", "jobinfo/trigger", "jobinfo/remove", "jobinfo/delete"} {
			got := ask(t, h, "POST /xxl-job-admin/"+path+" HTTP/1.1\n"+shown+c.headers+"\n"+c.body)
			if got.Code != c.status || !strings.HasPrefix(got.Body.String(), `{"code":500,"msg":"`) || !strings.Contains(got.Body.String(), c.want) || w.requests != nil {
				t.Errorf("%s to %s: %d %s, %q", name, path, got.Code, got.Body, w.requests)
			}
		}
	}
	got := ask(t, h, "POST /xxl-job-admin/jobcode/save HTTP/1.1\n"+shown+formType+"\nid=7&glueSource=x")
	if got.Code != http.StatusNotFound || !strings.Contains(got.Body.String(), "this server has no jobcode/save; of the old admin's web API it has auth/doLogin, ") {
		t.Errorf("a route that there is not: %d %s", got.Code, got.Body)
	}
}

// TestRefusalsOfTheAPI: the script gets the API's answer, and nothing that is not meant for
// it.
func TestRefusalsOfTheAPI(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		problem problem
		status  int
		want    string
	}{
		"forbidden": {problem{403, `{"status":403,"code":"forbidden","detail":"ada may not operate here","hint":"ask an owner"}`, ""}, 200, "ada may not operate here; ask an owner"},
		"not found": {problem{404, `{"status":404,"code":"not_found","detail":"job nightly-report does not exist in namespace default"}`, ""}, 200, "does not exist"},
		"invalid":   {problem{422, `{"status":422,"code":"invalid","field":"addresses","detail":"is no executor of group reports"}`, ""}, 200, "addresses: is no executor"},
		"too many":  {problem{429, `{"status":429,"code":"full","detail":"too many requests come at once"}`, "7"}, 429, "too many requests"},
		"away":      {problem{503, `{"status":503,"code":"unavailable","detail":"the database is away"}`, "1"}, 503, "the database is away"},
		"inside":    {problem{500, `{"status":500,"code":"internal","detail":"its log tells more","id":"e-4711"}`, ""}, 503, "e-4711"},
		"no JSON":   {problem{502, `<html>`, ""}, 200, "did not answer"},
	} {
		var log strings.Builder
		w := newWorld()
		w.refuse["POST /api/v1/jobs/nightly-report/trigger"] = c.problem
		h := w.handler(t, func(config *Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		got := ask(t, h, "POST /jobinfo/trigger HTTP/1.1\n"+formType+"Authorization: Bearer "+goodToken+"\n\nid=7")
		if got.Code != c.status || !strings.HasPrefix(got.Body.String(), `{"code":500,"msg":"`) || !strings.Contains(got.Body.String(), c.want) || got.Header().Get("Retry-After") != c.problem.wait {
			t.Errorf("%s: %d %s, %v", name, got.Code, got.Body, got.Header())
		}
		if log.Len() > 0 {
			t.Errorf("%s is logged twice: %s", name, log.String())
		}
	}
}

// TestTroubles: internal errors are logged and not returned.
func TestTroubles(t *testing.T) {
	t.Parallel()
	for _, call := range []string{"jobinfo/pageList", "jobinfo/start", "jobinfo/add", "jobgroup/pageList", "jobgroup/loadById", "joblog/getJobsByGroup"} {
		var log strings.Builder
		w := newWorld()
		w.err = errInside
		h := w.handler(t, func(config *Config) { config.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		if status, got := post(t, h, call, "id=7&jobGroup=3"); status != http.StatusServiceUnavailable || !strings.Contains(got, textInternal) || strings.Contains(got, "secret") {
			t.Errorf("%s: %d %s", call, status, got)
		}
		if !strings.Contains(log.String(), "sqlite: /secret") {
			t.Errorf("%s: log: %s", call, log.String())
		}
	}
}

// TestForeignPages is A07 and S04: a page of another site neither logs in nor does
// anything with a session, and a cookie is never one for others.
func TestForeignPages(t *testing.T) {
	t.Parallel()
	w := newWorld()
	h := w.handler(t)
	for name := range routes() {
		got := ask(t, h, "POST /"+name+" HTTP/1.1\n"+formType+"Origin: http://evil.test\nCookie: "+oldCookie+"="+goodSession+"\n\nid=7&userName=ada&password=pass+word&jobGroup=3")
		if got.Code != http.StatusForbidden || !strings.HasPrefix(got.Body.String(), `{"code":500,"msg":"the request was made by another site`) || w.requests != nil {
			t.Errorf("%s: %d %s, %q", name, got.Code, got.Body, w.requests)
		}
	}
	for _, path := range []string{"/login", "/auth/doLogin"} {
		got := ask(t, h, "POST "+path+" HTTP/1.1\n"+formType+"\nuserName=ada&password=pass+word")
		if cookie := got.Header().Get("Set-Cookie"); !strings.Contains(cookie, "; HttpOnly; SameSite=Strict") || got.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, got.Header())
		}
	}
}

func TestConfig(t *testing.T) {
	t.Parallel()
	w := newWorld()
	good := Config{Gate: w, API: w, Jobs: w, Groups: groupsOf{w}, Attempts: &w.log}
	for _, zone := range []string{"", "UTC", "Asia/Shanghai"} {
		good.Zone = zone
		if _, err := New(good); err != nil {
			t.Errorf("%q: %v", zone, err)
		}
	}
	for _, zone := range []string{"Local", "Mars/Olympus", "CST+8"} {
		good.Zone = zone
		if _, err := New(good); !job.Is(err, job.Invalid) {
			t.Errorf("%q: %v", zone, err)
		}
	}
	if _, err := New(Config{}); err == nil {
		t.Error("a Handler that has nothing")
	}
}

// TestServes lists the paths that the door serves.
func TestServes(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/login", "/xxl-job-admin/logout", "/orth-admin//jobinfo/x", "//jobgroup/", "/user/pageList", "/jobinfo"} {
		if !Serves(path) {
			t.Errorf("%s is not served", path)
		}
	}
	for _, path := range []string{
		"", "/", "/logins", "/login/x", "/jobinfos", "/xjobinfo/add", "/api/jobinfo/add", "/ops/jobinfo/add", "/xxl-job-admin", "/xxl-job-admin/api/callback",
		"/xxl-job-admin/xxl-job-admin/jobinfo/add", "/JOBINFO/add",
	} {
		if Serves(path) {
			t.Errorf("%s is served", path)
		}
	}
}
