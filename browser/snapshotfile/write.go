package snapshotfile

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"plat/plat"
)

// Write writes s, but not its resources.
func Write(w io.Writer, s *plat.Snapshot) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	e := encoder{w: bufio.NewWriterSize(z, 1<<16), ids: map[string]uint64{}}
	e.snapshot(s)
	if e.err == nil {
		e.err = e.w.Flush()
	}
	if e.err == nil {
		e.err = z.Close()
	}
	if e.err != nil {
		return fmt.Errorf("write snapshot: %w", e.err)
	}
	return nil
}

type encoder struct {
	w   *bufio.Writer
	err error
	buf [binary.MaxVarintLen64]byte
	ids map[string]uint64
}

func (e *encoder) uint(v uint64) {
	if e.err == nil {
		_, e.err = e.w.Write(binary.AppendUvarint(e.buf[:0], v))
	}
}

func (e *encoder) int(v int64) {
	if e.err == nil {
		_, e.err = e.w.Write(binary.AppendVarint(e.buf[:0], v))
	}
}

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	if e.err == nil {
		_, e.err = e.w.WriteString(s)
	}
}

func (e *encoder) json(v any) {
	b, err := json.Marshal(v)
	if e.err == nil {
		e.err = err
	}
	e.string(string(b))
}

// px writes an edge: twice the difference in 1/64 px, or an odd marker and the
// bits of any other number.
func (e *encoder) px(v float32, last *int64) {
	q := float64(v) * 64
	if q != math.Trunc(q) || math.Abs(q) > 1<<40 {
		e.uint(1)
		e.uint(uint64(math.Float32bits(v)))
		return
	}
	d := int64(q) - *last
	*last = int64(q)
	e.uint(uint64(d<<1^d>>63) << 1)
}

func (e *encoder) rects(n int, at func(i int) plat.Rect) {
	var x, y, w, h int64
	for i := range n {
		e.px(at(i).X, &x)
	}
	for i := range n {
		e.px(at(i).Y, &y)
	}
	for i := range n {
		e.px(at(i).W, &w)
	}
	for i := range n {
		e.px(at(i).H, &h)
	}
}

// snapshot is long because every field has its line, in the order of the format.
func (e *encoder) snapshot(s *plat.Snapshot) {
	if e.err == nil {
		_, e.err = e.w.WriteString(magicLine)
	}
	head := *s
	head.Nodes, head.Styles, head.Lines, head.Picture, head.Resources = nil, nil, nil, nil, nil
	e.json(head)

	var table []string
	id := func(v string) uint64 {
		k, ok := e.ids[v]
		if !ok {
			k = uint64(len(table))
			e.ids[v] = k
			table = append(table, v)
		}
		return k
	}
	for i := range s.Nodes {
		n := &s.Nodes[i]
		id(n.Name)
		id(n.Value)
		for _, a := range n.Attrs {
			id(a.Name)
			id(a.Value)
		}
	}
	e.uint(uint64(len(table)))
	for _, v := range table {
		e.string(v)
	}
	e.json(s.Styles)

	e.uint(uint64(len(s.Nodes)))
	for i := range s.Nodes {
		n := &s.Nodes[i]
		k := uint64(n.Kind) << 2
		if n.HasBox {
			k |= 1
		}
		if n.Foreign {
			k |= 2
		}
		e.uint(k)
	}
	for i := range s.Nodes {
		e.uint(uint64(int64(i) - int64(s.Nodes[i].Parent)))
	}
	for i := range s.Nodes {
		e.uint(uint64(int64(s.Nodes[i].End) - int64(i)))
	}
	for i := range s.Nodes {
		e.uint(id(s.Nodes[i].Name))
	}
	for i := range s.Nodes {
		e.uint(id(s.Nodes[i].Value))
	}
	for i := range s.Nodes {
		e.uint(uint64(len(s.Nodes[i].Attrs)))
		for _, a := range s.Nodes[i].Attrs {
			e.uint(id(a.Name))
			e.uint(id(a.Value))
		}
	}
	for i := range s.Nodes {
		if s.Nodes[i].HasBox {
			e.uint(uint64(s.Nodes[i].Style))
		}
	}
	paint := int64(0)
	for i := range s.Nodes {
		if s.Nodes[i].HasBox {
			e.int(int64(s.Nodes[i].Paint) - paint)
			paint = int64(s.Nodes[i].Paint)
		}
	}
	boxed := make([]int32, 0, len(s.Nodes))
	for i := range s.Nodes {
		if s.Nodes[i].HasBox {
			boxed = append(boxed, int32(i))
		}
	}
	e.rects(len(boxed), func(i int) plat.Rect { return s.Nodes[boxed[i]].Box })

	e.uint(uint64(len(s.Lines)))
	last := int32(0)
	for i := range s.Lines {
		e.uint(uint64(s.Lines[i].Node - last))
		last = s.Lines[i].Node
	}
	for i := range s.Lines {
		e.uint(uint64(s.Lines[i].Start))
	}
	for i := range s.Lines {
		e.uint(uint64(s.Lines[i].Len))
	}
	e.rects(len(s.Lines), func(i int) plat.Rect { return s.Lines[i].Box })

	if s.Picture == nil {
		e.string("")
		e.string("")
		return
	}
	e.string(s.Picture.Type)
	e.string(string(s.Picture.Data))
}
