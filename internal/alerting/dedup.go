package alerting

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// entryKey identifies an event of an alarm.
type entryKey struct{ alarm, event int64 }

// seenEntry reports whether this pass has counted an event for an alarm already, and
// records it. The cursor excludes events of earlier passes.
func (d *evaluation) seenEntry(alarm, event int64) bool {
	key := entryKey{alarm, event}
	known := d.counted[key]
	d.counted[key] = true
	return known
}

// seenEvent reports whether the group has an event already, from another kind of the same
// rule, and records it.
func (b *AlarmGroup) seenEvent(event int64) bool {
	if event == 0 || event != b.Fresh.LastEvent {
		b.Fresh.LastEvent = event
		return false
	}
	return true
}

// messageKey identifies a message, whichever server makes it. The store accepts each key
// once.
func (b *AlarmGroup) messageKey() string { return fmt.Sprintf("b%d.%d.%d", b.ID, b.Episode, b.Seq) }

// dedupKey is the same for all messages of an episode, from the first alarm until the last
// one is resolved.
func (b *AlarmGroup) dedupKey() string { return fmt.Sprintf("%d.%d", b.ID, b.Episode) }

// queueKey identifies messages that are sent in order: the recovery message follows the
// messages about the alarm.
func (b *AlarmGroup) queueKey() string { return fmt.Sprintf("b%d", b.ID) }

// combinedKey is the queue key and the dedup key of messages that combine many groups of a
// channel. They count as one incident until one of them reports the recovery.
func combinedKey(channel int64) string { return fmt.Sprintf("c%d", channel) }

// fingerprint returns a hash of the addresses that does not depend on their order.
func fingerprint(addresses []string) uint64 {
	sorted := slices.Sorted(slices.Values(addresses))
	h := fnv.New64a()
	h.Write([]byte(strings.Join(sorted, "\n")))
	return h.Sum64()
}
