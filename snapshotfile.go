package plat

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// A snapshot file is, gzipped:
//
//	magic    "plat snapshot 1\n"
//	header   length, JSON: the Snapshot without Nodes, Styles, Lines and Picture,
//	         and without Resources, which are not written
//	strings  count, then length and bytes of each: every name and value once
//	styles   length, JSON
//	nodes    count, then one column after the other over all nodes
//	lines    count, then one column after the other
//	picture  type (a string's length and bytes), length, bytes; length 0 is none
//
// Numbers are varints; box edges are 1/64 px, the unit of Chrome's layout, as a
// difference from the node before, or the float's bits where they are no
// multiple of it. Columns of like numbers are what makes the file small.
const snapshotMagic = "plat snapshot 1\n"

// Limits that a snapshot file from a stranger must keep.
const (
	maxSnapshotNodes  = 4 << 20
	maxSnapshotString = 256 << 20
	maxSnapshotBytes  = 2 << 30 // unpacked
)

// WriteSnapshot writes s, but not its resources, in plat's own compact format.
func WriteSnapshot(w io.Writer, s *Snapshot) error {
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

// ReadSnapshot reads what WriteSnapshot wrote. Whatever else r holds gives an
// error that wraps ErrCorrupt, never a snapshot whose indexes lead astray or
// whose boxes are not finite.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("read snapshot: %w: %w", ErrCorrupt, err)
	}
	d := decoder{r: bufio.NewReaderSize(io.LimitReader(z, maxSnapshotBytes), 1<<16)}
	s := d.snapshot()
	if d.err == nil {
		d.err = checkTree(s)
	}
	if d.err == nil { // the checksum comes last
		if _, err := d.r.ReadByte(); err != io.EOF {
			d.err = cmp.Or(err, errors.New("more follows the end"))
		}
	}
	if d.err != nil {
		return nil, fmt.Errorf("read snapshot: %w: %w", ErrCorrupt, d.err)
	}
	return s, nil
}

// checkTree reports the first index of s that points nowhere.
func checkTree(s *Snapshot) error {
	n := int32(len(s.Nodes))
	for i := range s.Nodes {
		v, at := &s.Nodes[i], int32(i)
		switch {
		case at == 0 && v.Kind != DocumentNode:
			return errors.New("node 0 is no document")
		case at == 0 && v.Parent != -1, at > 0 && (v.Parent < 0 || v.Parent >= at):
			return fmt.Errorf("node %d has parent %d", i, v.Parent)
		case v.End <= at || v.End > n, at > 0 && v.End > s.Nodes[v.Parent].End:
			return fmt.Errorf("node %d ends at %d", i, v.End)
		case at > 0 && v.Parent != at-1 && !endsAt(s, at-1, at, v.Parent):
			return fmt.Errorf("node %d does not follow its sibling", i)
		case v.HasBox && (v.Style < 0 || int(v.Style) >= len(s.Styles)):
			return fmt.Errorf("node %d has style %d of %d", i, v.Style, len(s.Styles))
		case v.Kind > TemplateNode:
			return fmt.Errorf("node %d has kind %d", i, v.Kind)
		}
	}
	last := int32(0)
	for i := range s.Generated {
		g := &s.Generated[i]
		if g.Node < last || g.Node >= n || s.Nodes[g.Node].Kind != ElementNode {
			return fmt.Errorf("generated content %d is of node %d", i, g.Node)
		}
		if g.Style < 0 || int(g.Style) >= len(s.Styles) {
			return fmt.Errorf("generated content %d has style %d of %d", i, g.Style, len(s.Styles))
		}
		last = g.Node
	}
	last = -1
	for i := range s.Lines {
		if l := &s.Lines[i]; l.Node < 0 || l.Node >= n || l.Node < last || s.Nodes[l.Node].Kind != TextNode {
			return fmt.Errorf("line %d belongs to node %d", i, l.Node)
		} else {
			last = l.Node
		}
	}
	return nil
}

