package watch

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"plat/calendar"
)

// Memory is what is remembered of a page between looks.
type Memory struct {
	looks   int
	entries int // at the last look
	doubts  int // looks in a row at which most of them were gone
	seen    *seen
	lists   map[uint64]*track
	last    []past
	leaves  []int32  // lineages of the leaves of chosen blocks
	lines   []uint64 // hashes of the lines of text, where these are told of
}

// track is what is known of a list.
type track struct {
	last  int // look at which it was there
	looks int
	churn int // looks in a row at which most of its entries were others than ever before
}

// New returns the memory of a page that was not looked at yet.
func New() *Memory { return &Memory{seen: newSeen(), lists: map[uint64]*track{}} }

const (
	memoryFormat = 1
	maxMarks     = 50_000   // of those that are remembered, the latest
	maxBytes     = 32 << 20 // decompressed
)

// stored is a memory as it is written.
type stored struct {
	Format, Looks, Entries, Doubts int

	Marks    []byte // 28 bytes each: address, title, version, days since 1970
	Products []byte // 8 bytes each
	Lists    map[string][3]int
	Last     []past
	Leaves   []int32
	Lines    []byte // 8 bytes each
}

// MarshalBinary writes a memory: JSON, compressed by DEFLATE. Some 15 bytes an entry.
func (m *Memory) MarshalBinary() ([]byte, error) {
	s := stored{Format: memoryFormat, Looks: m.looks, Entries: m.entries, Doubts: m.doubts, Last: m.last, Leaves: m.leaves, Lists: map[string][3]int{}}
	for _, k := range m.seen.marks[max(0, len(m.seen.marks)-maxMarks):] {
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.url)
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.title)
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.version)
		s.Marks = binary.LittleEndian.AppendUint32(s.Marks, uint32(k.date.Year<<9|k.date.Month<<5|k.date.Day))
	}
	products := make([]uint64, 0, len(m.seen.products))
	for p := range m.seen.products {
		products = append(products, p)
	}
	slices.Sort(products)
	for _, p := range products {
		s.Products = binary.LittleEndian.AppendUint64(s.Products, p)
	}
	for _, l := range m.lines {
		s.Lines = binary.LittleEndian.AppendUint64(s.Lines, l)
	}
	for shape, k := range m.lists {
		s.Lists[fmt.Sprintf("%x", shape)] = [3]int{k.last, k.looks, k.churn}
	}
	body, err := json.Marshal(&s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(body); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// UnmarshalBinary reads a memory; no bytes are one of a page that was not looked at.
func (m *Memory) UnmarshalBinary(b []byte) error {
	*m = *New()
	if len(b) == 0 {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(b)), maxBytes+1))
	if err != nil {
		return fmt.Errorf("watch: memory: %w", err)
	}
	if len(body) > maxBytes {
		return errors.New("watch: memory: too large")
	}
	var s stored
	if err := json.Unmarshal(body, &s); err != nil {
		return fmt.Errorf("watch: memory: %w", err)
	}
	switch {
	case s.Format > memoryFormat:
		return fmt.Errorf("watch: memory of format %d, written by a later plat", s.Format)
	case s.Format < 1 || len(s.Marks)%28 != 0 || len(s.Products)%8+len(s.Lines)%8 != 0:
		return errors.New("watch: memory is damaged")
	}
	m.looks, m.entries, m.doubts, m.last, m.leaves = s.Looks, s.Entries, s.Doubts, s.Last, s.Leaves
	for b := s.Marks; len(b) > 0; b = b[28:] {
		day := int(binary.LittleEndian.Uint32(b[24:]))
		m.seen.add(mark{
			url: binary.LittleEndian.Uint64(b), title: binary.LittleEndian.Uint64(b[8:]), version: binary.LittleEndian.Uint64(b[16:]),
			date: calendar.Day{Year: day >> 9, Month: day >> 5 & 15, Day: day & 31},
		})
	}
	for b := s.Lines; len(b) > 0; b = b[8:] {
		m.lines = append(m.lines, binary.LittleEndian.Uint64(b))
	}
	for b := s.Products; len(b) > 0; b = b[8:] {
		m.seen.products[binary.LittleEndian.Uint64(b)] = true
	}
	for shape, k := range s.Lists {
		var h uint64
		if _, err := fmt.Sscanf(shape, "%x", &h); err != nil {
			return errors.New("watch: memory is damaged")
		}
		m.lists[h] = &track{k[0], k[1], k[2]}
	}
	return nil
}
