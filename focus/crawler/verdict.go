package crawler

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"plat/focus"
	"plat/plat"
)

// Verdicts decide which pages of a crawl belong to its topic. All views of pages use them, so that
// they agree: users' labels take precedence, then the crawl's assessment at its last report, then
// that of the visit.
type Verdicts struct {
	labels map[string]bool
	least  float64
	judged judgements

	Heeds string // identifies the labels that were used: changes with it
}

// Verdict is the assessment of a page in a crawl.
type Verdict struct {
	Relevance float64 // 1 or 0 for a labelled page
	Belongs   bool
	Counts    bool // there is a page, and it is not an alias of a visited one
	Same      bool // it is one
}

// VerdictsOf returns the verdicts of a crawl and its last report, which may be nil.
func VerdictsOf(c *plat.Crawl, r *Report) *Verdicts {
	v := &Verdicts{labels: make(map[string]bool, len(c.Labels)), least: c.Least}
	for i := range c.Labels {
		v.labels[c.Labels[i].URL] = c.Labels[i].Belongs
	}
	if v.least == 0 {
		v.least = focus.DefaultLeast
	}
	if r != nil {
		v.judged, v.Heeds = r.Judged, r.Heeds
	}
	return v
}

// Of returns the verdict on a page.
func (v *Verdicts) Of(p *plat.CrawlPage) Verdict {
	if p.Visited.IsZero() || p.Outcome.Failed() || p.Outcome == plat.OutcomeAlias {
		return Verdict{}
	}
	out := Verdict{Relevance: p.Relevance, Belongs: p.Relevance >= v.least && p.Outcome != plat.OutcomeCloaked}
	if r, ok := v.judged.of(p.N); ok {
		out = r
	}
	if yes, said := v.labels[p.URL]; said {
		out.Relevance, out.Belongs = 0, yes
		if yes {
			out.Relevance = 1
		}
	}
	out.Counts = !out.Same
	return out
}

// Label returns the label of a page: yes, no, or empty.
func (v *Verdicts) Label(u string) string {
	switch yes, said := v.labels[u]; {
	case yes:
		return "yes"
	case said:
		return "no"
	}
	return ""
}

// Page returns a page for display.
func (v *Verdicts) Page(p *plat.CrawlPage) Page {
	x := v.Of(p)
	return Page{N: p.N, URL: p.URL, Title: p.Title, Relevance: x.Relevance, Belongs: x.Belongs, Same: x.Same, Label: v.Label(p.URL), Expected: p.Score, From: p.From,
		Outcome: p.Outcome, Version: p.Version, Visited: p.Visited}
}

// judgements are a crawl's assessments of its pages, by their N: two bytes each, little-endian.
// Zero means no assessment; otherwise the lowest 14 bits are one more than the relevance in parts
// of relevanceParts.
type judgements []byte

const (
	judgedBelongs  = 1 << 15
	judgedSame     = 1 << 14
	relevanceParts = judgedSame - 2
)

// note sets the assessment of page n.
func (j *judgements) note(n int, r focus.Result, same bool) {
	for len(*j) < 2*n {
		*j = append(*j, 0)
	}
	x := 1 + uint16(math.Round(relevanceParts*min(1, max(0, r.Relevance))))
	if r.Belongs {
		x |= judgedBelongs
	}
	if same {
		x |= judgedSame
	}
	binary.LittleEndian.PutUint16((*j)[2*(n-1):], x)
}

func (j judgements) of(n int) (v Verdict, ok bool) {
	if n < 1 || len(j) < 2*n {
		return v, false
	}
	x := binary.LittleEndian.Uint16(j[2*(n-1):])
	r := float64(x&(judgedSame-1)) - 1
	return Verdict{Relevance: math.Round(1e4*r/relevanceParts) / 1e4, Belongs: x&judgedBelongs != 0, Same: x&judgedSame != 0}, r >= 0
}

// heeds identifies the labels of a crawl, to find out whether a report includes them. Empty
// without labels.
func heeds(labels []plat.CrawlLabel) string {
	if len(labels) == 0 {
		return ""
	}
	var all uint64 // in any order
	for i := range labels {
		h := fnv.New64a()
		fmt.Fprint(h, labels[i].URL, labels[i].Belongs)
		all ^= h.Sum64()
	}
	return fmt.Sprintf("%d %016x", len(labels), all)
}
