// Package label assigns to every block of a page its topic (its subject, in a few
// words) and its label (the kind of its content).
//
// A [Describer] takes a [plat.Snapshot] and the [plat.Page] cut from it, and
// fills Topic, Role, Holds, Label, Confidence and Explanation of each block. It
// uses no I/O, clock or randomness, so a stored snapshot yields the same result
// years later.
//
// # Topics
//
// The method is BWAP section 2.2, Algorithms 2 and 3. T is the list of runs of
// text in one format; θ, δ and ε are the fields of [Options].
//
//	find     the run that stands out by size, position or colour (find.go);
//	         whole if it has at most θ words, else trimmed
//	extract  if no run stands out: texts under δ words are trimmed, longer
//	         ones are reduced to their repeated words (topic.go)
//
// A topic depends only on the block's text, the relative appearance of its
// parts and the language of the page.
//
// # Labels
//
// The paper leaves them as future work. Here, a label combines two properties of a block.
// A small model determines its role: content, menu, header, footer, sidebar or
// advertisement. It uses the appearance of the block, of the blocks around it and of the
// page (evidence.go, role.go), and is fitted to annotated pages of many designs. A weighted
// sum of features determines the kind of its content: text, a heading, a list … (label.go),
// also outside of the main content: a menu may be a list. Comments of readers have a model of
// their own (comments.go). [plat.LabelOf] combines the two.
package label

import (
	"fmt"

	"plat/plat"
	"plat/segment/article"
	"plat/segment/boilerplate"
	"plat/segment/label/chinese"
)

// Options sets the thresholds of BWAP section 2.2.
type Options struct {
	// TopicWords is θ, the most words in a topic; 0 means 10.
	TopicWords int

	// ExtractWords is δ, the minimum number of words from which frequent words
	// are extracted; 0 means 30.
	ExtractWords int

	// MinFrequency is ε: a word is extracted only if it occurs more often than
	// this. 0 means 1; -1 takes every word.
	MinFrequency int
}

// Describer assigns topics and labels. Make one with [New] and share it: it
// holds the word lists and, after the first page that needs it, a Chinese
// dictionary. It is safe for concurrent use.
type Describer struct {
	opt   Options
	stops stopwords
	hints map[string]hint
	stems stems

	chinese chinese.Lexicons
}

// New makes a Describer. Invalid thresholds are an error.
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
		return nil, fmt.Errorf("label: thresholds θ %d, δ %d, ε %d: use numbers above 0, or 0 for the default",
			opt.TopicWords, opt.ExtractWords, opt.MinFrequency)
	}
	return &Describer{
		opt:     opt,
		stops:   newStopwords(),
		hints:   newHints(),
		stems:   stems{known: map[language]map[string]string{}},
		chinese: chinese.NewLexicons(),
	}, nil
}

// Describe fills Topic, Role, Holds, Label, Confidence and Explanation of all blocks of page. spans
// holds the nodes of each block, in the order of page.Blocks; visible reports for each node of snap
// whether it is visible (a text: that it has a box and is not hidden). It returns an error for slices
// of other lengths, and then leaves all blocks unchanged.
//
// Time is linear in the number of nodes and, for the texts, in the levels of the block tree.
func (d *Describer) Describe(snap *plat.Snapshot, page *plat.Page, spans []plat.Span, visible []bool) error {
	return d.DescribeAmong(nil, article.Look(snap), snap, page, spans, visible)
}

