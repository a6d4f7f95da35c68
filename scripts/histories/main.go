// Histories archives recorded site histories visit by visit, measures the cost
// and verifies the reported changes:
//
//	go run ./scripts/histories            # both sets, real Chrome, some minutes
//	go run ./scripts/histories -json
//
// For each set it prints the total size of the archive on disk, next to the
// baselines measured by the data's makers on the same visits; restores every
// version, before and after garbage collection; and compares each reported
// change with the visible text of both renderings, which comes from the
// snapshots and not from the blocks. It also prints how much of the text common
// to consecutive versions keeps its identity, and how the main texts of versions are kept.
//
// -snapshots DIR keeps the renderings, so that a second run needs no browser. Visits and versions
// are dated by the record, so that plat sees as much time between visits as has passed between
// them. For each site it prints the number of versions that plat reports as news; -show N prints N
// random versions of each set, to judge plat's reports by eye, and -read
// does so with the archives that -keep has kept.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"plat/diff/noise"
	"plat/fixtures/history"
	"plat/plat"
	"plat/segment/label"
	archived "plat/storage/history"
	"plat/storage/sqlite"
	"plat/workers"
)

var (
	sets      = flag.String("sets", "news,docs", "which sets, comma separated")
	asJSON    = flag.Bool("json", false, "print one JSON object a set instead of tables")
	snapshots = flag.String("snapshots", "", "folder for renderings; those that are there are not made again")
	keep      = flag.String("keep", "", "keep the archives in this folder, as SET.db")
	chrome    = flag.String("chrome", "", "browser to use")
	tabs      = flag.Int("tabs", 3, "pages rendered at once")
	profile   = flag.String("cpuprofile", "", "write a CPU profile of our own process to this file")
	split     = flag.String("split", "dev", "which part of the data")
	list      = flag.Bool("list", false, "list the pairs where the report and the visible text disagree, and visits that failed")
	second    = flag.String("second-look", string(noise.New), "as that of plat archive: never, new or always")
	resources = flag.String("resources", "none", "files that are kept and compared, as of plat archive: none, css or all")
	show      = flag.Int("show", 0, "print so many versions of each set, half of them with something that is no news")
	seed      = flag.Uint64("seed", 1, "which versions -show draws")
	read      = flag.Bool("read", false, "visit nothing: read the archives of -keep")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			log.Fatal("histories: ", err)
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			log.Fatal("histories: ", err)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(ctx); err != nil {
		log.Fatal("histories: ", err)
	}
}

func run(ctx context.Context) error {
	if *resources != "none" && *snapshots != "" {
		return errors.New("-resources needs renderings of its own: leave out -snapshots")
	}
	dir, ok := history.Dir()
	if !ok {
		return fmt.Errorf("no data at %s; set PLAT_DATA to the folder that holds history/", dir)
	}
	var results []*result
	for _, name := range strings.Split(*sets, ",") {
		do := archive
		if *read {
			do = reopen
		}
		r, err := do(ctx, name, filepath.Join(dir, "history"))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		results = append(results, r)
		if *asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
		}
	}
	switch {
	case *asJSON:
	case *read:
		reportNews(results)
	default:
		report(results)
		fmt.Println()
		reportNews(results)
	}
	return nil
}

