package main

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// plat's proxies listen on loopback, each at a port of its own. Chrome's default proxy, for requests
// without a page, does not listen.
var (
	loopback = netip.MustParseAddr("127.0.0.1")
	nowhere  = netip.AddrPortFrom(loopback, 9)
)

// A sighting is a kind of packet, and how many of it there were.
type sighting struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// run is the packets of one contender, with their destinations.
type run struct {
	w      *world
	guards bool // connections to sites come from plat's guard, in this process

	mu      sync.Mutex
	seen    map[[2]netip.AddrPort]int // guarded by mu: packets between two addresses that reached no server
	hits    map[int]map[string]int    // guarded by mu
	strays  map[string]int            // guarded by mu
	nowhere int                       // guarded by mu: connections to nowhere, which lead nowhere
	proxied map[uint16]bool           // guarded by mu: ports of plat's proxies
	failed  error                     // guarded by mu
}

func newRun(w *world, guards bool) *run {
	return &run{w: w, guards: guards, seen: map[[2]netip.AddrPort]int{}, hits: map[int]map[string]int{}, strays: map[string]int{}, proxied: map[uint16]bool{}}
}

// hasSeen reports whether a packet that a server has got was seen, once for each: ports are used again.
func (r *run) hasSeen(from, to netip.AddrPort) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	way := [2]netip.AddrPort{from, to}
	if r.seen[way] == 0 {
		return false
	}
	r.seen[way]--
	return true
}

// see judges a packet.
func (r *run) see(p packet) {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer func() { r.seen[[2]netip.AddrPort{p.src, p.dst}]++ }()
	what := strings.TrimSuffix(fmt.Sprintf("%s %s", p.proto, p.dst), ":0")
	if len(p.names) > 0 {
		what += " " + strings.Join(p.names, " ")
	}
	expected, err := r.isExpected(p)
	switch v := r.target(p); {
	case err != nil:
		r.failed = cmp.Or(r.failed, err)
	case expected:
	case v != nil:
		if r.hits[v.id] == nil {
			r.hits[v.id] = map[string]int{}
		}
		r.hits[v.id][what]++
	default:
		r.strays[what]++
	}
}

// isExpected reports whether a packet is part of loading pages from their sites. A browser under plat
// may send packets to its proxies only; plat's guard makes its requests.
func (r *run) isExpected(p packet) (bool, error) {
	if r.guards {
		if p.proto == "tcp" && p.dst.Addr() == loopback {
			return r.isInside(p.dst)
		}
		if !r.fromGuards(p) {
			return false, nil
		}
		of, err := ownerOf(p.proto, p.src)
		return of == ours, err
	}
	if p.proto == "tcp" {
		return p.dst.Addr() == public.addr || r.w.publicVector(p.dst.Addr()) != nil, nil
	}
	return isQuestion(p) && !slices.ContainsFunc(p.names, func(name string) bool {
		_, isPublic := r.w.named(name)
		return !isPublic && name != public.host
	}), nil
}

// isInside reports whether a connection on loopback is one to a proxy of plat's, or leads nowhere.
func (r *run) isInside(to netip.AddrPort) (bool, error) {
	if to == nowhere {
		r.nowhere++
		return true, nil
	}
	if !r.proxied[to.Port()] {
		is, err := listensAt(to)
		if err != nil || !is {
			return false, err
		}
		r.proxied[to.Port()] = true
	}
	return true, nil
}

// fromGuards reports whether a packet is of a kind that plat's guard sends.
func (r *run) fromGuards(p packet) bool {
	if p.proto == "tcp" {
		to := p.dst.Addr()
		return to == public.addr || to == private.addr || r.w.publicVector(to) != nil
	}
	return isQuestion(p)
}

func isQuestion(p packet) bool {
	return p.proto == "udp" && p.dst == netip.AddrPortFrom(nameServer, 53)
}

// target returns the vector that a packet is a hit of; nil if absent.
func (r *run) target(p packet) *vector {
	for _, name := range p.names {
		if v, isPublic := r.w.named(name); v != nil && !isPublic {
			return v
		}
	}
	to := p.dst.Addr()
	for i := range r.w.vectors {
		v := &r.w.vectors[i]
		switch {
		case to == v.ip(), to == v.ip6(), slices.Contains(v.embedded(), to):
			return v
		case p.proto == "udp" && to == v.public():
			return v
		case p.dst.Port() == v.port() && !to.IsMulticast():
			return v
		case slices.ContainsFunc(v.sockets, func(s netip.AddrPort) bool {
			return s.Addr() == to && (s.Port() == 0 || s.Port() == p.dst.Port())
		}):
			return v
		case slices.ContainsFunc(v.names, func(of string) bool {
			return slices.ContainsFunc(p.names, func(name string) bool {
				return strings.HasSuffix("."+strings.TrimSuffix(name, "."+searched), "."+of)
			})
		}):
			return v
		}
	}
	return nil
}

// sorted are sightings, the most frequent first.
func sorted(of map[string]int) []sighting {
	all := []sighting{}
	for what, n := range of {
		all = append(all, sighting{what, n})
	}
	slices.SortFunc(all, func(a, b sighting) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.What, b.What)) })
	return all
}

// outcome is the summary of a contender's packets.
type outcome struct {
	Name     string             `json:"name"`
	Hits     map[int][]sighting `json:"-"`
	Strays   []sighting         `json:"strays"`
	Nowhere  int                `json:"nowhere"` // connections to a closed port
	Unserved []string           `json:"unserved,omitempty"`
	Seconds  float64            `json:"seconds"`
}

// measure has a contender open pages.
func measure(ctx context.Context, w *world, c contender, do *order) (*outcome, error) {
	r := newRun(w, c.guards)
	w.reset(r)
	capture, err := startCapture(r.see)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = c.open(ctx, w, do)
	if lost := capture.stop(); err == nil {
		err = lost
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		err = r.failed
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	o := &outcome{Name: c.name, Hits: map[int][]sighting{}, Strays: sorted(r.strays), Nowhere: r.nowhere, Seconds: time.Since(began).Seconds()}
	for id, what := range r.hits {
		o.Hits[id] = sorted(what)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.vectors {
		if !w.served[v.id] {
			o.Unserved = append(o.Unserved, v.name)
		}
	}
	return o, nil
}
