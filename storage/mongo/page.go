package mongo

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage"
	"plat/storage/tree"
)

// pageDoc is a document of pages: the last version of a page, plain, for those who ask what the
// page is now. It is derived from the version's own document, and written after it: versions up
// to N have their block versions.
type pageDoc struct {
	ID          string          `bson:"_id"` // as in urls
	URL         text            `bson:"url"`
	Host        text            `bson:"host"`
	N           int             `bson:"n"`
	Taken       time.Time       `bson:"taken"`
	Layout      string          `bson:"layout"`
	Level       int             `bson:"level"`
	Adjust      []adjustDoc     `bson:"adjust,omitempty"`
	Profile     text            `bson:"profile"`
	Coverage    float64         `bson:"coverage"`
	Lineages    int32           `bson:"lineages"`
	Changes     []changeDoc     `bson:"changes,omitempty"`
	SelfChanges []selfChangeDoc `bson:"by_itself,omitempty"`
	Capture     captureDoc      `bson:"capture"`
	Meta        []pairDoc       `bson:"meta,omitempty"`
	Article     *articleDoc     `bson:"article,omitempty"`
	Picture     string          `bson:"picture,omitempty"`
	Resources   string          `bson:"resources,omitempty"` // _id in manifests

	Build  int64     `bson:"build,omitempty"`  // urlDoc.Build of its writer: its block versions have it, too
	Oldest int       `bson:"oldest"`           // the oldest version in which a lineage first had a content of this one
	Blocks []leafDoc `bson:"blocks,omitempty"` // the tree, in pre-order
	Large  bool      `bson:"large,omitempty"`  // the tree is too large for this document, and only in versions
}

// minLeafBytes is less than an entry of blocks takes, apart from long texts.
const minLeafBytes = 200

// outlinedPage returns the document of a page as it is stored: without a tree that is too large for it.
func (s *Store) outlinedPage(d *pageDoc) (*pageDoc, error) {
	if len(d.Blocks)*minLeafBytes <= s.inline/8 {
		return d, nil
	}
	b, err := bson.Marshal(d)
	if err != nil || len(b) <= s.inline {
		return d, err
	}
	is := *d
	is.Blocks, is.Large = nil, true
	return &is, nil
}

type adjustDoc struct {
	Path  []int32 `bson:"path,omitempty"`
	Split bool    `bson:"split"`
}

type changeDoc struct {
	Kind  text `bson:"kind"`
	Count int  `bson:"count"`
}

// selfChangeDoc is a self-change of a page.
type selfChangeDoc struct {
	Lineage int32 `bson:"lineage"`
	Kind    text  `bson:"kind"`
	Why     text  `bson:"why"`
	Old     []int `bson:"old,omitempty"` // starts and ends of ranges of the text, alternating
	New     []int `bson:"new,omitempty"`
}

type pairDoc struct {
	Name  text `bson:"name"`
	Value text `bson:"value"`
}

type captureDoc struct {
	FinalURL    text      `bson:"final_url"`
	Status      int       `bson:"status"`
	ContentType text      `bson:"content_type"`
	Title       text      `bson:"title"`
	Language    text      `bson:"language"`
	Browser     text      `bson:"browser"`
	Width       int       `bson:"width"`
	Height      int       `bson:"height"`
	PageBytes   int64     `bson:"page_bytes"`
	WireBytes   int64     `bson:"wire_bytes"`
	Duration    int64     `bson:"duration_ms"`
	Settled     text      `bson:"settled,omitempty"`
	Unsettled   bool      `bson:"unsettled,omitempty"` // before settled existed: captured at a limit
	Header      []pairDoc `bson:"header,omitempty"`
	Steps       string    `bson:"steps,omitempty"`
	Coarse      int64     `bson:"coarse,omitempty"`
}

type boxDoc struct {
	X float64 `bson:"x"`
	Y float64 `bson:"y"`
	W float64 `bson:"w"`
	H float64 `bson:"h"`
}

