package fastpath

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// request makes a plain request with further lines.
func request(path, lines, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\n%sContent-Length: %d\r\n\r\n%s", path, lines, len(body), body)
}

// last is sent after every case: it is answered only when the connection still is in order.
var last = request("/last", "", "")

// conversations are requests that are plain, nearly plain and hostile, by what they are.
func conversations() map[string]string {
	all := map[string]string{
		"nothing": "", "a line end": "\r\n", "line ends after a request": request("/", "", "x") + "\r\n\r\n", "five line ends": request("/", "", "x") + "\r\n\r\n\n",
		"three bytes after a request": request("/", "", "x") + "POS", "half a request": request("/", "", "0123456789")[:55],
		"pipelined":         strings.Repeat(request("/declared", "A: b\r\n", "{}"), 20),
		"plain, odd, plain": request("/", "", "1") + "GET / HTTP/1.1\r\nHost: x\r\n\r\n" + request("/", "", "3"),
		"a large body":      request("/", "", strings.Repeat("x", maxBody)), "a larger body": request("/", "", strings.Repeat("x", maxBody+1)),
		"a large head": request("/", "A: "+strings.Repeat("x", maxHead)+"\r\n", ""), "a head too large": request("/", "A: "+strings.Repeat("x", 1<<21)+"\r\n", ""),
		"many fields": request("/", strings.Repeat("A: b\r\n", maxFields+1), ""), "as many as may be": request("/", numbered(maxFields-2), ""),
		"one too many": request("/", numbered(maxFields-1), ""),
		"no length":    "POST / HTTP/1.1\r\nHost: x\r\n\r\n", "no host": "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "two hosts": request("/", "Host: y\r\n", ""),
		"an empty host": "POST / HTTP/1.1\r\nHost: \r\nContent-Length: 0\r\n\r\n", "an odd host": "POST / HTTP/1.1\r\nHost: a b\r\nContent-Length: 0\r\n\r\n",
		"bare line feeds": "POST / HTTP/1.1\nHost: x\nContent-Length: 1\n\nx", "one bare line feed": "POST / HTTP/1.1\r\nHost: x\nContent-Length: 1\r\n\r\nx",
		"a bare line feed in a field": request("/", "A: bc\nB: d\r\n", "x"), "a line of one byte": request("/", "x\n\r\n", ""),
		"a bare return": "POST / HTTP/1.1\r\nHost: x\r\nA: b\rContent-Length: 5\r\nContent-Length: 1\r\n\r\nx", "returns": "POST / HTTP/1.1\r\r\nHost: x\r\r\n\r\r\n",
		"an old version": "POST / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx", "an old version, kept": "POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\nx",
		"another version": strings.Replace(request("/", "", ""), "1.1", "1.2", 1), "HTTP/2": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "no HTTP": "\x16\x03\x01\r\n\r\n",
		"two blanks": strings.Replace(request("/", "", ""), " HTTP", "  HTTP", 1), "a blank at the end": strings.Replace(request("/", "", ""), "1.1\r", "1.1 \r", 1),
		"expectation": request("/", "Expect: 100-continue\r\n", "x"), "another expectation": request("/", "Expect: y\r\n", "x"),
		"upgrade": request("/", "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n", ""), "trailer": request("/", "Trailer: A\r\n", ""),
		"pragma": request("/", "Pragma: no-cache\r\n", ""), "close": request("/", "Connection: close\r\n", ""), "close and more": request("/", "Connection: keep-alive, close\r\n", ""),
		"kept":          request("/", "Connection: keep-alive\r\n", "") + request("/", "connection: Keep-Alive\r\n", ""),
		"a field twice": request("/", "A: 1\r\na: 2\r\n", ""), "odd names": request("/", "a-b_c: 1\r\nx.y~z: 2\r\n#!: 3\r\n1: 4\r\n", ""), "blanks": request("/", "A:  b c \t \r\nB:\r\nC:\tx\r\n", ""),
		"values beyond ASCII": request("/", "A: \xe4\xf6\r\n", ""), "NUL": request("/", "A: \x00\r\n", ""), "NUL in a name": request("/", "A\x00: b\r\n", ""), "DEL": request("/", "A: \x7f\r\n", ""),
		"NUL in the path": request("/\x00", "", ""),
		"chunks":          "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n", "chunks with trailers": "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTrailer: A\r\n\r\n2\r\nhi\r\n0\r\nA: b\r\n\r\n",
		"both": request("/", "Transfer-Encoding: chunked\r\n", "0\r\n\r\n"), "both, hidden": request("/", "Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
		"both, folded": request("/", "Transfer-Encoding:\r\n chunked\r\n", "0\r\n\r\n"), "both, by a tab": request("/", "Transfer-Encoding:\tchunked\r\n", "0\r\n\r\n"), "both, odd": request("/", "Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
		"both, identity": request("/", "Transfer-Encoding: identity\r\n", "x"), "both, by an underscore": request("/", "Transfer_Encoding: chunked\r\n", "x"),
		"folding": request("/", "A: b\r\n c\r\n", ""), "folding first": "POST / HTTP/1.1\r\n Host: x\r\nContent-Length: 0\r\n\r\n", "no name": request("/", ": b\r\n", ""), "no colon": request("/", "A\r\n", ""),
		"blank before the colon": "POST / HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\nx",
	}
	for _, n := range []string{"1, 1", "1,1", "+1", "-1", "0x1", "01", "1 ", "1.0", "1e0", " ", "99999", "100000", "9999999999999999999999", "1\r\nContent-Length: 1", "1\r\nContent-Length: 2"} {
		all["length "+n] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + n + "\r\n\r\nx"
	}
	for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "post", "POSTS", "P"} {
		all["method "+method] = strings.Replace(request("/declared", "", "x"), "POST", method, 1)
	}
	for _, target := range []string{
		"/run", "//run", "/a//b/", "/a/../b", "/.", "/a.b-c_d", "/%72un", "/a?b=c", "/a#b", "/a;b", "/~a", "/a:b", "*", "http://y/run", "https://y", "y:80", "/\xff", "/a\tb", "", "/a b",
	} {
		all["target "+target] = request(target, "", "x")
	}
	for _, way := range []string{
		"declared", "typed", "large", "long", "pieces", "short", "beyond", "empty", "encoded", "dated", "nothing", "same", "close", "abort", "panic", "unread",
	} {
		all["answer "+way] = request("/"+way, "", "x")
	}
	return all
}

// numbered returns so many fields.
func numbered(n int) string {
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "A%d: b\r\n", i)
	}
	return lines.String()
}

