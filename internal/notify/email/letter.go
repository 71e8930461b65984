package email

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html"
	"net/mail"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/alarmtext"
)

// page is the format of the HTML body. It sets no colours except that of its line, so that
// it is readable on dark backgrounds. Its arguments are the language, the colour, the title,
// the text and a paragraph with a link.
const page = `<!DOCTYPE html>
<html lang="%s"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>
<body style="font-family:sans-serif"><div style="border-left:4px solid %s;padding-left:12px">
<h3 style="margin:0 0 8px">%s</h3>
<pre style="white-space:pre-wrap;font-family:monospace;font-size:13px;margin:0 0 12px">%s</pre>
%s
</div></body></html>
`

// pageOf returns the HTML body of a message.
func pageOf(m alarm.Message, title, text string) string {
	link := ""
	if strings.HasPrefix(m.Link, "https://") || strings.HasPrefix(m.Link, "http://") {
		link = fmt.Sprintf(`<p style="margin:0"><a href="%[1]s">%[1]s</a></p>`, html.EscapeString(m.Link))
	}
	return fmt.Sprintf(page, html.EscapeString(cmp.Or(m.Language, "en")), colourOf(m), html.EscapeString(title), html.EscapeString(text), link)
}

// compose builds the mail. Its headers name all addresses, including those that have
// received it.
func compose(s settings, to, all []string, m alarm.Message) ([]byte, error) {
	title, text := alarmtext.Line(m.Title), alarmtext.Clean(m.Text)
	letter := gomail.NewMsg()
	letter.FromMailAddress(s.from)
	letter.ToMailAddress(named(all, to)...)
	letter.Subject(title)
	letter.SetDateWithValue(time.Now())
	domain := s.from.Address[strings.LastIndexByte(s.from.Address, '@')+1:]
	letter.SetMessageIDWithValue(token(m.ID) + "@" + domain)
	// Mails with the same dedup key refer to a first mail that does not exist.
	first := "<orth." + token(cmp.Or(m.Dedup, m.ID)) + "@" + domain + ">"
	letter.SetGenHeader(gomail.HeaderReferences, first)
	letter.SetGenHeader(gomail.HeaderInReplyTo, first)
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	letter.SetUserAgent("Orth")
	if m.Severity == alarm.Critical && m.State == alarm.Firing && !m.Test {
		letter.SetImportance(gomail.ImportanceHigh)
	}
	letter.SetBodyString(gomail.TypeTextPlain, text+"\n")
	letter.AddAlternativeString(gomail.TypeTextHTML, pageOf(m, title, text))
	var out bytes.Buffer
	if _, err := letter.WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// named returns the addresses with their display names. It omits invalid ones, which the
// server never gets.
func named(all, to []string) []*mail.Address {
	var list []*mail.Address
	for _, text := range all {
		if a, err := parseAddress(text); err == nil {
			list = append(list, a)
		}
	}
	if len(list) > 0 {
		return list
	}
	for _, address := range to {
		list = append(list, &mail.Address{Address: address})
	}
	return list
}

func colourOf(m alarm.Message) string {
	switch {
	case m.State == alarm.Resolved:
		return "#2e9e5b"
	case m.Test || m.Severity == alarm.Info:
		return "#3b82c4"
	case m.Severity == alarm.Critical:
		return "#d13438"
	default:
		return "#d9822b"
	}
}

// token returns an id that is valid in a Message-ID. An id with other characters, or a long
// one, becomes its hash.
func token(id string) string {
	odd := strings.IndexFunc(id, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
	if id != "" && len(id) <= 100 && odd < 0 {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return hex.EncodeToString(sum[:16])
}
