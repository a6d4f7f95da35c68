package robots

import "strings"

// canonical normalises octets for comparing paths and patterns (RFC 9309
// section 2.2.2): characters that RFC 3986 section 2 allows in a URI, reserved
// or not, are plain, all other octets are escaped in upper case. A "%" that
// begins no escape is literal. In a pattern a plain "*" is the wildcard; the
// character is "%2A" (section 2.2.3). Escapes of "/" and "?" are kept before the
// query; in it they are if strict.
//
// The RFC escapes reserved characters instead. Both forms make equal octets
// equal; with this one a pattern's length is that of its usual form.
func canonical(s string, pattern, strict bool) string {
	i := 0
	for i < len(s) && inURI(s[i]) && (pattern || s[i] != '*') {
		i++
	}
	if i == len(s) {
		return s
	}
	const hex = "0123456789ABCDEF"
	b := make([]byte, i, len(s)+16)
	copy(b, s)
	query := strings.IndexByte(s[:i], '?') >= 0
	for ; i < len(s); i++ {
		c := s[i]
		wildcard, escaped := pattern && c == '*', false
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			c = unhex(s[i+1])<<4 | unhex(s[i+2])
			escaped = true
			i += 2
		}
		query = query || c == '?' && !escaped
		if kept := escaped && (c == '/' || c == '?') && (strict || !query); wildcard || inURI(c) && c != '*' && !kept {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(b)
}

// canonicalPath is the canonical form of a URL from its path on, with the escapes of its query
// if strict.
func canonicalPath(s string, strict bool) string {
	s, _, _ = strings.Cut(s, "#")
	if s == "" || s[0] != '/' {
		s = "/" + s
	}
	return canonical(s, false, strict)
}

// inURI reports whether c is a URI character under RFC 3986, sections 2.2 and
// 2.3.
func inURI(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("/-._~?=&:#[]@!$'()*+,;", c) >= 0
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
