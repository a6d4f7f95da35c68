package plat

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ResourceSet says which resources of a page are kept.
type ResourceSet string

// The sets, each with all that is in those before it.
const (
	NoResources    ResourceSet = ""
	StyleResources ResourceSet = "css" // style sheets, fonts, and rules that scripts put in
	AllResources   ResourceSet = "all" // images and what stands in canvases as well
)

// Attachments is what is taken of a page beside its snapshot.
type Attachments struct {
	Picture   bool
	Resources ResourceSet
}

// Resource is something that a page used to look as it does. Data is nil where
// only the reference was loaded.
type Resource struct {
	URL    string     // absolute, without fragment, or that of a [StylePlace] or a [CanvasPlace]
	Type   string     // media type without parameters; what is text/css is kept as UTF-8
	Status int        // HTTP; 0 where the browser does not say, as of many of other origins
	Left   OmitReason // why it is not kept; empty if it is
	Size   int64      // of Data; 0 if left out
	Hash   Hash       // of Data; zero if left out
	Data   []byte
}

// OmitReason says why a resource is not in the archive although the page used it.
type OmitReason string

// Reasons to leave a resource out.
const (
	OmitFailed OmitReason = "failed" // it did not load: the page was seen without it
	OmitLarge  OmitReason = "large"  // it is over the limit of one resource
	OmitFull   OmitReason = "full"   // it would have taken the page over the limit of a version
	OmitGone   OmitReason = "gone"   // the browser did not have it any more
	OmitLate   OmitReason = "late"   // the time for taking resources was over

	// OmitTainted is a canvas with something of another origin in it: the browser does
	// not give out what stands there (HTML Living Standard, section 4.12.5.7).
	OmitTainted OmitReason = "tainted"
)

// Limits of a manifest, so that every store can hold it in one piece. What is
// beyond them is not kept and not named: no page has so much that means well.
const (
	MaxResources   = 4000    // of a version
	MaxResourceURL = 2 << 10 // bytes of a URL
)

// Manifest lists the resources that a version refers to, in order of URL, each URL
// once, and without their data.
type Manifest []Resource

// ManifestOf returns the manifest of resources in any order.
func ManifestOf(resources []Resource) Manifest {
	m := slices.Clone(resources)
	for i := range m {
		m[i].Data = nil
	}
	slices.SortFunc(m, func(a, b Resource) int { return strings.Compare(a.URL, b.URL) })
	return m
}

// Sum is the hash under which the manifest is stored; zero if it is empty.
func (m Manifest) Sum() Hash {
	if len(m) == 0 {
		return Hash{}
	}
	return HashOf(m.Marshal())
}

// Index returns the rank of a URL's entry.
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

// Kept is how many resources are in the archive, and their bytes. A content that
// stands under two URLs counts twice.
func (m Manifest) Kept() (n int, size int64) {
	for i := range m {
		if m[i].Left == "" {
			n++
			size += m[i].Size
		}
	}
	return n, size
}

// Marshal writes the manifest as the bytes that are hashed: for each resource URL,
// type and why it was left out, each after its length, and the status; then, if it
// was not left out, its size and hash. Numbers are unsigned varints.
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

// UnmarshalManifest reads what Marshal wrote. Bytes that are no manifest, or one
// that Marshal would write otherwise, give ErrCorrupt.
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

// StylePlace says where style rules belong that no URL and no text of the page
// holds, because scripts put them in (CSSOM: insertRule, adoptedStyleSheets). They
// are kept as resources of type text/css under a URL of ours; relative URLs in
// them are relative to the document that they belong to.
type StylePlace struct {
	// Path leads, as [Block.Path] does, to the <style> element whose text the
	// rules replace, or to the shadow root or the frame's document that adopted
	// them; empty is the page's own document.
	Path []int32

	// Adopted is the rank among the adopted sheets, from 1, all of which come
	// after the other sheets there; 0 is no adopted one.
	Adopted int
}

// URL is the place as a URL: "plat:style/0.0.3" or "plat:adopted/1/0.1.^0", where
// ^n is a step to what is no element.
func (p StylePlace) URL() string {
	b := []byte("plat:style/")
	if p.Adopted > 0 {
		b = append(strconv.AppendInt([]byte("plat:adopted/"), int64(p.Adopted), 10), '/')
	}
	return string(appendPath(b, p.Path))
}

// ParseStylePlace reads what URL wrote; ok is false for all other URLs.
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

// CanvasPlace says which <canvas> element a picture belongs to. What scripts drew there
// has no URL; it is kept as a resource of type image/png under a URL of ours.
type CanvasPlace struct {
	Path []int32 // as [Block.Path]
}

// URL is the place as a URL: "plat:canvas/0.1.^0.3".
func (p CanvasPlace) URL() string { return string(appendPath([]byte("plat:canvas/"), p.Path)) }

// ParseCanvasPlace reads what URL wrote; ok is false for all other URLs.
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
