package credential

import (
	"net"
	"slices"
	"strings"

	"github.com/orthd/orth/internal/redacted"
	"github.com/orthd/orth/job"
)

// What a secret must have to protect something beyond loopback: so many characters,
// and of them, without words that everybody tries and without characters that repeat
// or continue the one before them, so many, of which so many are different.
const (
	minBeyondLoopback = 16
	minUnforeseen     = 8
	minDifferent      = 6
)

// strength is that rule in words.
const strength = "at least 16 characters that are hard to guess: at least 8 of them, 6 different ones, " +
	"besides common words and characters that repeat or continue the one before (aaaa, 1234)"

// known are secrets that products of this family shipped or that everybody
// tries first. They protect nothing.
func known() []string {
	return []string{
		"default_token", "orth-secret-token", "xxl-job", "xxl_job", "orth", "orth_token", "token", "secret", "password",
		"changeme", "change_me", "admin", "123456", "test",
	}
}

// WellKnown reports whether a text is one of those.
func WellKnown(t redacted.Text) bool { return slices.Contains(known(), strings.ToLower(t.Reveal())) }

// words are what people make secrets of, the longer ones first.
func words() []string {
	return []string{
		"qwertyuiop", "asdfghjkl", "executor", "password", "changeme", "zxcvbnm", "default", "letmein", "welcome", "access", "passwd",
		"qwerty", "asdfgh", "change", "secret", "admin", "hello", "token", "group", "login", "root", "user", "pass", "test", "orth", "xxl", "job",
	}
}

// Guessable reports whether a secret can be guessed before long: it is short, or made
// of words, of one character, or of rows such as abcd.
func Guessable(t redacted.Text) bool {
	text := strings.ToLower(t.Reveal())
	if len(text) < minBeyondLoopback {
		return true
	}
	for _, word := range words() {
		text = strings.ReplaceAll(text, word, "")
	}
	unforeseen := 0
	different := make(map[byte]struct{})
	for i := range len(text) {
		if i > 0 && text[i]-text[i-1]+1 <= 2 { // one less, the same, one more
			continue
		}
		unforeseen++
		different[text[i]] = struct{}{}
	}
	return unforeseen < minUnforeseen || len(different) < minDifferent
}

// CheckBinding reports why something that the secret protects must not listen
// on host: a known secret is refused everywhere, a missing one or one that can be
// guessed beyond loopback. field names the secret's setting in the error.
func CheckBinding(field string, t redacted.Text, host string) error {
	if WellKnown(t) {
		return job.FieldErrorf(field, "is a well-known value that protects nothing; use a random one, of %s", strength)
	}
	if Loopback(host) {
		return nil
	}
	if Guessable(t) {
		return job.FieldErrorf(field, "must have %s, to listen beyond loopback (on %q); listen on 127.0.0.1 or set a random one", strength, host)
	}
	return nil
}

// Loopback reports whether host is reachable from this machine only. The empty
// host means every interface, so it is not.
func Loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
