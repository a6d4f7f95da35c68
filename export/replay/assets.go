package replay

import (
	"strconv"
	"strings"

	"plat/plat"
)

// Assets are the resources of one version and the paths they are served under.
type Assets struct {
	manifest plat.Manifest
	prefix   string // of their paths; empty: they keep their own URLs
}

// Path returns where the resource of an absolute URL is served, "" if it is not
// stored. A fragment of the URL is kept.
func (a *Assets) Path(url string) string {
	url, fragment, _ := strings.Cut(url, "#")
	i, ok := a.manifest.Index(url)
	if !ok || a.manifest[i].Left != "" {
		return ""
	}
	p := a.prefix + strconv.Itoa(i)
	if a.prefix == "" {
		p = url
	}
	if fragment != "" {
		p += "#" + fragment
	}
	return p
}

// The media types with rules of their own.
const (
	typeCSS     = "text/css"
	typeSVG     = "image/svg+xml"
	typeUnknown = "application/octet-stream"
)

// SafeType returns the media type to serve a resource with: one that browsers
// never treat as a script, nor as a page, but for SVG pictures. Servers give style sheets any type, and
// what a site calls image/x+xml is for browsers as much of a page as XHTML is.
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

// notInType reports whether a character is in no media type (RFC 6838, section 4.2), in lower case.
func notInType(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$&-^_.+/", r)
}

// Alone returns a resource, and its type, for use without a policy: in exports, whose players answer with it
// whoever opens its address. It has a [SafeType]; an SVG picture is written anew without what could
// run or lead elsewhere, and is of no known type if that cannot be done.
func Alone(media string, data []byte) (kind string, alone []byte) {
	switch kind = SafeType(media); kind {
	case typeCSS:
		return kind + "; charset=utf-8", data
	case typeSVG:
		if drawn, err := harmlessSVG(data); err == nil {
			return kind, drawn
		}
		return typeUnknown, data
	}
	return kind, data
}
