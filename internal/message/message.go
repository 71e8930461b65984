// Package message holds texts for people together with a code and arguments, so that the
// console can show them in the reader's language.
package message

import (
	"fmt"
	"regexp"
)

// Message is an English sentence with its code and arguments.
type Message struct {
	// Code identifies the sentence without its arguments. The meaning of a code never changes.
	Code string `json:"code,omitempty"`
	// Args are the formatted arguments, in the order of the sentence.
	Args []string `json:"args,omitempty"`
	Text string   `json:"text"`
}

var verbs = regexp.MustCompile(`%[-+# 0]*[0-9]*(\.[0-9]+)?[a-z]`)

// New formats a message. Each argument is formatted by its verb. A format contains neither
// a literal % nor a width or precision of *.
func New(code, format string, args ...any) Message {
	m := Message{Code: code, Text: fmt.Sprintf(format, args...)}
	for i, verb := range verbs.FindAllString(format, len(args)) {
		m.Args = append(m.Args, fmt.Sprintf(verb, args[i]))
	}
	return m
}
