package app

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/internal/credential"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// S01: a server with settings that protect nothing, or make no sense, does not start:
// it says which one it is, before it listens.
func TestWeakConfigurations(t *testing.T) {
	t.Parallel()
	probe, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer probe.Close() // Who gets as far as to listen finds the port taken, and says that instead.
	address := probe.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	good := credential.Generate()
	for name, c := range weak(good) {
		c.Data, c.Logger, c.NoFirstUser = t.TempDir(), slog.New(slog.DiscardHandler), true
		if c.Listen == "" {
			c.Listen = address
		}
		c.Listen = strings.ReplaceAll(c.Listen, "PORT", port)
		began := time.Now()
		_, err := New(c)
		wrong, known := errors.AsType[*job.Error](err)
		field, _, _ := strings.Cut(name, ": ")
		if !known || wrong.Kind != job.Invalid || !strings.Contains(err.Error(), field) || time.Since(began) > time.Minute {
			t.Errorf("%s: %v, after %s", name, err, time.Since(began))
		}
	}
}

// weak are configurations, by the setting that is at fault.
func weak(good redacted.Text) map[string]Config {
	// What a provider sends browsers back to is known when the server listens: these
	// two are found then, and no request is answered.
	wide := Config{Listen: "0.0.0.0:0", ExecutorToken: credential.GenerateServer(), APIToken: good}
	all := map[string]Config{
		"executor-token: beyond loopback, short": {Listen: "0.0.0.0:PORT", ExecutorToken: redacted.New("orths_short-one"), APIToken: good},
		"executor-token: one letter":             {ExecutorToken: redacted.New("orths_" + strings.Repeat("a", 40))},
		"executor-token: no key of a server":     {ExecutorToken: good},
		"admit-shared-token: of one letter":      {Listen: "0.0.0.0:PORT", AdmitSharedToken: redacted.New(strings.Repeat("a", 40)), APIToken: good},
		"admit-shared-token: short":              {Listen: "0.0.0.0:PORT", AdmitSharedToken: redacted.New("short-one"), APIToken: good},
		"admit-shared-token: a server's key":     {AdmitSharedToken: credential.GenerateServer()},
		"api-token: a word and a row":            {Listen: "0.0.0.0:PORT", APIToken: redacted.New("password12345678901234567890")},
		"api-token: one letter":                  {Listen: "0.0.0.0:PORT", APIToken: redacted.New(strings.Repeat("a", 40))},
		"api-token: beyond loopback, short":      {Listen: "0.0.0.0:PORT", ExecutorToken: credential.GenerateServer(), APIToken: redacted.New("short-one")},
		"api-token: all addresses, short":        {Listen: ":PORT", ExecutorToken: credential.GenerateServer(), APIToken: redacted.New("short-one")},
		"api-token: all addresses of IPv6":       {Listen: "[::]:PORT", ExecutorToken: credential.GenerateServer(), APIToken: redacted.New("short-one")},
		"admit-default-token: nobody knows it":   {AdmitDefaultTokens: []string{"ours-alone"}},
		"admit-default-token: too many":          {AdmitDefaultTokens: []string{"default_token", "xxl-job", "orth", "test", "none"}},
		"listen: no port":                        {Listen: "127.0.0.1"},
		"listen: no number":                      {Listen: "127.0.0.1:http"},
		"listen: too high":                       {Listen: "127.0.0.1:70000"},
		"tls-key: a certificate alone":           {TLS: TLS{Cert: "x.pem"}},
		"tls-key: a key alone":                   {TLS: TLS{Key: "x.pem"}},
		"tls-client-ca: without a certificate":   {TLS: TLS{ClientCA: "x.pem"}},
		"session-ttl: for ever":                  {SignIn: SignIn{SessionFor: 10_000 * time.Hour}},
		"session-idle-timeout: for ever":         {SignIn: SignIn{SessionIdle: 10_000 * time.Hour}},
		"trusted-proxy: a name":                  {SignIn: SignIn{TrustedProxies: []string{"proxy.example.com"}}},
		"oidc-issuer: missing":                   {SignIn: SignIn{OIDC: OIDC{ClientID: "x"}}},
		"oidc-grant: no role":                    {Listen: "127.0.0.1:0", SignIn: SignIn{OIDC: OIDC{Issuer: "https://id.example.com", ClientID: "x", Grants: []string{"a"}}}},
		"public-url: a script":                   {PublicURL: "javascript:alert(1)"},
		"public-url: with a password":            {PublicURL: "https://ada:pw@orth.example.com"},
		"log-mask: cannot be read":               {LogMasks: []string{"("}},
		"log-store: unknown":                     {LogStore: "ftp"},
		"log-s3-url: missing":                    {LogStore: LogsInS3},
		"log-max-total: nothing":                 {LogMaxTotal: 1},
		"keep-runs-for: nothing":                 {KeepRuns: time.Second},
		"keep-logs-for: nothing":                 {KeepLogs: time.Second},
		"xxl-job-zone: no zone":                  {XXLJobZone: "Mars/Olympus"},
		"catch-up-rate: below nothing":           {CatchUpRate: -1},
	}
	for _, token := range []string{"default_token", "orth-secret-token", "xxl-job", "123456", "admin"} {
		all["executor-token: everybody knows "+token] = Config{ExecutorToken: redacted.New(token)}
		all["admit-shared-token: everybody knows "+token] = Config{AdmitSharedToken: redacted.New(token)}
		all["api-token: everybody knows "+token] = Config{APIToken: redacted.New(token)}
	}
	wide.SignIn.OIDC = OIDC{Issuer: "https://id.example.com", ClientID: "x"}
	all["public-url: missing for a provider, beyond loopback"] = wide
	return all
}

