package segment

import (
	"bytes"
	"sync"

	"plat"
	"plat/markup"
	"plat/segment/majority"
)

// fill serialises the page, sets content and appearance of each leaf, and keeps
// the rest as layout.
//
// Leaves are read by another goroutine while the page is written, and by both then: each of the
// two is a fifth of the time a page takes.
func (c *cutter) fill(p *plat.Page) {
	c.listLeaves()
	written := make(chan []int32, len(c.leaves)/leavesAtOnce+1)
	read := func() {
		for some := range written {
			for _, k := range some {
				b := &p.Blocks[k]
				b.Hash = plat.HashOf(b.Content)
				b.Text = markup.Text(b.Content, b.Hidden)
				c.describe(b, c.tree[k].span)
			}
		}
	}
	var other sync.WaitGroup
	var panicked any
	other.Go(func() {
		defer func() { panicked = recover() }()
		read()
	})
	func() {
		defer close(written)
		rest := c.leaves
		html := markup.SerializeParts(c.Snapshot, c.parts, textStates{&c.view}, func(k int, content []byte) {
			b := &p.Blocks[c.leaves[k]]
			b.Content, b.Hidden, b.Folded = content, c.parts[k].Hidden, c.parts[k].Folded
			if done := k + 1 - (len(c.leaves) - len(rest)); done == leavesAtOnce || k == len(c.leaves)-1 {
				written <- rest[:done]
				rest = rest[done:]
			}
		})
		c.place(p, html)
	}()
	p.Coverage = c.coverage(c.parts)
	read()
	if other.Wait(); panicked != nil {
		panic(panicked)
	}
}

const leavesAtOnce = 8

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

// place sets where the leaves stand in the layout.
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
	b.TextLen = c.chars[s.end] - c.chars[s.first]
	if b.TextLen > 0 {
		b.LinkShare = float32(c.links[s.end]-c.links[s.first]) / float32(b.TextLen)
	}
	b.Background = c.info[s.first].paint.color
	media := 0.0
	var colors majority.Count[plat.Color]
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
			colors.Add(st.Color, c.chars[i+1]-c.chars[i])
		}
		i++
	}
	b.Color = colors.Value
	if area := b.Box.Area(); area > 0 {
		b.ImageShare = float32(min(1, media/area))
	}
}
