package notify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// local is a set that may reach the servers of tests.
func local(t *testing.T, c Config) *Set {
	t.Helper()
	c.Private = true
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// heard is a request as a server got it.
type heard struct {
	*http.Request
	body string
}

// serve answers every request in the same way, and keeps the last one.
func serve(t *testing.T, status int, answer string) (address string, last func() heard) {
	t.Helper()
	requests := make(chan heard, 8)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		requests <- heard{r, string(body)}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	return s.URL, func() heard {
		t.Helper()
		select {
		case h := <-requests:
			return h
		default:
			t.Fatal("no request has come")
			return heard{}
		}
	}
}

func message() alarm.Message {
	return alarm.Message{
		ID: "n-1", Dedup: "a-1", State: alarm.Firing, Severity: alarm.Critical, Title: "[critical] nightly-report failed", Text: "Rule: r",
		Namespace: "default", Rule: "r", At: time.Date(2026, 11, 21, 2, 30, 5, 0, time.UTC),
	}
}

// mac is the HMAC-SHA256 of a text.
func mac(key, text string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	_, _ = io.WriteString(h, text)
	return h.Sum(nil)
}

// fresh reports whether a stamp of so many units in a second is of this minute.
func fresh(stamp string, units int64) bool {
	n, err := strconv.ParseInt(stamp, 10, 64)
	return err == nil && time.Since(time.Unix(n/units, 0)).Abs() < time.Minute
}

func TestWebhookAtTheWire(t *testing.T) {
	t.Parallel()
	address, last := serve(t, 204, "")
	c := alarm.Channel{
		Kind: alarm.Webhook, Settings: map[string]string{"method": "PUT"},
		Secrets: map[string]string{"url": address + "/in?token=abc", "secret": "key", "headers": "Authorization: Bearer xyz"},
	}
	if err := local(t, Config{}).Send(t.Context(), c, message()); err != nil {
		t.Fatal(err)
	}
	r := last()
	stamp := r.Header.Get("Orth-Timestamp")
	want := "v1=" + hex.EncodeToString(mac("key", stamp+"."+r.body))
	if r.Header.Get("Orth-Signature") != want || !fresh(stamp, 1) {
		t.Errorf("%v", r.Header)
	}
	if r.Method != http.MethodPut || r.URL.String() != "/in?token=abc" || r.Header.Get("Authorization") != "Bearer xyz" ||
		r.Header.Get("Orth-Delivery") != "n-1" || r.Header.Get("Idempotency-Key") != "n-1" || r.UserAgent() != "Orth" ||
		r.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
	}
	if !json.Valid([]byte(r.body)) || !strings.Contains(r.body, `"dedup":"a-1"`) {
		t.Error(r.body)
	}
}

func TestDingTalkAtTheWire(t *testing.T) {
	t.Parallel()
	address, last := serve(t, 200, `{"errcode":0,"errmsg":"ok"}`)
	c := alarm.Channel{
		Kind: alarm.DingTalk, Settings: map[string]string{"mobiles": "13800000000"},
		Secrets: map[string]string{"url": address + "/robot/send?access_token=abc", "secret": "SECx"},
	}
	if err := local(t, Config{}).Send(t.Context(), c, message()); err != nil {
		t.Fatal(err)
	}
	r := last()
	q := r.URL.Query()
	want := base64.StdEncoding.EncodeToString(mac("SECx", q.Get("timestamp")+"\nSECx"))
	if q.Get("sign") != want || !fresh(q.Get("timestamp"), 1000) || q.Get("access_token") != "abc" {
		t.Errorf("%s, want %s", r.URL, want)
	}
	if !strings.Contains(r.body, `"msgtype":"markdown"`) || !strings.Contains(r.body, `"at":{"atMobiles":["13800000000"],"isAtAll":false}`) {
		t.Error(r.body)
	}
}

