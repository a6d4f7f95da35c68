package markdown

import (
	"net/url"
	"path"
	"strings"

	"plat/plat/weburl"
)

// resolve returns the absolute URL of a link or an image, in a form allowed in Markdown; empty if
// there is no URL, or one that is unsafe for readers.
func resolve(base *weburl.Base, ref string) string {
	to := base.Resolve(ref)
	switch weburl.Scheme(to) {
	case "http", "https", "ftp", "mailto":
		return destination(to)
	}
	return ""
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
	if i := strings.IndexAny(href, "?#"); i >= 0 {
		href = href[:i]
	}
	switch strings.ToLower(path.Ext(href)) {
	case ".jpg", ".jpeg", ".png", ".gif", ".webp", ".avif", ".svg":
		return true
	}
	return false
}
