// Package message reads and writes the messages of Orth's own protocol.
//
// It knows the names of requests, headers and fields, JSON shapes, limits, minor
// versions and problems. It must never know signatures, connections, or who sends a
// message. Bytes and job words come in and go out; errors of reading are Invalid. The
// contract is docs/native-protocol.md.
package message
