package noise

import "plat/diff/noise/times"

// byPlace are the edits between two texts that differ in numbers alone, word for word: "17 + 42"
// and "42 + 63" have a number in common, but it stands elsewhere. ok is false if other words
// differ, or times.
func byPlace(was, is *words) (all []Edit, ok bool) {
	if len(was.all) != len(is.all) {
		return nil, false
	}
	for i := range was.all {
		a, b := &was.all[i], &is.all[i]
		if a.text == b.text {
			continue
		}
		if a.Kind != times.Word || a.shape() != '0' || b.shape() != '0' {
			return nil, false
		}
		all = append(all, Edit{Old: a.Span, New: b.Span})
	}
	return all, true
}
