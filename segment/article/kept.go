package article

import (
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"unicode/utf8"

	"plat/plat"
	"plat/segment/markup"
)

// Keep returns the form of the article that is stored with a version, from which [Restore]
// restores it: the text becomes references to the texts of the blocks and of the layout, which
// must be those of the same snapshot. It takes time linear in them.
//
// The text of an article and those of the blocks are made from the same nodes by different
// rules for hidden text, line breaks and omitted characters. So Keep searches the longest
// possible pieces of the text, and keeps the rest literally. It truncates a text whose passages
// would take more than a megabyte: it is not an article, and a document of MongoDB holds 16 MB.
// For other kinds of pages it keeps no text: the blocks of the content have it.
func (a Article) Keep(page *plat.Page) *plat.Article {
	k := &plat.Article{Kind: a.Kind, Title: a.Title, Authors: a.Authors, Date: a.Date}
	kept := a.Text
	if inPassages(a.Kind) {
		f := newFinder(a.Text, page)
		for f.at < len(f.text) && passageBytes*len(f.found)+f.missed < maxKept {
			f.next()
		}
		f.flush()
		k.Text, kept = f.found, a.Text[:f.at]
	}
	k.Sum = crc32.ChecksumIEEE([]byte(kept))
	return k
}

// inPassages reports whether the text of pages of a kind is kept as passages.
func inPassages(k plat.PageKind) bool { return k == "" || k == plat.KindArticle }

// Needs returns the contents of blocks that [Restore] reads, and whether it reads the layout.
func Needs(k *plat.Article, blocks []plat.Block) (contents []plat.Hash, layout bool) {
	for i := range blocks {
		if b := &blocks[i]; !inPassages(k.Kind) && ofContent(b) || ofComments(b, k.Kind) {
			contents = append(contents, b.Hash)
		}
	}
	layout = len(contents) > 0
	if !inPassages(k.Kind) {
		return contents, layout
	}
	opens := make([]int, len(blocks)+1) // passages that begin at a block, less those that have ended before it
	for i := range k.Text {
		p := &k.Text[i]
		layout = layout || p.First == plat.OfLayout || p.Verbatim
		if p.First >= 0 && p.First <= p.Last && int(p.Last) < len(blocks) {
			opens[p.First]++
			opens[p.Last+1]--
		}
	}
	open := 0
	for i := range blocks {
		if open += opens[i]; open > 0 && blocks[i].Leaf() && !ofComments(&blocks[i], k.Kind) {
			contents = append(contents, blocks[i].Hash)
		}
	}
	return contents, layout
}

// Restore returns the article that was stored with a version. The blocks listed by [Needs] must have
// their contents and texts; l is the page's layout if Needs requests it, else nil. It returns
// plat.ErrCorrupt if the result is not the original text.
func Restore(k *plat.Article, blocks []plat.Block, l *plat.Layout) (Article, error) {
	if l == nil {
		l = &plat.Layout{}
	}
	a := Article{Kind: k.Kind, Title: k.Title, Authors: k.Authors, Date: k.Date}
	found := func() bool { return crc32.ChecksumIEEE([]byte(a.Text)) == k.Sum }
	var err error
	apart := true
	if inPassages(k.Kind) {
		if a.Text, err = quoted(k, newQuoter(k, l, blocks, false)); err != nil || !found() {
			q := newQuoter(k, l, slices.Clone(blocks), true)
			for i := range q.blocks {
				if b := &q.blocks[i]; len(b.Content) > 0 {
					b.Text = markup.EarlierText(b.Content, b.Hidden)
				}
			}
			var earlier string
			if earlier, err = quoted(k, q); err == nil {
				a.Text = earlier
			}
		}
	} else {
		for i, form := range []func() string{
			func() string { return whole(blocks, l, k.Kind) },
			func() string { return textOfLeaves(blocks, l, ofContent) },
			func() string { return rubyWhole(blocks, l) },
			func() string { return earlierWhole(blocks) },
		} {
			if a.Text = form(); found() {
				apart = i == 0 // the earlier forms have the comments in the text
				break
			}
		}
	}
	if err != nil {
		return Article{}, err
	}
	if !found() {
		return Article{}, fmt.Errorf("checksum of the text: %w", plat.ErrCorrupt)
	}
	if apart {
		a.Comments = comments(blocks, l, k.Kind)
	}
	return a, nil
}

