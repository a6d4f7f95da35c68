package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plat/plat"
)

// A repeated structure of a page: entries that are sibling elements of one tag and class, or that headings of one level begin.
// Package watch has no editedNode in how it is found.
type repeated struct {
	root    *editedNode
	parent  *editedNode
	entries [][]*editedNode // each is a run of siblings
	slots   [][2]float32
	stacked bool    // the entries are below one another
	gap     float32 // between stacked entries
	bottom  float32
	chars   int // of the entries' texts
	main    float64
	used    int // how many entries were added
}

// leastRepeated is the minimum number of entries of a structure.
const leastRepeated = 4

// structures returns the repeated structures of a page, the one with most text first. words returns how many words a node of
// the snapshot has in the main text, and in all.
func structures(root *editedNode, words func(nr int32) (main, all float64)) (out []*repeated) {
	root.all(func(n *editedNode) {
		if n.Kind != plat.ElementNode || !n.HasBox {
			return
		}
		runs := map[string][][]*editedNode{}
		var names []string
		put := func(name string, run []*editedNode) {
			if runs[name] == nil {
				names = append(names, name)
			}
			runs[name] = append(runs[name], run)
		}
		for _, k := range n.kids {
			if name := entryName(k); name != "" {
				put(name, []*editedNode{k})
			}
		}
		for _, heading := range []string{"h2", "h3", "h4", "dt"} {
			var run []*editedNode
			for _, k := range n.kids {
				switch {
				case k.is(heading):
					if len(run) > 0 {
						put("#"+heading, run)
					}
					run = []*editedNode{k}
				case k.is("h1", "h2", "h3") && k.Name < heading:
					if len(run) > 0 {
						put("#"+heading, run)
					}
					run = nil
				case len(run) > 0:
					run = append(run, k)
				}
			}
			if len(run) > 0 {
				put("#"+heading, run)
			}
		}
		for _, name := range names {
			if r := newRepeated(root, n, runs[name], words); r != nil {
				out = append(out, r)
			}
		}
	})
	slices.SortStableFunc(out, func(a, b *repeated) int { return cmp.Compare(b.chars, a.chars) })
	return out
}

// entryName returns the tag and class of an element that may be an entry. The class of an item, a row or an article does not
// count. Links are entries if their parent has hardly any other text.
func entryName(n *editedNode) string {
	class, _, _ := strings.Cut(strings.TrimSpace(n.attr("class")), " ")
	switch {
	case n.is("li", "tr", "article"):
		return n.Name
	case n.is("a"):
		linked := 0
		for _, k := range n.parent.kids {
			if k.is("a") {
				linked += len(k.text())
			}
		}
		if linked*5 >= len(n.parent.text())*4 {
			return "a"
		}
	case n.is("div", "section", "figure", "details") || n.Kind == plat.ElementNode && strings.Contains(n.Name, "-"):
		return n.Name + "." + class
	}
	return ""
}

// newRepeated returns the structure of runs, or nil if they are too few, or too different.
func newRepeated(root, parent *editedNode, runs [][]*editedNode, words func(nr int32) (main, all float64)) *repeated {
	r := &repeated{root: root, parent: parent}
	var sizes []int
	titles, inner := map[string]bool{}, map[string]int{}
	short, main, all := 0, 0.0, 0.0
	for _, run := range runs {
		text := textOf(run)
		box := boxOf(run)
		if utf8.RuneCountInString(text) < 4 || box.Empty() {
			continue
		}
		r.entries = append(r.entries, run)
		sizes = append(sizes, utf8.RuneCountInString(text))
		r.chars += sizes[len(sizes)-1]
		title := strings.TrimSpace(titleOfRun(run).Value)
		titles[strings.ToLower(title)] = true
		if utf8.RuneCountInString(title) < 8 && len(strings.Fields(title)) < 2 {
			short++
		}
		for name := range tagsOf(run) {
			inner[name]++
		}
		for _, n := range run {
			n.all(func(n *editedNode) {
				m, a := words(n.nr)
				main, all = main+m, all+a
			})
		}
	}
	n := len(r.entries)
	if n < leastRepeated || short*2 > n || len(titles)*10 < n*9 || all == 0 {
		return nil
	}
	slices.Sort(sizes)
	if sizes[n/2] > 1200 || sizes[n-1] > 12*sizes[n/2]+200 || r.chars < 100 || r.differ(inner) {
		return nil
	}
	r.main = main / all
	r.measure()
	return r
}

