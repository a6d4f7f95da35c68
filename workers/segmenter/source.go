package segmenter

import (
	"bytes"
	"cmp"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/browser"
	"plat/plat"
)

// Source is a page to divide.
type Source struct {
	// URL is the canonical URL of the page; see [plat.Canonical]. With HTML it is the base of its references, and may be
	// empty: then the page requests nothing, and relative references have no address.
	URL string

	// As is the spelling of the URL in requests, if that is different; see [plat.Spelled].
	As string

	// HTML is the document, as a server would send it. Nil: the URL is requested.
	HTML []byte

	// Type is the value of Content-Type of the document. Empty: text/html. Without a charset in it, the document is
	// UTF-8 if it is valid as such; otherwise the browser determines the charset, by <meta> for example.
	Type string
}

// SourceError reports a document that is not HTML.
type SourceError struct{ text string }

func (e *SourceError) Error() string { return e.text }

func wrong(format string, args ...any) error { return &SourceError{fmt.Sprintf(format, args...)} }

// nowhere is the URL of a page without one. The name never exists (RFC 6761, section 6.4); https lets scripts use all
// that the browser offers.
const nowhere = "https://page.invalid/"

// document returns the URL to render, and the document unless the URL is requested.
func (s *Source) document() (url string, d *browser.Document, err error) {
	if s.HTML == nil {
		if s.URL == "" {
			return "", nil, wrong("there is neither HTML nor a URL")
		}
		return cmp.Or(s.As, s.URL), nil, nil
	}
	d = &browser.Document{HTML: s.HTML, Offline: s.URL == ""}
	if d.Type, err = s.contentType(); err != nil {
		return "", nil, err
	}
	if d.Offline {
		return nowhere, d, nil
	}
	return cmp.Or(s.As, s.URL), d, nil
}

// contentType returns the value of Content-Type with the charset, if that is known.
func (s *Source) contentType() (string, error) {
	kind, params := "text/html", map[string]string{}
	if s.Type != "" {
		var err error
		if kind, params, err = mime.ParseMediaType(s.Type); err != nil {
			return "", wrong("the type %.80q cannot be read: %v", s.Type, err)
		}
	}
	if !plat.IsHTML(kind) {
		return "", wrong("the type is %.80s; give text/html or application/xhtml+xml", kind)
	}
	if found := fileType(s.HTML); found != "" {
		return "", wrong("it is %s, not HTML", found)
	}
	charset := params["charset"]
	if charset == "" && !plain(s.HTML) && utf8.Valid(s.HTML) {
		charset = "utf-8"
	}
	if charset == "" {
		return kind, nil
	}
	return mime.FormatMediaType(kind, map[string]string{"charset": charset}), nil
}

// fileType returns the type of a file that is not a text, empty for texts: one may begin as a picture does, with BM for
// example.
func fileType(b []byte) string {
	found := http.DetectContentType(b)
	switch {
	case strings.HasPrefix(found, "text/"), found == "application/octet-stream":
		return ""
	case found != "application/pdf" && utf8.Valid(b) && bytes.IndexByte(b, 0) < 0:
		return ""
	}
	return found
}

// someHan returns some Chinese characters of a document, empty if it has few: other pages need no Chinese words.
func someHan(html []byte) string {
	const enough = 50
	var han []rune
	for i := 0; i < len(html) && len(han) < enough; {
		if html[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(html[i:])
		if i += n; unicode.Is(unicode.Han, r) {
			han = append(han, r)
		}
	}
	if len(han) < enough {
		return ""
	}
	return string(han)
}

// plain reports whether all bytes are ASCII, as they are in UTF-7 and ISO-2022, too.
func plain(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// restore gives the snapshot the URL of the source, or none if it has none.
func (s *Source) restore(snap *plat.Snapshot) {
	snap.URL = s.URL
	if s.URL == "" {
		snap.FinalURL, snap.Response = "", ""
	}
}
