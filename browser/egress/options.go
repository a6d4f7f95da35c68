package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"plat/plat"
)

// Resolver resolves names; [net.Resolver] is one. It must return when ctx ends.
type Resolver interface {
	// LookupNetIP returns the addresses of host for network "ip". The guard
	// calls it with names in lower-case ASCII, without the root's dot.
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// Options configure a [Guard]. The zero value allows no private addresses.
type Options struct {
	// Recorded closes the network: pages get all their responses from recordings, by
	// [Lane.ResetRecorded], and every address is refused.
	Recorded bool

	// AllowPrivate opens networks that are otherwise refused, on any port.
	AllowPrivate []netip.Prefix

	// Setting is the name of the user's setting for AllowPrivate in errors. Empty: allow-private.
	Setting string

	// Ports that may be reached outside AllowPrivate. Empty: [DefaultPorts].
	Ports []uint16

	// Services are the services that plat itself uses: pages never reach them, even inside opened
	// networks. Their names are resolved by the system's resolver, repeatedly.
	Services []Service

	// Resolver resolves names. Nil: the system's.
	Resolver Resolver

	// ResolveTimeout limits a lookup. 0: 3 s; offline, the system's resolver
	// may take much longer for a dead name.
	ResolveTimeout time.Duration

	// NameTTL is the time for which addresses are cached, NoNameTTL that of a negative answer. 0: 1
	// min and 10 s. The system's resolver does not report TTLs; a minute is typical of the web's
	// names.
	NameTTL, NoNameTTL time.Duration

	// DialTimeout limits connecting, over all addresses of a name. 0: 10 s.
	DialTimeout time.Duration

	// HeaderTimeout limits the time until a plain-http server begins its
	// response, and a client's time to send a request's header. 0: 30 s.
	HeaderTimeout time.Duration

	// MaxConns limits the connections of a lane. 0: 256. Chrome opens at most
	// 32 to one proxy for requests, and some more for WebSockets.
	MaxConns int

	// Upstream is an operator's proxy to connect through: http, https, socks5
	// or socks5h, credentials in the URL. It is trusted and not checked. It
	// receives the checked address by CONNECT or SOCKS, never a name, so that
	// it cannot resolve a different address; it must allow CONNECT to port 80 for plain http. Nil:
	// direct connections.
	Upstream *url.URL
}

// DefaultPorts are those of the web and their usual alternatives. Other ports
// are rarely a page's resource, and often a service that expects no HTTP.
var DefaultPorts = [...]uint16{80, 443, 8080, 8443}

// complete fills in defaults and rejects invalid options.
func (o Options) complete() (Options, error) {
	for _, d := range []struct {
		name  string
		value *time.Duration
		unset time.Duration
	}{
		{"ResolveTimeout", &o.ResolveTimeout, 3 * time.Second},
		{"NameTTL", &o.NameTTL, time.Minute},
		{"NoNameTTL", &o.NoNameTTL, 10 * time.Second},
		{"DialTimeout", &o.DialTimeout, 10 * time.Second},
		{"HeaderTimeout", &o.HeaderTimeout, 30 * time.Second},
	} {
		if *d.value < 0 {
			return o, fmt.Errorf("egress: %s is %v; use a positive duration, or 0 for %v", d.name, *d.value, d.unset)
		}
		if *d.value == 0 {
			*d.value = d.unset
		}
	}
	if o.MaxConns < 0 {
		return o, fmt.Errorf("egress: MaxConns is %d; use a positive number, or 0 for 256", o.MaxConns)
	}
	if o.MaxConns == 0 {
		o.MaxConns = 256
	}
	if len(o.Ports) == 0 {
		o.Ports = DefaultPorts[:]
	}
	o.Ports = slices.Clone(o.Ports)
	if slices.Contains(o.Ports, 0) {
		return o, errors.New("egress: port 0 is invalid; remove it")
	}
	opened := make([]netip.Prefix, 0, len(o.AllowPrivate))
	for _, p := range o.AllowPrivate {
		q, err := plainPrefix(p)
		if err != nil {
			return o, err
		}
		opened = append(opened, q)
	}
	o.AllowPrivate = opened
	if o.Resolver == nil {
		o.Resolver = system{}
	}
	if u := o.Upstream; u != nil {
		switch u.Scheme {
		case "http", "https", "socks5", "socks5h":
		default:
			return o, fmt.Errorf("egress: upstream proxy has scheme %q; use http, https, socks5 or socks5h", u.Scheme)
		}
		if u.Hostname() == "" {
			return o, fmt.Errorf("egress: upstream proxy %q has no host; write scheme://host:port", plat.WithoutSecrets(u.String()))
		}
	}
	return o, nil
}

// plainPrefix converts an IPv4-mapped IPv6 network to IPv4.
func plainPrefix(p netip.Prefix) (netip.Prefix, error) {
	switch {
	case !p.IsValid():
		return p, fmt.Errorf("egress: a network to open is not valid; write it as 10.0.0.0/8")
	case p.Addr().Is4In6() && p.Bits() < 96:
		return p, fmt.Errorf("egress: %s mixes IPv4 and IPv6; write two separate networks", p)
	case p.Addr().Is4In6():
		return netip.PrefixFrom(p.Addr().Unmap(), p.Bits()-96).Masked(), nil
	}
	return p.Masked(), nil
}

// system is the system's resolver, without its search list for names with a
// dot: a page's "example.com" must not become "example.com.corp.internal".
// Single-label names are only meaningful with the search list.
type system struct{}

func (system) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return Lookup(ctx, network, host)
}

// Lookup queries the system's resolver as the guard does. It repeats a lost
// query earlier than the resolver itself, which waits 5 s: a page would wait
// that long for one of its trackers.
func Lookup(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if strings.Contains(host, ".") {
		host += "."
	}
	for wait := firstTry; ; wait *= 2 {
		try, cancel := context.WithTimeout(ctx, wait)
		addrs, err := net.DefaultResolver.LookupNetIP(try, network, host)
		late := try.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !late {
			return addrs, err
		}
	}
}

// firstTry limits the wait for the first query. A nearby resolver answers from
// its cache within milliseconds; slower answers are ready for the second query.
const firstTry = 200 * time.Millisecond
