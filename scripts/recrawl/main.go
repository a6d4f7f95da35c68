// Recrawl visits recorded site histories repeatedly, along the recorded clock,
// and measures the savings of not rendering unchanged pages:
//
//	go run ./scripts/recrawl                       # both sets, real Chrome, some minutes
//	go run ./scripts/recrawl -sets news -snapshots 6 -between 19
//	go run ./scripts/recrawl -validators=false     # a server without ETag and Last-Modified
//
// At each snapshot, and at some times before the next, every page is visited as
// plat does, which may skip the rendering. At the snapshot, before the last of
// the visits after it and at that last one it is also visited with rendering
// forced, into a separate archive, and again without second looks into a
// third, to measure their cost. The visits between two snapshots find
// nothing new; they are all timed, including those rendered for lack of data or
// at random. Then bare chromedp.Navigate opens the same pages.
//
// A change is missed if a visit was skipped and the archive's last version
// differs from that of the archive that always renders, where both were
// compared. Pages that the browser renders inconsistently count as unsteady
// rather than missed if the visit was rendered.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"

	"plat/diff/noise"
	"plat/fixtures/history"
	"plat/plat"
	"plat/storage/sqlite"
	"plat/workers"
)

var (
	sets       = flag.String("sets", "news,docs", "which sets, comma separated")
	snapshots  = flag.Int("snapshots", 3, "how many snapshots of each site, the last")
	between    = flag.Int("between", 60, "visits after each snapshot that find nothing new")
	navigate   = flag.Int("navigate", 2, "how often bare Chrome opens them")
	validators = flag.Bool("validators", true, "the server sends ETag and Last-Modified")
	tabs       = flag.Int("tabs", 3, "pages at once")
	seed       = flag.Uint64("seed", 1, "of the visits that are rendered by chance")
	chrome     = flag.String("chrome", "", "browser to use")
	list       = flag.Bool("list", false, "list the pages with what is known of them at the end")
	asJSON     = flag.Bool("json", false, "print one JSON object a set instead of a table")
)

func main() {
	log.SetFlags(0)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if !slices.Contains(noise.Whens, noise.When(*secondLook)) {
		log.Fatalf("recrawl: -second-look %q: write never, new or always", *secondLook)
	}
	dir, ok := history.Dir()
	if !ok {
		log.Fatalf("recrawl: no data at %s; set PLAT_DATA to the folder that holds history/", dir)
	}
	var results []*result
	for name := range strings.SplitSeq(*sets, ",") {
		r, err := recrawl(ctx, name, filepath.Join(dir, "history"))
		if err != nil {
			log.Fatalf("recrawl: %s: %v", name, err)
		}
		results = append(results, r)
		if *asJSON {
			json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	if !*asJSON {
		report(results)
	}
}

// rate counts visits in time.
type rate struct {
	Visits  int     `json:"visits"`
	Seconds float64 `json:"seconds"`
}

func (r rate) perSecond() float64 { return float64(r.Visits) / max(r.Seconds, 1e-9) }

// result is the result for a set.
type result struct {
	Set      string `json:"set"`
	Pages    int    `json:"pages"`
	Visits   int    `json:"visits"`
	Compared int    `json:"compared"`
	Changed  int    `json:"changed"` // visits that stored a version when always rendering
	Skipped  int    `json:"skipped"`
	Missed   int    `json:"missed"`
	Unsteady int    `json:"unsteady"`

	// Of the steps that find nothing new.
	Still    rate `json:"unchanged_with_skipping"`
	StillOff int  `json:"unchanged_not_skipped"`
	Always   rate `json:"unchanged_always_rendered"`
	Bare     rate `json:"bare_navigation"`
	Skips    rate `json:"skipped_visits"` // alone, one after the other's time added up

	// By page, at the end.
	Reasons map[string]int `json:"reasons"`
	Memory  int            `json:"memory_bytes"` // of all pages

	Looks       looks `json:"second_looks"`
	LooksAlways looks `json:"second_looks_always_rendered"`
	LooksOn     cost  `json:"cost_with_second_looks"`
	LooksNever  cost  `json:"cost_without_second_looks"`
}

func report(results []*result) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tpages\tvisits\tcompared\tchanged\tskipped\tmissed\tunsteady\tunchanged/s\talways/s\tbare/s\tunchanged ÷ bare\talways ÷ bare\tof unchanged skipped\tms a skip\tmemory, B/page\t")
	for _, r := range results {
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d (%.1f %%)\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.1f %%\t%.1f\t%d\t\n", r.Set, r.Pages, r.Visits, r.Compared, r.Changed,
			r.Skipped, 100*float64(r.Skipped)/float64(max(1, r.Visits)), r.Missed, r.Unsteady, r.Still.perSecond(), r.Always.perSecond(), r.Bare.perSecond(),
			r.Still.perSecond()/r.Bare.perSecond(), r.Always.perSecond()/r.Bare.perSecond(),
			100*float64(r.Still.Visits-r.StillOff)/float64(max(1, r.Still.Visits)), 1000*r.Skips.Seconds/float64(max(1, r.Skips.Visits)), r.Memory/max(1, r.Pages))
	}
	w.Flush()
	reportLooks(os.Stdout, results)
	for _, r := range results {
		fmt.Printf("\n%s, pages at the end:\n", r.Set)
		for _, why := range slices.SortedFunc(maps.Keys(r.Reasons), func(a, b string) int { return r.Reasons[b] - r.Reasons[a] }) {
			fmt.Printf("  %4d  %s\n", r.Reasons[why], why)
		}
	}
}

