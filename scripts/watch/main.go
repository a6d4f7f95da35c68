// Watch measures the new items that package watch finds on the pages of the recorded histories:
//
//	go run ./scripts/watch                        # tables; archives the histories first, some minutes, once
//	go run ./scripts/watch -json
//	go run ./scripts/watch lcs                    # its LCS against the algorithm of Myers
//	go run ./scripts/watch blocks                 # whether chosen blocks are followed through redesigns
//	go run ./scripts/watch designs                # whether a redesign of a page causes reports
//	go run ./scripts/watch lists                  # edits of lists of thirty designs
//	go run ./scripts/watch pages                  # edits of lists of the data's pages
//	go run ./scripts/watch -data DIR -split NAME  # different data of the same form
//
// The archives are those that scripts/histories makes and -keep keeps; -archives names their
// folder. The versions of each page are examined in order as a subscription does, by
// watch.Memory.Look, and the memory is written and read again between two versions. Every version
// is one of the record by its time, so the evaluator of the data (watch/eval/watcheval.py), a
// Python program, compares the reports with the truth of the data (watch/truth). It prints
//
//   - each site: items that are new, found, missed and reported although they are not new
//     (among these links inside of a new item); P = found / reported, R = found / new, F;
//   - each set: the same figures as means over its pages with new items, so that a page with
//     many of them does not outweigh the rest; reports for pairs without new items;
//   - the same of the other methods of package watch, and of the four baselines of the data;
//   - each remaining error, with its cause from errors.txt;
//   - the time of examinations, and the size of a page's memory.
//
// "watch lcs" takes versions of the same archives, as titles of the entries of the lists, as
// texts of links, and as lines and words of the text: near pairs are consecutive versions that
// differ, far pairs the first version and the last, and a page and the next page of the set. Each
// pair is the input of diff.LCS, of go-diff (Myers, without a time limit, so exact) and of go-udiff
// (Myers, which is not exact after 100 differences), as integers. It prints the time of diff.LCS
// relative to each, their allocations, and fails if a result is not longest although it should be.
//
// "watch blocks" chooses, on the first version of each page with items, the smallest block that
// contains the items of the truth, as a user would by a click, and follows it through all later
// versions. A version is followed if the block contains at least four fifths of the page's items
// at that time; else it is wrong, or lost, which a subscription reports.
//
// "watch designs" uses the pages of 38 designs of the data's landmarks, each unchanged and
// without hints: different elements, no classes, no URLs in links. It examines one after the
// other, in both orders: every report is false.
//
// "watch lists" needs no data: it takes a list of a page from each of thirty packages of npm and Debian (lists.tsv),
// every one of a different design, archives the page, and edits the list by a script: entries are inserted, removed,
// exchanged and renamed. It prints for each list: was it found without a choice, how many of the inserted entries were
// reported as new, and the items that were reported although they are not new. The packages are fetched once, into .work/watch/lists.
//
// "watch pages" does the same with the pages of the data's content and landmarks, and with documents, whose snapshots
// scripts/eval-segment has made. The list of a page is the repeated structure with most text in its main text, by the marks of
// the data: at least four siblings of one tag and class, or sections below headings of one level, whose titles differ. The
// snapshots are edited, and an entry is also added to a list outside of the main text, and a paragraph to the text: both are no news.
// The versions are kept in .work/watch/pages. -half A or B measures half of the pages, divided by their sites.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"plat/fixtures/history"
)

// options are the flags of a measurement.
type options struct {
	sets     []string
	split    string
	data     string // folder with history and watch
	archives string // folder
	half     string // of the pages of watch pages; empty: both
	json     bool
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var o options
	dir, _ := history.Dir()
	sets := flag.String("sets", "news,docs", "which sets, comma separated")
	flag.StringVar(&o.split, "split", "dev", "which part of the data")
	flag.StringVar(&o.data, "data", dir, "folder of the data, which holds history/SET/SPLIT and watch/truth")
	flag.StringVar(&o.archives, "archives", "", "folder of the archives, SET.db; those that it lacks are made (default .work/watch/SPLIT)")
	flag.StringVar(&o.half, "half", "", "of watch pages: A or B, by the page's site; both if empty")
	flag.BoolVar(&o.json, "json", false, "print one JSON document instead of tables")
	flag.Parse()
	o.sets = strings.Split(*sets, ",")
	if o.archives == "" {
		o.archives = filepath.Join(".work", "watch", o.split)
	}
	command := measure
	switch {
	case flag.NArg() == 1 && flag.Arg(0) == "lcs":
		command = compareLCS
	case flag.NArg() == 1 && flag.Arg(0) == "blocks":
		command = followBlocks
	case flag.NArg() == 1 && flag.Arg(0) == "designs":
		command = otherDesigns
	case flag.NArg() == 1 && flag.Arg(0) == "lists":
		command = editLists
	case flag.NArg() == 1 && flag.Arg(0) == "pages":
		command = editPages
	case flag.NArg() > 0:
		return fmt.Errorf("%q is no command; write nothing, lcs, blocks, designs, lists or pages after the flags", flag.Args())
	}
	if o.data == "" && flag.Arg(0) != "lists" {
		return errors.New("there are no data beside the project; set -data or PLAT_DATA to the folder that holds history/ and watch/")
	}
	return command(ctx, &o)
}

// measure makes and prints the report.
func measure(ctx context.Context, o *options) error {
	eval, err := newEvaluator(o)
	if err != nil {
		return err
	}
	var reports []*setReport
	for _, set := range o.sets {
		r, err := eval.report(ctx, set)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		reports = append(reports, r)
	}
	if o.json {
		return printJSON(reports)
	}
	return print(os.Stdout, reports)
}

func printJSON(v any) error {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
