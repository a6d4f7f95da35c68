package label

import (
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

// run is a visible text in one format: tᵢ of BWAP section 2.2.
type run struct {
	text   string
	holder int32 // node of the box that the text flows in: runs of one paragraph share it
	chars  int32 // runes, white space not counted
	size   float32
	weight int16
	color  plat.Color
	box    plat.Rect
	head   bool // inside h1 to h6, legend, caption or similar
	gap    bool // separated from the previous run by a line break or a picture
}

// facts holds the sums over the nodes of a block that its label is derived
// from.
type facts struct {
	firstRun, endRun int32 // of gathered.runs

	chars     int32 // visible characters, white space not counted
	linkChars int32 // of these inside links
	headChars int32 // inside h1 to h6
	paraChars int32 // inside running text: paragraphs, list items with a sentence …
	mass      int32 // characters, and mediaMass for each picture and control

	links      int32
	shortLinks int32 // links with few characters
	items      int32 // li, dt, article: parts of a repetition
	controls   int32
	fields     int32 // text fields and selection controls
	media      int32
	frames     int32
	adFrames   int32 // frames from advertisers, or of standard ad sizes
	rows       int32
	cells      int32
	headCells  int32 // th, and tables declared as data

	start  int32   // mass of the page before it
	before float64 // texts of the page before it
	fixed  int32   // mass of content that stays in place while the page scrolls

	// Of the other pages of the site: their number, the mass of blocks that most of them have, and of
	// blocks on no other page.
	others, template, unique int32
	on                       int32 // how many of them have the block itself, if most have
	rights                   int32 // lines that name the owner of the rights
	titles                   int32 // titles of boxes beside a text: "Archives", "Most read"

	sizes     float64 // sum over the characters of their font size, px
	texts     float64 // sum over the characters of the probability that they are main text
	mediaArea float64 // square px
	maxSize   float32 // largest font, px

	roles [roles]int32 // mass inside each landmark
	hints [hints]int32 // mass inside elements with telling names

	// Set by look:
	box, page, view plat.Rect
	overlay         bool
	root            bool
	adWord          bool // begins with the word "advertisement"
	commentWord     bool
	areas           int32   // fields for texts of several lines
	asks            bool    // the name of such a field asks for a comment
	discussed       bool    // it is in the area of the comments
	bodySize        float32 // the page's most used font size, px

	// Set by place:
	main      plat.Rect // box of the block with most text
	most      bool      // this is that block
	off       float64   // share of its width outside main's column, 0 to 1
	below     bool      // its region is below the page's heaviest
	region    float64   // share of the page's mass that is in its region
	pageLinks float64   // share of links in the page's text

	beside       bool  // is in a column beside the main text
	columnTitles int32 // titles in that column; see besideTitle
}

// mediaMass is the mass of a picture or a control in characters, used for
// shares: about one menu entry.
const mediaMass = 20

// shortLink is the maximum length of a menu link in characters; titles of
// articles are longer.
const shortLink = 24

func (f *facts) add(g *facts) {
	f.chars += g.chars
	f.linkChars += g.linkChars
	f.headChars += g.headChars
	f.paraChars += g.paraChars
	f.mass += g.mass
	f.links += g.links
	f.shortLinks += g.shortLinks
	f.items += g.items
	f.controls += g.controls
	f.fields += g.fields
	f.media += g.media
	f.frames += g.frames
	f.adFrames += g.adFrames
	f.rows += g.rows
	f.cells += g.cells
	f.headCells += g.headCells
	f.fixed += g.fixed
	f.rights += g.rights
	f.titles += g.titles
	f.sizes += g.sizes
	f.texts += g.texts
	f.mediaArea += g.mediaArea
	f.maxSize = max(f.maxSize, g.maxSize)
	for i := range f.roles {
		f.roles[i] += g.roles[i]
	}
	for i := range f.hints {
		f.hints[i] += g.hints[i]
	}
}

// text counts a run of text; main is the probability that it is main text.
func (f *facts) text(chars int32, size, main float32, c *context) {
	f.chars += chars
	f.texts += float64(main) * float64(chars)
	f.maxSize = max(f.maxSize, size)
	f.sizes += float64(size) * float64(chars)
	if c.link != 0 {
		f.linkChars += chars
	}
	if c.title {
		f.headChars += chars
	}
	// Old pages write paragraphs as bare text; a long one is not a caption.
	if c.para || chars > 120 && c.link == 0 {
		f.paraChars += chars
	}
	f.weigh(chars, c)
}

// weigh adds mass to the block and to the landmarks and names around it.
func (f *facts) weigh(mass int32, c *context) {
	f.mass += mass
	if c.fixed {
		f.fixed += mass
	}
	f.roles[c.role] += mass
	for h := range hints {
		if c.hints.has(h) {
			f.hints[h] += mass
		}
	}
}

// count adds an element to the facts of its block.
func (f *facts) count(n *plat.Node, c *context) {
	switch n.Name {
	case "img", "video", "canvas", "svg", "object", "embed", "picture", "audio":
		// Icons do not count as pictures; <picture> is counted by its img.
		if n.Name == "picture" || n.Box.W < 24 || n.Box.H < 24 {
			return
		}
		f.media++
		f.mediaArea += n.Box.Area()
		f.weigh(mediaMass, c)
		if c.link != 0 && adSize(n.Box) && c.hints.has(hintAd) {
			f.adFrames++
		}
	case "iframe", "frame":
		f.frames++
		f.mediaArea += n.Box.Area()
		f.weigh(mediaMass, c)
		src, _ := n.Attr("src")
		if adSize(n.Box) || adHost(src) || c.hints.has(hintAd) {
			f.adFrames++
		}
	case "input":
		switch t, _ := n.Attr("type"); t {
		case "hidden":
			return
		case "submit", "button", "image", "reset":
			f.controls++
		default:
			f.controls++
			f.fields++
		}
		f.weigh(mediaMass, c)
	case "textarea":
		f.areas++
		for _, name := range []string{"placeholder", "aria-label", "name", "id"} {
			said, _ := n.Attr(name)
			f.asks = f.asks || asksForComment(said)
		}
		fallthrough
	case "select":
		f.controls++
		f.fields++
		f.weigh(mediaMass, c)
	case "button":
		f.controls++
		f.weigh(mediaMass, c)
	case "li", "article", "dt":
		f.items++
	case "tr":
		f.rows++
	case "td":
		f.cells++
	case "th":
		f.cells++
		f.headCells++
	}
}

// styleOf never fails: a node without a style has the zero Style.
func styleOf(snap *plat.Snapshot, n *plat.Node) *plat.Style {
	if n.HasBox && n.Style >= 0 && int(n.Style) < len(snap.Styles) {
		return &snap.Styles[n.Style]
	}
	return &plat.Style{}
}

// countChars returns the number of runes in s without white space.
func countChars(s string) int32 {
	n := int32(0)
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			n++
		}
		i += size
	}
	return n
}
