package weburl

import (
	"strconv"
	"strings"
	"unicode/utf8"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

// MaxReference is the length in bytes up to which a reference is parsed.
const MaxReference = 64 << 10

// maxAuthority is the length in bytes up to which a login and a host are parsed: each character of
// them costs time by their length. A host name has at most 253 bytes, escaped 759.
const maxAuthority = 2 << 10

// parser is the kept implementation of section 4.4.
var parser = whatwg.NewParser()

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
	scheme := schemeOf(ref)
	if (scheme != "" || strings.HasPrefix(strings.ReplaceAll(ref[:min(2, len(ref))], `\`, "/"), "//")) && authority(ref[len(scheme):]) > maxAuthority {
		return ""
	}
	if scheme = strings.ToLower(strings.TrimSuffix(scheme, ":")); scheme == "" {
		scheme = b.scheme
	}
	if b.charset != nil && (scheme == "http" || scheme == "https" || scheme == "ftp" || scheme == "file") {
		ref = b.encodeQuery(ref)
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

// authority returns at least the length of the login and the host behind a scheme.
func authority(rest string) int {
	host := strings.TrimLeft(rest, `/\`)
	if i := strings.IndexAny(host, `/\?#`); i >= 0 {
		return i
	}
	return len(host)
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
	if coded, err := encoder.String(query); err == nil {
		escapeQuery(&to, coded)
	} else {
		for _, r := range query {
			if coded, err := encoder.String(string(r)); err == nil {
				escapeQuery(&to, coded)
			} else {
				to.WriteString("%26%23" + strconv.Itoa(int(r)) + "%3B")
			}
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