// quoted returns the text of the passages.
func quoted(k *plat.Article, q *quoter) (string, error) {
	var b strings.Builder
	for i := range k.Text {
		p := &k.Text[i]
		b.WriteString(p.Before.String())
		if err := q.quote(&b, p); err != nil {
			return "", fmt.Errorf("passage %d of the text: %w", i, err)
		}
		if b.Len() > maxText {
			return "", fmt.Errorf("the text has more than %d bytes: %w", maxText, plat.ErrCorrupt)
		}
	}
	return b.String(), nil
}

// maxText is larger than the text of any page; damaged passages may repeat one another.
const maxText = 1 << 28

// quoter quotes the texts of a page.
type quoter struct {
	blocks []plat.Block
	layout string              // its text
	pre    []bool              // which of its slots are in preformatted text
	set    map[int32]*verbatim // by block

	earlier bool // the texts of the blocks are those of [markup.EarlierText]
}

// newQuoter returns a quoter for the passages of a text. earlier says that the texts are those of [markup.EarlierText].
func newQuoter(k *plat.Article, l *plat.Layout, blocks []plat.Block, earlier bool) *quoter {
	q := &quoter{blocks: blocks, set: map[int32]*verbatim{}, earlier: earlier}
	preformatted, text := markup.Preformatted, markup.LayoutText
	if earlier {
		preformatted, text = markup.EarlierPreformatted, markup.EarlierLayoutText
	}
	q.pre = preformatted(l)
	if slices.ContainsFunc(k.Text, func(p plat.Passage) bool { return p.First == plat.OfLayout }) {
		q.layout = text(l.HTML)
	}
	return q
}

// verbatim returns the formatted text of a block, nil if it is not preformatted text.
func (q *quoter) verbatim(i int32) *verbatim {
	v, known := q.set[i]
	if !known {
		if b := &q.blocks[i]; q.preformatted(b) {
			v = verbatimOf(b, inSlot(q.pre, b.Slot), q.earlier)
		}
		q.set[i] = v
	}
	return v
}

// preformatted reports whether a block is a leaf with preformatted text, or in such.
func (q *quoter) preformatted(b *plat.Block) bool {
	return b.Leaf() && (inSlot(q.pre, b.Slot) || markup.HasPreformatted(b.Content))
}

// quote appends a passage.
func (q *quoter) quote(b *strings.Builder, p *plat.Passage) error {
	blocks, layout := q.blocks, q.layout
	switch {
	case p.First == plat.Literally:
		b.WriteString(p.Literal)
		return nil
	case p.Verbatim && p.First >= 0 && p.First == p.Last && int(p.First) < len(blocks):
		text, err := q.verbatim(p.First).quote(p.From, p.To)
		b.WriteString(text)
		return err
	case p.Verbatim, p.Last < p.First || p.First < plat.OfLayout || p.First == plat.OfLayout && p.Last != p.First || int(p.Last) >= len(blocks):
		return fmt.Errorf("it is in blocks %d to %d of %d: %w", p.First, p.Last, len(blocks), plat.ErrCorrupt)
	}
	begun := false
	for i := p.First; i <= p.Last; i++ {
		text := layout
		if i >= 0 {
			text = blocks[i].Text
		}
		from, to := 0, len(text)
		if i == p.First {
			from = p.From
		}
		if i == p.Last {
			to = p.To
		}
		if from < 0 || from > to || to > len(text) {
			return fmt.Errorf("it is in bytes %d to %d of the %d of block %d: %w", from, to, len(text), i, plat.ErrCorrupt)
		}
		if from == to {
			continue
		}
		if begun {
			b.WriteString(p.Line.String())
		}
		begun = true
		b.WriteString(strings.ReplaceAll(text[from:to], "\n", p.Line.String()))
	}
	return nil
}

