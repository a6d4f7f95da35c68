package segment

import (
	"bytes"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"plat/plat"
	"plat/segment/markup"
)

// fill sets content and appearance of each leaf of the page as it was written, and keeps the rest as
// layout.
func (c *cutter) fill(p *plat.Page) {
	c.listLeaves()
	c.written.Locate(c.Snapshot, c.parts, textStates{&c.view})
	for k := range c.parts {
		at, b := &c.parts[k], &p.Blocks[c.leaves[k]]
		b.Content, b.Hidden, b.Folded = c.written.HTML[at.From:at.To:at.To], at.Hidden, at.Folded
	}
	var next atomic.Int32
	read := func() {
		for {
			end := int(next.Add(leavesAtOnce))
			if end-leavesAtOnce >= len(c.leaves) {
				return
			}
			for _, k := range c.leaves[end-leavesAtOnce : min(end, len(c.leaves))] {
				b := &p.Blocks[k]
				b.Hash = plat.HashOf(b.Content)
				b.Text = markup.Text(b.Content, b.Hidden)
				c.describe(b, c.tree[k].span)
			}
		}
	}
	other := meanwhile(read)
	defer other()
	c.place(p, c.written.HTML)
	p.Coverage = c.coverage(c.parts)
	read()
}

const leavesAtOnce = 8

// meanwhile runs do in a second goroutine. The returned function waits for it, and panics if do
// panicked.
func meanwhile(do func()) (wait func()) {
	var work sync.WaitGroup
	var panicked any
	work.Go(func() {
		defer func() {
			if why := recover(); why != nil {
				panicked = fmt.Sprintf("%v, in another goroutine:\n%s", why, debug.Stack())
			}
		}()
		do()
	})
	return func() {
		if work.Wait(); panicked != nil {
			panic(panicked)
		}
	}
}

// listLeaves lists the leaves of the tree, and their nodes.
func (c *cutter) listLeaves() {
	c.parts, c.leaves = c.parts[:0], c.leaves[:0]
	for i := 1; i < len(c.tree); i++ {
		// In pre-order, a block's first child follows immediately.
		if t := &c.tree[i]; i+1 == len(c.tree) || c.tree[i+1].parent != int32(i) {
			c.parts = append(c.parts, markup.Part{Nodes: plat.Span{First: t.first, End: t.end}})
			c.leaves = append(c.leaves, int32(i))
		}
	}
}

// place sets the positions of the leaves in the layout.
func (c *cutter) place(p *plat.Page, html []byte) {
	from := 0
	for k := range c.parts {
		at, b := &c.parts[k], &p.Blocks[c.leaves[k]]
		between := html[from:at.From]
		if k > 0 && len(bytes.TrimSpace(between)) == 0 {
			prev := &p.Blocks[c.leaves[k-1]]
			b.Slot, b.Pos, b.Lead = prev.Slot, prev.Pos+1, string(between)
		} else {
			p.Layout.HTML = append(p.Layout.HTML, between...)
			b.Slot, b.Pos = int32(len(p.Layout.Slots)), 0
			p.Layout.Slots = append(p.Layout.Slots, int32(len(p.Layout.HTML)))
		}
		from = at.To
	}
	p.Layout.HTML = append(p.Layout.HTML, html[from:]...)
}

// textStates reports the states of a view's texts to markup.
type textStates struct{ *view }

func (s textStates) OfText(node int32) markup.State {
	f := &s.info[node]
	if !f.text && f.state == markup.Shown {
		return markup.Hidden // fallback text of a frame
	}
	return f.state
}

func (s textStates) OfGenerated(k int32) markup.State { return s.view.states[k].state }

// describe sets the appearance of a leaf.
func (c *cutter) describe(b *plat.Block, s span) {
	b.TextLen = c.sums[s.end].chars - c.sums[s.first].chars
	if b.TextLen > 0 {
		b.LinkShare = float32(c.sums[s.end].links-c.sums[s.first].links) / float32(b.TextLen)
	}
	b.Background = c.info[s.first].paint.color
	media := 0.0
	var colors majority[plat.Color]
	for i := s.first; i < s.end; {
		n, f := &c.Nodes[i], &c.info[i]
		if n.Kind == plat.ElementNode && f.visible && (f.media || f.picture) {
			media += n.Box.Intersect(b.Box).Area()
			if n.Name != "iframe" && n.Name != "button" {
				i = n.End
				continue
			}
		}
		if f.text {
			st := &c.Styles[n.Style]
			b.FontSize = max(b.FontSize, st.FontSize)
			colors.Add(st.Color, c.sums[i+1].chars-c.sums[i].chars)
		}
		i++
	}
	b.Color = colors.Value
	if area := b.Box.Area(); area > 0 {
		b.ImageShare = float32(min(1, media/area))
	}
}
