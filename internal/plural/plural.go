// Package plural writes a number of things in English: "1 run", "2 runs".
package plural

import (
	"fmt"
	"strings"
)

// integer is a type of number that can be counted with.
type integer interface {
	~int | ~int32 | ~int64 | ~uint64
}

// Count returns n with its noun: 1 run, 2 runs, 0 retries. The noun is given in the
// singular. Its last word may end in a consonant and y, or in s, x, ch or sh.
func Count[N integer](n N, noun string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case strings.HasSuffix(noun, "y") && !strings.ContainsAny(noun[len(noun)-2:len(noun)-1], "aeiou"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	case strings.HasSuffix(noun, "s"), strings.HasSuffix(noun, "x"), strings.HasSuffix(noun, "ch"), strings.HasSuffix(noun, "sh"):
		noun += "es"
	default:
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// Verb returns the form of a verb that agrees with n: one for 1, others for the rest.
func Verb[N integer](n N, one, others string) string {
	if n == 1 {
		return one
	}
	return others
}