func newBoxDoc(r plat.Rect) boxDoc {
	return boxDoc{float64(r.X), float64(r.Y), float64(r.W), float64(r.H)}
}

func (d *boxDoc) rect() plat.Rect {
	return plat.Rect{X: float32(d.X), Y: float32(d.Y), W: float32(d.W), H: float32(d.H)}
}

// leafDoc is an entry of pages.blocks.
type leafDoc struct {
	Block blockDoc `bson:",inline"`

	Since int32      `bson:"since,omitempty"` // the version in which the lineage first had this content
	At    *time.Time `bson:"at,omitempty"`    // the time of Since
	First int32      `bson:"first,omitempty"` // the version in which the content returned last, if it was absent since Since
	New   bool       `bson:"new,omitempty"`   // Since is this version
}

// blockDoc is a block, without the words of its content. Those without slot are parent blocks of
// the tree.
type blockDoc struct {
	Path   []int32 `bson:"path,omitempty"`
	Run    int32   `bson:"run"`
	Parent int32   `bson:"parent"`
	Level  int32   `bson:"level"`
	Rule   int32   `bson:"rule"`
	Tag    text    `bson:"tag"`
	Box    boxDoc  `bson:"box"`

	Slot   *int32  `bson:"slot,omitempty"`
	Pos    int32   `bson:"pos,omitempty"`
	Lead   text    `bson:"lead,omitempty"`
	Hash   string  `bson:"hash,omitempty"` // _id in blocks
	Hidden []int32 `bson:"hidden,omitempty"`
	Folded []int32 `bson:"folded,omitempty"` // the subset of hidden that one click reveals

	TextLen    int32   `bson:"text_len,omitempty"`
	LinkShare  float64 `bson:"link_share,omitempty"`
	ImageShare float64 `bson:"image_share,omitempty"`
	Background string  `bson:"background,omitempty"` // #rrggbbaa
	Color      string  `bson:"color,omitempty"`
	FontSize   float64 `bson:"font_size,omitempty"`

	Topic      text    `bson:"topic,omitempty"`
	Label      text    `bson:"label,omitempty"`
	Confidence float64 `bson:"confidence,omitempty"`
	Reason     text    `bson:"because,omitempty"`
	Role       *string `bson:"role,omitempty"`  // nil: implied by the label, see plat.Block.Implied
	Holds      *string `bson:"holds,omitempty"` // the same

	Lineage int32  `bson:"lineage,omitempty"`
	Change  text   `bson:"change,omitempty"` // against the previous version
	Base    string `bson:"base,omitempty"`
}

// standing is a version with what the store knows of its blocks, by index; parent blocks have
// zeros.
type standing struct {
	tree.Tree             // with the version in which each lineage first had its content
	at        []time.Time // when that version was taken
	first     []int32     // the version in which the content returned last: its block version began with it
	epoch                 // the page and its block versions are complete, and have these numbers
}

// epoch is since when the page and the block versions of a URL have been derived: urlDoc.Derived and urlDoc.Build.
type epoch struct {
	derived int // -1: unknown
	build   int64
}

// unknownEpoch is the epoch without the URL's document: any page is taken, and none is relied on.
var unknownEpoch = epoch{derived: -1}

func (d *urlDoc) epoch() epoch { return epoch{d.Derived, d.Build} }