func TestFeishuAtTheWire(t *testing.T) {
	t.Parallel()
	address, last := serve(t, 200, `{"code":0,"msg":"success"}`)
	c := alarm.Channel{Kind: alarm.Feishu, Secrets: map[string]string{"url": address + "/open-apis/bot/v2/hook/x", "secret": "key"}}
	if err := local(t, Config{}).Send(t.Context(), c, message()); err != nil {
		t.Fatal(err)
	}
	var said struct{ Timestamp, Sign string }
	if err := json.Unmarshal([]byte(last().body), &said); err != nil {
		t.Fatal(err)
	}
	if want := base64.StdEncoding.EncodeToString(mac(said.Timestamp+"\nkey", "")); said.Sign != want || !fresh(said.Timestamp, 1) {
		t.Errorf("%+v, want %s", said, want)
	}
}

func TestOthersAtTheWire(t *testing.T) {
	t.Parallel()
	for kind, test := range map[alarm.ChannelKind]struct {
		status       int
		answer, says string
	}{
		alarm.WeCom:     {200, `{"errcode":0,"errmsg":"ok"}`, `{"msgtype":"markdown","markdown":{"content":"### <font color=`},
		alarm.Slack:     {200, `ok`, `{"text":"[critical] nightly-report failed","blocks":[`},
		alarm.PagerDuty: {202, `{"status":"success"}`, `{"routing_key":"R0123456789","event_action":"trigger","dedup_key":"a-1"`},
	} {
		address, last := serve(t, test.status, test.answer)
		c := alarm.Channel{Kind: kind, Secrets: map[string]string{"url": address + "/hook"}}
		if kind == alarm.PagerDuty {
			c.Settings, c.Secrets = map[string]string{"url": address + "/hook"}, map[string]string{"routing_key": "R0123456789"}
		}
		if err := local(t, Config{}).Send(t.Context(), c, message()); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		if r := last(); r.Method != http.MethodPost || r.URL.Path != "/hook" || !strings.HasPrefix(r.body, test.says) {
			t.Errorf("%s: %s %s %s", kind, r.Method, r.URL, r.body)
		}
	}
}

// TestFailures: each says whether another try can help, and none has a secret in it.
func TestFailures(t *testing.T) {
	t.Parallel()
	echo := func(status int) string {
		address, _ := serve(t, status, "no such token: T0SECRET0TOKEN9, key hunter2key, R0123456789")
		return address
	}
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
		<-r.Context().Done()
	}))
	t.Cleanup(silent.Close)
	elsewhere := httptest.NewServer(http.RedirectHandler(echo(200), http.StatusFound))
	t.Cleanup(elsewhere.Close)
	for _, test := range []struct {
		name, address string
		want          job.Kind
		says          string
	}{
		{"400", echo(400), job.Refused, "400: no such token: ***"},
		{"401", echo(401), job.Refused, "refuses the message"},
		{"408", echo(408), job.Unavailable, "408"},
		{"425", echo(425), job.Unavailable, "425"},
		{"429", echo(429), job.Full, "too many"},
		{"500", echo(500), job.Unavailable, "500"},
		{"503", echo(503), job.Unavailable, "503"},
		{"redirect", elsewhere.URL, job.Refused, "give the final address"},
		{"nobody there", "http://127.0.0.1:1", job.Unreachable, "cannot be reached"},
		{"no answer", silent.URL, job.Unavailable, "did not answer in time"},
		{"no name", "http://nobody.invalid", job.Unreachable, "nobody.invalid"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := alarm.Channel{Kind: alarm.Webhook, Secrets: map[string]string{"url": test.address + "/T0SECRET0TOKEN9", "secret": "hunter2key"}}
			limit := time.Minute
			if test.address == silent.URL {
				limit = time.Second
			}
			err := local(t, Config{Timeout: limit}).Send(t.Context(), c, message())
			if job.KindOf(err) != test.want || !strings.Contains(fmt.Sprint(err), test.says) {
				t.Errorf("%s: %v, want %s %q", job.KindOf(err), err, test.want, test.says)
			}
			if strings.Contains(fmt.Sprint(err), "T0SECRET0TOKEN9") || strings.Contains(fmt.Sprint(err), "hunter2") {
				t.Errorf("a secret: %v", err)
			}
		})
	}
}

