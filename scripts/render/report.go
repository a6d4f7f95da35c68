package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// whole is the recall from which a page counts as complete: a few pages show
// numbers that never stop changing.
const whole = 0.99

// figures summarise a capture.
type figures struct {
	Tabs      int            `json:"tabs"` // 0: plat's default
	Pages     int            `json:"pages"`
	Words     float64        `json:"words"`      // mean recall of the pages
	Whole     float64        `json:"whole"`      // share of pages with a recall ≥ 0.99
	Poor      int            `json:"poor"`       // pages with a recall < 0.90
	Failed    int            `json:"failed"`     // pages that were not archived
	Timeouts  int            `json:"timeouts"`   // those failed by a time limit
	Missing   int            `json:"missing"`    // pages that plat did not report
	Unsettled int            `json:"unsettled"`  // pages captured before they settled
	WallMS    float64        `json:"wall_ms"`    // median time of a rendering
	CPUMS     float64        `json:"cpu_ms"`     // per page, plat and browser; -1: unknown
	PerSecond float64        `json:"per_second"` // pages per second of the whole run
	Settle    map[string]int `json:"settled"`    // pages by reason for settling
	Slowest   []slow         `json:"slowest"`    // the longest visits
	GapMS     float64        `json:"gap_ms"`     // longest time in which no page was finished
	Stalled   bool           `json:"stalled"`    // the run was aborted because it stalled
}

// slow is a slow visit.
type slow struct {
	Page string  `json:"page"`
	MS   float64 `json:"ms"`
}

func sumUp(c *capture, pages []page) figures {
	f := figures{Tabs: c.Tabs, Pages: len(pages), CPUMS: -1, Settle: map[string]int{}, GapMS: millis(c.Gap), Stalled: c.Stalled}
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
		f.Slowest = append(f.Slowest, slow{p.Name, millis(r.Visit)})
	}
	slices.SortStableFunc(f.Slowest, func(a, b slow) int { return cmp.Compare(b.MS, a.MS) })
	f.Slowest = f.Slowest[:min(3, len(f.Slowest))]
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

// median is the middle value, the higher one of an even number.
func median[T cmp.Ordered](v []T) T { return slices.Sorted(slices.Values(v))[len(v)/2] }

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

// printSpread prints the median and the worst of three captures or more.
func printSpread(all []figures) {
	if len(all) < 3 {
		return
	}
	var words, whole []float64
	for _, f := range all {
		words, whole = append(words, f.Words), append(whole, f.Whole)
	}
	for _, row := range []struct {
		name string
		of   func([]float64) float64
	}{{"median", median[float64]}, {"worst", slices.Min[[]float64]}} {
		fmt.Printf("%-6s %5s  %6s\n", row.name, share(row.of(words)), percent(row.of(whole)))
	}
}

// printCost prints memory, slowest pages and limits of each capture.
func printCost(captures []*capture, all []figures) {
	for i, c := range captures {
		f := &all[i]
		var slowest []string
		for _, s := range f.Slowest {
			slowest = append(slowest, fmt.Sprintf("%s %.1f s", s.Page, s.MS/1000))
		}
		fmt.Printf("slowest visits: %s; longest time without a finished page %.1f s; %d timeouts, %d pages missing\n",
			strings.Join(slowest, ", "), f.GapMS/1000, f.Timeouts, f.Missing)
		if len(c.Memory) == 0 {
			continue
		}
		var own, chrome, processes []int64
		for _, m := range c.Memory {
			own, chrome, processes = append(own, m.Plat), append(chrome, m.Chrome), append(processes, int64(m.Processes))
		}
		fmt.Printf("memory of plat %s; of the browser %s; its processes: at most %d, last tenth %d\n",
			course(own), course(chrome), slices.Max(processes), median(processes[len(processes)-max(1, len(processes)/10):]))
	}
}

// course summarises a quantity in bytes over time, one value a second.
func course(v []int64) string {
	tenth := max(1, len(v)/10)
	return fmt.Sprintf("%s MB, at most %s, first tenth %s, last tenth %s", megabytes(median(v)), megabytes(slices.Max(v)),
		megabytes(median(v[:tenth])), megabytes(median(v[len(v)-tenth:])))
}

func megabytes(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }

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

// line is the -json output for a page.
type line struct {
	Page      string  `json:"page"`
	Words     int     `json:"words"` // of the truth
	Recall    float64 `json:"recall"`
	Outcome   string  `json:"outcome"`
	Error     string  `json:"error,omitempty"`
	Settle    string  `json:"settled,omitempty"`
	Unsettled bool    `json:"unsettled"`
	WallMS    float64 `json:"wall_ms"`
}

func printLines(c *capture, pages []page, f *figures) {
	out := json.NewEncoder(os.Stdout)
	for _, p := range pages {
		l := line{Page: p.Name, Words: p.Truth.size()}
		if r := c.Pages[p.URL]; r != nil {
			l.Recall, l.Outcome, l.Error, l.Settle = recall(p.Truth, r.Words), string(r.Outcome), r.Error, r.Settle
			l.Unsettled, l.WallMS = r.Unsettled, millis(r.Wall)
		}
		out.Encode(l)
	}
	out.Encode(f)
}
