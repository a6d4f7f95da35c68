package weburl

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/traditionalchinese"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// MaxReference is the length in bytes up to which a reference is parsed.
const MaxReference = 64 << 10

// maxAuthority is the length in bytes up to which a login and a host are parsed: each character of
// them costs time by their length. A host name has at most 253 bytes, escaped 759.
const maxAuthority = 2 << 10

// The kept implementation of section 4.4, as it is and for web addresses: there Chrome also escapes "^" and
// "|" in paths, which the standard leaves.
var (
	standard = whatwg.NewParser()
	web      = whatwg.NewParser(whatwg.WithPathPercentEncodeSet(whatwg.PathPercentEncodeSet.Set('^', '|')))
)

// parse resolves a reference by the parser.
func (b *Base) parse(ref string) string {
	if len(ref) > MaxReference {
		return ""
	}
	ref = strings.Map(func(r rune) rune { // section 4.4, step 3 of the basic URL parser
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, ref)
	scheme, rest := cutScheme(ref)
	host := authority(rest)
	slashes := strings.HasPrefix(strings.ReplaceAll(rest[:min(2, len(rest))], `\`, "/"), "//")
	if (slashes || scheme != "") && len(host) > maxAuthority {
		return ""
	}
	named := slashes || scheme != "" && scheme != b.scheme // the reference has a host of its own
	if scheme == "" {
		scheme = b.scheme
	}
	parser := standard
	switch scheme {
	case "http", "https":
		parser = web
		fallthrough
	case "ftp", "file":
		if b.charset != nil {
			ref = b.encodeQuery(ref)
		}
	}
	b.once.Do(func() {
		if b.href != "" {
			b.parsed, _ = parser.Parse(b.href)
		}
	})
	u, err := parser.BasicParser(ref, b.parsed, nil, whatwg.NoState)
	if err != nil || u == nil {
		return ""
	}
	if named && u.IsIPv4() && strings.ContainsAny(host[strings.LastIndexByte(host, '@')+1:], "+-") {
		return "" // the parser reads "+1" as a number; browsers, as a name that nobody can have
	}
	return u.Href(false)
}

// schemeOf returns the scheme with which a reference begins, with its colon; empty without one.
func schemeOf(ref string) string {
	for i := range len(ref) {
		c := ref[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		case i > 0 && c == ':':
			return ref[:i+1]
		default:
			return ""
		}
	}
	return ""
}

// cutScheme cuts the scheme off a reference, in lower case and without its colon.
func cutScheme(ref string) (scheme, rest string) {
	scheme = schemeOf(ref)
	return strings.ToLower(strings.TrimSuffix(scheme, ":")), ref[len(scheme):]
}

// authority returns the login and the host that follow a scheme, if they do.
func authority(rest string) string {
	host := strings.TrimLeft(rest, `/\`)
	if i := strings.IndexAny(host, `/\?#`); i >= 0 {
		host = host[:i]
	}
	return host
}

// encodeQuery encodes a query in the document's charset (section 4.4, query state, and section 1.3,
// percent-encode after encoding): characters that the charset lacks become character references.
func (b *Base) encodeQuery(ref string) string {
	before, _, _ := strings.Cut(ref, "#")
	path, query, _ := strings.Cut(before, "?")
	if isASCII(query) {
		return ref
	}
	var to strings.Builder
	to.WriteString(path + "?")
	encoder := b.charset.NewEncoder()
	if coded, err := encoder.String(query); err == nil && b.charset == japanese.ISO2022JP {
		escapeQuery(&to, coded) // whole, because its characters depend on those before
		query = ""
	}
	for _, r := range query {
		coded, err := encoder.String(string(r))
		switch {
		case r < utf8.RuneSelf:
			escapeQuery(&to, string(r))
		case r == '¥' && (b.charset == japanese.ShiftJIS || b.charset == japanese.EUCJP):
			to.WriteByte('\\') // Encoding, sections 12.1.2 and 12.3.2
		case r == '‾' && (b.charset == japanese.ShiftJIS || b.charset == japanese.EUCJP):
			to.WriteByte('~')
		case (err != nil || readOnly(b.charset, coded)) && b.guessed:
			return ref // the document was in a different charset
		case err != nil || readOnly(b.charset, coded):
			to.WriteString("%26%23" + strconv.Itoa(int(r)) + "%3B")
		default:
			escapeQuery(&to, coded)
		}
	}
	to.WriteString(ref[len(before):])
	return to.String()
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// readOnly reports whether browsers decode a character of a charset, but do not encode it: JIS X 0212
// in EUC-JP (Encoding, section 12.1.2), and the Hong Kong part of Big5 (section 5).
func readOnly(charset encoding.Encoding, coded string) bool {
	return charset == japanese.EUCJP && coded[0] == 0x8f || charset == traditionalchinese.Big5 && 0x80 <= coded[0] && coded[0] < 0xa1
}

// escapeQuery writes the bytes of an encoded query: escaped those of the special-query percent-encode
// set. Characters of several bytes may contain bytes of ASCII characters.
func escapeQuery(to *strings.Builder, coded string) {
	for i := range len(coded) {
		if c := coded[i]; c <= ' ' || c >= 0x7f || strings.IndexByte(`"#<>'`, c) >= 0 {
			escape(to, c)
		} else {
			to.WriteByte(c)
		}
	}
}

// escapeBytes escapes the bytes of a text that are not ASCII.
func escapeBytes(s string) string {
	var to strings.Builder
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			escape(&to, s[i])
		} else {
			to.WriteByte(s[i])
		}
	}
	return to.String()
}

func escape(to *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	to.Write([]byte{'%', digits[c>>4], digits[c&15]})
}
