package alarmtext

import (
	"cmp"
	"embed"
	"errors"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/orthd/orth/alarm"
	"github.com/orthd/orth/internal/template"
	"github.com/orthd/orth/job"
)

// Limits of what a template makes, in bytes.
const (
	maxTitle = 300
	maxText  = 16 << 10
	maxBody  = 64 << 10
)

// mark ends what was cut.
const mark = "…"

//go:embed shipped
var shipped embed.FS

// languages returns the languages of the shipped templates, the default first.
func languages() []string { return []string{alarm.English, alarm.Chinese} }

// Render makes the title and the text of a message. Parts that t leaves empty are
// the shipped ones of the message's language, or English ones. The title is one line
// of at most 300 bytes, the text has at most 16 KiB; what is more is cut with a
// mark. An Invalid error names the part of t that cannot be used.
func Render(t alarm.Template, m alarm.Message) (title, text string, err error) {
	title, err = renderPart("title", t.Title, m, maxTitle)
	if err != nil {
		return "", "", err
	}
	text, err = renderPart("text", t.Text, m, maxText)
	return Line(title), strings.TrimSpace(Clean(text)), err
}

// Check reports whether t can be used: it renders the messages that a channel may have to
// carry with it. The error is that of [Render].
func Check(t alarm.Template) error {
	if len(t.Text) > alarm.MaxTemplate || len(t.Title) > alarm.MaxTemplate {
		return job.FieldErrorf("template", "it has more than %d bytes: make it shorter", alarm.MaxTemplate)
	}
	for _, language := range languages() {
		for _, m := range samples(language) {
			if _, _, err := Render(t, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// Body makes the body of a request from a template over the message, as it is:
// nothing is cut, and more than 64 KiB is an Invalid error. The function json
// writes a value as JSON.
func Body(text string, m alarm.Message) (string, error) {
	t, err := compile("body", text, m.Language)
	if err != nil {
		return "", err
	}
	out := bounded{left: maxBody}
	if err := t.Execute(&out, viewOf(m)); err != nil && !errors.Is(err, errFull) {
		return "", wrong("body", err)
	}
	if out.full {
		return "", job.FieldErrorf("body", "it makes more than %d KiB: leave something out", maxBody>>10)
	}
	return out.String(), nil
}

// CheckBody reports whether a template can be used with [Body].
func CheckBody(text string) error {
	for _, m := range samples("en") {
		if _, err := Body(text, m); err != nil {
			return err
		}
	}
	return nil
}

// renderPart makes one text. What is over limit is cut on a character.
func renderPart(name, text string, m alarm.Message, limit int) (string, error) {
	if text == "" {
		text = shippedText(name, m.Language)
	}
	t, err := compile(name, text, m.Language)
	if err != nil {
		return "", err
	}
	out := bounded{left: limit - len(mark)}
	if err := t.Execute(&out, viewOf(m)); err != nil && !errors.Is(err, errFull) {
		return "", wrong(name, err)
	}
	if out.full {
		return out.String() + mark, nil
	}
	return out.String(), nil
}

func shippedText(name, language string) string {
	file := "shipped/" + name + "_" + cmp.Or(language, alarm.English) + ".tmpl"
	text, err := shipped.ReadFile(file)
	if err != nil {
		text, _ = shipped.ReadFile("shipped/" + name + "_en.tmpl")
	}
	return string(text)
}

// compile reads a template for one rendering, which begins now, and refuses what is not
// safe in one.
func compile(name, text, language string) (*template.Template, error) {
	if len(text) > alarm.MaxTemplate {
		return nil, job.FieldErrorf(name, "the template has more than %d bytes: make it shorter", alarm.MaxTemplate)
	}
	b := newBudget(time.Now)
	t, err := template.Parse(name, text, functions(language, b))
	if err != nil {
		return nil, wrong(name, err)
	}
	if err := allowed(t); err != nil {
		return nil, wrong(name, err)
	}
	t.Add(stepName, withOne(b.payStep))
	return t, chargeLoops(t)
}

// wrong describes the engine's error for the author of a template. Its prefix, which
// repeats the name, is left out.
func wrong(name string, err error) error {
	if bound, is := errors.AsType[boundError](err); is {
		return job.FieldErrorf(name, "the template cannot be used: %s", string(bound))
	}
	return job.FieldErrorf(name, "the template cannot be used: %s", strings.TrimPrefix(err.Error(), "template: "))
}

// bounded keeps what a template writes, up to a number of bytes. What does not fit ends
// the rendering with errFull.
type bounded struct {
	strings.Builder
	left int
	full bool
}

// Write implements [io.Writer].
func (b *bounded) Write(p []byte) (int, error) {
	n := len(p)
	if n > b.left {
		p, b.full = p[:b.left], true
		for len(p) > 0 && !utf8.RuneStart(p[len(p)-1]) {
			p = p[:len(p)-1]
		}
		if len(p) > 0 && p[len(p)-1] >= utf8.RuneSelf {
			p = p[:len(p)-1]
		}
	}
	b.left -= len(p)
	b.Builder.Write(p)
	if b.full {
		return len(p), errFull
	}
	return n, nil
}

var _ io.Writer = (*bounded)(nil)
