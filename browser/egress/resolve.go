package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxNames limits the cache; a page can generate any number of names.
const maxNames = 4096

// resolver merges concurrent lookups of a name and caches the outcome,
// including failures, for a while.
type resolver struct {
	from    Resolver
	timeout time.Duration
	ttl     time.Duration
	noTTL   time.Duration

	privateIPv6 bool        // networks of IPv6 are opened
	publicIPv6  func() bool // the machine has an address of it that the Internet sees

	mu      sync.Mutex
	answers map[string]*answer // guarded by mu
}

// answer is a lookup, in progress until done is closed.
type answer struct {
	done    chan struct{}
	addrs   []netip.Addr // set before done is closed, like the rest
	err     error
	expires time.Time
}

func newResolver(o Options) *resolver {
	return &resolver{
		from: o.Resolver, timeout: o.ResolveTimeout, ttl: o.NameTTL, noTTL: o.NoNameTTL,
		privateIPv6: slices.ContainsFunc(o.AllowPrivate, func(p netip.Prefix) bool { return p.Addr().Is6() }), publicIPv6: hasPublicIPv6,
		answers: map[string]*answer{},
	}
}

// lookup returns the addresses of a name: at least one, or an error. The lookup itself runs under
// life, in a goroutine of run, so that the first caller may leave while later callers wait.
func (r *resolver) lookup(ctx context.Context, life *life, name string) ([]netip.Addr, error) {
	a, err := r.answer(life, name)
	if err != nil {
		return nil, err
	}
	select {
	case <-a.done:
		return a.addrs, a.err
	default:
	}
	select {
	case <-a.done:
		return a.addrs, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (r *resolver) answer(life *life, name string) (*answer, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if a, ok := r.answers[name]; ok {
		select {
		case <-a.done:
			if time.Now().Before(a.expires) {
				return a, nil
			}
		default:
			return a, nil
		}
	}
	if len(r.answers) >= maxNames {
		r.sweep()
	}
	a := &answer{done: make(chan struct{})}
	if !life.run(func(ctx context.Context) { r.ask(ctx, name, a) }) {
		return nil, ErrStopped
	}
	r.answers[name] = a
	return a, nil
}

// sweep evicts entries: expired ones first, then arbitrary ones, since an
// eviction costs only a lookup. r.mu is held.
func (r *resolver) sweep() {
	now := time.Now()
	for pass := range 2 {
		for name, a := range r.answers {
			if len(r.answers) <= maxNames*3/4 {
				return
			}
			select {
			case <-a.done:
				if pass == 1 || now.After(a.expires) {
					delete(r.answers, name)
				}
			default:
			}
		}
	}
}

// family returns "ip", or "ip4" where IPv6 cannot be used. Browsers do not query IPv6 then either:
// a page names dozens of hosts, and many name servers drop half of a burst of queries.
func (r *resolver) family() string {
	if r.privateIPv6 || r.publicIPv6() {
		return "ip"
	}
	return "ip4"
}

// hasPublicIPv6 reports whether the machine would send from a public address of IPv6. No packet is
// sent: connecting a UDP socket only selects a route, here to a documentation address (RFC 3849).
func hasPublicIPv6() bool {
	c, err := net.Dial("udp6", "[2001:db8::1]:53")
	if err != nil {
		return false
	}
	defer c.Close()
	from := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr()
	return from.IsGlobalUnicast() && !from.IsPrivate()
}

func (r *resolver) ask(ctx context.Context, name string, a *answer) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	addrs, err := r.from.LookupNetIP(ctx, r.family(), name)
	a.addrs = make([]netip.Addr, len(addrs))
	for i, addr := range addrs {
		a.addrs[i] = addr.Unmap()
	}
	keep := r.ttl
	if err != nil || len(addrs) == 0 {
		a.err = resolveError(ctx, err)
		a.addrs = nil
		keep = r.noTTL
	}
	a.expires = time.Now().Add(keep)
	close(a.done)
}

func resolveError(ctx context.Context, err error) error {
	var dns *net.DNSError
	if ctx.Err() != nil || errors.As(err, &dns) && dns.IsTimeout {
		return &Error{Kind: ErrTimeout, Why: "timeout", Err: err, note: "its name servers did not answer in time"}
	}
	e := &Error{Kind: ErrNoHost, Why: "no-such-host", Err: err}
	if dns != nil && dns.Err == "no such host" {
		e.note, e.next = "its name has no address", "check the spelling"
	}
	return e
}

// localhost implements RFC 6761 section 6.3: these names are loopback and are
// not resolved. If the user has opened only some of the addresses, it returns
// those.
func (p *policy) localhost(name string) []netip.Addr {
	if name != "localhost" && !strings.HasSuffix(name, ".localhost") {
		return nil
	}
	both := []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}
	var opened []netip.Addr
	for _, a := range both {
		if p.isOpened(a) {
			opened = append(opened, a)
		}
	}
	if opened != nil {
		return opened
	}
	return both
}
