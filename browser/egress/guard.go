package egress

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
)

// Guard enforces the policy and holds the data shared by lanes. It is safe for
// concurrent use.
type Guard struct {
	opts    Options
	policy  *policy
	names   *resolver
	connect connector
	origins *origins
	life    *life
	tls     *tlsServer // of recorded pages; nil without Options.Recorded

	mu      sync.Mutex
	lanes   map[*Lane]struct{} // guarded by mu
	refused map[string]int64   // guarded by mu: refusals by reason
}

// New returns a guard without lanes. Close it after all browsers have ended.
func New(o Options) (*Guard, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	g := &Guard{
		opts:    o,
		names:   newResolver(o),
		connect: direct(),
		life:    newLife(),
		lanes:   map[*Lane]struct{}{},
		refused: map[string]int64{},
	}
	g.policy = &policy{
		opened: o.AllowPrivate, setting: o.Setting, ports: o.Ports, own: map[uint16]int{},
		interfaces: &interfaces{list: net.InterfaceAddrs}, services: newServices(o), life: g.life,
	}
	if o.Upstream != nil {
		if g.connect, err = through(o.Upstream); err != nil {
			return nil, err
		}
	}
	g.origins = newOrigins(g)
	if o.Recorded {
		if g.tls, err = newTLSServer(g.life); err != nil {
			return nil, fmt.Errorf("egress: make a key for recorded servers: %w", err)
		}
	}
	return g, nil
}

// maxHeader bounds a message's header in either direction, in bytes. Chrome
// takes 256 KiB from servers.
const maxHeader = 256 << 10

// DialContext connects to addr, "host:port", always by TCP; the error is an [Error] if the policy
// refuses one of its addresses. It is the dial function of transports, and of clients of protocols
// other than HTTP, whose ports must be in [Options.Ports].
func (g *Guard) DialContext(ctx context.Context, _, addr string) (net.Conn, error) {
	t, e := parseHostPort(addr)
	if e != nil {
		return nil, e.at(addr)
	}
	// The transport may let a dial outlive its request; end it with the guard.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(g.life.ctx, func() { cancel(ErrStopped) })()
	c, e := g.dial(ctx, t)
	if e != nil {
		return nil, e
	}
	return c, nil
}

// Forbid closes a port of this machine to all pages, at all of its addresses, even
// where they are opened: for plat's own listeners. Calling the returned function reverts
// this.
func (g *Guard) Forbid(port uint16) (lift func()) {
	g.policy.forbid(port)
	return sync.OnceFunc(func() { g.policy.permit(port) })
}

// Refused counts the refusals of all lanes since New, by reason: the words of
// [Error.Why] and the header X-Plat-Egress.
func (g *Guard) Refused() map[string]int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return maps.Clone(g.refused)
}

func (g *Guard) countRefusal(why string) {
	g.mu.Lock()
	g.refused[why]++
	g.mu.Unlock()
}

// Lane opens a stopped lane. The caller must close it.
func (g *Guard) Lane() (*Lane, error) {
	l, err := newLane(g)
	if err != nil {
		return nil, fmt.Errorf("egress: open a lane: %w", err)
	}
	g.mu.Lock()
	g.lanes[l] = struct{}{}
	g.mu.Unlock()
	return l, nil
}

// Close closes all lanes and upstream connections and waits for all goroutines
// of the guard.
func (g *Guard) Close() error {
	g.mu.Lock()
	lanes := slices.Collect(maps.Keys(g.lanes))
	g.mu.Unlock()
	for _, l := range lanes {
		l.Close()
	}
	g.life.end(ErrStopped)
	g.origins.close()
	return nil
}
