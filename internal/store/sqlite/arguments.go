package sqlite

import (
	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

const (
	// sharedBytes is the size of the buffer for the short texts and bytes of a statement;
	// each long one gets a separate buffer.
	sharedBytes = 64 << 10
	// maxBytes bounds a text: SQLite's own limit.
	maxBytes = 1_000_000_000
)

// arguments is the memory of the texts and bytes that are bound to running statements.
// SQLite reads them in place; they are freed when no statement runs any more.
type arguments struct {
	tls    *libc.TLS
	users  int // statements that run
	shared uintptr
	used   int
	long   []uintptr
}

// putText copies a text, and returns where it is, or a result code.
func putText[T string | []byte](a *arguments, text T) (at uintptr, rc int32) {
	if len(text) > maxBytes {
		return 0, lib.SQLITE_TOOBIG
	}
	if a.shared == 0 {
		if a.shared = lib.Xsqlite3_malloc64(a.tls, sharedBytes); a.shared == 0 {
			return 0, lib.SQLITE_NOMEM
		}
	}
	if len(text) <= sharedBytes-a.used {
		at = a.shared + uintptr(a.used)
		a.used += len(text)
	} else {
		if at = lib.Xsqlite3_malloc64(a.tls, uint64(len(text))); at == 0 {
			return 0, lib.SQLITE_NOMEM
		}
		a.long = append(a.long, at)
	}
	copy(bytesAt(at, len(text)), text)
	return at, lib.SQLITE_OK
}

// endUse ends the use of one statement.
func (a *arguments) endUse() {
	a.users--
	if a.users > 0 {
		return
	}
	a.used = 0
	for _, p := range a.long {
		lib.Xsqlite3_free(a.tls, p)
	}
	clear(a.long)
	a.long = a.long[:0]
}

// freeAll frees everything.
func (a *arguments) freeAll() {
	a.users = 0
	a.endUse()
	lib.Xsqlite3_free(a.tls, a.shared)
	a.shared = 0
}
