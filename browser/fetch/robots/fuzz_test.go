package robots

import (
	"strings"
	"testing"
)

func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\r\nDisallow: /a*b$\rAllow: /%61\nCrawl-delay: 1.5\nSitemap: https://a.test/"), "/a/b")
	f.Add([]byte("\ufeffuser-agent: plat/1.0\nuser-agent: x\ncrawl-delay: 3\ndisallow: /\xff\x00#c"), "/%FF%00")
	f.Add([]byte("allow: /\nuser-agent: 1\ndisallow: *"), "")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		file := Parse(body)
		for _, token := range []string{"plat", "*", "", "x"} {
			rules := file.Agent(token)
			if !rules.Allowed("/robots.txt") {
				t.Error("/robots.txt is not allowed")
			}
			if d, ok := rules.Delay(); d < 0 || d > maxDelay || !ok && d != 0 {
				t.Errorf("a delay of %v, %v", d, ok)
			}
			if rules.Allowed(path) != rules.Allowed(canonicalPath(path, true)) {
				t.Errorf("%q is another path than %q", path, canonicalPath(path, true))
			}
			if strings.HasPrefix(path, "/") && nothing().Agent(token).Allowed("/robots.txt"+path) {
				t.Errorf("%q is allowed where nothing is", "/robots.txt"+path)
			}
		}
		for _, s := range file.Sitemaps() {
			if l := strings.ToLower(s); !strings.HasPrefix(l, "http://") && !strings.HasPrefix(l, "https://") {
				t.Errorf("sitemap %q", s)
			}
		}
		// A byte order mark and the kind of line ends make no difference.
		unix := strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\r", "\n")
		if !strings.HasPrefix(unix, "\ufeff") {
			unix = "\ufeff" + unix
		}
		if a, b := file.Agent("plat").Allowed(path), Parse([]byte(unix)).Agent("plat").Allowed(path); a != b {
			t.Errorf("with line feeds %q is allowed: %v, before: %v", path, b, a)
		}
	})
}

// FuzzAllowed compares rules with a naive implementation of RFC 9309 sections
// 2.2.2 and 2.2.3: patterns by a table of all prefixes, precedence by checking
// every rule.
func FuzzAllowed(f *testing.F) {
	f.Add("/a*b$\n/aab\n*", byte(0b010), "/aabab")
	f.Add("/%41*%2A%zz\n/\u30c4", byte(1), "/A*%zz")
	f.Add("/*a*a*a*b\n/$\n/a", byte(5), "/aaaaaaaaaaaa")
	f.Fuzz(func(t *testing.T, patterns string, allow byte, path string) {
		if len(patterns) > 2000 || len(path) > 200 {
			return
		}
		var file strings.Builder
		file.WriteString("user-agent: *\n")
		want, most := true, 0
		for i, p := range strings.FieldsFunc(patterns, func(r rune) bool { return r == '\n' || r == '\r' }) {
			p, _, _ = strings.Cut(p, "#")
			p = trim(p)
			allows := allow>>(i%8)&1 == 1
			if allows {
				file.WriteString("allow: " + p + "\n")
			} else {
				file.WriteString("disallow: " + p + "\n")
			}
			pat := slowPattern(p)
			if !slowMatch(pat, slowOctets(canonicalPathOf(path), false)) && !slowMatch(pat, slowOctets(canonicalPathOf(path), true)) {
				continue
			}
			if n := len(pat); n > most || n == most && allows {
				want, most = allows, n
			}
		}
		if p := slowOctets(canonicalPathOf(path), false); slowString(p) == "/robots.txt" {
			want = true
		}
		if got := Parse([]byte(file.String())).Agent("x").Allowed(path); got != want {
			t.Errorf("%q: allowed = %v, want %v, by\n%q", path, got, want, file.String())
		}
	})
}

// canonicalPathOf is a path without fragment, with its first slash.
func canonicalPathOf(s string) string {
	s, _, _ = strings.Cut(s, "#")
	if !strings.HasPrefix(s, "/") {
		s = "/" + s
	}
	return s
}

// In the naive implementation every octet of a path that is not a URI character
// is escaped; in a pattern anyRun and atEnd represent the special characters.
const (
	anyRun = -1
	atEnd  = -2
)

func slowOctets(s string, strict bool) (out []int) { return slowOctetsAfter(s, strict, false) }

// query reports that s is in the query of a pattern.
func slowOctetsAfter(s string, strict, query bool) (out []int) {
	for i := 0; i < len(s); i++ {
		c, escaped := int(s[i]), false
		if c == '%' && i+2 < len(s) {
			hi, lo := strings.IndexByte("0123456789abcdef", s[i+1]|0x20), strings.IndexByte("0123456789abcdef", s[i+2]|0x20)
			digit := func(b byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", b) >= 0 }
			if digit(s[i+1]) && digit(s[i+2]) {
				c, escaped = hi<<4|lo, true
				i += 2
			}
		}
		const uri = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()+,;="
		query = query || c == '?' && !escaped
		kept := escaped && (c == '/' || c == '?') && (strict || !query)
		if strings.IndexByte(uri, byte(c)) >= 0 && !kept {
			out = append(out, c)
			continue
		}
		const hex = "0123456789ABCDEF"
		out = append(out, '%', int(hex[c>>4]), int(hex[c&15]))
	}
	return out
}

func slowPattern(p string) (out []int) {
	end := strings.HasSuffix(p, "$")
	p = strings.TrimSuffix(p, "$")
	query := false
	for i, piece := range strings.Split(p, "*") {
		if i > 0 {
			out = append(out, anyRun)
		}
		out = append(out, slowOctetsAfter(piece, false, query)...)
		query = query || strings.Contains(piece, "?")
	}
	if end {
		out = append(out, atEnd)
	}
	return out
}

func slowString(octets []int) string {
	b := make([]byte, len(octets))
	for i, c := range octets {
		b[i] = byte(c)
	}
	return string(b)
}

// slowMatch fills reach[j]: the pattern read so far may end before path[j].
func slowMatch(pattern, path []int) bool {
	if len(pattern) == 0 {
		return false
	}
	reach := make([]bool, len(path)+1)
	reach[0] = true
	for _, c := range pattern {
		next := make([]bool, len(path)+1)
		for j := range next {
			switch c {
			case anyRun:
				next[j] = reach[j] || j > 0 && next[j-1]
			case atEnd:
				next[j] = reach[j] && j == len(path)
			default:
				next[j] = j > 0 && reach[j-1] && path[j-1] == c
			}
		}
		reach = next
	}
	for _, ok := range reach {
		if ok {
			return true
		}
	}
	return false
}