// differ reports whether more than a quarter of the entries are not made as most are. inner counts the entries with each
// name of an element.
func (r *repeated) differ(inner map[string]int) bool {
	n := len(r.entries)
	most, like := commonest(inner, n), 0
	cells := map[int]int{}
	for _, run := range r.entries {
		of, common := tagsOf(run), 0
		for name := range of {
			if inner[name]*2 > n {
				common++
			}
		}
		if common*5 >= (len(of)+most-common)*3 {
			like++
		}
		cells[childrenOf(run[0], "td", "th")]++
	}
	first := r.entries[0][0]
	switch {
	case first.is("tr") && (len(cells) > 2 || cells[0]+cells[1] > 0):
		return true // a table for the layout
	case first.is("div", "section") && first.attr("class") == "" && most < 3:
		return true // paragraphs
	}
	return like*4 < n*3
}

// childrenOf counts the children of a node with one of the names.
func childrenOf(n *editedNode, names ...string) (k int) {
	for _, c := range n.kids {
		if c.is(names...) {
			k++
		}
	}
	return k
}

// commonest counts the names that more than half of n entries have.
func commonest(of map[string]int, n int) (k int) {
	for _, has := range of {
		if has*2 > n {
			k++
		}
	}
	return k
}

// tagsOf returns the names of the elements of a run, with those of their parents.
func tagsOf(run []*editedNode) map[string]bool {
	out := map[string]bool{}
	for _, k := range run {
		k.all(func(n *editedNode) {
			if n.Kind == plat.ElementNode {
				out[n.parent.Name+">"+n.Name] = true
			}
		})
	}
	return out
}

func textOf(run []*editedNode) string {
	var all []string
	for _, n := range run {
		if t := n.text(); t != "" {
			all = append(all, t)
		}
	}
	return strings.Join(all, " ")
}

func boxOf(run []*editedNode) (box plat.Rect) {
	for _, n := range run {
		if n.HasBox && !n.Box.Empty() {
			box = box.Union(n.Box)
		}
	}
	return box
}

// titleOfRun returns the text of an entry's title: that of its heading, else of its first link, else the longest.
func titleOfRun(run []*editedNode) *editedNode {
	for _, where := range []func(n *editedNode) bool{
		func(n *editedNode) bool {
			return n.is("h1", "h2", "h3", "h4", "h5", "h6", "dt", "strong", "b") || strings.Contains(n.attr("class"), "title")
		},
		func(n *editedNode) bool { return n.is("a") },
	} {
		var found *editedNode
		for _, k := range run {
			k.all(func(n *editedNode) {
				if found == nil && where(n) {
					if t := longestOf([]*editedNode{n}); t != nil && len(strings.TrimSpace(t.Value)) > 3 {
						found = t
					}
				}
			})
		}
		if found != nil {
			return found
		}
	}
	return longestOf(run)
}

// longestOf returns the longest text of a run that has lines.
func longestOf(run []*editedNode) (longest *editedNode) {
	for _, k := range run {
		k.all(func(n *editedNode) {
			if n.Kind == plat.TextNode && len(n.lines) > 0 && (longest == nil || len(strings.TrimSpace(n.Value)) > len(strings.TrimSpace(longest.Value))) {
				longest = n
			}
		})
	}
	return longest
}

// measure notes the places of the entries.
func (r *repeated) measure() {
	r.stacked = true
	var gaps []float32
	for i, run := range r.entries {
		box := boxOf(run)
		r.slots = append(r.slots, [2]float32{box.X, box.Y})
		r.bottom = max(r.bottom, box.Y+box.H)
		if i > 0 {
			before := boxOf(r.entries[i-1])
			gaps = append(gaps, box.Y-before.Y-before.H)
			r.stacked = r.stacked && gaps[i-1] > -4
		}
	}
	slices.Sort(gaps)
	r.gap = max(0, gaps[len(gaps)/2])
}

