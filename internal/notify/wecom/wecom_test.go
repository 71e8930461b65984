package wecom

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/job"
)

func TestCompose(t *testing.T) {
	t.Parallel()
	m := alarm.Message{Title: "[critical] a", Text: "one <@all>\n> two", State: alarm.Firing}
	for state, want := range map[alarm.State]string{
		alarm.Firing:   "### <font color=\"warning\">[critical] a</font>\n<@zhang><@li>\none <\u200b@\u200ball>\n\u200b> two",
		alarm.Resolved: "### <font color=\"info\">[critical] a</font>\n<@zhang><@li>\none <\u200b@\u200ball>\n\u200b> two",
	} {
		m.State = state
		got := compose(m, []string{"zhang", "li"})
		if diff := cmp.Diff(robotMessage{"markdown", markdown{want}}, got); diff != "" {
			t.Errorf("%s: %s", state, diff)
		}
	}
}

func TestComposeIsBounded(t *testing.T) {
	t.Parallel()
	users := make([]string, 20)
	for i := range users {
		users[i] = strings.Repeat("u", 64)
	}
	rapid.Check(t, func(t *rapid.T) {
		one := rapid.SampledFrom([]string{"日", "<", "a\n", "@", "](", "**"})
		m := alarm.Message{
			Title: strings.Repeat(one.Draw(t, "in the title"), rapid.IntRange(0, 300).Draw(t, "times in the title")),
			Text:  strings.Repeat(one.Draw(t, "in the text"), rapid.IntRange(0, 6000).Draw(t, "times in the text")),
		}
		text := compose(m, users[:rapid.IntRange(0, 20).Draw(t, "users")]).Markdown.Content
		if len(text) > maxText || !utf8.ValidString(text) || !strings.Contains(text, "</font>") {
			t.Fatalf("%d bytes: %.200s", len(text), text)
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
		{200, `{"errcode":45009,"errmsg":"api freq out of limit"}`, job.Full, "45009: api freq out of limit"},
		{200, `{"errcode":45033,"errmsg":"x"}`, job.Full, ""},
		{200, `{"errcode":-1,"errmsg":"system busy"}`, job.Unavailable, ""},
		{200, `{"errcode":93000,"errmsg":"invalid webhook url"}`, job.Refused, "invalid webhook url"},
		{200, `ok`, job.Refused, "not that of a robot"},
		{500, ``, job.Unavailable, "500"},
		{403, `no`, job.Refused, "403: no"},
	} {
		err := judge(call.Answer{Status: test.status, Body: []byte(test.body)})
		if job.KindOf(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	address := map[string]string{"url": "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=abc"}
	for _, test := range []struct{ users, fails string }{
		{"", ""}, {"zhang, li", ""}, {"<@all>", "no id of a member"}, {strings.Repeat("a,", 21), "at most 20"}, {strings.Repeat("a", 65), "no id"},
	} {
		err := Kind{}.Check(alarm.Channel{Secrets: address, Settings: map[string]string{"users": test.users}})
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%q: %v", test.users, err)
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
