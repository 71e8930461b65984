package job

import (
	"encoding/json"
	"strings"
)

// blank stands for a value where only the form of a template matters.
const blank = "0"

// TemplateWriter writes a template with values inserted, up to a limit of bytes. In a
// template that is a JSON object or list a value stays one value, whatever its content:
// within a text it is escaped as the inside of a text. Elsewhere it is written as it is
// when it is JSON, else as a text. In all other templates values are written as they are.
type TemplateWriter struct {
	out    strings.Builder
	limit  int
	json   bool // the template is JSON
	inText bool // what follows stands within a text of it
	escape bool // the last character of the text was a backslash
}

// NewTemplateWriter returns a writer of a template that becomes form when each value is
// the digit 0.
func NewTemplateWriter(form string, limit int) *TemplateWriter {
	return &TemplateWriter{limit: limit, json: isDocument(form)}
}

// isDocument reports whether a text is an object or a list of JSON.
func isDocument(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.IndexByte("{[", text[0]) >= 0 && json.Valid([]byte(text))
}

// Text writes a piece of the template itself, and reports whether it fits.
func (w *TemplateWriter) Text(piece string) bool {
	for i := range len(piece) {
		switch c := piece[i]; {
		case w.escape:
			w.escape = false
		case c == '\\':
			w.escape = w.inText
		case c == '"':
			w.inText = !w.inText
		}
	}
	return w.write(piece)
}

// Value writes a value, and reports whether it fits.
func (w *TemplateWriter) Value(value string) bool {
	switch {
	case !w.json || len(value) > w.limit:
	case w.inText:
		value = asJSON(value)
	case !json.Valid([]byte(value)):
		value = `"` + asJSON(value) + `"`
	}
	return w.write(value)
}

func (w *TemplateWriter) write(text string) bool {
	if w.out.Len()+len(text) > w.limit {
		return false
	}
	w.out.WriteString(text)
	return true
}

// String returns what was written.
func (w *TemplateWriter) String() string { return w.out.String() }

// Expand returns the template with {{name}} replaced by the word of that name, once:
// inserted words are not expanded again, and names without a word stay as they are. For
// words in JSON, see [TemplateWriter]. It returns false, and nothing, when the text would
// have more than limit bytes.
func Expand(template string, words map[string]string, limit int) (string, bool) {
	blanks := make(map[string]string, len(words))
	for name := range words {
		blanks[name] = blank
	}
	form := NewTemplateWriter("", len(template))
	if !expand(form, template, blanks) {
		return "", false // No value is shorter than its name in braces.
	}
	out := NewTemplateWriter(form.String(), limit)
	if !expand(out, template, words) {
		return "", false
	}
	return out.String(), true
}

func expand(w *TemplateWriter, template string, words map[string]string) (fits bool) {
	for rest := template; rest != ""; {
		before, after, opened := strings.Cut(rest, "{{")
		name, behind, closed := strings.Cut(after, "}}")
		word, known := words[name]
		switch {
		case !opened:
			before, behind, known = rest, "", false
		case !closed || !known:
			before, behind, known = before+"{{", after, false
		}
		if !w.Text(before) || known && !w.Value(word) {
			return false
		}
		rest = behind
	}
	return true
}

// CheckFixedTemplate reports as Invalid a template of the parameter of a run whose job
// [Handler.FixesParam]: values of others would determine what is executed, unless the
// template is a JSON object or list, in which each stays one value.
func CheckFixedTemplate(field, template string) error {
	form, values := templateForm(template, blank)
	if !values || isDocument(form) {
		return nil
	}
	wrong := FieldErrorf(field, "must be an object or a list of JSON with {{…}} as values in it: the parameter of this job says what is executed, "+
		"and elsewhere a value could say more than was meant")
	wrong.Hint = `write it such as {"url": "https://host/{{param}}"} for a call, or ["program", "{{param}}"] for a command`
	return wrong
}
