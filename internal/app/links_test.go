package app

import (
	"bufio"
	"encoding/json"
	"io"
	"log/slog"
	"mime/quotedprintable"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/api"
	"github.com/orthd/orth/client"
	"github.com/orthd/orth/console"
	"github.com/orthd/orth/internal/alarmconfig"
	"github.com/orthd/orth/job"
)

// siteOf returns what a server of that configuration knows of its address at the start.
func siteOf(t *testing.T, c Config) *siteAddress {
	t.Helper()
	l, err := net.Listen("tcp", c.Listen)
	if err != nil {
		t.Skipf("%s: %v", c.Listen, err)
	}
	t.Cleanup(func() { _ = l.Close() })
	s := &Server{config: c, listener: l}
	return s.newSiteAddress(slog.New(slog.DiscardHandler))
}

// TestSiteAddress: without a setting links lead to where the server listens, unless
// that says nothing.
func TestSiteAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		config Config
		want   string // ends at the port
	}{
		{"loopback", Config{Listen: "127.0.0.1:0"}, "http://127.0.0.1:"},
		{"a name of loopback", Config{Listen: "localhost:0"}, "http://127.0.0.1:"},
		{"IPv6", Config{Listen: "[::1]:0"}, "http://[::1]:"},
		{"every address", Config{Listen: "0.0.0.0:0"}, ""},
		{"every address of both kinds", Config{Listen: ":0"}, ""},
		{"no console", Config{Listen: "127.0.0.1:0", NoConsole: true}, ""},
		{"a setting", Config{Listen: "0.0.0.0:0", PublicURL: "https://orth.example.com/ops/"}, "https://orth.example.com/ops"},
		{"a setting, and the console elsewhere", Config{Listen: "127.0.0.1:0", NoConsole: true, PublicURL: "https://orth.example.com"}, "https://orth.example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.config.Data = t.TempDir()
			a := siteOf(t, test.config)
			if got := a.base(); test.want == "" && got != "" || !strings.HasPrefix(got, test.want) {
				t.Errorf("%q, want %q", got, test.want)
			}
			link := a.links().Run(7)
			if test.want == "" && link != "" || test.want != "" && link != a.base()+"/console/runs/7" {
				t.Errorf("a link is %q", link)
			}
		})
	}
}

