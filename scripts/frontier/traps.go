package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"plat/scripts/frontier/trapsite"
	"plat/scripts/procs"
)

// trapOptions set the site and the bounds of a crawl.
type trapOptions struct {
	seed              uint64
	bound, offs       int // visits for each page
	idle, limit       time.Duration
	lookups           int
	extra             []string // flags of plat
	dir, bin, seedURL string
	port              int
	site              *trapsite.Site
}

// trapResult is the result of a crawl in one mode.
type trapResult struct {
	Mode       string         `json:"mode"`
	Pages      int            `json:"pages"`
	Lists      int            `json:"lists"`
	Seed       uint64         `json:"seed"`
	Ended      string         `json:"ended"` // why
	Seconds    float64        `json:"seconds"`
	Archived   int            `json:"pages_archived"`
	Visits     int            `json:"visits"`
	Beyond     float64        `json:"visits_beyond_pages_percent"`
	Complete   int            `json:"visits_until_last_page"`
	Redirects  int            `json:"redirects"`
	ListVisits int            `json:"visits_of_lists"`
	Traps      map[string]int `json:"visits_of_traps"`
	Others     int            `json:"requests_of_second_and_third_addresses"`
	Again      int            `json:"visits_of_pages_seen_before"`
	archiveResult
	lookupResult
}

// trapsCommand crawls the site in every mode.
func trapsCommand(ctx context.Context, args []string) error {
	var o trapOptions
	flags := newFlags("traps", "", "-modes on", "-seed 2 -json", "-pages 200 -modes off,on -keep", "-- --tabs 2")
	pages := flags.Int("pages", 2000, "real pages of the site, each under three addresses; lists of them come in addition")
	flags.Uint64Var(&o.seed, "seed", 1, "of the site: its words, names and shapes")
	modes := flags.String("modes", "off,rules,on", "values of plat's --traps, one crawl each")
	flags.IntVar(&o.bound, "bound", 5, "visits for each page, after which a crawl is stopped that has not ended")
	flags.IntVar(&o.offs, "bound-off", 3, "the same in the mode off, which is also stopped when all pages were served")
	flags.DurationVar(&o.idle, "idle", 30*time.Second, "without a request, after which a crawl has ended")
	flags.DurationVar(&o.limit, "limit", 3*time.Hour, "for each crawl")
	flags.IntVar(&o.lookups, "lookups", 200, "pages that are looked up under all three addresses, with plat show")
	asJSON := flags.Bool("json", false, "print one JSON object for each mode instead of a table")
	keep := flags.Bool("keep", false, "keep logs and archives")
	serve := flags.String("serve", "", "only serve the site at this `ADDRESS`")
	flags.Parse(args)
	o.extra = flags.Args()
	o.site = trapsite.New(*pages, o.seed)
	if *serve != "" {
		fmt.Fprintln(os.Stderr, "the site is at http://"+*serve)
		return http.ListenAndServe(*serve, o.site)
	}
	var err error
	if o.dir, err = os.MkdirTemp("", "plat-frontier-"); err != nil {
		return err
	}
	if *keep {
		fmt.Fprintln(os.Stderr, "logs and archives:", o.dir)
	} else {
		defer os.RemoveAll(o.dir)
	}
	fmt.Fprintln(os.Stderr, "building plat")
	if o.bin, err = procs.BuildPlat(ctx, o.dir); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	srv := &http.Server{Handler: o.site}
	defer srv.Close()
	go srv.Serve(l)
	o.port = l.Addr().(*net.TCPAddr).Port
	o.seedURL = fmt.Sprintf("http://site.localhost:%d", o.port)

	var all []*trapResult
	for mode := range strings.SplitSeq(*modes, ",") {
		flag, can := o.flag(ctx, mode)
		if !can {
			fmt.Fprintf(os.Stderr, "%s: this plat has no --traps; skipped\n", mode)
			continue
		}
		r, err := o.crawl(ctx, mode, flag)
		if err != nil {
			return fmt.Errorf("mode %s: %w", mode, err)
		}
		all = append(all, r)
		if *asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
		}
	}
	if !*asJSON && len(all) > 0 {
		printTraps(all)
	}
	return nil
}

// flag returns the flag that sets a mode. A plat without it has one mode only, off.
func (o *trapOptions) flag(ctx context.Context, mode string) (flag []string, can bool) {
	help, _ := exec.CommandContext(ctx, o.bin, "up", "--help").CombinedOutput()
	if strings.Contains(string(help), "--traps") {
		return []string{"--traps", mode}, true
	}
	return nil, mode == "off"
}

