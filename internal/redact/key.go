package redact

import "strings"

// A private key in PEM form lies between two lines:
//
//	-----BEGIN RSA PRIVATE KEY-----
//	-----END RSA PRIVATE KEY-----
const (
	keyBegin = "-----BEGIN "
	keyEnd   = "-----END "
	keyTail  = "PRIVATE KEY-----"
	// maxKeyKind is the bytes of the kind, such as "RSA ".
	maxKeyKind = 32
)

// keyLine returns the end of a key's first or last line, which begins at begin.
func (f *scan) keyLine(begin int, head string) (end int, is bool) {
	if begin < f.from || !f.hasText(begin, head) {
		return 0, false
	}
	kind := f.text[begin+len(head):]
	at := strings.Index(kind[:min(len(kind), maxKeyKind+len(keyTail))], keyTail)
	if at < 0 || strings.ContainsAny(kind[:at], "-\r\n") {
		return 0, false
	}
	return begin + len(head) + at + len(keyTail), true
}

// keyBegins: a key's first line, of which the B is at i. The key goes to its last
// line, or as far as there are lines that may be part of one.
func (f *scan) keyBegins(i int) {
	from, is := f.keyLine(i-strings.IndexByte(keyBegin, 'B'), keyBegin)
	if !is {
		return
	}
	if to := f.keyEnd(from); to >= 0 {
		f.hideLines(from, to)
		f.from = to
		return
	}
	to := f.lineEnd(from)
	if to > from && f.text[from] == '\\' { // all of it in one line
		f.hideShape(from, to)
		return
	}
	for to < len(f.text) {
		end := f.lineEnd(to + 1)
		if !isKeyText(f.text[to+1 : end]) {
			break
		}
		to = end
	}
	f.hideLines(from, to)
	f.from = to
}

// keyEnd returns where the last line begins of a key that begins before from, -1 for
// none in the text.
func (f *scan) keyEnd(from int) int {
	if f.noEnd {
		return -1
	}
	for at := from; ; {
		next := strings.Index(f.text[at:], keyEnd)
		if next < 0 {
			f.noEnd = true
			return -1
		}
		at += next
		if _, is := f.keyLine(at, keyEnd); is {
			return at
		}
		at += len(keyEnd)
	}
}

// keyEnds: a key's last line, of which the E is at i, without its first one: that
// came in a text before. What may be part of the key in front of it is hidden.
func (f *scan) keyEnds(i int) {
	begin := i - strings.IndexByte(keyEnd, 'E')
	if begin <= f.from {
		return // its first line was here
	}
	end, is := f.keyLine(begin, keyEnd)
	if !is {
		return
	}
	from := strings.LastIndexByte(f.text[:begin], '\n') + 1
	if from < begin { // all of it in one line: the words in front of it cannot be distinguished
		f.hideKeyText(begin)
	}
	for from > f.from {
		above := strings.LastIndexByte(f.text[:from-1], '\n') + 1
		if above < f.from || !isKeyText(f.text[above:from-1]) {
			break
		}
		from = above
	}
	f.hideLines(from, strings.LastIndexByte(f.text[:begin], '\n')+1)
	f.from = end
}

// hideKeyText hides what may be part of a key in front of begin, in its line.
func (f *scan) hideKeyText(begin int) {
	from := begin
	for from > f.from && (isKeyByte(f.text[from-1]) || f.text[from-1] == '\\') {
		from--
	}
	f.markSecret(from, begin)
}

// hideLines hides the text of each line of a part.
func (f *scan) hideLines(from, to int) {
	for from < to {
		end := min(f.lineEnd(from), to)
		f.markSecret(from, from+len(strings.TrimSuffix(f.text[from:end], "\r")))
		from = end + 1
	}
}

// isKeyText reports whether a line may be one of a key: base64, or a header.
func isKeyText(line string) bool {
	line = strings.TrimSuffix(line, "\r")
	for _, header := range []string{"Proc-Type: ", "DEK-Info: "} {
		if strings.HasPrefix(line, header) {
			return true
		}
	}
	if len(line) > 76 {
		return false
	}
	for i := range len(line) {
		if !isKeyByte(line[i]) {
			return false
		}
	}
	return true
}

func isKeyByte(c byte) bool { return isAlnum(c) || c == '+' || c == '/' || c == '=' }
