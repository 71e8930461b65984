// Package dialect reads and writes the messages of the XXL-JOB family, in each of its
// dialects.
//
// It knows paths, headers, JSON shapes, fixed texts and the foreign names for Orth's
// words, and what differs from dialect to dialect: a [Speech], a table of values. It must
// never know a connection, a peer, or who sends a message. Bytes and job words come in
// and go out; errors of reading are Invalid.
package dialect
