package http1

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

const (
	// maxHead is the bytes of an answer's status line and headers, with those
	// of the answers before it that are not final.
	maxHead = 64 << 10
	// maxSlack is the bytes of a body in chunks that are neither data nor a
	// plain frame around it.
	maxSlack = 16 << 10
	// chunkFrame is the bytes that a chunk may have besides its data at no cost.
	chunkFrame = 16
)

// readAnswer reads one final answer, with the values of the headers that are
// wanted. keep reports whether the connection may carry another request.
func readAnswer(r *bufio.Reader, limit int64, want []string) (a Answer, keep bool, err error) {
	in := lines{reader: r, left: maxHead, want: want}
	h, err := in.readHead()
	for err == nil && h.status/100 == 1 && h.status != 101 {
		h, err = in.readHead()
	}
	if err != nil {
		return Answer{}, false, err
	}
	a.Status, a.Got = h.status, h.got
	keep = !h.close && (h.minor > 0 || h.keep)
	switch {
	case h.status == 101: // what follows is not HTTP
		return a, false, nil
	case h.status == 204 || h.status == 304:
	case h.chunked:
		a.Body, err = in.chunks(limit)
	case h.length >= 0:
		a.Body, err = readExactly(r, h.length, limit)
	default:
		keep = false
		a.Body, err = io.ReadAll(io.LimitReader(r, limit+1))
		if err == nil && int64(len(a.Body)) > limit {
			err = tooLarge(limit)
		}
	}
	if err != nil {
		return Answer{}, false, err
	}
	return a, keep, nil
}

func readExactly(r *bufio.Reader, n, limit int64) ([]byte, error) {
	if n > limit {
		return nil, tooLarge(limit)
	}
	return readAppend(r, []byte{}, int(n))
}

func tooLarge(limit int64) error { return fmt.Errorf("the answer is over %d bytes", limit) }

func malformed(what string, line []byte) error {
	return fmt.Errorf("%s %q is malformed", what, line[:min(len(line), 80)])
}

// unexpectedEnd names the end of the input in the middle of something.
func unexpectedEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// head is what matters of a status line and its headers.
type head struct {
	minor   int // of the version: 1 for HTTP/1.1
	status  int
	length  int64 // -1: not sent
	coded   bool  // there is a Transfer-Encoding
	chunked bool
	close   bool // the connection is not to be used again
	keep    bool // it may be, although it is HTTP/1.0

	got []string // the values of the headers that are wanted; nil when none came
}

// lines reads lines, up to a number of bytes.
type lines struct {
	reader *bufio.Reader
	left   int
	long   bool     // the last line goes on behind what was returned of it
	want   []string // names of headers in lower case
}

// nextLine returns the next line with its end, which is valid until the next read.
// Of a line that is longer than the reader's buffer it returns the beginning.
func (l *lines) nextLine() ([]byte, error) {
	for {
		line, err := l.reader.ReadSlice('\n')
		wasLong := l.long
		l.long = errors.Is(err, bufio.ErrBufferFull)
		if l.left -= len(line); l.left < 0 {
			return nil, errors.New("the headers of the answer, or what is around its chunks, are too large")
		}
		switch {
		case err != nil && !l.long:
			if len(line) > 0 {
				err = unexpectedEnd(err)
			}
			return nil, err
		case !wasLong:
			return line, nil
		}
	}
}

// readHead reads a status line and its headers.
func (l *lines) readHead() (h head, err error) {
	line, err := l.nextLine()
	if err != nil {
		return h, err
	}
	h.length = -1
	if !h.start(chomp(line)) || l.long {
		return h, malformed("the status line", chomp(line))
	}
	ours := true // a line that goes on the one before may not change one that counts
	for {
		if line, err = l.nextLine(); err != nil {
			return h, unexpectedEnd(err)
		}
		line = chomp(line)
		switch {
		case len(line) == 0 && !l.long:
			h.frame()
			return h, nil
		case line[0] == ' ' || line[0] == '\t':
			if ours || !goodValue(line) {
				return h, malformed("the header line", line)
			}
			continue
		}
		name, value, found := bytes.Cut(line, []byte{':'})
		if !found || !goodName(name) || !goodValue(value) {
			return h, malformed("the header line", line)
		}
		ours, err = h.field(name, bytes.Trim(value, " \t"), l.want)
		if err == nil && ours && l.long {
			err = malformed("the header line", line)
		}
		if err != nil {
			return h, err
		}
	}
}

// start reads a status line: a version, a code of three digits, perhaps words.
func (h *head) start(line []byte) bool {
	const version = "HTTP/1.1 "
	if len(line) < len(version)+3 || string(line[:7]) != version[:7] || line[7] < '0' || line[7] > '9' || line[8] != ' ' {
		return false
	}
	h.minor = int(line[7] - '0')
	line = bytes.TrimLeft(line[len(version):], " ")
	if len(line) < 3 || len(line) > 3 && line[3] != ' ' {
		return false
	}
	for _, c := range line[:3] {
		if c < '0' || c > '9' {
			return false
		}
		h.status = h.status*10 + int(c-'0')
	}
	return h.status >= 100
}

