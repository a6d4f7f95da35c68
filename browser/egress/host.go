package egress

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"plat/plat"
)

// target is the destination of a request in canonical form: a name in
// lower-case ASCII without a trailing dot, or an address.
type target struct {
	host string
	addr netip.Addr // valid if host is an address
	port uint16
}

// String is host:port, IPv6 in brackets.
func (t target) String() string {
	return net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
}

// maxName is the longest domain name in text, RFC 1035 section 2.3.4.
const maxName = 253

// maxHostText bounds a host with its port as it is written, bytes: every character of a name may be
// escaped or outside ASCII.
const maxHostText = 4 * maxName

// names maps a host to ASCII as browsers do (WHATWG URL, "domain to ASCII":
// UTS #46 without transitional processing).
var names = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(false), idna.StrictDomainName(false))

// parseURL reads the host and the port of an http or https URL.
func parseURL(u *url.URL) (target, *Error) {
	var port string
	switch u.Scheme {
	case "http":
		port = "80"
	case "https":
		port = "443"
	default:
		return target{}, refusal("scheme", fmt.Sprintf("scheme %q is neither http nor https", u.Scheme))
	}
	if len(u.Host) > maxHostText {
		return target{}, refusal("bad-host", "longer than any host")
	}
	// Split manually: url.URL.Port accepts "a:b:80" and other invalid ports.
	host, rest := u.Host, ""
	if end := strings.LastIndexByte(host, ']'); strings.HasPrefix(host, "[") && end > 0 {
		host, rest = host[:end+1], host[end+1:]
	} else if i := strings.IndexByte(host, ':'); i >= 0 {
		host, rest = host[:i], host[i:]
	}
	switch {
	case rest == "" || rest == ":":
	case rest[0] == ':':
		port = rest[1:]
	default:
		return target{}, refusal("bad-host", fmt.Sprintf("%q is not a host with a port", u.Host))
	}
	return makeTarget(host, port)
}

// parseHostPort parses the target of CONNECT, RFC 9110 section 9.3.6: host and
// port, both required.
func parseHostPort(s string) (target, *Error) {
	i := strings.LastIndexByte(s, ':')
	if len(s) > maxHostText {
		return target{}, refusal("bad-host", "longer than any host")
	}
	if i < 0 {
		return target{}, refusal("bad-host", fmt.Sprintf("%q has no port", s))
	}
	return makeTarget(s[:i], s[i+1:])
}

func makeTarget(host, port string) (target, *Error) {
	n, ok := parsePort(port)
	if !ok {
		return target{}, refusal("port", fmt.Sprintf("%q is not a port", port))
	}
	name, addr, e := parseHost(host)
	if e != nil {
		return target{}, e
	}
	return target{host: name, addr: addr, port: n}, nil
}

func parsePort(s string) (uint16, bool) {
	if len(s) == 0 || len(s) > 5 || strings.Trim(s, "0123456789") != "" {
		return 0, false // explicit, although ParseUint rejects signs
	}
	n, err := strconv.ParseUint(s, 10, 16)
	return uint16(n), err == nil && n != 0
}

// parseHost parses a host as the WHATWG URL standard does ("host parsing"), so
// that the guard and the dialler cannot interpret a spelling differently: IPv6
// in brackets, IPv4 in one to four decimal, octal or hexadecimal parts, else a
// domain name. It is stricter where browsers never differ: no zone, no percent
// sign, and in names only letters, digits, hyphen and underscore.
func parseHost(s string) (string, netip.Addr, *Error) {
	bad := func(why string) (string, netip.Addr, *Error) {
		return "", netip.Addr{}, refusal("bad-host", fmt.Sprintf("%q is not a host: %s", s, why))
	}
	if inside, ok := strings.CutPrefix(s, "["); ok {
		inside, ok = strings.CutSuffix(inside, "]")
		if !ok {
			return bad("bracket not closed")
		}
		if strings.IndexByte(inside, '%') >= 0 {
			return "", netip.Addr{}, refusal("zone", fmt.Sprintf("%q has a zone: a neighbour's address (RFC 4007)", s))
		}
		addr, err := netip.ParseAddr(inside)
		if err != nil || !addr.Is6() {
			return bad("not an IPv6 address")
		}
		addr = addr.Unmap()
		return addr.String(), addr, nil
	}
	name, ok := toASCII(s)
	if !ok {
		return bad("not a name in international spelling (UTS #46)")
	}
	name = strings.TrimSuffix(name, ".")
	if name == "" || len(name) > maxName {
		return bad("empty or longer than 253 characters")
	}
	labels := strings.Split(name, ".")
	for _, l := range labels {
		if len(l) == 0 || len(l) > 63 {
			return bad("a part is empty or longer than 63 characters")
		}
		for i := range len(l) {
			if c := l[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_') {
				return bad("it has a character that is not allowed in names")
			}
		}
	}
	if addr, numeric, ok := plat.ParseIPv4(name); numeric {
		if !ok {
			return bad("not an IPv4 address, though it ends in a number")
		}
		return addr.String(), addr, nil
	}
	return name, netip.Addr{}, nil
}

// toASCII converts a name to ASCII, with a fast path for plain names, which are
// nearly all.
func toASCII(s string) (string, bool) {
	plain := true
	for i := range len(s) {
		if s[i] >= 0x80 {
			plain = false
			break
		}
	}
	if plain {
		s = strings.ToLower(s)
		if !strings.Contains(s, "xn--") {
			return s, true
		}
	}
	if !utf8.ValidString(s) {
		return "", false // ToASCII would make a name of the replacement character
	}
	s, err := names.ToASCII(s)
	return s, err == nil
}
