package weburl

import (
	"strings"
	"sync"

	"golang.org/x/text/encoding"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// Base is the address to which the references of a document are relative. Its methods may be called
// concurrently.
type Base struct {
	href    string // in the form of the serializer, without fragment; empty: only absolute references resolve
	scheme  string
	charset encoding.Encoding // of queries, nil for UTF-8
	known   bool              // the document declares its charset
	guessed bool              // charset is what Chrome assumes: queries that it lacks characters of are UTF-8

	web  bool // http or https: the offsets below hold
	path int  // offset in href of the path
	dir  int  // offset behind the path's last slash
	end  int  // offset behind the path

	once   sync.Once
	parsed *whatwg.Url // href, parsed when a reference first needs it; nil if href is empty
}

// NewBase returns the base of a document at an address. A document without a valid address, such as an
// empty one, has a base that resolves absolute references alone.
func NewBase(href string) *Base {
	return (&Base{}).move(absolute.Resolve(href))
}

// absolute resolves references that are absolute.
var absolute = &Base{}

// move returns a base of the same charset, for an address in the form of the serializer.
func (b *Base) move(href string) *Base {
	href, _, _ = strings.Cut(href, "#")
	b = &Base{href: href, scheme: Scheme(href), charset: b.charset, known: b.known, guessed: b.guessed}
	b.web = b.scheme == "http" || b.scheme == "https"
	if !b.web {
		return b
	}
	authority := len(b.scheme) + len("://")
	b.path = authority + strings.IndexByte(href[authority:], '/') // never absent from a special URL
	b.end = len(href)
	if i := strings.IndexByte(href[b.path:], '?'); i >= 0 {
		b.end = b.path + i
	}
	b.dir = b.path + strings.LastIndexByte(href[b.path:b.end], '/') + 1
	return b
}

// At returns the base that an element <base href> gives to a document with the base b: b itself if the
// reference leads to data or a script (HTML, section 4.2.3). An invalid one leaves the document without
// an address, in Chrome; in the standard, with b.
func (b *Base) At(href string) *Base {
	to := b.Resolve(href)
	if s := Scheme(to); s == "data" || s == "javascript" {
		return b
	}
	return b.move(to)
}

// Frame returns the base of the document in a frame whose attribute src is a reference: b itself if no
// page is requested for it (HTML, section 2.4.1: about:srcdoc and about:blank).
func (b *Base) Frame(src string) *Base {
	if trim(src) == "" {
		return b
	}
	if to := b.Resolve(src); IsWeb(to) {
		b = b.move(to)
		b.known = false // its charset is that of the page unless it declares one
	}
	return b
}

// String returns the address of the base, without a fragment; it may be empty.
func (b *Base) String() string { return b.href }

// Resolve returns the address to which a reference leads, in the spelling of a browser; empty if it is
// invalid. It is the URL parser of section 4.4 followed by the serializer of section 4.5.
func (b *Base) Resolve(ref string) string {
	ref = trim(ref)
	if to, ok := b.plain(ref); ok {
		return to
	}
	return b.parse(ref)
}

// Plain reports whether a reference is one that programs other than browsers resolve alike: without
// characters to escape, backslashes, line breaks or a scheme without slashes.
func (b *Base) Plain(ref string) bool {
	_, ok := b.plain(trim(ref))
	return ok
}

// Location returns the address to which a redirect leads, by the header field Location; empty if it is
// invalid. Browsers keep the bytes of the field that are not ASCII, whatever they encode.
func (b *Base) Location(field string) string {
	for i := 0; i < len(field); i++ {
		if field[i] >= 0x80 {
			field = escapeBytes(field)
			break
		}
	}
	return b.Resolve(field)
}

// Resolve returns an absolute address in the spelling of a browser; empty if it is invalid or relative.
func Resolve(href string) string { return absolute.Resolve(href) }

// Scheme returns the scheme of an address in the form of the serializer; empty without one.
func Scheme(href string) string {
	scheme, _, ok := strings.Cut(href, ":")
	if !ok {
		return ""
	}
	return scheme
}

// IsWeb reports whether an address in the form of the serializer is requested by HTTP.
func IsWeb(href string) bool {
	return strings.HasPrefix(href, "http://") || strings.HasPrefix(href, "https://")
}

// WithoutFragment returns an address in the form of the serializer without its fragment.
func WithoutFragment(href string) string {
	href, _, _ = strings.Cut(href, "#")
	return href
}

// ForRequest returns an address in the form of the serializer as package net/http can request it: without
// its fragment, and with "%25" for percent signs in the path that begin no escape, which package net/url
// rejects. Servers read both as the same.
func ForRequest(href string) string {
	href = WithoutFragment(href)
	path, query := href, ""
	if i := strings.IndexByte(href, '?'); i >= 0 {
		path, query = href[:i], href[i:]
	}
	var to strings.Builder
	for i := range len(path) {
		to.WriteByte(path[i])
		if path[i] == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])) {
			to.WriteString("25")
		}
	}
	return to.String() + query
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Host returns the host of an address in the form of the serializer, with its port if it is not the
// scheme's, without a login; empty without a host.
func Host(href string) string {
	_, rest, ok := strings.Cut(href, "://")
	if !ok {
		return ""
	}
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		rest = rest[:i]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// trim removes the characters at the ends of an address that the parser ignores there (section 4.4:
// C0 controls and spaces).
func trim(s string) string {
	for s != "" && s[0] <= ' ' {
		s = s[1:]
	}
	for s != "" && s[len(s)-1] <= ' ' {
		s = s[:len(s)-1]
	}
	return s
}
