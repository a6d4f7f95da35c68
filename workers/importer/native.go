package importer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"plat/export"
	"plat/export/warc"
	"plat/plat"
	"plat/plat/weburl"
	"plat/queue/traps"
	"plat/storage"
)

// A page is a URL of an archive that plat has exported.
type page struct {
	versions []version
	visits   []int64 // that found no new version; Unix time, milliseconds
}

// A version is a version of plat, or an unchanged visit.
type version struct {
	entry
	unchanged bool
}

// addRecord adds a record that plat has exported. Of versions that have no record of their own, because an earlier plat
// has exported them, the page is rendered.
func (l *Library) addRecord(r *warc.Read, uri string, e entry) {
	if r.Type == warc.Resource {
		if d := r.Get("WARC-Payload-Digest"); d != "" {
			l.blocks[keyOf(d)] = e
		}
	}
	if url, ok := strings.CutPrefix(uri, export.VersionURN); ok {
		l.pageOf(url).versions = append(l.pageOf(url).versions, version{entry: e})
		return
	}
	if !weburl.IsWeb(uri) {
		return
	}
	at := time.UnixMilli(e.at)
	if r.Type == warc.Revisit && r.Get("WARC-Concurrent-To") != "" {
		return // a file of a version, not a visit
	}
	if r.Type == warc.Revisit {
		l.pageOf(uri).visits = append(l.pageOf(uri).visits, e.at)
		return
	}
	l.add(uri, e)
	if strings.HasPrefix(r.Get("Plat-Content"), "page after its scripts") {
		l.exported = append(l.exported, candidate{url: uri, at: at})
	}
}

func (l *Library) pageOf(uri string) *page {
	p := l.native[uri]
	if p == nil {
		p = &page{}
		l.native[uri] = p
	}
	return p
}

// addNative adds the versions of plat to the captures.
func (l *Library) addNative() {
	for _, c := range l.exported {
		if p := l.native[c.url]; p == nil || len(p.versions) == 0 {
			l.capture(c.url, c.at)
		}
	}
	l.exported = nil
	for uri, p := range l.native {
		if len(p.versions) == 0 {
			continue
		}
		taken := map[int64]bool{}
		for _, v := range p.versions {
			if l.o.Prefix != "" && !strings.HasPrefix(uri, l.o.Prefix) {
				l.leave("a URL that does not begin with " + l.o.Prefix)
				continue
			}
			taken[v.at] = true
			l.sums.Versions++
			l.captures = append(l.captures, Capture{URL: uri, At: time.UnixMilli(v.at).UTC(), version: &v})
		}
		for _, at := range p.visits {
			if len(taken) > 0 && !taken[at] {
				l.captures = append(l.captures, Capture{URL: uri, At: time.UnixMilli(at).UTC(), version: &version{unchanged: true}})
			}
		}
	}
	l.native = nil
}

// block returns the bytes of a record of plat, by the hash of its payload.
func (l *Library) block(h plat.Hash) ([]byte, error) {
	e, ok := l.blocks[keyOf("sha256:"+h.String())]
	if !ok {
		return nil, fmt.Errorf("%s is not in the files: %w", h.Short(), plat.ErrNotFound)
	}
	data, err := l.data(e)
	if err == nil && plat.HashOf(data) != h {
		err = fmt.Errorf("%s is damaged: %w", h.Short(), plat.ErrCorrupt)
	}
	return data, err
}

