// Package xxlimport turns what other schedulers have written into documents of Orth.
//
// It knows the formats of their exports and their names for things, which stand
// nowhere else. It must never know a server, a database or a terminal: texts and
// rows come in; documents, and in words what could not be taken over, go out.
package xxlimport
