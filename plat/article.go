package plat

import "slices"

// Article is what the page of a version is about: title, authors, date and main text, as
// package article found them when the page was rendered. Finding them takes the boxes and styles
// of all nodes, which the archive does not have; so what was found is kept, the text as
// references to the blocks that hold it.
type Article struct {
	Kind PageKind // "" of versions made before kinds were told: of these Text is the text

	Title   string
	Authors []string
	Date    string // YYYY-MM-DD; empty: the page does not say

	// Text is the main text of an article, in order. That of other kinds is all of the
	// page's content, which the labels of its blocks tell, and Text is empty.
	Text []Passage

	// Sum is the CRC-32 (IEEE) of the text: a text that is put together from other texts of
	// blocks than those it was taken from would be wrong without anybody noticing.
	Sum uint32
}

// Equal reports whether two are the same; nil equals nil alone.
func (a *Article) Equal(b *Article) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Title == b.Title && a.Date == b.Date && a.Sum == b.Sum && slices.Equal(a.Authors, b.Authors) && slices.Equal(a.Text, b.Text)
}

// Clone returns a copy.
func (a *Article) Clone() *Article {
	if a == nil {
		return nil
	}
	c := *a
	c.Authors, c.Text = slices.Clone(a.Authors), slices.Clone(a.Text)
	return &c
}

// PageKind is what kind of page a page is.
type PageKind string

// The kinds of pages.
const (
	KindArticle   PageKind = "article"   // news, a blog post, a story: written by somebody at some time
	KindReference PageKind = "reference" // documentation, and other text that is looked up
	KindList      PageKind = "list"      // mostly links to other pages: a front page, an index
	KindForum     PageKind = "forum"     // what several people have said
	KindProduct   PageKind = "product"   // one thing that is for sale
)

// PageKinds lists all kinds.
var PageKinds = []PageKind{KindArticle, KindReference, KindList, KindForum, KindProduct}

// Passage is a part of the main text of a page: a stretch of the texts of its leaves, or of the
// layout's, or a text that none of them has.
type Passage struct {
	Before Gap // between the passage before and this one

	// The passage begins in the text of Blocks[First] at byte From and ends in that of
	// Blocks[Last] before byte To. Blocks without text between the two do not count. Where
	// a line or a block ends in it, there is Line.
	First, Last int32 // or both [OfLayout], or [Literally]
	From, To    int
	Line        Gap

	// Verbatim says that the passage stands in one block and has the blanks and line ends that its content
	// has, not those of its text: code, and other preformatted text. It has the blanks
	// that begin its first line.
	Verbatim bool

	Literal string // the passage itself, if First is Literally
}

// What a passage may be in, instead of blocks.
const (
	OfLayout  = -1 // the text of the layout: what no reader sees, if not the page is wrong
	Literally = -2 // in neither
)

// Gap is what separates two pieces of text.
type Gap uint8

// The gaps.
const (
	NoGap     Gap = iota
	Blank         // " "
	NewLine       // "\n"
	EmptyLine     // "\n\n"
)

// Gaps is the number of kinds of gap.
const Gaps = 4

var gaps = [Gaps]string{"", " ", "\n", "\n\n"}

// String is the gap itself. Unknown ones are empty.
func (g Gap) String() string {
	if g >= Gaps {
		return ""
	}
	return gaps[g]
}