// newPageDoc converts a version.
func newPageDoc(v *standing) *pageDoc {
	c := &v.Capture
	d := &pageDoc{
		ID: urlID(v.URL), URL: text(v.URL), Host: text(storage.Host(v.URL)), N: v.N, Taken: instant(v.Taken), Layout: hexOf(v.Layout),
		Level: v.Level, Profile: text(v.Profile), Coverage: v.Coverage, Lineages: v.Lineages, Picture: hexOf(v.Picture), Resources: hexOf(v.Resources),
		Capture: captureDoc{FinalURL: text(c.FinalURL), Status: c.Status, ContentType: text(c.ContentType), Title: text(c.Title), Language: text(c.Language),
			Browser: text(c.Browser), Width: c.Width, Height: c.Height, PageBytes: c.PageBytes, WireBytes: c.WireBytes,
			Duration: c.Duration.Milliseconds(), Settled: text(c.Settled), Steps: hexOf(c.Steps), Coarse: c.Coarse},
		Changes: newChangeDocs(v.Changes), Build: v.build, Oldest: oldestOf(&v.Tree),
	}
	for _, a := range v.Adjust {
		d.Adjust = append(d.Adjust, adjustDoc(a))
	}
	for i := range v.SelfChanges {
		x := &v.SelfChanges[i]
		d.SelfChanges = append(d.SelfChanges, selfChangeDoc{x.Lineage, text(x.Kind), text(x.Why), ends(x.Old), ends(x.New)})
	}
	for _, h := range c.Header {
		d.Capture.Header = append(d.Capture.Header, pairDoc{text(h[0]), text(h[1])})
	}
	for _, k := range slices.Sorted(maps.Keys(v.Meta)) {
		d.Meta = append(d.Meta, pairDoc{text(k), text(v.Meta[k])})
	}
	d.Article = newArticleDoc(v.Article)
	d.Blocks = make([]leafDoc, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		x := &d.Blocks[i]
		if x.Block = newBlockDoc(b); !b.Leaf() {
			continue
		}
		at := instant(v.at[i])
		if x.Since, x.New, x.At = v.Since[i], int(v.Since[i]) == v.N, &at; v.first[i] != v.Since[i] {
			x.First = v.first[i]
		}
	}
	return d
}

// oldestOf returns the oldest version in which a lineage first had a content of t.
func oldestOf(t *tree.Tree) int {
	oldest := t.N
	for _, since := range t.Since {
		if since > 0 {
			oldest = min(oldest, int(since))
		}
	}
	return oldest
}

func newChangeDocs(changes map[plat.Kind]int) (docs []changeDoc) {
	for _, k := range slices.Sorted(maps.Keys(changes)) {
		docs = append(docs, changeDoc{text(k), changes[k]})
	}
	return docs
}

func newBlockDoc(b *plat.Block) blockDoc {
	d := blockDoc{Path: b.Path, Run: b.Run, Parent: b.Parent, Level: b.Level, Rule: int32(b.Rule), Tag: text(b.Tag),
		Box: newBoxDoc(b.Box),
		Pos: b.Pos, Lead: text(b.Lead), Hash: hexOf(b.Hash), Hidden: b.Hidden, Folded: b.Folded, TextLen: b.TextLen, LinkShare: float64(b.LinkShare),
		ImageShare: float64(b.ImageShare), Background: colorText(b.Background), Color: colorText(b.Color), FontSize: float64(b.FontSize),
		Topic: text(b.Topic), Label: text(b.Label), Confidence: float64(b.Confidence), Reason: text(b.Explanation), Lineage: b.Lineage, Change: text(b.Change),
		Base: hexOf(b.Base)}
	if b.Slot != -1 {
		slot := b.Slot
		d.Slot = &slot
	}
	role, holds := b.Implied()
	d.Role, d.Holds = unlessImplied(b.Role, role), unlessImplied(b.Holds, holds)
	return d
}

