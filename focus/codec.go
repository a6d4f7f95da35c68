package focus

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
)

// ErrReading is the error of bytes that Page.Encode did not make, or that are damaged.
var ErrReading = errors.New("focus: damaged reading of a page")

// readingVersion is the version of the encoding.
const readingVersion = 1

// maxReading is the most bytes of a reading before compression; the limits of a page allow no more.
const maxReading = 16 << 20

// writers are reused: each has buffers of more than a megabyte.
var writers = sync.Pool{New: func() any {
	w, _ := flate.NewWriter(nil, flate.DefaultCompression) // the level is valid
	return w
}}

// Encode returns the page in a compact form that DecodePage reads: a version, then, compressed
// (RFC 1951), the fields in their order, numbers as varints, terms as four bytes each. A page of
// 1,000 words and 50 links has about 5 kB.
func (p *Page) Encode() []byte {
	var e encoder
	e.text(p.URL)
	e.terms(p.Title)
	e.terms(p.Words)
	e.number(len(p.Menus))
	at := int32(0)
	for _, m := range p.Menus {
		e.number(int(m.First - at))
		e.number(int(m.End - m.First))
		at = m.End
	}
	e.number(len(p.Headings))
	for _, h := range p.Headings {
		e.text(h.Text)
		e.terms(h.Terms)
	}
	e.number(len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		e.text(l.URL)
		e.text(l.Text)
		e.number(int(l.At.First))
		e.number(int(l.At.End - l.At.First))
		e.terms(l.Terms)
		e.terms(l.Tip)
		e.number(int(l.Heading + 1))
		e.word(l.Path)
		menu := 0
		if l.Menu {
			menu = 1
		}
		e.number(menu)
	}
	return e.packed()
}

type encoder struct{ b []byte }

// packed returns the encoded data, compressed, after the version.
func (e *encoder) packed() []byte {
	out := bytes.NewBuffer([]byte{readingVersion})
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(out)
	w.Write(e.b) // to memory, which does not fail
	w.Close()
	return out.Bytes()
}

func (e *encoder) real(x float64) {
	e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x))
}

func (e *encoder) word(w uint32) { e.b = binary.LittleEndian.AppendUint32(e.b, w) }

func (e *encoder) number(n int) { e.b = binary.AppendUvarint(e.b, uint64(n)) }

func (e *encoder) text(s string) {
	e.number(len(s))
	e.b = append(e.b, s...)
}

func (e *encoder) terms(all []Term) {
	e.number(len(all))
	for _, t := range all {
		e.word(uint32(t))
	}
}

// DecodePage parses the output of Page.Encode, or returns [ErrReading].
func DecodePage(b []byte) (*Page, error) {
	d, err := unpack(b)
	if err != nil {
		return nil, err
	}
	p := &Page{URL: d.text()}
	p.Title = d.terms()
	p.Words = d.terms()
	at := int32(0)
	for range d.count(2) {
		first := d.within(at, len(p.Words))
		end := d.within(first, len(p.Words))
		p.Menus = append(p.Menus, Span{first, end})
		at = end
	}
	for range d.count(2) {
		p.Headings = append(p.Headings, Heading{Text: d.text(), Terms: d.terms()})
	}
	for range d.count(8) {
		l := Link{URL: d.text(), Text: d.text()}
		l.At.First = d.within(0, len(p.Words))
		l.At.End = d.within(l.At.First, len(p.Words))
		l.Terms = d.terms()
		l.Tip = d.terms()
		l.Heading = d.within(0, len(p.Headings)) - 1
		l.Path = d.word()
		l.Menu = d.within(0, 1) == 1
		p.Links = append(p.Links, l)
	}
	if err := d.end(); err != nil {
		return nil, err
	}
	return p, nil
}

// unpack begins to parse the output of encoder.packed.
func unpack(b []byte) (*decoder, error) {
	if len(b) == 0 || b[0] != readingVersion {
		return nil, fmt.Errorf("%w: unknown version", ErrReading)
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[1:])), maxReading+1))
	if err != nil || len(plain) > maxReading {
		return nil, fmt.Errorf("%w: it cannot be decompressed", ErrReading)
	}
	return &decoder{b: plain}, nil
}

// decoder reads fields; after a mistake all are empty.
type decoder struct {
	b   []byte
	bad bool
}

// end returns an error unless all data was read without an error.
func (d *decoder) end() error {
	if d.bad || len(d.b) > 0 {
		return fmt.Errorf("%w: its fields do not fit", ErrReading)
	}
	return nil
}

func (d *decoder) real() float64 {
	x := math.Float64frombits(uint64(d.word()) | uint64(d.word())<<32)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		d.fail()
		return 0
	}
	return x
}

func (d *decoder) fail() { d.b, d.bad = nil, true }

func (d *decoder) number() int {
	n, size := binary.Uvarint(d.b)
	if size <= 0 || n > math.MaxInt32 {
		d.fail()
		return 0
	}
	d.b = d.b[size:]
	return int(n)
}

// count reads how many elements follow, each of at least so many bytes.
func (d *decoder) count(least int) int {
	n := d.number()
	if n > len(d.b)/least {
		d.fail()
		return 0
	}
	return n
}

// within reads a number that is added to from, with a sum of at most most.
func (d *decoder) within(from int32, most int) int32 {
	n := d.number()
	if n > most-int(from) {
		d.fail()
		return from
	}
	return from + int32(n)
}

func (d *decoder) text() string {
	n := d.count(1)
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

func (d *decoder) word() uint32 {
	if len(d.b) < 4 {
		d.fail()
		return 0
	}
	w := binary.LittleEndian.Uint32(d.b)
	d.b = d.b[4:]
	return w
}

func (d *decoder) terms() []Term {
	n := d.count(4)
	if n == 0 {
		return nil
	}
	out := make([]Term, n)
	for i := range out {
		out[i] = Term(d.word())
	}
	return out
}
