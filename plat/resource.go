package plat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ResourceSet is the set of a page's resources that are stored.
type ResourceSet string

// The sets, each a superset of those before it.
const (
	NoResources    ResourceSet = ""
	StyleResources ResourceSet = "css" // style sheets, fonts, and rules inserted by scripts
	AllResources   ResourceSet = "all" // images and canvas contents as well
)

// Attachments selects the data captured beside the snapshot.
type Attachments struct {
	Picture   bool
	Resources ResourceSet
}

// Resource is a file that the rendering of a page used. Data is nil if only the reference was loaded.
type Resource struct {
	URL    string     // absolute, without fragment, or the URL of a [StylePlace] or a [CanvasPlace]
	Type   string     // media type without parameters; text/css is stored as UTF-8
	Status int        // HTTP; 0 if the browser hides it, as for many cross-origin requests
	Left   OmitReason // why it is not stored; empty if it is stored
	Size   int64      // of Data; 0 if left out
	Hash   Hash       // of Data; zero if left out
	Data   []byte
}

// FileURL is the URL of the resource that holds the file of which a version shows a page: a table, a feed, a
// text that browsers do not show. It is stored with every such version, whatever ResourceSet is wanted.
const FileURL = "plat:file"

// FeedGenerator is the generator that the page of a feed names in a meta element: its articles are the feed's entries.
const FeedGenerator = "plat feed"

// FeedEntryID is the attribute of such an article with the identifier of its entry (guid, id), unless that is its link.
const FeedEntryID = "data-entry"

// OmitReason is the reason why a resource that the page used is not in the archive.
type OmitReason string

// Reasons to omit a resource.
const (
	OmitFailed OmitReason = "failed" // it did not load: the page was rendered without it
	OmitLarge  OmitReason = "large"  // it exceeds the limit per resource
	OmitFull   OmitReason = "full"   // it would exceed the limit per version
	OmitGone   OmitReason = "gone"   // the browser had discarded it
	OmitLate   OmitReason = "late"   // the time limit for collecting resources was reached

	// OmitTainted is the reason for a canvas with cross-origin content, whose pixels the browser does
	// not let scripts read (HTML Living Standard, section 4.12.5.7).
	OmitTainted OmitReason = "tainted"
)

// Limits of a manifest, so that every store can hold it as one record. Resources
// beyond them are neither stored nor listed; only malicious pages exceed them.
const (
	MaxResources   = 4000    // of a version
	MaxResourceURL = 2 << 10 // bytes of a URL
)

// Manifest lists the resources of a version, sorted by URL, each URL once, without
// their data.
type Manifest []Resource

// IsHTML reports whether a media type, in lower case and without parameters, is that of HTML or XHTML.
func IsHTML(media string) bool { return media == "text/html" || media == "application/xhtml+xml" }

// ManifestOf returns the manifest of resources given in any order.
func ManifestOf(resources []Resource) Manifest {
	m := slices.Clone(resources)
	for i := range m {
		m[i].Data = nil
	}
	slices.SortFunc(m, func(a, b Resource) int { return strings.Compare(a.URL, b.URL) })
	return m
}

// Sum returns the hash under which the manifest is stored; zero if it is empty.
func (m Manifest) Sum() Hash {
	if len(m) == 0 {
		return Hash{}
	}
	return HashOf(m.Marshal())
}

// Index returns the index of a URL's entry.
func (m Manifest) Index(url string) (i int, ok bool) {
	return slices.BinarySearchFunc(m, url, func(r Resource, url string) int { return strings.Compare(r.URL, url) })
}

// Find returns the entry of a URL.
func (m Manifest) Find(url string) (*Resource, bool) {
	i, ok := m.Index(url)
	if !ok {
		return nil, false
	}
	return &m[i], true
}

// File returns the file that the version shows; see [FileURL].
func (m Manifest) File() (*Resource, bool) {
	r, ok := m.Find(FileURL)
	return r, ok && r.Left == ""
}

// Kept returns the number of stored resources and their bytes. Content stored under
// two URLs counts twice.
func (m Manifest) Kept() (n int, size int64) {
	for i := range m {
		if m[i].Left == "" {
			n++
			size += m[i].Size
		}
	}
	return n, size
}

