package history

import (
	"slices"
	"strings"
	"time"

	"plat/diff"
	"plat/plat"
	"plat/storage"
)

// The types of this file define the archive's JSON: the commands print it, and the
// HTTP interface returns it.

// Box is a rectangle, in CSS px.
type Box struct {
	X float32 `json:"x"`
	Y float32 `json:"y"`
	W float32 `json:"w"`
	H float32 `json:"h"`
}

// BlockInfo is a block.
type BlockInfo struct {
	Level      int32      `json:"level"`
	Path       []int32    `json:"path"`
	Run        int32      `json:"run"`
	Rule       plat.Rule  `json:"rule"`
	Tag        string     `json:"tag"`
	Box        Box        `json:"box"`
	Leaf       bool       `json:"leaf"`
	Hash       string     `json:"hash,omitempty"`
	Lineage    int32      `json:"lineage"`
	Label      plat.Label `json:"label"`
	Role       plat.Role  `json:"role"`  // empty if unknown
	Holds      plat.Holds `json:"holds"` // empty if unknown
	Confidence float32    `json:"confidence"`
	Reason     string     `json:"because"`
	Topic      string     `json:"topic"`
	Chars      int32      `json:"chars"`
	LinkShare  float32    `json:"link_share"`
	ImageShare float32    `json:"image_share"`
	Background string     `json:"background,omitempty"`
	Color      string     `json:"color,omitempty"`
	FontSize   float32    `json:"font_size,omitempty"`
	Bytes      *int       `json:"bytes,omitempty"` // size of the content in bytes, if loaded
	Text       *string    `json:"text,omitempty"`
}

// InfoOf describes b without its text.
func InfoOf(b *plat.Block) BlockInfo {
	info := BlockInfo{
		Level: b.Level, Path: b.Path, Run: b.Run, Rule: b.Rule, Tag: b.Tag, Box: Box(b.Box),
		Leaf: b.Leaf(), Lineage: b.Lineage, Label: b.Label, Role: b.Role, Holds: b.Holds, Confidence: b.Confidence, Reason: b.Explanation, Topic: b.Topic,
		Chars: b.TextLen, LinkShare: b.LinkShare, ImageShare: b.ImageShare, FontSize: b.FontSize,
	}
	if info.Path == nil {
		info.Path = []int32{}
	}
	if b.Leaf() {
		info.Hash, info.Background, info.Color = b.Hash.String(), b.Background.String(), b.Color.String()
	}
	if b.Content != nil {
		n := len(b.Content)
		info.Bytes = &n
	}
	return info
}

// Node is a block in its tree.
type Node struct {
	Index  int   `json:"index"`  // root 0
	Parent int32 `json:"parent"` // -1 for the root
	BlockInfo
}

// TreeOf returns the block tree of v, optionally with the texts of leaves.
func TreeOf(v *plat.Version, texts bool) []Node {
	tree := make([]Node, len(v.Blocks))
	for i := range v.Blocks {
		b := &v.Blocks[i]
		tree[i] = Node{i, b.Parent, InfoOf(b)}
		if texts && b.Leaf() {
			tree[i].Text = &b.Text
		}
	}
	return tree
}

// VersionInfo is a version without its blocks.
type VersionInfo struct {
	URL        string            `json:"url"`
	Version    int               `json:"version"`
	Taken      time.Time         `json:"taken"`
	Status     int               `json:"status"`
	Title      string            `json:"title"`
	Blocks     int               `json:"blocks"`
	Changes    map[plat.Kind]int `json:"changes"`   // number of changes that are news
	Suppressed map[plat.Kind]int `json:"held_back"` // number of self-changes
	News       bool              `json:"news"`      // it is the first version, or some of its changes are news
	PageBytes  int64             `json:"page_bytes"`
	Layout     string            `json:"layout"`
	Level      int               `json:"level"`
	Profile    string            `json:"profile"`
	Coverage   float64           `json:"coverage"`
	FinalURL   string            `json:"final_url"`
	Browser    string            `json:"browser"`
	Width      int               `json:"width"`
	Height     int               `json:"height"`
	Language   string            `json:"language"`
	Settled    plat.Settled      `json:"settled"`
	Unsettled  bool              `json:"unsettled"`
	Coarse     int64             `json:"coarse,omitempty"`
	Steps      string            `json:"steps,omitempty"` // hash of the steps run on the page before capture
	Picture    string            `json:"picture,omitempty"`
	Resources  *ResourcesInfo    `json:"resources,omitempty"` // only if requested: see [ResourcesOf]
	Meta       map[string]string `json:"meta"`
}

