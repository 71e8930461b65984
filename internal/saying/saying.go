// Package saying keeps sentences for people together with what they are made of, so
// that a page can say them in the language of its reader.
package saying

import (
	"fmt"
	"regexp"
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