// standing converts a document back.
func (d *pageDoc) standing() (*standing, error) {
	c := &d.Capture
	v := &standing{Tree: tree.Tree{Version: plat.Version{URL: string(d.URL), N: d.N, Taken: d.Taken.UTC(), Level: d.Level, Profile: string(d.Profile), Coverage: d.Coverage, Lineages: d.Lineages,
		Capture: plat.Capture{FinalURL: string(c.FinalURL), Status: c.Status, ContentType: string(c.ContentType), Title: string(c.Title),
			Language: string(c.Language), Browser: string(c.Browser), Width: c.Width, Height: c.Height, PageBytes: c.PageBytes, WireBytes: c.WireBytes,
			Duration: time.Duration(c.Duration) * time.Millisecond, Settled: plat.Settled(c.Settled), Coarse: c.Coarse}}},
		epoch: epoch{-1, d.Build}}
	if c.Unsettled {
		v.Capture.Settled = plat.SettledLimit
	}
	r := hashReader{}
	v.Layout, v.Picture, v.Resources, v.Capture.Steps = r.hash(d.Layout), r.hash(d.Picture), r.hash(d.Resources), r.hash(c.Steps)
	for _, a := range d.Adjust {
		v.Adjust = append(v.Adjust, plat.Adjust(a))
	}
	if len(d.Changes) > 0 {
		v.Changes = map[plat.Kind]int{}
	}
	for _, x := range d.Changes {
		v.Changes[plat.Kind(x.Kind)] = x.Count
	}
	for i := range d.SelfChanges {
		x := &d.SelfChanges[i]
		v.SelfChanges = append(v.SelfChanges, plat.SelfChange{Lineage: x.Lineage, Kind: plat.Kind(x.Kind), Why: string(x.Why), Old: ranges(x.Old), New: ranges(x.New)})
	}
	for _, h := range c.Header {
		v.Capture.Header = append(v.Capture.Header, [2]string{string(h.Name), string(h.Value)})
	}
	if len(d.Meta) > 0 {
		v.Meta = map[string]string{}
	}
	for _, x := range d.Meta {
		v.Meta[string(x.Name)] = string(x.Value)
	}
	v.Article = d.Article.article()
	n := len(d.Blocks)
	v.Blocks, v.Since, v.at, v.first = make([]plat.Block, n), make([]int32, n), make([]time.Time, n), make([]int32, n)
	for i := range d.Blocks {
		x := &d.Blocks[i]
		v.Blocks[i] = r.block(&x.Block)
		if parent := x.Block.Parent; parent < -1 || int(parent) >= i {
			r.fail(fmt.Errorf("block %d has parent %d: %w", i, parent, plat.ErrCorrupt))
		}
		if v.Since[i], v.first[i] = x.Since, x.Since; x.First > 0 {
			v.first[i] = x.First
		}
		if x.At != nil {
			v.at[i] = x.At.UTC()
		}
	}
	if r.err != nil {
		return nil, fmt.Errorf("version %d of %s: %w", d.N, d.URL, r.err)
	}
	return v, nil
}

// hashReader converts hashes and blocks back, and keeps the first error.
type hashReader struct{ err error }

func (r *hashReader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *hashReader) hash(s string) plat.Hash {
	h, err := hashOf(s)
	r.fail(err)
	return h
}

func (r *hashReader) color(s string) plat.Color {
	c, err := colorOf(s)
	r.fail(err)
	return c
}

func (r *hashReader) block(x *blockDoc) plat.Block {
	b := plat.Block{Path: x.Path, Run: x.Run, Parent: x.Parent, Level: x.Level, Rule: plat.Rule(x.Rule), Tag: string(x.Tag),
		Box:  x.Box.rect(),
		Slot: -1, Pos: x.Pos, Lead: string(x.Lead), Hash: r.hash(x.Hash), Hidden: x.Hidden, Folded: x.Folded, TextLen: x.TextLen, LinkShare: float32(x.LinkShare),
		ImageShare: float32(x.ImageShare), Background: r.color(x.Background), Color: r.color(x.Color), FontSize: float32(x.FontSize), Topic: string(x.Topic), Label: plat.Label(x.Label),
		Confidence: float32(x.Confidence), Explanation: string(x.Reason), Lineage: x.Lineage, Change: plat.Kind(x.Change), Base: r.hash(x.Base)}
	if x.Slot != nil {
		b.Slot = *x.Slot
	}
	role, holds := b.Implied()
	b.Role, b.Holds = orImplied(x.Role, role), orImplied(x.Holds, holds)
	return b
}

// unlessImplied returns the value for a document, or nil if it equals the implied one.
func unlessImplied[T ~string](value, implied T) *string {
	if value == implied {
		return nil
	}
	s := string(value)
	return &s
}

// orImplied is the inverse of unlessImplied.
func orImplied[T ~string](s *string, implied T) T {
	if s == nil {
		return implied
	}
	return T(*s)
}
