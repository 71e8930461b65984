package alerting

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
)

// entryKey is an event of an alarm.
type entryKey struct{ alarm, event int64 }

// seen reports whether an alarm has counted an event already in this pass, and
// remembers that it has now. Events of earlier passes lie behind the cursor.
func (d *desk) seen(alarm, event int64) bool {
	key := entryKey{alarm, event}
	known := d.counted[key]
	d.counted[key] = true
	return known
}

// twice reports whether a bunch has heard of an event already, from another kind of
// the same rule, and remembers that it has now.
func (b *Bunch) twice(event int64) bool {
	if event == 0 || event != b.Fresh.LastEvent {
		b.Fresh.LastEvent = event
		return false
	}
	return true
}

// messageKey is the same for the same message, whoever makes it: the store takes it
// once.
func (b *Bunch) messageKey() string { return fmt.Sprintf("b%d.%d.%d", b.ID, b.Episode, b.Seq) }

// dedup is the same for all that is told from the time that the first alarm of a
// bunch fires until the last one is over.
func (b *Bunch) dedup() string { return fmt.Sprintf("%d.%d", b.ID, b.Episode) }

// line is what is told in order: who hears that something is over has heard that it
// began.
func (b *Bunch) line() string { return fmt.Sprintf("b%d", b.ID) }

// collected is the line, and the dedup, of the messages in which a channel tells of
// many bunches at once: they are about one trouble until one of them says that it is
// over.
func collected(channel int64) string { return fmt.Sprintf("c%d", channel) }

// fingerprint returns a number that is the same for the same addresses in any order.
func fingerprint(addresses []string) uint64 {
	sorted := slices.Sorted(slices.Values(addresses))
	h := fnv.New64a()
	h.Write([]byte(strings.Join(sorted, "\n")))
	return h.Sum64()
}
