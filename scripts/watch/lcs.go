package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff/lcs"
	"github.com/sergi/go-diff/diffmatchpatch"
	"golang.org/x/net/html"

	"plat/diff"
	"plat/plat"
	"plat/segment/markup"
	"plat/watch"
)

// units are the elements of a version's sequences.
var units = []struct {
	name string
	cut  func(v *plat.Version, l *plat.Layout) ([]string, error)
}{
	{"titles of entries", titles},
	{"texts of links", linkTexts},
	{"lines", lines},
	{"words", words},
}

func titles(v *plat.Version, l *plat.Layout) ([]string, error) {
	found, err := watch.Find(&watch.Page{URL: v.URL, Layout: l, Blocks: v.Blocks}, watch.Options{})
	if err != nil {
		return nil, err
	}
	var out []string
	for _, l := range found.Chosen {
		for i := range l.Entries {
			out = append(out, l.Entries[i].Title)
		}
	}
	return out, nil
}

func linkTexts(v *plat.Version, l *plat.Layout) ([]string, error) {
	page, err := markup.Restore(l, v.Blocks)
	if err != nil {
		return nil, err
	}
	var out []string
	var text strings.Builder
	in := false
	for z := html.NewTokenizer(bytes.NewReader(page)); ; {
		switch z.Next() {
		case html.ErrorToken:
			if z.Err() == io.EOF {
				return out, nil
			}
			return out, z.Err()
		case html.TextToken:
			if in {
				text.Write(z.Text())
			}
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) == "a" {
				in = true
				text.Reset()
			}
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "a" && in {
				in = false
				if t := strings.Join(strings.Fields(text.String()), " "); t != "" {
					out = append(out, t)
				}
			}
		}
	}
}

