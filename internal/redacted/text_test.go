package redacted_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/orthd/orth/internal/redacted"
)

const hidden = "hunter2-hunter2"

// holders are values that carry the secret in every place a value can hide.
func holders() map[string]any {
	text := redacted.New(hidden)
	type inner struct{ token redacted.Text }
	return map[string]any{
		"alone":            text,
		"pointer":          &text,
		"exported field":   struct{ Token redacted.Text }{text},
		"unexported field": inner{text},
		"deep":             struct{ in *inner }{&inner{text}},
		"slice":            []redacted.Text{text},
		"map":              map[string]redacted.Text{"token": text},
		"interface":        []any{text, inner{text}},
		"error":            fmt.Errorf("token %v was refused", text),
	}
}

func TestTextNeverPrints(t *testing.T) {
	t.Parallel()
	for name, value := range holders() {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%10.3s", "%t", "%p"} {
			if got := fmt.Sprintf(verb, value); leaks(got) {
				t.Errorf("%s printed with %s shows the secret: %s", name, verb, got)
			}
		}
		if got, err := json.Marshal(value); err != nil || leaks(string(got)) {
			t.Errorf("%s as JSON shows the secret: %s (%v)", name, got, err)
		}
		var out bytes.Buffer
		for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
			slog.New(handler).Info("hello", "value", value)
		}
		if leaks(out.String()) {
			t.Errorf("%s in a log shows the secret: %s", name, out.String())
		}
	}
}

// leaks looks for the secret as text, as hexadecimal and as a list of bytes.
func leaks(printed string) bool {
	lower := strings.ToLower(printed)
	return strings.Contains(lower, "hunter") ||
		strings.Contains(lower, fmt.Sprintf("%x", "hunter")) ||
		strings.Contains(printed, "104 117 110")
}

func TestTextShowsTheMask(t *testing.T) {
	t.Parallel()
	text := redacted.New(hidden)
	encoded, err := json.Marshal(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []string{
		text.String(), text.GoString(), fmt.Sprint(text), fmt.Sprintf("%#v", text),
		strings.Trim(string(encoded), `"`), text.LogValue().String(), fmt.Sprint(redacted.Text{}),
	} {
		if got != "***" {
			t.Errorf("got %q, want the mask", got)
		}
	}
}

func TestTextReveals(t *testing.T) {
	t.Parallel()
	if got := redacted.New(hidden).Reveal(); got != hidden {
		t.Errorf("Reveal() = %q, want %q", got, hidden)
	}
	if got := (redacted.Text{}).Reveal(); got != "" {
		t.Errorf("the zero Text reveals %q", got)
	}
	if !redacted.New("").IsZero() || redacted.New("x").IsZero() {
		t.Error("IsZero does not tell an empty text from another")
	}
	var decoded struct{ Token redacted.Text }
	if err := json.Unmarshal([]byte(`{"Token":"`+hidden+`"}`), &decoded); err != nil || decoded.Token.Reveal() != hidden {
		t.Errorf("from JSON: %q, %v", decoded.Token.Reveal(), err)
	}
}

func TestTextEqual(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{{"", "", true}, {"a", "a", true}, {"a", "", false}, {"a", "b", false}, {"a", "ab", false}} {
		if got := redacted.New(c.a).Equal(redacted.New(c.b)); got != c.want {
			t.Errorf("Equal(%q, %q) = %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

func TestErrorTextHidesIt(t *testing.T) {
	t.Parallel()
	err := errors.Join(fmt.Errorf("log in with %q: refused", redacted.New(hidden)))
	if leaks(err.Error()) {
		t.Errorf("the error shows the secret: %v", err)
	}
}
