package settings

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"plat/browser/egress"
	"plat/queue"
	"plat/watch/notify"
)

// TellEgress returns the egress rules for notifications: those of pages, with the ports of mail
// added, and of private networks only those that tell-private names.
func (s *Settings) TellEgress() (egress.Options, error) {
	o, err := s.egressOptions()
	if err != nil {
		return o, err
	}
	o.Setting = "tell-private"
	if o.AllowPrivate, err = networks(o.Setting, s.TellPrivate); err != nil {
		return o, err
	}
	if o.Ports == nil {
		o.Ports = slices.Clone(egress.DefaultPorts[:])
	}
	o.Ports = append(o.Ports, notify.MailPorts[:]...)
	return o, nil
}

// SearchEgress returns the egress rules for requests to a search engine at a URL: those of pages,
// and the addresses to which its name resolves now, because the user names it.
func (s *Settings) SearchEgress(ctx context.Context, engine string) (egress.Options, error) {
	o, err := s.egressOptions()
	if err != nil {
		return o, err
	}
	at, err := url.Parse(engine)
	if err != nil || at.Hostname() == "" {
		return o, nil // who asks says it better
	}
	if o.Ports == nil {
		o.Ports = slices.Clone(egress.DefaultPorts[:])
	}
	if port, err := strconv.ParseUint(at.Port(), 10, 16); err == nil {
		o.Ports = append(o.Ports, uint16(port))
	}
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", at.Hostname())
	if err != nil {
		return o, nil // the guard asks again, and says so
	}
	for _, a := range addrs {
		a = a.Unmap().WithZone("")
		o.AllowPrivate = append(o.AllowPrivate, netip.PrefixFrom(a, a.BitLen()))
	}
	return o, nil
}

// networks reads private networks that a setting names.
func networks(setting string, texts []string) ([]netip.Prefix, error) {
	var out []netip.Prefix
	for _, text := range texts {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				return nil, bad("%s %q: write a network as 10.0.0.0/8", setting, text)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		out = append(out, p)
	}
	return out, nil
}

// egressOptions returns the egress rules for pages.
func (s *Settings) egressOptions() (egress.Options, error) {
	o := egress.Options{Services: s.services()}
	var err error
	if o.AllowPrivate, err = networks("allow-private", s.AllowPrivate); err != nil {
		return o, err
	}
	if len(s.AllowPort) > 0 {
		o.Ports = slices.Clone(egress.DefaultPorts[:])
	}
	for _, p := range s.AllowPort {
		if p == 0 || p > 65535 {
			return o, bad("allow-port %d: ports are 1 to 65535", p)
		}
		o.Ports = append(o.Ports, uint16(p))
	}
	hosts := hosts{}
	for _, h := range s.Host {
		name, addr, _ := strings.Cut(h, "=")
		ip, err := netip.ParseAddr(addr)
		if err != nil || name == "" {
			return o, bad("host %q: write it as HOST=ADDRESS, as in intranet.test=10.1.2.3", h)
		}
		name = strings.TrimSuffix(strings.ToLower(name), ".")
		hosts[name] = append(hosts[name], ip)
	}
	switch {
	case s.NoDNS:
		o.Resolver = only{hosts, s.named("no-dns") + ": no name is looked up that " + s.named("host") + " does not give"}
	case len(hosts) > 0:
		o.Resolver = hosts
	}
	if s.Proxy != "" {
		u, err := url.Parse(s.Proxy)
		if err != nil {
			return o, bad("proxy: it cannot be read as a URL; write scheme://host:port")
		}
		o.Upstream = u
	}
	return o, nil
}

// services returns the addresses of the Redis and the store that the settings name. It skips one
// that does not parse: opening it reports the error.
func (s *Settings) services() (all []egress.Service) {
	add := func(hostport string, port uint16) {
		host := hostport
		if h, p, err := net.SplitHostPort(hostport); err == nil {
			n, err := strconv.ParseUint(p, 10, 16)
			if err != nil {
				return
			}
			host, port = h, uint16(n)
		}
		all = append(all, egress.Service{Host: strings.Trim(host, "[]"), Port: port})
	}
	for _, at := range queue.Servers(s.Redis) {
		add(at, 6379)
	}
	scheme, rest, _ := strings.Cut(s.Store, "://")
	authority, _, _ := strings.Cut(rest, "/")
	authority, _, _ = strings.Cut(authority, "?")
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	switch scheme {
	case "mongodb":
		for at := range strings.SplitSeq(authority, ",") {
			if at != "" && !strings.Contains(at, "%") { // a socket has no port
				add(at, 27017)
			}
		}
	case "mongodb+srv":
		all = append(all, egress.Service{Host: authority, SRV: "mongodb"})
	}
	return all
}

// hosts resolves its own names from the map, and all other names as the system does.
type hosts map[string][]netip.Addr

// LookupNetIP is that of [net.Resolver].
func (h hosts) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	if addrs, ok := h[host]; ok {
		return slices.Clone(addrs), nil
	}
	addrs, err := egress.Lookup(ctx, network, host)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", host, err)
	}
	return addrs, nil
}

// only resolves its own names, and refuses all other names.
type only struct {
	names hosts
	why   string // of the refusal
}

// LookupNetIP is that of [net.Resolver].
func (o only) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if addrs, ok := o.names[host]; ok {
		return slices.Clone(addrs), nil
	}
	return nil, &net.DNSError{Err: o.why, Name: host, IsNotFound: true}
}