// TestSiteAddressIsLearned: an administrator's browser says where people reach the
// server; nobody else does. What was learned outlives the server.
func TestSiteAddressIsLearned(t *testing.T) {
	t.Parallel()
	admin := &access.User{Name: "ann", Kind: access.Person, Grants: []access.Grant{{Role: access.Administrator, Namespace: access.All, Group: access.All}}}
	local := &access.User{Name: "bob", Kind: access.Person, Grants: []access.Grant{{Role: access.Administrator, Namespace: "default", Group: access.All}}}
	c := Config{Listen: "0.0.0.0:0", Data: t.TempDir()}
	a := siteOf(t, c)
	for origin, u := range map[string]*access.User{
		"https://evil.test": local, "http://127.0.0.1:8080": admin, "http://localhost": admin, "http://[::1]:80": admin, "null": admin, "": admin,
		"https://a:b@orth.test": admin, "https://orth.test/path": admin, "javascript:alert(1)": admin, "https://" + strings.Repeat("x", 400): admin,
	} {
		if a.signedIn(u, origin); a.base() != "" {
			t.Fatalf("%s of %s is believed", origin, u.Name)
		}
	}
	a.signedIn(admin, "https://orth.test:8443")
	if got := a.page("/console/jobs/a__b___c"); got != "https://orth.test:8443/console/jobs/a_%5Fb_%5F_c" {
		t.Errorf("a page is at %q", got)
	}
	if got := siteOf(t, c).base(); got != "https://orth.test:8443" {
		t.Errorf("the next start knows %q", got)
	}
	loopback := Config{Listen: "127.0.0.1:0", Data: c.Data}
	if got := siteOf(t, loopback).base(); got != "https://orth.test:8443" {
		t.Errorf("behind a proxy it is %q", got)
	}
	set := siteOf(t, Config{Listen: "0.0.0.0:0", Data: c.Data, PublicURL: "https://orth.example.com"})
	if set.signedIn(admin, "https://other.test"); set.base() != "https://orth.example.com" {
		t.Errorf("the setting gives way to %q", set.base())
	}
	if err := os.WriteFile(filepath.Join(c.Data, consoleAddressFile), []byte("http://localhost\nhttps://orth.test"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := siteOf(t, c).base(); got != "" {
		t.Errorf("a broken file says %q", got)
	}
}

// TestSignInTeachesTheAddress: a real sign-in does so, and no request that only claims
// a name.
func TestSignInTeachesTheAddress(t *testing.T) {
	t.Parallel()
	s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", SignIn: SignIn{AllowPlain: true, AllowHosts: []string{"orth.test"}}})
	password := firstPassword(t, s)
	local := s.alarms.site.base()
	if local != s.URL() {
		t.Errorf("at first it is %q", local)
	}
	v := visit(t, s)
	post := func(host, path, body string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL()+"/api/v1"+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", "https://"+host)
		answer, err := v.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		return answer.StatusCode
	}
	for _, step := range []struct {
		name, host, path, body string
		status                 int
		want                   string
	}{
		{"another name", "evil.test", "/session", credentials("admin", password), http.StatusForbidden, local},
		{"a wrong password", "orth.test", "/session", credentials("admin", "wrong"), http.StatusUnauthorized, local},
		{"a password that has to be changed", "orth.test", "/session", credentials("admin", password), http.StatusOK, local},
		{"an administrator", "orth.test", "/session/password", change(password, "correct horse battery"), http.StatusOK, "https://orth.test"},
		{"the same by digits", "192.0.2.7", "/session", credentials("admin", "correct horse battery"), http.StatusOK, "https://192.0.2.7"},
	} {
		if status := post(step.host, step.path, step.body); status != step.status || s.alarms.site.base() != step.want {
			t.Errorf("%s: status %d, links to %q", step.name, status, s.alarms.site.base())
		}
	}
}

// TestWarningOfLinks: who has channels, and no address for links, is told what to set.
func TestWarningOfLinks(t *testing.T) {
	t.Parallel()
	with := func(enabled bool) standing {
		return standing{bookOf(t, &shelf{stored: alarmconfig.Stored{Channels: []alarmconfig.Channel{{Channel: alarm.Channel{Key: "ops", Enabled: enabled}}}}})}
	}
	for _, test := range []struct {
		site    *siteAddress
		enabled bool
		warns   bool
	}{
		{&siteAddress{}, true, true},
		{&siteAddress{}, false, false},
		{&siteAddress{public: "https://orth.example.com"}, true, false},
		{&siteAddress{bound: "http://127.0.0.1:1"}, true, false},
	} {
		got := test.site.warnings(t.Context(), with(test.enabled))
		if (len(got) == 1) != test.warns || test.warns && !strings.Contains(got[0], "--public-url") {
			t.Errorf("at %q: %q", test.site.base(), got)
		}
	}
}

// receivers takes what channels of every kind send, and remembers it by kind.
type receivers struct {
	url string
	mu  sync.Mutex
	got map[alarm.ChannelKind]string // guarded by mu
}

func (r *receivers) keep(kind alarm.ChannelKind, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got[kind] += text
}

func newReceivers(t *testing.T) *receivers {
	t.Helper()
	r := &receivers{got: map[alarm.ChannelKind]string{}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		kind := alarm.ChannelKind(strings.Trim(q.URL.Path, "/"))
		r.keep(kind, unescaped(body))
		switch kind {
		case alarm.DingTalk, alarm.WeCom:
			_, _ = io.WriteString(w, `{"errcode":0,"errmsg":"ok"}`)
		case alarm.Feishu:
			_, _ = io.WriteString(w, `{"code":0}`)
		case alarm.PagerDuty:
			w.WriteHeader(http.StatusAccepted)
			_, _ = io.WriteString(w, `{"status":"success"}`)
		default:
			_, _ = io.WriteString(w, "ok")
		}
	}))
	t.Cleanup(s.Close)
	r.url = s.URL
	return r
}

// unescaped returns the texts of a JSON document, one a line.
func unescaped(body []byte) string {
	var all strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all.WriteString(v + "\n")
		case []any:
			for _, one := range v {
				walk(one)
			}
		case map[string]any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	var document any
	if json.Unmarshal(body, &document) == nil {
		walk(document)
	}
	return all.String()
}

// mail takes mails, and returns the port.
func (r *receivers) mail(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { r.converse(c) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); open.Wait() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

func (r *receivers) converse(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	in := bufio.NewReader(c)
	_, _ = io.WriteString(c, "220 ready\r\n")
	for {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return
		case strings.HasPrefix(line, "QUIT"):
			_, _ = io.WriteString(c, "221 bye\r\n")
			return
		case !strings.HasPrefix(line, "DATA"):
			_, _ = io.WriteString(c, "250 ok\r\n")
			continue
		}
		_, _ = io.WriteString(c, "354 go on\r\n")
		var letter strings.Builder
		for line != ".\r\n" {
			if line, err = in.ReadString('\n'); err != nil {
				return
			}
			letter.WriteString(line)
		}
		plain, _ := io.ReadAll(quotedprintable.NewReader(strings.NewReader(letter.String())))
		r.keep(alarm.Email, string(plain))
		_, _ = io.WriteString(c, "250 ok\r\n")
	}
}

