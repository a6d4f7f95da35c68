package egress

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// verdictOn returns the guard's decision about a host as spelled by a page: the
// reason of the refusal, "ok", or "name" for a name that would be resolved.
func verdictOn(g *Guard, host string, port string) string {
	t, e := makeTarget(host, port)
	if e == nil {
		if !t.addr.IsValid() {
			return "name"
		}
		e = g.policy.check(t.addr, t.port)
	}
	if e != nil {
		return e.Why
	}
	return "ok"
}

func TestAllSpellingsOfAnAddressAreChecked(t *testing.T) {
	g := newGuard(t, Options{})
	for _, tc := range []struct{ host, want string }{
		// Plain addresses of the web.
		{"93.184.216.34", "ok"},
		{"8.8.8.8", "ok"},
		{"1.1.1.1", "ok"},
		{"223.255.255.255", "ok"},
		{"[2606:4700:4700::1111]", "ok"},
		{"[2620:4f:8000::1]", "ok"},
		{"[2a00:1450:4001:82a::200e]", "ok"},
		{"172.15.255.255", "ok"},
		{"172.32.0.1", "ok"},
		{"100.63.255.255", "ok"},
		{"100.128.0.1", "ok"},
		{"198.17.255.255", "ok"},
		{"198.20.0.1", "ok"},
		{"192.0.1.1", "ok"},
		{"11.0.0.1", "ok"},
		{"9.255.255.255", "ok"},

		// Loopback, in the spellings of inet_aton and browsers.
		{"127.0.0.1", "loopback"},
		{"127.255.255.254", "loopback"},
		{"127.1", "loopback"},
		{"127.0.1", "loopback"},
		{"0x7f.1", "loopback"},
		{"0x7F.0x0.0x0.0x1", "loopback"},
		{"0X7F000001", "loopback"},
		{"2130706433", "loopback"},
		{"017700000001", "loopback"},
		{"0177.0.0.01", "loopback"},
		{"0177.0.0.1", "loopback"},
		{"00000177.1", "loopback"},
		{"127.0.0.1.", "loopback"},
		{"127.0x1", "loopback"},
		{"127.65535", "loopback"},
		{"１２７.０.０.１", "loopback"}, // full-width digits
		{"127。0。0。1", "loopback"}, // ideographic full stops
		{"①②⑦.0.0.1", "loopback"}, // circled digits
		{"0x7f.0.0.1", "loopback"},
		{"[::1]", "loopback"},
		{"[0:0:0:0:0:0:0:1]", "loopback"},
		{"[::ffff:127.0.0.1]", "loopback"},
		{"[::ffff:7f00:1]", "loopback"},

		// The unspecified address, which systems connect to loopback.
		{"0.0.0.0", "unspecified"},
		{"0", "unspecified"},
		{"0x", "unspecified"},
		{"0x0.0", "unspecified"},
		{"0.1.2.3", "unspecified"},
		{"[::]", "unspecified"},
		{"[::ffff:0.0.0.0]", "unspecified"},

		// Private, shared, link-local, metadata.
		{"10.0.0.1", "private"},
		{"10.255.255.255", "private"},
		{"012.1", "private"},
		{"0xa000001", "private"},
		{"167772161", "private"},
		{"172.16.0.1", "private"},
		{"172.31.255.255", "private"},
		{"0xac.0x1f.255.255", "private"},
		{"192.168.0.1", "private"},
		{"192.168.257", "private"},
		{"0300.0250.1", "private"},
		{"3232235777", "private"},
		{"[fc00::1]", "private"},
		{"[fd12:3456:789a::1]", "private"},
		{"[::ffff:10.0.0.1]", "private"},
		{"[::ffff:c0a8:101]", "private"},
		{"100.64.0.1", "shared"},
		{"100.127.255.255", "shared"},
		{"169.254.0.1", "link-local"},
		{"[fe80::1]", "link-local"},
		{"[febf::1]", "link-local"},
		{"[fec0::1]", "site-local"},
		{"169.254.169.254", "metadata"},
		{"2852039166", "metadata"},
		{"0xa9fea9fe", "metadata"},
		{"0251.0376.0251.0376", "metadata"},
		{"169.254.43518", "metadata"},
		{"[::ffff:169.254.169.254]", "metadata"},
		{"[::ffff:a9fe:a9fe]", "metadata"},
		{"[fd00:ec2::254]", "metadata"},
		{"[fd20:ce::254]", "metadata"},
		{"168.63.129.16", "metadata"},
		{"100.100.100.200", "metadata"},
		{"192.0.0.192", "metadata"},

		// The rest of IANA's registries.
		{"192.0.0.1", "protocol"},
		{"192.0.0.9", "protocol"},
		{"192.0.2.1", "documentation"},
		{"198.51.100.1", "documentation"},
		{"203.0.113.255", "documentation"},
		{"192.88.99.1", "6to4"},
		{"198.18.0.1", "benchmarking"},
		{"198.19.255.255", "benchmarking"},
		{"224.0.0.1", "multicast"},
		{"239.255.255.255", "multicast"},
		{"240.0.0.1", "reserved"},
		{"255.255.255.254", "reserved"},
		{"255.255.255.255", "broadcast"},
		{"4294967295", "broadcast"},
		{"0xffffffff", "broadcast"},
		{"[ff02::1]", "multicast"},
		{"[100::1]", "discard"},
		{"[100:0:0:1::1]", "not-global"},
		{"[2001::1]", "teredo"},
		{"[2001:2::1]", "benchmarking"},
		{"[2001:10::1]", "protocol"},
		{"[2001:20::1]", "protocol"},
		{"[2001:db8::1]", "documentation"},
		{"[3fff::1]", "documentation"},
		{"[3fff:fff:ffff::1]", "documentation"},
		{"[5f00::1]", "srv6"},
		{"[4000::1]", "not-global"},
		{"[200::1]", "not-global"},
		{"[1::1]", "not-global"},

		// IPv4 inside IPv6 is checked by its destination.
		{"[::ffff:8.8.8.8]", "ok"},
		{"[64:ff9b::8.8.8.8]", "ok"},
		{"[64:ff9b::127.0.0.1]", "loopback"},
		{"[64:ff9b::a00:1]", "private"},
		{"[64:ff9b::a9fe:a9fe]", "metadata"},
		{"[64:ff9b:1::8.8.8.8]", "nat64"},
		{"[64:ff9b:0:1::1]", "not-global"},
		{"[2002:7f00:1::1]", "6to4"},
		{"[2002:808:808::1]", "6to4"},
		{"[2001:0:4136:e378:8000:63bf:3fff:fdd2]", "teredo"},
		{"[::127.0.0.1]", "compatible"},
		{"[::8.8.8.8]", "compatible"},
		{"[2606:4700::5efe:10.0.0.1]", "private"},
		{"[2606:4700::200:5efe:127.0.0.1]", "loopback"},
		{"[2606:4700::5efe:8.8.8.8]", "ok"},
		{"[fe80::5efe:8.8.8.8]", "link-local"},
		{"[::ffff:0:127.0.0.1]", "not-global"}, // "IPv4-translated", RFC 2765

		// Invalid hosts.
		{"", "bad-host"},
		{".", "bad-host"},
		{"..", "bad-host"},
		{"a..b", "bad-host"},
		{"127.0.0.1..", "bad-host"},
		{".127.0.0.1", "bad-host"},
		{"1.2.3.4.5", "bad-host"},
		{"256.1.1.1", "bad-host"},
		{"1.256.1.1", "bad-host"},
		{"127.0.0.256", "bad-host"},
		{"127.0.65536", "bad-host"},
		{"4294967296", "bad-host"},
		{"0x100000000", "bad-host"},
		{"99999999999999999999999", "bad-host"},
		{"09.1.1.1", "bad-host"},
		{"08", "bad-host"},
		{"example.0x1", "bad-host"},
		{"example.1", "bad-host"},
		{"a.b.c.d.127", "bad-host"},
		{"127.0.0.1%2f", "bad-host"},
		{"%31%32%37.0.0.1", "bad-host"},
		{"127.0.0.1\x00.example.com", "bad-host"},
		{"exam ple.com", "bad-host"},
		{"user@127.0.0.1", "bad-host"},
		{"a/b", "bad-host"},
		{"a\\b", "bad-host"},
		{"a#b", "bad-host"},
		{"a?b", "bad-host"},
		{"::1", "bad-host"},
		{"[::1", "bad-host"},
		{"::1]", "bad-host"},
		{"[127.0.0.1]", "bad-host"},
		{"[]", "bad-host"},
		{"[::1]x", "bad-host"},
		{"[1:2:3]", "bad-host"},
		{"xn--", "bad-host"},
		{"\xff\xfe", "bad-host"},
		{strings.Repeat("a", 64) + ".com", "bad-host"},
		{strings.Repeat("a.", 127) + "com", "bad-host"},
		{"[fe80::1%eth0]", "zone"},
		{"[fe80::1%25eth0]", "zone"},
		{"[::1%lo]", "zone"},

		// Names.
		{"example.com", "name"},
		{"EXAMPLE.com.", "name"},
		{"bücher.example", "name"},
		{"例え.テスト", "name"},
		{"xn--bcher-kva.example", "name"},
		{"_dmarc.example.com", "name"},
		{"a--b.example", "name"},
		{"127.0.0.1.example.com", "name"},
		{"1.2.3.4a", "name"},
		{"0x7g", "name"},
		{"localhost", "name"},
	} {
		if got := verdictOn(g, tc.host, "80"); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.host, got, tc.want)
		}
	}
}

