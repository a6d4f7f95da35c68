package plat

import (
	"cmp"
	"fmt"
	"net/netip"
	"net/url"
	"plat/plat/weburl"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// TrackingParams are the query parameters that identify the origin of a visitor and never affect the
// page. A trailing "*" matches any suffix.
var TrackingParams = []string{
	"utm_*", "fbclid", "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "msclkid", "yclid", "twclid", "ttclid",
	"igshid", "mc_cid", "mc_eid", "_hsenc", "_hsmi", "mkt_tok", "oly_anon_id", "oly_enc_id", "vero_id",
	"wickedid", "_openstat", "spm", "scm", "ref_src", "ref_url", "pk_campaign", "pk_kwd", "mtm_*", "s_cid",
}

// maxURL is the maximum length of a visited URL, in bytes. A URL is an index key, and servers refuse
// longer ones (RFC 9110 section 4.1 recommends supporting at least 8,000).
const maxURL = 16 << 10

// Canonical returns the canonical form of raw. It is idempotent, and equivalent spellings give the
// same text: scheme and host in lower case, the host in its ASCII form (IDNA, UTS 46), the default
// port and the fragment removed, dot segments resolved, percent escapes in upper case and only where
// RFC 3986 section 2.3 needs them; the query keeps its order. Parameters in drop (such as
// [TrackingParams]; nil drops none) are removed.
//
// The error wraps [ErrBadURL] and suggests a correct URL. It does not contain a login.
func Canonical(raw string, drop []string) (string, error) {
	// The WHATWG URL parser strips these characters; pasted URLs contain them.
	clean := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.Trim(raw, " \t\r\n\f\v\x00"))
	if clean == "" {
		return "", fmt.Errorf("%w: it is empty", ErrBadURL)
	}
	if err := checkLength(clean); err != nil {
		return "", err
	}
	clean = slashes(clean)
	shown := func() string { return WithoutLogin(raw) }
	if host, _, _ := strings.Cut(clean, "/"); noScheme(clean) && strings.Contains(host, " ") {
		return "", fmt.Errorf("%w: %q is not a URL: its host contains a space; write a URL such as %q", ErrBadURL, shown(), "https://example.com/page")
	}
	if noScheme(clean) {
		return "", fmt.Errorf("%w: %q has no scheme; write %q", ErrBadURL, shown(), "https://"+strings.TrimLeft(loginless(clean), "/"))
	}
	u, err := url.Parse(escapeStray(clean))
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a URL: cannot parse its host or port", ErrBadURL, shown())
	}
	switch { // the parser has the scheme in lower case
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("%w: %q uses %q; plat visits only http and https", ErrBadURL, shown(), u.Scheme)
	case u.User != nil:
		return "", fmt.Errorf("%w: %q contains a login; use the setting auth, as HOST=USER:PASSWORD", ErrBadURL, shown())
	case u.Opaque != "":
		return "", fmt.Errorf("%w: %q has no // after the scheme; write %q", ErrBadURL, shown(), u.Scheme+"://"+loginless(u.Opaque))
	}
	host, err := canonicalHost(u.Hostname())
	if err != nil {
		return "", fmt.Errorf("%w: %q: %w", ErrBadURL, shown(), err)
	}
	port := u.Port()
	if port != "" {
		n := 0
		for _, c := range port {
			n = min(n*10+int(c-'0'), 1<<16)
		}
		if n == 0 || n > 65535 {
			return "", fmt.Errorf("%w: %q has port %s; ports are 1 to 65535", ErrBadURL, shown(), port)
		}
		port = fmt.Sprint(n)
	}
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}

	var b strings.Builder
	b.WriteString(u.Scheme)
	b.WriteString("://")
	b.WriteString(host)
	if port != "" {
		b.WriteString(":" + port)
	}
	path, query := pathAndQuery(clean)
	b.WriteString(removeDotSegments(normalEscapes(path)))
	// Browsers escape an apostrophe in a query but not in a path (WHATWG URL,
	// special-query percent-encode set).
	if q := dropParams(strings.ReplaceAll(normalEscapes(query), "'", "%27"), drop); q != "" {
		b.WriteString("?" + q)
	}
	// Check again: escaping may have made the URL longer.
	if err := checkLength(b.String()); err != nil {
		return "", err
	}
	return b.String(), nil
}

