package schedule

import (
	"encoding/binary"
	"fmt"
	"math"

	"plat/plat"
)

// modelFormat is the first byte of an encoded model. In format 1 there were 7 weights, and the
// number of signals after Visits.
const modelFormat = 2

// MaxModel is the most bytes that an encoded model has.
const MaxModel = 1 + binary.MaxVarintLen64 + 4*(2+5+Features) + 1 + mostIntervals*(4+2)

// Encode returns a model as text of at most MaxModel bytes: the format byte, Visits as a
// uvarint, then 32-bit floats: Age, the unchanged days, of abc A, B and C, the intervals of
// adaptive and stormcrawler, the weights of Burst; then the number of intervals with a change, a
// byte, and of each its days as a float and as uint16 the visits since. All big-endian.
func (m *Model) Encode() string {
	b := []byte{modelFormat}
	b = binary.AppendUvarint(b, uint64(max(0, m.Visits)))
	for _, x := range []float64{m.Age, m.unchanged, m.took, m.wait, m.still, m.nutch, m.storm} {
		b = appendFloat(b, x)
	}
	for _, w := range m.Burst.Off {
		b = appendFloat(b, float64(w))
	}
	b = append(b, byte(len(m.changed)))
	for i, days := range m.changed {
		b = binary.BigEndian.AppendUint16(appendFloat(b, days), m.visits[i])
	}
	return string(b)
}

func appendFloat(b []byte, x float64) []byte {
	return binary.BigEndian.AppendUint32(b, math.Float32bits(float32(x)))
}

// DecodeModel parses the output of Encode; empty is a model without data. Otherwise the error is
// [plat.ErrCorrupt].
func DecodeModel(s string) (*Model, error) {
	m := &Model{Burst: &Burst{}}
	if s == "" {
		return m, nil
	}
	r := reader{b: []byte(s)}
	format := r.byte()
	m.Visits = r.count()
	weights := Features
	switch format {
	case 1:
		r.count()
		weights = 7
	case modelFormat:
	default:
		r.bad = true
	}
	for _, x := range []*float64{&m.Age, &m.unchanged, &m.took, &m.wait, &m.still, &m.nutch, &m.storm} {
		*x = r.days()
	}
	for i := range weights {
		m.Burst.Off[i] = float32(r.float())
	}
	for n := int(r.byte()); n > 0 && !r.bad; n-- {
		m.changed, m.visits = append(m.changed, r.days()), append(m.visits, r.uint16())
	}
	if r.bad || len(r.b) > 0 || len(m.changed) > mostIntervals {
		return nil, fmt.Errorf("the statistics of a URL's changes: %w", plat.ErrCorrupt)
	}
	return m, nil
}

// reader reads the parts of an encoded model. After the first part that is missing or invalid, bad
// is set and every further part is 0.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad = r.bad || len(r.b) < n; r.bad {
		return make([]byte, n)
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *reader) byte() byte { return r.take(1)[0] }

func (r *reader) uint16() uint16 {
	n := binary.BigEndian.Uint16(r.take(2))
	r.bad = r.bad || int(n) >= len(weights)
	return min(n, uint16(len(weights)-1))
}

func (r *reader) count() int { return int(r.uvarint(math.MaxInt32)) }

func (r *reader) uvarint(most uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	if r.bad = r.bad || size <= 0 || n > most; r.bad {
		return 0
	}
	r.b = r.b[size:]
	return n
}

func (r *reader) float() float64 {
	x := float64(math.Float32frombits(binary.BigEndian.Uint32(r.take(4))))
	if r.bad = r.bad || math.IsNaN(x) || math.IsInf(x, 0); r.bad {
		return 0
	}
	return x
}

func (r *reader) days() float64 {
	x := r.float()
	r.bad = r.bad || x < 0
	return max(0, x)
}
