// Package fastpath answers small, plain requests on kept connections with less work
// than net/http, and hands every other connection to net/http.
//
// It knows connections and the bytes of HTTP/1.1. It must never know what a request
// means. Connections of a listener come in. Requests go to the handler of an
// http.Server; connections with a request that is not plain go to the server itself.
//
//	accepted ──▶ idle ──▶ request read ──plain──▶ handler ──▶ answer in one write ──┐
//	              ▲            │                                                    │
//	              │            └──not plain, or late──▶ net/http, to the end        │
//	              └─────────────────────────────────────────────────────────────────┘
//
// # Plain requests
//
// A request is plain when its bytes can be read in one way only:
//
//	POST /path HTTP/1.1         letters, digits and "._-/" in the path
//	Name: value                 names are tokens, values are printable ASCII
//	Host: x                     required
//	Content-Length: 12          required, decimal, at most 64 KiB
//
// No name comes twice, and every line ends with CR LF. Transfer-Encoding, Expect, Upgrade, Trailer, Pragma and a
// Connection other than keep-alive make a request not plain, and so do a head over 4 KiB
// and more than 32 fields. A request is read as a whole before the handler runs. One
// that is incomplete a second after its first byte is handed over too.
//
// # Handing over
//
// The connection goes to the http.Server with all bytes since the end of the last
// request, as if it had just been accepted. Every error answer, every
// other method, version and encoding is therefore net/http's own. The connection stays
// there until it is closed.
//
// # Handlers
//
// The [http.ResponseWriter] is no [http.Flusher] and no [http.Hijacker], sends no
// informational answers, no trailers and no Transfer-Encoding of the handler. [Config] has a rule for the paths that
// need those. It takes a read deadline of an http.ResponseController as the limit of the request.
// Everything else is as net/http does it; FuzzAnswers compares the two.
package fastpath
