package egress

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// turns is a resolver with a different answer each time; the last one repeats.
type turns struct {
	mu      sync.Mutex
	answers [][]netip.Addr
	asked   int
}

func (r *turns) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a := r.answers[min(r.asked, len(r.answers)-1)]
	r.asked++
	return a, nil
}

func TestRebindingDialsTheAddressThatWasChecked(t *testing.T) {
	site := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		io.WriteString(w, "public")
	})
	names := &turns{answers: [][]netip.Addr{addrs("93.184.216.34"), addrs("127.0.0.1")}}
	g := newGuard(t, Options{Resolver: names, NameTTL: time.Nanosecond})
	w := newWorld(g, map[string]string{"93.184.216.34": site.Listener.Addr().String(), "127.0.0.1": site.Listener.Addr().String()})
	l := newPageOn(t, g, 0)
	b := browser(t, l)

	if _, body := get(t, b, "http://rebind.test/"); body != "public" {
		t.Fatalf("first answer: body %q", body)
	}
	resp, _ := get(t, b, "http://rebind.test/")
	if resp.StatusCode != 403 || resp.Header.Get(verdict) != "loopback" {
		t.Errorf("second answer: %s, %q; want 403, loopback", resp.Status, resp.Header.Get(verdict))
	}
	if want := []netip.AddrPort{netip.MustParseAddrPort("93.184.216.34:80")}; !slices.Equal(w.seen(), want) {
		t.Errorf("dialled %v, want %v", w.seen(), want)
	}
	if names.asked != 2 {
		t.Errorf("%d lookups for two connections", names.asked)
	}
}

func TestAPartlyPrivateAnswerIsRefused(t *testing.T) {
	g := newGuard(t, Options{Resolver: hosts{"both.test": addrs("93.184.216.34", "10.0.0.1")}})
	w := newWorld(g, map[string]string{"93.184.216.34": "127.0.0.1:1"})
	_, e := g.dial(t.Context(), target{host: "both.test", port: 80})
	if e == nil || e.Why != "private" || e.Target != "both.test:80" {
		t.Errorf("dial = %v, want a refusal as private", e)
	}
	if len(w.seen()) != 0 {
		t.Errorf("dialled %v", w.seen())
	}
}

func TestAPeerOtherThanTheOneDialledIsRefused(t *testing.T) {
	at := echo(t)
	g := newGuard(t, Options{})
	g.connect = func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "tcp", at)
	}
	c, e := g.dial(t.Context(), target{host: "8.8.8.8", addr: netip.MustParseAddr("8.8.8.8"), port: 80})
	if e == nil || !errors.Is(e, ErrRefused) || e.Why != "other-peer" {
		t.Errorf("dial = %v, %v; want refused, other-peer", c, e)
	}
}

func TestLocalhostIsLoopbackWithoutALookup(t *testing.T) {
	boom := &turns{answers: [][]netip.Addr{addrs("93.184.216.34")}}
	g := newGuard(t, Options{Resolver: boom})
	newWorld(g, nil)
	for _, name := range []string{"localhost", "a.localhost"} {
		if _, e := g.dial(t.Context(), target{host: name, port: 80}); e == nil || e.Why != "loopback" {
			t.Errorf("%s: %v, want refused as loopback", name, e)
		}
	}
	opened := newGuard(t, Options{Resolver: boom, AllowPrivate: []netip.Prefix{loopback}})
	w := newWorld(opened, nil)
	opened.dial(t.Context(), target{host: "localhost", port: 80})
	if want := []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:80")}; !slices.Equal(w.seen(), want) {
		t.Errorf("dialled %v, want %v", w.seen(), want)
	}
	if boom.asked != 0 {
		t.Errorf("%d lookups", boom.asked)
	}
}

func TestAnUnresponsiveAddressDelaysTheNextOnlyBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Options{Resolver: hosts{"two.test": addrs("2606:4700::1", "2606:4700::2", "93.184.216.34")}})
		var mu sync.Mutex
		var order []netip.Addr
		ended := make(chan struct{})
		g.connect = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			mu.Lock()
			order = append(order, to.Addr())
			mu.Unlock()
			if to.Addr().Is4() {
				near, far := net.Pipe()
				t.Cleanup(func() { far.Close() })
				return posing{near, to}, nil
			}
			<-ctx.Done() // a black hole
			close(ended)
			return nil, ctx.Err()
		}
		start := time.Now()
		c, e := g.dial(t.Context(), target{host: "two.test", port: 443})
		if e != nil {
			t.Fatal(e)
		}
		c.Close()
		if took := time.Since(start); took != stagger {
			t.Errorf("took %v, want %v", took, stagger)
		}
		if !slices.Equal(order, addrs("2606:4700::1", "93.184.216.34")) {
			t.Errorf("tried %v; want the families in turn", order)
		}
		<-ended
	})
}

func TestDialingEndsWithinItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGuard(t, Options{DialTimeout: 7 * time.Second, Resolver: hosts{"holes.test": addrs("93.184.216.34", "93.184.216.35")}})
		g.connect = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start := time.Now()
		_, e := g.dial(t.Context(), target{host: "holes.test", port: 443})
		if !errors.Is(e, ErrTimeout) || time.Since(start) != 7*time.Second {
			t.Errorf("after %v: %v; want a time-out after 7 s", time.Since(start), e)
		}
	})
}

