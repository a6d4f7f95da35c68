package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Mark replaces a secret.
const Mark = "[redacted]"

const (
	// minSecret is the least number of characters of a secret: shorter texts occur in every page. A
	// secret as short as that protects nothing.
	minSecret = 4

	// minBase64 is the least number of base64 characters that are searched for within longer ones.
	// In a megabyte of base64, as of pictures, six match by chance once in 20,000 times.
	minBase64 = 6

	// maxLayers bounds the nested encodings that are decoded.
	maxLayers = 6
)

// A Redactor replaces secrets. It is safe for concurrent use. A nil Redactor replaces nothing.
type Redactor struct {
	folded []string // secrets as they are in folded texts
	joined []string // the same without blanks, for texts of several nodes
	exact  []string // forms in which each letter counts
}

// New returns a redactor of secrets, nil if no secret has the required four characters.
func New(secrets ...string) *Redactor {
	r := &Redactor{}
	for _, s := range secrets {
		if utf8.RuneCountInString(s) >= minSecret {
			r.add(s)
		}
	}
	for _, list := range []*[]string{&r.folded, &r.joined, &r.exact} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	if len(r.folded)+len(r.exact) == 0 {
		return nil
	}
	return r
}

// add adds the patterns of a secret.
func (r *Redactor) add(secret string) {
	forms := append(written(secret), charsets(secret)...)
	for v := (&view{text: secret}); v != nil && len(forms) < 100; v = v.decoded() {
		forms = append(forms, v.text) // a text is decoded as often
	}
	for _, form := range forms {
		// Blanks at its ends are not shown.
		if f := (&view{text: strings.TrimFunc(form, unicode.IsSpace)}).folded().text; utf8.RuneCountInString(f) >= minSecret {
			r.folded = append(r.folded, f)
		} else if form == secret {
			r.exact = append(r.exact, secret)
		}
	}
	if f := (&view{text: strings.Join(strings.Fields(secret), "")}).folded().text; utf8.RuneCountInString(f) >= minSecret {
		r.joined = append(r.joined, f)
	}
	for _, form := range written(secret) {
		r.exact = append(r.exact, base64s(form)...)
		if b, err := charmap.Windows1252.NewEncoder().String(form); err == nil {
			r.exact = append(r.exact, base64s(b)...)
		}
	}
}

// written returns a secret, and forms of it that are found also where the text before them
// would be decoded together with their beginning.
func written(secret string) []string {
	all := []string{secret, formEncoded(secret), strings.ReplaceAll(formEncoded(secret), "+", "%20"), url.PathEscape(secret)}
	var b strings.Builder
	json := json.NewEncoder(&b)
	json.SetEscapeHTML(false)
	if json.Encode(secret) == nil {
		all = append(all, strings.Trim(b.String(), "\n")[1:b.Len()-2])
	}
	return all
}