// endsAt reports whether all subtrees between node i and parent end at end.
func endsAt(s *Snapshot, i, end, parent int32) bool {
	for i != parent && i >= 0 {
		if s.Nodes[i].End != end {
			return false
		}
		i = s.Nodes[i].Parent
	}
	return i == parent
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
// bits of a number that has no such form.
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

func (e *encoder) rects(n int, at func(i int) Rect) {
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

func (e *encoder) snapshot(s *Snapshot) {
	if e.err == nil {
		_, e.err = e.w.WriteString(snapshotMagic)
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
	e.rects(len(boxed), func(i int) Rect { return s.Nodes[boxed[i]].Box })

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
	e.rects(len(s.Lines), func(i int) Rect { return s.Lines[i].Box })

	if s.Picture == nil {
		e.string("")
		e.string("")
		return
	}
	e.string(s.Picture.Type)
	e.string(string(s.Picture.Data))
}

type decoder struct {
	r   *bufio.Reader
	err error
}

func (d *decoder) uint() uint64 {
	if d.err != nil {
		return 0
	}
	v, err := binary.ReadUvarint(d.r)
	d.err = err
	return v
}

func (d *decoder) int() int64 {
	if d.err != nil {
		return 0
	}
	v, err := binary.ReadVarint(d.r)
	d.err = err
	return v
}

// count reads a number that says how much follows, limit at most.
func (d *decoder) count(limit uint64) int {
	n := d.uint()
	if d.err == nil && n > limit {
		d.err = fmt.Errorf("a count of %d, limit %d", n, limit)
	}
	if d.err != nil {
		return 0
	}
	return int(n)
}

func (d *decoder) bytes() []byte {
	n := d.count(maxSnapshotString)
	if d.err != nil {
		return nil
	}
	// Grown as it arrives: a length that lies costs no memory.
	b, err := io.ReadAll(io.LimitReader(d.r, int64(n)))
	if err == nil && len(b) < n {
		err = io.ErrUnexpectedEOF
	}
	d.err = err
	return b
}

// json reads one text into each of values.
func (d *decoder) json(values ...any) {
	b := d.bytes()
	for _, v := range values {
		if d.err == nil {
			d.err = json.Unmarshal(b, v)
		}
	}
}

func (d *decoder) px(last *int64) float32 {
	u := d.uint()
	if u&1 == 1 {
		v := math.Float32frombits(uint32(d.uint()))
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			if d.err == nil {
				d.err = fmt.Errorf("a box at %v px", v)
			}
			return 0
		}
		return v
	}
	u >>= 1
	*last += int64(u>>1) ^ -int64(u&1)
	return float32(float64(*last) / 64)
}

func (d *decoder) rects(n int, at func(i int) *Rect) {
	var x, y, w, h int64
	for i := 0; i < n && d.err == nil; i++ {
		at(i).X = d.px(&x)
	}
	for i := 0; i < n && d.err == nil; i++ {
		at(i).Y = d.px(&y)
	}
	for i := 0; i < n && d.err == nil; i++ {
		at(i).W = d.px(&w)
	}
	for i := 0; i < n && d.err == nil; i++ {
		at(i).H = d.px(&h)
	}
}

func (d *decoder) snapshot() *Snapshot {
	s := &Snapshot{}
	magic := make([]byte, len(snapshotMagic))
	if _, d.err = io.ReadFull(d.r, magic); d.err != nil || string(magic) != snapshotMagic {
		if d.err == nil {
			d.err = fmt.Errorf("begins with %q, not %q", magic, snapshotMagic)
		}
		return s
	}
	var old struct{ Unsettled bool } // of before there was Settled
	d.json(s, &old)
	if s.Settled == "" && old.Unsettled {
		s.Settled = SettledLimit
	}
	s.Nodes, s.Styles, s.Lines, s.Picture, s.Resources = nil, nil, nil, nil, nil

	table := make([]string, 0, 1024)
	for n := d.count(4 * maxSnapshotNodes); n > 0 && d.err == nil; n-- {
		table = append(table, string(d.bytes()))
	}
	str := func() string {
		i := d.uint()
		if d.err == nil && i >= uint64(len(table)) {
			d.err = fmt.Errorf("string %d of %d", i, len(table))
		}
		if d.err != nil {
			return ""
		}
		return table[i]
	}
	d.json(&s.Styles)

	n := d.count(maxSnapshotNodes)
	nodes := make([]Node, 0, min(n, 1<<16))
	for i := 0; i < n && d.err == nil; i++ {
		k := d.uint()
		nodes = append(nodes, Node{Kind: NodeKind(min(k>>2, 255)), HasBox: k&1 != 0, Foreign: k&2 != 0})
	}
	if d.err != nil {
		return s
	}
	index := func(v uint64, base int) int32 {
		return int32(min(uint64(base)+min(v, math.MaxInt32), math.MaxInt32))
	}
	for i := 0; i < n && d.err == nil; i++ {
		if v := d.uint(); v > uint64(i)+1 {
			nodes[i].Parent = math.MaxInt32
		} else {
			nodes[i].Parent = int32(int64(i) - int64(v))
		}
	}
	for i := 0; i < n && d.err == nil; i++ {
		nodes[i].End = index(d.uint(), i)
	}
	for i := 0; i < n && d.err == nil; i++ {
		nodes[i].Name = str()
	}
	for i := 0; i < n && d.err == nil; i++ {
		nodes[i].Value = str()
	}
	for i := 0; i < n && d.err == nil; i++ {
		for k := d.count(maxSnapshotNodes); k > 0 && d.err == nil; k-- {
			nodes[i].Attrs = append(nodes[i].Attrs, Attr{str(), str()})
		}
	}
	for i := 0; i < n && d.err == nil; i++ {
		if nodes[i].HasBox {
			nodes[i].Style = index(d.uint(), 0)
		}
	}
	paint := int64(0)
	for i := 0; i < n && d.err == nil; i++ {
		if nodes[i].HasBox {
			paint += d.int()
			nodes[i].Paint = int32(paint)
		}
	}
	boxed := make([]int32, 0, n)
	for i := range nodes {
		if nodes[i].HasBox {
			boxed = append(boxed, int32(i))
		}
	}
	d.rects(len(boxed), func(i int) *Rect { return &nodes[boxed[i]].Box })
	s.Nodes = nodes

	n = d.count(maxSnapshotNodes * 8)
	lines := make([]Line, 0, min(n, 1<<16))
	last := uint64(0)
	for i := 0; i < n && d.err == nil; i++ {
		last += d.uint()
		lines = append(lines, Line{Node: index(last, 0)})
	}
	for i := 0; i < n && d.err == nil; i++ {
		lines[i].Start = index(d.uint(), 0)
	}
	for i := 0; i < n && d.err == nil; i++ {
		lines[i].Len = index(d.uint(), 0)
	}
	d.rects(len(lines), func(i int) *Rect { return &lines[i].Box })
	if len(lines) > 0 {
		s.Lines = lines
	}
	typ, data := string(d.bytes()), d.bytes()
	if typ != "" || len(data) > 0 {
		s.Picture = &Picture{Type: typ, Data: data}
	}
	return s
}
