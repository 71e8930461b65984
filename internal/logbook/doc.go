// Package logbook keeps the logs of attempts: it copies them from executors while they are
// written, stores them, reads them again, and deletes them when their retention is over.
//
// It knows attempts, lines of text, and what is stored where. It must never know protocols,
// SQL, files or the HTTP of readers. Lines come in from executors, which push them or are
// asked; pages, lines as they are written, and the results of searches go out.
//
// The text of many logs travels to a store of blobs together, in packs: a pack is a row of
// chunks, a chunk some lines of one attempt, compressed and with a sum of its own. Where
// each chunk lies is a row in the database. What an attempt still owes when it has ended is
// a row too, written with its end: any server that finds it copies the rest.
package logbook
