// Package recent provides a map of bounded size that drops the oldest entries.
package recent

// Map holds two generations of at most Max entries each. When the younger is full, the older is
// forgotten. To keep an entry that is still in use, Put it again: Get does not renew it. A Map
// needs no constructor: set Max, and it is ready. It is not safe for concurrent use.
type Map[K comparable, V any] struct {
	Max      int // of a generation
	now, old map[K]V
}

// Get returns an entry.
func (m *Map[K, V]) Get(key K) (V, bool) {
	v, ok := m.now[key]
	if !ok {
		v, ok = m.old[key]
	}
	return v, ok
}

// Has reports whether there is an entry.
func (m *Map[K, V]) Has(key K) bool { _, ok := m.Get(key); return ok }

// Put adds an entry to the younger generation, or replaces it there.
func (m *Map[K, V]) Put(key K, v V) {
	if _, there := m.now[key]; !there && (m.now == nil || len(m.now) >= m.Max) {
		m.now, m.old = make(map[K]V), m.now
	}
	m.now[key] = v
}

// Len returns the number of entries; those in both generations count twice.
func (m *Map[K, V]) Len() int { return len(m.now) + len(m.old) }

// All yields the entries, those of the older generation first. One that is in both
// comes twice.
func (m *Map[K, V]) All(yield func(K, V) bool) {
	for _, generation := range []map[K]V{m.old, m.now} {
		for k, v := range generation {
			if !yield(k, v) {
				return
			}
		}
	}
}