func lines(v *plat.Version, _ *plat.Layout) ([]string, error) {
	var out []string
	for i := range v.Blocks {
		for line := range strings.SplitSeq(v.Blocks[i].Text, "\n") {
			if line != "" {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

func words(v *plat.Version, _ *plat.Layout) ([]string, error) {
	var out []string
	for i := range v.Blocks {
		out = append(out, strings.Fields(v.Blocks[i].Text)...)
	}
	return out, nil
}

// engines are the algorithms to compare; the first is plat's. Each returns the length of the common
// subsequence that it finds.
var engines = []struct {
	name string
	find func(p *seqPair) int
}{
	{"plat", func(p *seqPair) int {
		n := 0
		for _, r := range diff.LCS(p.a, p.b) {
			n += r.N
		}
		return n
	}},
	{"go-diff", func(p *seqPair) int {
		n := 0
		// DiffTimeout is 0: no limit, and no shortcut that makes a result worse.
		for _, d := range (&diffmatchpatch.DiffMatchPatch{}).DiffMainRunes(p.ra, p.rb, false) {
			if d.Type == diffmatchpatch.DiffEqual {
				n += utf8.RuneCountInString(d.Text)
			}
		}
		return n
	}},
	{"go-udiff", func(p *seqPair) int {
		n := len(p.ra)
		for _, d := range lcs.DiffRunes(p.ra, p.rb) {
			n -= d.End - d.Start
		}
		return n
	}},
}

// seqPair is a pair of sequences as integers, and the same as runes, for the libraries.
type seqPair struct {
	a, b   []int32
	ra, rb []rune
}

// numbers gives texts numbers.
type numbers map[string]int32

func (n numbers) of(texts []string) []int32 {
	out := make([]int32, len(texts))
	for i, t := range texts {
		id, ok := n[t]
		if !ok {
			id = int32(len(n))
			n[t] = id
		}
		out[i] = id
	}
	return out
}

// runes returns the same numbers as characters, without the range of surrogates, which are not
// characters.
func runes(ids []int32) []rune {
	out := make([]rune, len(ids))
	for i, id := range ids {
		out[i] = id
		if id >= 0xd800 {
			out[i] += 0x800
		}
	}
	return out
}

func newSeqPair(old, now []string) *seqPair {
	n := numbers{}
	p := &seqPair{a: n.of(old), b: n.of(now)}
	p.ra, p.rb = runes(p.a), runes(p.b)
	return p
}

// contest is the results of all pairs of a unit, near or far.
type contest struct {
	Unit     string   `json:"unit"`
	Distance string   `json:"distance"` // "near" or "far"
	Pairs    int      `json:"pairs"`
	Equal    int      `json:"equal"`    // left out
	Elements int      `json:"elements"` // of the longer sequence, median
	Largest  int      `json:"largest"`
	Common   float64  `json:"common"` // part of the longer sequence, median
	Engines  []result `json:"engines"`
}

type result struct {
	Engine      string  `json:"engine"`
	MedianUS    float64 `json:"median_us"`
	WorstUS     float64 `json:"worst_us"`
	RatioMedian float64 `json:"plat_to_this_median"` // time of plat / time of this
	RatioWorst  float64 `json:"plat_to_this_worst"`
	RatioAll    float64 `json:"plat_to_this_in_all"` // of the sums over all pairs
	Faster      int     `json:"plat_faster"`         // pairs
	BytesMedian int     `json:"bytes_median"`
	BytesWorst  int     `json:"bytes_worst"`
	PerElement  float64 `json:"bytes_an_element_worst"`
	Shorter     int     `json:"shorter"` // pairs in which its result is not longest
}

// measured is one engine on one pair.
type measured struct {
	took  time.Duration
	bytes int
	found int
}

// samples is the number of timings of each engine on a pair, in turns; the fastest counts.
const samples = 5

// fight measures all engines on a pair.
func fight(p *seqPair) []measured {
	out := make([]measured, len(engines))
	times := make([]int, len(engines)) // runs in a sample, so that it lasts
	for i, e := range engines {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		out[i].found = e.find(p)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		out[i].bytes = int(after.TotalAlloc - before.TotalAlloc)
		out[i].took = took
		times[i] = max(1, int(100*time.Microsecond/max(took, time.Nanosecond)))
	}
	for range samples {
		for i, e := range engines {
			if out[i].took > time.Second {
				continue // once is enough
			}
			start := time.Now()
			for range times[i] {
				e.find(p)
			}
			out[i].took = min(out[i].took, time.Since(start)/time.Duration(times[i]))
		}
	}
	return out
}

// exactDifferences is the number of differences up to which go-udiff must be exact: it gives up
// after 50 from either side.
const exactDifferences = 98

// exactArea is the product of lengths up to which diff.LCS promises a longest subsequence.
const exactArea = 1 << 22

// held sees that the results are longest where they should be. go-diff is exact always.
func held(p *seqPair, m []measured) error {
	best := m[1].found
	differences := len(p.a) + len(p.b) - 2*best
	switch {
	case m[0].found > best:
		return fmt.Errorf("plat finds %d common elements, go-diff %d", m[0].found, best)
	case m[0].found < best && len(p.a)*len(p.b) <= exactArea:
		return fmt.Errorf("plat finds %d common elements where there are %d", m[0].found, best)
	case m[2].found != best && differences <= exactDifferences:
		return fmt.Errorf("go-udiff finds %d common elements where there are %d", m[2].found, best)
	}
	return nil
}

// contestOf measures pairs of versions.
func contestOf(ctx context.Context, unit, distance string, pairs [][2][]string) (*contest, error) {
	c := &contest{Unit: unit, Distance: distance}
	var all [][]measured
	var lengths []int
	var common []float64
	for _, texts := range pairs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if slices.Equal(texts[0], texts[1]) {
			c.Equal++
			continue
		}
		p := newSeqPair(texts[0], texts[1])
		m := fight(p)
		if err := held(p, m); err != nil {
			return nil, fmt.Errorf("%s, %s: %w, of %d and %d", unit, distance, err, len(p.a), len(p.b))
		}
		n := max(len(p.a), len(p.b))
		all, lengths = append(all, m), append(lengths, n)
		common = append(common, float64(m[1].found)/float64(n))
	}
	c.Pairs = len(all)
	if c.Pairs == 0 {
		return c, nil
	}
	c.Elements, c.Largest, c.Common = median(lengths), slices.Max(lengths), median(common)
	for i := range engines {
		c.Engines = append(c.Engines, resultOf(i, all, lengths))
	}
	return c, nil
}

func resultOf(engine int, all [][]measured, lengths []int) result {
	r := result{Engine: engines[engine].name}
	var us, ratios []float64
	var sizes []int
	var ours, theirs time.Duration
	for i, m := range all {
		t := m[engine]
		us, sizes = append(us, float64(t.took.Nanoseconds())/1e3), append(sizes, t.bytes)
		ratio := float64(m[0].took) / float64(max(1, t.took))
		ratios = append(ratios, ratio)
		ours, theirs = ours+m[0].took, theirs+t.took
		if ratio < 1 {
			r.Faster++
		}
		if t.found < m[1].found {
			r.Shorter++
		}
		r.PerElement = max(r.PerElement, float64(t.bytes)/float64(lengths[i]))
	}
	r.MedianUS, r.WorstUS = median(us), slices.Max(us)
	r.RatioMedian, r.RatioWorst, r.RatioAll = median(ratios), slices.Max(ratios), float64(ours)/float64(max(1, theirs))
	r.BytesMedian, r.BytesWorst = median(sizes), slices.Max(sizes)
	return r
}

// compareLCS is "watch lcs".
func compareLCS(ctx context.Context, o *options) error {
	near, far := make([][][2][]string, len(units)), make([][][2][]string, len(units))
	for _, set := range o.sets {
		a, err := o.open(ctx, set)
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
		err = a.pairs(ctx, near, far)
		a.store.Close()
		if err != nil {
			return fmt.Errorf("%s: %w", set, err)
		}
	}
	var out []*contest
	for i, u := range units {
		for _, d := range []struct {
			name  string
			pairs [][2][]string
		}{{"near", near[i]}, {"far", far[i]}} {
			fmt.Fprintf(os.Stderr, "%s, %s: %d pairs\n", u.name, d.name, len(d.pairs))
			c, err := contestOf(ctx, u.name, d.name, d.pairs)
			if err != nil {
				return err
			}
			out = append(out, c)
		}
	}
	if o.json {
		return printJSON(out)
	}
	return printContests(os.Stdout, out)
}

// pairs appends the pairs of an archive, by unit.
func (a *archive) pairs(ctx context.Context, near, far [][][2][]string) error {
	latest := make([][][]string, len(units)) // versions, by unit and page
	for i := range a.pages {
		var begin, last [][]string
		if _, err := a.versions(ctx, &a.pages[i], func(v *plat.Version, l *plat.Layout, _ int) error {
			now := make([][]string, len(units))
			for u := range units {
				var err error
				if now[u], err = units[u].cut(v, l); err != nil {
					return err
				}
				if last != nil {
					near[u] = append(near[u], [2][]string{last[u], now[u]})
				}
			}
			if begin == nil {
				begin = now
			}
			last = now
			return nil
		}); err != nil {
			return err
		}
		for u := range last {
			far[u] = append(far[u], [2][]string{begin[u], last[u]})
			latest[u] = append(latest[u], last[u])
		}
	}
	for u := range units {
		for i := 1; i < len(latest[u]); i++ {
			far[u] = append(far[u], [2][]string{latest[u][i-1], latest[u][i]})
		}
	}
	return nil
}

func printContests(out io.Writer, all []*contest) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\t\tpairs\tequal\telements\tlargest\tcommon\t\tµs, median\tworst\tplat / this, median\tworst\tin all\tplat faster\tbytes, median\tworst\tan element\tnot longest\t")
	for _, c := range all {
		for i, r := range c.Engines {
			head := strings.Repeat("\t", 7)
			if i == 0 {
				head = fmt.Sprintf("%s\t%s\t%d\t%d\t%d\t%d\t%.2f\t", c.Unit, c.Distance, c.Pairs, c.Equal, c.Elements, c.Largest, c.Common)
			}
			ratio := "\t\t\t"
			faster := ""
			if i > 0 {
				ratio = fmt.Sprintf("%.2f\t%.2f\t%.2f\t", r.RatioMedian, r.RatioWorst, r.RatioAll)
				faster = fmt.Sprintf("%.0f %%", 100*float64(r.Faster)/float64(c.Pairs))
			}
			fmt.Fprintf(w, "%s%s\t%.1f\t%.0f\t%s%s\t%d\t%d\t%.0f\t%d\t\n", head, r.Engine, r.MedianUS, r.WorstUS, ratio, faster, r.BytesMedian, r.BytesWorst, r.PerElement, r.Shorter)
		}
	}
	return w.Flush()
}
