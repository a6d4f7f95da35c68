package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// part writes P, R or F as the figures of this project are written: 1.000, .967, – where it is not
// defined.
func part(f *float64) string {
	if f == nil {
		return "–"
	}
	return strings.TrimPrefix(fmt.Sprintf("%.3f", *f), "0")
}

// print writes the tables.
func print(out io.Writer, reports []*setReport) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tsite\tpages\tpairs\tnew items\tfound\tmissed\tfalse\tP\tR\tF\t")
	for _, r := range reports {
		row := func(site string, pages int, s *score) {
			fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%s\t%s\t%s\t\n", r.Set, site, pages, s.Pairs, s.New, s.Found, s.Missed, s.False+s.Pieces, part(s.P), part(s.R), part(s.F))
		}
		for i := range r.Sites {
			row(r.Sites[i].Site, r.Sites[i].Pages, &r.Sites[i].score)
		}
		row("all", r.Whole.Pages, &r.Whole.score)
	}
	w.Flush()

	fmt.Fprintln(out, "\nMeans over the pages with new items; false items where nothing is new, in brackets the pairs")
	fmt.Fprintln(w, "set\tmethod\tpages\tP\tR\tF\tno new item\tsame text\tpages without a list\tof these per 1,000 pairs\t")
	for _, r := range reports {
		for _, m := range r.Methods {
			fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\t%d (%d)\t%d (%d)\t%d (%d)\t%.1f\t\n", r.Set, m.Method, m.PagesWithNew, part(m.MacroP), part(m.MacroR), part(m.MacroF),
				m.FalseCalm, m.CalmPairs, m.FalseSame, m.SamePairs, m.FalseNone, m.NonePairs, m.perThousand())
		}
	}
	w.Flush()

	fmt.Fprintln(out, "\nLooks, memory read and written; the archive is not counted")
	fmt.Fprintln(w, "set\tlooks\ta second\tms, median\tworst\tmemory of a page, bytes, median\tworst\t")
	for _, r := range reports {
		s := &r.Speed
		fmt.Fprintf(w, "%s\t%d\t%.0f\t%.2f\t%.1f\t%d\t%d\t\n", r.Set, s.Looks, s.LooksASecond, s.MedianMS, s.WorstMS, s.MemoryMedian, s.MemoryWorst)
	}
	w.Flush()
	for _, r := range reports {
		fmt.Fprintf(out, "%s: slowest %s; most memory %s\n", r.Set, r.Speed.WorstPage, r.Speed.MemoryLargest)
	}

	fmt.Fprintln(out, "\nErrors of the first method")
	left := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(left, "set\tpage\tpair\t\titem\tcause")
	for _, r := range reports {
		for _, x := range r.Errors {
			fmt.Fprintf(left, "%s\t%s\t%d-%d\t%s\t%s\t%s\n", r.Set, x.Page, x.From, x.To, x.Kind, short(x.Item, 60), x.Cause)
		}
	}
	return left.Flush()
}

// short cuts a text to n characters.
func short(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}
