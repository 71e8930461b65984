package thread

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrFormat is wrapped by every error about bytes that are no account of the kind asked for.
var ErrFormat = errors.New("not the expected account")

// reader takes values off borsh bytes, little endian. After the first that is not there it gives zeros, and keeps the error.
type reader struct {
	data []byte
	at   int
	err  error
}

// keepError keeps the first error.
func (r *reader) keepError(format string, a ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: byte %d: %s", ErrFormat, r.at, fmt.Sprintf(format, a...))
	}
}

// bytes returns the next n bytes; they are the account's own.
func (r *reader) bytes(n int, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > len(r.data)-r.at {
		r.keepError("%s needs %d bytes, %d are left", what, n, len(r.data)-r.at)
		return nil
	}
	taken := r.data[r.at : r.at+n : r.at+n]
	r.at += n
	return taken
}

func (r *reader) u8(what string) uint8 {
	if b := r.bytes(1, what); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u32(what string) uint32 {
	if b := r.bytes(4, what); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u64(what string) uint64 {
	if b := r.bytes(8, what); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) i64(what string) int64 {
	return int64(r.u64(what))
}

// readFlag is a boolean, which is 0 or 1 and nothing else.
func (r *reader) readFlag(what string) bool {
	b := r.u8(what)
	if b > 1 {
		r.keepError("%s is %d, which is neither no (0) nor yes (1)", what, b)
	}
	return b == 1
}

func (r *reader) readKey(what string) (k Key) {
	copy(k[:], r.bytes(len(k), what))
	return k
}

// count is the length of a list whose items have size bytes each at least, and which has limit items at most.
func (r *reader) count(size, limit int, what string) int {
	n := r.u32(what)
	if r.err != nil {
		return 0
	}
	if left := (len(r.data) - r.at) / size; int64(n) > int64(left) {
		r.keepError("%s has %d items, %d bytes are left", what, n, len(r.data)-r.at)
		return 0
	}
	if int64(n) > int64(limit) {
		r.keepError("%s has %d items, %d are the limit", what, n, limit)
		return 0
	}
	return int(n)
}

// readList is a copy of a list of bytes.
func (r *reader) readList(limit int, what string) []byte {
	return append([]byte(nil), r.bytes(r.count(1, limit, what), what)...)
}

func (r *reader) readText(limit int, what string) string {
	return string(r.bytes(r.count(1, limit, what), what))
}

func (r *reader) readKeys(limit int, what string) []Key {
	n := r.count(len(Key{}), limit, what)
	if n == 0 {
		return nil
	}
	keys := make([]Key, n)
	for i := range keys {
		keys[i] = r.readKey(what)
	}
	return keys
}

// begins takes the discriminator off, and fails when it is another.
func (r *reader) begins(account string) {
	if got := r.bytes(len(Discriminator{}), "discriminator"); r.err == nil && Discriminator(got) != AccountDiscriminator(account) {
		r.at = 0
		r.keepError("it begins with %x; a %s begins with %x", got, account, AccountDiscriminator(account))
	}
}
