// Package saying keeps sentences for people together with what they are made of, so
// that a page can say them in the language of its reader.
package saying

import (
	"fmt"
	"regexp"
	"strings"
)

// Said is a sentence in English, and its parts.
type Said struct {
	// Code names the sentence, whatever it is about. It never changes its meaning.
	Code string `json:"code,omitempty"`
	// Args are what stands in it, in order, as texts.
	Args []string `json:"args,omitempty"`
	Text string   `json:"text"`
}

var verbs = regexp.MustCompile(`%[-+# 0]*[0-9]*(\.[0-9]+)?[a-z]`)

// Say returns the sentence of a format with its arguments, each of which is what its
// verb makes of it. Formats have neither a literal % nor stars.
func Say(code, format string, args ...any) Said {
	said := Said{Code: code, Text: fmt.Sprintf(format, args...)}
	for i, verb := range verbs.FindAllString(format, len(args)) {
		said.Args = append(said.Args, fmt.Sprintf(verb, args[i]))
	}
	return said
}

// Count returns a number of things in words: 1 run, 2 runs, 0 retries. thing is one of
// them; its last word may end in a consonant and y, in s, x, ch or sh.
func Count[N ~int | ~int32 | ~int64 | ~uint64](n N, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case strings.HasSuffix(thing, "y") && !strings.ContainsAny(thing[len(thing)-2:len(thing)-1], "aeiou"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	case strings.HasSuffix(thing, "s"), strings.HasSuffix(thing, "x"), strings.HasSuffix(thing, "ch"), strings.HasSuffix(thing, "sh"):
		thing += "es"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// Verb returns the form of a verb that goes with a number of things: is with 1, are with
// all others.
func Verb[N ~int | ~int32 | ~int64 | ~uint64](n N, one, others string) string {
	if n == 1 {
		return one
	}
	return others
}
