package egress

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Service is one that plat uses and that pages must not reach, even inside opened networks.
type Service struct {
	Host string // a name or an address
	Port uint16

	// SRV is the name of a service, such as "mongodb": its hosts and ports are those that
	// the name servers list for _SRV._tcp.Host.
	SRV string
}

const (
	// interfacesAge limits the age of the list of this machine's addresses: they change
	// when a network or a container comes or goes.
	interfacesAge = 5 * time.Second

	// servicesAge limits the age of the addresses of services, retryAge that after a failed lookup.
	servicesAge = 30 * time.Second
	retryAge    = 5 * time.Second
)

// interfaces are the addresses of this machine's network interfaces, without loopback.
type interfaces struct {
	list func() ([]net.Addr, error)

	mu    sync.Mutex
	addrs map[netip.Addr]bool // guarded by mu
	at    time.Time           // guarded by mu: when addrs was read
}

// have reports whether an address is this machine's.
func (i *interfaces) have(addr netip.Addr) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if now := time.Now(); now.Sub(i.at) > interfacesAge {
		i.at = now
		if list, err := i.list(); err == nil { // on failure, keep the last list
			i.addrs = map[netip.Addr]bool{}
			for _, a := range list {
				if p, err := netip.ParsePrefix(a.String()); err == nil && !p.Addr().Unmap().IsLoopback() {
					i.addrs[p.Addr().Unmap().WithZone("")] = true
				}
			}
		}
	}
	return i.addrs[addr]
}

// services holds the addresses of the services that pages must not reach.
type services struct {
	all       []Service
	timeout   time.Duration // of a lookup
	lookup    func(ctx context.Context, network, host string) ([]netip.Addr, error)
	lookupSRV func(ctx context.Context, service, proto, name string) (string, []*net.SRV, error)
	ready     chan struct{} // closed after the first lookup

	mu    sync.Mutex
	at    [][]netip.AddrPort // guarded by mu: of each service, as last found
	names map[string]bool    // guarded by mu: "host:port" of all
	next  time.Time          // guarded by mu: when to look up again; zero during a lookup
}

func newServices(o Options) *services {
	s := &services{
		all: o.Services, timeout: o.ResolveTimeout, lookup: net.DefaultResolver.LookupNetIP, lookupSRV: net.DefaultResolver.LookupSRV,
		ready: make(chan struct{}), at: make([][]netip.AddrPort, len(o.Services)), names: map[string]bool{}, next: time.Unix(0, 1),
	}
	return s
}

// list returns where services are. The first call waits for their lookup.
func (s *services) list(life *life) []netip.AddrPort {
	if !s.looked(life) {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.at...)
}

// named reports whether a target is a service by its name.
func (s *services) named(life *life, t target) bool {
	if !s.looked(life) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.names[t.String()]
}

// looked starts a lookup of the services if it is due, and waits for the first lookup. It returns
// false without services.
func (s *services) looked(life *life) bool {
	if len(s.all) == 0 {
		return false
	}
	s.renew(life)
	<-s.ready
	return true
}

// renew resolves the services in the background, if that is due.
func (s *services) renew(life *life) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next.IsZero() || time.Now().Before(s.next) {
		return
	}
	s.next = time.Time{}
	if !life.run(s.find) {
		s.done(retryAge)
	}
}

// find resolves all services. A service that cannot be resolved keeps its last addresses.
func (s *services) find(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	age := servicesAge
	for i, x := range s.all {
		at, names, err := s.locate(ctx, x)
		if err != nil {
			age = retryAge
		}
		s.mu.Lock()
		if err == nil {
			s.at[i] = at
		}
		for _, n := range names {
			s.names[n] = true
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done(age)
}

// done sets the time of the next lookup. The caller holds mu.
func (s *services) done(age time.Duration) {
	s.next = time.Now().Add(age)
	select {
	case <-s.ready:
	default:
		close(s.ready)
	}
}

// locate returns the addresses of a service, and its names with ports.
func (s *services) locate(ctx context.Context, x Service) (at []netip.AddrPort, names []string, err error) {
	hosts := []*net.SRV{{Target: x.Host, Port: x.Port}}
	if x.SRV != "" {
		if _, hosts, err = s.lookupSRV(ctx, x.SRV, "tcp", x.Host); err != nil {
			return nil, nil, err
		}
	}
	for _, h := range hosts {
		name := strings.ToLower(strings.TrimSuffix(h.Target, "."))
		names = append(names, net.JoinHostPort(name, strconv.Itoa(int(h.Port))))
		addrs := []netip.Addr{}
		if a, err := netip.ParseAddr(name); err == nil {
			addrs = append(addrs, a)
		} else if addrs, err = s.lookup(ctx, "ip", name); err != nil {
			return nil, names, err
		}
		for _, a := range addrs {
			at = append(at, netip.AddrPortFrom(a.Unmap().WithZone(""), h.Port))
		}
	}
	return at, names, nil
}

// isSelf reports whether connections to an address end at this machine. The unspecified
// address counts because systems connect it to loopback.
func (p *policy) isSelf(addr netip.Addr) bool {
	return addr.IsValid() && (addr.IsLoopback() || addr.IsUnspecified() || p.interfaces.have(addr))
}

// isOwn reports whether a port is one of plat's listeners.
func (p *policy) isOwn(addr netip.Addr, port uint16) bool {
	p.mu.RLock()
	own := p.own[port] > 0
	p.mu.RUnlock()
	return own && p.isSelf(addr)
}

// isService reports whether one of the services is at an address and port.
func (p *policy) isService(addr netip.Addr, port uint16) bool {
	if !addr.IsValid() {
		return false
	}
	return slices.ContainsFunc(p.services.list(p.life), func(at netip.AddrPort) bool {
		return at.Port() == port && (at.Addr() == addr || p.isSelf(at.Addr()) && p.isSelf(addr))
	})
}

// isOurAddress reports whether addr belongs to this machine and is not opened as a single address:
// an opened network does not include this machine's own addresses.
func (p *policy) isOurAddress(addr netip.Addr) bool {
	return addr.IsValid() && !slices.Contains(p.opened, netip.PrefixFrom(addr, addr.BitLen())) && p.interfaces.have(addr)
}
