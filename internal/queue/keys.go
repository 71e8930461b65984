package queue

import "encoding/binary"

// Buckets of the file. Those of a queue are the queue's name, a dot, and the
// store's name.
const (
	configBucket     = "config"
	quarantineBucket = "quarantine"
	metadataStore    = "metadata"
)

func bucketOf(queue, store string) string { return queue + "." + store }

// placeBucket returns the bucket that has the records of a place.
func placeBucket(queue string, p Place) string { return bucketOf(queue, p.String()) }

// Keys of the config store.
const (
	formatKey   = "format"
	seqKey      = "seq"
	queuePrefix = "queue/" // + queue name: its header
	metaPrefix  = "meta/"  // + name: a value of the caller's
)

// First bytes of keys where a store holds two kinds of row. In scheduled: the
// record by Seq, and its mark in the order of (Due, Seq). In metadata: the
// index row of a key, and the key by its number in the order of finishing.
const (
	dueRow      = 'd'
	recordRow   = 'r'
	indexRow    = 'i'
	finishedRow = 'o'
)

// present is the value of a row that has none.
var present = []byte{1}

func recordKey(seq uint64) []byte { return numberKey(recordRow, seq) }

func finishedKey(number uint64) []byte { return numberKey(finishedRow, number) }

func indexKey(key int64) []byte { return numberKey(indexRow, ordered(key)) }

func dueKey(ms int64, seq uint64) []byte {
	b := append(make([]byte, 0, 17), dueRow)
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(b, ordered(ms)), seq)
}

// parseDueKey returns the parts of a key made by dueKey.
func parseDueKey(k []byte) (ms int64, seq uint64, ok bool) {
	if len(k) != 17 || k[0] != dueRow {
		return 0, 0, false
	}
	return unordered(binary.BigEndian.Uint64(k[1:])), binary.BigEndian.Uint64(k[9:]), true
}

func numberKey(row byte, n uint64) []byte {
	return binary.BigEndian.AppendUint64(append(make([]byte, 0, 9), row), n)
}

// parseNumberKey returns the number of a key made by numberKey.
func parseNumberKey(row byte, k []byte) (uint64, bool) {
	if len(k) != 9 || k[0] != row {
		return 0, false
	}
	return binary.BigEndian.Uint64(k[1:]), true
}