// Marshal encodes the manifest as the bytes that are hashed: for each resource URL,
// type and omit reason, each after its length, and the status; then, unless omitted,
// its size and hash. Numbers are unsigned varints.
func (m Manifest) Marshal() []byte {
	var b []byte
	text := func(s string) {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	for i := range m {
		r := &m[i]
		text(r.URL)
		text(r.Type)
		text(string(r.Left))
		b = binary.AppendUvarint(b, uint64(r.Status))
		if r.Left == "" {
			b = binary.AppendUvarint(b, uint64(r.Size))
			b = append(b, r.Hash[:]...)
		}
	}
	return b
}

// UnmarshalManifest decodes the output of Marshal. It returns ErrCorrupt for any bytes that Marshal
// does not produce.
func UnmarshalManifest(b []byte) (Manifest, error) {
	rest, bad := b, false
	number := func() uint64 {
		v, n := binary.Uvarint(rest)
		if n <= 0 || v > 1<<62 {
			bad, rest = true, nil
			return 0
		}
		rest = rest[n:]
		return v
	}
	text := func(n uint64) string {
		if n > uint64(len(rest)) {
			bad, rest = true, nil
			return ""
		}
		s := string(rest[:n])
		rest = rest[n:]
		return s
	}
	var m Manifest
	for len(rest) > 0 && !bad {
		r := Resource{URL: text(number()), Type: text(number()), Left: OmitReason(text(number())), Status: int(number())}
		if r.Left == "" {
			r.Size = int64(number())
			copy(r.Hash[:], text(uint64(len(r.Hash))))
		}
		if len(m) > 0 && m[len(m)-1].URL >= r.URL {
			bad = true
		}
		m = append(m, r)
	}
	if bad || !bytes.Equal(m.Marshal(), b) {
		return nil, fmt.Errorf("manifest: %w", ErrCorrupt)
	}
	return m, nil
}

// StylePlace identifies the place of style rules that scripts inserted (CSSOM:
// insertRule, adoptedStyleSheets) and that therefore are in no URL and no text of the
// page. They are stored as resources of type text/css under a "plat:" URL; relative
// URLs in them are relative to their document.
type StylePlace struct {
	// Path leads, as [Block.Path] does, to the <style> element whose text the rules
	// replace, or to the shadow root or frame document that adopted them; empty is
	// the page's own document.
	Path []int32

	// Adopted is the rank among the adopted sheets, from 1; they come after all other
	// sheets there. 0 means not adopted.
	Adopted int
}

// URL encodes the place: "plat:style/0.0.3" or "plat:adopted/1/0.1.^0", where ^n is a
// step to a node that is not an element.
func (p StylePlace) URL() string {
	b := []byte("plat:style/")
	if p.Adopted > 0 {
		b = append(strconv.AppendInt([]byte("plat:adopted/"), int64(p.Adopted), 10), '/')
	}
	return string(appendPath(b, p.Path))
}

// ParseStylePlace parses the output of URL; ok is false for all other URLs.
func ParseStylePlace(url string) (p StylePlace, ok bool) {
	path, style := strings.CutPrefix(url, "plat:style/")
	if !style {
		rest, adopted := strings.CutPrefix(url, "plat:adopted/")
		rank, after, _ := strings.Cut(rest, "/")
		n, err := strconv.ParseInt(rank, 10, 32)
		if !adopted || err != nil {
			return StylePlace{}, false
		}
		p.Adopted, path = int(n), after
	}
	if p.Path, ok = parsePath(path); !ok {
		return StylePlace{}, false
	}
	return p, p.URL() == url
}

// CanvasPlace identifies the <canvas> element of a picture. The drawing of scripts has no URL; it is
// stored as a resource of type image/png under a "plat:" URL.
type CanvasPlace struct {
	Path []int32 // as [Block.Path]
}

// URL encodes the place: "plat:canvas/0.1.^0.3".
func (p CanvasPlace) URL() string { return string(appendPath([]byte("plat:canvas/"), p.Path)) }

// ParseCanvasPlace parses the output of URL; ok is false for all other URLs.
func ParseCanvasPlace(url string) (p CanvasPlace, ok bool) {
	path, ok := strings.CutPrefix(url, "plat:canvas/")
	if !ok {
		return CanvasPlace{}, false
	}
	if p.Path, ok = parsePath(path); !ok || len(p.Path) == 0 {
		return CanvasPlace{}, false
	}
	return p, p.URL() == url
}

func appendPath(b []byte, path []int32) []byte {
	for i, step := range path {
		if i > 0 {
			b = append(b, '.')
		}
		if step < 0 {
			b = append(b, '^')
			step = ^step
		}
		b = strconv.AppendInt(b, int64(step), 10)
	}
	return b
}

func parsePath(s string) (path []int32, ok bool) {
	for step := range strings.SplitSeq(s, ".") {
		if s == "" {
			break
		}
		digits, other := strings.CutPrefix(step, "^")
		n, err := strconv.ParseInt(digits, 10, 32)
		if err != nil {
			return nil, false
		}
		if other {
			n = ^n
		}
		path = append(path, int32(n))
	}
	return path, true
}
