package xxl

import (
	"net/http"
	"strconv"
	"strings"
)

// fields are header lines as they go on the wire, each with "\r\n" at its end.
// Values are visible ASCII.
type fields []byte

func (f fields) add(name, value string) fields {
	return append(append(append(append(f, name...), ": "...), value...), "\r\n"...)
}

func (f fields) addInt(name string, value int64) fields {
	f = append(append(f, name...), ": "...)
	return append(strconv.AppendInt(f, value, 10), "\r\n"...)
}

// addTo puts the lines into h, with their names as they are.
func (f fields) addTo(h http.Header) {
	for line := range strings.Lines(string(f)) {
		if name, value, ok := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": "); ok {
			h[name] = append(h[name], value)
		}
	}
}
