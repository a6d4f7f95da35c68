package warc

import (
	"archive/zip"
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path"
	"time"
)

// Page is an entry of a WACZ's list of pages, which players offer to open.
type Page struct {
	URL   string    `json:"url"`
	Time  time.Time `json:"ts"`
	Title string    `json:"title,omitempty"`
	Text  string    `json:"text,omitempty"` // for full-text search in players
}

// WACZ packs records into a WACZ file (WACZ 1.1.1) as they arrive; only the
// index and the lists are kept until the end, in temporary files. Call Begin,
// then add content, then Finish. Close it in any case.
type WACZ struct {
	// About returns the warcinfo of each WARC file inside; its ID and Filename
	// are overwritten.
	About func() *Record

	Title    string
	Software string
	Now      time.Time // time of creation
	FileSize int64     // approximate size of a WARC file, bytes; 0: [MaxFile]

	zip   *zip.Writer
	files []packed
	index Index
	pages *lines
	extra map[string]*lines // files beyond the standard, by name

	warc *Writer
	name string // of the WARC file being written
	open *measured
}

// MaxFile is the approximate maximum size of a WARC file in bytes, as
// recommended by the standard's annex.
const MaxFile = 1 << 30

// packed is a file inside, as listed in the data package.
type packed struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"`
	Bytes int64  `json:"bytes"`
}

// measured is a file being packed.
type measured struct {
	io.Writer
	path string
	sum  hash.Hash
	n    int64
}

func (m *measured) Write(b []byte) (int, error) {
	m.sum.Write(b)
	m.n += int64(len(b))
	return m.Writer.Write(b)
}

// Begin sets the output.
func (p *WACZ) Begin(out io.Writer) { p.zip = zip.NewWriter(out) }

// create begins a file inside. WARC files and the index are compressed already, in parts, so
// their method is zip.Store: players can then read a part without the bytes before it.
func (p *WACZ) create(name string, method uint16) (*measured, error) {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: p.Now})
	return &measured{Writer: w, path: name, sum: sha256.New()}, err
}

// done lists a completed file.
func (p *WACZ) done(m *measured) {
	p.files = append(p.files, packed{path.Base(m.path), m.path, "sha256:" + hex.EncodeToString(m.sum.Sum(nil)), m.n})
}

// Write adds a record.
func (p *WACZ) Write(r *Record) error {
	if p.warc != nil && p.warc.Size() >= cmp.Or(p.FileSize, MaxFile) {
		p.done(p.open)
		p.warc = nil
	}
	if p.warc == nil {
		p.name = fmt.Sprintf("data-%05d.warc.gz", len(p.files))
		var err error
		if p.open, err = p.create("archive/"+p.name, zip.Store); err != nil {
			return err
		}
		p.warc = NewWriter(p.open)
		about := p.About()
		about.ID, about.Filename = NewID(), p.name
		if _, err := p.warc.Write(about); err != nil {
			return err
		}
	}
	e, err := p.warc.Write(r)
	if err != nil {
		return err
	}
	return p.index.Add(CDXJ(r, e, p.name))
}

// Page adds a page to the list.
func (p *WACZ) Page(page Page) error {
	if p.pages == nil {
		var err error
		if p.pages, err = newLines(); err != nil {
			return err
		}
		if err := p.pages.add(map[string]any{"format": "json-pages-1.0", "id": "pages", "title": "All pages", "hasText": true}); err != nil {
			return err
		}
	}
	page.Time = page.Time.UTC()
	return p.pages.add(page)
}

// Extra adds v as a JSON line to the file plat/name, which is beyond the standard.
func (p *WACZ) Extra(name string, v any) error {
	if p.extra == nil {
		p.extra = map[string]*lines{}
	}
	if p.extra[name] == nil {
		l, err := newLines()
		if err != nil {
			return err
		}
		p.extra[name] = l
	}
	return p.extra[name].add(v)
}

// Finish writes the end of the file: index, lists and directory. Without it the
// file is incomplete; nothing can be added afterwards.
func (p *WACZ) Finish() error {
	if p.warc != nil {
		p.done(p.open)
	}
	if err := p.writeIndex(); err != nil {
		return err
	}
	if p.pages != nil {
		if err := p.copy("pages/pages.jsonl", p.pages.file); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(p.extra) {
		if err := p.copy("plat/"+name, p.extra[name].file); err != nil {
			return err
		}
	}
	if err := p.describe(); err != nil {
		return err
	}
	return p.zip.Close()
}

// Close releases temporary files.
func (p *WACZ) Close() error {
	errs := []error{p.index.Close()}
	if p.pages != nil {
		errs = append(errs, p.pages.file.Close())
	}
	for _, l := range p.extra {
		errs = append(errs, l.file.Close())
	}
	return errors.Join(errs...)
}

func (p *WACZ) writeIndex() error {
	const name = "index.cdx.gz"
	where, err := spool()
	if err != nil {
		return err
	}
	defer where.Close()
	cdx, err := p.create("indexes/"+name, zip.Store)
	if err != nil {
		return err
	}
	idx := bufio.NewWriter(where)
	if err := errors.Join(p.index.Write(cdx, idx, name), idx.Flush()); err != nil {
		return err
	}
	p.done(cdx)
	return p.copy("indexes/index.idx", where)
}

// copy packs a temporary file.
func (p *WACZ) copy(name string, f *os.File) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	m, err := p.create(name, zip.Deflate)
	if err != nil {
		return err
	}
	if _, err := io.Copy(m, f); err != nil {
		return err
	}
	p.done(m)
	return nil
}

// describe writes the data package, the list of files, and its hash.
func (p *WACZ) describe() error {
	m, err := p.create("datapackage.json", zip.Deflate)
	if err != nil {
		return err
	}
	if err := writeJSON(m, map[string]any{
		"profile": "data-package", "wacz_version": "1.1.1", "title": p.Title, "software": p.Software,
		"created": p.Now.UTC().Format(time.RFC3339), "resources": p.files,
	}); err != nil {
		return err
	}
	p.done(m)
	d, err := p.create("datapackage-digest.json", zip.Deflate)
	if err != nil {
		return err
	}
	return writeJSON(d, map[string]string{"path": "datapackage.json", "hash": p.files[len(p.files)-1].Hash})
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
