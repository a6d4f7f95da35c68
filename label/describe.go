// Package label says of every block of a page what it is about (its topic) and
// what kind of content it holds (its label).
//
// A [Describer] takes a [plat.Snapshot] and the [plat.Page] that was cut from
// it and fills Topic, Label, Confidence and Explanation of each block. It thinks
// only: no I/O, clock or randomness, so that a stored snapshot is described
// alike years later.
//
// # Topics
//
// The method is BWAP section 2.2, Algorithms 2 and 3. T is the list of runs of
// text in one format; θ, δ and ε are the fields of [Options].
//
//	find     the run that stands out by size, by place or by colour (find.go);
//	         whole if it has at most θ words, else trimmed
//	extract  where nothing stands out: texts under δ words are trimmed, of the
//	         others the words that come back are taken (topic.go)
//
// A topic depends on the block's text, on how its parts look beside each other
// and on the language of the page, on nothing else.
//
// # Labels
//
// The paper leaves them as future work. Ours are a weighted sum of things seen:
// the table in label.go is the whole method.
package label

import (
	"fmt"

	"plat"
)

// Options sets the thresholds of BWAP section 2.2.
type Options struct {
	// TopicWords is θ, the most words in a topic; 0 means 10.
	TopicWords int

	// ExtractWords is δ, the fewest words in a text from which it is worth
	// taking the frequent ones; 0 means 30.
	ExtractWords int

	// MinFrequency is ε: a word is taken from a text only if it occurs more
	// often than this. 0 means 1; -1 takes every word.
	MinFrequency int
}

// Describer names blocks. Make one with [New] and share it: it holds the word
// lists, and a Chinese dictionary once a page has needed it. It is safe for
// concurrent use.
type Describer struct {
	opt   Options
	stops stopwords
	hints map[string]hint
	stems stems

	chinese lexicons
}

// New makes a Describer. A threshold that cannot be obeyed is an error.
func New(opt Options) (*Describer, error) {
	if opt.TopicWords == 0 {
		opt.TopicWords = 10
	}
	if opt.ExtractWords == 0 {
		opt.ExtractWords = 30
	}
	switch {
	case opt.MinFrequency == 0:
		opt.MinFrequency = 1
	case opt.MinFrequency == -1:
		opt.MinFrequency = 0
	}
	if opt.TopicWords < 0 || opt.ExtractWords < 0 || opt.MinFrequency < 0 {
		return nil, fmt.Errorf("label: thresholds θ %d, δ %d, ε %d: give numbers above 0, or 0 for the default",
			opt.TopicWords, opt.ExtractWords, opt.MinFrequency)
	}
	return &Describer{
		opt:     opt,
		stops:   newStopwords(),
		hints:   newHints(),
		stems:   stems{known: map[language]map[string]string{}},
		chinese: newLexicons(),
	}, nil
}

// Describe fills Topic, Label, Confidence and Explanation of all blocks of page.
// spans holds the nodes of each block, in the order of page.Blocks; visible
// says of each node of snap whether a reader sees it (of a text: that it has a
// box and nothing hides it). Slices of other lengths are an error, and then no
// block is touched.
//
// The time is linear in nodes, and in the levels of the block tree for the
// texts.
func (d *Describer) Describe(snap *plat.Snapshot, page *plat.Page, spans []plat.Span, visible []bool) error {
	if len(spans) != len(page.Blocks) {
		return fmt.Errorf("label: %d spans for %d blocks: give the nodes of each block", len(spans), len(page.Blocks))
	}
	if len(visible) != len(snap.Nodes) {
		return fmt.Errorf("label: visibility of %d nodes for %d nodes: give one for each", len(visible), len(snap.Nodes))
	}
	if len(page.Blocks) == 0 {
		return nil
	}
	g := d.gather(snap, page, spans, visible)
	texts := g.texts()
	w := d.words(d.detect(snap.Language, texts), texts)

	t := topics{describer: d, words: w}
	// Children come after their parents: backwards, an inner block finds the
	// topics of its parts ready.
	best := make([]int32, len(page.Blocks)) // the child with the most text, 0 for none
	for i := len(page.Blocks) - 1; i >= 0; i-- {
		b := &page.Blocks[i]
		b.Topic = t.of(g.runs[g.facts[i].firstRun:g.facts[i].endRun], b.Leaf())
		if b.Topic == "" && best[i] > 0 {
			b.Topic = page.Blocks[best[i]].Topic
		}
		if p := parentOf(page, i); p >= 0 && page.Blocks[i].Topic != "" {
			// ≥ because the loop runs backwards and the first child wins.
			if q := best[p]; q == 0 || g.facts[i].chars >= g.facts[q].chars {
				best[p] = int32(i)
			}
		}
	}

	around := g.survey()
	last := make([]int32, len(page.Blocks)) // the child that was looked at last, 0 for none
	for i := range page.Blocks {
		b := &page.Blocks[i]
		g.look(i, w)
		g.place(i, &around)
		f := &g.facts[i]
		if f.chars == 0 {
			f.chars = foldedIn(b) // of a carousel that shows its arrows only
		}
		b.Label, b.Confidence, b.Explanation = classify(f)
		from := parentOf(page, i)
		if from < 0 {
			continue
		}
		before := last[from]
		last[from] = int32(i)
		if f.mass == 0 && len(b.Folded) > 0 {
			// It shows nothing by itself: it takes turns with what stands before it, or opens
			// in what is around it.
			if before > 0 {
				from = before
			}
			b.Label, b.Confidence, b.Explanation = page.Blocks[from].Label, page.Blocks[from].Confidence, "folded"
		}
	}
	return nil
}

// foldedIn is about how many characters of a block are folded.
func foldedIn(b *plat.Block) (n int32) {
	for i := 0; i+1 < len(b.Folded); i += 2 {
		n += max(0, b.Folded[i+1]-b.Folded[i])
	}
	return n
}

// Language names the language of the page's visible text: an ISO 639-1 code
// such as "en" or "zh", or "" where neither the page nor its words tell. What
// the page says of itself is believed unless its text speaks against it.
func (d *Describer) Language(snap *plat.Snapshot, visible []bool) string {
	var texts []string
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; n.Kind == plat.TextNode && i < len(visible) && visible[i] {
			texts = append(texts, n.Value)
		}
	}
	return d.detect(snap.Language, texts)
}

// parentOf is the parent of block i, or -1. Blocks are in pre-order; a parent
// that does not come first is no parent.
func parentOf(page *plat.Page, i int) int32 {
	if p := page.Blocks[i].Parent; p >= 0 && int(p) < i {
		return p
	}
	return -1
}
