package http1

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

const limit = 64

// ok begins a plain answer.
const ok = "HTTP/1.1 200 OK\r\n"

// answers are possible answers of peers: all that is right, odd, broken or meant to harm.
func answers() map[string]struct {
	text   string
	status int    // 0 for an error
	body   string // or a part of the error
	keep   bool
} {
	return map[string]struct {
		text   string
		status int
		body   string
		keep   bool
	}{
		"plain":                       {ok + "Content-Length: 2\r\n\r\nhi", 200, "hi", true},
		"nothing in it":               {ok + "Content-Length: 0\r\n\r\n", 200, "", true},
		"lower case":                  {ok + "content-length: 2\r\ncontent-type: x\r\n\r\nhi", 200, "hi", true},
		"upper case, no space":        {ok + "CONTENT-LENGTH:2\r\n\r\nhi", 200, "hi", true},
		"bare line feeds":             {"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", 200, "hi", true},
		"no words":                    {"HTTP/1.1 404\r\nContent-Length: 2\r\n\r\nhi", 404, "hi", true},
		"another version":             {"HTTP/1.2 299 Fine\r\nContent-Length: 2\r\n\r\nhi", 299, "hi", true},
		"the same length twice":       {ok + "Content-Length: 2\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"a header goes on":            {ok + "X-Long: a\r\n  b\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"a long header":               {ok + "X: " + strings.Repeat("x", 9000) + "\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"a name with a space":         {ok + "Content-Length : 1\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"close":                       {ok + "Connection: close\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", false},
		"close among others":          {ok + "Connection: x, Close\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", false},
		"keep-alive":                  {ok + "Connection: Keep-Alive\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"1.0":                         {"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", false},
		"1.0, keep-alive":             {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", true},
		"1.0 knows no chunks":         {"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nhi", 200, "hi", false},
		"until the end":               {ok + "\r\nhi there", 200, "hi there", false},
		"100 first":                   {"HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", 200, "hi", true},
		"103 and 102 first":           {"HTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 102 P\r\n\r\n" + ok + "Content-Length: 2\r\n\r\nhi", 200, "hi", true},
		"another protocol":            {"HTTP/1.1 101 Go\r\nContent-Length: 2\r\n\r\nhi", 101, "", false},
		"204 has no body":             {"HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n", 204, "", true},
		"304 has no body":             {"HTTP/1.1 304 No\r\n\r\n", 304, "", true},
		"a second answer":             {ok + "Content-Length: 2\r\n\r\nhi" + ok, 200, "hi", true}, // what is left over is the caller's to see
		"chunks":                      {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nh\r\n1\r\ni\r\n0\r\n\r\n", 200, "hi", true},
		"chunks, odd case":            {ok + "TRANSFER-encoding: ChunkeD\r\n\r\n0002\r\nhi\r\n000\r\n\r\n", 200, "hi", true},
		"chunk extensions":            {ok + "Transfer-Encoding: chunked\r\n\r\n2;a=\"b\";c\r\nhi\r\n0;x\r\n\r\n", 200, "hi", true},
		"a trailer":                   {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n", 200, "hi", true},
		"chunks and a length":         {ok + "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", 200, "hi", false},
		"as large as it may be":       {ok + "Content-Length: 64\r\n\r\n" + strings.Repeat("x", limit), 200, strings.Repeat("x", limit), true},
		"nothing":                     {"", 0, "EOF", false},
		"half a status line":          {"HTTP/1.1 20", 0, "unexpected EOF", false},
		"half a head":                 {ok + "Content-Le", 0, "unexpected EOF", false},
		"no end of the head":          {ok + "Content-Length: 2\r\n", 0, "unexpected EOF", false},
		"half a body":                 {ok + "Content-Length: 3\r\n\r\nhi", 0, "unexpected EOF", false},
		"no body":                     {ok + "Content-Length: 3\r\n\r\n", 0, "unexpected EOF", false},
		"half a chunk":                {ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhi", 0, "unexpected EOF", false},
		"no last chunk":               {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", 0, "unexpected EOF", false},
		"no end behind the chunks":    {ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n", 0, "unexpected EOF", false},
		"only 100":                    {"HTTP/1.1 100 Continue\r\n\r\n", 0, "EOF", false},
		"100 for ever":                {strings.Repeat("HTTP/1.1 100 Continue\r\n\r\n", 5000), 0, "too large", false},
		"headers for ever":            {ok + strings.Repeat("X-Y: zzzzzzzzzzzzzzzzzzzz\r\n", 5000), 0, "too large", false},
		"a line for ever":             {ok + "X: " + strings.Repeat("x", 200<<10), 0, "too large", false},
		"a status line for ever":      {"HTTP/1.1 200 " + strings.Repeat("x", 200<<10), 0, "malformed", false},
		"trailers for ever":           {ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n" + strings.Repeat("X: y\r\n", 5000), 0, "too large", false},
		"extensions for ever":         {ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 3000)+"\r\nh\r\n", 60), 0, "too large", false},
		"too large":                   {ok + "Content-Length: 65\r\n\r\n" + strings.Repeat("x", 65), 0, "over 64 bytes", false},
		"too large, not told":         {ok + "\r\n" + strings.Repeat("x", 65), 0, "over 64 bytes", false},
		"too large, in chunks":        {ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("8\r\nxxxxxxxx\r\n", 9), 0, "over 64 bytes", false},
		"a huge chunk":                {ok + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nx", 0, "over 64 bytes", false},
		"a chunk beyond numbers":      {ok + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\nx", 0, "malformed", false},
		"no size of a chunk":          {ok + "Transfer-Encoding: chunked\r\n\r\n\r\nx", 0, "malformed", false},
		"a negative chunk":            {ok + "Transfer-Encoding: chunked\r\n\r\n-1\r\nx", 0, "malformed", false},
		"a chunk too long":            {ok + "Transfer-Encoding: chunked\r\n\r\n1\r\nhi\r\n0\r\n\r\n", 0, "malformed", false},
		"a chunk line without CR":     {ok + "Transfer-Encoding: chunked\r\n\r\n2\nhi\r\n0\r\n\r\n", 0, "malformed", false},
		"two lengths":                 {ok + "Content-Length: 2\r\nContent-Length: 3\r\n\r\nhi", 0, "malformed", false},
		"a length below 0":            {ok + "Content-Length: -2\r\n\r\nhi", 0, "malformed", false},
		"a length with a plus":        {ok + "Content-Length: +2\r\n\r\nhi", 0, "malformed", false},
		"a list of lengths":           {ok + "Content-Length: 2, 2\r\n\r\nhi", 0, "malformed", false},
		"an empty length":             {ok + "Content-Length:\r\n\r\nhi", 0, "malformed", false},
		"a length beyond numbers":     {ok + "Content-Length: 9223372036854775808\r\n\r\nhi", 0, "malformed", false},
		"a length that goes on":       {ok + "Content-Length: 2\r\n 2\r\n\r\nhi", 0, "malformed", false},
		"a length at the end of time": {ok + "Content-Length: " + strings.Repeat("0", 5000) + "2\r\n\r\nhi", 0, "malformed", false},
		"another coding":              {ok + "Transfer-Encoding: gzip\r\n\r\nhi", 0, "not known", false},
		"two codings":                 {ok + "Transfer-Encoding: gzip, chunked\r\n\r\nhi", 0, "not known", false},
		"chunked twice":               {ok + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 0, "not known", false},
		"begins with a space":         {ok + " Content-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"no colon":                    {ok + "Content-Length 2\r\n\r\nhi", 0, "malformed", false},
		"no name":                     {ok + ": 2\r\n\r\nhi", 0, "malformed", false},
		"an odd name":                 {ok + "Content\x00Length: 2\r\n\r\nhi", 0, "malformed", false},
		"an odd value":                {ok + "X: \x00\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"TLS":                         {"\x16\x03\x01\x00\x00 what\r\n\r\n", 0, "malformed", false},
		"HTTP/2":                      {"HTTP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"a small http":                {"http/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"a long code":                 {"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"a code in letters":           {"HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
		"a code below 100":            {"HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nhi", 0, "malformed", false},
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range answers() {
		for how, reader := range map[string]io.Reader{
			"whole": strings.NewReader(c.text), "byte by byte": iotest.OneByteReader(strings.NewReader(c.text)),
		} {
			a, keep, err := readAnswer(bufio.NewReader(reader), limit, nil)
			switch {
			case c.status == 0:
				if err == nil || !strings.Contains(err.Error(), c.body) {
					t.Errorf("%s, %s: %+v, %v; want an error with %q", name, how, a, err, c.body)
				}
			case err != nil || a.Status != c.status || string(a.Body) != c.body || keep != c.keep:
				t.Errorf("%s, %s: %d %q, keep %v, %v; want %d %q, keep %v", name, how, a.Status, a.Body, keep, err, c.status, c.body, c.keep)
			}
		}
	}
}

// TestBrokenReader: the network's own error is what a caller sees.
func TestBrokenReader(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	whole := ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-Sum: 1\r\n\r\n"
	for n := range len(whole) {
		_, _, err := readAnswer(bufio.NewReader(io.MultiReader(strings.NewReader(whole[:n]), iotest.ErrReader(broken))), limit, nil)
		if !errors.Is(err, broken) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

// byStandard reads an answer with net/http, the way its client does.
func byStandard(text []byte) (status int, body []byte, err error) {
	r := bufio.NewReader(bytes.NewReader(text))
	for {
		response, err := http.ReadResponse(r, &http.Request{Method: http.MethodPost})
		if err != nil {
			return 0, nil, err
		}
		if response.StatusCode/100 == 1 && response.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		if response.StatusCode == http.StatusSwitchingProtocols {
			return 101, nil, nil
		}
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, body, err
	}
}

// FuzzAnswer compares with net/http: whatever is understood here is understood
// there, and to the same effect.
func FuzzAnswer(f *testing.F) {
	for _, c := range answers() {
		if len(c.text) < 4096 {
			f.Add([]byte(c.text))
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, _, err := readAnswer(bufio.NewReader(bytes.NewReader(text)), 1<<16, []string{"x-one"})
		if err != nil {
			return
		}
		status, body, err := byStandard(text)
		if err != nil || status != a.Status || !bytes.Equal(body, a.Body) {
			t.Fatalf("%q: %d %q; net/http has %d %q, %v", text, a.Status, a.Body, status, body, err)
		}
	})
}

// TestWantedHeaders: names count in any case, the first of two stands, and only
// the final answer's headers are taken.
func TestWantedHeaders(t *testing.T) {
	t.Parallel()
	const end = "Content-Length: 0\r\n\r\n"
	want := []string{"orth-time", "orth-signature"}
	for name, c := range map[string]struct {
		text string
		got  []string
		err  string
	}{
		"none":                {ok + end, nil, ""},
		"both":                {ok + "ORTH-SIGNATURE: ab\r\north-time:  7 \r\n" + end, []string{"7", "ab"}, ""},
		"one":                 {ok + "Orth-Signature: ab\r\n" + end, []string{"", "ab"}, ""},
		"twice":               {ok + "Orth-Time: 7\r\nOrth-Time: 8\r\n" + end, []string{"7", ""}, ""},
		"of an early answer":  {"HTTP/1.1 103 Hints\r\nOrth-Time: 7\r\n\r\n" + ok + end, nil, ""},
		"goes on":             {ok + "Orth-Time: 7\r\n 8\r\n" + end, nil, "malformed"},
		"longer than a line":  {ok + "Orth-Time: " + strings.Repeat("7", 5000) + "\r\n" + end, nil, "malformed"},
		"a name that is more": {ok + "Orth-Timer: 7\r\n" + end, nil, ""},
	} {
		a, _, err := readAnswer(bufio.NewReader(strings.NewReader(c.text)), limit, want)
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %q, %v; want an error with %q", name, a.Got, err, c.err)
			}
		case err != nil || !slices.Equal(a.Got, c.got):
			t.Errorf("%s: %q, %v; want %q", name, a.Got, err, c.got)
		}
	}
}
