package replay

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"plat/plat"
	"plat/plat/weburl"
)

// Assets are the resources of one version and the paths they are served under.
type Assets struct {
	manifest plat.Manifest
	prefix   string // prefix of their paths; empty: they keep their own URLs

	selected []string          // attributes that rules select by: see plat.PageState
	sheets   map[string]string // final URLs of redirected style sheets
	broken   []string          // URLs of images that the page showed as broken
	inline   map[string]string // data: URLs of resources that players cannot find
	quiet    bool              // the page ran no scripts
	picture  bool              // of a picture: its rules stay, as its fragment and elements do
	left     *int              // bytes of these that a page may still have
}

// With returns the resources of a page with a state.
func (a *Assets) With(s *plat.PageState) *Assets {
	with := *a
	with.selected, with.sheets, with.broken, with.quiet = nil, s.Sheets, s.Broken, s.Scriptless
	for _, name := range s.Selected {
		if plat.IsSelectable(name) && (a.prefix != "" || !staysInExports(name) || slices.Contains(s.Selected, name+"=")) {
			with.selected = append(with.selected, name)
		}
	}
	return &with
}

// Sheet returns the style sheet of a URL, rewritten by [Assets.CSS].
func (a *Assets) Sheet(text, url string) string {
	if final := a.sheets[url]; final != "" {
		return a.CSS(text, weburl.NewBase(final))
	}
	return a.CSS(text, weburl.NewBase(url))
}

// Path returns the path of the resource with an absolute URL, or "" if it is not stored. A
// fragment of the URL is kept.
func (a *Assets) Path(url string) string {
	url, fragment, _ := strings.Cut(url, "#")
	i, ok := a.manifest.Index(url)
	if !ok || a.manifest[i].Left != "" {
		return ""
	}
	p := a.prefix + strconv.Itoa(i)
	if a.prefix == "" {
		p = url
		if data, ok := a.inline[url]; ok {
			if *a.left -= len(data); *a.left < 0 {
				return ""
			}
			return data
		}
	}
	if fragment != "" {
		p += "#" + fragment
	}
	return p
}

// imageStrings matches a set of images whose addresses are strings, which players do not know as such.
var imageStrings = regexp.MustCompile(`(?i)image-set\((?:[^;{}]*,)?\s*["']`)

// SheetAlone returns a style sheet for an export, and whether it differs: one whose references are not relative to
// its own URL, because it was redirected, or whose rules select by what scripts have defined or opened, by attributes that
// exports leave out, or, if the exported page replaces elements (see [Document]), by their names.
func SheetAlone(m plat.Manifest, s *plat.PageState, replaces bool, url, text string) (alone string, changed bool) {
	a := (&Assets{manifest: m}).With(s)
	if s.Sheets[url] == "" && !strings.Contains(text, ":defined") && (len(s.Opened) == 0 || !selectsOpened(text)) && (len(s.States) == 0 || !selectsState(text)) && len(a.selected) == 0 && (!s.Scriptless || !scripting.MatchString(text)) &&
		(!replaces || !selectsReplaced.MatchString(text)) && plainNames(text) == text && !imageStrings.MatchString(text) {
		return text, false
	}
	return a.Sheet(text, url), true
}

// find returns the path of the resource to which a reference leads, or "" if it is not stored.
func (a *Assets) find(base *weburl.Base, ref string) string {
	for url := range base.Spellings(ref) {
		if p := a.Path(url); p != "" {
			return p
		}
	}
	return ""
}

// failed reports whether a reference leads to a resource that did not load.
func (a *Assets) failed(base *weburl.Base, ref string) bool {
	for url := range base.Spellings(ref) {
		url = weburl.WithoutFragment(url)
		if r, ok := a.manifest.Find(url); ok {
			return r.Left == plat.OmitFailed || r.Left != "" && (r.Status >= 400 || !strings.HasPrefix(r.Type, "image/")) // of error pages Chrome keeps nothing
		}
		if slices.Contains(a.broken, url) {
			return true
		}
	}
	return false
}

// The media types with special rules.
const (
	typeCSS     = "text/css"
	typeSVG     = "image/svg+xml"
	typeUnknown = "application/octet-stream"
)

