package plat

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Rect is a box in CSS pixels, measured from the top-left corner of the page
// (not the viewport), at the width the page was rendered at. W and H are ≥ 0;
// X and Y may be negative for content parked off-screen.
type Rect struct{ X, Y, W, H float32 }

// Empty reports whether r covers no area.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Area returns W × H in square CSS pixels.
func (r Rect) Area() float64 {
	if r.Empty() {
		return 0
	}
	return float64(r.W) * float64(r.H)
}

// Union returns the smallest box that contains r and s; empty boxes are ignored.
func (r Rect) Union(s Rect) Rect {
	if r.Empty() {
		return s
	}
	if s.Empty() {
		return r
	}
	x, y := min(r.X, s.X), min(r.Y, s.Y)
	return Rect{x, y, max(r.X+r.W, s.X+s.W) - x, max(r.Y+r.H, s.Y+s.H) - y}
}

// Intersect returns the box common to r and s, empty if they do not overlap.
func (r Rect) Intersect(s Rect) Rect {
	x, y := max(r.X, s.X), max(r.Y, s.Y)
	w, h := min(r.X+r.W, s.X+s.W)-x, min(r.Y+r.H, s.Y+s.H)-y
	if w <= 0 || h <= 0 {
		return Rect{}
	}
	return Rect{x, y, w, h}
}

// String returns "x,y w×h", rounded to whole pixels.
func (r Rect) String() string {
	return fmt.Sprintf("%.0f,%.0f %.0f×%.0f", r.X, r.Y, r.W, r.H)
}

// Color is an sRGB colour with straight (not premultiplied) alpha, packed as
// 0xRRGGBBAA. The zero Color is transparent.
type Color uint32

// RGBA packs four channels, 0 to 255 each.
func RGBA(r, g, b, a uint8) Color {
	return Color(r)<<24 | Color(g)<<16 | Color(b)<<8 | Color(a)
}

// Channels unpacks the colour.
func (c Color) Channels() (r, g, b, a uint8) {
	return uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)
}

// Over returns the colour that results from painting c over the colour below it.
func (c Color) Over(below Color) Color {
	r, g, b, a := c.Channels()
	switch a {
	case 255:
		return c
	case 0:
		return below
	}
	br, bg, bb, ba := below.Channels()
	// Porter-Duff source-over; channels are weighted by their effective alpha.
	top, bot := uint32(a)*255, uint32(ba)*uint32(255-a)
	sum := top + bot
	mix := func(x, y uint8) uint8 { return uint8((uint32(x)*top + uint32(y)*bot + sum/2) / sum) }
	return RGBA(mix(r, br), mix(g, bg), mix(b, bb), uint8((sum+127)/255))
}

// String returns "#rrggbb", or "#rrggbbaa" if the colour is not opaque.
func (c Color) String() string {
	if c&0xff == 0xff {
		return fmt.Sprintf("#%06x", uint32(c>>8))
	}
	return fmt.Sprintf("#%08x", uint32(c))
}

// NodeKind is the kind of a Node.
type NodeKind uint8

// The kinds of node. Shadow roots, template contents and frame documents are nodes of
// their own, children of the element that owns them, so a page is one tree.
const (
	DocumentNode NodeKind = iota // the page (node 0), or the document of a frame; Attrs [DocumentURL], [DocumentBase], [DocumentCharset], [DocumentLanguage]
	DoctypeNode                  // Name, and Attrs "public" and "system"
	ElementNode
	TextNode
	CommentNode
	ShadowNode   // a shadow root; Value is "open", "closed" or "user-agent"
	TemplateNode // the contents of a <template>; never rendered
)

// Names of the Attrs of documents, which snapshots of older versions lack: the URL of a document, and the
// URL to which its references are relative (HTML, section 2.4.3), both when it was captured, the name of
// its character encoding (WHATWG Encoding, section 4.2), in which the queries of its references are, and, if it has one, its language
// by the header Content-Language or a <meta> (HTML, section 4.2.5.3).
const (
	DocumentURL      = "url"
	DocumentBase     = "base"
	DocumentCharset  = "charset"
	DocumentLanguage = "language"
)

// Attr is one attribute as in the DOM: names of HTML elements' own attributes are in
// lower case, values are unescaped.
type Attr struct{ Name, Value string }

// Node is one DOM node with its computed layout and style.
type Node struct {
	Kind NodeKind

	// HasBox reports whether the node took part in layout: Box and Style are valid. A node with a box
	// may still be invisible (zero area, visibility, opacity).
	HasBox bool

	// Foreign reports whether the element is outside of the HTML namespace (SVG, MathML): its text is
	// never raw and it always has an end tag.
	Foreign bool

	// Parent is the index of the parent in Snapshot.Nodes, -1 for node 0.
	Parent int32

	// End is the index just past the last descendant: the node's subtree is
	// Nodes[i:End], its first child, if End > i+1, is i+1, and the next sibling of a
	// child c is Nodes[c].End while that is < End.
	End int32

	// Style is an index into Snapshot.Styles; meaningful if HasBox.
	Style int32

	// Paint is the rank in paint order: of two overlapping boxes the higher is on top. Meaningful if
	// HasBox.
	Paint int32

	Box   Rect
	Name  string // elements: the tag as serialised ("div", "foreignObject"); doctypes: the name
	Value string // text and comments: the data, unescaped
	Attrs []Attr
}

