package plat

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"plat/plat/nearest"
)

// Rule identifies the rule that made a node a block. 1 to 11 are the rules of BWAP section 2.1; the
// rest are plat's own.
type Rule uint8

// Rules beyond the paper's eleven.
const (
	RuleRoot      Rule = 0  // the whole page, root of the block tree
	RuleGather    Rule = 12 // visible content that no rule selected, gathered with its neighbours
	RuleSeparator Rule = 13 // set apart from its siblings by visible separators
	RuleOverlay   Rule = 14 // a fixed box lying over the page
)

// String returns a short name of the rule: plain numbers are those of BWAP section 2.1.
func (r Rule) String() string {
	switch r {
	case RuleRoot:
		return "the page"
	case RuleGather:
		return "gathered"
	case RuleSeparator:
		return "separator"
	case RuleOverlay:
		return "overlay"
	}
	return fmt.Sprintf("rule %d", uint8(r))
}

// Label is the kind of content of a block (BWAP figure 8, "Label"). [LabelOf] derives it from the
// block's role and content.
type Label string

// The labels.
const (
	LabelMain          Label = "main"
	LabelHeading       Label = "heading"
	LabelNavigation    Label = "navigation"
	LabelList          Label = "list"
	LabelForm          Label = "form"
	LabelMedia         Label = "media"
	LabelTable         Label = "table"
	LabelAdvertisement Label = "advertisement"
	LabelComments      Label = "comments"
	LabelSidebar       Label = "sidebar"
	LabelFooter        Label = "footer"
	LabelHeader        Label = "header"
	LabelOverlay       Label = "overlay"
	LabelOther         Label = "other"
)

// Labels lists all labels.
var Labels = []Label{
	LabelMain, LabelHeading, LabelNavigation, LabelList, LabelForm, LabelMedia, LabelTable,
	LabelAdvertisement, LabelComments, LabelSidebar, LabelFooter, LabelHeader, LabelOverlay, LabelOther,
}

// ContentLabels are the labels of blocks in the content of a page; the other labels are those of blocks around it.
var ContentLabels = []Label{LabelMain, LabelHeading, LabelList, LabelTable, LabelMedia, LabelComments}

