// Package wal puts a write-ahead log in front of a queue back end: a commit is
// one append to a preallocated file and one sync, and rows that live for
// milliseconds never reach the back end behind it.
//
// It knows transactions of rows, two log files and the back end inside. It must
// never know items or queues. Transactions of internal/queue come in; durable
// records and, now and then, one large transaction of the back end inside go
// out.
//
// # State
//
// What a reader sees is three layers, the first that knows a key decides:
//
//	active   changes since the last checkpoint began   in one log file
//	frozen   changes that a checkpoint is writing       in the other log file
//	inside   the back end: everything before
//
// A transaction is a record in the current log file. When the active layer or
// its file has grown enough, it is frozen, a goroutine writes it to the back
// end inside in one transaction, and commits go on with the other file. While
// that takes longer than a second layer needs to fill up twice over, commits
// wait. A layer forgets a row that was inserted and deleted within it.
//
// # Recovery
//
// A record has the number of its transaction and a checksum. The back end
// inside keeps, in the same transactions, the number up to which it has all.
// [Open] replays what is above. A last record that is incomplete is what a
// power cut leaves. A bad record with good ones behind it is damage: all that
// can be read is replayed, and the file is set aside under another name.
//
// # Failure
//
// After a failed write or sync nobody knows what of it is on the disk, so
// nothing is ever written behind it. The transaction, together with all that
// is not yet there, goes to the back end inside in one commit under its own
// number: whatever the log file says about that number is thereby void. Then
// the file starts anew. A log that cannot be written thus makes commits
// slower, and only a back end that cannot be written makes them fail.
package wal
