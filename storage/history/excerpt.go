package history

// Context shown around a change, and length shown of an entirely new or removed
// text, in characters.
const (
	aroundChange = 120
	ofWhole      = 1200
)

// Excerpt returns a copy of a word diff without the unchanged text that is far from every change.
func Excerpt(words []Word) []Word {
	out := make([]Word, len(words))
	for i, w := range words {
		r := []rune(w.Text)
		switch {
		case len(words) == 1 && len(r) > ofWhole:
			w.Text = string(r[:ofWhole]) + " …"
		case w.Op == "equal" && len(r) > 2*aroundChange+20:
			head, tail := string(r[:aroundChange]), string(r[len(r)-aroundChange:])
			if i == 0 {
				head = ""
			}
			if i == len(words)-1 {
				tail = ""
			}
			w.Text = head + " … " + tail
		}
		out[i] = w
	}
	return out
}
