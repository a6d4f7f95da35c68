package mongo

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"plat/plat"
	"plat/storage"
)

// urlDoc is a document of urls.
type urlDoc struct {
	ID  string `bson:"_id"` // first 32 hex digits of the SHA-256 of the URL
	URL text   `bson:"url"`
	// Rev grows by one with every write: a compare-and-swap on it detects concurrent
	// writers.
	Rev         int64     `bson:"rev"`
	Host        text      `bson:"host"`
	First       time.Time `bson:"first,omitempty"` // absent before the first visit, like last
	Last        time.Time `bson:"last,omitempty"`
	Visits      int       `bson:"visits"`
	Changes     int       `bson:"changes"`
	Head        int       `bson:"head"`   // number of the last version, or 0
	Newest      time.Time `bson:"newest"` // latest capture time of a version
	Level       int       `bson:"level"`
	Status      int       `bson:"status"`
	Outcome     text      `bson:"outcome"`
	PageBytes   int64     `bson:"page_bytes"`
	StoredBytes int64     `bson:"stored_bytes"`
	// Not included in stored_bytes; absent in old documents, whose stored_bytes includes them.
	PictureBytes  int64       `bson:"picture_bytes,omitempty"`
	ResourceBytes int64       `bson:"resource_bytes,omitempty"`
	Terms         []string    `bson:"terms"`  // terms of the last version's blocks: see termsOf
	Recent        []time.Time `bson:"recent"` // times of the last counted visits, to count each only once
	// Latest is the visit counted last. Its own document is written afterwards; after
	// a crash in between, the next visit writes it from here.
	Latest *visitDoc `bson:"latest,omitempty"`

	Searched   int  `bson:"searched,omitempty"`   // number of the last version indexed in spans
	Unsearched bool `bson:"unsearched,omitempty"` // there are versions after Searched
	Unreadable int  `bson:"unreadable,omitempty"` // the head when a version after Searched could not be read

	Due      time.Time `bson:"due,omitempty"`     // absent: no visit planned
	Settled  time.Time `bson:"settled,omitempty"` // the latest due that a visit has settled; it never decreases
	Priority float64   `bson:"priority,omitempty"`
	Plan     bson.D    `bson:"plan,omitempty"` // plat.Plan.Encode, as a document

	At        time.Time `bson:"at,omitempty"`        // time of the job: see storage.Timed
	Attempts  int       `bson:"attempts,omitempty"`  // failed attempts of the job
	Throttled int       `bson:"throttled,omitempty"` // attempts of the job that the host delayed
	Died      time.Time `bson:"died,omitempty"`      // time at which the URL became dead
	Seq       int64     `bson:"seq,omitempty"`       // time of the first enlisting, in µs: the order in a list
	Todo      string    `bson:"todo,omitempty"`      // the job's place among the jobs of its host: see todoKey

	Main text   `bson:"main,omitempty"` // the URL under which the page is archived; absent: its own
	Look string `bson:"look,omitempty"` // see lookKey

	// Fields of documents written before plans existed; see movePlan.
	OldDepth int   `bson:"depth,omitempty"`
	OldScope text  `bson:"scope,omitempty"`
	OldEvery int64 `bson:"every_ms,omitempty"`

	Memory []byte `bson:"memory,omitempty"` // memory of the last visit with a memory; binary

	Forgotten   int       `bson:"forgotten,omitempty"`    // versions up to this one were removed on purpose
	ForgottenAt time.Time `bson:"forgotten_at,omitempty"` // time of the last removal
}

// versionDoc is a document of versions.
type versionDoc struct {
	ID          string          `bson:"_id"` // the URL's _id, ":", the number in eight digits
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

	Resources string `bson:"resources,omitempty"` // _id in manifests
	Look      string `bson:"look,omitempty"`      // fingerprint key: see lookKey

	Blocks  []blockDoc `bson:"blocks,omitempty"` // the tree, in pre-order
	Terms   []string   `bson:"terms,omitempty"`  // terms of the blocks that are new in this version
	Visit   visitDoc   `bson:"visit"`            // the visit that found it
	Written writtenDoc `bson:"written"`
}