// slow is a resolver that answers on release, or at its time limit.
type slow struct {
	release chan struct{}
	mu      sync.Mutex
	asked   int
	err     error
}

func (s *slow) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	s.mu.Lock()
	s.asked++
	err := s.err
	s.mu.Unlock()
	select {
	case <-s.release:
		if err != nil {
			return nil, err
		}
		return addrs("93.184.216.34"), nil
	case <-ctx.Done():
		return nil, &net.DNSError{Err: ctx.Err().Error(), Name: host, IsTimeout: true}
	}
}

func TestConcurrentLookupsOfANameAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := &slow{release: make(chan struct{})}
		g := newGuard(t, Options{Resolver: names})
		leaver, leave := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		var firstErr error
		wg.Go(func() { _, firstErr = g.names.lookup(leaver, g.life, "many.test") })
		synctest.Wait()
		for range 50 {
			wg.Go(func() {
				if a, err := g.names.lookup(t.Context(), g.life, "many.test"); err != nil || len(a) != 1 {
					t.Errorf("lookup = %v, %v", a, err)
				}
			})
		}
		synctest.Wait()
		leave() // the first caller leaves; the remaining callers still get their answer
		synctest.Wait()
		close(names.release)
		wg.Wait()
		if !errors.Is(firstErr, context.Canceled) {
			t.Errorf("the caller that left got %v", firstErr)
		}
		if names.asked != 1 {
			t.Errorf("%d lookups for one name", names.asked)
		}
	})
}

func TestPositiveAndNegativeAnswersAreCached(t *testing.T) {
	for _, tc := range []struct {
		name string
		err  error
		kind error
		keep time.Duration
	}{
		{"an address", nil, nil, time.Minute},
		{"no such host", &net.DNSError{Err: "no such host", IsNotFound: true}, ErrNoHost, 10 * time.Second},
		{"a failing server", &net.DNSError{Err: "server misbehaving", IsTemporary: true}, ErrNoHost, 10 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				names := &slow{release: make(chan struct{}), err: tc.err}
				close(names.release)
				g := newGuard(t, Options{Resolver: names})
				ask := func() {
					t.Helper()
					if _, err := g.names.lookup(t.Context(), g.life, "a.test"); !errors.Is(err, tc.kind) {
						t.Fatalf("lookup error = %v, want %v", err, tc.kind)
					}
				}
				ask()
				time.Sleep(tc.keep - 1)
				ask()
				if names.asked != 1 {
					t.Errorf("%d lookups within %v", names.asked, tc.keep)
				}
				time.Sleep(1 * time.Nanosecond)
				ask()
				if names.asked != 2 {
					t.Errorf("%d lookups after %v, want 2", names.asked, tc.keep)
				}
			})
		})
	}
}

// asked is a resolver that records the requested families of addresses.
type asked []string

func (a *asked) LookupNetIP(_ context.Context, network, _ string) ([]netip.Addr, error) {
	*a = append(*a, network)
	return addrs("93.184.216.34"), nil
}

func TestIPv6IsAskedForWhereItCanBeUsed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		opened string
		public bool
		want   string
	}{
		{"no address of IPv6", "10.0.0.0/8", false, "ip4"},
		{"a public address", "10.0.0.0/8", true, "ip"},
		{"a private network that is opened", "fd00::/8", false, "ip"},
		{"a network written as one of IPv6 that is none", "::ffff:10.0.0.0/104", false, "ip4"},
	} {
		var names asked
		g := newGuard(t, Options{Resolver: &names, AllowPrivate: []netip.Prefix{netip.MustParsePrefix(tc.opened)}})
		g.names.publicIPv6 = func() bool { return tc.public }
		if _, err := g.names.lookup(t.Context(), g.life, "a.test"); err != nil || !slices.Equal(names, asked{tc.want}) {
			t.Errorf("%s: asked for %q (%v), want %q", tc.name, names, err, tc.want)
		}
	}
}

func TestALookupEndsWithinItsLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		names := &slow{}
		g := newGuard(t, Options{Resolver: names})
		start := time.Now()
		_, e := g.dial(t.Context(), target{host: "dead.test", port: 80})
		if !errors.Is(e, ErrTimeout) || time.Since(start) != 3*time.Second {
			t.Errorf("after %v: %v; want a time-out after 3 s", time.Since(start), e)
		}
		if _, e = g.dial(t.Context(), target{host: "dead.test", port: 80}); !errors.Is(e, ErrTimeout) || names.asked != 1 {
			t.Errorf("again: %v after %d lookups; want the time-out remembered", e, names.asked)
		}
	})
}

func TestTheNameCacheIsBounded(t *testing.T) {
	g := newGuard(t, Options{Resolver: everyName(netip.MustParseAddr("8.8.8.8"))})
	for i := range 3 * maxNames {
		name := strings.Repeat("a", i/1000+1) + string(rune('a'+i%26)) + time.Duration(i).String()
		if _, err := g.names.lookup(t.Context(), g.life, name); err != nil {
			t.Fatal(err)
		}
	}
	g.names.mu.Lock()
	defer g.names.mu.Unlock()
	if n := len(g.names.answers); n > maxNames {
		t.Errorf("%d names kept, want at most %d", n, maxNames)
	}
}
