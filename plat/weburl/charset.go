package weburl

import (
	"iter"
	"mime"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// In returns the base for references in a document of a character encoding, given by one of its labels
// (WHATWG Encoding, section 4.2): browsers encode the queries of a document's links in it. The result
// is UTF-8 for unknown labels, and for UTF-16 (section 4.3).
func (b *Base) In(label string) *Base {
	charset, _ := charsetOf(label)
	return b.in(charset, true, false)
}

// in returns b for a charset.
func (b *Base) in(charset encoding.Encoding, known, guessed bool) *Base {
	if charset == b.charset && known == b.known && guessed == b.guessed {
		return b
	}
	b = b.move(b.href)
	b.charset, b.known, b.guessed = charset, known, guessed
	return b
}

// charsetOf returns the charset of queries in a document of an encoding, nil for UTF-8, and whether the
// label is known.
func charsetOf(label string) (encoding.Encoding, bool) {
	charset, err := htmlindex.Get(strings.TrimSpace(label))
	if err != nil {
		return nil, false
	}
	if name, err := htmlindex.Name(charset); err != nil || name == "utf-8" || name == "replacement" || strings.HasPrefix(name, "utf-16") {
		return nil, true
	}
	return charset, true
}

// Served returns the base for references in a document that was sent with a header field Content-Type.
// Chrome reads HTML that declares no charset as windows-1252 (or as what it seems to be in, which
// cannot be known here); without a field, UTF-8 is assumed.
func (b *Base) Served(contentType string) *Base {
	media, parameters, _ := mime.ParseMediaType(contentType)
	if charset, ok := charsetOf(parameters["charset"]); ok {
		return b.in(charset, true, false)
	}
	if media == "text/html" && b.charset == nil {
		return b.in(charmap.Windows1252, false, true)
	}
	return b
}

// Meta returns the base for references in a document with an element <meta>, whose attributes get
// returns: the first that declares a charset counts if the header did not (HTML, section 4.2.5.4).
func (b *Base) Meta(get func(name string) (value string, ok bool)) *Base {
	if b.known {
		return b
	}
	label, ok := get("charset")
	if !ok {
		if kind, _ := get("http-equiv"); !strings.EqualFold(kind, "content-type") {
			return b
		}
		content, _ := get("content")
		i := strings.Index(strings.ToLower(content), "charset")
		if i < 0 {
			return b
		}
		label, ok = strings.CutPrefix(strings.TrimSpace(content[i+len("charset"):]), "=")
		if !ok {
			return b
		}
		label = strings.Trim(label, " \t\r\n\f'\"")
		if end := strings.IndexAny(label, "; \t\r\n\f'\""); end >= 0 {
			label = label[:end]
		}
	}
	if charset, ok := charsetOf(label); ok {
		return b.in(charset, true, false)
	}
	return b
}

// Spellings yields the addresses to which a reference can lead, beginning with that of Resolve: with the
// query in UTF-8 and in the charsets of the web. It is for lookups among addresses that a browser
// asked for, in documents whose charset is not known, such as style sheets.
func (b *Base) Spellings(ref string) iter.Seq[string] {
	return func(yield func(string) bool) {
		first := b.Resolve(ref)
		if first == "" || !yield(first) {
			return
		}
		before, _, _ := strings.Cut(ref, "#")
		if _, query, _ := strings.Cut(before, "?"); isASCII(query) {
			return
		}
		for _, charset := range spelt {
			if to := b.in(charset, true, false).Resolve(ref); to != first && !yield(to) {
				return
			}
		}
	}
}

// spelt are the charsets that Chrome takes for those of pages without a declared one.
var spelt = []encoding.Encoding{
	nil, charmap.Windows1252, simplifiedchinese.GBK, japanese.ShiftJIS, japanese.EUCJP, traditionalchinese.Big5, korean.EUCKR,
	charmap.Windows1251, charmap.KOI8R, charmap.ISO8859_2, charmap.Windows1250, charmap.Windows1253, charmap.Windows1254, charmap.Windows1255, charmap.Windows1256,
}
