package watch

import (
	"slices"

	"plat/plat/calendar"
)

// pulledIn drops entries that are older than all known ones and have moved up to the end of a list of the latest entries, because one
// was removed: the list has not grown, and its dates descend.
func (m *Memory) pulledIn(l *list, unknown []*Entry) []*Entry {
	if len(unknown) == 0 || len(l.entries)-len(unknown) < leastFurther {
		return unknown
	}
	was := 0
	for i := range m.last {
		if m.last[i].shape == l.shape {
			was++
		}
	}
	if was < len(l.entries) {
		return unknown
	}
	last := calendar.Day{}
	for i := range l.entries {
		day := l.entries[i].Dated
		if !day.OK() || last.OK() && after(day, last) {
			return unknown
		}
		last = day
	}
	ends := len(l.entries)
	for ends > 0 && slices.Contains(unknown, &l.entries[ends-1]) {
		ends--
	}
	if ends == 0 {
		return unknown
	}
	oldest := l.entries[ends-1].Dated
	return slices.DeleteFunc(slices.Clone(unknown), func(e *Entry) bool { return after(oldest, e.Dated) })
}
