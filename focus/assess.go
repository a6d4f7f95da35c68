package focus

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"slices"
)

// Assessor tells whether pages belong to a topic, by what a crawl knew at some moment. It is
// small and immutable, and safe for concurrent use: workers have one each.
type Assessor struct {
	topic *Topic
	docs  Collection
	least float64
}

// maxAssessed is how many terms of the collection an assessor has, the most frequent ones; the
// others count as if they occurred once.
const maxAssessed = 20_000

// Assessor returns what the crawl knows now.
func (c *Crawl) Assessor() *Assessor {
	a := &Assessor{topic: c.topic, docs: Collection{pages: c.docs.pages, in: map[Term]int32{}}, least: c.o.Least}
	var often []Term
	for t, n := range c.docs.in {
		if n > 1 {
			often = append(often, t)
		}
	}
	slices.SortFunc(often, func(x, y Term) int {
		return cmp.Or(cmp.Compare(c.docs.in[y], c.docs.in[x]), cmp.Compare(x, y))
	})
	for _, t := range often[:min(len(often), maxAssessed)] {
		a.docs.in[t] = c.docs.in[t]
	}
	return a
}

// Assess says whether a page belongs to the topic.
func (a *Assessor) Assess(p *Page) Result {
	r := a.topic.relevance(p.vector(), &a.docs)
	return Result{Relevance: r, Belongs: r >= a.least}
}

// Encode returns the assessor in a form that DecodeAssessor reads: a version, then, compressed
// (RFC 1951), numbers as varints or as doubles, and terms.
func (a *Assessor) Encode() []byte {
	var e encoder
	real := func(x float64) { e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x)) }
	real(a.least)
	real(a.topic.odds.half)
	real(a.topic.odds.slope)
	words := func(n int, all func(yield func(t Term, x float64))) {
		e.number(n)
		type entry struct {
			t Term
			x float64
		}
		var list []entry
		all(func(t Term, x float64) { list = append(list, entry{t, x}) })
		slices.SortFunc(list, func(a, b entry) int { return cmp.Compare(a.t, b.t) })
		for _, x := range list {
			e.b = binary.LittleEndian.AppendUint32(e.b, uint32(x.t))
			real(x.x)
		}
	}
	words(len(a.topic.own), func(yield func(Term, float64)) {
		for t, x := range a.topic.own {
			yield(t, x)
		}
	})
	e.number(a.docs.pages)
	words(len(a.docs.in), func(yield func(Term, float64)) {
		for t, n := range a.docs.in {
			yield(t, float64(n))
		}
	})
	out := bytes.NewBuffer([]byte{readingVersion})
	w := writers.Get().(*flate.Writer)
	defer writers.Put(w)
	w.Reset(out)
	w.Write(e.b) // to memory, which does not fail
	w.Close()
	return out.Bytes()
}

// DecodeAssessor reads what Assessor.Encode wrote, or returns [ErrReading].
func DecodeAssessor(b []byte) (*Assessor, error) {
	if len(b) == 0 || b[0] != readingVersion {
		return nil, fmt.Errorf("%w: unknown version", ErrReading)
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b[1:])), maxReading))
	if err != nil {
		return nil, fmt.Errorf("%w: it cannot be decompressed", ErrReading)
	}
	d := decoder{b: plain}
	real := func() float64 {
		x := math.Float64frombits(uint64(d.word()) | uint64(d.word())<<32)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			d.fail()
			return 0
		}
		return x
	}
	a := &Assessor{topic: &Topic{own: map[Term]float64{}, stems: map[Term]string{}, near: map[Term]float32{}}, docs: Collection{in: map[Term]int32{}}}
	a.least, a.topic.odds.half, a.topic.odds.slope = real(), real(), real()
	for range d.count(12) {
		t := Term(d.word())
		a.topic.own[t] = real()
	}
	a.docs.pages = d.number()
	for range d.count(12) {
		t := Term(d.word())
		a.docs.in[t] = int32(min(math.MaxInt32, max(0, real())))
	}
	if d.bad || len(d.b) > 0 {
		return nil, fmt.Errorf("%w: its fields do not fit", ErrReading)
	}
	return a, nil
}
