// Package http1 posts small requests over kept connections of HTTP/1.1, with
// less work for each than net/http: the caller's own goroutine writes the
// request in one piece and reads the answer, and a connection that nobody uses
// has no goroutine and no buffer.
//
// It knows connections, pools of them, and the bytes of requests and answers.
// It must never know what a request means or whether it may be repeated: it
// says whether one that failed may have left. Requests come in; statuses and
// bodies go out.
//
// # A connection's life
//
//	dialled ──▶ carries one request ──▶ kept ──▶ asked whether it is still open ─┐
//	   ▲               │    ▲             │                                      │
//	   │               │    └─────────────┼──────────────────────────────────────┤ open
//	   │               ▼                  ▼                                      ▼ not
//	   │            closed: failed,    closed: too many,                      closed
//	   │            or told to close   or idle for too long                      │
//	   └─────────────────────────────────────────────────────────────────────────┘
//
// A request is sent a second time only when a kept connection took not one byte
// of it, and then on a new one.
//
// # What it does not speak
//
// HTTP/2, proxies, redirects, compressed answers, and host names that are not
// plain ASCII. [NewTarget] refuses an address that it cannot serve, and
// [Supported] is false where the system cannot tell at once whether a kept
// connection is over; callers use net/http then.
package http1
