package plat

import "slices"

// Article describes the content of a version's page: title, authors, date and main text, as package
// article extracted them when the page was rendered. Extraction takes the boxes and styles of all
// nodes, which the archive does not store; so the result is stored, with the text as references to
// the blocks that hold it.
type Article struct {
	Kind PageKind // "" in versions archived before kinds were stored: then Text is the text

	Title   string
	Authors []string
	Date    string // YYYY-MM-DD; empty: not on the page

	// Text is the main text of an article, in order. For the other kinds of pages, Text is empty:
	// their main text is all blocks that are labelled as content.
	Text []Passage

	// Sum is the CRC-32 (IEEE) of the text. It shows if the text is assembled from blocks whose texts
	// differ from those at extraction.
	Sum uint32
}

// Equal reports whether two articles are equal; nil equals only nil.
func (a *Article) Equal(b *Article) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Title == b.Title && a.Date == b.Date && a.Sum == b.Sum && slices.Equal(a.Authors, b.Authors) && slices.Equal(a.Text, b.Text)
}

// Clone returns a deep copy.
func (a *Article) Clone() *Article {
	if a == nil {
		return nil
	}
	c := *a
	c.Authors, c.Text = slices.Clone(a.Authors), slices.Clone(a.Text)
	return &c
}

// PageKind is the kind of content of a page.
type PageKind string

// The kinds of pages.
const (
	KindArticle   PageKind = "article"   // news, a blog post, a story: written by an author at a certain time
	KindReference PageKind = "reference" // documentation, and other text that readers consult
	KindList      PageKind = "list"      // mostly links to other pages: a front page, an index
	KindForum     PageKind = "forum"     // posts by several people
	KindProduct   PageKind = "product"   // one item for sale
)

// PageKinds lists all kinds.
var PageKinds = []PageKind{KindArticle, KindReference, KindList, KindForum, KindProduct}

// Passage is a part of the main text of a page: a range of the texts of its leaves or of the layout's
// text, or a literal text.
type Passage struct {
	Before Gap // between the previous passage and this one

	// The passage begins in the text of Blocks[First] at byte From and ends in that of Blocks[Last]
	// before byte To. Blocks without text between the two do not count. Line is the gap where a line
	// or a block ends in it.
	First, Last int32 // or both [OfLayout], or [Literally]
	From, To    int
	Line        Gap

	// Verbatim reports that the passage is in one block and keeps the white space of the block's
	// content instead of that of its text: code and other preformatted text. It begins with the
	// indentation of its first line.
	Verbatim bool

	Literal string // the passage itself, if First is Literally
}

// Sources of a passage other than blocks.
const (
	OfLayout  = -1 // the text of the layout, which readers do not see unless the page is wrong
	Literally = -2 // the field Literal
)

// Gap is the white space between two pieces of text.
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

// String returns the gap itself, empty for an unknown gap.
func (g Gap) String() string {
	if g >= Gaps {
		return ""
	}
	return gaps[g]
}
