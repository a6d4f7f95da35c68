package egress

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// policy is immutable, except for the addresses of plat's own endpoints: see own.go.
type policy struct {
	opened     []netip.Prefix
	setting    string // see Options.Setting
	ports      []uint16
	interfaces *interfaces
	services   *services
	life       *life // of lookups of services

	mu  sync.RWMutex
	own map[uint16]int // guarded by mu: ports of plat's listeners, with reference counts
}

// special is a network that is not global unicast, or not part of the web.
type special struct {
	net  netip.Prefix
	why  string // reason in X-Plat-Egress and metrics
	note string // explanation, with the source
}

// specials holds, narrow before wide, the IANA IPv4 and IPv6 Special-Purpose Address Registries
// (RFC 6890, RFC 8190) and IPv6's address space (RFC 4291). Where the registry exempts single
// globally reachable anycast services from a block (PCP in 192.0.0.0/24, ORCHIDv2 in 2001::/23),
// the whole block stays closed: these services do not serve web pages.
var specials = []special{
	// Metadata services of clouds return credentials without authentication.
	// Most are inside other closed blocks and are listed for their reason;
	// Azure's is not.
	{netip.MustParsePrefix("169.254.169.254/32"), "metadata", "a cloud metadata service"},
	{netip.MustParsePrefix("169.254.170.2/32"), "metadata", "a cloud metadata service"},
	{netip.MustParsePrefix("168.63.129.16/32"), "metadata", "Azure's platform service"},
	{netip.MustParsePrefix("100.100.100.200/32"), "metadata", "a cloud metadata service"},
	{netip.MustParsePrefix("192.0.0.192/32"), "metadata", "a cloud metadata service"},
	{netip.MustParsePrefix("fd00:ec2::254/128"), "metadata", "a cloud metadata service"},
	{netip.MustParsePrefix("fd20:ce::254/128"), "metadata", "a cloud metadata service"},

	{netip.MustParsePrefix("0.0.0.0/32"), "unspecified", "the unspecified address (RFC 1122)"},
	{netip.MustParsePrefix("0.0.0.0/8"), "unspecified", "\"this network\" (RFC 791)"},
	{netip.MustParsePrefix("10.0.0.0/8"), "private", "private (RFC 1918)"},
	{netip.MustParsePrefix("100.64.0.0/10"), "shared", "shared by carriers (RFC 6598)"},
	{netip.MustParsePrefix("127.0.0.0/8"), "loopback", "loopback (RFC 1122)"},
	{netip.MustParsePrefix("169.254.0.0/16"), "link-local", "link-local (RFC 3927)"},
	{netip.MustParsePrefix("172.16.0.0/12"), "private", "private (RFC 1918)"},
	{netip.MustParsePrefix("192.0.0.0/24"), "protocol", "for IETF protocols (RFC 6890)"},
	{netip.MustParsePrefix("192.0.2.0/24"), "documentation", "for documentation (RFC 5737)"},
	{netip.MustParsePrefix("192.88.99.0/24"), "6to4", "the former 6to4 relay (RFC 7526)"},
	{netip.MustParsePrefix("192.168.0.0/16"), "private", "private (RFC 1918)"},
	{netip.MustParsePrefix("198.18.0.0/15"), "benchmarking", "for benchmarking (RFC 2544)"},
	{netip.MustParsePrefix("198.51.100.0/24"), "documentation", "for documentation (RFC 5737)"},
	{netip.MustParsePrefix("203.0.113.0/24"), "documentation", "for documentation (RFC 5737)"},
	{netip.MustParsePrefix("224.0.0.0/4"), "multicast", "multicast (RFC 5771)"},
	{netip.MustParsePrefix("255.255.255.255/32"), "broadcast", "broadcast (RFC 919)"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved", "reserved (RFC 1112)"},

	{netip.MustParsePrefix("::/128"), "unspecified", "the unspecified address (RFC 4291)"},
	{netip.MustParsePrefix("::1/128"), "loopback", "loopback (RFC 4291)"},
	{netip.MustParsePrefix("::/96"), "compatible", "IPv4-compatible, given up (RFC 4291)"},
	{netip.MustParsePrefix("64:ff9b:1::/48"), "nat64", "local NAT64 (RFC 8215)"},
	{netip.MustParsePrefix("100::/64"), "discard", "discarded (RFC 6666)"},
	{netip.MustParsePrefix("2001::/32"), "teredo", "a Teredo tunnel (RFC 4380)"},
	{netip.MustParsePrefix("2001:2::/48"), "benchmarking", "for benchmarking (RFC 5180)"},
	{netip.MustParsePrefix("2001::/23"), "protocol", "for IETF protocols (RFC 2928)"},
	{netip.MustParsePrefix("2001:db8::/32"), "documentation", "for documentation (RFC 3849)"},
	{netip.MustParsePrefix("2002::/16"), "6to4", "a 6to4 tunnel (RFC 7526)"},
	{netip.MustParsePrefix("3fff::/20"), "documentation", "for documentation (RFC 9637)"},
	{netip.MustParsePrefix("5f00::/16"), "srv6", "for segment routing (RFC 9602)"},
	{netip.MustParsePrefix("fc00::/7"), "private", "unique local (RFC 4193)"},
	{netip.MustParsePrefix("fe80::/10"), "link-local", "link-local (RFC 4291)"},
	{netip.MustParsePrefix("fec0::/10"), "site-local", "site-local, given up (RFC 3879)"},
	{netip.MustParsePrefix("ff00::/8"), "multicast", "multicast (RFC 4291)"},
}

var (
	globalUnicast = netip.MustParsePrefix("2000::/3")
	nat64         = netip.MustParsePrefix("64:ff9b::/96") // RFC 6052 section 2.1
)

// Check decides whether a page may connect to addr and port: nil, or an [Error]
// of kind [ErrRefused] with the reason. Only addresses that pass are dialled.
func (g *Guard) Check(addr netip.Addr, port uint16) error {
	if e := g.policy.check(addr, port); e != nil {
		return e // never a nil *Error in an error
	}
	return nil
}

func (p *policy) check(addr netip.Addr, port uint16) *Error {
	switch {
	case !addr.IsValid():
		return refusal("bad-host", "no address")
	case addr.Zone() != "":
		return &Error{Kind: ErrRefused, Why: "zone", Addr: addr, note: "an address with a zone is a neighbour's (RFC 4007)"}
	}
	addr = addr.Unmap() // ::ffff:a.b.c.d is dialled as a.b.c.d (RFC 4291 section 2.5.5.2)
	inner := embedded(addr)
	if p.isOwn(addr, port) || p.isOwn(inner, port) {
		return &Error{Kind: ErrRefused, Why: "own-listener", Addr: addr, note: "port " + strconv.Itoa(int(port)) + " there is plat's own"}
	}
	if p.isService(addr, port) || p.isService(inner, port) {
		return serviceRefusal(addr)
	}
	opened := port != 0 && p.isOpened(addr)
	if e := p.closed(addr); e != nil && !opened {
		return e
	}
	if inner.IsValid() && !opened && !p.isOpened(inner) {
		if e := p.closed(inner); e != nil {
			e.note += ", inside " + addr.String()
			return e
		}
	}
	if p.isOurAddress(addr) || p.isOurAddress(inner) {
		return &Error{Kind: ErrRefused, Why: "own-address", Addr: addr, note: "an address of this machine", next: p.allowHint(addr)}
	}
	if opened {
		return nil
	}
	if !slices.Contains(p.ports, port) {
		return &Error{
			Kind: ErrRefused, Why: "port", Addr: addr,
			note: fmt.Sprintf("port %d is not one of the allowed ports (%s)", port, joinPorts(p.ports)),
			next: p.allowHint(addr),
		}
	}
	return nil
}

// closed returns why an unmapped address is not global unicast, nil if it is.
func (p *policy) closed(addr netip.Addr) *Error {
	for i := range specials {
		if s := &specials[i]; s.net.Contains(addr) {
			return &Error{Kind: ErrRefused, Why: s.why, Addr: addr, note: s.note, next: p.allowHint(addr)}
		}
	}
	if addr.Is6() && !globalUnicast.Contains(addr) && !nat64.Contains(addr) {
		return &Error{
			Kind: ErrRefused, Why: "not-global", Addr: addr,
			note: "outside of IPv6's global unicast space (RFC 4291)", next: p.allowHint(addr),
		}
	}
	return nil
}

// embedded returns the IPv4 address that packets to an unmapped IPv6 address may reach, the zero
// Addr if absent.
func embedded(addr netip.Addr) netip.Addr {
	if !addr.Is6() {
		return netip.Addr{}
	}
	b := addr.As16()
	four := func(i int) netip.Addr { return netip.AddrFrom4([4]byte(b[i : i+4])) }
	switch {
	case nat64.Contains(addr):
		return four(12)
	case b[0] == 0x20 && b[1] == 0x02: // 6to4, RFC 3056 section 2
		return four(2)
	case addr.Is6() && b[8]&^0x03 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe:
		return four(12) // ISATAP, RFC 5214 section 6.1; the u and g bits may be set
	case isZero(b[:12]): // IPv4-compatible
		return four(12)
	}
	return netip.Addr{}
}

func isZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}

func (p *policy) isOpened(addr netip.Addr) bool {
	for _, n := range p.opened {
		if n.Contains(addr) {
			return true
		}
	}
	return false
}

// serviceRefusal returns the error for a target that is one of the services.
func serviceRefusal(addr netip.Addr) *Error {
	return &Error{Kind: ErrRefused, Why: "own-service", Addr: addr, note: "plat's own Redis or archive is there"}
}

func (p *policy) forbid(port uint16) {
	p.mu.Lock()
	p.own[port]++
	p.mu.Unlock()
}

func (p *policy) permit(port uint16) {
	p.mu.Lock()
	if p.own[port]--; p.own[port] <= 0 {
		delete(p.own, port)
	}
	p.mu.Unlock()
}

// allowHint suggests opening only the one address; the user may widen it.
func (p *policy) allowHint(addr netip.Addr) string {
	return fmt.Sprintf("if plat may go there, add %s/%d to the setting %s", addr, addr.BitLen(), cmp.Or(p.setting, "allow-private"))
}

func joinPorts(ports []uint16) string {
	s := make([]string, len(ports))
	for i, p := range ports {
		s[i] = strconv.Itoa(int(p))
	}
	return strings.Join(s, ", ")
}
