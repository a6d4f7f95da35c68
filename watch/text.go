package watch

import (
	"strings"
	"unicode"

	"golang.org/x/net/html/atom"
)

// lines returns the visible texts of a record, one for each paragraph, cell or the like. It
// returns the hidden texts if no text is visible, as in a list that a click unfolds.
func (t *tree) lines(r record) []string {
	if out := t.linesOf(r, false); len(out) > 0 {
		return out
	}
	return t.linesOf(r, true)
}

// Reading a record stops when it has both minLines lines and maxExcerpt bytes. A line, or the
// text of an element, ends after about maxLine bytes.
const (
	minLines = 8
	maxLine  = 4096
)

func (t *tree) linesOf(r record, hidden bool) []string {
	var out []string
	var b strings.Builder
	last, size := int32(-1), 0
	flush := func() {
		if s := strings.TrimSpace(b.String()); s != "" {
			out = append(out, s)
			size += len(s)
		}
		b.Reset()
	}
	for i := r.first; i < r.end && (len(out) < minLines || size < maxExcerpt); i++ {
		n := &t.nodes[i]
		if !n.isText() {
			if !inline(n.tag) {
				flush()
			}
			continue
		}
		if n.hidden && !hidden {
			continue
		}
		if last >= 0 && t.broken(last, i) {
			flush()
		}
		last = i
		if b.Len() < maxLine {
			n.put(&b)
		}
	}
	flush()
	return out
}

// broken reports whether a block-level element ends between two texts.
func (t *tree) broken(a, b int32) bool {
	for i := t.nodes[a].parent; i >= 0 && t.nodes[i].end <= b; i = t.nodes[i].parent {
		if !inline(t.nodes[i].tag) {
			return true
		}
	}
	return false
}

// textOf returns the text of a subtree in one line, or the alternative text of its first image.
func (t *tree) textOf(i int32) string {
	var b strings.Builder
	alt := ""
	for c := i; c < t.nodes[i].end && b.Len() < maxLine; c++ {
		switch n := &t.nodes[c]; {
		case n.isText():
			n.put(&b)
		case n.tag == atom.Img && alt == "":
			alt = n.text
		case !inline(n.tag):
			put(&b, " ")
		}
	}
	if s := strings.TrimSpace(b.String()); s != "" {
		return s
	}
	return strings.Join(strings.Fields(alt), " ")
}

// put appends a text node.
func (n *node) put(b *strings.Builder) {
	if n.apart {
		put(b, " ")
	}
	put(b, cut(n.text, maxLine))
}

// put appends a text, with each run of white space as one blank.
func put(b *strings.Builder, s string) {
	for _, r := range s {
		switch {
		case !unicode.IsSpace(r):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), " "):
			b.WriteByte(' ')
		}
	}
}

// inline reports whether an element is part of a line of text.
func inline(tag atom.Atom) bool {
	switch tag {
	case atom.A, atom.Abbr, atom.B, atom.Bdi, atom.Cite, atom.Code, atom.Em, atom.Font, atom.I, atom.Img, atom.Ins, atom.Kbd,
		atom.Label, atom.Mark, atom.Q, atom.S, atom.Samp, atom.Small, atom.Span, atom.Strong, atom.Sub, atom.Sup, atom.Time,
		atom.Tt, atom.U, atom.Var, atom.Wbr:
		return true
	}
	return false
}

// count returns the number of characters that are not white space.
func count(s string) int {
	n := 0
	for _, r := range s {
		if !unicode.IsSpace(r) {
			n++
		}
	}
	return n
}