// Spelled returns an address with the path and the query that browsers request for a link, where they are not those of
// its canonical URL: browsers leave "%7E", "[" and a stray "%" as they are, and some servers tell them apart. href is the
// link's address in the form of the WHATWG URL serializer. It returns "" if the canonical URL is requested just so.
func Spelled(href, canonical string, drop []string) string {
	path, query := pathAndQuery(href)
	spelled := strings.TrimSuffix(canonical, afterHost(canonical)) + cmp.Or(path, "/")
	if query = dropParams(query, drop); query != "" {
		spelled += "?" + query
	}
	if strings.EqualFold(spelled, canonical) && upperEscapes(spelled) == canonical || len(spelled) > maxURL || strings.ContainsFunc(spelled, notInRequests) {
		return ""
	}
	return spelled
}

// Address returns the canonical URL of raw, as [Canonical] does, and its spelling in requests: see [Spelled].
func Address(raw string, drop []string) (canonical, spelling string, err error) {
	if canonical, err = Canonical(raw, drop); err != nil {
		return "", "", err
	}
	return canonical, Spelled(weburl.Resolve(raw), canonical, drop), nil
}

// afterHost returns the path and the query of a canonical URL.
func afterHost(canonical string) string {
	_, rest, _ := strings.Cut(canonical, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		return rest[i:]
	}
	return ""
}

// upperEscapes returns a URL with its percent escapes in upper case: servers read them as the same.
func upperEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' && isHex(b[i+1]) && isHex(b[i+2]) {
			copy(b[i+1:], strings.ToUpper(s[i+1:i+3]))
		}
	}
	return string(b)
}

// notInRequests reports whether no serialized URL has a character.
func notInRequests(r rune) bool { return r <= ' ' || r >= 0x7f }

func checkLength(u string) error {
	if len(u) > maxURL {
		return fmt.Errorf("%w: %d characters; plat visits URLs of at most %d", ErrBadURL, len(u), maxURL)
	}
	return nil
}

// noScheme reports whether a URL begins with its host, with or without a port or a login:
// "news.test/a", "host:8080/", "me:password@host".
func noScheme(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	if !ok || strings.ContainsAny(scheme, "./?#[@") || rest != "" && '0' <= rest[0] && rest[0] <= '9' {
		return true
	}
	if strings.HasPrefix(rest, "/") {
		return false
	}
	before, _, login := cutLogin(s)
	return login && before == "" && !slashless.MatchString(s)
}

// WithScheme returns a URL that a user has typed without its scheme, as example.org/news, with https, or as browsers do with
// http if its host is an IP address or localhost, and reports whether it has added that. Text that is not a URL then,
// or contains a login, is not changed.
func WithScheme(typed string) (url string, added bool) {
	clean := strings.TrimSpace(typed)
	host, _, _ := strings.Cut(slashes(clean), "/")
	name, _, _ := strings.Cut(host, ":")
	if !noScheme(clean) || strings.Contains(host, "@") || !strings.Contains(strings.Trim(name, "."), ".") && name != "localhost" && !strings.HasPrefix(host, "[") {
		return typed, false
	}
	scheme := "https://"
	if _, err := netip.ParseAddr(name); err == nil || name == "localhost" || strings.HasSuffix(name, ".localhost") || strings.HasPrefix(host, "[") {
		scheme = "http://"
	}
	if _, err := Canonical(scheme+clean, nil); err != nil {
		return typed, false
	}
	return scheme + clean, true
}

// slashless matches schemes after which an "@" does not end a login.
var slashless = regexp.MustCompile(`^(?i)(mailto|javascript|data|blob|tel|sip|xmpp|urn):`)

// pathAndQuery cuts the path and the query out of the raw text, because net/url decodes a path that
// mixes escaped and plain characters, so that %2F and / become the same.
func pathAndQuery(s string) (path, query string) {
	s, _, _ = strings.Cut(s, "#")
	s, query, _ = strings.Cut(s, "?")
	_, s, _ = strings.Cut(s, "//")
	if i := strings.IndexByte(s, '/'); i >= 0 {
		path = s[i:]
	}
	return path, query
}

