package route

// recent is a map that keeps the entries used last, at most limit of them and
// at least half as many. It has two generations: when the young one is full it
// becomes the old one and the old one is dropped; a look-up that finds an entry
// in the old one moves it. So every operation is O(1). It is not safe for
// concurrent use.
type recent[K comparable, V any] struct {
	half       int
	young, old map[K]V
}

func newRecent[K comparable, V any](limit int) *recent[K, V] {
	return &recent[K, V]{half: max(limit/2, 1), young: map[K]V{}}
}

// get returns the entry and marks it as used.
func (m *recent[K, V]) get(key K) (V, bool) {
	if value, found := m.young[key]; found {
		return value, true
	}
	value, found := m.old[key]
	if found {
		m.put(key, value)
	}
	return value, found
}

// put sets the entry and marks it as used.
func (m *recent[K, V]) put(key K, value V) {
	if _, found := m.young[key]; !found && len(m.young) >= m.half {
		m.old, m.young = m.young, make(map[K]V)
	}
	m.young[key] = value
}

// size returns the number of entries held, counting one that is in both
// generations twice.
func (m *recent[K, V]) size() int { return len(m.young) + len(m.old) }