// Attr returns the value of the named attribute and whether it is present.
func (n *Node) Attr(name string) (string, bool) {
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Value, true
		}
	}
	return "", false
}

// Style is the part of an element's computed style that plat uses. Nodes with equal
// styles share one. Properties that were not captured when a snapshot was stored are
// zero, which hides nothing.
type Style struct {
	Display         string  // computed value such as "block", "inline-flex", "table-cell"
	Position        string  // "static", "relative", "absolute", "fixed", "sticky"
	Float           string  // "none", "left", "right", …
	Hidden          bool    // visibility is hidden or collapse
	Opacity         float32 // 0 to 1, the element's own
	Background      Color   // own background-color; transparent if its alpha is 0
	BackgroundImage bool    // an image or gradient is painted as background
	Color           Color   // of text
	FontSize        float32 // px
	FontWeight      int16   // 1 to 1000; 400 is normal, 700 bold

	OverflowX   string `json:",omitempty"` // "visible", "hidden", "clip", "auto", "scroll"
	OverflowY   string `json:",omitempty"`
	ClippedAway bool   `json:",omitempty"` // clip or clip-path clips it completely
	Shaped      bool   `json:",omitempty"` // clip-path clips it partly
	TextClip    bool   `json:",omitempty"` // background-clip: text
	Transformed bool   `json:",omitempty"` // it has a transform
	Turned      bool   `json:",omitempty"` // the transform shows its back face
	Backless    bool   `json:",omitempty"` // backface-visibility: hidden
	Shadowed    bool   `json:",omitempty"` // the text has a shadow
	Below       bool   `json:",omitempty"` // z-index is negative
	Stacked     bool   `json:",omitempty"` // it creates a stacking context
}

// Painted reports whether a background is painted.
func (s *Style) Painted() bool { return s.Background&0xff != 0 || s.BackgroundImage }

// Generated is a box that Chrome lays out for an element beside its children: a
// pseudo-element, or the displayed value of a control.
type Generated struct {
	Node  int32 // the element
	Kind  GeneratedKind
	Text  string `json:",omitempty"` // empty if it only paints
	Box   Rect
	Style int32 // as a Node's
	Paint int32
}

// GeneratedKind is the origin of generated content.
type GeneratedKind string

// The kinds of generated content.
const (
	Before GeneratedKind = "before" // ::before
	After  GeneratedKind = "after"  // ::after
	Value  GeneratedKind = "value"  // of a control: typed, selected, or its placeholder
	Alt    GeneratedKind = "alt"    // of an image that could not be loaded
)

// Line is one line box of a text node.
type Line struct {
	Node  int32 // index of the text node
	Start int32 // first character shown, in UTF-16 code units of the rendered text
	Len   int32 // number of characters, in the same unit
	Box   Rect
}

// Redirect is one hop on the way to the final URL.
type Redirect struct {
	URL    string
	Status int // HTTP status of the hop; 0 for one made by the page itself
}

// Settled is the reason why the page was captured at that moment.
type Settled string

// Reasons to capture a page. The last three mean that a limit was reached and that
// the page may be incomplete.
const (
	SettledStatic  Settled = "static"  // no scripts and no frames: nothing can change
	SettledQuiet   Settled = "settled" // unchanged for a while
	SettledMoving  Settled = "moving"  // changes continuously, as a clock does
	SettledLive    Settled = "live"    // workers, sockets or streams were idle for a while
	SettledStalled Settled = "stalled" // a request timed out; everything else had settled
	SettledLimit   Settled = "limit"   // the time to settle ran out
	SettledLoading Settled = "loading" // loading did not finish in time
)

// Short reports whether the page was captured at a limit.
func (s Settled) Short() bool {
	return s == SettledStalled || s == SettledLimit || s == SettledLoading
}

// Timing breaks down the time of a rendering.
type Timing struct {
	Navigate time.Duration // request to first response bytes
	Load     time.Duration // to the load event
	Settle   time.Duration // from load to network quiet and stable layout
	Capture  time.Duration // capture of the snapshot
	Total    time.Duration
}

// Picture is an image of the whole page.
type Picture struct {
	Type string // media type, "image/png"
	Data []byte
}

