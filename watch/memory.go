package watch

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"plat/plat/calendar"
)

// Memory is the state of a page between two checks. [New] returns an empty one.
type Memory struct {
	looks    int
	entries  int  // number at the previous check
	listed   bool // a list was found once
	doubts   int  // checks in a row at which most of them were gone
	older    bool // it was written by a plat that gave some entries other titles, and no check has been made since
	seen     *seen
	lists    map[uint64]*track // by shape
	followed map[uint64]int    // by shape: entries of the lists that were followed at the previous check
	last     []past
	leaves   []int32  // lineages of the leaves of chosen blocks
	lines    []uint64 // hashes of the lines of text, where added text is reported
	dates    []uint64 // hashes of those of them that have dates, as they are
}

// track is the history of a list.
type track struct {
	last  int // number of the last check that found it
	churn int // checks in a row at which most of its entries were new
}

// New returns the memory of a page that is not yet checked.
func New() *Memory {
	return &Memory{seen: newSeen(), lists: map[uint64]*track{}, followed: map[uint64]int{}}
}

const (
	memoryFormat = 1
	maxMarks     = 50_000 // the latest are kept
	maxLists     = 30_000
	maxLast      = 2 << 20  // bytes of titles and addresses of the previous check
	maxBytes     = 24 << 20 // bytes of decompressed JSON, including escapes
	markSize     = 36

	// titling is the number of the rules by which entries get their titles: 0 before 2026-12.
	titling = 1
)

// stored is the serialized form of a memory.
type stored struct {
	Format, Looks, Entries, Doubts int
	Listed                         bool `json:",omitempty"`
	Titling                        int  `json:",omitempty"`

	Marks    []byte   // markSize each: address, title, version, product, date
	Extra    []byte   // 8 for each mark; empty in memories that earlier versions wrote
	Lists    []uint64 // three each: shape, last, churn
	Followed []uint64 `json:",omitempty"` // two each: shape, entries

	// Entries of the previous check, in order.
	Shapes []uint64
	Titles []string
	URLs   []string

	Leaves []int32
	Lines  []byte // 8 each
	Dates  []byte `json:",omitempty"` // 8 each
}

// MarshalBinary encodes a memory as JSON, compressed by DEFLATE: about 40 bytes for each entry.
func (m *Memory) MarshalBinary() ([]byte, error) {
	s := stored{Format: memoryFormat, Looks: m.looks, Entries: m.entries, Doubts: m.doubts, Listed: m.listed, Leaves: m.leaves}
	if !m.older {
		s.Titling = titling
	}
	for _, k := range m.seen.marks {
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.url)
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.title)
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.version)
		s.Marks = binary.LittleEndian.AppendUint64(s.Marks, k.product)
		if !m.older { // else it stays an older memory
			s.Extra = binary.LittleEndian.AppendUint64(s.Extra, k.extra)
		}
		s.Marks = binary.LittleEndian.AppendUint32(s.Marks, uint32(k.date.Year<<9|k.date.Month<<5|k.date.Day))
	}
	for _, shape := range slices.Sorted(maps.Keys(m.lists)) {
		k := m.lists[shape]
		s.Lists = append(s.Lists, shape, uint64(k.last), uint64(k.churn))
	}
	for _, shape := range slices.Sorted(maps.Keys(m.followed)) {
		s.Followed = append(s.Followed, shape, uint64(m.followed[shape]))
	}
	for _, p := range m.last {
		s.Shapes, s.Titles, s.URLs = append(s.Shapes, p.shape), append(s.Titles, p.title), append(s.URLs, p.url)
	}
	for _, l := range m.lines {
		s.Lines = binary.LittleEndian.AppendUint64(s.Lines, l)
	}
	for _, l := range m.dates {
		s.Dates = binary.LittleEndian.AppendUint64(s.Dates, l)
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.DefaultCompression)
	if err != nil {
		return nil, err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(&s); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// UnmarshalBinary decodes a memory. An empty slice gives an empty memory.
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
	n := len(s.Shapes)
	switch {
	case s.Format > memoryFormat:
		return fmt.Errorf("watch: memory of format %d, written by a later plat", s.Format)
	case s.Format < 1, len(s.Marks)%markSize != 0, len(s.Marks) > maxMarks*markSize, len(s.Extra) > 0 && len(s.Extra)/8 != len(s.Marks)/markSize, len(s.Lists)%3 != 0, len(s.Lists) > 3*maxLists, len(s.Followed)%2 != 0, len(s.Followed) > 2*maxLists,
		len(s.Titles) != n, len(s.URLs) != n, len(s.Leaves) > maxLeaves, len(s.Lines)%8 != 0, len(s.Lines) > 8*maxMarks,
		len(s.Dates)%8 != 0, len(s.Dates) > 8*maxDates:
		return errors.New("watch: memory is damaged")
	}
	m.looks, m.entries, m.doubts, m.leaves = s.Looks, s.Entries, s.Doubts, s.Leaves
	m.listed = s.Listed || s.Entries > 0
	extra := s.Extra
	m.older = s.Looks > 0 && len(s.Marks) > 0 && (len(s.Extra) == 0 || s.Titling < titling)
	for b := s.Marks; len(b) > 0; b = b[markSize:] {
		var more uint64
		if len(extra) >= 8 {
			more, extra = binary.LittleEndian.Uint64(extra), extra[8:]
		}
		day := int(binary.LittleEndian.Uint32(b[32:]))
		m.seen.add(mark{
			url: binary.LittleEndian.Uint64(b), title: binary.LittleEndian.Uint64(b[8:]),
			version: binary.LittleEndian.Uint64(b[16:]), product: binary.LittleEndian.Uint64(b[24:]),
			date: calendar.Day{Year: day >> 9, Month: day >> 5 & 15, Day: day & 31}, extra: more,
		})
	}
	for b := s.Lines; len(b) > 0; b = b[8:] {
		m.lines = append(m.lines, binary.LittleEndian.Uint64(b))
	}
	for b := s.Dates; len(b) > 0; b = b[8:] {
		m.dates = append(m.dates, binary.LittleEndian.Uint64(b))
	}
	for l := s.Lists; len(l) > 0; l = l[3:] {
		m.lists[l[0]] = &track{int(l[1]), int(l[2])}
	}
	for h := s.Followed; len(h) > 0; h = h[2:] {
		m.followed[h[0]] = int(h[1])
	}
	for i := range n {
		m.last = append(m.last, past{s.Shapes[i], s.Titles[i], s.URLs[i], titleKey(s.Titles[i])})
	}
	return nil
}
