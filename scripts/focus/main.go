// Focus compares the orders of focused crawls on a stored corpus of real pages with known truth:
// harvest, recall and the contribution of each part of the order blocks.
//
//	go run ./scripts/focus                     # all orders, ten topics, far and near seeds
//	go run ./scripts/focus -corpus webkb
//	go run ./scripts/focus -agree 500          # whether reading without Chrome is the same
//	go run ./scripts/focus -corpus webkb,uci-ics -leave-topics-out "trust=0; page=.5,kids=0" -keep /tmp/focus
//	go run ./scripts/focus -direct -orders blocks,cosine -topics databases -sets 1
//
// Hosts of the corpus are served on loopback, and each page is fetched over HTTP through the guard
// and the robots.txt of crawls, once; it is read without Chrome, and kept for all crawls. Only
// pages that exist count as visited.
package main

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"plat/focus"
	"plat/scripts/focus/corpus"
)

// parts of the order blocks that may be left out.
var parts = []string{"page", "match", "folders", "groups", "kids", "words"}

func main() {
	log.SetFlags(0)
	log.SetPrefix("focus: ")
	data := os.Getenv("PLAT_DATA")
	if data == "" {
		data = "../shared/data"
	}
	all := focus.Orders()
	for _, p := range parts {
		all = append(all, "blocks-"+p)
	}
	var o options
	dir := flag.String("corpus", "uci-ics", "`NAME` of a corpus in the folder focus of the data, or its path; with -leave-topics-out several by comma")
	orders := flag.String("orders", strings.Join(all, ","), "orders to compare, by comma; blocks-words is blocks without its part words")
	topics := flag.String("topics", "", "topics, by comma; empty: all")
	kinds := flag.String("seeds", far+","+near, "kinds of seeds")
	caps := flag.String("per-host", "0", "most pages of one host, 0 for any number; several by comma")
	flag.IntVar(&o.sets, "sets", 3, "sets of seeds of each kind")
	flag.IntVar(&o.pages, "pages", 4000, "pages that exist, of each crawl")
	flag.BoolVar(&o.direct, "direct", false, "read pages from memory instead of a server on loopback")
	flag.BoolVar(&o.each, "each", false, "print each topic")
	picture := flag.String("chart", "", "draw harvest by pages into a `FILE`, .svg or .png")
	asJSON := flag.Bool("json", false, "print a JSON object for each order instead of tables")
	agree := flag.Int("agree", 0, "read `N` pages with Chrome and without, and compare")
	chrome := flag.String("chrome", os.Getenv("PLAT_CHROME"), "browser to use")
	worst := flag.Int("worst", 0, "with -agree, list the `N` pages that differ most")
	settings := flag.String("leave-topics-out", "", "choose constants of the order blocks: `SETTINGS`, by semicolon, such as \"page=.5,kids=0; seen=10\", are compared with the constants as they are, and the choice is judged on topics that it did not see; -orders are those to compare with")
	keep := flag.String("keep", "", "keep pages as read from memory, and crawls, in a `FOLDER`; remove its pages when reading changes")
	flag.Parse()
	o.orders, o.kinds = strings.Split(*orders, ","), strings.Split(*kinds, ",")
	for _, name := range o.orders {
		if !slices.Contains(all, name) && !strings.HasPrefix(name, "blocks-") || slices.ContainsFunc(strings.Split(name, "-")[1:], func(p string) bool { return !slices.Contains(parts, p) }) {
			log.Fatalf("order %q: write one of %s, or blocks- with several parts", name, strings.Join(all, ", "))
		}
	}
	for text := range strings.SplitSeq(*caps, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			log.Fatalf("-per-host %q: write numbers from 0, by comma", *caps)
		}
		o.caps = append(o.caps, n)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if o.keep, err = openKeeper(*keep); err != nil {
		log.Fatal(err)
	}
	defer o.keep.close()
	if *settings != "" {
		err = leaveTopicsOut(ctx, folders(data, *dir), *topics, *settings, o)
	} else if c, failed := corpus.Load(folders(data, *dir)[0]); failed != nil {
		err = failed
	} else if *agree > 0 {
		err = compareReadings(ctx, c, *agree, *chrome, *worst)
	} else {
		err = run(ctx, c, *topics, o, *picture, *asJSON)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// folders returns the folders of corpora that are given by name or path.
func folders(data, names string) []string {
	var out []string
	for name := range strings.SplitSeq(names, ",") {
		if !strings.ContainsRune(name, os.PathSeparator) {
			name = filepath.Join(data, "focus", name)
		}
		out = append(out, name)
	}
	return out
}

func run(ctx context.Context, c *corpus.Corpus, topics string, o options, picture string, asJSON bool) error {
	began := time.Now()
	b, err := newBench(c, topics, o)
	if err != nil {
		return err
	}
	defer b.close()
	if err := b.crawlAll(ctx); ctx.Err() != nil {
		if b.keepComplete(); len(b.topics) == 0 {
			return err
		}
		log.Printf("interrupted: only the topics that are complete are reported")
	} else if err != nil {
		return err
	}
	if err := b.report(os.Stdout, asJSON); err != nil {
		return err
	}
	log.Printf("took %v", time.Since(began).Round(time.Second))
	if picture == "" {
		return nil
	}
	return b.draw(picture)
}