type writtenDoc struct {
	At    time.Time `bson:"at"`
	Bytes int64     `bson:"bytes"`

	Pictures  int64 `bson:"pictures,omitempty"`
	Resources int64 `bson:"resources,omitempty"`
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

// blockDoc is an entry of versions.blocks. Entries without slot are parent blocks of the tree.
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
	Since   int32  `bson:"since,omitempty"` // the version in which the lineage first had this content
	New     bool   `bson:"new,omitempty"`   // Since is this version
}

// visitDoc is a document of visits.
type visitDoc struct {
	ID       string    `bson:"_id"` // the URL's _id, ":", the time in milliseconds: see visitID
	URL      text      `bson:"url"`
	Time     time.Time `bson:"time"`
	Outcome  text      `bson:"outcome"`
	Version  int       `bson:"version,omitempty"`
	Status   int       `bson:"status,omitempty"`
	Duration int64     `bson:"duration_ms"`
	Bytes    int64     `bson:"bytes,omitempty"`
	Error    text      `bson:"error,omitempty"`
	Skipped  bool      `bson:"skipped,omitempty"` // not rendered
	Settles  time.Time `bson:"settles,omitempty"`
	Next     time.Time `bson:"next,omitempty"`

	memory string    // for the URL's document
	clock  time.Time // for the host's document: see storage.ClockAfter
	unkept bool
}

// contentDoc is a document of blocks or of layouts. The content of a layout is its HTML.
// Content is raw, or a Zstandard frame; if Base is set, that document's content is the frame's
// raw-content dictionary (zstd -D).
type contentDoc struct {
	ID      string    `bson:"_id"` // SHA-256 of the content, or of plat.Layout's bytes for a layout
	Size    int       `bson:"size"`
	Enc     string    `bson:"enc"` // "raw" or "zstd"
	Base    string    `bson:"base,omitempty"`
	Content []byte    `bson:"content"`
	Slots   []int32   `bson:"slots,omitempty"` // of layouts
	Written time.Time `bson:"written"`

	layout     bool  // a document of layouts, not of blocks
	unreadable error // reason why the document or its base cannot be decoded; then only ID is set
}

// pictureDoc is a document of screenshots.
type pictureDoc struct {
	ID      string    `bson:"_id"`
	Type    text      `bson:"type"`
	Data    []byte    `bson:"data"`
	Written time.Time `bson:"written"`
}