// VersionOf describes a version whose block tree is loaded.
func VersionOf(v *plat.Version) VersionInfo {
	i := VersionInfo{
		URL: v.URL, Version: v.N, Taken: v.Taken.UTC(), Status: v.Capture.Status, Title: v.Capture.Title, Blocks: Leaves(v),
		Changes: v.Changes, Suppressed: plat.SuppressedKinds(v.SelfChanges), News: v.News(), PageBytes: v.Capture.PageBytes, Layout: v.Layout.String(), Level: v.Level, Profile: v.Profile,
		Coverage: v.Coverage, FinalURL: v.Capture.FinalURL, Browser: v.Capture.Browser, Width: v.Capture.Width,
		Height: v.Capture.Height, Language: v.Capture.Language, Settled: v.Capture.Settled, Unsettled: v.Capture.Settled.Short(), Meta: v.Meta,
	}
	if i.Changes == nil {
		i.Changes = map[plat.Kind]int{}
	}
	if !v.Picture.IsZero() {
		i.Picture = v.Picture.String()
	}
	i.Coarse = v.Capture.Coarse
	if !v.Capture.Steps.IsZero() {
		i.Steps = v.Capture.Steps.String()
	}
	if i.Meta == nil {
		i.Meta = map[string]string{}
	}
	return i
}

// Leaves counts the leaf blocks of a version.
func Leaves(v *plat.Version) int {
	n := 0
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			n++
		}
	}
	return n
}

// Text returns the text of a version: the texts of its leaves in reading order, separated by blank lines. Contents
// must be loaded.
func Text(v *plat.Version) string {
	var all []string
	for i := range v.Blocks {
		if t := v.Blocks[i].Text; t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, "\n\n")
}

// Word is a piece of text that was kept, deleted or inserted.
type Word struct {
	Op         string `json:"op"` // equal, delete or insert
	Text       string `json:"text"`
	SelfChange bool   `json:"by_itself,omitempty"` // a self-change; false if the whole change is one
}

// AttributeInfo is a readable attribute in the block of a change.
type AttributeInfo struct {
	Tag  string `json:"tag"`
	Name string `json:"name"`           // href, action, src, alt, title, datetime …
	Text string `json:"text,omitempty"` // text of a link, a time or a button
	Old  string `json:"old"`            // empty if it did not exist
	New  string `json:"new"`
}

// FileInfo is an image or a style sheet whose bytes have changed under the same URL.
type FileInfo struct {
	URL        string  `json:"url"`
	Type       string  `json:"type"`
	Old        string  `json:"old"` // hash
	New        string  `json:"new"`
	OldBytes   int64   `json:"old_bytes"`
	NewBytes   int64   `json:"new_bytes"`
	Blocks     []int32 `json:"blocks"`              // blocks of the new version that use it; empty for style sheets and their images
	SelfChange string  `json:"by_itself,omitempty"` // reason why it is not news
}

// Why returns the reason as text.
func (f FileInfo) Why() string { return plat.ReasonText(f.SelfChange) }

// Style reports whether it is a style sheet.
func (f FileInfo) Style() bool { return f.Type == "text/css" }

func filesOf(all []diff.File) []FileInfo {
	out := make([]FileInfo, len(all))
	for i := range all {
		f := &all[i]
		out[i] = FileInfo{f.URL, f.Type, f.Old.Hash.String(), f.New.Hash.String(), f.Old.Size, f.New.Size, f.Blocks, f.Why}
		if out[i].Blocks == nil {
			out[i].Blocks = []int32{}
		}
	}
	return out
}

// Apart returns the changed files that belong to no block and are news.
func (d *Diff) Apart() (all []FileInfo) {
	for _, f := range d.Files {
		if len(f.Blocks) == 0 && f.SelfChange == "" {
			all = append(all, f)
		}
	}
	return all
}

// Varied returns the changed files that are not news.
func (d *Diff) Varied() (all []FileInfo) {
	for _, f := range d.Files {
		if f.SelfChange != "" {
			all = append(all, f)
		}
	}
	return all
}

// FilesOf returns the changed files that a block of the new version uses and that are news.
func (d *Diff) FilesOf(block int32) (all []FileInfo) {
	for _, f := range d.Files {
		if f.SelfChange == "" && slices.Contains(f.Blocks, block) {
			all = append(all, f)
		}
	}
	return all
}

// mostAttributes limits the attributes of a change.
const mostAttributes = 100

func attributesOf(all []diff.Attribute) []AttributeInfo {
	var out []AttributeInfo
	for _, a := range all[:min(len(all), mostAttributes)] {
		out = append(out, AttributeInfo{a.Tag, a.Key, a.Text, a.Old, a.New})
	}
	return out
}