func TestPortsOutsideTheListAreRefused(t *testing.T) {
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}})
	for _, tc := range []struct{ host, port, want string }{
		{"8.8.8.8", "80", "ok"},
		{"8.8.8.8", "443", "ok"},
		{"8.8.8.8", "8080", "ok"},
		{"8.8.8.8", "8443", "ok"},
		{"8.8.8.8", "0080", "ok"},
		{"8.8.8.8", "22", "port"},
		{"8.8.8.8", "25", "port"},
		{"8.8.8.8", "6379", "port"},
		{"8.8.8.8", "65535", "port"},
		{"8.8.8.8", "0", "port"},
		{"8.8.8.8", "65616", "port"}, // 80 modulo 65536
		{"8.8.8.8", "", "port"},
		{"8.8.8.8", "+80", "port"},
		{"8.8.8.8", "-80", "port"},
		{"8.8.8.8", "0x50", "port"},
		{"8.8.8.8", "80 ", "port"},
		{"8.8.8.8", "８０", "port"},
		{"8.8.8.8", "000080", "port"},
		{"10.1.2.3", "6379", "ok"},
		{"10.2.2.3", "80", "private"},
		{"10.1.2.3", "0", "port"},
	} {
		if got := verdictOn(g, tc.host, tc.port); got != tc.want {
			t.Errorf("%s port %q: %s, want %s", tc.host, tc.port, got, tc.want)
		}
	}
}