// ReadLabels parses names of labels with commas between them. The name "content" adds all [ContentLabels]. The error lists the
// valid names.
func ReadLabels(s string) (labels []Label, err error) {
	if s == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(s, ",") {
		switch l := Label(strings.TrimSpace(name)); {
		case l == "content":
			labels = append(labels, ContentLabels...)
		case slices.Contains(Labels, l):
			labels = append(labels, l)
		default:
			return nil, fmt.Errorf("%.40q: there is no such label%s; there are %s, and content for %s", l, nearest.Question(string(l), "", Labels), listed(Labels), listed(ContentLabels))
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels), nil
}

// listed returns labels as text.
func listed(labels []Label) string {
	names := make([]string, len(labels))
	for i, l := range labels {
		names[i] = string(l)
	}
	return strings.Join(names, ", ")
}

// Block is a visually closed rectangle of a page, independent in content and appearance (BWAP
// definition 1). Blocks form a tree (definition 2). Each byte of the page's content is in exactly one
// leaf or in the layout.
type Block struct {
	// Path leads from the document to the block's first node by the ranks of elements
	// among their siblings, so text and comments do not affect it. A step to a node
	// that is not an element (text, a shadow root, the document of a frame) is ^n,
	// where n is the number of elements before it; no two nodes with content between
	// elements share a path.
	Path []int32

	// Run is the number of consecutive sibling nodes that the block spans, ≥ 1: a rule's block is one
	// element, a gathered or cut one may be a run of siblings.
	Run int32

	Parent int32 // index of the parent in Page.Blocks, -1 for the root
	Level  int32 // root 0, its children 1, …
	Rule   Rule
	Tag    string // of the first element; "#text" if the run has no element
	Box    Rect

	// The following fields describe leaves; in parent blocks Slot is -1, the hash
	// zero and the texts empty.

	Slot int32  // slot of the layout that the block fills, -1 for parent blocks
	Pos  int32  // rank within the slot
	Lead string // white space before the block in its slot

	Hash    Hash   // of Content
	Content []byte // HTML; nil if only the reference was loaded

	// Hidden marks the parts of Content whose text is not shown: start and end of
	// each, in bytes, ascending. Text is Content's text without them. Folded marks
	// the subset of Hidden whose text one click or touch reveals.
	Hidden []int32
	Folded []int32
	Text   string // visible text, words separated by single blanks, lines by "\n"

	TextLen    int32   // of Text in characters (runes), white space not counted
	LinkShare  float32 // part of TextLen inside links, 0 to 1
	ImageShare float32 // part of Box covered by images and other media, 0 to 1
	Background Color   // painted behind the block, opaque
	Color      Color   // of most of its text
	FontSize   float32 // largest in the block, px

	// Role and Holds are those that Implied returns, or empty, in versions written before they were
	// stored.
	Role  Role
	Holds Holds

	Topic       string
	Label       Label   // of Role and Holds: see LabelOf
	Confidence  float32 // of Label, 0 to 1
	Explanation string  // the features that decided Label, "links 0.92, top"

	// Lineage identifies the block across versions of its URL: aligned blocks of
	// consecutive versions share it. ≥ 1; 0 is "not compared yet".
	Lineage int32

	// Change is the change of the leaf against the previous version: empty if there is none, in the
	// first version, and in versions written before it was stored.
	Change Kind

	// Base is the content of the same lineage in the previous version, zero if there is no such
	// content. A store may delta-encode the block against it.
	Base Hash
}

// Leaf reports whether the block holds content.
func (b *Block) Leaf() bool { return b.Slot >= 0 }

// Span is a run of consecutive sibling nodes with their subtrees:
// Snapshot.Nodes[First:End].
type Span struct{ First, End int32 }

// Layout is the page without its leaf blocks (BWAP definition 5). Each maximal run of sibling blocks
// is replaced by a slot: an offset into HTML, so that no page content can be mistaken for a
// placeholder. A list that grows or shrinks fills its slot with more or fewer blocks and leaves the
// layout unchanged.
type Layout struct {
	HTML  []byte
	Slots []int32 // offsets into HTML, ascending; equal offsets are possible
}

// Page is a snapshot cut into blocks.
type Page struct {
	Layout Layout
	Blocks []Block // the block tree in pre-order; Blocks[0] is the whole page

	Level int // requested depth
	// Coverage is the share of laid-out text within the page's scrollable area that
	// is inside leaf blocks, 0 to 1; 1 for a page without text. See [LowCoverage].
	Coverage float64

	// Trace records for every examined node the deciding rule and its reason; only if requested.
	Trace []Decision
}

// Size returns the number of leaf blocks, and the bytes of the page's HTML.
func (p *Page) Size() (leaves int, bytes int64) {
	bytes = int64(len(p.Layout.HTML))
	for i := range p.Blocks {
		if b := &p.Blocks[i]; b.Leaf() {
			leaves++
			bytes += int64(len(b.Content) + len(b.Lead))
		}
	}
	return leaves, bytes
}

// LowCoverage is the coverage below which a version may lack visible text.
const LowCoverage = 0.98

// Decision is one step of the segmentation, for explanations.
type Decision struct {
	Node  int32 // index into Snapshot.Nodes
	Level int32 // the pass, 1 for the first cut
	Depth int32 // of the node in the DOM
	Rule  Rule
	Block bool   // whether the node became a block
	Why   string // explanation, with the numbers that decided
}

// Sum returns the hash under which a layout is stored: of its HTML and its slots.
func (l *Layout) Sum() Hash { return HashOf(l.Marshal()) }

// Marshal encodes the layout as the bytes that are stored and hashed: the number of
// slots, the slots as differences, all as unsigned varints, then the HTML.
func (l *Layout) Marshal() []byte {
	b := make([]byte, 0, len(l.HTML)+2+2*len(l.Slots))
	b = binary.AppendUvarint(b, uint64(len(l.Slots)))
	last := int32(0)
	for _, s := range l.Slots {
		b = binary.AppendUvarint(b, uint64(s-last))
		last = s
	}
	return append(b, l.HTML...)
}

// UnmarshalLayout decodes the output of Marshal. The HTML is not copied. It returns ErrCorrupt for
// bytes that are not a layout.
func UnmarshalLayout(b []byte) (Layout, error) {
	next := func() (uint64, bool) {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			return 0, false
		}
		b = b[n:]
		return v, true
	}
	n, ok := next()
	if !ok || n > uint64(len(b)) {
		return Layout{}, fmt.Errorf("layout: number of slots: %w", ErrCorrupt)
	}
	l := Layout{}
	if n > 0 {
		l.Slots = make([]int32, n)
	}
	at := uint64(0)
	for i := range l.Slots {
		d, ok := next()
		if at += d; !ok || d > 1<<31 || at > 1<<31-1 {
			return Layout{}, fmt.Errorf("layout: slot %d: %w", i, ErrCorrupt)
		}
		l.Slots[i] = int32(at)
	}
	if n > 0 && at > uint64(len(b)) {
		return Layout{}, fmt.Errorf("layout: slot at %d of %d bytes: %w", at, len(b), ErrCorrupt)
	}
	l.HTML = b
	return l, nil
}