// ChangeInfo is a change of a block.
type ChangeInfo struct {
	Kind    plat.Kind  `json:"kind"`
	Lineage int32      `json:"lineage"`
	Label   plat.Label `json:"label"`
	Role    plat.Role  `json:"role"`
	Holds   plat.Holds `json:"holds"`
	Topic   string     `json:"topic"`
	Old     int32      `json:"old"` // index in the block tree, or -1
	New     int32      `json:"new"`
	Folded  bool       `json:"folded,omitempty"` // the changed text is folded
	OldText *string    `json:"old_text,omitempty"`
	NewText *string    `json:"new_text,omitempty"`
	Words   []Word     `json:"words,omitempty"`
	Reasons []string   `json:"reasons,omitempty"`

	// Attributes are the readable attributes in which the block differs, at most 100.
	Attributes []AttributeInfo `json:"attributes,omitempty"`

	// SelfChange is the reason, from package noise, why the change is a self-change and not
	// news. It is empty if a part of it is news.
	SelfChange string `json:"by_itself,omitempty"`
	Varied     *Habit `json:"varied,omitempty"` // habit of its block, if several versions have it
}

// Why returns SelfChange as text.
func (c ChangeInfo) Why() string {
	if c.Varied == nil {
		return plat.ReasonText(c.SelfChange)
	}
	return c.Varied.why(c.SelfChange)
}

// Diff is a comparison.
type Diff struct {
	URL        string            `json:"url"`
	Old        int               `json:"old"`
	New        int               `json:"new"`
	OldTaken   time.Time         `json:"old_taken"`
	NewTaken   time.Time         `json:"new_taken"`
	OldTitle   string            `json:"old_title,omitempty"` // title of the page, if it has changed
	NewTitle   string            `json:"new_title,omitempty"`
	Differs    bool              `json:"differs"`
	Layout     plat.Kind         `json:"layout"`    // how the layout changed
	Counts     map[plat.Kind]int `json:"counts"`    // changes that are news, by kind
	Suppressed map[plat.Kind]int `json:"held_back"` // self-changes, by kind
	Changes    []ChangeInfo      `json:"changes"`   // news and self-changes
	Files      []FileInfo        `json:"files"`     // changed images and style sheets, if both versions have their resources stored
}

// Info describes a comparison.
func (c *Comparison) Info() Diff {
	d := Diff{
		URL: c.New.URL, Old: c.Old.N, New: c.New.N, OldTaken: c.Old.Taken.UTC(), NewTaken: c.New.Taken.UTC(),
		Differs: c.Differs, Layout: c.Layout, Changes: make([]ChangeInfo, 0, len(c.Blocks)), Files: filesOf(c.Files),
	}
	d.OldTitle, d.NewTitle = c.Titles()
	for i := range c.Blocks {
		ch := &c.Blocks[i]
		b := c.Block(ch)
		j := ChangeInfo{Kind: ch.Kind, Lineage: ch.Lineage, Label: b.Label, Role: b.Role, Holds: b.Holds, Topic: b.Topic, Old: ch.Old, New: ch.New, Folded: ch.Folded, Reasons: c.Reasons(ch)}
		j.Words, j.Attributes = c.Words(ch), attributesOf(c.Attributes(ch))
		if c.Suppressed(ch) {
			j.SelfChange = c.SelfChange(ch).Why
		}
		if h := c.habits[ch.Lineage]; h.Times > 1 {
			j.Varied = &h
		}
		if ch.Old >= 0 && c.Old.Blocks[ch.Old].Content != nil {
			j.OldText = &c.Old.Blocks[ch.Old].Text
		}
		if ch.New >= 0 {
			j.NewText = &c.New.Blocks[ch.New].Text
		}
		d.Changes = append(d.Changes, j)
	}
	d.Counts, d.Suppressed = c.Counts()
	return d
}

// Bytes returns the approximate size of a diff in memory.
func (d *Diff) Bytes() int64 {
	n := int64(500 + len(d.OldTitle) + len(d.NewTitle))
	for _, f := range d.Files {
		n += 300 + int64(len(f.URL))
	}
	for i := range d.Changes {
		c := &d.Changes[i]
		n += 300
		for _, w := range c.Words {
			n += 40 + int64(len(w.Text))
		}
		for _, a := range c.Attributes {
			n += 90 + int64(len(a.Text)+len(a.Old)+len(a.New))
		}
		for _, t := range []*string{c.OldText, c.NewText} {
			if t != nil {
				n += int64(len(*t))
			}
		}
	}
	return n
}

