package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"plat/scripts/focus/corpus"
)

// row is an order's figures for a kind of seeds, with or without a limit per host.
type row struct {
	Seeds   string             `json:"seeds"`
	PerHost int                `json:"per_host,omitempty"`
	Order   string             `json:"order"`
	Found   figures            `json:"relevant"` // grades 1 and 2
	Strong  figures            `json:"strong"`   // grade 2
	Missing float64            `json:"missing"`  // requested URLs without a page, mean of a crawl
	Repeats float64            `json:"repeats"`  // URLs that redirected to a page that was there already
	Visited float64            `json:"visited"`  // pages
	Topics  map[string]float64 `json:"topics"`   // area
}

// figures are the figures of a grade.
type figures struct {
	Area    mean      `json:"area"`
	Tuned   mean      `json:"tuned"`  // area of the topics on which constants were chosen
	Others  mean      `json:"others"` // of the held-out topics
	Harvest []float64 `json:"harvest"`
	Recall  []float64 `json:"recall"`
}

// points returns the numbers of pages at which harvest and recall are reported.
func (b *bench) points() []int {
	all := []int{500, 1000, 2000, 4000}
	return all[:max(1, slices.IndexFunc(append(all, math.MaxInt), func(n int) bool { return n > b.o.pages }))]
}

func (b *bench) figures(order string, at condition, g grade) figures {
	area := func(c *curve) float64 { return c.area(b.o.pages, g) }
	f := figures{Area: b.mean(order, at, every, area), Tuned: b.mean(order, at, b.tuned, area), Others: b.mean(order, at, b.untuned, area)}
	for _, n := range b.points() {
		f.Harvest = append(f.Harvest, b.mean(order, at, every, func(c *curve) float64 { return c.harvest(n, g) }).Value)
		f.Recall = append(f.Recall, b.mean(order, at, every, func(c *curve) float64 { return c.recall(n, g) }).Value)
	}
	return f
}

func (b *bench) rows(at condition) []row {
	rows := make([]row, len(b.o.orders))
	for i, order := range b.o.orders {
		rows[i] = row{
			Seeds: at.kind, PerHost: at.cap, Order: order,
			Found: b.figures(order, at, relevant), Strong: b.figures(order, at, strong),
			Missing: b.mean(order, at, every, func(c *curve) float64 { return float64(c.missing) }).Value,
			Repeats: b.mean(order, at, every, func(c *curve) float64 { return float64(c.repeats) }).Value,
			Visited: b.mean(order, at, every, func(c *curve) float64 { return float64(len(c.steps)) }).Value,
			Topics:  map[string]float64{},
		}
		for _, t := range b.topics {
			rows[i].Topics[b.corpus.Topics[t].ID] = b.mean(order, at, func(x int) bool { return x == t }, func(c *curve) float64 { return c.area(b.o.pages, relevant) }).Value
		}
	}
	return rows
}

// report writes all tables, or all rows as JSON, one a line.
func (b *bench) report(w io.Writer, asJSON bool) error {
	if !asJSON {
		b.about(w)
	}
	for _, at := range b.conditions() {
		rows := b.rows(at)
		if asJSON {
			for i := range rows {
				if err := json.NewEncoder(w).Encode(&rows[i]); err != nil {
					return err
				}
			}
			continue
		}
		limit := "no limit per host"
		if at.cap > 0 {
			limit = fmt.Sprintf("at most %d pages of a host", at.cap)
		}
		fmt.Fprintf(w, "\n%s seeds, %s, crawls of %d pages that exist\n", strings.ToUpper(at.kind), limit, b.o.pages)
		b.table(w, "grades 1 and 2", rows, func(r *row) *figures { return &r.Found })
		if b.graded() {
			b.table(w, "grade 2 alone", rows, func(r *row) *figures { return &r.Strong })
		}
		if b.o.each {
			b.byTopic(w, rows)
		}
		b.compare(w, rows)
	}
	return nil
}

// graded reports whether some relevant pages are of grade 1.
func (b *bench) graded() bool {
	return slices.ContainsFunc(b.topics, func(t int) bool {
		return slices.ContainsFunc(b.corpus.Pages, func(p corpus.Page) bool { return p.Grade(b.corpus.Topics[t].ID) == corpus.Relevant })
	})
}

// about prints the setting of the measurement.
func (b *bench) about(w io.Writer) {
	var tuned, others []string
	for _, t := range b.topics {
		if name := b.corpus.Topics[t].ID; b.tuned(t) {
			tuned = append(tuned, name)
		} else {
			others = append(others, name)
		}
	}
	how := "over HTTP on loopback, each once; without Chrome"
	if b.o.direct {
		how = "from memory"
	}
	fmt.Fprintf(w, "Corpus %s: %d pages, read %s; %d topics, up to %d sets of seeds of each kind.\n", b.corpus.Name, len(b.corpus.Pages), how, len(b.topics), b.o.sets)
	if s := b.pages.server; s != nil {
		fmt.Fprintf(w, "The server answered %d times with a page, %d with a redirect, %d with 404.\n", s.Pages.Load(), s.Moved.Load(), s.Missing.Load())
	}
	if len(tuned) > 0 {
		fmt.Fprintf(w, "Constants of the order blocks were chosen on the topics %s (tuned), not on %s (others).\n", strings.Join(tuned, ", "), strings.Join(others, ", "))
	}
	fmt.Fprintln(w, "Area: mean harvest at 1, 2, … pages, of all topics; ± 95 % interval over sets of seeds. Recall: of what can be reached.")
}

