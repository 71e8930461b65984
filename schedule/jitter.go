package schedule

import (
	"fmt"
	"time"
)

// Seed returns the Seed of the schedules of a job. It is the 32-bit FNV-1a hash of
// the namespace, a zero byte and the key, so it is the same for ever.
func Seed(namespace, key string) uint32 {
	const offset, prime = 2166136261, 16777619
	hash := uint32(offset)
	for _, text := range [...]string{namespace, "\x00", key} {
		for i := range len(text) {
			hash = (hash ^ uint32(text[i])) * prime
		}
	}
	return hash
}

// checkJitter refuses a jitter that is out of range or finer than a millisecond.
func checkJitter(jitter time.Duration) error {
	switch {
	case jitter < 0 || jitter > MaxJitter:
		return &Error{
			Input: "jitter", Message: fmt.Sprintf("the jitter %s is out of range", shortDuration(jitter)),
			Hint: "allowed are 0s-" + shortDuration(MaxJitter),
		}
	case jitter%time.Millisecond != 0:
		return notWhole("jitter", "jitter", jitter)
	}
	return nil
}

// jitterOf returns the time that a seed picks: whole milliseconds, not negative
// and below the jitter. Seeds that lie close together pick times that do not.
func jitterOf(jitter time.Duration, seed uint32) time.Duration {
	seed ^= seed >> 16
	seed *= 0x85ebca6b
	seed ^= seed >> 13
	seed *= 0xc2b2ae35
	seed ^= seed >> 16
	return time.Duration(uint64(seed)*uint64(jitter.Milliseconds())>>32) * time.Millisecond
}