// Limits of the search.
const (
	keyLength = 24 // bytes that are looked for
	leastFind = 8  // shorter pieces cost as much as a reference
	leastHere = 4  // the same at the place where the text continues

	// searchFactor limits how often the texts of the blocks are read in search of pieces
	// that they do not have. Of 204 articles two reach it, whose text is mostly in neither;
	// without a limit 5 % less would be literal.
	searchFactor = 32

	maxKept      = 1 << 20 // bytes of passages
	passageBytes = 80      // of a passage that is not literal, in MongoDB
)

// finder finds the pieces of a text in the texts of blocks.
type finder struct {
	text string // that is to be kept
	at   int    // how far it is

	all    string  // texts of the leaves, then that of the layout, as lines
	starts []start // of them
	layout int     // where in all that of the layout begins
	quoter *quoter
	walls  []int // where in all that of a leaf with preformatted text begins
	here   int   // where in all the last piece ended
	budget int   // bytes that may still be searched

	found   []plat.Passage
	literal int // where pieces begin that were not found; -1: all are
	missed  int // bytes of all pieces that were not found
}

// start is the position in finder.all at which the text of a leaf begins.
type start struct {
	at    int
	block int32
}

func newFinder(text string, page *plat.Page) *finder {
	f := &finder{text: text, literal: -1, quoter: newQuoter(&plat.Article{}, &page.Layout, page.Blocks, false)}
	if text == "" {
		return f
	}
	var b strings.Builder
	layout := markup.LayoutText(page.Layout.HTML)
	length := len(layout) + 1
	for i := range page.Blocks {
		if b := &page.Blocks[i]; b.Leaf() {
			length += len(b.Text) + 1
		}
	}
	b.Grow(length) // growing takes more than twice as much
	add := func(t string, block int32) {
		if t != "" {
			f.starts = append(f.starts, start{b.Len(), block})
			b.WriteString(t)
			b.WriteByte('\n')
		}
	}
	for i := range page.Blocks {
		if page.Blocks[i].Leaf() {
			if f.quoter.preformatted(&page.Blocks[i]) {
				f.walls = append(f.walls, b.Len())
			}
			add(page.Blocks[i].Text, int32(i))
		}
	}
	f.layout = b.Len()
	add(layout, plat.OfLayout)
	f.all = b.String()
	f.budget = searchFactor*len(f.all) + 1<<16
	return f
}

// gapOf returns the gap at the start of s. Several blanks are not a gap: they occur in code.
func gapOf(s string) plat.Gap {
	if strings.HasPrefix(s, "  ") {
		return plat.NoGap
	}
	for g := plat.EmptyLine; g > plat.NoGap; g-- {
		if strings.HasPrefix(s, g.String()) {
			return g
		}
	}
	return plat.NoGap
}

// next takes one piece of the text: one that the blocks have, or a word.
func (f *finder) next() {
	before := gapOf(f.text[f.at:])
	from := f.at + len(before.String())
	if from >= len(f.text) {
		f.miss(from)
		return
	}
	here := f.here
	for here < len(f.all) && (f.all[here] == ' ' || f.all[here] == '\n') {
		here++
	}
	p, n, to := f.match(from, here)
	line := p.Verbatim && (to == len(f.all) || f.all[to] == '\n') // of code, which stays whole
	if n < leastHere && !line {
		if here = f.search(from); here >= 0 {
			p, n, to = f.match(from, here)
		}
		if here < 0 || n < leastFind {
			f.miss(from)
			return
		}
	}
	f.flush()
	p.Before = before
	f.place(&p, here, to)
	f.found = append(f.found, p)
	f.at, f.here = from+n, to
}

