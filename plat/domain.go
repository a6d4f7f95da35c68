package plat

import (
	"net/netip"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// DomainOf returns the registrable domain of a host name, such as example.co.uk for
// www.example.co.uk, by the public suffix list. For a host without one (an address, a name without
// dots, a public suffix) it returns the host. Names are in lower case and in ASCII, as in canonical
// URLs.
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

// isAddress distinguishes IP addresses from names; the public suffix list treats both as names.
func isAddress(host string) bool {
	_, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil
}
