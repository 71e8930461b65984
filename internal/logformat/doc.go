// Package logformat reads and shows lines of logs: what is safe to show of them, when they
// were written, and which of them match.
//
// It knows text, and nothing of where it comes from. It must never know attempts, stores or
// terminals. Text of any bytes comes in: binary, invalid UTF-8, lines without an end;
// harmless text, instants and matches go out. All functions are pure and safe for
// concurrent use.
package logformat