// S08: four hundred connections that send the head of a request and never its end are
// closed, and meanwhile others are served.
func TestSlowHeads(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	const slow, most = 400, 2 * time.Minute // the limit is 5 s, and machines are busy
	began, closed := time.Now(), make(chan time.Duration, slow)
	for i := range slow {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			defer conn.Close()
			_ = conn.SetDeadline(began.Add(most))
			_, _ = io.WriteString(conn, []string{"G", "GET /api/v1/jobs HTTP/1.1\r\nHost: x\r\n", "POST /api/callback HTTP/1.1\r\nX: "}[i%3])
			_, _ = io.Copy(io.Discard, conn)
			closed <- time.Since(began)
		}()
	}
	othersAreServed(t, f.Server)
	for range slow {
		if after := <-closed; after >= most {
			t.Fatalf("one was not closed within %s", most)
		}
	}
}

// S10 and S18: no secret that was ever given to a server is in its log, at the level
// debug, nor in a file of its data folder, but for the two tokens that it keeps there
// for the command line and executors of this machine, which nobody else can read.
func TestSecretsAtRest(t *testing.T) {
	t.Parallel()
	data, log := t.TempDir(), &journal{}
	marks := map[string]string{
		"user": "pass-phrase marker 4711", "channel": "https://hooks.example.com/channel-marker-4711", "group": "brought-token-marker-4711-of-group", "oidc": "oidc-client-marker-4711-secret",
	}
	server, err := New(Config{
		Data: data, Listen: "127.0.0.1:0", NoFirstUser: true,
		Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		SignIn: SignIn{OIDC: OIDC{Issuer: "https://id.invalid", ClientID: "orth", ClientSecret: redacted.New(marks["oidc"])}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	defer cancel()
	for _, r := range [][3]string{
		{"POST", "/users", `{"name":"ann","password":"` + marks["user"] + `"}`},
		{"POST", "/alarm/channels", `{"key":"ops","kind":"webhook","secrets":{"url":"` + marks["channel"] + `"}}`},
		{"POST", "/groups/g/tokens", `{"token":"` + marks["group"] + `"}`},
		{"POST", "/alarm/channels/ops/test", ""},
	} {
		if a := askAPI(t, server, r[0], r[1], r[2], "Idempotency-Key", "once-"+r[1]); a.StatusCode >= 500 && a.StatusCode != http.StatusServiceUnavailable || a.StatusCode/100 == 4 {
			t.Errorf("%v: %d %s", r, a.StatusCode, a.body)
		}
	}
	marks["password of others"] = takeOut(t, askAPI(t, server, "POST", "/users", `{"name":"bob"}`, "Idempotency-Key", "x").body, `"password":"`)
	marks["token of the API"] = takeOut(t, askAPI(t, server, "POST", "/tokens", `{"user":"ann"}`).body+askAPI(t, server, "POST", "/users/ann/tokens", `{"label":"x"}`, "Idempotency-Key", "y").body, `"token":"`)
	marks["token of executors"] = takeOut(t, askAPI(t, server, "POST", "/groups/g/tokens", `{}`).body, `"token":"`)
	v := visit(t, server)
	v.want(http.StatusOK, "POST", "/session", credentials("ann", marks["user"]))
	base, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	for _, cookie := range v.client.Jar.Cookies(base) {
		marks["cookie"] = cookie.Value
	}
	v.want(http.StatusOK, "POST", "/session/password", change(marks["user"], "another marker 4711"))
	marks["new password"] = "another marker 4711"
	v.client.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if len(marks) != 9 {
		t.Fatalf("only %d secrets were made", len(marks))
	}
	for what, mark := range marks {
		if strings.Contains(log.String(), mark) {
			t.Errorf("the secret of %s is in the log", what)
		}
	}
	notInFiles(t, data, marks)
}

// takeOut returns the text in quotes after a mark.
func takeOut(t *testing.T, answer, after string) string {
	t.Helper()
	_, rest, found := strings.Cut(answer, after)
	value, _, _ := strings.Cut(rest, `"`)
	if !found || value == "" {
		t.Fatalf("there is no %s in %s", after, answer)
	}
	return value
}

func notInFiles(t *testing.T, data string, marks map[string]string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(data, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for what, mark := range marks {
			if bytes.Contains(content, []byte(mark)) {
				t.Errorf("the secret of %s is in %s", what, entry.Name())
			}
		}
		return err
	})
	if err != nil || files < 3 {
		t.Errorf("%d files, %v", files, err)
	}
}

// S15: what looks like SQL in any parameter of any list is a text that matches
// nothing, or is refused; it costs no time, and nothing is changed.
func TestSQLInParameters(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	contract, sent := contractOf(t, f.Server), 0
	before := rows(t, f.Server)
	for _, o := range contract.operations {
		if o.method != http.MethodGet || strings.Contains(o.path, "/session/oidc") {
			continue
		}
		for _, p := range o.Parameters {
			for _, text := range []string{`x' OR '1'='1`, `x"; DROP TABLE jobs; --`, `x') UNION SELECT hash FROM api_tokens --`, `1; SELECT randomblob(1000000000)`, `key DESC, (SELECT 1)`, `%' ESCAPE '%`} {
				target := strings.NewReplacer("{key}", "report", "{id}", "1", "{group}", "g", "{name}", "ann", "{run}", "1", "{profile}", "heap").Replace(o.path)
				switch p.In {
				case "query":
					target += "?" + url.Values{p.Name: {text}}.Encode()
				case "path":
					target = strings.Replace(o.path, "{"+p.Name+"}", url.PathEscape(text), 1)
				default:
					continue
				}
				began := time.Now()
				r := askAPI(t, f.Server, o.method, target, "")
				sent++
				took := time.Since(began)
				for again := 0; took > soonAnswered && again < 3; again++ {
					began = time.Now()
					r = askAPI(t, f.Server, o.method, target, "")
					took = min(took, time.Since(began))
				}
				if r.StatusCode >= 500 || took > soonAnswered || r.StatusCode == http.StatusOK && p.In == "query" && p.Name != "after" && strings.Contains(r.body, "Crown Jewels") {
					t.Errorf("%s, %s is %s: %d %.300s, after %s", o.ID, p.Name, text, r.StatusCode, r.body, took)
				}
				for _, inside := range insides() {
					if strings.Contains(r.body, inside) && !strings.Contains(text, inside) {
						t.Errorf("%s, %s is %s: the answer has %q: %.300s", o.ID, p.Name, text, inside, r.body)
					}
				}
			}
		}
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" || sent < 300 {
		t.Errorf("%d requests changed rows (-before +after):\n%s", sent, diff)
	}
}

// A10, A16, A19, A22, A26, A27, A35: somebody of another group sees nothing of a
// group, does nothing to it, and makes nothing of his own that would.
func TestAnotherGroup(t *testing.T) {
	t.Parallel()
	f := besiege(t)
	c := &campaign{T: t, f: f, dice: newDice(1, nil)}
	c.hire("mallory", "owner", "default", "g")
	run := takeOut(t, askAPI(t, f.Server, "POST", "/jobs/theirs/trigger", "{}").body, `"id":"`)
	if r := askAPI(t, f.Server, "PATCH", "/jobs/report", `{"children":[{"key":"theirs"}]}`); r.StatusCode != http.StatusOK || !strings.Contains(r.body, `"theirs"`) {
		t.Fatal(r.body)
	}
	before := rows(t, f.Server)
	for _, r := range []struct {
		name, method, path, body string
		want                     []int
	}{
		{"A16", "POST", "/jobs/theirs/trigger", `{}`, []int{403, 404}},
		{"A19", "PATCH", "/jobs/theirs", `{"title":"x"}`, []int{403, 404}},
		{"A19 into the own group", "PATCH", "/jobs/theirs", `{"group":"g"}`, []int{403, 404}},
		{"the own job into another group", "PATCH", "/jobs/report", `{"group":"h"}`, []int{403, 404}},
		{"A22", "PATCH", "/jobs/report", `{"children":[{"key":"theirs"}]}`, []int{403, 404, 422}},
		{"A22 with a new job", "POST", "/jobs", `{"key":"sly","group":"g","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"},"children":[{"key":"theirs"}]}`, []int{403, 404, 422}},
		{"A22 by a workflow", "PUT", "/workflows/sly", `{"nodes":[{"name":"a","job":"theirs"}]}`, []int{403, 404, 422}},
		{"a job of another group", "POST", "/jobs", `{"key":"sly","group":"h","schedule":{"kind":"manual"},"handler":{"kind":"named","name":"hello"}}`, []int{403, 404}},
		{"a copy", "POST", "/jobs/theirs/copies", `{"copies":[{"key":"mine"}]}`, []int{403, 404, 422}},
		{"A26", "GET", "/jobs/theirs", "", []int{403, 404}},
		{"A27", "DELETE", "/jobs/theirs", "", []int{403, 404}},
		{"A35", "GET", "/runs/" + run, "", []int{403, 404}},
		{"A28", "GET", "/runs/" + run + "/log", "", []int{403, 404}},
		{"kill", "POST", "/runs/" + run + "/cancel", "{}", []int{403, 404}},
		{"a token", "POST", "/groups/h/tokens", "{}", []int{403, 404}},
		{"tokens", "GET", "/groups/h/tokens", "", []int{403, 404}},
		{"a grant", "POST", "/grants", `{"user":"mallory","role":"owner","namespace":"default","group":"h"}`, []int{403, 404}},
		{"the audit", "GET", "/audit", "", []int{200, 403}},
		{"A10", "GET", "/jobs", "", []int{200}},
		{"A10 by name", "GET", "/jobs?group=h", "", []int{200, 403, 404}},
		{"a child that somebody else has named", "GET", "/jobs/report", "", []int{200}},
		{"A10 of runs", "GET", "/runs", "", []int{200}},
		{"A10 of groups", "GET", "/groups", "", []int{200}},
	} {
		status, body := c.person(c.people[0], r.method, r.path, r.body)
		right := false
		for _, want := range r.want {
			right = right || status == want
		}
		if !right || status == http.StatusOK && (strings.Contains(body, `"theirs"`) || strings.Contains(body, `"h"`) || strings.Contains(body, `"`+run+`"`)) {
			t.Errorf("%s: %s %s: %d %.500s", r.name, r.method, r.path, status, body)
		}
	}
	if diff := cmp.Diff(before, rows(t, f.Server)); diff != "" {
		t.Errorf("rows changed (-before +after):\n%s", diff)
	}
}

// person asks as somebody.
func (c *campaign) person(by somebody, method, path, body string) (int, string) {
	c.Helper()
	w := wish{op: &operation{method: method, ID: path}, by: by, target: c.f.URL() + "/api/v1" + path, body: body, headers: map[string]string{}}
	if body != "" {
		w.headers["Content-Type"] = "application/json"
	}
	c.client.Transport = &http.Transport{DisableKeepAlives: true}
	a := c.ask(w)
	return a.status, string(a.body)
}
