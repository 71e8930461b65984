package email

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/orthd/orth/alarm"
)

// opened is a mail as its reader's program reads it.
type opened struct {
	mail.Header
	text, html string
}

// fatal is what both tests and properties have.
type fatal interface{ Fatal(args ...any) }

func open(t fatal, letter []byte) opened {
	m, err := mail.ReadMessage(strings.NewReader(string(letter)))
	if err != nil {
		t.Fatal(err)
	}
	kind, params, err := mime.ParseMediaType(m.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatal(kind, err)
	}
	o := opened{Header: m.Header}
	parts := multipart.NewReader(m.Body, params["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return o
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil || part.Header.Get("Content-Transfer-Encoding") != "quoted-printable" {
			t.Fatal(part.Header, err)
		}
		switch part.Header.Get("Content-Type") {
		case "text/plain; charset=UTF-8":
			o.text = string(body)
		case "text/html; charset=UTF-8":
			o.html = string(body)
		default:
			t.Fatal(part.Header)
		}
	}
}

func (o opened) subject(t fatal) string {
	text, err := new(mime.WordDecoder).DecodeHeader(o.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func sender(t fatal) settings {
	s, err := readSettings(channel("25"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCompose(t *testing.T) {
	t.Parallel()
	m := message()
	m.Title, m.Text = "[严重] nightly-report 执行失败", "一 <script>alert(1)</script>\n.\nFrom x"
	letter, err := compose(sender(t), []string{"a@example.com"}, []string{"a@example.com", "B <b@example.com>"}, m)
	if err != nil {
		t.Fatal(err)
	}
	o := open(t, letter)
	for name, want := range map[string]string{
		"From": `"Orth" <orth@example.com>`, "To": `<a@example.com>, "B" <b@example.com>`, "Message-Id": "<n-1@example.com>",
		"References": "<orth.a-1@example.com>", "In-Reply-To": "<orth.a-1@example.com>", "Auto-Submitted": "auto-generated",
		"Mime-Version": "1.0", "X-Priority": "1", "User-Agent": "Orth",
	} {
		if got := o.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if date, err := o.Date(); err != nil || date.IsZero() {
		t.Error(err)
	}
	if got := o.subject(t); got != m.Title {
		t.Errorf("%q", got)
	}
	if strings.ReplaceAll(o.text, "\r\n", "\n") != m.Text+"\n" {
		t.Errorf("%q", o.text)
	}
	for _, want := range []string{
		"&lt;script&gt;", `href="https://orth.example/runs/1"`, `content="light dark"`, "#d13438", `lang="en"`, "<pre",
	} {
		if !strings.Contains(o.html, want) {
			t.Errorf("no %s in\n%s", want, o.html)
		}
	}
}

// TestThread: what ends an alarm stands beside what began it.
func TestThread(t *testing.T) {
	t.Parallel()
	m := message()
	first, err := compose(sender(t), nil, []string{"a@example.com"}, m)
	if err != nil {
		t.Fatal(err)
	}
	m.ID, m.State, m.Title = "n-2", alarm.Resolved, "[resolved] x"
	second, err := compose(sender(t), nil, []string{"a@example.com"}, m)
	if err != nil {
		t.Fatal(err)
	}
	a, b := open(t, first), open(t, second)
	if a.Get("References") != b.Get("References") || a.Get("Message-Id") == b.Get("Message-Id") || b.Get("X-Priority") != "" {
		t.Errorf("%v\n%v", a.Header, b.Header)
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	m := message()
	m.Link = "javascript:alert(1)"
	letter, err := compose(sender(t), nil, []string{"a@example.com"}, m)
	if err != nil {
		t.Fatal(err)
	}
	if o := open(t, letter); strings.Contains(o.html, `href="javascript:`) {
		t.Error(o.html)
	}
	m.Link = ""
	if letter, err = compose(sender(t), nil, []string{"a@example.com"}, m); err != nil || strings.Contains(open(t, letter).html, "<a ") {
		t.Error(err)
	}
}

// TestNoInjection: nothing that a message says becomes a header, and no line is too
// long for SMTP.
func TestNoInjection(t *testing.T) {
	t.Parallel()
	s := sender(t)
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("\r\n: <>@a=?日"))), rapid.StringN(300, 400, -1))
		m := message()
		m.Title, m.Text, m.ID, m.Dedup, m.Link = said.Draw(t, "title"), said.Draw(t, "text"), said.Draw(t, "id"), said.Draw(t, "dedup"), said.Draw(t, "link")
		m.Language = said.Draw(t, "language")
		letter, err := compose(s, nil, []string{"a@example.com"}, m)
		if err != nil {
			t.Fatal(err)
		}
		o := open(t, letter)
		for name := range o.Header {
			switch name {
			case "From", "To", "Subject", "Date", "Message-Id", "References", "In-Reply-To", "Auto-Submitted", "Mime-Version", "Content-Type",
				"User-Agent", "X-Mailer", "X-Priority", "Priority", "Importance", "X-Msmail-Priority":
			default:
				t.Fatalf("a header %q: %q", name, letter)
			}
		}
		for line := range strings.SplitSeq(string(letter), "\r\n") {
			if len(line) > 998 || strings.ContainsAny(line, "\r\n\x00") {
				t.Fatalf("a line of %d bytes: %q", len(line), line)
			}
		}
	})
}

func TestColours(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, m := range []alarm.Message{
		{State: alarm.Resolved, Severity: alarm.Critical},
		{State: alarm.Firing, Severity: alarm.Critical},
		{State: alarm.Firing, Severity: alarm.Warning},
		{State: alarm.Firing, Severity: alarm.Info},
	} {
		seen[colourOf(m)] = true
	}
	if len(seen) != 4 || colourOf(alarm.Message{Test: true, Severity: alarm.Critical}) != colourOf(alarm.Message{Severity: alarm.Info}) {
		t.Errorf("%v", seen)
	}
}

// FuzzParseAddress: what is taken for an address can stand in a command of SMTP.
func FuzzParseAddress(f *testing.F) {
	f.Add("Orth <orth@example.com>")
	f.Add("\"a b\"@example.com")
	f.Add("a@example.com>\r\nRCPT TO:<b@example.com")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAddress(text)
		if err != nil {
			return
		}
		if strings.ContainsAny(a.Address, "<> \r\n\t\x00") || !strings.Contains(a.Address, "@") || len(a.Address) > 254 {
			t.Errorf("%q became %q", text, a.Address)
		}
	})
}
