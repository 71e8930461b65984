package users

import (
	_ "embed"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orthd/orth/access"
	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// The limits of passwords, in characters. Passwords with more bytes than any valid one are
// not checked at all.
const (
	minPassword      = 10
	maxPassword      = 128
	maxPasswordBytes = maxPassword * utf8.UTFMax
	// minDistinct is the minimum number of different characters.
	minDistinct = 5
	// minPart is the length from which a name must not be part of a password.
	minPart = 4
)

// common are words that the worst passwords are made of, one a line.
//
//go:embed common.txt
var common string

// checkPassword reports why a text is not allowed as the password of a user. The error does
// not repeat it.
func checkPassword(field string, password redacted.Text, of *access.User) error {
	text := password.Reveal()
	length := utf8.RuneCountInString(text)
	switch {
	case length < minPassword || length > maxPassword || len(text) > maxPasswordBytes:
		return job.FieldErrorf(field, "must have %d to %d characters", minPassword, maxPassword)
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		return job.FieldErrorf(field, "must be text without control characters")
	}
	folded := strings.ToLower(text)
	for _, part := range []string{of.Name, of.Email} {
		if part = strings.ToLower(part); len(part) >= minPart && strings.Contains(folded, part) || part != "" && folded == part {
			return job.FieldErrorf(field, "must not contain the name or the address of the user")
		}
	}
	if worst(folded) {
		return job.FieldErrorf(field, "is one of the first that others would try: take several words, or more random characters")
	}
	return nil
}

// worst reports whether a password in lower case is among the first that attackers try.
// Those are one or two common words with digits and signs around them, numbers, rows of
// keys, and few repeated characters.
func worst(password string) bool {
	letters := []rune(password)
	distinct := slices.Compact(slices.Sorted(slices.Values(letters)))
	digits := !strings.ContainsFunc(password, func(r rune) bool { return !unicode.IsDigit(r) })
	if digits || len(distinct) < minDistinct || isKeyboardRow(letters) {
		return true
	}
	sign := func(r rune) bool { return !unicode.IsLetter(r) }
	for _, word := range []string{password, unleet(password), unleet(strings.TrimFunc(password, sign))} {
		word = strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return r
			}
			return -1
		}, word)
		if isCommon(word) {
			return true
		}
	}
	return false
}

// isCommon reports whether a word consists of one or two common ones, or of a repeated one.
func isCommon(word string) bool {
	if len(word) < 3 {
		return false
	}
	known := strings.Fields(common)
	for _, first := range known {
		rest, ok := strings.CutPrefix(word, first)
		if !ok {
			continue
		}
		if len(rest) <= 2 || slices.Contains(known, rest) || strings.ReplaceAll(rest, first, "") == "" {
			return true
		}
	}
	return false
}

// unleet replaces digits and signs by the letters that they resemble.
func unleet(text string) string {
	return strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "8", "b", "9", "g", "@", "a", "$", "s", "!", "i", "|", "l", "+", "t").Replace(text)
}

// isKeyboardRow reports whether at least half of a password is one row of keys, or a sequence of
// digits.
func isKeyboardRow(letters []rune) bool {
	keys := []string{"1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "azertyuiop", "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "qazwsxedcrfvtgbyhnujmikolp"}
	next := func(a, b rune) bool {
		if b == a+1 || b == a-1 {
			return true
		}
		return slices.ContainsFunc(keys, func(row string) bool {
			return strings.Contains(row, string([]rune{a, b})) || strings.Contains(row, string([]rune{b, a}))
		})
	}
	steps := 0
	for i := 1; i < len(letters); i++ {
		if next(letters[i-1], letters[i]) || letters[i] == letters[i-1] {
			steps++
		}
	}
	return steps*10 >= (len(letters)-1)*7
}
