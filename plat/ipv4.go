package plat

import (
	"net/netip"
	"strconv"
	"strings"
)

// ParseIPv4 parses a host name as browsers do (WHATWG URL Standard, "IPv4 parser"):
// decimal, octal (0…) and hexadecimal (0x…) parts, the last of which may cover
// several bytes, so that 127.1, 0x7f000001 and 127.0.0.1 are one address. numeric
// reports that the name ends in a number and hence must be an address; ok reports
// that it is a valid one. name must be in lower case, without the root's trailing
// dot.
func ParseIPv4(name string) (addr netip.Addr, numeric, ok bool) {
	parts := strings.Split(name, ".")
	last := parts[len(parts)-1]
	if last == "" {
		return netip.Addr{}, false, false
	}
	if _, number := parseNumber(last); !number && strings.Trim(last, "0123456789") != "" {
		return netip.Addr{}, false, false
	}
	if len(parts) > 4 {
		return netip.Addr{}, true, false
	}
	var v uint64
	for i, part := range parts {
		n, ok := parseNumber(part)
		if !ok {
			return netip.Addr{}, true, false
		}
		if i < len(parts)-1 {
			if n > 255 {
				return netip.Addr{}, true, false
			}
			v |= n << (24 - 8*i)
			continue
		}
		if n >= 1<<(8*(5-len(parts))) {
			return netip.Addr{}, true, false
		}
		v |= n
	}
	return netip.AddrFrom4([4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}), true, true
}

// parseNumber implements the standard's "IPv4 number parser". Numbers too large for any address are
// returned as a value of more than 32 bits.
func parseNumber(s string) (uint64, bool) {
	base, digits := 10, "0123456789"
	switch {
	case s == "":
		return 0, false
	case strings.HasPrefix(s, "0x"):
		s, base, digits = s[2:], 16, "0123456789abcdef"
	case len(s) > 1 && s[0] == '0':
		s, base, digits = s[1:], 8, "01234567"
	}
	if strings.Trim(s, digits) != "" {
		return 0, false
	}
	s = strings.TrimLeft(s, "0")
	if s == "" {
		return 0, true // "0x" alone is zero
	}
	n, err := strconv.ParseUint(s, base, 64)
	if err != nil {
		return 1 << 40, true
	}
	return n, true
}
