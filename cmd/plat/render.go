package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"plat/browser"
	"plat/browser/egress"
	"plat/visitor"
)

// visitOptions works out what the settings say of visits, with at most tabs tabs; 0 is
// as many as the settings say.
func (a *app) visitOptions(tabs int) (o visitor.Options, err error) {
	worker, err := a.workerOptions()
	if err != nil {
		return o, err
	}
	o, err = a.renderOptions(tabs)
	o.Worker, o.AlwaysRender, o.KeepParams = worker, a.alwaysRender, a.keepParams
	return o, err
}

// renderOptions is visitOptions for who renders pages and keeps none.
func (a *app) renderOptions(tabs int) (o visitor.Options, err error) {
	if o.Browser, err = a.browserOptions(); err != nil {
		return o, err
	}
	if err = a.stepOptions(&o.Browser); err != nil {
		return o, err
	}
	o.Pictures = a.stepPictures
	if tabs > 0 && (o.Browser.Tabs == 0 || tabs < o.Browser.Tabs) {
		o.Browser.Tabs = tabs
	}
	if o.Browser.Log, err = a.logger(); err != nil {
		return o, err
	}
	if o.Clock, err = a.frozenTime(); err != nil {
		return o, err
	}
	if !o.Clock.IsZero() {
		o.Seed = 1
	}
	o.Egress, err = a.egressOptions()
	return o, err
}

// started gives the failure of a visitor to start its exit code.
func started(err error) error {
	if _, ok := errors.AsType[*visitor.EgressError](err); ok {
		return fail(exitConfig, "%w", err)
	}
	if _, ok := errors.AsType[*visitor.BrowserError](err); ok {
		return fail(exitBrowser, "%w", err)
	}
	return err
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
func (a *app) frozenTime() (time.Time, error) {
	if a.frozen == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, a.frozen)
	if err != nil {
		return t, fail(exitConfig, "frozen %q: write the time as %s", a.frozen, frozenTime)
	}
	return t, nil
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
