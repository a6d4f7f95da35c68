package focus

import (
	"cmp"
	"math"
	"slices"
)

// Why explains the score of a URL.
type Why struct {
	URL   string `json:"url"`
	State string `json:"state"` // unknown, waiting, asked, visited
	// Of a page that was visited: its relevance, whether it belongs to the topic, and how much each of the
	// topic's words that it has adds to it, most first.
	Relevance float64  `json:"relevance,omitempty"`
	Belongs   bool     `json:"belongs,omitempty"`
	Words     []Reason `json:"words,omitempty"`

	// For a link that waits, or waited until its page was requested.
	Score   float64  `json:"score,omitempty"`
	Links   []Source `json:"links,omitempty"`   // to it, in the order in which they were found; at most eight
	Reasons []Reason `json:"reasons,omitempty"` // log-odds that each adds in the order blocks, strongest first
}

// Reason is a contribution to a score.
type Reason struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`            // as measured
	Counts float64 `json:"counts,omitempty"` // its contribution
}

// Source is a link to a URL, and the page that contains it.
type Source struct {
	Page      string  `json:"page"`
	Relevance float64 `json:"relevance"` // of the page
	Match     float64 `json:"match"`     // of the link's text with the topic, 0 to 1
	RW        float64 `json:"rw"`
}

// featureNames are names for display.
var featureNames = [features]string{
	bias: "a link as such", fromMean: "relevance of the pages that link to it", matchText: "the link's text", matchHeading: "the heading above it",
	matchAround: "the words around it", matchURL: "its URL and tooltip", rewardFolder: "pages in its folder", rewardHost: "pages of its host",
	rewardGroup: "links in the same place of pages of the host", rewardGroupLog: "the same, as log-odds", rewardKids: "other links of the same pages",
}

// Why explains a URL.
func (c *Crawl) Why(u string) Why {
	w := Why{URL: u, State: "unknown"}
	t, ok := c.ids[u]
	if !ok {
		return w
	}
	x := &c.urls[t]
	switch x.state {
	case waits:
		w.State = "waiting"
	case asked:
		w.State = "asked"
	case visited:
		w.State, w.Relevance, w.Belongs = "visited", float64(x.relevance), x.belongs
	}
	if x.place < 0 {
		return w
	}
	l := &c.waiting[x.place]
	w.Score = float64(l.score)
	for i := range l.in {
		in := &l.in[i]
		from := &c.urls[in.from]
		w.Links = append(w.Links, Source{from.url, float64(from.relevance), float64(in.match[ofText]), float64(in.rw)})
	}
	if b, ok := c.order.(*blocks); ok && len(l.in) > 0 {
		w.Reasons = b.reasons(c, l)
	}
	return w
}

// reasons returns the contributions to a link's score, strongest first.
func (b *blocks) reasons(c *Crawl, l *link) []Reason {
	var x [features]float64
	b.measure(c, l, &x)
	var out []Reason
	for f, w := range b.weights {
		if w*x[f] != 0 {
			out = append(out, Reason{featureNames[f], x[f], w * x[f]})
		}
	}
	if words := b.model.sum(l.words); words != 0 {
		out = append(out, Reason{"words that led to pages before", words, b.words * words})
	}
	slices.SortStableFunc(out, func(a, b Reason) int { return cmp.Compare(max(b.Counts, -b.Counts), max(a.Counts, -a.Counts)) })
	return out
}

// WordsOf returns the topic's words on a page, and the contribution of each to the cosine; most
// first.
func (c *Crawl) WordsOf(p *Page) []Reason {
	v := p.vector()
	var page, topic float64
	for k, n := range v {
		w := damp(n) * c.docs.idf(k)
		page += w * w
	}
	for k, own := range c.topic.own {
		w := own * c.docs.idf(k)
		topic += w * w
	}
	var out []Reason
	for k, own := range c.topic.own {
		if n := v[k]; n > 0 {
			idf := c.docs.idf(k)
			word := c.topic.stems[k]
			if word == "" {
				continue // learnt from a judged page: only a hash
			}
			out = append(out, Reason{word, float64(n), damp(n) * idf * own * idf / math.Sqrt(page*topic)})
		}
	}
	slices.SortFunc(out, func(a, b Reason) int {
		return cmp.Or(cmp.Compare(b.Counts, a.Counts), cmp.Compare(a.Name, b.Name))
	})
	return out
}
