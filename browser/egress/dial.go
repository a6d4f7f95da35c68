package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
)

const (
	// stagger is the delay before the next address is tried, RFC 8305 section 5
	// ("Connection Attempt Delay").
	stagger = 250 * time.Millisecond

	// maxTries limits the addresses tried per name; a name server can list
	// hundreds.
	maxTries = 6
)

// connector makes a TCP connection to an address; it must not resolve names.
// Tests record its calls.
type connector func(ctx context.Context, to netip.AddrPort) (net.Conn, error)

// dial connects to a target: resolve once, check every address, connect to one
// of these, verify the peer.
func (g *Guard) dial(ctx context.Context, t target) (net.Conn, *Error) {
	if g.opts.Recorded {
		return nil, notRecorded.at(t.String())
	}
	if g.policy.services.named(g.life, t) {
		return nil, serviceRefusal(t.addr).at(t.String())
	}
	addrs, e := g.resolve(ctx, t)
	if e != nil {
		return nil, e.at(t.String())
	}
	for _, a := range addrs {
		if e := g.policy.check(a, t.port); e != nil {
			return nil, e.at(t.String())
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, g.opts.DialTimeout, os.ErrDeadlineExceeded)
	defer cancel()
	c, err := g.race(ctx, interleave(addrs), t.port)
	if err != nil {
		return nil, dialError(ctx, err).at(t.String())
	}
	return c, nil
}

func (g *Guard) resolve(ctx context.Context, t target) ([]netip.Addr, *Error) {
	if t.addr.IsValid() {
		return []netip.Addr{t.addr}, nil
	}
	if addrs := g.policy.localhost(t.host); addrs != nil {
		return addrs, nil
	}
	addrs, err := g.names.lookup(ctx, g.life, t.host)
	if err != nil {
		return nil, dialError(ctx, err)
	}
	return addrs, nil
}

// interleave alternates between the address families, keeping the resolver's
// order within each and its first choice (RFC 8305 section 4).
func interleave(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	var out []netip.Addr
	for i := 0; len(out) < maxTries && (i < len(first) || i < len(second)); i++ {
		if i < len(first) {
			out = append(out, first[i])
		}
		if i < len(second) {
			out = append(out, second[i])
		}
	}
	return out
}

// race tries addresses in order, each when the previous one has failed or taken
// longer than stagger, and returns the first connection.
func (g *Guard) race(ctx context.Context, addrs []netip.Addr, port uint16) (net.Conn, error) {
	if len(addrs) == 1 {
		return g.connectChecked(ctx, netip.AddrPortFrom(addrs[0], port))
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		c   net.Conn
		err error
	}
	results := make(chan result)
	next := time.NewTimer(0)
	defer next.Stop()
	var first error
	for begun, open := 0, 0; begun < len(addrs) || open > 0; {
		tick := next.C
		if begun == len(addrs) {
			tick = nil
		}
		select {
		case <-tick:
			to := netip.AddrPortFrom(addrs[begun], port)
			begun++
			open++
			next.Reset(stagger)
			go func() {
				c, err := g.connectChecked(ctx, to)
				results <- result{c, err}
			}()
		case r := <-results:
			open--
			if r.err == nil {
				// Cancel the other attempts and wait for their goroutines.
				cancel()
				for ; open > 0; open-- {
					if late := <-results; late.c != nil {
						late.c.Close()
					}
				}
				return r.c, nil
			}
			if first == nil {
				first = r.err
			}
			next.Reset(0)
		}
	}
	return nil, first
}

// connectChecked connects and verifies the peer's address.
func (g *Guard) connectChecked(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	c, err := g.connect(ctx, to)
	if err != nil {
		return nil, err
	}
	if g.opts.Upstream != nil {
		return c, nil // the peer is the operator's proxy, which received the address
	}
	peer, ok := c.RemoteAddr().(*net.TCPAddr)
	if !ok {
		c.Close()
		return nil, fmt.Errorf("connected to %v, which is not a TCP address", c.RemoteAddr())
	}
	at := peer.AddrPort()
	at = netip.AddrPortFrom(at.Addr().Unmap(), at.Port())
	if at != to {
		c.Close()
		return nil, &Error{Kind: ErrRefused, Why: "other-peer", Addr: at.Addr(), note: fmt.Sprintf("%s was dialled", to)}
	}
	if e := g.policy.check(at.Addr(), at.Port()); e != nil {
		c.Close()
		return nil, e
	}
	return c, nil
}

// direct is the connector without an upstream proxy.
func direct() connector {
	d := net.Dialer{FallbackDelay: -1}
	return func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		c, err := d.DialTCP(ctx, "tcp", netip.AddrPort{}, to)
		if err != nil {
			return nil, err // never a nil *TCPConn in a net.Conn
		}
		return c, nil
	}
}

// dialError classifies any error before a response.
func dialError(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if cause := context.Cause(ctx); errors.Is(cause, ErrCapped) || errors.Is(cause, ErrStopped) {
		kind, why := ErrStopped, "stopped"
		if errors.Is(cause, ErrCapped) {
			kind, why = ErrCapped, "capped"
		}
		return &Error{Kind: kind, Why: why}
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() || errors.Is(context.Cause(ctx), os.ErrDeadlineExceeded) {
		return &Error{Kind: ErrTimeout, Why: "timeout", Err: err}
	}
	return &Error{Kind: ErrUnreachable, Why: "unreachable", Err: err}
}
