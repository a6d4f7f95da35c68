package label

// Terms splits the texts of one page into terms: the words that are not stop words, as stems in lower
// case, by the methods that find topics. It is not safe for concurrent use.
type Terms struct {
	describer *Describer
	words     *words
}

// Terms prepares for texts in a language, an ISO 639-1 code; "" is found by the texts.
func (d *Describer) Terms(code string, texts []string) *Terms {
	return &Terms{d, d.words(d.detect(code, texts), texts)}
}

// Each calls yield with the terms of a text in order, until yield returns false.
func (t *Terms) Each(text string, yield func(term string) bool) {
	t.EachWord(text, func(_, term string) bool { return yield(term) })
}

// EachWord yields the terms as Each does, with the words as written in the text.
func (t *Terms) EachWord(text string, yield func(word, term string) bool) {
	t.words.each(text, func(word string, s script) bool {
		word = t.words.bare(word, s)
		if t.words.stop(word, s) {
			return true
		}
		return yield(word, t.words.stem(word, s))
	})
}