// place is a page of the recrawl.
type place struct {
	site *history.Site
	page history.Page
	url  string
}

// archive is one of the archives.
type archive struct {
	store  *sqlite.Store
	worker *workers.Worker
	looks  *looks // nil: they are not counted
}

func recrawl(ctx context.Context, name, dir string) (*result, error) {
	set, err := history.Open(filepath.Join(dir, name, "dev"), filepath.Join(dir, "ext"))
	if err != nil {
		return nil, err
	}
	w := &world{failing: map[string]bool{}, result: &result{Set: name, Reasons: map[string]int{}}}
	for i, site := range set.Sites {
		site.Validators = *validators
		l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 17510+i))
		if err != nil {
			return nil, err
		}
		srv := &http.Server{Handler: site}
		go srv.Serve(l)
		defer srv.Close()
		for _, p := range set.Pages {
			if p.Site != site {
				continue
			}
			url, err := plat.Canonical(fmt.Sprintf("http://%s%s", l.Addr(), strings.TrimSuffix(p.Path, "index.html")), nil)
			if err != nil {
				return nil, err
			}
			w.places = append(w.places, place{site, p, url})
		}
	}
	w.Pages = len(w.places)
	stop, err := w.open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	for k := range *snapshots {
		// The snapshot, then all visits that find nothing new together, then a
		// last visit.
		for _, step := range []struct{ from, n int }{{0, 1}, {1, *between - 1}, {*between, 1}} {
			for _, site := range set.Sites {
				site.Set(at(site.Times, k, step.from))
			}
			// The clock has jumped by days, but shared answers are meant for
			// minutes.
			w.check.Forget()
			if err := w.step(ctx, step.from > 0, step.n); err != nil {
				return nil, err
			}
		}
	}
	if err := errors.Join(w.Looks.learned(ctx, &w.skip, w.places), w.LooksAlways.learned(ctx, &w.always, w.places)); err != nil {
		return nil, err
	}
	return w.result, w.reasons(ctx)
}

func parallel(n, workers int, do func(worker, i int)) {
	next := make(chan int)
	var work sync.WaitGroup
	for worker := range workers {
		work.Go(func() {
			for i := range next {
				do(worker, i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	work.Wait()
}
