package browser

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"plat/browser/settle"
	"plat/plat"
)

func TestAPageIsLoadedAgainWhenTheNetworkHasChanged(t *testing.T) {
	t.Parallel()
	p := poolWith(t, func(*Options) {})
	var loads atomic.Int64
	srv := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" {
			loads.Add(1)
		}
		fmt.Fprint(w, "<title>page</title>")
	}))
	for _, tc := range []struct {
		name      string
		changes   int64 // during the first so many loads
		loads     int64
		unsettled bool
	}{{"at rest", 0, 1, false}, {"once", 1, 2, false}, {"always", 100, maxLoads, true}} {
		loads.Store(0)
		s, err := p.Render(t.Context(), Request{URL: srv.URL, inspect: func(context.Context, *visit, *plat.Snapshot) error {
			if loads.Load() <= tc.changes {
				p.network.changed()
			}
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if loads.Load() != tc.loads || s.Settled.Short() != tc.unsettled || s.Title != "page" {
			t.Errorf("%s: %d loads, unsettled %t; want %d, %t", tc.name, loads.Load(), s.Settled.Short(), tc.loads, tc.unsettled)
		}
	}
}

func TestADocumentThatChromeHasCutIsLoadedAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		err   string
		loads int
	}{{"net::ERR_NETWORK_CHANGED", 2}, {"net::ERR_CONNECTION_REFUSED", 1}} {
		loads := 0
		var n interfaces
		_, err := n.loads(t.Context(), time.Minute, func() (*plat.Snapshot, error) {
			if loads++; loads == 1 {
				return nil, visitError(fmt.Errorf("render: %w", &settle.NetError{Text: tc.err}))
			}
			return &plat.Snapshot{}, nil
		})
		if loads != tc.loads || (err == nil) != (tc.loads == 2) {
			t.Errorf("%s: %d loads, %v; want %d", tc.err, loads, err, tc.loads)
		}
	}
}

func TestChangesOfTheNetworkAreNoticed(t *testing.T) {
	// In a separate network namespace, since otherwise all browsers on the machine would cut their
	// connections. The thread in it ends with the test.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
		t.Skipf("skipped: a network cannot be made here: %v", err)
	}
	var n interfaces
	stop, err := n.follow()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if out, err := exec.Command("ip", "address", "add", "127.93.7.5/32", "dev", "lo").CombinedOutput(); err != nil {
		t.Skipf("skipped: an address cannot be added here: %v, %s", err, out)
	}
	for end := time.Now().Add(10 * time.Second); n.changes.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was noticed")
		}
	}
}
