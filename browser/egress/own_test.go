package egress

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"
)

// machine sets the addresses of a guard's machine.
func machine(g *Guard, addrs ...string) {
	g.policy.interfaces.mu.Lock()
	defer g.policy.interfaces.mu.Unlock()
	g.policy.interfaces.at = time.Time{}
	g.policy.interfaces.list = func() (list []net.Addr, err error) {
		for _, a := range addrs {
			ip, n, err := net.ParseCIDR(a)
			if err != nil {
				return nil, err
			}
			list = append(list, &net.IPNet{IP: ip, Mask: n.Mask})
		}
		return list, nil
	}
}

func TestAddressesOfThisMachineAreOpenedOnlyOneByOne(t *testing.T) {
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{
		loopback, netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("10.1.2.3/32"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("fd00::7/128"),
	}})
	machine(g, "127.0.0.1/8", "::1/128", "10.1.2.3/16", "10.1.9.9/16", "93.184.216.34/24", "fd00::7/64", "fd00::8/64", "2606:2800:220:1::9/64")
	g.Forbid(8632)
	for _, tc := range []struct{ host, port, want string }{
		{"93.184.216.34", "80", "own-address"},
		{"93.184.216.35", "80", "ok"}, // a neighbour
		{"[2606:2800:220:1::9]", "443", "own-address"},
		{"[2606:2800:220:1::a]", "443", "ok"},
		{"[::ffff:93.184.216.34]", "80", "own-address"},
		{"[64:ff9b::93.184.216.34]", "80", "own-address"},
		{"10.1.9.9", "80", "own-address"},    // its network is opened, but not this machine's own address
		{"[fd00::8]", "80", "own-address"},   // same for IPv6
		{"10.1.2.4", "6379", "ok"},           // not this machine's
		{"10.1.2.3", "6379", "ok"},           // opened as a single address
		{"[fd00::7]", "80", "ok"},            // same for IPv6
		{"10.1.2.3", "8632", "own-listener"}, // except plat's listeners
		{"[fd00::7]", "8632", "own-listener"},
		{"127.0.0.1", "8632", "own-listener"},
		{"0.0.0.0", "8632", "own-listener"},
		{"93.184.216.34", "8632", "own-listener"},
		{"10.1.2.4", "8632", "ok"},
		{"127.0.0.1", "80", "ok"}, // loopback has always been opened as a network
	} {
		if got := verdictOn(g, tc.host, tc.port); got != tc.want {
			t.Errorf("%s:%s: %s, want %s", tc.host, tc.port, got, tc.want)
		}
	}
	err := g.Check(netip.MustParseAddr("93.184.216.34"), 80)
	if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "an address of this machine; if plat may go there, add 93.184.216.34/32 to the setting allow-private") {
		t.Errorf("%v", err)
	}
}

func TestAddressesThatComeAndGoAreNoticed(t *testing.T) {
	g := newGuard(t, Options{})
	machine(g)
	if got := verdictOn(g, "93.184.216.34", "80"); got != "ok" {
		t.Fatalf("an address of others: %s", got)
	}
	machine(g, "93.184.216.34/24") // and time passes
	if got := verdictOn(g, "93.184.216.34", "80"); got != "own-address" {
		t.Errorf("an address that has come: %s", got)
	}
	g.policy.interfaces.mu.Lock()
	g.policy.interfaces.at = time.Time{}
	g.policy.interfaces.list = func() ([]net.Addr, error) { return nil, errors.New("no netlink") }
	g.policy.interfaces.mu.Unlock()
	if got := verdictOn(g, "93.184.216.34", "80"); got != "own-address" {
		t.Errorf("where the list cannot be read: %s", got)
	}
}

func TestThisMachinesOwnAddressesAreRead(t *testing.T) {
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}})
	list, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip("skipped: no list of interfaces here: ", err)
	}
	n := 0
	for _, a := range list {
		p := netip.MustParsePrefix(a.String())
		if p.Addr().IsLoopback() {
			continue
		}
		n++
		if got := g.policy.check(p.Addr(), 80); got == nil || got.Why != "own-address" {
			t.Errorf("%s: %v", p, got)
		}
	}
	if n == 0 {
		t.Skip("skipped: this machine has loopback only")
	}
}