// create makes a channel of each kind, and a rule that names all.
func (r *receivers) create(t *testing.T, c *client.Client) {
	t.Helper()
	var keys []string
	for _, kind := range alarm.ChannelKinds() {
		made := api.NewAlarmChannel{
			AlarmChannelFields: api.AlarmChannelFields{Key: string(kind), Kind: kind, PerMinute: 600}, Secrets: map[string]string{"url": r.url + "/" + string(kind)},
		}
		switch kind { //nolint:exhaustive // The others carry the link in their text.
		case alarm.Email:
			made.Secrets = nil
			made.Settings = map[string]string{"host": "127.0.0.1", "port": r.mail(t), "tls": "none", "from": "orth@example.com", "to": "ops@example.com"}
		case alarm.PagerDuty:
			made.Secrets = map[string]string{"routing_key": strings.Repeat("k", 32)}
			made.Settings = map[string]string{"url": r.url + "/" + string(kind)}
		}
		if _, err := c.CreateAlarmChannel(t.Context(), made); err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		keys = append(keys, string(kind))
	}
	if _, err := c.CreateAlarmRule(t.Context(), api.NewAlarmRule{AlarmRuleFields: api.AlarmRuleFields{
		Key: "bad", Kinds: []alarm.Kind{alarm.KindFailed}, Channels: keys, Wait: api.Duration(time.Second), Interval: api.Duration(time.Second),
	}}); err != nil {
		t.Fatal(err)
	}
}

// links finds the links to the console in what a channel carries.
var linkPattern = regexp.MustCompile(`https?://[^\s"'<>|)\\]*/console/[^\s"'<>|)\\]*`)

// TestLinksLeadToPages fails a script: what each kind of channel carries says why, and
// each link in it leads to a page of the console that exists. Without a setting it is
// the address that the server listens at; with one the path before it is part of the
// link.
func TestLinksLeadToPages(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip(err)
	}
	for name, public := range map[string]string{"no setting": "", "a path before": "https://orth.example.com/ops"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := beginWith(t, Config{Data: t.TempDir(), Listen: "127.0.0.1:0", NoFirstUser: true, AlarmAllowPrivate: true, PublicURL: public})
			scripted(t, s)
			c, err := client.New(client.Config{Address: s.URL(), Token: s.config.APIToken.Reveal()})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			all := newReceivers(t)
			all.create(t, c)
			made, err := c.CreateJob(t.Context(), failing())
			if err != nil {
				t.Fatal(err)
			}
			run, err := c.Trigger(t.Context(), made.Key, api.Trigger{})
			if err != nil {
				t.Fatal(err)
			}
			for _, kind := range alarm.ChannelKinds() {
				until(t, "a message of "+string(kind), func() bool {
					all.mu.Lock()
					defer all.mu.Unlock()
					return all.got[kind] != ""
				})
			}
			all.mu.Lock()
			defer all.mu.Unlock()
			for kind, text := range all.got {
				checkMessage(t, s, kind, text, public, int64(run.ID))
			}
		})
	}
}

// checkMessage checks what a channel carried about a run: that it says why, that it
// leads to the run and to the alarm, and that both are there. That the console has the
// pages is what its own tests say.
func checkMessage(t *testing.T, s *Server, kind alarm.ChannelKind, text, public string, run int64) {
	t.Helper()
	if !strings.Contains(text, "exit status 3: psql: error: connection refused") {
		t.Errorf("%s does not say why: %s", kind, text)
	}
	base, before := s.URL(), ""
	if public != "" {
		u, err := url.Parse(public)
		if err != nil {
			t.Fatal(err)
		}
		base, before = public, u.Path
	}
	seen := map[string]bool{}
	for _, link := range linkPattern.FindAllString(text, -1) {
		path, ours := strings.CutPrefix(link, base)
		seen[path] = true
		if status := statusOf(t, s, before+path); !ours || status != http.StatusOK {
			t.Errorf("%s: %s does not lead to the console: status %d", kind, link, status)
		}
		id, ofAlarm := strings.CutPrefix(path, console.AlarmsPage+"/")
		if ofAlarm {
			seen["alarm"] = true
			if status := statusOf(t, s, before+"/api/v1/alarms/"+id); status != http.StatusOK {
				t.Errorf("%s: there is no alarm %q: status %d", kind, id, status)
			}
		}
		if !ofAlarm && path != console.RunPage(run) {
			t.Errorf("%s has the link %s", kind, link)
		}
	}
	if !seen[console.RunPage(run)] || !seen["alarm"] {
		t.Errorf("%s has no link to the run, or to the alarm: %s", kind, text)
	}
}

// statusOf returns the status of an answer to the server's own token.
func statusOf(t *testing.T, s *Server, path string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.config.APIToken.Reveal())
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// failing is a job whose script fails.
func failing() api.NewJob {
	return api.NewJob{
		Key: "copy", Group: "g", Handler: api.Handler{Kind: job.HandlerShell, Source: "echo 'psql: error: connection refused' >&2; echo cleaned up; exit 3"},
	}
}
