package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"plat/export/replay"
	"plat/export/warc"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
)

// part is an element of a web archive: a record, with its entry in the list of
// pages if it is a page; or the state of a URL.
type part struct {
	record *warc.Record
	page   *warc.Page
	state  *plat.URLState
}

// parts calls yield for everything exported, one record in memory at a time,
// until it fails.
func (r *run) parts(ctx context.Context, yield func(part) error) error {
	known := payloads{}
	put := func(p part) error {
		p.record = known.revisit(p.record)
		r.sum.Records++
		if p.record.Type == warc.Revisit {
			r.sum.Revisits++
		}
		return yield(p)
	}
	for c, err := range r.urls(ctx, r.Store) {
		if err != nil {
			return err
		}
		pages := map[int]warc.Reference{}
		for v, err := range r.versions(ctx, r.Store, c) {
			if err != nil {
				return err
			}
			if len(pages) == 0 && !c.again {
				r.sum.URLs++
			}
			if pages[v.N], err = r.version(ctx, v, put); err != nil {
				return about(v.URL, v.N, err)
			}
			r.advanced()
		}
		if len(pages) == 0 {
			continue
		}
		if c.n == 0 {
			if err := r.visits(ctx, c.state.URL, pages, put); err != nil {
				return about(c.state.URL, 0, err)
			}
		}
		if c.again {
			continue
		}
		if err := yield(part{state: &c.state}); err != nil {
			return err
		}
	}
	if r.sum.Versions == 0 {
		return ErrNothing
	}
	return nil
}

// URN prefixes of a version's records that are not responses of a server, in
// the style of webrecorder's tools: followed by the URL.
const (
	CaptureURN = "urn:capture:" // the page as captured, byte for byte
	ViewURN    = "urn:view:"    // its picture
	TextURN    = "urn:text:"    // its text
	BlocksURN  = "urn:blocks:"  // its block tree, and the conditions of its capture
	VersionURN = "urn:version:" // the version as plat import reads it, see [VersionRecord]
	FileURN    = "urn:file:"    // a file as the archive has it, where its record differs
)

// version exports a version, and returns the reference that revisits of its
// page use.
//
// All records have the type resource. A response would contain the bytes of the server, which
// are never stored: a page is the DOM after its scripts had run, and style sheets are converted
// to UTF-8. The type conversion does not fit either, because the original is not recorded, and
// players ignore conversions.
func (r *run) version(ctx context.Context, v *plat.Version, put func(part) error) (warc.Reference, error) {
	m, err := manifest(ctx, r.Store, v)
	if err != nil {
		return warc.Reference{}, err
	}
	captured, err := history.Page(ctx, r.Store, v)
	if err != nil {
		return warc.Reference{}, err
	}
	state, err := replay.State(ctx, r.Store, m)
	if err != nil {
		return warc.Reference{}, err
	}
	shown, frames, err := replay.Playable(ctx, r.Store, v, m, state, captured)
	if err != nil {
		return warc.Reference{}, err
	}
	layout, err := r.Store.Layout(ctx, v.Layout)
	if err != nil {
		return warc.Reference{}, err
	}
	out := records{v: v, put: put, replaces: shown.Replaces}
	page, err := out.shown(ctx, r.Store, m, shown)
	if err != nil {
		return warc.Reference{}, err
	}
	out.page = page.ID
	text := history.Text(v)
	if err := put(part{record: page, page: &warc.Page{URL: page.URI, Time: v.Taken, Title: v.Capture.Title, Text: text}}); err != nil {
		return warc.Reference{}, err
	}
	for _, f := range frames {
		if err := out.add(f.URL, f.Type, f.Body, "document of a frame of the page, made fit for players"); err != nil {
			return warc.Reference{}, err
		}
	}
	ref := warc.Reference{URI: page.URI, Date: page.Date, Digest: page.Digest()}
	if err := out.add(CaptureURN+v.URL, "text/html; charset=utf-8", captured, "page after its scripts had run, byte for byte as serialised"); err != nil {
		return ref, err
	}
	if err := out.addPicture(ctx, r.Store); err != nil {
		return ref, err
	}
	if text != "" {
		if err := out.add(TextURN+v.URL, "text/plain; charset=utf-8", []byte(text), "text that a reader sees"); err != nil {
			return ref, err
		}
	}
	tree, err := json.Marshal(documentOf(v, m, false))
	if err != nil {
		return ref, err
	}
	if err := out.add(BlocksURN+v.URL, "application/json", tree, "block tree"); err != nil {
		return ref, err
	}
	whole, err := json.Marshal(newVersionRecord(v, layout.Slots, m, captured))
	if err != nil {
		return ref, err
	}
	if err := out.add(VersionURN+v.URL, "application/json", whole, "version, for plat import"); err != nil {
		return ref, err
	}
	return ref, out.files(ctx, r.Store, m, state, page.Digest())
}

// files writes the files of the version. shown is the digest of the record under its URL.
func (r *records) files(ctx context.Context, store storage.Store, m plat.Manifest, state *plat.PageState, shown string) error {
	for i := range m {
		if m[i].Left != "" {
			continue
		}
		data, err := store.Resource(ctx, m[i].Hash)
		if err != nil {
			return err
		}
		if own, _, _ := strings.Cut(m[i].URL, ":"); own == "plat" || own == "blob" { // inlined into the page
			if warc.Digest(data) == shown {
				continue
			}
			if err := r.add(FileURN+m[i].URL, "application/octet-stream", data, "file as the archive has it, inlined into the page"); err != nil {
				return err
			}
			continue
		}
		what := ""
		kind, alone := replay.Beside(m, &m[i], data)
		if !bytes.Equal(alone, data) {
			what = "picture alone: scripts and references out"
		}
		if strings.HasPrefix(kind, "text/css") {
			if sheet, changed := replay.SheetAlone(m, state, r.replaces, m[i].URL, string(data)); changed {
				alone, what = []byte(sheet), "references made absolute, selectors by what scripts defined replaced"
			}
		}
		if err := r.add(m[i].URL, kind, alone, what); err != nil {
			return err
		}
		if !bytes.Equal(alone, data) {
			if err := r.add(FileURN+m[i].URL, "application/octet-stream", data, "file as the archive has it"); err != nil {
				return err
			}
		}
	}
	return nil
}

