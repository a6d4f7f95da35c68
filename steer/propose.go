package steer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"plat/label"
	"plat/storage"
	"plat/topic"
)

// Proposal is a page of the archive that may be a good one to begin with.
type Proposal struct {
	URL   string   `json:"url"`
	Block int32    `json:"block"` // lineage of its best block
	Topic string   `json:"topic"` // of that block: what it is about
	Words []string `json:"words"` // of the crawl's topic, that are in it
	Score float64  `json:"score"`
}

// maxAskedWords is how many words of a topic are searched for, the weightiest.
const maxAskedWords = 24

// Propose returns the pages of the archive with the best blocks for a topic, best first, at most
// limit: blocks of last versions, but for menus and the like, that have many of its words, rare
// ones above all.
func Propose(ctx context.Context, s storage.Searcher, t *topic.Topic, limit int) ([]Proposal, error) {
	type block struct {
		url     string
		lineage int32
	}
	found := map[block]*Proposal{}
	for _, word := range wordsOf(t) {
		r, err := s.Search(ctx, storage.Search{Words: word, Standing: true, Limit: 200})
		if err != nil {
			return nil, err
		}
		for _, h := range r.Hits {
			if label.Boilerplate(h.Block.Label) {
				continue
			}
			key := block{h.URL, h.Lineage}
			p := found[key]
			if p == nil {
				p = &Proposal{URL: h.URL, Block: h.Lineage, Topic: h.Block.Topic}
				found[key] = p
			}
			p.Words = append(p.Words, word)
			// Scores compare within one list of results only.
			p.Score += h.Score / r.Hits[0].Score / math.Log2(2+float64(r.Total))
		}
	}
	best := map[string]*Proposal{}
	for _, p := range found {
		if b := best[p.URL]; b == nil || b.Score < p.Score || b.Score == p.Score && b.Block > p.Block {
			best[p.URL] = p
		}
	}
	var all []Proposal
	for _, p := range best {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b Proposal) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.URL, b.URL)) })
	return all[:min(len(all), limit)], nil
}

// wordsOf returns words and phrases of a topic as people write them, weightiest first.
func wordsOf(t *topic.Topic) []string {
	texts := t.Texts()
	slices.SortStableFunc(texts, func(a, b topic.Text) int { return cmp.Compare(b.Weight, a.Weight) })
	var out []string
	add := func(w string) {
		if len(out) < maxAskedWords && w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	for _, x := range texts {
		words := strings.FieldsFunc(x.Text, func(r rune) bool {
			return r == ',' || r == ';' || r == ':' || r == '.' || r == '、' || r == '，' || r == ' ' || r == '\n'
		})
		if len(x.Text) <= 40 && len(words) <= 3 {
			add(`"` + strings.ReplaceAll(x.Text, `"`, "") + `"`) // a term: all of its words
			continue
		}
		for _, w := range words {
			if len(w) > 3 {
				add(w)
			}
		}
	}
	return out
}
