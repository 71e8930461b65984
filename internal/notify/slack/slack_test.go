package slack

import (
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
	m := alarm.Message{Title: "[critical] a <!channel> & b", Text: "one <@U1>\ntwo", Link: "https://orth.example/runs/1?a=1&b=2|x>"}
	got := compose(m, []string{"here", "U012AB3CD", "S012AB3CD"})
	want := webhookMessage{
		Text: "[critical] a &lt;!channel&gt; &amp; b <!here> <@U012AB3CD> <!subteam^S012AB3CD>",
		Blocks: []block{
			{"header", text{Type: "plain_text", Text: "[critical] a <!channel> & b"}},
			{"section", text{Type: "mrkdwn", Text: "<!here> <@U012AB3CD> <!subteam^S012AB3CD>"}},
			{"section", text{Type: "plain_text", Text: "one <@U1>\ntwo"}},
			{"section", text{Type: "mrkdwn", Text: "<https://orth.example/runs/1?a=1&amp;b=2%7Cx&gt;>", Verbatim: true}},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := compose(alarm.Message{Title: "t"}, nil); len(got.Blocks) != 1 {
		t.Errorf("blocks without a text: %+v", got.Blocks)
	}
}

// TestSections: nothing is lost before the limit, and Slack takes every section.
func TestSections(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		line := strings.Repeat(rapid.SampledFrom([]string{"日", "a", "b "}).Draw(t, "text"), rapid.IntRange(1, 4000).Draw(t, "length"))
		m := alarm.Message{Title: strings.Repeat("t", 400), Text: strings.TrimSpace(strings.Repeat(line+"\n", rapid.IntRange(1, 12).Draw(t, "lines")))}
		var all strings.Builder
		for i, b := range compose(m, nil).Blocks {
			n := utf8.RuneCountInString(b.Text.Text)
			if n == 0 || i == 0 && n > maxHead || n > maxSection || i > maxSections {
				t.Fatalf("block %d has %d characters", i, n)
			}
			if i > 0 {
				all.WriteString(b.Text.Text)
			}
		}
		blank := strings.NewReplacer("\n", "", " ", "")
		got, want := blank.Replace(all.String()), blank.Replace(m.Text)
		if got != want && !strings.HasPrefix(want, strings.TrimSuffix(got, "…")) {
			t.Fatal("the text has changed")
		}
		if got != want && !strings.HasSuffix(got, "…") {
			t.Fatal("the cut has no mark")
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
		{200, "ok", "", ""},
		{200, "ok\n", "", ""},
		{200, `{"ok":true}`, "", ""},
		{200, `{"success":true}`, "", ""},
		{200, `{"ok":false,"error":"x"}`, job.Refused, "not that of a webhook"},
		{200, `<html>`, job.Refused, "not that of a webhook"},
		{429, "rate_limited", job.Full, "429"},
		{429, "", job.Full, "429"},
		{404, "no_service", job.Refused, "make a new one"},
		{403, "invalid_token", job.Refused, "make a new one"},
		{403, "action_prohibited", job.Refused, "action_prohibited"},
		{410, "channel_is_archived", job.Refused, "channel_is_archived"},
		{400, "invalid_payload", job.Refused, "invalid_payload"},
		{500, "rollup_error", job.Unavailable, "rollup_error"},
	} {
		err := judge(call.Answer{Status: test.status, Body: []byte(test.body)})
		if job.KindOf(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ mention, fails string }{
		{"", ""}, {"here, U012AB3CD, S1A", ""}, {"everyone", "neither here nor channel"}, {"<!here>", "neither"}, {"C123", "neither"}, {"U", "neither"},
	} {
		c := alarm.Channel{Secrets: map[string]string{"url": "https://hooks.slack.com/services/T/B/x"}, Settings: map[string]string{"mention": test.mention}}
		err := Kind{}.Check(c)
		if test.fails == "" && err != nil || test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)) {
			t.Errorf("%q: %v", test.mention, err)
		}
	}
}
