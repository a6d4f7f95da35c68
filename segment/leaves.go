package segment

import (
	"bytes"
	"sync"
	"sync/atomic"

	"plat"
	"plat/markup"
)

// fill serialises the page, sets content and appearance of each leaf, and keeps
// the rest as layout.
func (c *cutter) fill(p *plat.Page) {
	parts, leaves := c.parts[:0], c.leaves[:0]
	for i := range c.blocks {
		// In pre-order, a block's first child follows immediately.
		inner := i+1 < len(c.blocks) && c.blocks[i+1].Parent == int32(i)
		if i > 0 && !inner {
			parts = append(parts, markup.Part{Nodes: c.spans[i]})
			leaves = append(leaves, int32(i))
		}
	}
	c.parts, c.leaves = parts, leaves

	// Two goroutines: what is left when the page is written is a third of the time it takes.
	written := make(chan struct{})
	read := c.reader(p)
	var other sync.WaitGroup
	var panicked any
	other.Go(func() {
		defer func() { panicked = recover() }()
		p.Coverage = c.coverage(parts)
		<-written
		read()
	})
	func() {
		defer close(written)
		c.place(p, markup.SerializeParts(c.Snapshot, parts, textStates{&c.view}))
	}()
	read()
	if other.Wait(); panicked != nil {
		panic(panicked)
	}
}

// place gives each leaf its content, and the layout the rest.
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
		// Full slice expression: an append to one block must not overwrite the
		// next.
		b.Content = html[at.From:at.To:at.To]
		b.Hidden, b.Folded = at.Hidden, at.Folded
	}
	p.Layout.HTML = append(p.Layout.HTML, html[from:]...)
}

// reader returns a function that reads leaves until none is left. It may be called by several
// goroutines.
func (c *cutter) reader(p *plat.Page) func() {
	const atOnce = 8
	var next atomic.Int32
	return func() {
		for from := 0; from < len(c.leaves); {
			to := int(next.Add(atOnce))
			for from = to - atOnce; from < min(to, len(c.leaves)); from++ {
				b := &p.Blocks[c.leaves[from]]
				b.Hash = plat.HashOf(b.Content)
				b.Text = markup.Text(b.Content, b.Hidden)
				c.describe(b, c.spans[c.leaves[from]])
			}
		}
	}
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
func (c *cutter) describe(b *plat.Block, s plat.Span) {
	b.TextLen = c.chars[s.End] - c.chars[s.First]
	if b.TextLen > 0 {
		b.LinkShare = float32(c.links[s.End]-c.links[s.First]) / float32(b.TextLen)
	}
	b.Background = c.info[s.First].paint.color
	media := 0.0
	var colors usual[plat.Color]
	for i := s.First; i < s.End; {
		n, f := &c.Nodes[i], &c.info[i]
		if n.Kind == plat.ElementNode && f.visible && (isMedia(n) || f.picture) {
			media += n.Box.Intersect(b.Box).Area()
			if n.Name != "iframe" && n.Name != "button" {
				i = n.End
				continue
			}
		}
		if f.text {
			st := &c.Styles[n.Style]
			b.FontSize = max(b.FontSize, st.FontSize)
			colors.add(st.Color, c.chars[i+1]-c.chars[i])
		}
		i++
	}
	b.Color = colors.key
	if area := b.Box.Area(); area > 0 {
		b.ImageShare = float32(min(1, media/area))
	}
}
