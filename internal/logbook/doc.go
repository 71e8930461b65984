// Package logbook keeps the logs of attempts: it copies them from executors while
// they are written, stores them, reads them again, and forgets them when their
// time is over.
//
// It knows attempts, lines of text, and what is stored where. It must never know
// protocols, SQL, files or the HTTP of those who read. Lines come in from
// executors, which bring them or are asked; pages, lines as they are written, and
// what a search found go out.
//
// The text of many logs travels to a store of blobs together, in packs: a pack is
// a row of chunks, a chunk some lines of one attempt, compressed and with a sum of
// its own. Where each chunk lies is a row in the database. What an attempt still
// owes when it has ended is a row too, written with its end: whoever finds it
// copies the rest.
package logbook