// SpanInfo is one content's uninterrupted presence in its lineage.
type SpanInfo struct {
	URL     string     `json:"url"`
	Lineage int32      `json:"lineage"`
	Hash    string     `json:"hash"`
	First   int        `json:"first"` // first version with it
	Since   time.Time  `json:"since"` // capture time of First
	Last    int        `json:"last"`  // last version with it
	Seen    time.Time  `json:"seen"`  // the last visit that found it
	Gone    *int       `json:"gone"`  // first version without it, null while it is present
	Until   *time.Time `json:"until"` // capture time of Gone
	Label   plat.Label `json:"label"`
	Role    plat.Role  `json:"role"`
	Holds   plat.Holds `json:"holds"`
	Topic   string     `json:"topic"`
	Box     Box        `json:"box"`
	Chars   int32      `json:"chars"`
	Text    *string    `json:"text,omitempty"`
}

// SpanOf describes a span; seen is the result of [Seen].
func SpanOf(sp *storage.Span, seen []time.Time) SpanInfo {
	i := SpanInfo{
		URL: sp.URL, Lineage: sp.Lineage, Hash: sp.Hash.String(), First: sp.First, Since: sp.Since.UTC(), Last: sp.Last, Seen: sp.Since.UTC(),
		Until: known(sp.Until), Label: sp.Block.Label, Role: sp.Block.Role, Holds: sp.Block.Holds, Topic: sp.Block.Topic, Box: Box(sp.Block.Box), Chars: sp.Block.TextLen,
	}
	if sp.Gone > 0 {
		i.Gone = &sp.Gone
	}
	if sp.Last <= len(seen) {
		i.Seen = seen[sp.Last-1]
	}
	if sp.Block.Text != "" {
		i.Text = &sp.Block.Text
	}
	return i
}

// StateInfo is the state of a URL in the archive.
type StateInfo struct {
	URL         string       `json:"url"`
	Host        string       `json:"host"`
	First       *time.Time   `json:"first"` // first visit; null before it
	Last        *time.Time   `json:"last"`
	Visits      int          `json:"visits"`
	Changes     int          `json:"changes"`
	Versions    int          `json:"versions"`
	Status      int          `json:"status"`
	Outcome     plat.Outcome `json:"outcome"`
	PageBytes   int64        `json:"page_bytes"`
	StoredBytes int64        `json:"stored_bytes"`   // bytes without pictures and resources
	Due         *time.Time   `json:"due"`            // null: never
	Main        string       `json:"main,omitempty"` // the URL under which its page is archived, if that differs

	PictureBytes  int64 `json:"picture_bytes"`
	ResourceBytes int64 `json:"resource_bytes"`

	// Versions up to Forgotten were removed on purpose, the last time at ForgottenAt.
	Forgotten   int        `json:"forgotten,omitempty"`
	ForgottenAt *time.Time `json:"forgotten_at,omitempty"`
}

// StateOf describes a URL.
func StateOf(s *plat.URLState) StateInfo {
	return StateInfo{
		URL: s.URL, Host: s.Host, First: known(s.First), Last: known(s.Last), Visits: s.Visits, Changes: s.Changes, Versions: s.Head,
		Status: s.Status, Outcome: s.Outcome, PageBytes: s.PageBytes, StoredBytes: s.StoredBytes, Due: known(s.Due), Main: s.Main,
		PictureBytes: s.PictureBytes, ResourceBytes: s.ResourceBytes, Forgotten: s.Forgotten, ForgottenAt: known(s.ForgottenAt),
	}
}

// known returns a time for JSON, or null if it is zero.
func known(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// SiteInfo is the statistics of a host.
type SiteInfo struct {
	Host        string   `json:"host,omitempty"`
	URLs        int      `json:"urls"`
	Visits      int      `json:"visits"`
	Versions    int      `json:"versions"`
	PageBytes   int64    `json:"page_bytes"`
	StoredBytes int64    `json:"stored_bytes"` // bytes written for blocks, layouts and versions
	Ratio       *float64 `json:"ratio"`        // of page bytes to stored bytes; null if nothing was stored

	PictureBytes  int64 `json:"picture_bytes"`
	ResourceBytes int64 `json:"resource_bytes"`
}

// SiteOf describes a host.
func SiteOf(s *storage.SiteStats) SiteInfo {
	i := SiteInfo{Host: s.Host, URLs: s.URLs, Visits: s.Visits, Versions: s.Versions, PageBytes: s.PageBytes, StoredBytes: s.StoredBytes,
		PictureBytes: s.PictureBytes, ResourceBytes: s.ResourceBytes}
	if s.StoredBytes > 0 {
		x := float64(s.PageBytes) / float64(s.StoredBytes)
		i.Ratio = &x
	}
	return i
}
