// Package webhook sends alarms as HTTP requests of the user's own making.
//
// It knows how a request is made of a message, and how its receiver can tell that
// it is real and whether it came before. It must never know who receives it. A
// channel and a message come in; a request goes out.
//
// With a secret the header Orth-Signature is "v1=" and the hexadecimal HMAC-SHA256
// of the header Orth-Timestamp, a full stop and the body, with the secret as key.
package webhook

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
	"github.com/orthd/orth/internal/notify/call"
	"github.com/orthd/orth/internal/notify/form"
	"github.com/orthd/orth/job"
)

// standard is the body without a template of the channel. Its fields are stable across
// versions of Orth; fields may be added.
const standard = `{"version":1,"id":{{json .ID}},"dedup":{{json .Dedup}},"test":{{json .Test}},"state":{{json .State}},` +
	`"severity":{{json .Severity}},"title":{{json .Title}},"text":{{json .Text}},"namespace":{{json .Namespace}},` +
	`"rule":{{json .Rule}},"group":{{json .Group}},"at":{{json .At}},"link":{{json .Link}},"alarm_link":{{json .AlarmLink}},"alarms":{{json .Alarms}},` +
	`"events":{{json .Events}},"items":[{{range $i, $e := .Items}}{{if $i}},{{end}}{"at":{{json .At}},"kind":{{json .Kind}},` +
	`"job":{{json .Job}},"group":{{json .Group}},"run":{{json .RunID}},"state":{{json .State}},"tries":{{json .Tries}},` +
	`"reason":{{json .Reason}},"link":{{json .Link}}}{{end}}],"reasons":[{{range $i, $e := .Reasons}}{{if $i}},{{end}}` +
	`{"text":{{json .Text}},"count":{{json .Count}},"run":{{json .Run}}}{{end}}],"more":{{json .More}},` +
	`"log":[{{range $i, $e := .Log}}{{if $i}},{{end}}{{json $e}}{{end}}]}`

// Kind is the kind of channel.
type Kind struct {
	Client call.Client
}

// Fields returns the fields of the channel.
func (Kind) Fields() []form.Field {
	return []form.Field{
		{Name: "url", Secret: true, Needed: true, Place: true, Check: form.Address, Doc: "where requests go, as https://host/path"},
		{Name: "secret", Secret: true, Doc: "the key of the header Orth-Signature; without it requests are not signed"},
		{Name: "headers", Secret: true, Lines: true, Check: checkHeaders, Doc: "further headers, one line each, as Authorization: Bearer …"},
		{Name: "method", Default: http.MethodPost, Check: form.OneOf("POST", "PUT", "PATCH"), Doc: "POST, PUT or PATCH"},
		{Name: "content_type", Default: "application/json; charset=utf-8", Check: checkValue, Doc: "what the body is"},
		{Name: "body", Lines: true, Check: alarmtext.CheckBody, Doc: "the template of the body; empty means the standard JSON"},
	}
}

// Check checks a channel.
func (k Kind) Check(c alarm.Channel) error {
	_, err := form.Read(k.Fields(), c)
	return err
}

// Send sends a message once.
func (k Kind) Send(ctx context.Context, c alarm.Channel, m alarm.Message) error {
	v, err := form.Read(k.Fields(), c)
	if err != nil {
		return err
	}
	body, err := bodyOf(v["body"], m)
	if err != nil {
		return err
	}
	header := headersOf(v["headers"])
	header.Set("Content-Type", v["content_type"])
	header.Set("Orth-Delivery", alarmtext.Line(m.ID))
	header.Set("Idempotency-Key", alarmtext.Line(m.ID))
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	header.Set("Orth-Timestamp", stamp)
	if v["secret"] != "" {
		header.Set("Orth-Signature", signBody(v["secret"], stamp, body))
	}
	answer, err := call.Do(ctx, k.Client, call.Request{Method: v["method"], URL: v["url"], Header: header, Body: []byte(body)})
	if err != nil {
		return err
	}
	return answer.Judge()
}

func bodyOf(template string, m alarm.Message) (string, error) {
	if template == "" {
		template = standard
	}
	return alarmtext.Body(template, m)
}

func signBody(secret, stamp, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "." + body))
	return "v1=" + hex.EncodeToString(mac.Sum(nil))
}

// isReserved reports headers that a channel cannot set.
func isReserved(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Host", "Content-Length", "Transfer-Encoding", "Connection", "Content-Type", "Orth-Delivery", "Orth-Timestamp",
		"Orth-Signature", "Idempotency-Key", "Trailer", "Te", "Upgrade":
		return true
	}
	return false
}

// checkHeaders checks lines of headers. Its errors do not contain header values.
func checkHeaders(lines string) error {
	n := 0
	for line := range strings.Lines(lines) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		name = strings.TrimSpace(name)
		switch n++; {
		case n > 32:
			return job.Errorf(job.Invalid, "there are more than 32 headers")
		case !ok:
			return job.Errorf(job.Invalid, "line %d has no colon: write Name: value", n)
		case !isToken(name) || !isValue(value):
			return job.Errorf(job.Invalid, "line %d is no header: write Name: value", n)
		case isReserved(name):
			return job.Errorf(job.Invalid, "the header %s is set by Orth: leave it out", name)
		}
	}
	return nil
}

func checkValue(value string) error {
	if !isValue(value) {
		return job.Errorf(job.Invalid, "%q cannot stand in a header", value)
	}
	return nil
}

// isToken reports whether name is a valid header name, RFC 9110.
func isToken(name string) bool {
	return name != "" && strings.IndexFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}) < 0
}

// isValue reports whether value can stand in a header.
func isValue(value string) bool {
	return strings.IndexFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

func headersOf(lines string) http.Header {
	header := http.Header{}
	for line := range strings.Lines(lines) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
		}
	}
	return header
}
