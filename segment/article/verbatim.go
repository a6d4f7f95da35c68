package article

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"plat/plat"
	"plat/segment/markup"
)

// verbatim is the text of a leaf as [markup.PlainText] sets it, and where in it the characters
// of plat.Block.Text are. The two have the same words, and other blanks between.
type verbatim struct {
	text, set string
	within    bool    // the leaf is in preformatted text
	at        []int32 // of text: every alignedBytes, from where on in set the rest of it is
}

const (
	alignedBytes = 64  // how many bytes of a text are between two that are located ahead
	maxBlanks    = 512 // bytes between two words that are walked over
)

// verbatimOf returns the formatted text of a leaf; within reports whether the leaf is in preformatted
// text, and earlier that its text is that of [markup.EarlierText]. It returns nil if that is not the text of its content, or has too large a gap.
func verbatimOf(b *plat.Block, within, earlier bool) *verbatim {
	v := &verbatim{text: b.Text, within: within}
	if earlier {
		v.set = markup.RubyPlainText(b.Content, b.Hidden, within)
	} else if within {
		v.set = markup.PreformattedText(b.Content, b.Hidden)
	} else {
		v.set = markup.PlainText(b.Content, b.Hidden)
	}
	v.at = make([]int32, 0, len(v.text)/alignedBytes+1)
	ok := v.walk(0, 0, func(i, j int) bool {
		for len(v.at)*alignedBytes <= i {
			v.at = append(v.at, int32(j))
		}
		return true
	})
	if !ok {
		return nil
	}
	return v
}

// walk calls f with each byte of the text from i on that is not a blank, and its position in set,
// from j on, until f returns false. It returns false where the two differ.
func (v *verbatim) walk(i, j int, f func(i, j int) bool) bool {
	for ; i < len(v.text); i++ {
		c := v.text[i]
		if c == ' ' || c == '\n' {
			continue
		}
		for from := j; j < len(v.set) && v.set[j] != c; {
			_, size := utf8.DecodeRuneInString(v.set[j:])
			if j-from > maxBlanks || !markup.Blank(v.set[j:j+size]) {
				return false
			}
			j += size
		}
		if j == len(v.set) {
			return false
		}
		if !f(i, j) {
			return true
		}
		j++
	}
	return true
}

// first returns the first byte from the k-th of those located ahead on for which is holds, in the
// text and in set; -1 if there is no such byte.
func (v *verbatim) first(k int, is func(i, j int) bool) (i, j int) {
	i, j = -1, -1
	if k < 0 || k >= len(v.at) {
		return i, j
	}
	v.walk(k*alignedBytes, int(v.at[k]), func(at, in int) bool {
		if is(at, in) {
			i, j = at, in
		}
		return i < 0
	})
	return i, j
}

// locate returns the position in set of the byte at i of the text, -1 if that byte is a blank or not
// in set.
func (v *verbatim) locate(i int) int {
	if at, j := v.first(i/alignedBytes, func(at, _ int) bool { return at >= i }); at == i {
		return j
	}
	return -1
}

// located returns the position in the text of the byte at j of set, -1 if there is no such byte.
func (v *verbatim) located(j int) int {
	k, ok := slices.BinarySearch(v.at, int32(j))
	if !ok {
		k--
	}
	if i, at := v.first(k, func(_, at int) bool { return at >= j }); at == j {
		return i
	}
	return -1
}

// begin returns the start in set of a passage whose text begins at i, -1 if it cannot begin there: it
// includes the indentation of its line.
func (v *verbatim) begin(i int) int {
	j := v.locate(i)
	for at := j; at >= 0; {
		r, size := utf8.DecodeLastRuneInString(v.set[:at])
		switch {
		case size == 0, r == '\n':
			return at
		case !markup.Blank(v.set[at-size : at]):
			return j
		}
		at -= size
	}
	return -1
}

// quote returns a part of the text as it is set.
func (v *verbatim) quote(from, to int) (string, error) {
	if v != nil {
		if i, j := v.begin(from), v.locate(to-1); i >= 0 && i <= j {
			return v.set[i : j+1], nil
		}
	}
	return "", fmt.Errorf("bytes %d to %d are not preformatted text of the block: %w", from, to, plat.ErrCorrupt)
}

// match compares the text of an article with the block, from i on in its text. n bytes are
// equal; they end in the block's text before to.
func (v *verbatim) match(text string, i int) (n, to int) {
	j := v.begin(i)
	if j < 0 {
		return 0, 0
	}
	most := min(len(text), len(v.set)-j)
	for n < most && text[n] == v.set[j+n] {
		n++
	}
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	n = len(strings.TrimRightFunc(text[:n], func(r rune) bool { return markup.Blank(string(r)) }))
	if n == 0 {
		return 0, 0
	}
	if to = v.located(j + n - 1); to < i {
		return 0, 0
	}
	return n, to + 1
}
