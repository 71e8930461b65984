package feishu

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/job"
)

// TestSign compares with what this made:
//
//	printf '' | openssl dgst -sha256 -mac HMAC -macopt hexkey:$(printf '1700000000\nSECtest' | xxd -p) -binary | base64
func TestSign(t *testing.T) {
	t.Parallel()
	stamp, signature := signRequest("SECtest", time.Unix(1700000000, 999))
	if stamp != "1700000000" || signature != "G7XpBpG8NgG02fJOAhX6FRAObIljmFoxVReo8I62pEk=" {
		t.Errorf("%s, %s", stamp, signature)
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	m := alarm.Message{
		Title: "[critical] a\nb", Text: "<at id=all></at> **x**\x1b[0m\n[l](https://evil.example)", Link: "https://orth.example/runs/1",
		State: alarm.Firing, Severity: alarm.Critical,
	}
	got, err := json.Marshal(compose(m))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"msg_type":"interactive","card":{"config":{"wide_screen_mode":true},` +
		`"header":{"title":{"tag":"plain_text","content":"[critical] a b"},"template":"red"},"elements":[` +
		`{"tag":"div","text":{"tag":"plain_text","content":"\u003cat id=all\u003e\u003c/at\u003e **x**\n[l](https://evil.example)"}},` +
		`{"tag":"action","actions":[{"tag":"button","text":{"tag":"plain_text","content":"Open"},"url":"https://orth.example/runs/1","type":"default"}]}]}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
	m.Language, m.Link = "zh", ""
	if c := compose(m).Card; len(c.Elements) != 1 {
		t.Errorf("a button without a link: %+v", c)
	}
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		m    alarm.Message
		want string
	}{
		{alarm.Message{State: alarm.Firing, Severity: alarm.Critical}, "red"},
		{alarm.Message{State: alarm.Firing, Severity: alarm.Warning}, "orange"},
		{alarm.Message{State: alarm.Firing, Severity: alarm.Info}, "blue"},
		{alarm.Message{State: alarm.Resolved, Severity: alarm.Critical}, "green"},
		{alarm.Message{State: alarm.Resolved, Severity: alarm.Info}, "green"},
		{alarm.Message{Test: true, Severity: alarm.Critical}, "blue"},
	} {
		if got := colourOf(test.m); got != test.want {
			t.Errorf("%+v: %s", test.m, got)
		}
	}
}

// TestRequestIsSmall: a text of characters that JSON makes longer fits too.
func TestRequestIsSmall(t *testing.T) {
	t.Parallel()
	for _, one := range []string{`"`, `\`, "\n", "日", "<"} {
		m := compose(alarm.Message{Title: strings.Repeat("t", 300), Text: strings.Repeat(one+"x", 16<<10), Link: "https://orth.example/"})
		m.Timestamp, m.Sign = signRequest("s", time.Now())
		var body bytes.Buffer
		e := json.NewEncoder(&body)
		e.SetEscapeHTML(false)
		if err := e.Encode(m); err != nil || body.Len() > 20<<10 {
			t.Errorf("%q: %d bytes, %v", one, body.Len(), err)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		status int
		body   string
		want   job.Kind
		says   string
	}{
		{200, `{"code":0,"msg":"success","data":{}}`, "", ""},
		{200, `{"StatusCode":0,"StatusMessage":"success","code":0,"data":{},"msg":"success"}`, "", ""},
		{200, `{"code":11232,"msg":"frequency limited"}`, job.Full, "11232: frequency limited"},
		{400, `{"code":11232,"msg":"x"}`, job.Full, ""},
		{429, `{"code":99991400,"msg":"x"}`, job.Full, ""},
		{200, `{"code":19021,"msg":"sign match fail or timestamp is not within one hour from current time"}`, job.Refused, "clock"},
		{400, `{"code":19024,"msg":"Key Words Not Found"}`, job.Refused, "Key Words"},
		{500, `{"code":1,"msg":"x"}`, job.Unavailable, ""},
		{503, `gone`, job.Unavailable, "503: gone"},
		{200, `<html>`, job.Refused, "not that of a robot"},
		{404, ``, job.Refused, "404"},
	} {
		err := judge(call.Answer{Status: test.status, Body: []byte(test.body)})
		if job.KindOf(err) != test.want || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
}

// FuzzJudge: only an answer that says so is success.
func FuzzJudge(f *testing.F) {
	f.Add(200, `{"code":0}`)
	f.Add(200, `{"code":"0"}`)
	f.Add(500, `[]`)
	f.Fuzz(func(t *testing.T, status int, body string) {
		err := judge(call.Answer{Status: status, Body: []byte(body)})
		var said map[string]any
		_ = json.Unmarshal([]byte(body), &said)
		good := false
		for name, value := range said {
			good = good || strings.EqualFold(name, "code") && value == 0.0
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
