package watch

import (
	"hash/fnv"
	"strings"

	"golang.org/x/net/html/atom"
)

// record is one entry of a list: a run of sibling nodes, nodes[first:end].
type record struct{ first, end int32 }

// maxRecord limits the nodes of an entry of a list: a larger element is a part of the page.
const maxRecord = 4000

// list is a run of records of one shape, all over the page.
type list struct {
	shape    uint64 // hash of the path to its records
	few      bool   // a heading announces its entries, which are few
	fresh    bool   // the previous check did not find it
	known    bool   // it was chosen before
	followed bool   // it was followed before: labels of boilerplate do not count
	within   bool   // nearly all of its entries are in the main part
	headed   bool   // a record is a heading and the nodes after it, up to the next heading
	records  []record
	entries  []Entry // of the records, in order
	score    float64
	text     int // number of characters, of a plain list
	days     int // number of entries that open with a date and have nothing else
	class    class
}

// lists returns the candidates of a page, outer ones before those inside them.
func (t *tree) lists() []*list {
	paths := make([]uint64, len(t.nodes))
	headers := map[int32]string{} // header rows, by table
	by := map[uint64]*list{}
	var out []*list
	put := func(key uint64, headed bool, r record) {
		if r.end-r.first > maxRecord {
			return
		}
		l := by[key]
		if l == nil {
			l = &list{shape: key, headed: headed}
			by[key] = l
			out = append(out, l)
		}
		l.records = append(l.records, r)
	}
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.isText() {
			continue
		}
		if n.parent < 0 {
			paths[i] = mix(0, n.name)
		}
		cells := t.turns(int32(i), paths[i], put)
		// Group children by shape, over the whole page: an only child may still be one of many.
		for c := int32(i) + 1; c < n.end; c = t.nodes[c].end {
			if t.nodes[c].isText() {
				continue
			}
			paths[c] = mix(paths[i], t.shapeOf(c))
			if recordTag(t.nodes[c].tag) && !cells[c] && (t.nodes[c].tag != atom.A || t.bar(int32(i))) {
				key := paths[c]
				if t.nodes[c].tag == atom.Tr {
					key = mix(key, t.header(c, headers))
				}
				put(key, false, record{c, t.nodes[c].end})
			}
		}
		t.headed(int32(i), paths[i], put)
		t.breaks(int32(i), paths[i], put)
		t.emptied(int32(i), paths[i], put)
		t.ruled(int32(i), paths[i], put)
	}
	return out
}

// header returns the text of the first row of a row's table, if it is a row of headers. Tables
// with the same columns become one list.
func (t *tree) header(row int32, known map[int32]string) string {
	i := t.nodes[row].parent
	for up := 0; i >= 0 && t.nodes[i].tag != atom.Table; up++ {
		if i = t.nodes[i].parent; up > 2 {
			return ""
		}
	}
	if i < 0 {
		return ""
	}
	s, ok := known[i]
	if !ok {
		s = t.headerOf(i)
		known[i] = s
	}
	return s
}

// maxHeader limits the nodes of a row of headers.
const maxHeader = 400

func (t *tree) headerOf(i int32) string {
	for c := i + 1; c < t.nodes[i].end; c++ {
		if t.nodes[c].tag == atom.Tr {
			if t.nodes[c].end-c > maxHeader {
				return ""
			}
			for k := c + 1; k < t.nodes[c].end; k++ {
				if t.nodes[k].tag == atom.Td {
					return ""
				}
			}
			return t.textOf(c)
		}
	}
	return ""
}

// bar reports whether a node holds links and hardly anything else.
func (t *tree) bar(i int32) bool {
	from, to := t.totals[i+1], t.totals[t.nodes[i].end]
	return (to.linked-from.linked)*5 >= (to.text-from.text)*4
}

// headed puts the records that headings, terms of a definition list, or bold lines begin among the
// children of a node.
func (t *tree) headed(i int32, path uint64, put func(uint64, bool, record)) {
	n := &t.nodes[i]
	var open [9]int32 // by level of heading: the start of its open record, or 0
	close := func(level int, at int32) {
		for l := level; l < len(open); l++ {
			if open[l] > 0 {
				put(mix(path, "#"+string(rune('0'+l))), true, record{open[l], at})
				open[l] = 0
			}
		}
	}
	for c := i + 1; c < n.end; c = t.nodes[c].end {
		level := headingLevel(t.nodes[c].tag)
		if level == 0 && t.bold(c) {
			level = 8
		}
		if level == 0 {
			continue
		}
		close(level, c)
		open[level] = c
	}
	close(0, n.end)
}

// headingLevel returns 1 to 6 for headings, 7 for a term and 0 for other elements.
func headingLevel(tag atom.Atom) int {
	switch tag {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return int(tag.String()[1] - '0')
	case atom.Dt:
		return 7
	}
	return 0
}

// recordTag reports whether an element may be an entry of a list.
func recordTag(tag atom.Atom) bool {
	switch tag {
	case atom.Li, atom.Tr, atom.Article, atom.Section, atom.Div, atom.P, atom.A, atom.Table, atom.Ul, atom.Figure, atom.Details, atom.Blockquote, atom.Tbody:
		return true
	}
	return tag == 0 // a custom element
}

// maxClasses limits the part of a class attribute that enters the shape, in bytes.
const maxClasses = 8 << 10

// shapeOf returns the element's name and its classes, without classes that differ between
// siblings of one kind.
func (t *tree) shapeOf(i int32) string {
	n := &t.nodes[i]
	if n.class == "" {
		return n.name
	}
	var b strings.Builder
	b.WriteString(n.name)
	for c := range strings.FieldsSeq(cut(n.class, maxClasses)) {
		end := strings.ToLower(c[strings.LastIndexAny(c, "-_")+1:])
		if strings.ContainsAny(c, "0123456789") || passing[end] {
			continue
		}
		b.WriteByte('.')
		b.WriteString(c)
	}
	return b.String()
}

// passing holds classes for the position of an entry in its list, or for its state.
var passing = map[string]bool{
	"active": true, "current": true, "selected": true, "first": true, "last": true, "odd": true, "even": true, "alt": true,
	"sticky": true, "new": true, "visited": true, "read": true, "unread": true, "hidden": true, "open": true, "collapsed": true,
}

func mix(path uint64, shape string) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for i := range b {
		b[i] = byte(path >> (8 * i))
	}
	h.Write(b[:])
	h.Write([]byte(shape))
	return h.Sum64()
}