// FailedLoad is a file that a page requested and did not receive, or received in part.
type FailedLoad struct {
	URL string `json:"url"`   // without credentials and fragment; "https://host:port/" for an https URL without a connection
	Why string `json:"error"` // the guard's reason, or Chrome's: "net::ERR_…"
}

// MaxFailed bounds [Snapshot.Failed].
const MaxFailed = 64

// Snapshot is a page as rendered after its scripts ran. All processing after rendering depends on the
// snapshot alone, so a stored one can be segmented again years later.
type Snapshot struct {
	URL         string     // requested canonical URL
	FinalURL    string     // after redirects, and as scripts have changed it (pushState)
	Response    string     `json:"-"` // the URL of the document's response; not stored in files
	Redirects   []Redirect // hops before FinalURL, in order
	Status      int        // HTTP status of the final response
	Header      [][2]string
	ContentType string // media type without parameters, in lower case
	Title       string
	Language    string // of the document: BCP 47 tag from lang or Content-Language; may be empty
	Taken       time.Time
	Browser     string // product and version, "HeadlessChrome/156.0.8078.73"
	Viewport    Rect   // width and height the page was laid out for
	Width       float32
	Height      float32 // of the whole document
	Settled     Settled // why the page was captured at that moment
	Coarse      int64   `json:",omitzero"` // number of nodes, if over the limit and therefore simplified
	Steps       Hash    `json:",omitzero"` // of the steps run on the page before capture; zero without steps
	Requests    int     // made by the page, including that for its document
	Blocked     int     // of these, blocked by the egress guard
	Bytes       int64   // received from the network, bodies and headers
	Timing      Timing
	Picture     *Picture   // only if requested
	Resources   []Resource // only if requested, each URL once

	// Loads are the page's requests except that for its document, unordered, and not stored in files.
	// LoadsKnown reports that the list was requested and is complete; without it, the absence of a
	// load means nothing.
	Loads      []Load `json:"-"`
	LoadsKnown bool   `json:"-"`

	// Failed are the files of the page that did not arrive completely, each URL once, sorted, at most
	// [MaxFailed]. They are not stored in files.
	Failed []FailedLoad `json:"-"`

	// Nodes is the DOM in document order (pre-order); Nodes[0] is the document.
	Nodes  []Node
	Styles []Style
	// Lines holds the line boxes of text, ordered by node.
	Lines []Line
	// Generated is sorted by node, then in layout order.
	Generated []Generated `json:",omitempty"`
}

// HeaderField returns the first value of a field of a header, and whether there is one.
func HeaderField(header [][2]string, name string) (value string, ok bool) {
	for _, h := range header {
		if strings.EqualFold(h[0], name) {
			return h[1], true
		}
	}
	return "", false
}

// RetryAfter returns the time that the server asks clients to wait, by the header Retry-After of a
// response 429 or 503: seconds, or a date (RFC 9110 section 10.2.3). The result is at most about
// twelve days.
func (s *Snapshot) RetryAfter(now time.Time) time.Duration {
	if s.Status != 429 && s.Status != 503 {
		return 0
	}
	for _, h := range s.Header {
		if !strings.EqualFold(h[0], "Retry-After") {
			continue
		}
		if n, err := strconv.Atoi(strings.TrimSpace(h[1])); err == nil {
			return time.Duration(max(0, min(n, 1<<20))) * time.Second
		}
		if t, err := http.ParseTime(h[1]); err == nil {
			return max(0, min(t.Sub(now), 1<<20*time.Second))
		}
	}
	return 0
}

// FreshFor returns the time for which the server declares the page fresh: max-age of Cache-Control,
// else Expires, minus the Age in a cache (RFC 9111 sections 4.2 and 5). It is 0 without such a
// header, or with an invalid one, and at most about twelve days.
func (s *Snapshot) FreshFor(now time.Time) time.Duration {
	value := func(name string) (all string) {
		for _, h := range s.Header {
			if strings.EqualFold(h[0], name) {
				all += h[1] + ","
			}
		}
		return all
	}
	seconds, said := 0, false
	for part := range strings.SplitSeq(strings.ToLower(value("Cache-Control")), ",") {
		name, n, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "no-cache", "no-store":
			return 0
		case "max-age":
			if age, err := strconv.Atoi(strings.Trim(n, `"`)); err == nil && !said {
				seconds, said = age, true
			}
		}
	}
	if !said {
		expires, err := http.ParseTime(strings.TrimSuffix(value("Expires"), ","))
		if err != nil {
			return 0
		}
		if date, err := http.ParseTime(strings.TrimSuffix(value("Date"), ",")); err == nil {
			now = date
		}
		seconds = int(min(expires.Sub(now), 1<<20*time.Second) / time.Second)
	}
	if age, err := strconv.Atoi(strings.TrimSuffix(value("Age"), ",")); err == nil && age > 0 {
		seconds -= min(age, 1<<20)
	}
	return time.Duration(max(0, min(seconds, 1<<20))) * time.Second
}
