package markdown

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

// reference resolves a reference as a browser does, without white space at its ends and line ends in
// it; nil if it is invalid.
func reference(base *url.URL, ref string) *url.URL {
	ref = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, strings.TrimFunc(ref, func(r rune) bool { return r <= ' ' }))
	if base == nil {
		return nil
	}
	u, err := url.Parse(ref)
	if err != nil {
		if u, err = url.Parse(loosePercent.ReplaceAllString(ref, "%25$1")); err != nil {
			return nil
		}
	}
	return base.ResolveReference(u)
}

// loosePercent is a percent sign that encodes nothing, which browsers take for one.
var loosePercent = regexp.MustCompile(`%([^0-9A-Fa-f]|[0-9A-Fa-f][^0-9A-Fa-f]|[0-9A-Fa-f]?$)`)

// resolve returns the absolute URL of a link or an image, in a form allowed in Markdown; empty if
// there is no URL, or one that is unsafe for readers.
func resolve(base *url.URL, ref string) string {
	u := reference(base, ref)
	if u == nil {
		return ""
	}
	switch u.Scheme {
	case "http", "https", "ftp":
		if u.Host == "" {
			return ""
		}
	case "mailto":
	default:
		return ""
	}
	return destination(u.String())
}

// destination encodes in hexadecimal the bytes that a link's destination cannot contain (CommonMark
// 0.31, section 6.3), and those that end a cell.
func destination(s string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for _, r := range s {
		switch {
		case r <= ' ' || r == 0x7f || strings.ContainsRune("()<>[]\\|`\"*", r):
			b.WriteByte('%')
			b.WriteByte(hex[r>>4&15])
			b.WriteByte(hex[r&15])
		case r > 0x7f && (space(r) || hostile(r)):
			b.WriteString(url.QueryEscape(string(r)))
		default:
			b.WriteRune(r)
		}
	}
	return entity.ReplaceAllString(b.String(), `&amp;$1`)
}

// toImage reports whether a link leads to an image.
func toImage(href string) bool {
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg":
		return true
	}
	return false
}