// crawl visits the site in one mode.
func (o *trapOptions) crawl(ctx context.Context, mode string, flag []string) (*trapResult, error) {
	dir := filepath.Join(o.dir, mode)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	o.site.Forget()
	archive := filepath.Join(dir, "plat.db")
	p, err := start(o.bin, dir, archive, o.port, slices.Concat([]string{o.seedURL + "/", "--scope", "host"}, flag, o.extra)...)
	if err != nil {
		return nil, err
	}
	defer p.kill()
	r := &trapResult{Mode: mode, Pages: len(o.site.Pages), Lists: o.site.Lists(), Seed: o.seed}
	requests, last, said := 0, time.Now(), time.Now()
	err = p.wait(ctx, o.limit, func() bool {
		c := o.site.Count()
		if n := c.Documents + c.Redirects; n > requests {
			requests, last = n, time.Now()
		}
		if time.Since(said) > 15*time.Second {
			said = time.Now()
			fmt.Fprintf(os.Stderr, "%s: %4.0f s, %d of %d pages served, %d visits, %d redirects, traps %v\n", mode, time.Since(p.began).Seconds(), c.Pages, r.Pages, c.Documents, c.Redirects, c.Traps)
		}
		bound := o.bound
		if mode == "off" {
			bound = o.offs
		}
		switch {
		case time.Since(last) > o.idle:
			r.Ended = "by itself"
		case c.Documents >= bound*r.Pages:
			r.Ended = fmt.Sprintf("after %d visits a page", bound)
		case mode == "off" && c.Pages == r.Pages:
			r.Ended = "all pages served"
		}
		return r.Ended != ""
	})
	if err != nil {
		return nil, err
	}
	r.Seconds = last.Sub(p.began).Seconds()
	if err := p.stop(); err != nil {
		return nil, fmt.Errorf("plat ended with %w: %s", err, p.tail())
	}
	c := o.site.Count()
	r.Visits, r.Complete, r.Redirects, r.ListVisits, r.Traps, r.Others, r.Again = c.Documents, c.Complete, c.Redirects, c.Lists, c.Traps, c.Others, c.Again
	r.Beyond = 100 * float64(r.Visits-r.Pages) / float64(r.Pages)
	fmt.Fprintf(os.Stderr, "%s: reading the archive\n", mode)
	if r.Archived, err = r.archiveResult.read(ctx, o.site, archive); err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return r, r.lookupResult.look(ctx, o, archive)
}

// printTraps prints one table with a column for each mode.
func printTraps(all []*trapResult) {
	first := all[0]
	fmt.Printf("plat up URL --scope host --traps MODE: %d pages under three addresses each, %d lists of them, seed %d.\n", first.Pages, first.Lists, first.Seed)
	fmt.Println("A visit is a document that was answered; a redirect is none. A page is archived if a version holds its own text.")
	row := func(name string, value func(r *trapResult) string) {
		fmt.Printf("%-52s", name)
		for _, r := range all {
			fmt.Printf(" %20s", value(r))
		}
		fmt.Println()
	}
	number := func(name string, value func(r *trapResult) int) {
		row(name, func(r *trapResult) string { return strconv.Itoa(value(r)) })
	}
	row("--traps", func(r *trapResult) string { return r.Mode })
	row("ended", func(r *trapResult) string { return r.Ended })
	row("seconds", func(r *trapResult) string { return fmt.Sprintf("%.0f", r.Seconds) })
	number("pages archived", func(r *trapResult) int { return r.Archived })
	number("visits", func(r *trapResult) int { return r.Visits })
	row("visits beyond the pages, %", func(r *trapResult) string { return fmt.Sprintf("%.1f", r.Beyond) })
	number("visits until the last page was served", func(r *trapResult) int { return r.Complete })
	number("visits of the site's lists", func(r *trapResult) int { return r.ListVisits })
	for _, t := range trapsite.Traps() {
		number("visits of the trap "+t, func(r *trapResult) int { return r.Traps[t] })
	}
	number("visits of pages that were served before", func(r *trapResult) int { return r.Again })
	number("requests of second and third addresses", func(r *trapResult) int { return r.Others })
	number("redirects answered", func(r *trapResult) int { return r.Redirects })
	number("versions of pages stored", func(r *trapResult) int { return r.Versions })
	number("  beyond one for each archived page", func(r *trapResult) int { return r.Versions - r.Archived })
	number("  of them under another address of the page", func(r *trapResult) int { return r.Twice })
	number("versions of traps and lists stored", func(r *trapResult) int { return r.Rest })
	for _, what := range missingNames() {
		number("pages missing: "+what, func(r *trapResult) int { return r.Missing[what] })
	}
	for k, name := range []string{"first", "second", "third"} {
		row("found under the "+name+" address", func(r *trapResult) string { return fmt.Sprintf("%d of %d", r.Found[k], r.Looked) })
	}
	row("found under all three", func(r *trapResult) string { return fmt.Sprintf("%d of %d", r.FoundAll, r.Looked) })
}
