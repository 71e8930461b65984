package notify

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/job"
)

// at returns a channel of a kind that leads to an address.
func at(kind alarm.ChannelKind, address string) alarm.Channel {
	c := alarm.Channel{ID: 3, Kind: kind, Secrets: map[string]string{"url": address + "/T0SECRET0TOKEN9"}}
	if kind == alarm.PagerDuty {
		c.Settings = map[string]string{"url": address}
		c.Secrets = map[string]string{"routing_key": "T0SECRET0TOKEN9"}
	}
	return c
}

// TestServicesRefuse: what a service says in its own way is understood at the wire,
// and never has the token in it that it may repeat.
func TestServicesRefuse(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind   alarm.ChannelKind
		status int
		answer string
		want   job.Kind
		says   string
	}{
		{alarm.DingTalk, 200, `{"errcode":130101,"errmsg":"send too fast, exceed 20 times per minute"}`, job.Full, "exceed 20 times"},
		{alarm.DingTalk, 200, `{"errcode":310000,"errmsg":"token T0SECRET0TOKEN9: sign not match"}`, job.Refused, "token ***: sign not match"},
		{alarm.DingTalk, 200, `<html>log in</html>`, job.Refused, "look at the address"},
		{alarm.DingTalk, 500, ``, job.Unavailable, "500"},
		{alarm.Feishu, 200, `{"code":11232,"msg":"frequency limited"}`, job.Full, "frequency limited"},
		{alarm.Feishu, 400, `{"code":19001,"msg":"param invalid: T0SECRET0TOKEN9"}`, job.Refused, "param invalid: ***"},
		{alarm.Feishu, 502, `bad gateway`, job.Unavailable, "bad gateway"},
		{alarm.WeCom, 200, `{"errcode":45009,"errmsg":"api freq out of limit"}`, job.Full, "api freq"},
		{alarm.WeCom, 200, `{"errcode":93000,"errmsg":"invalid webhook url T0SECRET0TOKEN9"}`, job.Refused, "invalid webhook url ***"},
		{alarm.Slack, 429, `rate_limited`, job.Full, "rate_limited"},
		{alarm.Slack, 404, `no_service`, job.Refused, "make a new one"},
		{alarm.Slack, 200, `<html>log in</html>`, job.Refused, "look at the address"},
		{alarm.Slack, 500, `rollup_error`, job.Unavailable, "rollup_error"},
		{alarm.PagerDuty, 400, `{"status":"invalid event","errors":["routing_key T0SECRET0TOKEN9 is wrong"]}`, job.Refused, "routing_key *** is wrong"},
		{alarm.PagerDuty, 429, ``, job.Full, "429"},
		{alarm.PagerDuty, 503, ``, job.Unavailable, "503"},
		{alarm.Webhook, 404, "\x1b[31mnothing at /T0SECRET0TOKEN9\r\n", job.Refused, "nothing at /***"},
	} {
		t.Run(fmt.Sprint(test.kind, test.status), func(t *testing.T) {
			t.Parallel()
			address, last := serve(t, test.status, test.answer)
			err := local(t, Config{}).Send(t.Context(), at(test.kind, address), message())
			if text := fmt.Sprint(err); job.KindOf(err) != test.want || !strings.Contains(text, test.says) ||
				strings.Contains(text, "T0SECRET0TOKEN9") || strings.ContainsAny(text, "\x1b\r\n") {
				t.Errorf("%s %q, want %s %q", job.KindOf(err), text, test.want, test.says)
			}
			last() // one request, and it has come
		})
	}
}

// TestEveryKindHasLimits: a service that is silent, or sends its readers elsewhere,
// holds up nobody, whatever its kind.
func TestEveryKindHasLimits(t *testing.T) {
	t.Parallel()
	reached := make(chan string, 100)
	target := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { reached <- r.URL.Path }))
	elsewhere := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
		<-r.Context().Done()
	}))
	for _, s := range []*httptest.Server{target, elsewhere, silent} {
		t.Cleanup(s.Close)
	}
	kinds := []alarm.ChannelKind{alarm.Webhook, alarm.DingTalk, alarm.Feishu, alarm.WeCom, alarm.Slack, alarm.PagerDuty}
	hasty, patient := local(t, Config{Timeout: 300 * time.Millisecond}), local(t, Config{Timeout: time.Minute})
	for _, kind := range kinds {
		begun := time.Now()
		err := hasty.Send(t.Context(), at(kind, silent.URL), message())
		if !job.Is(err, job.Unavailable) || !strings.Contains(err.Error(), "in time") || time.Since(begun) > time.Minute { // machines are busy
			t.Errorf("%s waits %s: %v", kind, time.Since(begun), err)
		}
		if err := patient.Send(t.Context(), at(kind, elsewhere.URL), message()); !job.Is(err, job.Refused) {
			t.Errorf("%s is led elsewhere: %v", kind, err)
		}
	}
	if len(reached) > 0 {
		t.Errorf("a redirect was followed to %s", <-reached)
	}
}

// TestWrongSettingsAreNotSent: what Check refuses, Send refuses too, before anybody
// hears of it.
func TestWrongSettingsAreNotSent(t *testing.T) {
	t.Parallel()
	calls := make(chan string, 100)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { calls <- r.Host }))
	t.Cleanup(server.Close)
	s := local(t, Config{})
	for kind, wrong := range map[alarm.ChannelKind]map[string]string{
		alarm.Webhook:   {"body": "{{range 5}}{{end}}"},
		alarm.DingTalk:  {"mobiles": "@all"},
		alarm.Feishu:    {"colour": "red"},
		alarm.WeCom:     {"users": "<@all>"},
		alarm.Slack:     {"mention": "everyone"},
		alarm.PagerDuty: {"source": "a\nb"},
	} {
		c := at(kind, server.URL)
		good := maps.Clone(c.Settings)
		c.Settings = maps.Clone(wrong)
		maps.Copy(c.Settings, good)
		for _, err := range []error{s.Check(c), s.Send(t.Context(), c, message())} {
			if !job.Is(err, job.Invalid) || !strings.Contains(err.Error(), "settings.") {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if c.Settings = good; s.Check(c) != nil {
			t.Errorf("%s without the mistake: %v", kind, s.Check(c))
		}
	}
	if len(calls) > 0 {
		t.Errorf("%d requests were made", len(calls))
	}
}