func (b *bench) table(w io.Writer, name string, rows []row, of func(*row) *figures) {
	fmt.Fprintf(w, "\n%-16s %15s  %15s  %15s", name, "area", "tuned", "others")
	for _, n := range b.points() {
		fmt.Fprintf(w, " %6s", fmt.Sprintf("H%d", n))
	}
	fmt.Fprint(w, " ")
	for _, n := range b.points() {
		fmt.Fprintf(w, " %6s", fmt.Sprintf("R%d", n))
	}
	fmt.Fprintf(w, "  %7s %7s %7s\n", "pages", "missing", "again")
	for i := range rows {
		r, f := &rows[i], of(&rows[i])
		fmt.Fprintf(w, "%-16s %s  %s  %s", r.Order, f.Area, f.Tuned, f.Others)
		for _, v := range f.Harvest {
			fmt.Fprintf(w, " %6.3f", v)
		}
		fmt.Fprint(w, " ")
		for _, v := range f.Recall {
			fmt.Fprintf(w, " %6.3f", v)
		}
		fmt.Fprintf(w, "  %7.0f %7.0f %7.0f\n", r.Visited, r.Missing, r.Repeats)
	}
}

func (m mean) String() string {
	if len(m.Sets) == 0 {
		return fmt.Sprintf("%15s", "–")
	}
	return fmt.Sprintf("%.4f ± %.4f", m.Value, m.Half)
}

func (b *bench) byTopic(w io.Writer, rows []row) {
	fmt.Fprintf(w, "\n%-16s", "area by topic")
	for _, t := range b.topics {
		fmt.Fprintf(w, " %12s", b.corpus.Topics[t].ID)
	}
	fmt.Fprintln(w)
	for i := range rows {
		fmt.Fprintf(w, "%-16s", rows[i].Order)
		for _, t := range b.topics {
			fmt.Fprintf(w, " %12.3f", rows[i].Topics[b.corpus.Topics[t].ID])
		}
		fmt.Fprintln(w)
	}
}

// compare prints the ratio of the order blocks to the best other one, and the loss without each
// of its parts.
func (b *bench) compare(w io.Writer, rows []row) {
	at := slices.IndexFunc(rows, func(r row) bool { return r.Order == "blocks" })
	if at < 0 {
		return
	}
	fmt.Fprintln(w)
	for _, x := range []struct {
		name string
		of   func(*row) mean
	}{
		{"all topics", func(r *row) mean { return r.Found.Area }},
		{"tuned", func(r *row) mean { return r.Found.Tuned }},
		{"others", func(r *row) mean { return r.Found.Others }},
		{"all topics, grade 2", func(r *row) mean { return r.Strong.Area }},
	} {
		if strings.HasSuffix(x.name, "grade 2") && !b.graded() {
			continue
		}
		best := -1
		for i := range rows {
			if !strings.HasPrefix(rows[i].Order, "blocks") && len(x.of(&rows[i]).Sets) > 0 && (best < 0 || x.of(&rows[i]).Value > x.of(&rows[best]).Value) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		own, other := x.of(&rows[at]), x.of(&rows[best])
		if x.name == "others" && len(rows[at].Found.Tuned.Sets) == 0 {
			continue // they are all
		}
		fmt.Fprintf(w, "blocks ÷ best other order (%s), %s: %.2f%s\n", rows[best].Order, x.name, own.Value/other.Value, ratios(own, other))
	}
	for i := range rows {
		if part, ok := strings.CutPrefix(rows[i].Order, "blocks-"); ok {
			own, less := rows[at].Found, rows[i].Found
			fmt.Fprintf(w, "without %-8s area %+.1f %%%s, others %+.1f %%\n", part+":", 100*(less.Area.Value/own.Area.Value-1), ratios(less.Area, own.Area), 100*(less.Others.Value/own.Others.Value-1))
		}
	}
}

// ratios returns the range of the ratios of single sets of seeds.
func ratios(a, b mean) string {
	if len(a.Sets) < 2 {
		return ""
	}
	low, high := math.Inf(1), math.Inf(-1)
	for i := range a.Sets {
		low, high = min(low, a.Sets[i]/b.Sets[i]), max(high, a.Sets[i]/b.Sets[i])
	}
	return fmt.Sprintf(" (by set of seeds %.2f to %.2f)", low, high)
}