func TestOperatorsRules(t *testing.T) {
	t.Parallel()
	address, _ := serve(t, 200, "ok")
	for _, test := range []struct {
		config Config
		fails  string
	}{
		{Config{}, "127.0.0.1 is a loopback address"},
		{Config{Allow: []string{"hooks.slack.com"}}, "127.0.0.1"},
		{Config{Allow: []string{"127.0.0.1"}}, ""},
	} {
		s, err := New(test.config)
		if err != nil {
			t.Fatal(err)
		}
		channels := []alarm.Channel{
			{Kind: alarm.Slack, Secrets: map[string]string{"url": address}},
			{Kind: alarm.Email, Settings: map[string]string{"host": "127.0.0.1", "port": "1", "tls": "none", "from": "a@b.example", "to": "c@d.example"}},
		}
		for _, c := range channels {
			err := s.Send(t.Context(), c, message())
			if test.fails != "" && (!job.Is(err, job.Refused) || !strings.Contains(err.Error(), test.fails)) {
				t.Errorf("%v, %s: %v", test.config.Allow, c.Kind, err)
			}
			if test.fails == "" && job.Is(err, job.Refused) {
				t.Errorf("%v, %s: %v", test.config.Allow, c.Kind, err)
			}
		}
	}
	for _, c := range []Config{{Allow: []string{"http://x"}}, {Timeout: -1}} {
		if _, err := New(c); !job.Is(err, job.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

// TestEveryKind: each asks for something, says what it is, and misses it.
func TestEveryKind(t *testing.T) {
	t.Parallel()
	s := local(t, Config{})
	for _, kind := range alarm.ChannelKinds() {
		fields := s.Fields(kind)
		needed := 0
		for _, f := range fields {
			if f.Doc == "" || f.Name == "" || f.Secret && f.Default != "" {
				t.Errorf("%s: %+v", kind, f)
			}
			if f.Needed {
				needed++
			}
		}
		if needed == 0 {
			t.Errorf("%s needs nothing", kind)
		}
		for _, err := range []error{s.Check(alarm.Channel{Kind: kind}), s.Send(t.Context(), alarm.Channel{Kind: kind}, message())} {
			e, ok := errors.AsType[*job.Error](err)
			if !ok || e.Kind != job.Invalid || !strings.Contains(e.Field, ".") || strings.Contains(e.Message, e.Field) {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
	if s.Fields("fax") != nil {
		t.Error("a fax has fields")
	}
	for _, err := range []error{s.Check(alarm.Channel{Kind: "fax"}), s.Send(t.Context(), alarm.Channel{Kind: "fax"}, message())} {
		if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "email, webhook") {
			t.Error(err)
		}
	}
}

func TestConceal(t *testing.T) {
	t.Parallel()
	secrets := map[string]string{
		"url": "https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef", "secret": "SECshort", "pin": "12",
		"headers": "Authorization: Bearer abcdefghijklmnopqrstuvwx",
	}
	for _, test := range []struct{ in, want string }{
		{"the robot at oapi.dingtalk.com refuses 12", "the robot at oapi.dingtalk.com refuses 12"},
		{"token 0123456789abcdef is unknown", "token *** is unknown"},
		{`parse "https://oapi.dingtalk.com/robot/send?access_token=0123456789abcdef": x`, `parse "***": x`},
		{"a\r\n\x1b[31mred \xff " + strings.Repeat("x", 2000), "a red \uFFFD " + strings.Repeat("x", maxError-len("a red \uFFFD …")) + "…"},
		{"SECshort abcdefghijklmnopqrstuvwx Authorization", "*** *** Authorization"},
	} {
		err := conceal(errors.New(test.in), secrets)
		if err.Error() != test.want || !job.Is(err, job.Unavailable) {
			t.Errorf("%q: %v", test.in, err)
		}
	}
	err := conceal(fmt.Errorf("send: %w", job.FieldErrorf("settings.to", "x")), nil)
	if !job.Is(err, job.Invalid) {
		t.Error(err)
	}
	if conceal(nil, secrets) != nil {
		t.Error("no error became one")
	}
}

// A host that may not be called is refused with the flags that open it.
func TestRefusalNamesFlags(t *testing.T) {
	t.Parallel()
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Send(t.Context(), alarm.Channel{
		Kind: alarm.Webhook, Secrets: map[string]string{"url": "http://10.0.0.5/hook"},
	}, alarm.Message{Title: "t"})
	if !job.Is(err, job.Refused) || !strings.Contains(err.Error(), "--alarm-allow or sets --alarm-allow-private") {
		t.Errorf("Send = %v", err)
	}
}