// HostOf returns the host of a canonical URL, with its port if it has one.
func HostOf(canonical string) string {
	_, rest, _ := strings.Cut(canonical, "://")
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// canonicalHost returns the result of the WHATWG host parser: an IP address in normal form, or a name
// in ASCII.
func canonicalHost(h string) (string, error) {
	if h == "" {
		return "", fmt.Errorf("the host is missing")
	}
	if strings.Contains(h, ":") {
		a, err := netip.ParseAddr(h)
		if err != nil || a.Zone() != "" {
			return "", fmt.Errorf("%q is not an IPv6 address", h)
		}
		return "[" + a.String() + "]", nil
	}
	if !utf8.ValidString(h) { // ToASCII would convert the replacement character
		return "", fmt.Errorf("%q is not a host name: it is not UTF-8", h)
	}
	name, err := hostProfile.ToASCII(h)
	if err == nil { // the result itself must be valid
		_, err = hostProfile.ToASCII(name)
	}
	if err != nil {
		return "", fmt.Errorf("%q is not a host name: %w", h, err)
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > 253 {
		return "", fmt.Errorf("%q is not a host name: it has %d characters", h, len(name))
	}
	for l := range strings.SplitSeq(name, ".") {
		if l == "" || len(l) > 63 {
			return "", fmt.Errorf("%q is not a host name: a label has %d characters", h, len(l))
		}
		if i := strings.IndexFunc(l, notInNames); i >= 0 {
			return "", fmt.Errorf("%q is not a host name: it has the character %q", h, l[i])
		}
	}
	if a, numeric, ok := ParseIPv4(name); ok {
		return a.String(), nil
	} else if numeric {
		return "", fmt.Errorf("%q ends in a number but is not an IPv4 address", h)
	}
	return name, nil
}

// notInNames reports whether no host name contains a character: browsers send requests for more
// names, but no name server resolves them, and the egress guard refuses them.
func notInNames(r rune) bool {
	return !('a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '-' || r == '_')
}

// hostProfile is UTS 46 as browsers apply it: mapping without STD3 rules, because real host names
// contain underscores.
var hostProfile = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.StrictDomainName(false), idna.CheckHyphens(false))

// slashes replaces backslashes before query and fragment by slashes, as browsers do.
func slashes(s string) string {
	end := strings.IndexAny(s, "?#")
	if end < 0 {
		end = len(s)
	}
	return strings.ReplaceAll(s[:end], `\`, "/") + s[end:]
}

// escapeStray escapes characters that browsers accept in a URL and net/url rejects: blanks, and "%"
// that does not start an escape.
func escapeStray(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '%' && (i+2 >= len(s) || !isHex(s[i+1]) || !isHex(s[i+2])):
			b.WriteString("%25")
		case c <= ' ' || c == 0x7f:
			fmt.Fprintf(&b, "%%%02X", c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// normalEscapes normalises percent-encoding (RFC 3986 section 6.2.2): unreserved
// characters plain, characters that are invalid in a URL escaped in upper case,
// escapes of reserved characters unchanged.
func normalEscapes(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]) {
			v, _ := strconv.ParseUint(s[i+1:i+3], 16, 8)
			if d := byte(v); unreserved(d) {
				b.WriteByte(d)
			} else {
				b.WriteString("%" + strings.ToUpper(s[i+1:i+3]))
			}
			i += 2
			continue
		}
		if c == '%' {
			b.WriteString("%25")
		} else if unreserved(c) || strings.IndexByte("!$&'()*+,;=:@/?", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func unreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// removeDotSegments implements RFC 3986 section 5.2.4 for an absolute path; an empty path is "/".
func removeDotSegments(p string) string {
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	in := strings.Split(p[1:], "/")
	var out []string
	for i, s := range in {
		last := i == len(in)-1
		switch s {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, s)
		}
	}
	return "/" + strings.Join(out, "/")
}

func dropParams(q string, drop []string) string {
	if q == "" || len(drop) == 0 {
		return q
	}
	kept := strings.Split(q, "&")
	n := 0
	for _, p := range kept {
		name, _, _ := strings.Cut(p, "=")
		if !matchesAny(strings.ToLower(name), drop) {
			kept[n] = p
			n++
		}
	}
	return strings.Join(kept[:n], "&")
}

func matchesAny(name string, drop []string) bool {
	for _, d := range drop {
		if prefix, ok := strings.CutSuffix(d, "*"); ok && strings.HasPrefix(name, prefix) || d == name {
			return true
		}
	}
	return false
}
