package redact

import (
	"slices"
	"strings"
)

// The last words of names whose values are secret, in lower case and without what
// stands between words.
var secretNames = []string{
	"password", "passwd", "pwd", "passphrase", "secret", "token", "apikey", "accesskey", "secretkey", "privatekey",
	"accountkey", "authorization", "credential", "credentials",
}

// mayEnd reports whether a name may be secret, by its last three letters: most are
// not, and need no closer look.
func mayEnd(name string) bool {
	if len(name) < 3 {
		return false
	}
	const toLower = 0x20 // makes a small letter of a capital
	tail := name[len(name)-3:]
	switch [3]byte{tail[0] | toLower, tail[1] | toLower, tail[2] | toLower} {
	case [3]byte{'o', 'r', 'd'}, [3]byte{'s', 'w', 'd'}, [3]byte{'p', 'w', 'd'}, [3]byte{'a', 's', 'e'}, [3]byte{'r', 'e', 't'},
		[3]byte{'k', 'e', 'n'}, [3]byte{'k', 'e', 'y'}, [3]byte{'i', 'o', 'n'}, [3]byte{'i', 'a', 'l'}, [3]byte{'a', 'l', 's'}:
		return true
	}
	return false
}

// maxName is how many bytes of a name are looked at.
const maxName = 24

// The values that hide nothing.
var openValues = []string{"null", "nil", "none", "true", "false", "undefined", "{", "["}

// schemes are the kinds of Authorization that have one word behind them, and
// those that have more.
var (
	schemes     = []string{"bearer", "basic", "token", "negotiate", "ntlm", "apikey"}
	longSchemes = []string{"digest", "hawk", "aws4-hmac-sha256"}
)

// pair: a name and a value with =, : or > between them, which is at i.
func (f *scan) scanPair(i int) {
	name := i
	for name > f.from && i-name < 4 && isAround(f.text[name-1]) {
		name--
	}
	if !mayEnd(f.text[f.from:name]) {
		return
	}
	separator := f.text[i]
	begin, last, known := f.nameBefore(name)
	if !known || separator == '>' && (begin == 0 || strings.IndexByte("<:", f.text[begin-1]) < 0) {
		return
	}
	from := i + 1
	for from < len(f.text) && strings.IndexByte(" \t=:>", f.text[from]) >= 0 {
		if f.text[from] <= ' ' && separator == '=' && f.text[from-1] == '=' && f.text[i-1] != ' ' {
			return // nothing is the value
		}
		from++
	}
	from, to := f.value(from, separator)
	if last == "authorization" {
		from, to = f.authorization(from, to)
	}
	value := f.text[from:to]
	if slices.ContainsFunc(openValues, func(open string) bool { return strings.EqualFold(open, value) }) {
		return
	}
	f.hideShape(from, to)
}

// nameBefore returns where the name begins that ends at end, its last word, and whether
// its value is secret.
func (f *scan) nameBefore(end int) (begin int, last string, known bool) {
	var short [maxName]byte
	n := len(short)
	for begin = end; begin > 0 && begin > end-2*maxName; begin-- {
		c := f.text[begin-1]
		if c == '_' || c == '-' || c == '.' {
			continue
		}
		if !isAlnum(c) {
			break
		}
		if n == 0 {
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		n--
		short[n] = c
	}
	for _, last := range secretNames {
		if len(short)-n >= len(last) && string(short[len(short)-len(last):]) == last {
			// The working directory, in an environment.
			shell := last == "pwd" && (f.text[begin:end] == "PWD" || f.text[begin:end] == "OLDPWD")
			return begin, last, !shell
		}
	}
	return begin, "", false
}

// value returns where the value is that begins at from: in quotes, or without.
func (f *scan) value(from int, separator byte) (begin, end int) {
	quote := from
	for quote < len(f.text) && f.text[quote] == '\\' {
		quote++
	}
	if quote < len(f.text) && strings.IndexByte("\"'`", f.text[quote]) >= 0 {
		return quote + 1, f.quoted(quote+1, quote-from)
	}
	return from, f.bareEnd(from, separator)
}

// quoted returns the end of a value in quotes; before the quotes stand so many
// backslashes, as in JSON within JSON. A value without an end goes to the end of its
// line.
func (f *scan) quoted(from, backslashes int) int {
	end, quote, seen := f.lineEnd(from), f.text[from-1], 0
	for i := from; i < end; i++ {
		switch c := f.text[i]; {
		case c == '\\':
			seen++
			continue
		case c == quote && backslashes == 0 && seen%2 == 0:
			return i
		case c == quote && backslashes > 0 && seen <= backslashes:
			return i - seen
		}
		seen = 0
	}
	return end
}

// bareEnd returns the end of a value without quotes: a blank, a quote, or what begins
// the next pair. What closes a list around it is left out. In an element of XML
// blanks are part of it.
func (f *scan) bareEnd(from int, separator byte) int {
	i := from
	for ; i < len(f.text); i++ {
		c := f.text[i]
		if c == '<' || c == '\n' || c == '\r' {
			break
		}
		if separator == '>' {
			continue
		}
		if c <= ' ' || strings.IndexByte("\"'`&", c) >= 0 || (c == ',' || c == ';') && f.nextPair(i+1) {
			break
		}
	}
	for i > from && strings.IndexByte(",;)}]\\", f.text[i-1]) >= 0 {
		i--
	}
	return i
}

// nextPair reports whether a name and a = are at i.
func (f *scan) nextPair(i int) bool {
	end := f.runEnd(i, func(c byte) bool { return isURL64(c) || c == '.' })
	return end > i && end < len(f.text) && f.text[end] == '='
}

// authorization returns where the secret is in the value of Authorization, which may
// have its kind in front.
func (f *scan) authorization(from, to int) (begin, end int) {
	if kind := strings.IndexByte(f.text[from:to], ' '); kind > 0 {
		return from + kind + 1, to // in quotes
	}
	is := func(word string) bool { return strings.EqualFold(word, f.text[from:to]) }
	next := to + 1
	if next >= len(f.text) || f.text[to] != ' ' {
		return from, to
	}
	switch {
	case slices.ContainsFunc(schemes, is):
		end = f.bareEnd(next, ':')
	case slices.ContainsFunc(longSchemes, is):
		end = f.lineEnd(next)
		if quote := strings.IndexByte(f.text[next:end], '\''); quote >= 0 {
			end = next + quote
		}
	}
	if end <= next {
		return from, to
	}
	return next, end
}

// isAround reports whether a byte may stand between a name and what is behind it.
func isAround(c byte) bool { return c == ' ' || c == '"' || c == '\'' || c == '\\' || c == '`' }