// records builds the records of one version.
type records struct {
	v    *plat.Version
	page string // ID of the page's record
	put  func(part) error

	replaces bool // see [replay.Document]
}

func (r *records) record(uri, kind string, block []byte, what string) *warc.Record {
	if kind = strings.TrimSpace(excerpt.Printable(kind)); kind == "" {
		kind = "application/octet-stream"
	}
	out := &warc.Record{Type: warc.Resource, ID: warc.NewID(), URI: warc.EscapeURI(uri), Date: r.v.Taken, ContentType: kind, Block: block, Concurrent: r.page}
	out.Fields = []warc.Field{{Name: VersionField, Value: fmt.Sprint(r.v.N)}}
	if what != "" {
		out.Fields = append(out.Fields, warc.Field{Name: "Plat-Content", Value: what})
	}
	return out
}

func (r *records) add(uri, kind string, block []byte, what string) error {
	return r.put(part{record: r.record(uri, kind, block, what)})
}

// shown returns the record under the URL of the version: its page, or the file of which plat has made that.
func (r *records) shown(ctx context.Context, store storage.Store, m plat.Manifest, page replay.Document) (*warc.Record, error) {
	whole := func() *warc.Record {
		return r.record(r.v.URL, page.Type, page.Body, "page after its scripts had run, made fit for players: frames and script-made style rules folded in, scripts and forms out")
	}
	f, ok := m.File()
	if !ok {
		return whole(), nil
	}
	data, err := store.Resource(ctx, f.Hash)
	if err != nil {
		return nil, err
	}
	if kind, alone := replay.Alone(f.Type, data); kind == "image/svg+xml" {
		if !bytes.Equal(alone, data) { // the page has what the scripts drew, and the files that the picture refers to
			return whole(), nil
		}
		return r.record(r.v.URL, kind, alone, "picture as the server sent it"), nil
	}
	return r.record(r.v.URL, replay.FileType(f.Type, data), data, "file as the server sent it"), nil
}

// addPicture writes the picture of the version, if it has one.
func (r *records) addPicture(ctx context.Context, store storage.Store) error {
	if r.v.Picture.IsZero() {
		return nil
	}
	p, err := store.Picture(ctx, r.v.Picture)
	if err != nil {
		return err
	}
	return r.add(ViewURN+r.v.URL, p.Type, p.Data, "picture of the whole page")
}

// visits exports the visits that confirmed a version, as revisits of its page.
func (r *run) visits(ctx context.Context, url string, pages map[int]warc.Reference, put func(part) error) error {
	for v, err := range r.Store.Visits(ctx, url, 0) {
		if err != nil {
			return err
		}
		ref, ok := pages[v.Version]
		if !ok || v.Outcome != plat.OutcomeUnchanged || !r.at(v.Time) {
			continue
		}
		x := &warc.Record{
			Type: warc.Revisit, ID: warc.NewID(), URI: ref.URI, Date: v.Time, RefersTo: &ref,
			Fields: []warc.Field{{Name: VersionField, Value: fmt.Sprint(v.Version)}},
		}
		if err := put(part{record: x}); err != nil {
			return err
		}
	}
	return nil
}

// payloads maps digest and type of the payloads in the export to their records.
type payloads map[string]warc.Reference

// maxKnown limits payloads to about 30 MB. When full it is cleared; later
// duplicates are then written again, which only costs space.
const maxKnown = 100_000

// revisit returns r, or a revisit record if its payload is already in the
// export.
func (k payloads) revisit(r *warc.Record) *warc.Record {
	if r.Type == warc.Revisit {
		return r
	}
	key := r.Digest() + " " + r.ContentType
	ref, ok := k[key]
	if !ok {
		if len(k) >= maxKnown {
			clear(k)
		}
		k[key] = warc.Reference{URI: r.URI, Date: r.Date, Digest: r.Digest()}
		return r
	}
	again := *r
	again.Type, again.ContentType, again.Block, again.RefersTo = warc.Revisit, "", nil, &ref
	return &again
}

// manifest returns the resources of a version, or nil if it has no stored resources.
func manifest(ctx context.Context, store storage.Store, v *plat.Version) (plat.Manifest, error) {
	if v.Resources.IsZero() {
		return nil, nil
	}
	return store.Manifest(ctx, v.Resources)
}

// aboutFile returns the warcinfo record: the program that wrote the file, and the information
// to interpret it.
func (r *run) aboutFile() *warc.Record {
	var b bytes.Buffer
	for _, f := range [][2]string{
		{"software", "plat/" + r.Version},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
		{"description", "Versions out of an archive of rendered pages. Pages are the DOM after scripts had run, not the bytes of the server. Therefore they are resource records, without request or response."},
	} {
		fmt.Fprintf(&b, "%s: %s\r\n", f[0], f[1])
	}
	return &warc.Record{Type: warc.Info, ID: warc.NewID(), Date: time.Now(), ContentType: "application/warc-fields", Block: b.Bytes()}
}
