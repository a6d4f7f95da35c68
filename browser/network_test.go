package browser

import (
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"plat"
)

func TestAPageIsLoadedAgainWhenTheNetworkHasChanged(t *testing.T) {
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

func TestChangesOfTheNetworkAreNoticed(t *testing.T) {
	var n interfaces
	stop, err := n.follow()
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	const address = "127.93.7.5/32"
	if out, err := exec.Command("ip", "address", "add", address, "dev", "lo").CombinedOutput(); err != nil {
		t.Skipf("skipped: an address cannot be added here: %v, %s", err, out)
	}
	defer exec.Command("ip", "address", "del", address, "dev", "lo").Run()
	for end := time.Now().Add(10 * time.Second); n.changes.Load() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing was noticed")
		}
	}
}
