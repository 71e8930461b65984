// Package reading reads, follows and searches the logs of attempts.
//
// It knows where the lines of an attempt are: in packs, in memory, or still with its
// executor. It must never know how they come there, SQL, or the HTTP of readers. Attempts
// and queries come in; pages, lines as they are written, and hits go out.
package reading