// formEncoded is the serializer of application/x-www-form-urlencoded (URL Standard section 5.2).
func formEncoded(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == ' ':
			b.WriteByte('+')
		case letterOrDigit(c), strings.IndexByte("*-._", c) >= 0:
			b.WriteByte(c)
		default:
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// legacy are the encodings of the Encoding Standard in which forms may be sent, but for UTF-8
// and windows-1252, which are decoded.
var legacy = []string{
	"ibm866", "iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6", "iso-8859-7", "iso-8859-8", "iso-8859-10",
	"iso-8859-13", "iso-8859-14", "iso-8859-15", "iso-8859-16", "koi8-r", "koi8-u", "macintosh", "windows-874", "windows-1250",
	"windows-1251", "windows-1253", "windows-1254", "windows-1255", "windows-1256", "windows-1257", "windows-1258",
	"x-mac-cyrillic", "gbk", "gb18030", "big5", "euc-jp", "iso-2022-jp", "shift_jis", "euc-kr",
}

// charsets returns a secret as forms of other encodings than UTF-8 send it.
func charsets(secret string) (all []string) {
	if strings.IndexFunc(secret, func(r rune) bool { return r >= utf8.RuneSelf }) < 0 {
		return nil
	}
	for _, name := range legacy {
		e, err := htmlindex.Get(name)
		if err != nil {
			continue // htmlindex has all of the standard
		}
		b, err := encoding.HTMLEscapeUnsupported(e.NewEncoder()).String(secret)
		if err != nil {
			continue
		}
		for v := (&view{text: formEncoded(b)}); v != nil; v = v.decoded() {
			all = append(all, v.text)
		}
	}
	return all
}

// base64s returns the characters of base64 that a text has at each of the three alignments, in
// both alphabets, as far as they do not depend on the text around it.
func base64s(s string) (all []string) {
	for skip := range 3 {
		text := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", skip) + s + "xx"))
		from, to := (8*skip+5)/6, 8*(skip+len(s))/6
		if to-from >= minBase64 {
			all = append(all, text[from:to], strings.NewReplacer("+", "-", "/", "_").Replace(text[from:to]))
		}
	}
	if len(all) == 0 {
		all = append(all, base64.StdEncoding.EncodeToString([]byte(s)))
	}
	return all
}

// Text returns a text without the secrets.
func (r *Redactor) Text(s string) string {
	if r == nil || s == "" {
		return s
	}
	spans := merged(r.spans(&view{text: s}, false))
	if len(spans) == 0 {
		return s
	}
	var b strings.Builder
	done := 0
	for _, x := range spans {
		b.WriteString(s[done:x.from])
		b.WriteString(Mark)
		done = x.to
	}
	b.WriteString(s[done:])
	return b.String()
}

// Part is one of several consecutive texts.
type Part struct {
	Text  *string
	Shown bool // it can be seen
}

// Parts removes the secrets from consecutive texts, including secrets that are split over several
// texts. The mark replaces the beginning of the secret.
func (r *Redactor) Parts(parts []Part) {
	if r == nil {
		return
	}
	var b strings.Builder
	at := make([]int, 0, len(parts)+1) // where each begins
	for _, p := range parts {
		at = append(at, b.Len())
		b.WriteString(*p.Text)
	}
	at = append(at, b.Len())
	whole := &view{text: b.String()}
	spans := r.spans(whole, false)
	for _, shown := range []bool{false, true} {
		m := maker{under: whole}
		for i, p := range parts {
			if shown && !p.Shown {
				continue
			}
			text := strings.TrimFunc(*p.Text, unicode.IsSpace)
			from := at[i] + strings.Index(*p.Text, text)
			m.literal(from, from+len(text))
		}
		spans = append(spans, r.spans(m.view(), true)...)
	}
	cut(parts, at, merged(spans))
}

// cut replaces spans of the texts, which begin at the bytes in at.
func cut(parts []Part, at []int, spans []span) {
	i := 0
	for i < len(parts) && len(spans) > 0 {
		if at[i+1] <= spans[0].from {
			i++
			continue
		}
		var b strings.Builder
		done := at[i]
		for len(spans) > 0 && spans[0].from < at[i+1] {
			s := spans[0]
			if s.from >= at[i] {
				b.WriteString((*parts[i].Text)[done-at[i] : s.from-at[i]])
				b.WriteString(Mark)
			}
			if done = min(s.to, at[i+1]); s.to > at[i+1] {
				break // the rest is in the next part
			}
			spans = spans[1:]
		}
		b.WriteString((*parts[i].Text)[done-at[i]:])
		*parts[i].Text = b.String()
		i++
	}
}

// spans returns the positions of secrets in the original of a view, in any order.
func (r *Redactor) spans(v *view, joined bool) (all []span) {
	v = v.bare()
	if css := v.decodedCSS(); css != nil {
		all = r.find(all, css.folded(), r.folded)
	}
	for range maxLayers {
		f := v.folded()
		all = r.find(all, f, r.folded)
		if joined {
			all = r.find(all, f, r.joined)
		}
		all = r.find(all, v, r.exact)
		if v = v.decoded(); v == nil {
			break
		}
		v = v.bare()
	}
	return all
}

// find appends where patterns are in a view.
func (r *Redactor) find(all []span, v *view, patterns []string) []span {
	for _, p := range patterns {
		for from := 0; ; {
			i := strings.Index(v.text[from:], p)
			if i < 0 {
				break
			}
			from += i
			all = append(all, v.origin(span{from, from + len(p)}))
			from += len(p)
		}
	}
	return all
}

// merged returns spans in order, with overlapping ones merged.
func merged(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.from - b.from })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
		} else {
			out = append(out, s)
		}
	}
	return out
}
