package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"
)

// FuzzTarget checks the parser of hosts and ports: its output parses to itself,
// no other parser reads a different address from it, and only addresses that passed
// Check are dialled.
func FuzzTarget(f *testing.F) {
	for _, s := range []string{
		"example.com:80", "0x7f.1:80", "2130706433:443", "[::ffff:127.0.0.1]:80", "[fe80::1%eth0]:80",
		"127。0。0。1:80", "bücher.example:8080", "a.:80", "[64:ff9b::1.2.3.4]:443", "8.8.8.8:443", "1.2.3.4.:80", "xn--a:80", ":80", "a:b:80",
	} {
		f.Add(s, uint32(0x7f000001))
		f.Add(s, uint32(0x08080808))
	}
	f.Fuzz(func(t *testing.T, s string, answer uint32) {
		want, e := parseHostPort(s)
		if e != nil {
			if !errors.Is(e, ErrRefused) || e.Why == "" {
				t.Fatalf("%q: %v is no refusal with a reason", s, e)
			}
			return
		}
		again, e := parseHostPort(want.String())
		if e != nil || again != want {
			t.Fatalf("%q reads as %v, but that as %v, %v", s, want, again, e)
		}
		host, _, err := net.SplitHostPort(want.String())
		if err != nil || host != want.host {
			t.Fatalf("net reads %q as host %q, %v", want, host, err)
		}
		seen, err := netip.ParseAddr(host)
		if (err == nil) != want.addr.IsValid() || err == nil && seen != want.addr {
			t.Fatalf("netip reads %q as %v, %v; we as %v", host, seen, err, want.addr)
		}
		if strings.ContainsAny(host, " \t\r\n/\\@?#%<>^|\x00") {
			t.Fatalf("%q reads as host %q", s, host)
		}

		resolved := netip.AddrFrom4([4]byte{byte(answer >> 24), byte(answer >> 16), byte(answer >> 8), byte(answer)})
		g, err := New(Options{Resolver: everyName(resolved)})
		if err != nil {
			t.Fatal(err)
		}
		defer g.Close()
		dialled := 0
		g.connect = func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			dialled++
			if err := g.Check(to.Addr(), to.Port()); err != nil {
				t.Fatalf("%q dialled: %v", s, err)
			}
			if to.Port() != want.port || to.Addr() != resolved && to.Addr() != want.addr {
				t.Fatalf("%q dialled %v, want %v or %v", s, to, want, resolved)
			}
			return nil, errors.New("nothing is there")
		}
		_, e = g.dial(t.Context(), want)
		judged := want.addr
		if !judged.IsValid() {
			judged = resolved
		}
		if want.host == "localhost" || strings.HasSuffix(want.host, ".localhost") {
			judged = netip.IPv6Loopback()
		}
		allowed := g.Check(judged, want.port) == nil
		if allowed != (dialled == 1) || errors.Is(e, ErrRefused) == allowed {
			t.Fatalf("%q: allowed %v, dialled %d times, error %v", s, allowed, dialled, e)
		}
	})
}

// everyName is a resolver with the same answer for all names.
type everyName netip.Addr

func (a everyName) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.Addr(a)}, nil
}
