package wiretest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
)

// words are what the names in ${…} stand for while one case is played.
type words map[string]any

// wordsOf returns the words of a flavour: those of all, and over them its own.
func (b *book) wordsOf(f Flavour) words {
	w := words(maps.Clone(b.Words["*"]))
	maps.Copy(w, b.Words[string(f)])
	return w
}

// with returns the words and one more, unless it has no name.
func (w words) with(name string, value any) words {
	if name == "" {
		return w
	}
	w = maps.Clone(w)
	w[name] = value
	return w
}

// deepest is how far words may stand in words.
const deepest = 8

// fill puts words in the place of their names, everywhere in a JSON value. A
// text that is one name alone becomes the word with its kind, such as a number.
func (w words) fill(v any) (any, error) { return w.fillAt(v, 0) }

func (w words) fillAt(v any, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("words stand in words without end")
	}
	switch v := v.(type) {
	case string:
		return w.fillText(v, depth)
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name, value := range v {
			key, err := w.text(name)
			if err != nil {
				return nil, err
			}
			if filled[key], err = w.fillAt(value, depth); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case []any:
		filled := make([]any, len(v))
		for i, value := range v {
			var err error
			if filled[i], err = w.fillAt(value, depth); err != nil {
				return nil, err
			}
		}
		return filled, nil
	default:
		return v, nil
	}
}

func (w words) fillText(text string, depth int) (any, error) {
	if name, rest, ok := nextWord(text); ok && rest == "" && strings.HasPrefix(text, "${") {
		return w.word(name, depth)
	}
	var filled strings.Builder
	for {
		before, _, _ := strings.Cut(text, "${")
		name, rest, ok := nextWord(text)
		if !ok {
			filled.WriteString(text)
			return filled.String(), nil
		}
		value, err := w.word(name, depth)
		if err != nil {
			return nil, err
		}
		filled.WriteString(before + asText(value))
		text = rest
	}
}

// nextWord returns the first name in a text and what stands after it.
func nextWord(text string) (name, rest string, ok bool) {
	_, after, found := strings.Cut(text, "${")
	if !found {
		return "", "", false
	}
	return strings.Cut(after, "}")
}

func (w words) word(name string, depth int) (any, error) {
	name, form, _ := strings.Cut(name, ":")
	value, known := w[name]
	if !known {
		return nil, fmt.Errorf("the data has no word %q", name)
	}
	value, err := w.fillAt(value, depth+1)
	if err != nil {
		return nil, err
	}
	switch form {
	case "":
		return value, nil
	case "lower":
		return strings.ToLower(asText(value)), nil
	case "upper":
		return strings.ToUpper(asText(value)), nil
	case "text":
		return asText(value), nil
	}
	return nil, fmt.Errorf("the word %q has no form %q", name, form)
}

// text fills a text and takes it as text, whatever its words are.
func (w words) text(text string) (string, error) {
	value, err := w.fill(text)
	if err != nil {
		return "", err
	}
	return asText(value), nil
}

func asText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	var text strings.Builder
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// envelope is the reply of either side.
func envelope(code int64, text string) map[string]any {
	return map[string]any{"code": number(code), "msg": text}
}

// number returns an integer as the data's decoder does.
func number(n int64) json.Number { return json.Number(fmt.Sprint(n)) }
