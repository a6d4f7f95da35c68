package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"plat"
	"plat/browser"
	"plat/browser/egress"
	"plat/limits"
)

// chrome renders pages for workers: a pool of tabs behind an egress guard.
type chrome struct {
	guard    *egress.Guard
	pool     *browser.Pool
	pictures string // folder for those of pages on which a step failed; empty: none
	frozen   frozen
	loads    bool // what pages load is wanted: see skipping
}

// frozen is what pages are told of time and chance; the zero value leaves them alone.
type frozen struct {
	clock time.Time
	seed  uint64
}

// RenderMoved loads a page with another clock and other random numbers.
func (c *chrome) RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error) {
	return c.pool.Render(ctx, browser.Request{URL: url, Loads: true, Clock: clock, Seed: seed})
}

// Close ends the browser, and then what it could reach.
func (c *chrome) Close() {
	c.pool.Close()
	c.guard.Close()
}

// chromeOptions are what a browser is started with.
type chromeOptions struct {
	browser  browser.Options
	egress   egress.Options
	pictures string
	frozen   frozen
}

// chromeOptions works out what the settings say, with at most tabs tabs; 0 is as
// many as the settings say.
func (a *app) chromeOptions(tabs int) (o chromeOptions, err error) {
	if o.browser, err = a.browserOptions(); err != nil {
		return o, err
	}
	if err = a.stepOptions(&o.browser); err != nil {
		return o, err
	}
	o.pictures = a.stepPictures
	if tabs > 0 && (o.browser.Tabs == 0 || tabs < o.browser.Tabs) {
		o.browser.Tabs = tabs
	}
	o.browser.FreeMemory = func() uint64 {
		free, _ := limits.AvailableMemory()
		return free
	}
	if o.browser.Log, err = a.logger(); err != nil {
		return o, err
	}
	if limit, ok := limits.MemoryLimit(); ok {
		// A browser is replaced before the kernel ends it, and us with it.
		o.browser.RecycleMemory = int64(min(4<<30, limit/5*3))
	}
	if o.frozen, err = a.frozenTime(); err != nil {
		return o, err
	}
	o.egress, err = a.egressOptions()
	return o, err
}

// startChrome starts a browser. Close it.
func startChrome(ctx context.Context, o chromeOptions) (*chrome, error) {
	guard, err := egress.New(o.egress)
	if err != nil {
		return nil, fail(exitConfig, "%w", err)
	}
	o.browser.Guard = guard
	pool, err := browser.New(ctx, o.browser)
	if err != nil {
		guard.Close()
		return nil, fail(exitBrowser, "%w", err)
	}
	return &chrome{guard: guard, pool: pool, pictures: o.pictures, frozen: o.frozen}, nil
}

func (a *app) browserOptions() (browser.Options, error) {
	o := browser.Options{
		Chrome: a.chrome, Tabs: a.tabs, Width: a.width, Height: a.height, UserAgent: a.userAgent,
		Language: a.language, TimeZone: a.timeZone, NoStealth: !a.stealth, NoScroll: !a.scroll,
		LoadTimeout: a.loadTimeout, SettleTimeout: a.settleTimeout, RenderTimeout: a.timeout,
		MaxNodes: a.maxNodes, MaxBytes: a.maxBytes,
		Header: http.Header{}, Auth: map[string]browser.Login{},
	}
	for _, positive := range []struct {
		flag string
		ok   bool
	}{
		{"width", a.width > 0}, {"height", a.height > 0}, {"timeout", a.timeout > 0},
		{"load-timeout", a.loadTimeout > 0}, {"settle-timeout", a.settleTimeout > 0},
		{"max-nodes", a.maxNodes > 0}, {"max-bytes", a.maxBytes > 0},
	} {
		if !positive.ok {
			return o, fail(exitConfig, "%s: must be above 0", positive.flag)
		}
	}
	if a.tabs < 0 {
		return o, fail(exitConfig, "tabs %d: write 1 or more, or 0 for as many as keep the machine busy", a.tabs)
	}
	for _, h := range a.header {
		name, value, ok := strings.Cut(h, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(value) {
			return o, fail(exitConfig, "header %q…: write it as \"Name: value\"", name)
		}
		o.Header.Add(name, value)
	}
	for _, l := range a.auth {
		host, login, ok := strings.Cut(l, "=")
		user, password, colon := strings.Cut(login, ":")
		if !ok || !colon || host == "" {
			return o, fail(exitConfig, "auth: write it as HOST=USER:PASSWORD") // and repeat none of it
		}
		o.Auth[strings.ToLower(host)] = browser.Login{User: user, Password: password}
	}
	return o, nil
}

// frozenTime reads --frozen.
func (a *app) frozenTime() (frozen, error) {
	if a.frozen == "" {
		return frozen{}, nil
	}
	t, err := time.Parse(time.RFC3339, a.frozen)
	if err != nil {
		return frozen{}, fail(exitConfig, "frozen %q: write the time as %s", a.frozen, frozenTime)
	}
	return frozen{clock: t, seed: 1}, nil
}

// frozenTime is what time it is for pages where --frozen names none.
const frozenTime = "2020-01-01T12:00:00Z"

func (a *app) egressOptions() (egress.Options, error) {
	o := egress.Options{}
	for _, s := range a.allowPrivate {
		p, err := netip.ParsePrefix(s)
		if err != nil {
			addr, bad := netip.ParseAddr(s)
			if bad != nil {
				return o, fail(exitConfig, "allow-private %q: write a network as 10.0.0.0/8", s)
			}
			p = netip.PrefixFrom(addr, addr.BitLen())
		}
		o.AllowPrivate = append(o.AllowPrivate, p)
	}
	if len(a.allowPort) > 0 {
		o.Ports = slices.Clone(egress.DefaultPorts[:])
	}
	for _, p := range a.allowPort {
		if p == 0 || p > 65535 {
			return o, fail(exitConfig, "allow-port %d: ports are 1 to 65535", p)
		}
		o.Ports = append(o.Ports, uint16(p))
	}
	hosts := hosts{}
	for _, h := range a.host {
		name, addr, _ := strings.Cut(h, "=")
		ip, err := netip.ParseAddr(addr)
		if err != nil || name == "" {
			return o, fail(exitConfig, "host %q: write it as HOST=ADDRESS, as in intranet.test=10.1.2.3", h)
		}
		name = strings.TrimSuffix(strings.ToLower(name), ".")
		hosts[name] = append(hosts[name], ip)
	}
	switch {
	case a.noDNS:
		o.Resolver = only(hosts)
	case len(hosts) > 0:
		o.Resolver = hosts
	}
	if a.proxy != "" {
		u, err := url.Parse(a.proxy)
		if err != nil {
			return o, fail(exitConfig, "proxy: it cannot be read as a URL; write scheme://host:port")
		}
		o.Upstream = u
	}
	return o, nil
}

// hosts resolves the names in it by itself, and all others as the system does.
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

// only resolves the names in it and no others.
type only map[string][]netip.Addr

// LookupNetIP is that of [net.Resolver].
func (h only) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if addrs, ok := h[host]; ok {
		return slices.Clone(addrs), nil
	}
	return nil, &net.DNSError{Err: "--no-dns: no name is looked up that --host does not give", Name: host, IsNotFound: true}
}
