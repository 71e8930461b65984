// Package browser decides which requests of browsers the server accepts.
//
// It knows cookies, origins, the names of the server and the proxies before it. It must
// never know sessions, users or operations. A request goes in, and a reason to refuse it or
// what is known about the browser comes out.
package browser
