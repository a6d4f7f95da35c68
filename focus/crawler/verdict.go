package crawler

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"

	"plat/focus"
	"plat/plat"
)

// Verdicts say which pages of a crawl belong to its topic. All who show pages ask them, so that they
// agree: people's word counts first, then what the crawl has found as it was at its last report, then what
// the visit has found.
type Verdicts struct {
	labels map[string]bool
	least  float64
	judged judgements

	Heeds string // names what people had said when they were made: changes with it
}

// Verdict is what a page is to a crawl.
type Verdict struct {
	Relevance float64 // 1 or 0 of a page of which people say whether it belongs
	Belongs   bool
	Counts    bool // there is a page, and it is no other address of one that was visited
	Same      bool // it is one
}

// VerdictsOf returns those of a crawl and its last report, which may be nil.
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

// Label is what people say of a page: yes, no, or nothing.
func (v *Verdicts) Label(u string) string {
	switch yes, said := v.labels[u]; {
	case yes:
		return "yes"
	case said:
		return "no"
	}
	return ""
}

// Page returns a page as it is shown.
func (v *Verdicts) Page(p *plat.CrawlPage) Page {
	x := v.Of(p)
	return Page{N: p.N, URL: p.URL, Title: p.Title, Relevance: x.Relevance, Belongs: x.Belongs, Same: x.Same, Label: v.Label(p.URL), Expected: p.Score, From: p.From,
		Outcome: p.Outcome, Version: p.Version, Visited: p.Visited}
}

// judgements are what a crawl has found of its pages, by their N: two bytes each, little-endian. Zero is
// nothing; otherwise the lowest 14 bits are one more than the relevance in parts of relevanceParts.
type judgements []byte

const (
	judgedBelongs  = 1 << 15
	judgedSame     = 1 << 14
	relevanceParts = judgedSame - 2
)

// note sets what is found of the page n.
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

// heeds names what people have said of a crawl's pages, to find out whether a report heeds it. Empty if they
// have said nothing.
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
