// Visits is one contender of scripts/bench-visits: it opens every URL of the
// file named by URLS, does the part of a visit selected by -do, and prints the
// time taken. Each step adds something to the previous one, so that the
// differences are the costs of the parts:
//
//	nav       chromedp.Navigate only: the maximum throughput of the machine
//	guard     nav, through the egress guard
//	capture   a fresh context per page, a lean client, the snapshot; taken at load
//	stealth   capture, with the script that hides automation
//	settle    stealth, with the wait for quiet and the scroll for lazy content
//	read      settle, segmented, labelled and compared, but not stored
//	visit     all of it, into a new SQLite archive: what plat archive does
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/chromedp"

	"plat/browser"
	"plat/browser/egress"
	"plat/fixtures"
	"plat/plat"
	"plat/segment/label"
	"plat/storage"
	"plat/storage/sqlite"
	"plat/workers"
)

var steps = []string{"nav", "guard", "capture", "stealth", "settle", "read", "visit"}

var (
	do     = flag.String("do", "visit", "how far to go: nav, guard, capture, stealth, settle, read, visit")
	tabs   = flag.Int("tabs", 3, "pages at once")
	chrome = flag.String("chrome", os.Getenv("CHROME"), "browser to use")
	prof   = flag.String("cpuprofile", "", "write a CPU profile of our own process to this file")
	flags  = flag.String("flags", "", "more flags for the browser, blank separated")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	if !slices.Contains(steps, *do) {
		log.Fatalf("visits: unknown step -do %q; use one of %v", *do, steps)
	}
	if *prof != "" {
		f, err := os.Create(*prof)
		if err != nil {
			log.Fatal("visits: ", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal("visits: ", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(context.Background()); err != nil {
		log.Fatal("visits: ", err)
	}
}

func run(ctx context.Context) error {
	urls, err := lines(os.Getenv("URLS"))
	if err != nil {
		return err
	}
	guard, err := egress.New(egress.Options{AllowPrivate: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Resolver: fixtures.NoNames{}})
	if err != nil {
		return err
	}
	defer guard.Close()
	total := time.Now()
	open, stop, err := opener(ctx, guard)
	if err != nil {
		return err
	}
	defer stop()

	start := time.Now()
	var ok, failed atomic.Int64
	todo := make(chan string)
	var work sync.WaitGroup
	for range *tabs {
		work.Go(func() {
			visit, end, err := open()
			if err != nil {
				log.Print("visits: ", err)
				failed.Add(1)
				visit = func(string) error { return err }
				end = func() {}
			}
			defer end()
			for u := range todo {
				if err := visit(u); err != nil {
					log.Printf("visits: %s: %v", u, err)
					failed.Add(1)
					continue
				}
				ok.Add(1)
			}
		})
	}
	for _, u := range urls {
		todo <- u
	}
	close(todo)
	work.Wait()
	took := time.Since(start).Seconds()
	r, err := json.Marshal(map[string]any{"pages": len(urls), "ok": ok.Load(), "fail": failed.Load(), "inner_s": took,
		"total_s": time.Since(total).Seconds(), "inner_pps": float64(ok.Load()) / took})
	fmt.Printf("RESULT %s\n", r)
	return err
}

// opener returns a function that makes one tab's visits.
func opener(ctx context.Context, guard *egress.Guard) (open func() (visit func(string) error, end func(), err error), stop func(), err error) {
	if *do == "nav" || *do == "guard" {
		return navigator(ctx, guard)
	}
	o := browser.Options{Guard: guard, Chrome: *chrome, Tabs: *tabs, NoStealth: *do == "capture", Flags: strings.Fields(*flags)}
	if *do == "capture" || *do == "stealth" {
		o.AtLoad, o.NoScroll = true, true
	}
	pool, err := browser.New(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	if *do != "read" && *do != "visit" {
		return func() (func(string) error, func(), error) {
			return func(u string) error {
				_, err := pool.Render(ctx, browser.Request{URL: u})
				return err
			}, func() {}, nil
		}, func() { pool.Close() }, nil
	}
	dir := os.Getenv("OUT")
	if dir == "" {
		dir = os.TempDir()
	}
	store, err := sqlite.Open(filepath.Join(dir, fmt.Sprintf("visits-%d.db", os.Getpid())), sqlite.Options{})
	if err != nil {
		return nil, nil, err
	}
	d, err := label.New(label.Options{})
	if err != nil {
		return nil, nil, err
	}
	var archive storage.Store = store
	if *do == "read" {
		archive = forgetful{store}
	}
	w := workers.New(render{pool}, archive, d, workers.Options{})
	return func() (func(string) error, func(), error) {
		return func(u string) error {
			_, err := w.Visit(ctx, plat.Job{URL: u})
			return err
		}, func() {}, nil
	}, func() { pool.Close(); store.Close() }, nil
}

// navigator opens URLs in tabs that stay open, as a bare loop would.
func navigator(ctx context.Context, guard *egress.Guard) (func() (func(string) error, func(), error), func(), error) {
	path, err := browser.Find(*chrome)
	if err != nil {
		return nil, nil, err
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 1024),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"), chromedp.Flag("disable-component-update", true))
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	if *do == "guard" {
		lane, err := guard.Lane()
		if err != nil {
			return nil, nil, err
		}
		lane.Reset(0)
		opts = append(opts, chromedp.Flag("proxy-server", lane.Addr()), chromedp.Flag("proxy-bypass-list", "<-loopback>"))
	} else {
		opts = append(opts, chromedp.Flag("no-proxy-server", true))
	}
	alloc, cancel := chromedp.NewExecAllocator(ctx, opts...)
	main, _ := chromedp.NewContext(alloc)
	if err := chromedp.Do(main); err != nil {
		cancel()
		return nil, nil, err
	}
	return func() (func(string) error, func(), error) {
		tab, end := chromedp.NewContext(main)
		if err := chromedp.Do(tab); err != nil {
			return nil, end, err
		}
		return func(u string) error {
			c, done := context.WithTimeout(tab, 20*time.Second)
			defer done()
			return chromedp.Do(c, chromedp.Navigate(u))
		}, end, nil
	}, cancel, nil
}

// render is the pool as a worker uses it.
type render struct{ pool *browser.Pool }

func (r render) Render(ctx context.Context, u string, evidence func(*plat.Snapshot) plat.Attachments) (*plat.Snapshot, error) {
	return r.pool.Render(ctx, browser.Request{URL: u, Decide: evidence})
}

// forgetful is a store that writes nothing.
type forgetful struct{ storage.Store }

func (forgetful) Commit(context.Context, *storage.Commit) (storage.Written, error) {
	return storage.Written{}, nil
}
func (forgetful) Record(context.Context, plat.Visit, int64) error { return nil }

func lines(file string) ([]string, error) {
	if file == "" {
		return nil, fmt.Errorf("URLS is empty; set it to a file of URLs")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []string
	for sc := bufio.NewScanner(f); sc.Scan(); {
		all = append(all, sc.Text())
	}
	return all, nil
}
