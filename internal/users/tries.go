package users

import (
	"context"
	"encoding/binary"
	"time"
)

// SignInTries keeps how many tries to sign in have failed lately, on all servers
// together and over restarts. A meter is a number that stands for who tried, or whom.
// Kinds: Unavailable everywhere.
type SignInTries interface {
	// TriesDone returns when all of the meters will have worked off what was counted;
	// zero when nothing was.
	TriesDone(ctx context.Context, meters []int64) (time.Time, error)
	// CountTry adds a step to what each of the meters has to work off from now on, and
	// forgets all meters that have worked off everything.
	CountTry(ctx context.Context, meters []int64, now time.Time, step time.Duration) error
}

// SignInStore keeps what bounds the tries to sign in.
type SignInStore interface {
	SignInPlaces
	SignInTries
}

// Digester returns what stands for a text where nobody may read it: the same for the
// same text on all servers, and nothing that can be found out without their key.
type Digester interface {
	Digest(purpose, text string) [32]byte
}

// metersOf returns the meters of a try, as the limiter has them: of the account and the
// network, or of the two together where the account has signed in before. They are
// numbers below 3 times [meterSlots].
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