// TestTwins: each conversation is the same as with net/http, in whatever pieces it arrives.
func TestTwins(t *testing.T) {
	t.Parallel()
	w := newTwins(t, http.HandlerFunc(mirror))
	for name, sent := range conversations() {
		for _, most := range []int64{1 << 20, 7, 1} {
			if len(sent) > 8<<10 && most < 1<<10 {
				most = 1 << 10
			}
			w.most.Store(most)
			w.same(t, name, []byte(sent+last))
		}
	}
}

// same compares what the two answer.
func (w *twins) same(tb testing.TB, name string, sent []byte) {
	tb.Helper()
	want, got := transcript(tb, converse(tb, w.slow, sent)), transcript(tb, converse(tb, w.fast, sent))
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("%s, %.600q in pieces of %d: (-net/http +fast)\n%s", name, sent, w.most.Load(), diff)
	}
}

// TestMutations: several conversations on one connection, with bytes and lines that
// were changed, are the same as with net/http.
func TestMutations(t *testing.T) {
	t.Parallel()
	w := newTwins(t, http.HandlerFunc(mirror))
	var texts []string
	for _, text := range conversations() {
		if len(text) < 2<<10 {
			texts = append(texts, text)
		}
	}
	slices.Sort(texts)
	pieces := []string{
		"\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", ",", "\x00", "\x7f", "\xff", "0", "1", "-", "+", "x", "A: b\r\n", "Host: y\r\n", "Content-Length: 1\r\n",
		"content-length: 3\r\n", "Transfer-Encoding: chunked\r\n", "Connection: close\r\n", "Expect: 100-continue\r\n", "Upgrade: h2c\r\n", "HTTP/1.1", "HTTP/1.0", "POST", "GET", "/",
	}
	rapid.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(texts), 1, 3).Draw(r, "texts"), "")
		for range rapid.IntRange(1, 4).Draw(r, "changes") {
			at := rapid.IntRange(0, len(text)).Draw(r, "at")
			to := min(at+rapid.IntRange(0, 3).Draw(r, "cut"), len(text))
			text = text[:at] + rapid.SampledFrom(pieces).Draw(r, "piece") + text[to:]
		}
		w.most.Store(rapid.SampledFrom([]int64{1 << 20, 100, 9, 1}).Draw(r, "most"))
		want, got := transcript(t, converse(t, w.slow, []byte(text+last))), transcript(t, converse(t, w.fast, []byte(text+last)))
		if diff := cmp.Diff(want, got); diff != "" {
			r.Fatalf("%q in pieces of %d: (-net/http +fast)\n%s", text, w.most.Load(), diff)
		}
	})
}

// FuzzAnswers: whatever arrives is answered as net/http answers it.
func FuzzAnswers(f *testing.F) {
	for _, sent := range conversations() {
		if len(sent) < 4<<10 {
			f.Add([]byte(sent), uint16(1<<15))
			f.Add([]byte(request("/declared", "", "{}")+sent), uint16(10))
		}
	}
	w := newTwins(f, http.HandlerFunc(mirror))
	f.Fuzz(func(t *testing.T, sent []byte, most uint16) {
		if len(sent) > 32<<10 {
			return // it would take long in small pieces
		}
		w.most.Store(max(int64(most), 1))
		w.same(t, "this", append(sent, last...))
	})
}