// layout puts the entries in their places, and what is below the list below it.
func (r *repeated) layout() {
	bottom := float32(0)
	y := r.slots[0][1]
	for i, run := range r.entries {
		box := boxOf(run)
		if i == len(r.slots) {
			last := r.slots[i-1]
			r.slots = append(r.slots, [2]float32{last[0], last[1] + box.H})
		}
		to := r.slots[i]
		if r.stacked {
			to = [2]float32{box.X, y}
			y += box.H + r.gap
		}
		for _, n := range run {
			n.move(to[0]-box.X, to[1]-box.Y)
		}
		bottom = max(bottom, to[1]+box.H)
	}
	in, up := map[*editedNode]bool{}, map[*editedNode]bool{}
	for _, run := range r.entries {
		for _, n := range run {
			n.all(func(n *editedNode) { in[n] = true })
		}
	}
	for n := r.parent; n != nil; n = n.parent {
		up[n] = true
	}
	by, was := bottom-r.bottom, r.bottom
	r.bottom = bottom
	r.root.all(func(n *editedNode) {
		switch {
		case in[n]:
		case up[n]:
			n.Box.H += by
		case n.HasBox && n.Box.Y >= was-1:
			kids := n.kids
			n.kids = nil
			n.move(0, by)
			n.kids = kids
		}
	})
}

// insert adds an entry before the i-th: a copy of a neighbour with a title and words of its own.
func (r *repeated) insert(i int, title string) {
	model := r.entries[min(i, len(r.entries)-1)]
	at := slices.Index(r.parent.kids, model[0])
	if i == len(r.entries) {
		at += len(model)
	}
	var run []*editedNode
	for _, n := range model {
		c := n.copied(false)
		c.parent = r.parent
		run = append(run, c)
	}
	if titleOfRun(run) == nil {
		run = run[:0]
		for _, n := range model {
			c := n.copied(true)
			c.parent = r.parent
			run = append(run, c)
		}
	}
	r.used++
	retitleRun(run, title, r.used)
	r.parent.kids = slices.Insert(r.parent.kids, at, run...)
	r.entries = slices.Insert(r.entries, i, run)
	r.layout()
}

func (r *repeated) remove(i int) {
	at := slices.Index(r.parent.kids, r.entries[i][0])
	r.parent.kids = slices.Delete(r.parent.kids, at, at+len(r.entries[i]))
	r.entries = slices.Delete(r.entries, i, i+1)
	r.layout()
}

// swap exchanges two entries, of which a is the first.
func (r *repeated) swap(a, b int) {
	x, y := r.entries[a], r.entries[b]
	i, k := slices.Index(r.parent.kids, x[0]), slices.Index(r.parent.kids, y[0])
	kids := slices.Concat(r.parent.kids[:i], y, r.parent.kids[i+len(x):k], x, r.parent.kids[k+len(y):])
	r.parent.kids = kids
	r.entries[a], r.entries[b] = y, x
	r.layout()
}

// rename adds words to the title of an entry.
func (r *repeated) rename(i int, words string) {
	t := titleOfRun(r.entries[i])
	t.write(strings.TrimSpace(t.Value) + words)
}

// retitleRun gives a copied entry a title, other words in its long texts, and other addresses.
func retitleRun(run []*editedNode, title string, nr int) {
	at := titleOfRun(run)
	for _, k := range run {
		k.all(func(n *editedNode) {
			switch {
			case n == at && strings.ContainsAny(n.Value, "0123456789"):
				n.write(firstNumber.ReplaceAllString(n.Value, "${1}"+strconv.Itoa(40+nr)) + ": " + title)
			case n == at:
				n.write(title)
			case n.Kind == plat.TextNode && n.parent == at.parent && strings.TrimSpace(n.Value) != "":
				n.Value, n.lines = " ", nil
			case n.Kind == plat.TextNode && len(strings.Fields(n.Value)) > 4:
				n.write(fmt.Sprintf(" The "+addedText+" %d of the season, and adds a chart. ", 40+nr))
			case n.Kind == plat.ElementNode:
				for _, name := range []string{"id", "name"} {
					if v, ok := n.Attr(name); ok {
						n.set(name, v+fmt.Sprintf(addedMark+"%d", nr))
					}
				}
				if n.is("a") && len(n.attr("href")) > 1 {
					n.set("href", readdressed(n.attr("href"), nr))
				}
			}
		})
	}
}
