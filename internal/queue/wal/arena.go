package wal

const (
	arenaChunk = 64 << 10
	arenaLarge = arenaChunk / 8 // from here on bytes get memory of their own
)

// arena copies small pieces of bytes into few large ones. A large one lives as
// long as any piece of it, so what entries hold is bounded by what a log file
// takes.
type arena struct{ room []byte }

// keep returns a copy, never nil.
func (a *arena) keep(b []byte) []byte {
	if len(b) >= arenaLarge {
		return append(make([]byte, 0, len(b)), b...)
	}
	if len(b) > cap(a.room)-len(a.room) || a.room == nil {
		a.room = make([]byte, 0, arenaChunk)
	}
	at := len(a.room)
	a.room = append(a.room, b...)
	return a.room[at:len(a.room):len(a.room)]
}
