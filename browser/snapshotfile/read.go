package snapshotfile

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"unsafe"

	"plat/plat"
)

// Limits that a snapshot file must keep; files are untrusted input.
const (
	maxNodes  = 4 << 20
	maxString = 256 << 20
	maxBytes  = 2 << 30 // unpacked

	// A snapshot may take so many bytes of memory, and more for each byte of its file: gzip
	// compresses repetition by a factor of a thousand. Real pages take 30 times their file, and
	// 128 MB suffice for half a million nodes, the default maximum.
	freeMemory = 128 << 20
	perByte    = 100
)

// Read reads the output of Write. Any other input gives an error that wraps [plat.ErrCorrupt],
// never a snapshot with invalid indexes or with boxes that are not finite.
func Read(r io.Reader) (*plat.Snapshot, error) {
	in := &counter{r: r}
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, fmt.Errorf("read snapshot: %w: %w", plat.ErrCorrupt, err)
	}
	d := decoder{packed: in, r: bufio.NewReaderSize(io.LimitReader(z, maxBytes), 1<<16)}
	s := d.snapshot()
	if d.err == nil {
		d.err = checkTree(s)
	}
	if d.err == nil { // the checksum comes last
		if _, err := d.r.ReadByte(); err != io.EOF {
			d.err = cmp.Or(err, errors.New("there is data after the end"))
		}
	}
	if d.err != nil {
		return nil, fmt.Errorf("read snapshot: %w: %w", plat.ErrCorrupt, d.err)
	}
	return s, nil
}

// Memory of a string beside its bytes, and at most of an element of a list in JSON.
const (
	stringHead  = int64(unsafe.Sizeof(""))
	jsonElement = int64(max(unsafe.Sizeof(plat.Style{}), unsafe.Sizeof(plat.Generated{}), unsafe.Sizeof(plat.Redirect{}), 2*unsafe.Sizeof("")))
)

type decoder struct {
	packed *counter // the file
	r      *bufio.Reader
	memory int64 // of the snapshot so far, bytes
	err    error
}

// counter counts the bytes that are read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += int64(n)
	return n, err
}

// take reserves memory before its use.
func (d *decoder) take(bytes int64) {
	if d.memory += bytes; d.memory > freeMemory+perByte*d.packed.n && d.err == nil {
		d.err = fmt.Errorf("the first %d bytes of the file unpack to more than %d MB; no page is that large", d.packed.n, d.memory>>20)
	}
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

// count reads the number of items that follow, at most limit.
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
	n := d.count(maxString)
	if d.err != nil {
		return nil
	}
	// Grown as data arrives: a false length costs no memory.
	const part = 1 << 20
	b := make([]byte, 0, min(n, part))
	for len(b) < n && d.err == nil {
		from, to := len(b), min(len(b)+part, n)
		if d.take(int64(to - from)); d.err != nil {
			break
		}
		if to > cap(b) {
			b = append(make([]byte, 0, min(n, 2*cap(b))), b...)
		}
		b = b[:to]
		if _, d.err = io.ReadFull(d.r, b[from:]); d.err == io.EOF {
			d.err = io.ErrUnexpectedEOF
		}
	}
	return b
}

// json reads one text into each of values.
func (d *decoder) json(values ...any) {
	b := d.bytes()
	// An element of a list may be as short as "{},", and its value is as large as it can be.
	d.take(int64(bytes.Count(b, []byte("{"))+bytes.Count(b, []byte("["))+bytes.Count(b, []byte(","))) * jsonElement)
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

func (d *decoder) rects(n int, at func(i int) *plat.Rect) {
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

// snapshot reads the output of encoder.snapshot, field by field. It is long because it reads every
// field in order.
func (d *decoder) snapshot() *plat.Snapshot {
	s := &plat.Snapshot{}
	magic := make([]byte, len(magicLine))
	if _, d.err = io.ReadFull(d.r, magic); d.err != nil || string(magic) != magicLine {
		if d.err == nil {
			d.err = fmt.Errorf("begins with %q, not %q", magic, magicLine)
		}
		return s
	}
	var old struct{ Unsettled bool } // from versions without Settled
	d.json(s, &old)
	if s.Settled == "" && old.Unsettled {
		s.Settled = plat.SettledLimit
	}
	s.Nodes, s.Styles, s.Lines, s.Picture, s.Resources = nil, nil, nil, nil, nil

	table := make([]string, 0, 1024)
	for n := d.count(4 * maxNodes); n > 0 && d.err == nil; n-- {
		d.take(stringHead)
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

	n := d.count(maxNodes)
	nodes := make([]plat.Node, 0, min(n, 1<<16))
	for i := 0; i < n && d.err == nil; i++ {
		d.take(int64(unsafe.Sizeof(plat.Node{})))
		k := d.uint()
		nodes = append(nodes, plat.Node{Kind: plat.NodeKind(min(k>>2, 255)), HasBox: k&1 != 0, Foreign: k&2 != 0})
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
		k := d.count(maxNodes)
		if d.take(int64(k) * int64(unsafe.Sizeof(plat.Attr{}))); k == 0 || d.err != nil {
			continue
		}
		nodes[i].Attrs = make([]plat.Attr, k)
		for j := 0; j < k && d.err == nil; j++ {
			nodes[i].Attrs[j] = plat.Attr{Name: str(), Value: str()}
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
	d.rects(len(boxed), func(i int) *plat.Rect { return &nodes[boxed[i]].Box })
	s.Nodes = nodes

	n = d.count(maxNodes * 8)
	lines := make([]plat.Line, 0, min(n, 1<<16))
	last := uint64(0)
	for i := 0; i < n && d.err == nil; i++ {
		d.take(int64(unsafe.Sizeof(plat.Line{})))
		last += d.uint()
		lines = append(lines, plat.Line{Node: index(last, 0)})
	}
	for i := 0; i < n && d.err == nil; i++ {
		lines[i].Start = index(d.uint(), 0)
	}
	for i := 0; i < n && d.err == nil; i++ {
		lines[i].Len = index(d.uint(), 0)
	}
	d.rects(len(lines), func(i int) *plat.Rect { return &lines[i].Box })
	if len(lines) > 0 {
		s.Lines = lines
	}
	typ, data := string(d.bytes()), d.bytes()
	if typ != "" || len(data) > 0 {
		s.Picture = &plat.Picture{Type: typ, Data: data}
	}
	return s
}