// SafeType returns the media type for serving a resource: one that browsers never treat as a
// script or a page, except for SVG pictures. Servers use any type for style sheets, and
// browsers treat image/x+xml as a page, like XHTML.
func SafeType(media string) string {
	media, _, _ = strings.Cut(strings.ToLower(media), ";")
	media = strings.TrimSpace(media)
	switch {
	case media == typeSVG:
		return media
	case strings.HasSuffix(media, "+xml") || strings.ContainsFunc(media, notInType):
	case media == typeCSS, strings.HasPrefix(media, "font/"), strings.HasPrefix(media, "image/"),
		strings.HasPrefix(media, "application/font-"), strings.HasPrefix(media, "application/x-font-"), media == "application/vnd.ms-fontobject":
		return media
	}
	return typeUnknown
}

// notInType reports whether a character is not allowed in a lower-case media type (RFC 6838,
// section 4.2).
func notInType(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$&-^_.+/", r)
}

// FileType returns the media type under which an export holds a file of a site: its own, unless browsers could run parts of
// it as a page or a script.
func FileType(media string, data []byte) string {
	kind, _, _ := strings.Cut(strings.ToLower(media), ";")
	kind = strings.TrimSpace(kind)
	major, minor, _ := strings.Cut(kind, "/")
	switch {
	case strings.ContainsFunc(kind, notInType), minor == "":
	case strings.HasSuffix(minor, "xml"):
		if inertXML(data) {
			return kind
		}
		return "text/plain"
	case major == "image", major == "audio", major == "video", major == "font", shownAlone[kind], strings.HasPrefix(kind, "application/vnd."):
		return kind
	}
	return typeUnknown
}

// shownAlone are the other types of files that no browser runs.
var shownAlone = map[string]bool{
	"text/plain": true, "text/csv": true, "text/tab-separated-values": true, "text/calendar": true, "text/vcard": true, "text/yaml": true,
	"application/pdf": true, "application/zip": true, "application/gzip": true, "application/x-tar": true, "application/epub+zip": true,
	"application/json": true, "application/feed+json": true, "application/yaml": true, "application/toml": true, "application/msword": true, "application/rtf": true,
}

// inertXML reports whether browsers show a file of XML as its source: it has no style sheet, no entities of its own, and
// no elements of HTML or SVG.
func inertXML(data []byte) bool {
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		t, err := d.RawToken()
		if err != nil {
			return err == io.EOF
		}
		switch t := t.(type) {
		case xml.ProcInst:
			if t.Target != "xml" {
				return false
			}
		case xml.Directive:
			return false
		case xml.StartElement:
			for _, a := range t.Attr {
				if (a.Name.Space == "xmlns" || a.Name.Local == "xmlns") && (strings.Contains(a.Value, "xhtml") || strings.Contains(a.Value, "svg")) {
					return false
				}
			}
		}
	}
}

// Alone returns a resource, and its type, for use without a policy: in exports, whose players
// return it to every user who opens its address. Its type is a [SafeType]. An SVG picture is
// rewritten without parts that could run or lead elsewhere. If that fails, it has an unknown
// type.
func Alone(media string, data []byte) (kind string, alone []byte) { return separate(media, data, nil) }

// Beside is [Alone] for a resource of a manifest whose other resources are in the same export: a picture keeps its references
// to those that are pictures of the same origin. Players find them relative to its URL.
func Beside(m plat.Manifest, r *plat.Resource, data []byte) (kind string, alone []byte) {
	base := weburl.NewBase(r.URL)
	return separate(r.Type, data, func(ref string) string {
		url, fragment, named := strings.Cut(base.Resolve(ref), "#")
		if i, ok := m.Index(url); !ok || m[i].Left != "" || origin(url) != origin(r.URL) || !strings.HasPrefix(SafeType(m[i].Type), "image/") {
			return ""
		}
		if named {
			url += "#" + fragment
		}
		return relative(r.URL, url)
	})
}

// separate returns a resource for an export. beside returns what the reference of a picture becomes, empty: it is left
// out; nil: all are.
func separate(media string, data []byte, beside func(ref string) string) (kind string, alone []byte) {
	switch kind = SafeType(media); kind {
	case typeCSS:
		return kind + "; charset=utf-8", data
	case typeSVG:
		if drawn, err := harmlessSVG(data, beside); err == nil {
			return kind, drawn
		}
		return typeUnknown, data
	}
	return kind, data
}
