package dingtalk

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/job"
)

// TestSigned compares with what this made:
//
//	printf '1700000000000\nSECtest' | openssl dgst -sha256 -hmac SECtest -binary | base64
func TestSigned(t *testing.T) {
	t.Parallel()
	got, err := signed("https://oapi.dingtalk.com/robot/send?access_token=abc", "SECtest", time.UnixMilli(1700000000000))
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(got)
	if err != nil {
		t.Fatal(err)
	}
	want := url.Values{"access_token": {"abc"}, "timestamp": {"1700000000000"}, "sign": {"aZLLrriXgn05YbwaGR7knYsLeJADjr9NwLaNNKpxh4g="}}
	if diff := cmp.Diff(want, u.Query()); diff != "" {
		t.Error(diff)
	}
	if strings.ContainsAny(u.RawQuery, "+/") {
		t.Errorf("the signature is not escaped: %s", u.RawQuery)
	}
	if got, err := signed("https://a.example/?x=1", "", time.Now()); err != nil || got != "https://a.example/?x=1" {
		t.Errorf("without a secret: %q, %v", got, err)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	got := compose(alarm.Message{Title: "[critical] a\nb", Text: "one\n# two @all\n[x](https://evil.example)"}, []string{"13800000000", "+49-170"})
	want := robotMessage{
		Type: "markdown",
		Markdown: markdown{
			Title: "[critical] a b",
			Text: "#### [critical] a b\n\none  \n\u200b# two @\u200ball  \n[x]\u200b(https://evil.example)" +
				"\n\n@13800000000 @+49-170",
		},
		At: at{Mobiles: []string{"13800000000", "+49-170"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestComposeIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom([]string{"日", "<", "a\n", "@", "](", "**"}).Draw(t, "text")
		m := alarm.Message{Title: "t", Text: strings.Repeat(one, rapid.IntRange(0, 16000).Draw(t, "times"))}
		text := compose(m, []string{"13800000000"}).Markdown.Text
		if len(text) > maxText || !utf8.ValidString(text) || !strings.HasSuffix(text, "@13800000000") {
			t.Fatalf("%d bytes", len(text))
		}
	})
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   job.Kind
		says   string
	}{
		{200, `{"errcode":0,"errmsg":"ok"}`, "", ""},
		{200, `{"errcode":130101,"errmsg":"send too fast"}`, job.Full, "130101: send too fast"},
		{200, `{"errcode":410100,"errmsg":"x"}`, job.Full, ""},
		{200, `{"errcode":-1,"errmsg":"system busy"}`, job.Unavailable, "system busy"},
		{200, `{"errcode":310000,"errmsg":"sign not match"}`, job.Refused, "compare the secret"},
		{200, `{"errcode":300001,"errmsg":"token is not exist"}`, job.Refused, "token is not exist"},
		{200, `<html>`, job.Refused, "not that of a robot"},
		{200, `{}`, job.Refused, "not that of a robot"},
		{502, `{"errcode":0}`, job.Unavailable, "502"},
		{404, ``, job.Refused, "404"},
	} {
		err := judge(call.Answer{Status: test.status, Body: []byte(test.body)})
		if job.KindOf(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	address := map[string]string{"url": "https://oapi.dingtalk.com/robot/send?access_token=abc"}
	for _, test := range []struct {
		mobiles, fails string
	}{{"", ""}, {"13800000000, +86-13900000000", ""}, {"me", "no telephone number"}, {"@all", "no telephone number"}, {"1", "no telephone number"}} {
		err := Kind{}.Check(alarm.Channel{Secrets: address, Settings: map[string]string{"mobiles": test.mobiles}})
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%q: %v", test.mobiles, err)
		}
	}
}

// FuzzJudge: only an answer that says so is success.
func FuzzJudge(f *testing.F) {
	f.Add(200, `{"errcode":0}`)
	f.Add(200, `{"errcode":"0"}`)
	f.Add(500, `[]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := judge(call.Answer{Status: status, Body: []byte(body)})
		var said map[string]any
		_ = json.Unmarshal([]byte(body), &said)
		good := false
		for name, value := range said {
			good = good || strings.EqualFold(name, "errcode") && value == 0.0
		}
		if err == nil && (!good || status < 200 || status > 299) {
			t.Errorf("%d %q is taken for success", status, body)
		}
		switch job.KindOf(err) {
		case "", job.Refused, job.Unavailable, job.Full:
		default:
			t.Errorf("%d %q: %v", status, body, err)
		}
	})
}
