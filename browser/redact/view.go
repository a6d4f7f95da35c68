package redact

import (
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// A view is a text derived from a different one, under it.
type view struct {
	text   string
	pieces []piece // in order; the first begins at 0. Unused if under is nil
	under  *view   // nil: the text is the original
}

// piece is the origin of a part of a view: it begins at byte at of the view, and at byte from of
// the source. A literal piece equals its source byte by byte; any other derives from all bytes up
// to the origin of the next piece.
type piece struct {
	at, from int
	literal  bool
}

// span is a range of bytes of the original text.
type span struct{ from, to int }

// origin returns the range of the original from which a range of the view derives. The range is
// not empty.
func (v *view) origin(s span) span {
	for ; v.under != nil; v = v.under {
		find := func(at int) int {
			i, _ := slices.BinarySearchFunc(v.pieces, at+1, func(p piece, at int) int { return p.at - at })
			return i - 1
		}
		p := v.pieces[find(s.from)]
		from := p.from
		if p.literal {
			from += s.from - p.at
		}
		last := find(s.to - 1)
		var to int
		switch p := v.pieces[last]; {
		case p.literal:
			to = p.from + s.to - p.at
		case last+1 < len(v.pieces):
			to = v.pieces[last+1].from
		default:
			to = len(v.under.text)
		}
		s = span{from, to}
	}
	return s
}

// maker makes a view.
type maker struct {
	under  *view
	out    []byte
	pieces []piece
}

// literal appends bytes from to to of the origin.
func (m *maker) literal(from, to int) {
	if from == to {
		return
	}
	m.same(from)
	m.out = append(m.out, m.under.text[from:to]...)
}

// same begins a literal piece at a byte of the origin, or continues the last.
func (m *maker) same(from int) {
	if n := len(m.pieces); n == 0 || !m.pieces[n-1].literal || from-m.pieces[n-1].from != len(m.out)-m.pieces[n-1].at {
		m.pieces = append(m.pieces, piece{len(m.out), from, true})
	}
}

// unit appends a text derived from a part of the origin.
func (m *maker) unit(from int, text string) {
	if text == "" {
		return
	}
	m.pieces = append(m.pieces, piece{at: len(m.out), from: from})
	m.out = append(m.out, text...)
}

// view returns the finished view.
func (m *maker) view() *view {
	return &view{text: string(m.out), pieces: m.pieces, under: m.under}
}

// blank replaces every blank in a folded text. Forms encode blanks this way.
const blank = '+'

// folded returns the view in which texts are compared.
func (v *view) folded() *view {
	m := maker{under: v, out: make([]byte, 0, len(v.text))}
	space := false // the last character was a blank
	for i := 0; i < len(v.text); {
		c := v.text[i]
		if c < utf8.RuneSelf && (i+1 == len(v.text) || v.text[i+1] < utf8.RuneSelf) {
			is := c == ' ' || '\t' <= c && c <= '\r'
			if !is || !space {
				m.same(i)
				switch {
				case is:
					c = blank
				case c == '\\':
					c = '/' // as in the paths of URLs
				case 'A' <= c && c <= 'Z':
					c += 'a' - 'A'
				}
				m.out = append(m.out, c)
			}
			space = is
			i++
			continue
		}
		n := norm.NFKC.NextBoundaryInString(v.text[i:], true)
		var b strings.Builder
		for _, r := range strings.ToLower(strings.ToUpper(norm.NFKC.String(v.text[i : i+n]))) {
			switch {
			case unicode.IsSpace(r):
				if !space {
					b.WriteByte(blank)
				}
				space = true
				continue
			case widthless(r):
				continue
			case r == 'ß':
				b.WriteString("ss") // its upper case in full case mapping
			default:
				b.WriteRune(r)
			}
			space = false
		}
		m.unit(i, b.String())
		i += n
	}
	return m.view()
}

// widthless reports whether a character is not seen: soft hyphens, joiners, marks of direction,
// variation selectors.
func widthless(r rune) bool {
	if r < 0xad {
		return false
	}
	return unicode.In(r, unicode.Cf, unicode.Variation_Selector) || r == 0x34f || r == 0x115f || r == 0x1160 || r == 0x3164
}

// bare returns a view without characters of zero width, or the view itself if it has none.
func (v *view) bare() *view {
	if strings.IndexFunc(v.text, widthless) < 0 {
		return v
	}
	m := maker{under: v}
	from := 0
	for i, r := range v.text {
		if widthless(r) {
			m.literal(from, i)
			from = i + utf8.RuneLen(r)
		}
	}
	m.literal(from, len(v.text))
	return m.view()
}

// decoded returns a view without one layer of encoding, nil if it has no encoded text.
func (v *view) decoded() *view { return v.without("%&\\", decode) }

// decodedCSS returns a view without the escapes of CSS, nil if it has no escapes.
func (v *view) decodedCSS() *view { return v.without("\\", decodeCSS) }

// without returns a view in which decode has replaced texts that begin with a byte of begin, nil if
// it has replaced nothing. decode appends the decoded text at byte i, and returns the number of
// bytes consumed, 0 to leave them.
func (v *view) without(begin string, decode func(m *maker, i int) int) *view {
	m := maker{under: v}
	done, changed := 0, false // bytes up to done are in m
	for i := 0; ; {
		next := strings.IndexAny(v.text[i:], begin)
		if next < 0 {
			break
		}
		i += next
		m.literal(done, i)
		done = i
		n := decode(&m, i)
		changed = changed || n > 0
		done += n
		i += max(1, n)
	}
	if !changed {
		return nil
	}
	m.literal(done, len(v.text))
	return m.view()
}

// decode decodes a text that begins with a percent sign, an ampersand or a backslash.
func decode(m *maker, i int) int {
	s := m.under.text[i:]
	switch s[0] {
	case '%':
		if len(s) > 1 && s[1]|0x20 == 'u' {
			return units(m, i, "%u")
		}
		return percent(m, i)
	case '&':
		text, n := reference(s)
		m.unit(i, text)
		return n
	}
	return escape(m, i)
}

// percent decodes a run of percent-encoded bytes. Bytes that are not UTF-8 are decoded as
// windows-1252, which the web calls Latin-1.
func percent(m *maker, i int) int {
	s := m.under.text[i:]
	var b []byte
	for n := 0; n+2 < len(s) && s[n] == '%'; n += 3 {
		x, ok := hex(s[n+1 : n+3])
		if !ok {
			break
		}
		b = append(b, byte(x))
	}
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			r = charmap.Windows1252.DecodeByte(b[at])
		}
		m.unit(i+3*at, string(r))
		at += n
	}
	return 3 * len(b)
}