func TestOpenedNetworksAreOpenedAndNothingElse(t *testing.T) {
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.0/8"),
		netip.MustParsePrefix("::ffff:192.168.7.0/120"), // as some tools write it
		netip.MustParsePrefix("fd12::1/16"),
	}})
	for _, tc := range []struct{ host, want string }{
		{"127.0.0.1", "ok"},
		{"[::ffff:127.0.0.1]", "ok"},
		{"192.168.7.200", "ok"},
		{"192.168.8.1", "private"},
		{"[fd12:1::2]", "ok"},
		{"[fd13::1]", "private"},
		{"[::1]", "loopback"},
		{"10.0.0.1", "private"},
		{"169.254.169.254", "metadata"},
		{"[64:ff9b::127.0.0.1]", "ok"}, // its destination is opened
		{"[2002:7f00:1::1]", "6to4"},   // opening a destination does not open a tunnel to it
	} {
		if got := verdictOn(g, tc.host, "80"); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.host, got, tc.want)
		}
	}
}

func TestOwnListenersAreRefusedThoughLoopbackIsOpened(t *testing.T) {
	g := newGuard(t, Options{AllowPrivate: []netip.Prefix{loopback, netip.MustParsePrefix("::/0"), netip.MustParsePrefix("0.0.0.0/0")}})
	lift := g.Forbid(9222)
	for _, host := range []string{"127.0.0.1", "127.9.9.9", "0.0.0.0", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[2002:7f00:1::1]", "[::127.0.0.1]"} {
		if got := verdictOn(g, host, "9222"); got != "own-listener" {
			t.Errorf("%s: %s, want own-listener", host, got)
		}
		if got := verdictOn(g, host, "9223"); got != "ok" {
			t.Errorf("%s, another port: %s, want ok", host, got)
		}
	}
	lift()
	lift() // reverts only its own call
	if got := verdictOn(g, "127.0.0.1", "9222"); got != "ok" {
		t.Errorf("after lifting: %s, want ok", got)
	}
}