// miss puts a word that was not found aside.
func (f *finder) miss(from int) {
	if f.literal < 0 {
		f.literal = f.at
	}
	began := f.at
	_, size := utf8.DecodeRuneInString(f.text[min(from, len(f.text)):])
	f.at = from + size
	if i := strings.IndexAny(f.text[f.at:], " \n"); i >= 0 {
		f.at += i
	} else {
		f.at = len(f.text)
	}
	f.missed += f.at - began
}

// flush stores the literal text that is pending.
func (f *finder) flush() {
	if f.literal < 0 {
		return
	}
	s := f.text[f.literal:f.at]
	before := gapOf(s)
	f.found = append(f.found, plat.Passage{Before: before, First: plat.Literally, Last: plat.Literally, Literal: s[len(before.String()):]})
	f.literal = -1
}

// search returns where in the blocks a piece of the text may be that begins at from: after the
// last piece, else before it; -1 if nowhere.
func (f *finder) search(from int) int {
	line := f.text[from:min(len(f.text), from+maxBlanks)]
	line, _, _ = strings.Cut(strings.TrimLeft(line, " \t"), "\n")
	key := line[:min(len(line), keyLength)]
	if strings.Contains(key, "  ") || strings.Contains(key, "\t") { // which no text of a block has
		key = markup.Words(line)
		key = key[:min(len(key), keyLength)]
	}
	if len(key) < leastHere || f.budget < 0 {
		return -1
	}
	if i := strings.Index(f.all[f.here:], key); i >= 0 {
		f.budget -= i
		return f.here + i
	}
	f.budget -= len(f.all)
	return strings.Index(f.all[:f.here], key)
}

// match compares the text at from with the blocks at here. n bytes of the text are the bytes
// of the blocks up to to, in one of the ways to set them; they end in a word, and with a character.
func (f *finder) match(from, here int) (p plat.Passage, n, to int) {
	p, n, to = f.matchLines(from, here)
	if here >= f.layout {
		return p, n, to
	}
	leaf := f.leafAt(here)
	if v := f.quoter.verbatim(leaf.block); v != nil {
		if more, end := v.match(f.text[from:], here-leaf.at); more > n || more > 0 && more == n && v.within {
			return plat.Passage{Verbatim: true}, more, leaf.at + end
		}
	}
	return p, n, to
}

// matchLines matches as match does, with one gap in place of all line ends.
func (f *finder) matchLines(from, here int) (p plat.Passage, n, to int) {
	end := len(f.all)
	if here < f.layout {
		end = f.layout // a passage does not extend into the layout
	}
	if i, _ := slices.BinarySearch(f.walls, here+1); i < len(f.walls) {
		end = min(end, f.walls[i]) // nor does it in code
	}
	i, k := from, here
	to = here
	lined := false
	for i < len(f.text) && k < end {
		if f.all[k] != '\n' {
			if f.all[k] != f.text[i] {
				break
			}
			if i, k = i+1, k+1; f.all[k-1] != ' ' && (i == len(f.text) || utf8.RuneStart(f.text[i])) {
				n, to = i-from, k
			}
			continue
		}
		g := gapOf(f.text[i:])
		next := i + len(g.String())
		if lined && g != p.Line || k+1 >= end || next >= len(f.text) || f.all[k+1] != f.text[next] {
			break // a different gap, or different text after it: then the gap belongs to the next passage
		}
		p.Line, lined = g, true
		i, k = next, k+1
	}
	return p, n, to
}

// place sets where in the blocks a piece begins and ends.
func (f *finder) place(p *plat.Passage, from, to int) {
	first, last := f.leafAt(from), f.leafAt(to-1)
	p.First, p.From = first.block, from-first.at
	p.Last, p.To = last.block, to-last.at
}

// leafAt returns the leaf that a byte of all is in.
func (f *finder) leafAt(x int) start {
	i := 0
	for n := len(f.starts); i < n; {
		if mid := (i + n) / 2; f.starts[mid].at <= x {
			i = mid + 1
		} else {
			n = mid
		}
	}
	return f.starts[i-1]
}
