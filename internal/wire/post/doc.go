// Package post sends requests of the wires and reports what is known about one that failed.
//
// It knows HTTP, connections, and when a byte has left. It must never know a protocol, a
// token or what a message means. Addresses, header lines and bodies come in; statuses and
// texts of answers go out, or errors of two kinds: [job.Unreachable] when the request
// certainly did not arrive and [job.Ambiguous] when it may have.
package post
