package noise

import "plat/diff/noise/times"

// byPlace returns the edits between two texts that differ only in numbers, word by word: "17 + 42"
// and "42 + 63" share a number, but at different positions. ok is false if a word or a time differs.
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
