//go:build !race

package workers_test

import (
	"context"
	"net"
	"net/netip"
	"os"
	"sync"
	"testing"
	"time"

	"plat/browser"
	"plat/browser/egress"
	"plat/plat"
)

// chrome adapts the shared browser to workers.
type chrome struct{ pool *browser.Pool }

func (c chrome) Render(ctx context.Context, url string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return c.pool.Render(ctx, browser.Request{URL: url, Decide: evidence, Loads: true})
}

func (c chrome) RenderMoved(ctx context.Context, url string, clock time.Time, seed uint64) (*plat.Snapshot, error) {
	return c.pool.Render(ctx, browser.Request{URL: url, Loads: true, Clock: clock, Seed: seed})
}

type localNames struct{}

func (localNames) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

var browserOnce = sync.OnceValues(func() (*browser.Pool, error) {
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: localNames{}})
	if err != nil {
		return nil, err
	}
	theGuard = guard
	return browser.New(context.Background(), browser.Options{Guard: guard})
})

var theGuard *egress.Guard

func TestMain(m *testing.M) {
	code := m.Run()
	if theGuard != nil {
		if p, err := browserOnce(); err == nil {
			p.Close()
		}
		theGuard.Close()
	}
	os.Exit(code)
}

// thePool is the shared browser. Without Chrome it skips the test, or fails where Chrome must
// be there.
func thePool(t *testing.T) *browser.Pool {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		if os.Getenv("PLAT_REQUIRE_CHROME") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	pool, err := browserOnce()
	if err != nil {
		t.Fatal(err)
	}
	return pool
}