// archive visits all pages of a set, one by one. It is long because it
// is the whole run from top to bottom.
func archive(ctx context.Context, name, dir string) (*result, error) {
	set, err := history.Open(filepath.Join(dir, name, *split), filepath.Join(dir, "ext"))
	if err != nil {
		return nil, err
	}
	where := *keep
	if where == "" {
		if where, err = os.MkdirTemp("", "plat-histories-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(where)
	}
	path := filepath.Join(where, name+".db")
	for _, f := range []string{path, path + "-wal", path + "-shm"} {
		os.Remove(f)
	}
	store, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer store.Close()
	tmp, err := os.MkdirTemp("", "plat-texts-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	without, err := sqlite.Open(filepath.Join(tmp, "a.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	defer without.Close()
	describer, err := label.New(label.Options{})
	if err != nil {
		return nil, err
	}
	r := &renderer{dir: *snapshots, keep: map[string]*plat.Snapshot{}}
	defer r.close()
	b := &bench{result: &result{Set: name, Pages: len(set.Pages), LeastCoverage: 1, Doubted: doubts{}}, store: store, render: r, last: map[string]seen{}}
	var extra atomic.Int64
	b.worker = workers.New(r, dated{beside{store, without, &extra}}, describer, workers.Options{News: workers.News{ConfirmAfter: confirm, SecondLook: noise.When(*second)}, Capture: workers.Capture{Resources: files()}})

	// The port is part of every URL, so it is fixed; it is below the range of
	// ephemeral ports.
	start := time.Now()
	var sites sync.WaitGroup
	sem := make(chan struct{}, *tabs)
	errs := make(chan error, len(set.Sites))
	for i, site := range set.Sites {
		visits := set.Visits()[site]
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 17310+i))
		if err != nil {
			return nil, err
		}
		srv := &http.Server{Handler: site}
		go srv.Serve(l)
		defer srv.Close()
		base := fmt.Sprintf("http://%s.localhost:%d", site.Name, 17310+i)
		sites.Go(func() {
			for len(visits) > 0 && ctx.Err() == nil {
				n := 1
				for n < len(visits) && visits[n].Time.Equal(visits[0].Time) {
					n++
				}
				site.Set(visits[0].Time)
				var pages sync.WaitGroup
				for _, v := range visits[:n] {
					sem <- struct{}{}
					pages.Go(func() {
						defer func() { <-sem }()
						if err := b.visit(ctx, base, v); err != nil {
							select {
							case errs <- fmt.Errorf("%s at %s: %w", v.Page.ID, v.Time.Format(time.RFC3339), err):
							default:
							}
						}
					})
				}
				pages.Wait()
				visits = visits[n:]
			}
		})
	}
	sites.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case err := <-errs:
		return nil, err
	default:
	}
	b.Texts.Extra = extra.Load()
	if b.Texts.Without, err = without.Size(ctx); err != nil {
		return nil, err
	}
	if err := b.check(ctx); err != nil {
		return nil, err
	}
	b.Seconds = time.Since(start).Seconds()
	return b.result, b.judged(ctx)
}

// check restores every version before and after garbage collection, and
// measures the store's size.
func (b *bench) check(ctx context.Context) error {
	before := map[string]plat.Hash{}
	if err := b.restore(ctx, func(key string, page []byte) error {
		before[key] = plat.HashOf(page)
		return nil
	}); err != nil {
		return err
	}
	for url, s := range b.last {
		if v, err := b.store.Version(ctx, url, 0); err != nil || before[fmt.Sprint(url, "@", v.N)] != s.sum {
			return fmt.Errorf("%s: the last version is not the last page (%v)", url, err)
		}
	}
	if _, err := b.store.GC(ctx, time.Now()); err != nil {
		return fmt.Errorf("gc: %w", err)
	}
	err := b.restore(ctx, func(key string, page []byte) error {
		b.Restored++
		if before[key] != plat.HashOf(page) {
			return fmt.Errorf("%s: restored bytes differ after gc", key)
		}
		return nil
	})
	if err != nil {
		return err
	}
	rep, err := b.store.Verify(ctx, nil)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	if rep.BrokenTotal > 0 || rep.Unreferenced > 0 {
		return fmt.Errorf("verify: %d broken (%v), %d unreferenced", rep.BrokenTotal, rep.Broken, rep.Unreferenced)
	}
	b.Blocks = rep.Blocks
	if b.StoreBytes, err = b.store.Size(ctx); err != nil {
		return err
	}
	b.PerVersion = b.StoreBytes / int64(max(1, b.Versions))
	if base, ok := baselines[b.Set]; ok {
		b.Ratio = float64(b.StoreBytes) / (base[0] * 1e6)
	}
	return nil
}

func (b *bench) restore(ctx context.Context, each func(key string, page []byte) error) error {
	for state, err := range b.store.States(ctx, "", "") {
		if err != nil {
			return err
		}
		for n := 1; n <= state.Head; n++ {
			page, err := archived.Restore(ctx, b.store, state.URL, n)
			if err != nil {
				return fmt.Errorf("%s@%d: %w", state.URL, n, err)
			}
			if err := each(fmt.Sprint(state.URL, "@", n), page); err != nil {
				return err
			}
		}
	}
	return nil
}
