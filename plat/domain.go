package plat

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// DomainOf returns the registrable domain of a host name, as example.co.uk of www.example.co.uk,
// by the public suffix list. If it has none (an address, a name without dots, a public suffix),
// that is the host itself. Names are in lower case and in ASCII, as in canonical URLs.
func DomainOf(host string) string {
	if isAddress(host) {
		return host
	}
	if d, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return d
	}
	return host
}

// HasDomain reports whether a host name has a registrable domain.
func HasDomain(host string) bool {
	if isAddress(host) {
		return false
	}
	_, err := publicsuffix.EffectiveTLDPlusOne(host)
	return err == nil
}

// isAddress tells addresses from names, for which the public suffix list takes them.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
