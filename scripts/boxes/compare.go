package main

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
)

// near is the maximum distance between the sides of two nearly equal boxes, in
// px.
const near = 0.5

// A difference is the result of comparing a page.
type difference struct {
	page  string
	exact bool   // the same nodes with the same boxes
	close bool   // the same nodes, no side more than near apart
	why   string // "" if exact
}

func names(s shelf) []string { return slices.Sorted(maps.Keys(s)) }

// compare compares each page with the most similar of several saved ones. Pages
// that only one side has are omitted.
func compare(now shelf, kept []shelf, only *regexp.Regexp) []difference {
	var all []difference
	for _, name := range names(now) {
		if !only.MatchString(name) {
			continue
		}
		var best *difference
		for _, k := range kept {
			was, ok := k[name]
			if !ok {
				continue
			}
			is := now[name]
			d := differ(&was, &is)
			if best == nil || d.exact && !best.exact || d.close && !best.close {
				best = &d
			}
		}
		if best != nil {
			all = append(all, *best)
		}
	}
	return all
}

// differ describes how a page differs from its saved layout.
func differ(was, is *layout) difference {
	d := difference{page: is.Page}
	if was.Error != "" || is.Error != "" {
		d.exact = was.Error != "" && is.Error != ""
		d.close = d.exact
		d.why = fmt.Sprintf("failed: %q, then %q", was.Error, is.Error)
		return d
	}
	first := -1 // index of the first different node
	for i := range max(len(was.Name), len(is.Name)) {
		if i >= len(was.Name) || i >= len(is.Name) || was.Name[i] != is.Name[i] || was.Parent[i] != is.Parent[i] {
			first = i
			break
		}
	}
	if first >= 0 {
		at := "its end"
		if first < len(is.Name) {
			at = is.path(first)
		}
		d.why = fmt.Sprintf("%d nodes with a box, then %d; first at %s", len(was.Name), len(is.Name), at)
		return d
	}
	n, far, at := 0, 0.0, 0
	for i, b := range was.Box {
		if b == is.Box[i] {
			continue
		}
		if n == 0 {
			at = i
		}
		n++
		for side := range b {
			far = max(far, math.Abs(b[side]-is.Box[i][side]))
		}
	}
	d.exact, d.close = n == 0, far <= near
	if n > 0 {
		d.why = fmt.Sprintf("%d of %d boxes, by up to %.2f px; first %s: %v, then %v", n, len(was.Box), far, is.path(at), was.Box[at], is.Box[at])
	}
	return d
}

// report prints the share of equal pages, per set and in total, and the
// differing pages.
func report(all []difference) {
	if len(all) == 0 {
		fmt.Println("no page is on both sides")
		return
	}
	fmt.Printf("%-8s  %6s  %14s  %14s\n", "set", "pages", "equal", "within 0.5 px")
	for _, set := range []struct{ name, pattern string }{{"kit", "^kit/"}, {"webseg", "^webseg/"}, {"all", ""}} {
		n, exact, close := 0, 0, 0
		for _, d := range all {
			if !regexp.MustCompile(set.pattern).MatchString(d.page) {
				continue
			}
			n++
			if d.exact {
				exact++
			}
			if d.close {
				close++
			}
		}
		if n > 0 {
			fmt.Printf("%-8s  %6d  %5d (%5.1f %%)  %5d (%5.1f %%)\n", set.name, n, exact, 100*float64(exact)/float64(n), close, 100*float64(close)/float64(n))
		}
	}
	for _, d := range all {
		if !d.exact || d.why != "" {
			fmt.Printf("  %s: %s\n", d.page, d.why)
		}
	}
	fmt.Println()
}
