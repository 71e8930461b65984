package post

import (
	"net/http"
	"strconv"
	"strings"
)

// Fields are header lines as they go on the wire, each with "\r\n" at its end.
// Values are visible ASCII.
type Fields []byte

// Add returns the lines with one more.
func (f Fields) Add(name, value string) Fields {
	return append(append(append(append(f, name...), ": "...), value...), "\r\n"...)
}

// AddInt returns the lines with one more, whose value is a number.
func (f Fields) AddInt(name string, value int64) Fields {
	f = append(append(f, name...), ": "...)
	return append(strconv.AppendInt(f, value, 10), "\r\n"...)
}

// AddTo puts the lines into h, with their names as they are.
func (f Fields) AddTo(h http.Header) {
	for line := range strings.Lines(string(f)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": "); ok {
			h[name] = append(h[name], value)
		}
	}
}
