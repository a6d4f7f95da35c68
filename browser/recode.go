package browser

import (
	"mime"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"

	"plat/plat"
)

// declared matches the encoding of an XML declaration (XML 1.0, section 2.8).
var declared = regexp.MustCompile(`^\s*<\?xml\s[^>]{0,100}encoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']`)

// recode reads a file that is no page, and whose server names no encoding, in its own: that of its XML
// declaration, or UTF-8 if its bytes are that. Chrome shows such text in windows-1252, of which the bytes are
// known.
func recode(s *plat.Snapshot) {
	if len(s.Nodes) == 0 || !shownAsText(s) {
		return
	}
	if name, _ := s.Nodes[0].Attr(plat.DocumentCharset); name != "windows-1252" {
		return
	}
	line := 0
	for i := range s.Nodes {
		n := &s.Nodes[i]
		if n.Kind != plat.TextNode {
			continue
		}
		text, offsets, ok := recoded(n.Value)
		for line < len(s.Lines) && s.Lines[line].Node < int32(i) {
			line++
		}
		if !ok {
			continue
		}
		n.Value = text
		at := func(old int32) int32 { return offsets[max(0, min(int(old), len(offsets)-1))] }
		for k := line; k < len(s.Lines) && s.Lines[k].Node == int32(i); k++ {
			l := &s.Lines[k]
			l.Start, l.Len = at(l.Start), at(l.Start+l.Len)-at(l.Start)
		}
	}
}

// isHTML reports whether the document is HTML or XHTML. Chrome makes a page of its own around other files.
func isHTML(s *plat.Snapshot) bool {
	return plat.IsHTML(s.ContentType)
}

// shownAsText reports whether Chrome shows the source of the file, and its server names no encoding.
func shownAsText(s *plat.Snapshot) bool {
	if isHTML(s) {
		return false
	}
	for _, h := range s.Header {
		if strings.EqualFold(h[0], "Content-Type") {
			if _, params, err := mime.ParseMediaType(h[1]); err != nil || params["charset"] != "" {
				return false
			}
		}
	}
	return true
}

// recoded returns a text that was decoded as windows-1252 in its own encoding, and for each of its UTF-16 code
// units, and its end, the one at which the same byte is in the result. ok is false if it stays as it is.
func recoded(text string) (own string, offsets []int32, ok bool) {
	raw := make([]byte, 0, len(text))
	plain := true
	for _, r := range text {
		b, known := charmap.Windows1252.EncodeRune(r)
		if !known {
			if r > 0xff {
				return "", nil, false // it was not decoded as that
			}
			b = byte(r) // the five bytes that it leaves undefined stand for themselves
		}
		plain = plain && b < utf8.RuneSelf
		raw = append(raw, b)
	}
	if plain {
		return "", nil, false
	}
	if m := declared.FindSubmatch(raw); m != nil && !strings.EqualFold(string(m[1]), "utf-8") {
		e, name := charset.Lookup(string(m[1]))
		if e == nil || name == "windows-1252" {
			return "", nil, false
		}
		decoded, err := e.NewDecoder().Bytes(raw)
		if err != nil {
			return "", nil, false
		}
		return string(decoded), spread(len(raw), utf16Len(string(decoded))), true
	}
	if !utf8.Valid(raw) {
		return "", nil, false
	}
	offsets = make([]int32, 0, len(raw)+1)
	units := int32(0)
	for _, r := range string(raw) {
		for range utf8.RuneLen(r) {
			offsets = append(offsets, units)
		}
		units += int32(utf16.RuneLen(r))
	}
	return string(raw), append(offsets, units), true
}

// spread maps offsets in a text of n bytes to one of m units in proportion.
func spread(n, m int) []int32 {
	offsets := make([]int32, n+1)
	for i := range offsets {
		offsets[i] = int32(int64(i) * int64(m) / int64(max(1, n)))
	}
	return offsets
}

func utf16Len(s string) (n int) {
	for _, r := range s {
		n += utf16.RuneLen(r)
	}
	return n
}
