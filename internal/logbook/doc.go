// Package logbook names what is kept of the logs of attempts, and where: logs, chunks,
// packs, their index and the stores of blobs.
//
// The text of many logs travels to a store of blobs together, in packs: a pack is a row of
// chunks, a chunk some lines of one attempt, compressed and with a sum of its own. Where
// each chunk lies is a row in the database. What an attempt still owes when it has ended is
// a row too, written with its end: any server that finds it copies the rest.
//
// It has values and interfaces only. Package keeping copies and stores logs, package
// reading reads and searches them.
package logbook