// field reads a header, and reports whether it is one that counts.
func (h *head) field(name, value []byte, want []string) (counts bool, err error) {
	switch {
	case equalFold(name, "content-length"):
		n, err := strconv.ParseUint(string(value), 10, 63)
		if err != nil || h.length >= 0 && h.length != int64(n) {
			return true, malformed("the Content-Length", value)
		}
		h.length = int64(n)
	case equalFold(name, "transfer-encoding"):
		if h.coded || !equalFold(value, "chunked") {
			return true, fmt.Errorf("the Transfer-Encoding %q is not known", value[:min(len(value), 80)])
		}
		h.coded = true
	case equalFold(name, "connection"):
		for word := range bytes.SplitSeq(value, []byte{','}) {
			word = bytes.Trim(word, " \t")
			h.close = h.close || equalFold(word, "close")
			h.keep = h.keep || equalFold(word, "keep-alive")
		}
	default:
		return h.takeHeader(name, value, want), nil
	}
	return true, nil
}

// takeHeader keeps the value of a header that is wanted: the first, when it comes more
// than once.
func (h *head) takeHeader(name, value []byte, want []string) bool {
	for i, lower := range want {
		if !equalFold(name, lower) {
			continue
		}
		if h.got == nil {
			h.got = make([]string, len(want))
		}
		if h.got[i] == "" {
			h.got[i] = string(value)
		}
		return true
	}
	return false
}

// frame decides where the body ends, after the last header. When the peer has
// two words for it, the connection is trusted no further.
func (h *head) frame() {
	h.chunked = h.coded && h.minor > 0
	h.close = h.close || h.coded && (h.length >= 0 || h.minor == 0)
}

// chunks reads a body in chunks, and what follows them.
func (l *lines) chunks(limit int64) ([]byte, error) {
	body := []byte{}
	l.left = maxSlack
	for {
		n, err := l.chunkSize()
		if err != nil {
			return nil, err
		}
		if n == 0 {
			return body, l.trailer()
		}
		if n > limit-int64(len(body)) {
			return nil, tooLarge(limit)
		}
		if body, err = readAppend(l.reader, body, int(n)); err != nil {
			return nil, err
		}
		var end [2]byte
		if _, err := io.ReadFull(l.reader, end[:]); err != nil {
			return nil, unexpectedEnd(err)
		}
		if end != [2]byte{'\r', '\n'} {
			return nil, malformed("the end of a chunk", end[:])
		}
		l.left = min(l.left+chunkFrame+int(min(n, maxSlack)), maxSlack)
	}
}

// readAppend appends n bytes from r, and allocates memory as they arrive: the size is only the
// peer's claim.
func readAppend(r io.Reader, body []byte, n int) ([]byte, error) {
	const step = 64 << 10
	for n > 0 {
		part := min(n, step)
		from := len(body)
		if from+part > cap(body) {
			body = slices.Grow(body, max(part, from)) // twice as much
		}
		body = body[:from+part]
		if _, err := io.ReadFull(r, body[from:]); err != nil {
			return nil, unexpectedEnd(err)
		}
		n -= part
	}
	return body, nil
}

// chunkSize reads the line before a chunk: hexadecimal digits, and extensions
// that are passed over.
func (l *lines) chunkSize() (int64, error) {
	line, err := l.nextLine()
	if err != nil {
		return 0, unexpectedEnd(err)
	}
	text, whole := bytes.CutSuffix(line, []byte("\r\n"))
	size, _, _ := bytes.Cut(text, []byte{';'})
	n, err := strconv.ParseUint(string(bytes.TrimRight(size, " \t")), 16, 63)
	if err != nil || !whole {
		return 0, malformed("the size of a chunk", text)
	}
	return int64(n), nil
}

// trailer passes over the headers behind the last chunk.
func (l *lines) trailer() error {
	for {
		line, err := l.nextLine()
		if err != nil {
			return unexpectedEnd(err)
		}
		text, whole := bytes.CutSuffix(line, []byte("\r\n"))
		if whole && len(text) == 0 {
			return nil
		}
		name, value, found := bytes.Cut(text, []byte{':'})
		if !whole && !l.long || !found || !goodName(name) || !goodValue(value) {
			return malformed("the header line behind the last chunk", text)
		}
	}
}

// chomp takes the end off a line, which some peers write without "\r".
func chomp(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{'\r'})
}

// equalFold reports whether a name is the one in lower case.
func equalFold(name []byte, lower string) bool {
	return len(name) == len(lower) && bytes.EqualFold(name, []byte(lower))
}

// goodName reports whether a header may have this name. A name with a space matches
// nothing, and is no reason to refuse an answer.
func goodName(name []byte) bool {
	for _, c := range name {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '_' && strings.IndexByte(" !#$%&'*+.^`|~", c) < 0 {
			return false
		}
	}
	return len(name) > 0
}

// goodValue reports whether a header may have the value.
func goodValue(value []byte) bool {
	for _, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
