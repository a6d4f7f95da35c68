// Focus compares the orders of focused crawls on a stored corpus of real pages with known truth:
// harvest, recall and what each part of the order blocks is worth.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"plat/focus"
	"plat/scripts/focus/corpus"
)

func main() {
	log.SetFlags(0)
	data := os.Getenv("PLAT_DATA")
	if data == "" {
		data = "../shared/data"
	}
	var o options
	dir := flag.String("corpus", "uci-ics", "name of a corpus in `focus/` of the data, or its folder")
	orders := flag.String("orders", strings.Join(focus.Orders(), ","), "orders to compare, by comma; blocks-words is blocks without its part words")
	topics := flag.String("topics", "", "topics, by comma; empty: all")
	flag.StringVar(&o.seeds, "seeds", "far,near", "kinds of seeds")
	flag.IntVar(&o.sets, "sets", 3, "sets of seeds of each kind")
	flag.IntVar(&o.pages, "pages", 4000, "pages that exist, of each crawl")
	flag.IntVar(&o.perHost, "per-host", 0, "most pages of one host")
	flag.BoolVar(&o.direct, "direct", false, "read pages from memory instead of a server on loopback")
	flag.BoolVar(&o.each, "each", false, "print each topic")
	flag.StringVar(&o.chart, "chart", "", "draw the harvest curves into an SVG `file`")
	flag.Parse()
	if !strings.ContainsRune(*dir, os.PathSeparator) {
		*dir = filepath.Join(data, "focus", *dir)
	}
	c, err := corpus.Load(*dir)
	if err != nil {
		log.Fatal(err)
	}
	o.orders = strings.Split(*orders, ",")
	if err := run(c, *topics, o); err != nil {
		log.Fatal(err)
	}
}

func run(c *corpus.Corpus, topics string, o options) error {
	b, err := newBench(c, o)
	if err != nil {
		return err
	}
	defer b.close()
	for i := range c.Topics {
		if topics == "" || strings.Contains(","+topics+",", ","+c.Topics[i].ID+",") {
			b.topics = append(b.topics, i)
		}
	}
	if err := b.crawlAll(); err != nil {
		return err
	}
	fmt.Print(b.report())
	return nil
}
