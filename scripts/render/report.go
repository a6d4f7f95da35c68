package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// whole is the recall from which a page counts as whole: a few pages show numbers
// that never stop changing.
const whole = 0.99

// figures sums up a capture.
type figures struct {
	Tabs       int            `json:"tabs"` // 0: plat's default
	Pages      int            `json:"pages"`
	Words      float64        `json:"words"`        // mean recall of the pages
	Whole      float64        `json:"whole"`        // share of pages with a recall ≥ 0.99
	Poor       int            `json:"poor"`         // pages with a recall < 0.90
	Failed     int            `json:"failed"`       // pages that were not archived
	Timeouts   int            `json:"timeouts"`     // of these, by a limit in time
	Missing    int            `json:"missing"`      // pages of which plat said nothing
	Unsettled  int            `json:"unsettled"`    // pages taken while still moving
	WallMS     float64        `json:"wall_ms"`      // median time of a rendering
	CPUMS      float64        `json:"cpu_ms"`       // per page, plat and browser; -1: unknown
	PerSecond  float64        `json:"per_second"`   // pages per second of the whole run
	Settle     map[string]int `json:"settle"`       // pages by why they were taken
	SlowestMS  float64        `json:"slowest_ms"`   // longest visit
	SlowestURL string         `json:"slowest_page"` // and whose it is
	Stalled    bool           `json:"stalled"`      // the run was ended because nothing went on
}

func sumUp(c *capture, pages []page) figures {
	f := figures{Tabs: c.Tabs, Pages: len(pages), CPUMS: -1, Settle: map[string]int{}, Stalled: c.Stalled}
	var walls []time.Duration
	for _, p := range pages {
		r := c.Pages[p.URL]
		if r == nil {
			f.Missing++
			f.Poor++
			continue
		}
		v := recall(p.Truth, r.Words)
		f.Words += v
		if v >= whole {
			f.Whole++
		}
		if v < 0.90 {
			f.Poor++
		}
		if r.Error != "" {
			f.Failed++
		} else {
			walls = append(walls, r.Wall)
		}
		if r.Outcome == "timeout" {
			f.Timeouts++
		}
		if r.Unsettled {
			f.Unsettled++
		}
		if r.Settle != "" {
			f.Settle[r.Settle]++
		}
		if ms := millis(r.Visit); ms > f.SlowestMS {
			f.SlowestMS, f.SlowestURL = ms, p.Name
		}
	}
	n := float64(len(pages))
	f.Words /= n
	f.Whole /= n
	f.PerSecond = n / c.Wall.Seconds()
	if c.CPU >= 0 {
		f.CPUMS = millis(c.CPU) / n
	}
	if len(walls) > 0 {
		f.WallMS = millis(median(walls))
	}
	return f
}

func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// median is the middle value, the higher one of an even number. v is sorted.
func median[T cmp.Ordered](v []T) T {
	slices.Sort(v)
	return v[len(v)/2]
}

const columns = "%5s  %6s  %6s  %5s  %6s  %9s  %7s  %11s  %7s  %s\n"

func printHead() {
	fmt.Printf(columns, "tabs", "words", "≥99 %", "<90 %", "failed", "unsettled", "wall ms", "CPU ms/page", "pages/s", "settled by")
}

func (f *figures) print() {
	tabs, cpu := "-", "-"
	if f.Tabs > 0 {
		tabs = fmt.Sprint(f.Tabs)
	}
	if f.CPUMS >= 0 {
		cpu = fmt.Sprintf("%.0f", f.CPUMS)
	}
	fmt.Printf(columns, tabs, share(f.Words), percent(f.Whole), fmt.Sprint(f.Poor), fmt.Sprint(f.Failed+f.Missing),
		fmt.Sprint(f.Unsettled), fmt.Sprintf("%.0f", f.WallMS), cpu, fmt.Sprintf("%.1f", f.PerSecond), counts(f.Settle))
	if f.Stalled {
		fmt.Printf("stalled: no page was finished for %v; %d pages are missing\n", stallLimit, f.Missing)
	}
}

func share(v float64) string   { return fmt.Sprintf("%.3f", v) }
func percent(v float64) string { return fmt.Sprintf("%.1f", 100*v) }

// counts is "idle 200, limit 3", the most frequent first.
func counts(n map[string]int) string {
	names := make([]string, 0, len(n))
	for name := range n {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(n[b]-n[a], strings.Compare(a, b)) })
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, n[name])
	}
	return strings.Join(names, ", ")
}

// short lists the pages that are not whole, in the worst of the captures.
type short struct {
	Name   string   `json:"page"`
	Words  int      `json:"words"`  // of the truth
	Recall float64  `json:"recall"` // the least
	Whole  int      `json:"whole"`  // captures in which it is whole
	Of     int      `json:"of"`     // captures
	Reason string   `json:"reason"`
	Lacks  []string `json:"lacks"` // some of the words that are missing
}

func shortOf(captures []*capture, pages []page) []short {
	var all []short
	for _, p := range pages {
		s := short{Name: p.Name, Words: p.Truth.size(), Recall: 2, Of: len(captures)}
		for _, c := range captures {
			r := c.Pages[p.URL]
			if r == nil {
				r = &result{Error: "plat said nothing of it", Words: bag{}}
			}
			v := recall(p.Truth, r.Words)
			if v >= whole {
				s.Whole++
			}
			if v < s.Recall {
				s.Recall, s.Reason, s.Lacks = v, reason(r), lacks(p.Truth, r.Words)
			}
		}
		if s.Whole < s.Of {
			all = append(all, s)
		}
	}
	slices.SortStableFunc(all, func(a, b short) int { return cmp.Compare(a.Recall, b.Recall) })
	return all
}

// reason says why a page was taken as it is.
func reason(r *result) string {
	switch {
	case r.Error != "":
		return strings.TrimPrefix(fmt.Sprintf("%s: %s", r.Outcome, r.Error), ": ")
	case r.Settle != "" && r.Unsettled:
		return r.Settle + ", unsettled"
	case r.Settle != "":
		return r.Settle
	case r.Unsettled:
		return "taken at a limit in time"
	}
	return fmt.Sprintf("taken after %.0f ms", millis(r.Wall))
}

// lacks names some words that got has too few of.
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

func printShort(all []short) {
	if len(all) == 0 {
		fmt.Println("every page is whole")
		return
	}
	fmt.Printf("\n%d pages are not whole in every capture:\n%6s  %6s  %5s  %-30s  %s\n", len(all), "words", "recall", "whole", "page", "reason; missing words")
	for _, s := range all {
		fmt.Printf("%6d  %6s  %5s  %-30s  %s; %s …\n", s.Words, share(s.Recall), fmt.Sprintf("%d/%d", s.Whole, s.Of), s.Name, s.Reason, strings.Join(s.Lacks, " "))
	}
}