// hex reads hexadecimal digits.
func hex(s string) (rune, bool) {
	n, err := strconv.ParseUint(s, 16, 32)
	return rune(n), err == nil && s[0] != '+' && s[0] != '-' && !strings.Contains(s, "_")
}

// units decodes a run of UTF-16 code units, each four digits after a prefix.
func units(m *maker, i int, prefix string) int {
	s := m.under.text[i:]
	size := len(prefix) + 4
	at := func(n int) (rune, bool) {
		if len(s) < n+size || !strings.EqualFold(s[n:n+len(prefix)], prefix) {
			return 0, false
		}
		return hex(s[n+len(prefix) : n+size])
	}
	n := 0
	for r, ok := at(n); ok; r, ok = at(n) {
		used := size
		if low, is := at(n + size); is && utf16.IsSurrogate(r) {
			if pair := utf16.DecodeRune(r, low); pair != unicode.ReplacementChar {
				r, used = pair, 2*size
			}
		}
		m.unit(i+n, string(r))
		n += used
	}
	return n
}

// reference decodes a character reference, and returns its length, 0 if s does not begin with one.
func reference(s string) (text string, n int) {
	for n = 1; n < len(s) && n < maxReference && (s[n] == '#' && n == 1 || letterOrDigit(s[n])); n++ {
	}
	if n < len(s) && s[n] == ';' {
		if text = html.UnescapeString(s[:n+1]); text != s[:n+1] && utf8.RuneCountInString(text) <= 2 {
			return text, n + 1
		}
	}
	// Without a semicolon: numbers, and some short names that may be followed by anything.
	if !strings.HasPrefix(s, "&#") {
		n = min(n, maxOpen)
	}
	for ; n > 2; n-- {
		if text = html.UnescapeString(s[:n]); utf8.RuneCountInString(text) == 1 {
			return text, n
		}
	}
	return "", 0
}

// maxReference and maxOpen are the greatest lengths of a character reference, and of one without
// a semicolon, in bytes: &CounterClockwiseContourIntegral; and &Aacute.
const (
	maxReference = 33
	maxOpen      = 7
)

func letterOrDigit(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// escapes are those of one character.
var escapes = map[byte]string{'n': "\n", 't': "\t", 'r': "\r", 'b': "\b", 'f': "\f", 'v': "\v", '0': "\x00"}

// escape decodes an escape of JSON or JavaScript.
func escape(m *maker, i int) int {
	s := m.under.text[i:]
	if len(s) < 2 {
		return 0
	}
	switch c := s[1]; {
	case c|0x20 == 'u' && len(s) > 2 && s[2] == '{':
		if end := strings.IndexByte(s[:min(len(s), 10)], '}'); end > 3 {
			if r, ok := hex(s[3:end]); ok {
				m.unit(i, string(r))
				return end + 1
			}
		}
		return 0
	case c|0x20 == 'u':
		return units(m, i, `\u`)
	case c|0x20 == 'x' && len(s) >= 4:
		if r, ok := hex(s[2:4]); ok {
			m.unit(i, string(r))
			return 4
		}
		return 0
	case escapes[c] != "":
		m.unit(i, escapes[c])
	case !letterOrDigit(c):
		_, n := utf8.DecodeRuneInString(s[1:])
		m.unit(i, s[1:1+n])
		return 1 + n
	default:
		return 0
	}
	return 2
}

// decodeCSS decodes an escape of CSS: up to six hexadecimal digits and a blank, or any other
// character.
func decodeCSS(m *maker, i int) int {
	s := m.under.text[i:]
	n := 1
	for ; n < len(s) && n < 7; n++ {
		if _, ok := hex(s[n : n+1]); !ok {
			break
		}
	}
	switch {
	case n > 1:
		r, _ := hex(s[1:n])
		m.unit(i, string(r))
		if n < len(s) && strings.IndexByte(" \t\n\r\f", s[n]) >= 0 {
			n++
		}
	case len(s) > 1:
		_, n = utf8.DecodeRuneInString(s[1:])
		m.unit(i, s[1:1+n])
		n++
	default:
		return 0
	}
	return n
}