// DescribeAmong is [Describer.Describe] for a page that was read before, with other pages of its site: a block on most
// of them belongs to the template, a block on no other page to the content. read is [article.Look] of the same snapshot;
// others may be nil.
func (d *Describer) DescribeAmong(others boilerplate.Pages, read *article.Reading, snap *plat.Snapshot, page *plat.Page, spans []plat.Span, visible []bool) error {
	if len(spans) != len(page.Blocks) {
		return fmt.Errorf("label: %d spans for %d blocks: pass one for each", len(spans), len(page.Blocks))
	}
	if len(visible) != len(snap.Nodes) {
		return fmt.Errorf("label: visibility of %d nodes for %d nodes: pass one for each", len(visible), len(snap.Nodes))
	}
	if len(page.Blocks) == 0 {
		return nil
	}
	g := d.gather(snap, page, spans, visible, read.Main())
	texts := g.texts()
	w := d.words(d.detect(snap.Language, texts), texts)

	t := topics{describer: d, words: w}
	// Children come after their parents: in reverse order, the topics of an
	// inner block's children are ready.
	best := make([]int32, len(page.Blocks)) // the child with the most text, 0 if absent
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

	g.among(others)
	classify := g.classifying()
	last := make([]int32, len(page.Blocks)) // the last child visited, 0 if absent
	for i := range page.Blocks {
		g.look(i, w)
		g.place(i, &classify.near)
	}
	g.discuss(classify.near.main)
	for i := range page.Blocks {
		if f := &g.facts[i]; f.chars == 0 {
			f.chars = foldedIn(&page.Blocks[i]) // for a carousel that shows only its arrows
		}
	}
	classify.group, classify.means = classify.alike()
	for i := range page.Blocks {
		b, f := &page.Blocks[i], &g.facts[i]
		classify.label(i, b)
		from := parentOf(page, i)
		if from < 0 {
			continue
		}
		inherit(&page.Blocks[from], b)
		before := last[from]
		last[from] = int32(i)
		if f.mass == 0 && len(b.Folded) > 0 {
			// It shows nothing of its own: it alternates with the block before it, or folds out of
			// the block around it.
			if before > 0 {
				from = before
			}
			like := &page.Blocks[from]
			b.Role, b.Holds, b.Label, b.Confidence, b.Explanation = like.Role, like.Holds, like.Label, like.Confidence, "folded"
		}
	}
	return nil
}

// inherit copies the properties of the surrounding block that a block does not show on its own: a row
// of a table or an item of a list seldom looks like one alone, and a field in front of a bar that
// stays in place is part of the bar.
func inherit(around, b *plat.Block) {
	switch {
	case b.Role == plat.RoleContent && b.Holds == plat.HoldsOther && around.Role == plat.RoleContent &&
		(around.Holds == plat.HoldsList || around.Holds == plat.HoldsTable):
		b.Holds, b.Explanation = around.Holds, "part of a "+string(around.Holds)
	case b.Role == plat.RoleOverlay && b.Rule == plat.RuleOverlay && (around.Role == plat.RoleBanner || around.Role == plat.RoleNavigation) &&
		around.Box.Intersect(b.Box) == b.Box:
		b.Role, b.Explanation = around.Role, "part of the "+string(around.Role)
		b.Confidence = around.Confidence
	default:
		return
	}
	b.Label = plat.LabelOf(b.Role, b.Holds, 0)
}

// foldedIn returns the approximate number of folded characters of a block.
func foldedIn(b *plat.Block) (n int32) {
	for i := 0; i+1 < len(b.Folded); i += 2 {
		n += max(0, b.Folded[i+1]-b.Folded[i])
	}
	return n
}

// Language returns the language of the page's visible text: an ISO 639-1 code such as "en" or "zh",
// or "" if neither the page's declaration nor its words determine it. The declaration is used unless
// the text contradicts it.
func (d *Describer) Language(snap *plat.Snapshot, visible []bool) string {
	var texts []string
	for i := range snap.Nodes {
		if n := &snap.Nodes[i]; n.Kind == plat.TextNode && i < len(visible) && visible[i] {
			texts = append(texts, n.Value)
		}
	}
	return d.detect(snap.Language, texts)
}

// parentOf returns the parent of block i, or -1. Blocks are in pre-order; a
// parent index that does not precede i is invalid and ignored.
func parentOf(page *plat.Page, i int) int32 {
	if p := page.Blocks[i].Parent; p >= 0 && int(p) < i {
		return p
	}
	return -1
}
