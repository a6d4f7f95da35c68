package fileview

import (
	"bytes"
	"html"
	"mime"
	"net/url"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/unicode"

	"plat/plat"
)

// Policy is the Content-Security-Policy of the pages: nothing runs, and only images are loaded.
const Policy = "default-src 'none'; img-src *; style-src 'unsafe-inline'"

// File is a response that is no page.
type File struct {
	URL         string // final
	ContentType string // the header; may be empty
	Disposition string // the header Content-Disposition (RFC 6266); may be empty
	Data        []byte // without Content-Encoding
}

// Page returns the page of a file, as HTML in UTF-8. ok is false for files that it cannot show, and for HTML that is
// no feed: a server that offers it as a download does not want it to be a page.
func Page(f *File) (page string, ok bool) {
	media, params, _ := mime.ParseMediaType(f.ContentType)
	if page, ok := feedPage(f); ok { // whatever type its server gives it
		return page, true
	}
	if plat.IsHTML(media) {
		return "", false
	}
	text, ok := decode(f.Data, params["charset"])
	if !ok || isPDF(f.Data) { // PDF may be all ASCII
		return "", false
	}
	if extension := f.extension(); isTable(media, extension) {
		if rows, ok := parseTable(text, separators(media, extension)); ok {
			return tablePage(f.Name(), rows), true
		}
	}
	return textPage(f.Name(), text), true
}

// Name returns the name of the file: that of its Content-Disposition, or the last part of its URL's path.
func (f *File) Name() string {
	if _, params, err := mime.ParseMediaType(f.Disposition); err == nil {
		if name := path.Base(strings.ReplaceAll(params["filename"], `\`, "/")); name != "." && name != "/" {
			return name
		}
	}
	u, err := url.Parse(f.URL)
	if err != nil {
		return ""
	}
	if name := path.Base(u.Path); name != "." && name != "/" {
		return name
	}
	return u.Hostname()
}

// extension returns the extension of its name in lower case, as ".csv".
func (f *File) extension() string { return strings.ToLower(path.Ext(f.Name())) }

// decode returns the text of a file, and false for bytes that are no text. The order is that of HTML (WHATWG HTML,
// section 13.2.3.2): a byte order mark, the encoding that the server names, UTF-8 if it is that, else windows-1252.
func decode(data []byte, label string) (text string, ok bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		b, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data)
		return string(b), err == nil && isText(b)
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data, label = data[3:], "utf-8"
	}
	if e, _ := charset.Lookup(label); e != nil {
		b, err := e.NewDecoder().Bytes(data)
		return string(b), err == nil && isText(b)
	}
	if utf8.Valid(data) {
		return string(data), isText(data)
	}
	if !isText(data) {
		return "", false
	}
	e, _ := charset.Lookup("windows-1252")
	b, err := e.NewDecoder().Bytes(data)
	return string(b), err == nil
}

// isText reports whether bytes have none that only binary files have (WHATWG MIME Sniffing, section 4,
// "binary data byte").
func isText(b []byte) bool {
	for _, c := range b {
		if c <= 0x08 || c == 0x0b || 0x0e <= c && c <= 0x1a || 0x1c <= c && c <= 0x1f {
			return false
		}
	}
	return true
}

// textPage is the page of a text, which looks as Chrome shows files of type text/plain.
func textPage(name, text string) string {
	return head(name, "") + `<pre style="word-wrap: break-word; white-space: pre-wrap;">` + "\n" + escape(text) + "</pre></body></html>"
}

// head returns the beginning of a page, up to the start tag of its body.
func head(title, style string) string {
	return `<!DOCTYPE html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light">` +
		`<title>` + escape(title) + `</title><style>` + style + `</style></head><body>`
}

// escape escapes a text for HTML, and leaves out the characters that HTML cannot hold.
func escape(s string) string { return html.EscapeString(strings.ReplaceAll(s, "\x00", "")) }