func TestAMappedAddressIsJudgedAsTheIPv4AddressItIs(t *testing.T) {
	g := newGuard(t, Options{})
	if e := g.policy.check(netip.MustParseAddr("::ffff:127.0.0.1"), 80); e == nil || e.Why != "loopback" {
		t.Errorf("::ffff:127.0.0.1: %v, want refused as loopback", e)
	}
	if err := g.Check(netip.MustParseAddr("::ffff:8.8.8.8"), 80); err != nil {
		t.Errorf("::ffff:8.8.8.8: %v", err)
	}
	if err := g.Check(netip.MustParseAddr("fe80::1%eth0"), 80); !errors.Is(err, ErrRefused) {
		t.Errorf("a zone: %v, want ErrRefused", err)
	}
}

func TestARefusalSaysWhatToDoNext(t *testing.T) {
	g := newGuard(t, Options{})
	err := g.Check(netip.MustParseAddr("10.0.0.5"), 80)
	if !errors.Is(err, ErrRefused) {
		t.Fatalf("Check(10.0.0.5) = %v, want ErrRefused", err)
	}
	for _, want := range []string{"10.0.0.5", "private (RFC 1918)", "add 10.0.0.5/32 to the setting allow-private"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
	}
	if err := g.Check(netip.MustParseAddr("8.8.8.8"), 25); !strings.Contains(err.Error(), "80, 443, 8080, 8443") {
		t.Errorf("%q does not name the ports that are open", err)
	}
	if err := g.Check(netip.Addr{}, 80); !errors.Is(err, ErrRefused) {
		t.Errorf("Check(no address) = %v, want ErrRefused", err)
	}
	if err := g.Check(netip.MustParseAddr("8.8.8.8"), 443); err != nil {
		t.Errorf("Check(8.8.8.8, 443) = %v", err)
	}
}

func TestHostPortIsTheSpellingOfFailures(t *testing.T) {
	for _, tc := range []struct{ url, want string }{
		{"http://Example.COM/a", "example.com:80"},
		{"https://example.com./", "example.com:443"},
		{"https://bücher.example:8443/", "xn--bcher-kva.example:8443"},
		{"http://0x7f.1:8080/", "127.0.0.1:8080"},
		{"https://[::FFFF:1.2.3.4]/", "1.2.3.4:443"},
		{"https://[2606:0:0::1]:/", "[2606::1]:443"},
		{"ftp://example.com/", ""},
		{"file:///etc/passwd", ""},
		{"http:///x", ""},
	} {
		u, err := url.Parse(tc.url)
		if err != nil {
			t.Fatal(err)
		}
		got, e := parseURL(u)
		if (e == nil) != (tc.want != "") || e == nil && got.String() != tc.want {
			t.Errorf("%s is for %q, %v, want %q", tc.url, got, e, tc.want)
		}
	}
}

func TestInvalidOptionsAreRejected(t *testing.T) {
	for name, o := range map[string]Options{
		"a negative time limit":     {ResolveTimeout: -1},
		"a negative limit of conns": {MaxConns: -1},
		"port 0":                    {Ports: []uint16{80, 0}},
		"no network":                {AllowPrivate: []netip.Prefix{{}}},
		"IPv4 and IPv6 at once":     {AllowPrivate: []netip.Prefix{netip.MustParsePrefix("::ffff:0:0/90")}},
		"an upstream of no kind":    {Upstream: &url.URL{Scheme: "ftp", Host: "a:1"}},
		"an upstream without host":  {Upstream: &url.URL{Scheme: "http"}},
	} {
		if g, err := New(o); err == nil {
			g.Close()
			t.Errorf("New accepts %s", name)
		}
	}
}
