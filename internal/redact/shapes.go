package redact

import "strings"

// shape looks whether a secret is at, or around, the byte at i. Its neighbours nearly
// always rule one out.
func (f *scan) shape(i int) {
	var before, behind byte
	if i > 0 {
		before = f.text[i-1]
	}
	if i+1 < len(f.text) {
		behind = f.text[i+1]
	}
	switch f.text[i] {
	case '=', ':', '>':
		if isLetter(before) || isAround(before) {
			f.scanPair(i)
		}
	case '@':
		f.userinfo(i)
	case 'J':
		if before == 'y' {
			f.webToken(i)
		}
	case 'I':
		if before == 'K' || before == 'S' {
			f.accessKey(i)
		}
	case 'B', 'b':
		if behind == 'e' || behind == 'E' {
			f.bearer(i)
			f.keyBegins(i)
		}
	case 'E':
		if before == '-' {
			f.keyEnds(i)
		}
	case 'x':
		if behind == 'o' {
			f.slack(i)
		}
	case '_':
		if i > 1 && (f.text[i-2] == 'h' || f.text[i-2] == 'u') {
			f.github(i)
		}
	}
}

// hasText reports whether a text is at i, which may be before the text.
func (f *scan) hasText(i int, text string) bool {
	return i >= 0 && strings.HasPrefix(f.text[i:], text)
}

// runEnd returns the end of the bytes of a kind from i on.
func (f *scan) runEnd(i int, is func(byte) bool) int {
	for i < len(f.text) && is(f.text[i]) {
		i++
	}
	return i
}

// begins reports whether a word begins at i.
func (f *scan) begins(i int) bool { return i == 0 || !isAlnum(f.text[i-1]) }

// maxUserinfo is how far a name and a password in a URL are looked for.
const maxUserinfo = 512

// userinfo: scheme://name:password@host, with the first @ at i. A password that was
// not escaped may have others.
func (f *scan) userinfo(i int) {
	colon := -1
	for at := i - 1; at >= max(f.from, i-maxUserinfo, 2); at-- {
		switch c := f.text[at]; {
		case !isURL(c):
			return
		case c == ':':
			colon = at
		case c == '/':
			if colon >= 0 && f.hasText(at-2, "://") {
				f.hideShape(colon+1, f.lastAt(i))
			}
			return
		}
	}
}

// lastAt returns the last @ of an authority that has one at i.
func (f *scan) lastAt(i int) int {
	for at := i + 1; at < min(len(f.text), i+maxUserinfo) && isURL(f.text[at]) && f.text[at] != '/'; at++ {
		if f.text[at] == '@' {
			i = at
		}
	}
	return i
}

// webToken: a JSON web token is three texts in base64 with dots between them, and
// the first begins with eyJ, of which the J is at i.
func (f *scan) webToken(i int) {
	begin := i - 2
	if begin < f.from || !f.hasText(begin, "eyJ") || !f.begins(begin) {
		return
	}
	head := f.runEnd(i, isURL64)
	if head-begin < 10 || head >= len(f.text) || f.text[head] != '.' {
		f.from = head
		return
	}
	body := f.runEnd(head+1, isURL64)
	if body-head < 10 || body >= len(f.text) || f.text[body] != '.' {
		f.from = body
		return
	}
	f.hideShape(begin, f.runEnd(body+1, isURL64))
}

// accessKey: AKIA or ASIA, of which the I is at i, and 16 more capitals and digits.
func (f *scan) accessKey(i int) {
	begin := i - 2
	if begin < f.from || !f.hasText(begin, "AKIA") && !f.hasText(begin, "ASIA") || !f.begins(begin) {
		return
	}
	end := begin + 20
	if f.runEnd(begin, isCapital) == end && (end == len(f.text) || !isAlnum(f.text[end])) {
		f.hideShape(begin, end)
	}
}

// bearer: the word, and a token behind it.
func (f *scan) bearer(i int) {
	const word = "bearer "
	if i+len(word) > len(f.text) || !strings.EqualFold(f.text[i:i+len(word)], word) || !f.begins(i) {
		return
	}
	from := i + len(word)
	end := f.runEnd(from, isToken)
	if end-from >= 16 || end-from >= MinLiteral && strings.ContainsAny(f.text[from:end], "0123456789") {
		f.hideShape(from, end)
	}
}

// slack: xoxb-, xoxp- and their like.
func (f *scan) slack(i int) {
	if !f.hasText(i, "xox") || !f.begins(i) || i+5 > len(f.text) || f.text[i+4] != '-' || !isLower(f.text[i+3]) {
		return
	}
	if end := f.runEnd(i+5, isURL64); end-i >= 15 {
		f.hideShape(i, end)
	}
}

// github: ghp_, gho_, ghu_, ghs_, ghr_ or github_pat_, of which the first _ is at i.
func (f *scan) github(i int) {
	begin, least := i-3, 36
	switch {
	case begin >= f.from && f.hasText(begin, "gh") && strings.IndexByte("pousr", f.text[i-1]) >= 0:
	case i-6 >= f.from && f.hasText(i-6, "github_pat_"):
		begin, least = i-6, 22
	default:
		return
	}
	if end := f.runEnd(begin, isWord); f.begins(begin) && end-begin >= least {
		f.hideShape(begin, end)
	}
}

func isURL(c byte) bool     { return c > ' ' && strings.IndexByte("\"'`<>", c) < 0 }
func isLower(c byte) bool   { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool  { return isLower(c | 0x20) }
func isDigit(c byte) bool   { return '0' <= c && c <= '9' }
func isCapital(c byte) bool { return 'A' <= c && c <= 'Z' || isDigit(c) }
func isAlnum(c byte) bool   { return isLower(c) || isCapital(c) }
func isWord(c byte) bool    { return isAlnum(c) || c == '_' }
func isURL64(c byte) bool   { return isWord(c) || c == '-' }
func isToken(c byte) bool   { return isURL64(c) || strings.IndexByte(".~+/=", c) >= 0 }