func (l *Library) data(e entry) ([]byte, error) {
	s := l.sources[e.source].(*warcSource)
	r, err := warc.Open(s.file, s.size, e.place)
	if err != nil {
		return nil, err
	}
	if r.Length > storage.MaxResource+(64<<20) {
		return nil, fmt.Errorf("a record of %d bytes is too long", r.Length)
	}
	var b bytes.Buffer
	n, err := io.Copy(&b, r.Block)
	if err == nil && n < r.Length {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// errOther means that the archive has versions of a URL that the files do not continue.
var errOther = errors.New("the archive has other versions of it; import into an archive without them")

// A native stores the versions and visits of a URL that plat has exported.
type native struct {
	l     *Library
	store storage.Store
	last  *plat.Version // in the archive
	was   int64         // time of the version before in the files, 0 if there is none
}

// put stores a version or an unchanged visit, and describes it in r.
func (n *native) put(ctx context.Context, c *Capture, state *plat.URLState, r *Result) error {
	if c.version.unchanged {
		return n.visit(ctx, c, state, r)
	}
	data, err := n.l.data(c.version.entry)
	if err != nil {
		return err
	}
	rec, err := export.ReadVersion(data)
	if err != nil {
		return err
	}
	html, err := n.l.block(rec.Page)
	if err != nil {
		return fmt.Errorf("the page as captured: %w", err)
	}
	v, layout, m, err := rec.Version(html)
	if err != nil {
		return err
	}
	v.URL = state.URL
	if err := n.load(ctx, state); err != nil {
		return err
	}
	commit := &storage.Commit{Version: v, Layout: layout, Fingerprint: traps.Fingerprint(v.Capture.Title, v.Blocks)}
	if err := n.attach(commit, m); err != nil {
		return err
	}
	n.follow(commit, state)
	commit.Visit = plat.Visit{
		URL: state.URL, Time: c.At, Outcome: outcomeOf(v), Version: v.N, Status: v.Capture.Status, Bytes: v.Capture.WireBytes, Duration: v.Capture.Duration,
	}
	written, err := n.store.Commit(ctx, commit)
	if err != nil {
		return err
	}
	n.last, n.was = v, c.version.at
	r.Outcome, r.Version, r.Status, r.Stored, r.Coverage, r.PageBytes = commit.Visit.Outcome, v.N, v.Capture.Status, true, v.Coverage, v.Capture.PageBytes
	r.Changes, r.NewBlocks, r.StoredBytes, r.Pictures, r.Resources = v.Changes, written.Blocks, written.Bytes, written.Pictures, written.Resources
	for i := range v.Blocks {
		if v.Blocks[i].Leaf() {
			r.Blocks++
		}
	}
	return nil
}

// load reads the last version of a URL in the archive. It must be that before the next one in the files.
func (n *native) load(ctx context.Context, state *plat.URLState) (err error) {
	if n.last == nil && state.Head > 0 {
		if n.last, err = n.store.Version(ctx, state.URL, 0); err != nil {
			return err
		}
	}
	if n.last != nil && n.last.Taken.UnixMilli() != n.was {
		return errOther
	}
	return nil
}

// attach adds the picture and the files of a version.
func (n *native) attach(c *storage.Commit, m plat.Manifest) error {
	if !c.Version.Picture.IsZero() {
		data, err := n.l.block(c.Version.Picture)
		if err != nil {
			return fmt.Errorf("the picture: %w", err)
		}
		kind := "image/png"
		if bytes.HasPrefix(data, []byte("RIFF")) {
			kind = "image/webp"
		}
		c.Picture = &plat.Picture{Type: kind, Data: data}
	}
	c.Resources = slices.Clone(m)
	known := map[plat.Hash][]byte{}
	for i := range c.Resources {
		f := &c.Resources[i]
		if f.Left != "" {
			continue
		}
		data, ok := known[f.Hash]
		if !ok {
			var err error
			if data, err = n.l.block(f.Hash); err != nil {
				return fmt.Errorf("the file %s: %w", f.URL, err)
			}
			known[f.Hash] = data
		}
		f.Data = data
	}
	return nil
}

// follow makes a version the next one of its URL in the archive.
func (n *native) follow(c *storage.Commit, state *plat.URLState) {
	v := c.Version
	first := v.Oldest || v.N == 1
	v.N, v.Oldest = state.Next(), n.last == nil
	if v.Oldest && !first { // the versions before are not in the files
		v.Changes, v.SelfChanges = nil, nil
	}
	was := map[int32]plat.Hash{}
	if n.last != nil {
		c.LayoutBase = n.last.Layout
		for i := range n.last.Blocks {
			if b := &n.last.Blocks[i]; b.Leaf() {
				was[b.Lineage] = b.Hash
			}
		}
	}
	for i := range v.Blocks {
		b := &v.Blocks[i]
		b.Base = was[b.Lineage]
		if n.last == nil {
			b.Change = ""
		}
		if !b.Leaf() {
			b.Base = plat.Hash{}
		}
	}
}

// outcomeOf returns the outcome of the visit that has found a version.
func outcomeOf(v *plat.Version) plat.Outcome {
	leaves := slices.ContainsFunc(v.Blocks, func(b plat.Block) bool { return b.Leaf() })
	switch {
	case !leaves:
		return plat.OutcomeBlank
	case v.Oldest:
		return plat.OutcomeNew
	}
	return plat.OutcomeChanged
}

// visit records a visit that found no new version.
func (n *native) visit(ctx context.Context, c *Capture, state *plat.URLState, r *Result) error {
	if err := n.load(ctx, state); err != nil {
		return err
	}
	if n.last == nil {
		return errOther
	}
	v := plat.Visit{URL: state.URL, Time: c.At, Outcome: plat.OutcomeUnchanged, Version: n.last.N, Status: n.last.Capture.Status}
	if err := n.store.Record(ctx, v, n.last.Capture.PageBytes); err != nil {
		return err
	}
	r.Outcome, r.Version, r.Status, r.PageBytes, r.Coverage = v.Outcome, v.Version, v.Status, n.last.Capture.PageBytes, n.last.Coverage
	return nil
}

// inOrder sorts captures by time; of one time, versions come first.
func inOrder(all []Capture) {
	slices.SortStableFunc(all, func(a, b Capture) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(unchangedRank(&a), unchangedRank(&b)))
	})
}

func unchangedRank(c *Capture) int {
	if c.version != nil && c.version.unchanged {
		return 1
	}
	return 0
}