// dns is a name server whose answers change.
type dns struct {
	mu    sync.Mutex
	names map[string]string
}

func (d *dns) set(name, addr string) {
	d.mu.Lock()
	d.names[name] = addr
	d.mu.Unlock()
}

func (d *dns) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a := d.names[host]; a != "" {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func TestOurServicesAreRefusedWhateverIsOpened(t *testing.T) {
	names := &dns{names: map[string]string{"redis": "10.1.2.3", "shard.mongo.test": "10.1.2.9", "web.test": "10.1.2.3"}}
	g := newGuard(t, Options{
		AllowPrivate: []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("10.1.2.3/32"), loopback},
		Services:     []Service{{Host: "Redis", Port: 6379}, {Host: "10.1.2.5", Port: 80}, {Host: "mongo.test", SRV: "mongodb"}, {Host: "127.0.0.1", Port: 7000}},
		Resolver:     names,
	})
	machine(g, "10.1.7.7/16")
	g.policy.services.lookup = names.LookupNetIP
	g.policy.services.lookupSRV = func(_ context.Context, service, proto, name string) (string, []*net.SRV, error) {
		if service != "mongodb" || proto != "tcp" || name != "mongo.test" {
			t.Errorf("asked for _%s._%s.%s", service, proto, name)
		}
		return "", []*net.SRV{{Target: "shard.mongo.test.", Port: 27017}}, nil
	}
	check := func(when, host, port, want string) {
		t.Helper()
		if got := verdictOn(g, host, port); got != want {
			t.Errorf("%s: %s:%s: %s, want %s", when, host, port, got, want)
		}
	}
	check("by address", "10.1.2.5", "80", "own-service")
	check("by address", "[::ffff:10.1.2.5]", "80", "own-service")
	check("by address", "[64:ff9b::10.1.2.5]", "80", "own-service")
	check("by name", "10.1.2.3", "6379", "own-service")
	check("by an SRV record", "10.1.2.9", "27017", "own-service")
	check("another port", "10.1.2.3", "6380", "ok")
	check("another host", "10.1.2.4", "6379", "ok")
	check("on loopback", "127.0.0.1", "7000", "own-service")
	check("on loopback", "127.3.3.3", "7000", "own-service")
	check("on loopback, by the machine's address", "10.1.7.7", "7000", "own-service")

	names.set("redis", "10.1.2.8")
	g.policy.services.mu.Lock()
	g.policy.services.next = time.Unix(0, 1) // time passes
	g.policy.services.mu.Unlock()
	for end := time.Now().Add(10 * time.Second); verdictOn(g, "10.1.2.8", "6379") != "own-service"; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it moved, and that is not noticed")
		}
	}
	check("where it was", "10.1.2.3", "6379", "ok")
	names.set("redis", "")
	g.policy.services.mu.Lock()
	g.policy.services.next = time.Unix(0, 1)
	g.policy.services.mu.Unlock()
	check("while its name is not found", "10.1.2.8", "6379", "own-service")

	// By its name, for any current address.
	names.set("redis", "10.1.2.77")
	_, err := g.DialContext(t.Context(), "tcp", "REDIS:6379")
	if e, ok := errors.AsType[*Error](err); !ok || e.Why != "own-service" || !strings.Contains(e.Error(), "plat's own Redis or archive") {
		t.Errorf("by its name: %v", err)
	}
}

func TestAServiceThatIsNotFoundHoldsNobodyUp(t *testing.T) {
	g := newGuard(t, Options{Services: []Service{{Host: "redis.test", Port: 6379}}, ResolveTimeout: 50 * time.Millisecond})
	g.policy.services.lookup = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	began := time.Now()
	if got := verdictOn(g, "8.8.8.8", "80"); got != "ok" || time.Since(began) > 5*time.Second {
		t.Errorf("%s after %v", got, time.Since(began))
	}
	g.Close()
	verdictOn(g, "8.8.8.8", "80") // does not wait either
}
