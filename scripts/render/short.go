package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A short page is one that is not complete in every capture, with the data of
// its worst capture.
type short struct {
	Name   string
	Words  int      // of the truth
	Recall float64  // the lowest
	Whole  int      // how often it was complete
	Of     int      // how often it was captured
	Reason string   // explanation of the worst capture
	Lacks  []string // some of the words missing there
}

// shortOf lists the incomplete pages, the worst first. A page visited several
// times is listed once.
func shortOf(captures []*capture, pages []page) []short {
	var all []*short
	known := map[string]*short{}
	for _, p := range pages {
		s := known[p.Name]
		if s == nil {
			s = &short{Name: p.Name, Words: p.Truth.size(), Recall: 2}
			known[p.Name] = s
			all = append(all, s)
		}
		for _, c := range captures {
			r := c.Pages[p.URL]
			if r == nil {
				r = &result{Error: "plat said nothing of it", Words: bag{}}
			}
			s.Of++
			v := recall(p.Truth, r.Words)
			if v >= whole {
				s.Whole++
			}
			if v < s.Recall {
				s.Recall, s.Reason, s.Lacks = v, reason(p.Truth, r), lacks(p.Truth, r.Words)
			}
		}
	}
	var found []short
	for _, s := range all {
		if s.Whole < s.Of {
			found = append(found, *s)
		}
	}
	slices.SortStableFunc(found, func(a, b short) int { return cmp.Compare(a.Recall, b.Recall) })
	return found
}

// reason explains a page's incomplete capture.
func reason(truth bag, r *result) string {
	why := fmt.Sprintf("taken after %.0f ms", millis(r.Wall))
	switch {
	case r.Error != "":
		return strings.TrimPrefix(fmt.Sprintf("%s: %s", r.Outcome, r.Error), ": ")
	case r.Settle != "":
		why = r.Settle
	}
	if r.Unsettled {
		why += ", at a limit in time"
	}
	if cutOtherwise(truth, r.Words) {
		why += ", every letter is there, cut into other words"
	}
	return why
}

// lacks returns some words that got has too few of.
func lacks(truth, got bag) []string {
	var missing []string
	for w, c := range truth {
		if got[w] < c {
			missing = append(missing, w)
		}
	}
	slices.Sort(missing)
	return missing[:min(3, len(missing))]
}

// cutOtherwise reports whether the letters of the missing words occur elsewhere
// in got: the expected words end where a text node ends, plat's where the
// rendered word ends.
func cutOtherwise(truth, got bag) bool {
	letters := map[rune]int{}
	short := false
	for w, c := range truth {
		for _, r := range w {
			letters[r] += max(0, c-got[w])
		}
		short = short || got[w] < c
	}
	for w, c := range got {
		for _, r := range w {
			letters[r] -= max(0, c-truth[w])
		}
	}
	for _, n := range letters {
		if n > 0 {
			return false
		}
	}
	return short
}

func printShort(all []short) {
	if len(all) == 0 {
		fmt.Println("every page is whole")
		return
	}
	fmt.Printf("\n%d pages are not whole in every capture:\n%6s  %6s  %5s  %-30s  %s\n", len(all), "words", "recall", "whole", "page", "reason; missing words")
	for _, s := range all {
		fmt.Printf("%6d  %6s  %5s  %-30s  %s; %s …\n", s.Words, share(s.Recall), fmt.Sprintf("%d/%d", s.Whole, s.Of), s.Name, s.Reason, strings.Join(s.Lacks, " "))
	}
	fmt.Println()
}

// printEqual prints the share of pages with the same words as in the previous
// capture, and the differing pages.
func printEqual(captures []*capture, pages []page) {
	for i := 1; i < len(captures); i++ {
		same, differ := equalPages(captures[i-1], captures[i], pages)
		fmt.Printf("captures %d and %d are equal by words on %s %% of the pages", i, i+1, percent(same))
		if len(differ) > 0 {
			fmt.Printf(", but for %s", strings.Join(differ, ", "))
		}
		fmt.Println()
	}
}

// equalPages compares two captures: the share of pages with the same words, and
// the names of the rest. A page missing from either differs.
func equalPages(a, b *capture, pages []page) (share float64, differ []string) {
	for _, p := range pages {
		x, y := a.Pages[p.URL], b.Pages[p.URL]
		if x == nil || y == nil || x.Error != "" || y.Error != "" || !equal(x.Words, y.Words) {
			differ = append(differ, p.Name)
		}
	}
	return 1 - float64(len(differ))/float64(len(pages)), differ
}
