package crawler

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"

	"plat/focus/topic"
	"plat/segment/label"
	"plat/storage"
)

// Proposal is a page of the archive that may be a good seed.
type Proposal struct {
	URL   string   `json:"url"`
	Block int32    `json:"block"` // lineage of its best block
	Topic string   `json:"topic"` // of that block: its subject
	Words []string `json:"words"` // of the topic, that are in it; rare ones first
	Score float64  `json:"score"`
}

// maxAskedWords is the number of words of a topic to search for, the weightiest.
const maxAskedWords = 100

// Propose returns the pages of the archive with the best blocks for a topic, best first, at most
// limit, which is positive: blocks of last versions, without menus and the like, that have many of
// its words, rare ones above all.
func Propose(ctx context.Context, s storage.Searcher, d *label.Describer, t *topic.Topic, limit int) ([]Proposal, error) {
	type block struct {
		url     string
		lineage int32
	}
	found := map[block]*Proposal{}
	rare := map[string]float64{}
	for _, word := range wordsOf(d, t) {
		// Quoted, as a word of ideographs has several for the search.
		r, err := s.Search(ctx, storage.Search{Words: `"` + word.text + `"`, Standing: true, Limit: 200})
		if err != nil {
			return nil, err
		}
		rare[word.text] = 1 / math.Log2(2+float64(r.Total))
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
			p.Words = append(p.Words, word.text)
			// Scores compare within one list of results only.
			p.Score += word.weight * h.Score / r.Hits[0].Score * rare[word.text]
		}
	}
	best := map[string]*Proposal{}
	for _, p := range found {
		if b := best[p.URL]; b == nil || b.Score < p.Score || b.Score == p.Score && b.Block > p.Block {
			best[p.URL] = p
		}
	}
	all := make([]Proposal, 0, len(best))
	for _, p := range best {
		slices.SortStableFunc(p.Words, func(a, b string) int { return cmp.Compare(rare[b], rare[a]) })
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b Proposal) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.URL, b.URL)) })
	return all[:min(len(all), limit)], nil
}

// askedWord is a word of a topic as written, in lower case.
type askedWord struct {
	text   string
	weight float64
}

// wordsOf returns the words of a crawl's topic, weightiest first: those of its texts except stop
// words and single letters.
func wordsOf(d *label.Describer, t *topic.Topic) []askedWord {
	var out []askedWord
	at := map[string]int{}
	for _, x := range t.Texts() {
		language := x.Language
		if language == topic.Undetermined {
			language = ""
		}
		d.Terms(language, []string{x.Text}).EachWord(x.Text, func(word, term string) bool {
			if word = strings.ToLower(word); len(term) < 2 {
				return true
			}
			i, known := at[word]
			if !known {
				i = len(out)
				at[word] = i
				out = append(out, askedWord{text: word})
			}
			out[i].weight += x.Weight
			return true
		})
	}
	for i := range out {
		out[i].weight = math.Log1p(out[i].weight)
	}
	slices.SortStableFunc(out, func(a, b askedWord) int { return cmp.Compare(b.weight, a.weight) })
	return out[:min(len(out), maxAskedWords)]
}
