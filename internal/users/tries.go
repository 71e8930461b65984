package users

import (
	"context"
	"encoding/binary"
	"time"
)

// SignInTries counts recent failed sign-ins, across all servers and restarts. A meter is a
// number for the account or the network of a try. Kinds: Unavailable everywhere.
type SignInTries interface {
	// TriesDone returns when the counts of all meters have expired; zero when there are
	// none.
	TriesDone(ctx context.Context, meters []int64) (time.Time, error)
	// CountTry adds a step to each meter, and removes expired meters.
	CountTry(ctx context.Context, meters []int64, now time.Time, step time.Duration) error
}

// SignInStore stores the data that limits sign-ins.
type SignInStore interface {
	SignInPlaces
	SignInTries
}

// Digester returns a keyed digest of a text: the same on all servers, and irreversible
// without their key.
type Digester interface {
	Digest(purpose, text string) [32]byte
}

// metersOf returns the meters of a try, like the limiter: those of the account and of the
// network, or one for both together when the account has signed in from there before. They
// are numbers below 3 times [meterSlots].
func metersOf(key Digester, account, network string, known bool) []int64 {
	if known {
		return []int64{meterOf(key, 2, account+"\x00"+network)}
	}
	return []int64{meterOf(key, 0, network), meterOf(key, 1, account)}
}

func meterOf(key Digester, kind int64, name string) int64 {
	digest := key.Digest("sign-in tries", name)
	return kind*meterSlots + int64(binary.BigEndian.Uint64(digest[:])%meterSlots)
}
