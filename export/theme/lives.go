package theme

import (
	"context"
	"time"

	"plat/diff"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
)

// Life is a span as displayed in the history of a block.
type Life struct {
	*storage.Span
	Topic string
	Label plat.Label
	Place string
	Seen  time.Time // the last visit that found it
	X, W  float64   // its position on a line of 1000 for the life of the URL
	Words []history.Word
}

// Lives describes at most n of the spans of a URL, the latest first, skipping from, each with
// the words changed since the lineage's previous content. all holds at least one span, ordered
// by beginning; seen holds the time of the last visit that found each version. load fills in
// the texts of blocks.
func Lives(ctx context.Context, load func(context.Context, []plat.Block) error, all []*storage.Span, seen []time.Time, from, n int) ([]Life, error) {
	start, end := seen[0], seen[len(seen)-1]
	if first := all[0].Since; first.Before(start) {
		start = first
	}
	whole := max(float64(end.Sub(start)), 1)
	before := map[*storage.Span]*storage.Span{}
	latest := map[int32]*storage.Span{}
	for _, sp := range all {
		before[sp] = latest[sp.Lineage]
		latest[sp.Lineage] = sp
	}
	var shown []*storage.Span
	for i := len(all) - 1 - from; i >= 0 && len(shown) < n; i-- {
		shown = append(shown, all[i])
	}
	texts, err := textsOf(ctx, load, shown, before)
	if err != nil {
		return nil, err
	}
	lives := make([]Life, len(shown))
	for i, sp := range shown {
		x := Life{Span: sp, Topic: excerpt.Line(sp.Block.Topic, 100), Label: sp.Block.Label, Place: sp.Block.Box.String(), Seen: seen[min(sp.Last, len(seen))-1]}
		till := end
		if sp.Gone > 0 {
			till = sp.Until
		}
		x.X = 1000 * float64(sp.Since.Sub(start)) / whole
		x.W = max(3, 1000*float64(till.Sub(sp.Since))/whole)
		now := texts[sp.Hash]
		if was := before[sp]; was == nil {
			x.Words = []history.Word{{Op: diff.Equal.String(), Text: now}}
		} else {
			for _, w := range diff.Words(texts[was.Hash], now) {
				x.Words = append(x.Words, history.Word{Op: w.Op.String(), Text: w.Text})
			}
		}
		x.Words = history.Excerpt(x.Words)
		lives[i] = x
	}
	return lives, nil
}

// textsOf loads the texts of spans and of their predecessors.
func textsOf(ctx context.Context, load func(context.Context, []plat.Block) error, shown []*storage.Span, before map[*storage.Span]*storage.Span) (map[plat.Hash]string, error) {
	var blocks []plat.Block
	texts := map[plat.Hash]string{}
	for _, sp := range shown {
		for _, x := range []*storage.Span{sp, before[sp]} {
			if x == nil {
				continue
			}
			if _, ok := texts[x.Hash]; !ok {
				texts[x.Hash] = ""
				blocks = append(blocks, x.Block)
			}
		}
	}
	if err := load(ctx, blocks); err != nil {
		return nil, err
	}
	for i := range blocks {
		texts[blocks[i].Hash] = blocks[i].Text
	}
	return texts, nil
}