// newVersionDoc converts a version; since is the result of storage.Since.
func newVersionDoc(v *plat.Version, since []int32, visit *plat.Visit) *versionDoc {
	c := &v.Capture
	d := &versionDoc{
		ID: versionID(v.URL, v.N), URL: text(v.URL), Host: text(storage.Host(v.URL)), N: v.N, Taken: instant(v.Taken), Layout: hexOf(v.Layout),
		Level: v.Level, Profile: text(v.Profile), Coverage: v.Coverage, Lineages: v.Lineages, Picture: hexOf(v.Picture), Resources: hexOf(v.Resources),
		Capture: captureDoc{FinalURL: text(c.FinalURL), Status: c.Status, ContentType: text(c.ContentType), Title: text(c.Title), Language: text(c.Language),
			Browser: text(c.Browser), Width: c.Width, Height: c.Height, PageBytes: c.PageBytes, WireBytes: c.WireBytes,
			Duration: c.Duration.Milliseconds(), Settled: text(c.Settled), Steps: hexOf(c.Steps), Coarse: c.Coarse},
		Terms: termsOf(v.Blocks, func(i int) bool { return int(since[i]) == v.N }),
		Visit: newVisitDoc(visit),
	}
	for _, a := range v.Adjust {
		d.Adjust = append(d.Adjust, adjustDoc(a))
	}
	for _, k := range slices.Sorted(maps.Keys(v.Changes)) {
		d.Changes = append(d.Changes, changeDoc{text(k), v.Changes[k]})
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
	for i := range v.Blocks {
		b := &v.Blocks[i]
		x := blockDoc{Path: b.Path, Run: b.Run, Parent: b.Parent, Level: b.Level, Rule: int32(b.Rule), Tag: text(b.Tag),
			Box: boxDoc{float64(b.Box.X), float64(b.Box.Y), float64(b.Box.W), float64(b.Box.H)},
			Pos: b.Pos, Lead: text(b.Lead), Hash: hexOf(b.Hash), Hidden: b.Hidden, Folded: b.Folded, TextLen: b.TextLen, LinkShare: float64(b.LinkShare),
			ImageShare: float64(b.ImageShare), Background: colorText(b.Background), Color: colorText(b.Color), FontSize: float64(b.FontSize),
			Topic: text(b.Topic), Label: text(b.Label), Confidence: float64(b.Confidence), Reason: text(b.Explanation), Lineage: b.Lineage, Change: text(b.Change),
			Base: hexOf(b.Base), Since: since[i], New: b.Leaf() && int(since[i]) == v.N}
		if b.Slot != -1 {
			slot := b.Slot
			x.Slot = &slot
		}
		role, holds := b.Implied()
		x.Role, x.Holds = unlessImplied(b.Role, role), unlessImplied(b.Holds, holds)
		d.Blocks = append(d.Blocks, x)
	}
	return d
}

// version converts a document back, and also returns the result of storage.Since.
func (d *versionDoc) version() (*plat.Version, []int32, error) {
	c := &d.Capture
	v := &plat.Version{URL: string(d.URL), N: d.N, Taken: d.Taken.UTC(), Level: d.Level, Profile: string(d.Profile), Coverage: d.Coverage, Lineages: d.Lineages,
		Capture: plat.Capture{FinalURL: string(c.FinalURL), Status: c.Status, ContentType: string(c.ContentType), Title: string(c.Title),
			Language: string(c.Language), Browser: string(c.Browser), Width: c.Width, Height: c.Height, PageBytes: c.PageBytes, WireBytes: c.WireBytes,
			Duration: time.Duration(c.Duration) * time.Millisecond, Settled: plat.Settled(c.Settled), Coarse: c.Coarse}}
	if c.Unsettled {
		v.Capture.Settled = plat.SettledLimit
	}
	var errs error
	ok := func(err error) {
		if errs == nil && err != nil {
			errs = fmt.Errorf("version %d of %s: %w", d.N, d.URL, err)
		}
	}
	hash := func(s string) plat.Hash {
		h, err := hashOf(s)
		ok(err)
		return h
	}
	v.Layout, v.Picture, v.Resources = hash(d.Layout), hash(d.Picture), hash(d.Resources)
	v.Capture.Steps = hash(c.Steps)
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
	since := make([]int32, len(d.Blocks))
	if len(d.Blocks) > 0 {
		v.Blocks = make([]plat.Block, len(d.Blocks))
	}
	for i := range d.Blocks {
		x := &d.Blocks[i]
		since[i] = x.Since
		bg, err := colorOf(x.Background)
		ok(err)
		fg, err := colorOf(x.Color)
		ok(err)
		if x.Parent < -1 || int(x.Parent) >= i {
			ok(fmt.Errorf("block %d has parent %d: %w", i, x.Parent, plat.ErrCorrupt))
		}
		slot := int32(-1)
		if x.Slot != nil {
			slot = *x.Slot
		}
		v.Blocks[i] = plat.Block{Path: x.Path, Run: x.Run, Parent: x.Parent, Level: x.Level, Rule: plat.Rule(x.Rule), Tag: string(x.Tag),
			Box:  plat.Rect{X: float32(x.Box.X), Y: float32(x.Box.Y), W: float32(x.Box.W), H: float32(x.Box.H)},
			Slot: slot, Pos: x.Pos, Lead: string(x.Lead), Hash: hash(x.Hash), Hidden: x.Hidden, Folded: x.Folded, TextLen: x.TextLen, LinkShare: float32(x.LinkShare),
			ImageShare: float32(x.ImageShare), Background: bg, Color: fg, FontSize: float32(x.FontSize), Topic: string(x.Topic), Label: plat.Label(x.Label),
			Confidence: float32(x.Confidence), Explanation: string(x.Reason), Lineage: x.Lineage, Change: plat.Kind(x.Change), Base: hash(x.Base)}
		b := &v.Blocks[i]
		role, holds := b.Implied()
		b.Role, b.Holds = orImplied(x.Role, role), orImplied(x.Holds, holds)
	}
	return v, since, errs
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

func newURLDoc(url string) *urlDoc {
	return &urlDoc{ID: urlID(url), URL: text(url), Host: text(storage.Host(url)), Terms: []string{}, Recent: []time.Time{}}
}

func newVisitDoc(v *plat.Visit) visitDoc {
	return visitDoc{ID: visitID(v.URL, v.Time), URL: text(v.URL), Time: instant(v.Time), Outcome: text(v.Outcome), Version: v.Version, Status: v.Status,
		Duration: v.Duration.Milliseconds(), Bytes: v.Bytes, Error: text(v.Error),
		Skipped: v.Skipped, Settles: orZero(v.Settles), Next: orZero(v.Next), memory: v.Memory, clock: storage.ClockAfter(v), unkept: v.Unkept}
}

func (d *visitDoc) visit() plat.Visit {
	return plat.Visit{URL: string(d.URL), Time: d.Time.UTC(), Outcome: plat.Outcome(d.Outcome), Version: d.Version, Status: d.Status,
		Duration: time.Duration(d.Duration) * time.Millisecond, Bytes: d.Bytes, Error: string(d.Error), Skipped: d.Skipped, Settles: d.Settles.UTC(), Next: d.Next.UTC()}
}

func (d *urlDoc) state() (plat.URLState, error) {
	st := plat.URLState{URL: string(d.URL), Host: string(d.Host), First: d.First.UTC(), Last: d.Last.UTC(), Visits: d.Visits, Changes: d.Changes, Head: d.Head,
		Level: d.Level, Status: d.Status, Outcome: plat.Outcome(d.Outcome), PageBytes: d.PageBytes, StoredBytes: d.StoredBytes,
		PictureBytes: d.PictureBytes, ResourceBytes: d.ResourceBytes,
		Memory: string(d.Memory), Main: string(d.Main), Forgotten: d.Forgotten, ForgottenAt: orZero(d.ForgottenAt)}
	d.jobInto(&st)
	err := d.movePlan()
	if err == nil && len(d.Plan) > 0 {
		var text []byte
		if text, err = bson.MarshalExtJSON(d.Plan, false, false); err == nil {
			st.Plan, err = plat.DecodePlan(string(text))
		}
	}
	if err != nil {
		return st, fmt.Errorf("plan of %s: %w", d.URL, err)
	}
	return st, nil
}

// setPlan sets the document's plan.
func (d *urlDoc) setPlan(p plat.Plan) error {
	d.Plan, d.OldDepth, d.OldScope, d.OldEvery = nil, 0, "", 0
	text := p.Encode()
	if text == "" {
		return nil
	}
	return bson.UnmarshalExtJSON([]byte(text), false, &d.Plan)
}

// movePlan converts the old fields to a plan, unless the document has a plan.
func (d *urlDoc) movePlan() error {
	if d.Plan != nil || d.OldDepth == 0 && d.OldScope == "" && d.OldEvery == 0 {
		return nil
	}
	old := plat.Plan{Depth: d.OldDepth, Scope: string(d.OldScope), Schedule: plat.Schedule{Every: time.Duration(d.OldEvery) * time.Millisecond}}
	return d.setPlan(old)
}
