package wiretest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// The marks of expectations in the data.
const (
	absent  = "!"    // the field is not there, or null
	pattern = "~"    // before a regular expression
	anyOf   = "$any" // one of several
)

// match compares a JSON value with what the data wants of it. Fields that the
// data does not name may be there: peers ignore what they do not know.
func match(at string, want, got any) error {
	switch want := want.(type) {
	case string:
		return matchText(at, want, got)
	case map[string]any:
		if choices, ok := want[anyOf].([]any); ok {
			return matchAny(at, choices, got)
		}
		object, ok := got.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is %s, want an object", at, show(got))
		}
		for _, name := range sortedNames(want) {
			if err := match(at+"."+name, want[name], object[name]); err != nil {
				return err
			}
		}
		return nil
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return fmt.Errorf("%s is %s, want %s", at, show(got), show(want))
		}
		for i := range want {
			if err := match(fmt.Sprintf("%s[%d]", at, i), want[i], list[i]); err != nil {
				return err
			}
		}
		return nil
	default: // numbers, truth values and null
		if want != got {
			return fmt.Errorf("%s is %s, want %s", at, show(got), show(want))
		}
		return nil
	}
}

func matchText(at, want string, got any) error {
	expression, isPattern := strings.CutPrefix(want, pattern)
	switch {
	case want == absent && got == nil:
		return nil
	case want == absent:
		return fmt.Errorf("%s is %s, want none", at, show(got))
	case !isPattern:
		if got != want {
			return fmt.Errorf("%s is %s, want %s", at, show(got), show(want))
		}
		return nil
	}
	re, err := regexp.Compile("(?s)" + expression)
	if err != nil {
		return err
	}
	if got == nil || !re.MatchString(asText(got)) {
		return fmt.Errorf("%s is %s, want something like %s", at, show(got), show(expression))
	}
	return nil
}

func matchAny(at string, choices []any, got any) error {
	for _, choice := range choices {
		if match(at, choice, got) == nil {
			return nil
		}
	}
	return fmt.Errorf("%s is %s, want one of %s", at, show(got), show(choices))
}

func sortedNames(object map[string]any) []string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// longest is how much of a value a message shows.
const longest = 600

func show(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if len(text) > longest {
		return string(text[:longest]) + "…"
	}
	return string(text)
}
