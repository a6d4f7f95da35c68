package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"plat/browser"
)

// TestMain makes the network, where this process was started to be in one.
func TestMain(m *testing.M) {
	if os.Getenv(insideEnv) != "" {
		if err := makeNetwork(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(noNetwork)
		}
	}
	os.Exit(m.Run())
}

// Pages try in plat the vectors that escape a bare browser, in a network where every packet is
// captured. For single vectors, and for late packets: scripts/bench escapes.
func TestNothingOfChromeGetsOutButByTheProxy(t *testing.T) {
	if _, err := browser.Find(os.Getenv("PLAT_CHROME")); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if os.Getenv(insideEnv) == "" {
		inNetwork(t)
		return
	}
	w, err := openWorld(vectors(), 500*time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	defer w.stop()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	all := contenders()
	bare, err := measure(ctx, w, all[0], w.bundles(all[0].from))
	if err != nil {
		t.Fatal(err)
	}
	reached := map[string]int{}
	for _, v := range w.vectors {
		if bare.Hits[v.id] != nil {
			reached[v.group]++
		}
	}
	t.Logf("in %.0f s a bare browser is got out of by %v", bare.Seconds, reached)
	// Without these hits in a bare browser, the absence of hits in plat would prove nothing.
	for group, least := range map[string]int{"datagrams": 6, "names and hints": 5, "certificates, identity": 1, "reports": 3, "redirects": 7, "loads": 10, "scripts": 10, "addresses": 9} {
		if reached[group] < least {
			t.Errorf("a bare browser is got out of by %d vectors of the group %q, want at least %d", reached[group], group, least)
		}
	}
	plat, err := measure(ctx, w, all[1], w.bundles(all[1].from))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("plat took %.0f s", plat.Seconds)
	for _, o := range []*outcome{bare, plat} {
		if len(o.Unserved) > 0 {
			t.Errorf("%s did not ask for the pages of %v", o.Name, o.Unserved)
		}
	}
	for _, v := range w.vectors {
		if hits := plat.Hits[v.id]; hits != nil {
			t.Errorf("%s: %s gets out of plat: %v", v.group, v.name, hits)
		}
	}
	if len(plat.Strays) > 0 {
		t.Errorf("plat sends what no vector is for: %v", plat.Strays)
	}
}

// inNetwork runs this test in a process with a network of its own.
func inNetwork(t *testing.T) {
	cmd := again("-test.run=^"+t.Name()+"$", "-test.v")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	failed, ran := errors.AsType[*exec.ExitError](err)
	switch {
	case err != nil && !ran:
		t.Skipf("skipped: no network of its own can be made here: %v; as root, or where users may make namespaces, it can", err)
	case ran && failed.ExitCode() == noNetwork:
		t.Skipf("skipped: %s", strings.TrimSpace(out.String()))
	case err != nil:
		t.Fatalf("%v\n%s", err, &out)
	}
	t.Logf("%s", &out)
}

// bundles are pages of many vectors each, and those of vectors that need one to themselves.
func (w *world) bundles(from site) *order {
	const most = 18 // vectors in a bundle
	framed := map[string][]string{}
	o := &order{linger: 2 * time.Second}
	for i := range w.vectors {
		switch v := &w.vectors[i]; {
		case v.top:
			o.add(v, w.url(v, from))
		case v.plain:
			framed["http"] = append(framed["http"], fmt.Sprint(v.id))
		default:
			framed["https"] = append(framed["https"], fmt.Sprint(v.id))
		}
	}
	for scheme, ids := range framed {
		for part := range slices.Chunk(ids, most) {
			o.pages = append(o.pages, fmt.Sprintf("%s://%s/bundle?v=%s", scheme, from.host, strings.Join(part, ",")))
		}
	}
	return o
}

func TestTargetsAreOneVectorsAlone(t *testing.T) {
	w := &world{vectors: vectors()}
	r := newRun(w, true)
	seen := map[string]string{}
	for i := range w.vectors {
		v := &w.vectors[i]
		if was := seen[v.name]; was != "" {
			t.Errorf("two vectors are called %q", v.name)
		}
		seen[v.name] = v.group
		for _, p := range []packet{
			{proto: "tcp", dst: netip.AddrPortFrom(v.ip(), 443)},
			{proto: "udp", dst: netip.AddrPortFrom(v.ip6(), 1)},
			{proto: "udp", dst: netip.AddrPortFrom(v.public(), 443)},
			{proto: "tcp", dst: netip.AddrPortFrom(netip.IPv6Loopback(), v.port())},
			{proto: "udp", dst: netip.AddrPortFrom(nameServer, 53), names: []string{v.fill("{name}", "")}},
			{proto: "udp", dst: netip.AddrPortFrom(nameServer, 53), names: []string{v.fill("_443._https.v{id}-a.corp.test", "")}},
			{proto: "udp", dst: netip.AddrPortFrom(mdns4, 5353), names: []string{v.fill("v{id}-a.local", "")}},
		} {
			if got := r.target(p); got != v {
				t.Errorf("%v is a hit of %v, want %q", p, got, v.name)
			}
		}
		if got := r.target(packet{proto: "udp", dst: netip.AddrPortFrom(nameServer, 53), names: []string{v.fill("{pub}", "")}}); got != nil {
			t.Errorf("the name of a site is a hit of %q", got.name)
		}
	}
}

func TestPacketsAreRead(t *testing.T) {
	name := dnsmessage.MustNewName("a.test.")
	question, err := (&dnsmessage.Message{Questions: []dnsmessage.Question{{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}}}).Pack()
	if err != nil {
		t.Fatal(err)
	}
	ip4 := func(proto byte, payload ...byte) []byte {
		return append([]byte{0x45, 0, 0, 0, 0, 0, 0, 0, 64, proto, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2}, payload...)
	}
	ip6 := func(next byte, payload ...byte) []byte {
		b := append([]byte{0x60, 0, 0, 0, 0, 0, next, 1}, self6.AsSlice()...)
		return append(append(b, mdns6.AsSlice()...), payload...)
	}
	udp := func(payload ...byte) []byte { return append([]byte{0, 9, 0, 53, 0, 0, 0, 0}, payload...) }
	report := append([]byte{143, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0}, mdns6.AsSlice()...)
	hopByHop := append([]byte{58, 0, 5, 2, 0, 0, 1, 0}, report...)
	for _, tc := range []struct {
		name string
		b    []byte
		want string
	}{
		{"first packet of a connection", ip4(6, 0, 9, 1, 187, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 2, 0, 0, 0, 0, 0, 0), "tcp 10.0.0.2:443 []"},
		{"its answer", ip4(6, 0, 9, 1, 187, 0, 0, 0, 0, 0, 0, 0, 0, 0x50, 0x12, 0, 0, 0, 0, 0, 0), ""},
		{"question", ip4(17, udp(question...)...), "udp 10.0.0.2:53 [a.test]"},
		{"no question", ip4(17, udp(1, 2, 3)...), "udp 10.0.0.2:53 []"},
		{"cut off", ip4(17, 0, 9), ""},
		{"report of a group, IPv4", ip4(2, 0x22, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 0, 224, 0, 0, 251), "join 224.0.0.251:0 []"},
		{"report of a group, IPv6", ip6(0, hopByHop...), "join [ff02::fb]:0 []"},
		{"echo", ip4(1, 8, 0, 0, 0, 0, 0, 0, 0), "icmp 10.0.0.2:0 []"},
		{"error", ip4(1, 3, 3, 0, 0, 0, 0, 0, 0), ""},
		{"another protocol", ip4(132, 0, 0, 0, 0, 0, 0, 0, 0), "protocol 132 10.0.0.2:0 []"},
		{"ARP", []byte{0, 1, 8, 0, 6, 4, 0, 1}, ""},
	} {
		got := ""
		c := &capture{answers: map[[2]netip.AddrPort]bool{}}
		c.parse(tc.b, func(p packet) { got = fmt.Sprint(p.proto, " ", p.dst, " ", p.names) })
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}
