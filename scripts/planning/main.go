// Planning measures plans of visits (package slots) on recorded histories, as the paper on
// time-aware crawling does in section 3.1.2 (its tables 5 and 6, figures 2 to 5):
//
//	go run ./scripts/planning
//	go run ./scripts/planning -visits 3,5,8,11,15 -json
//
// 30 snapshots a period; plans are made from two periods and measured on them and on a third.
// Items are the targets of a page's links. A page's window is its whole life, from the first
// snapshot of its site that has it to the last, in 90 even steps. All pages are used on which
// new links come in at least five slots of each period.
//
// Numbers are means over pages. Accuracy and freshness are those of package slots, which
// count all items of the first slot as new, as the paper does; with -known only those that were
// missing at the end of the previous period. Time is that of making the plan from snapshots, on
// this machine. Beside them are the paper's figures, of different pages.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

var (
	sets   = flag.String("sets", "news,docs", "which recorded sets, comma separated")
	visits = flag.String("visits", "5,11", "visits of a period, comma separated")
	deltas = flag.String("deltas", "1,0.95,0.9,0.8,0.65", "greatest similarities δ, comma separated")
	limit  = flag.Duration("exhaustive", time.Minute, "how long each exhaustive search may take; 0 leaves them out")
	begin  = flag.Bool("known", false, "what a period begins with is not new")
	asJSON = flag.Bool("json", false, "print one JSON object instead of tables")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "Planning measures plans of visits on recorded histories.")
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "planning:", err)
		os.Exit(1)
	}
}

// report is all that is printed.
type report struct {
	Pages   int       `json:"pages"`    // that change often enough
	Of      int       `json:"of"`       // recorded
	Rows    []row     `json:"rows"`     // a strategy with a number of visits
	Repeats []repeats `json:"periodic"` // whether the pages' changes repeat
	Paper   []figure  `json:"paper"`
}

func run(ctx context.Context) error {
	counts, err := numbers(*visits, strconv.Atoi)
	if err != nil {
		return fmt.Errorf("-visits: %w", err)
	}
	limits, err := numbers(*deltas, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
	if err != nil {
		return fmt.Errorf("-deltas: %w", err)
	}
	pages, all, err := read(strings.Split(*sets, ","))
	if err != nil {
		return err
	}
	if len(pages) == 0 {
		return fmt.Errorf("none of %d pages changes often enough: give other -sets", all)
	}
	r := report{Pages: len(pages), Of: all, Paper: published}
	for _, f := range counts {
		rows, err := compare(ctx, pages, f, limits)
		if err != nil {
			return err
		}
		r.Rows = append(r.Rows, rows...)
	}
	if r.Repeats, err = repeating(pages); err != nil {
		return err
	}
	if *asJSON {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.print(os.Stdout)
}

// numbers parses a list.
func numbers[T any](list string, parse func(string) (T, error)) ([]T, error) {
	var out []T
	for s := range strings.SplitSeq(list, ",") {
		x, err := parse(strings.TrimSpace(s))
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}
