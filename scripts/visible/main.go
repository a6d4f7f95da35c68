// Visible compares the words of plat's leaf blocks with those that a second
// Chrome finds visible by truth.js, on the pages fetched by corpus.sh. It fails
// if the goals are missed.
//
//	scripts/visible/corpus.sh
//	go run ./scripts/visible
//	go run ./scripts/visible -only 'rust|scala' -worst 30
//
// recall is the share of the visible words in plat's blocks; excess the share
// of plat's words that are not visible. Both compare bags of words and ignore
// order.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// The viewport of both browsers, CSS px.
const width, height = 1366, 900

// pageTimeout is the limit for one page in one browser. The largest page has
// 420,000 words.
const pageTimeout = 3 * time.Minute

func main() {
	log.SetFlags(0)
	log.SetPrefix("visible: ")
	var (
		dir    = flag.String("dir", "/tmp/plat-visible", "the `FOLDER` that corpus.sh filled")
		list   = flag.String("pages", "", "the `FILE` of pages; default pages.txt in the folder")
		only   = flag.String("only", "", "only lines of the list that match this `REGEXP`")
		limit  = flag.Int("limit", 0, "at most `N` pages, spread over the list; 0: all")
		asJSON = flag.Bool("json", false, "print one line of JSON for each page")
		worst  = flag.Int("worst", 10, "show the `N` worst pages")
		chrome = flag.String("chrome", os.Getenv("PLAT_CHROME"), "browser to use")
	)
	flag.IntVar(limit, "n", 0, "short for -limit")
	flag.Parse()
	if *list == "" {
		*list = filepath.Join(*dir, "pages.txt")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	pages, err := readPages(*list, *only, *limit)
	if err != nil {
		log.Fatal(err)
	}
	all, err := measure(ctx, *dir, *chrome, pages, func(r *result) {
		if *asJSON {
			line, _ := json.Marshal(r)
			fmt.Printf("%s\n", line)
		}
	})
	if err != nil {
		log.Fatal(err)
	}
	if *asJSON {
		if !summary(all).good() {
			os.Exit(1)
		}
		return
	}
	if !report(os.Stdout, all, *worst) {
		os.Exit(1)
	}
}

// A target is a line of the list.
type target struct{ pkg, path string }

func readPages(file, only string, limit int) ([]target, error) {
	want, err := regexp.Compile(only)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w; run scripts/visible/corpus.sh first", err)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []target
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		pkg, path, ok := strings.Cut(sc.Text(), "\t")
		if ok && want.MatchString(sc.Text()) {
			all = append(all, target{pkg, path})
		}
	}
	if len(all) == 0 && sc.Err() == nil {
		return nil, fmt.Errorf("%s: no page matches %q", file, only)
	}
	if limit > 0 && limit < len(all) {
		some := make([]target, limit)
		for i := range some {
			some[i] = all[i*len(all)/limit]
		}
		all = some
	}
	return all, sc.Err()
}

// measure processes the pages one by one, with one browser active at a time:
// the reference assumes a finished page, and pages finish late on a busy
// machine.
func measure(ctx context.Context, dir, chrome string, pages []target, done func(*result)) ([]*result, error) {
	base, stop, err := serve(dir)
	if err != nil {
		return nil, err
	}
	defer stop()
	plat, err := newSubject(ctx, chrome, 1)
	if err != nil {
		return nil, err
	}
	defer plat.close()
	second, err := newWitness(ctx, chrome)
	if err != nil {
		return nil, err
	}
	defer second.stop()
	var all []*result
	for i, p := range pages {
		r := &result{Package: p.pkg, Page: p.path}
		u := base + (&url.URL{Path: "/" + p.path}).EscapedPath()
		start := time.Now()
		shown, err := plat.look(ctx, u)
		r.PlatSeconds = time.Since(start).Seconds()
		if err != nil {
			r.Error = "plat: " + err.Error()
		} else {
			start = time.Now()
			err := r.judge(second, u, shown)
			r.TruthSeconds = time.Since(start).Seconds()
			if err != nil {
				r.Error = "truth: " + err.Error()
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		all = append(all, r)
		done(r)
		if (i+1)%25 == 0 || i+1 == len(pages) {
			log.Printf("%d of %d pages", i+1, len(pages))
		}
	}
	slices.SortStableFunc(all, func(a, b *result) int { return strings.Compare(a.Package, b.Package) })
	return all, nil
}

// judge compares with the page a second after it has loaded. Timed content,
// mostly carousels, may have advanced meanwhile: if both sides have words
// missing from the other, it renders again later and uses the best result.
func (r *result) judge(w *witness, url, shown string) error {
	best := *r
	for i, wait := range []time.Duration{time.Second, 6 * time.Second, 11 * time.Second} {
		t, err := w.look(url, wait)
		if err != nil {
			return err
		}
		now := *r
		if now.compare(t, shown); i == 0 || now.recall() > best.recall() {
			best = now
		}
		if best.recall() >= pageGoal || best.excess() <= excessGoal {
			break
		}
	}
	*r = best
	return nil
}
