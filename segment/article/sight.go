package article

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"plat/plat"
)

// sight holds a passage, the elements that contain it, and the other passages of its page. The model of texts reads
// [observations] of it.
type sight struct {
	*view
	i int // of t.all
	q *passage
	form

	in   [levels]within // the elements around it that hold more than the one before
	hint hints          // of all elements around it, as far as they are trusted
	near hints
	own  within // the element that the passage is in
}

// view holds the data that all passages of a page share.
type view struct {
	*finding
	words, chars, linked, prose []int32 // sums over the passages before each
	headings                    []int32
	from                        []int32 // by node: passages that begin before it
	forms                       []form
	depth, tables, lists, items []uint8 // elements of these kinds around each node
	alike                       []int32 // siblings with the name and class of each node

	kept        []bool
	keptWords   []int32 // sums
	first, last int     // kept passages, −1 if there are none
	articles    int
}

// levels is the number of containing elements that the model reads of each passage.
const levels = 4

// within is the passages in an element.
type within struct {
	node   int32
	lo, hi int32 // passages
}

// form is the writing of a passage.
type form struct {
	titled float64 // share of words that begin with a capital letter
	length float64 // of words, in letters
	lines  float64
	bars   float64 // signs between links, by word
	small  bool    // begins with a small letter
	rights bool
}

// formOf reads the text of a passage.
func formOf(q *passage) (f form) {
	words, titled, letters, bars := 0, 0, 0, 0
	begins := true
	for _, r := range q.text[:min(len(q.text), maxForm)] {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			if begins {
				words++
				if unicode.IsUpper(r) {
					titled++
				}
			}
			if unicode.IsLetter(r) {
				letters++
			}
			begins = false
		case unicode.IsSpace(r):
			begins = true
			if r == '\n' {
				f.lines++
			}
		default:
			if strings.ContainsRune("|·•»›>/«", r) {
				bars++
			}
			begins = strings.ContainsRune("(\"“«", r)
		}
	}
	words = max(1, words)
	f.titled = float64(titled) / float64(words)
	f.bars = float64(bars) / float64(words)
	f.length = float64(letters) / float64(words)
	first, _ := utf8.DecodeRuneInString(q.text)
	f.small = unicode.IsLower(first)
	if len(q.text) < 400 {
		f.rights = strings.Contains(q.text, "©") || strings.Contains(q.text, "opyright") || strings.Contains(q.text, "ights reserved") || strings.Contains(q.text, "版权") || strings.Contains(q.text, "(c)")
	}
	return f
}

const maxForm = 600 // bytes of a passage that are read

// view prepares the view of a page.
func (f *finding) view() *view {
	n := len(f.all)
	v := &view{
		finding: f, first: -1, last: -1,
		words: make([]int32, n+1), chars: make([]int32, n+1), linked: make([]int32, n+1), prose: make([]int32, n+1), headings: make([]int32, n+1),
		from: make([]int32, len(f.at)+1), forms: make([]form, n), kept: make([]bool, n), keptWords: make([]int32, n+1),
		depth: make([]uint8, len(f.at)), tables: make([]uint8, len(f.at)), lists: make([]uint8, len(f.at)), items: make([]uint8, len(f.at)), alike: make([]int32, len(f.at)),
	}
	t, kept := f.text, f.kept
	for _, i := range kept {
		v.kept[i] = true
	}
	if len(kept) > 0 {
		v.first, v.last = kept[0], kept[len(kept)-1]
	}
	for i := range t.all {
		q := &t.all[i]
		v.forms[i] = formOf(q)
		w := int32(q.weight())
		v.words[i+1], v.chars[i+1], v.linked[i+1], v.prose[i+1], v.headings[i+1], v.keptWords[i+1] = v.words[i], v.chars[i], v.linked[i], v.prose[i], v.headings[i], v.keptWords[i]
		v.from[q.first+1]++
		if !q.seen {
			continue
		}
		v.words[i+1] += w
		v.chars[i+1] += int32(q.chars)
		v.linked[i+1] += int32(q.linked)
		v.prose[i+1] += q.proseWeight()
		if t.heading(q) > 0 {
			v.headings[i+1]++
		}
		if v.kept[i] {
			v.keptWords[i+1] += w
		}
	}
	type shape struct {
		parent int32
		name   string
		class  string
	}
	shapes := map[shape]int32{}
	shapeAt := make([]shape, len(t.at))
	for i := range t.at {
		v.from[i+1] += v.from[i]
		a, e := &t.at[i], &t.Nodes[i]
		if a.parent >= 0 {
			p := a.parent
			v.depth[i], v.tables[i], v.lists[i], v.items[i] = more(v.depth[p]), v.tables[p], v.lists[p], v.items[p]
		}
		if e.Kind != plat.ElementNode {
			continue
		}
		switch e.Name {
		case "table":
			v.tables[i] = more(v.tables[i])
		case "ul", "ol", "dl":
			v.lists[i] = more(v.lists[i])
		case "li", "dt", "dd":
			v.items[i] = more(v.items[i])
		case "article":
			v.articles++
		}
		class, _ := e.Attr("class")
		s := shape{a.parent, e.Name, class}
		shapes[s]++
		shapeAt[i] = s
	}
	for i := range t.at {
		if t.Nodes[i].Kind == plat.ElementNode {
			v.alike[i] = shapes[shapeAt[i]]
		}
	}
	return v
}

func more(n uint8) uint8 { return min(n, 254) + 1 }

// at returns the passages in a node.
func (v *view) passagesIn(node int32) within {
	return within{node, v.from[node], v.from[v.at[node].end]}
}

// look prepares the sight of passage i.
func (v *view) look(i int) sight {
	q := &v.all[i]
	s := sight{view: v, i: i, q: q, form: v.forms[i], hint: v.at[q.first].all, near: v.near(q)}
	s.own = v.passagesIn(q.block)
	last := s.own
	node := q.block
	for k := range s.in {
		for node = v.at[node].parent; node >= 0; node = v.at[node].parent {
			if w := v.passagesIn(node); w.hi-w.lo > last.hi-last.lo {
				last = w
				break
			}
		}
		s.in[k] = last
		if node < 0 {
			break
		}
	}
	for k := 1; k < levels; k++ {
		if s.in[k].hi == 0 {
			s.in[k] = s.in[k-1]
		}
	}
	return s
}

func sumOf(sums []int32, lo, hi int32) float64 { return float64(sums[hi] - sums[lo]) }

func portion(a, b float64) float64 {
	if b <= 0 {
		return 0
	}
	return a / b
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func logOf(n float64) float64 { return math.Log2(1 + max(0, n)) }

// observation is one value for the model.
type observation struct {
	name string
	of   func(s *sight) float64
}

// observations are all values, in the order of the model's features.
var observations = func() []observation {
	all := []observation{
		{"words", func(s *sight) float64 { return logOf(float64(s.q.weight())) }},
		{"in links", func(s *sight) float64 { return s.q.linkShare() }},
		{"ends", func(s *sight) float64 { return yes(s.q.ends) }},
		{"heading", func(s *sight) float64 { return float64(s.heading(s.q)) }},
		{"bold", func(s *sight) float64 { return portion(float64(s.q.bold), float64(s.q.chars)) }},
		{"titled", func(s *sight) float64 { return s.titled }},
		{"length of words", func(s *sight) float64 { return s.length }},
		{"lines", func(s *sight) float64 { return logOf(s.lines) }},
		{"small", func(s *sight) float64 { return yes(s.small) }},
		{"bars", func(s *sight) float64 { return s.bars }},
		{"rights", func(s *sight) float64 { return yes(s.rights) }},
		{"size", func(s *sight) float64 { return float64(portion(float64(s.q.size), float64(s.bodySize))) }},
		{"depth", func(s *sight) float64 { return float64(s.depth[s.q.first]) }},
		{"tables", func(s *sight) float64 { return float64(min(6, s.tables[s.q.first])) }},
		{"lists", func(s *sight) float64 { return float64(min(4, s.lists[s.q.first])) }},
		{"items", func(s *sight) float64 { return float64(min(4, s.items[s.q.first])) }},
		{"in main", func(s *sight) float64 { return yes(s.at[s.q.first].main) }},
		{"preformatted", func(s *sight) float64 { return yes(s.at[s.q.first].pre) }},

		{"left", func(s *sight) float64 { return ratioOf(s.q.box.X, s.Width) }},
		{"width", func(s *sight) float64 { return ratioOf(s.q.box.W, s.Width) }},
		{"right", func(s *sight) float64 { return ratioOf(s.Width-s.q.box.X-s.q.box.W, s.Width) }},
		{"y", func(s *sight) float64 { return ratioOf(s.q.box.Y, 1000) }},
		{"height of page", func(s *sight) float64 { return ratioOf(s.Height, 1000) }},
		{"by column", func(s *sight) float64 { return ratioOf(s.q.box.W, s.text.right-s.left) }},

		{"nth", func(s *sight) float64 { return portion(float64(s.i), float64(len(s.all))) }},
		{"prose before", func(s *sight) float64 { return portion(float64(s.prose[s.i]), float64(s.prose[len(s.all)])) }},
		{"prose after", func(s *sight) float64 {
			return portion(float64(s.prose[len(s.all)]-s.prose[s.i+1]), float64(s.prose[len(s.all)]))
		}},
		{"words before", func(s *sight) float64 { return logOf(float64(s.words[s.i])) }},
		{"words after", func(s *sight) float64 { return logOf(float64(s.words[len(s.all)] - s.words[s.i+1])) }},

		{"in region", func(s *sight) float64 { return yes(s.inRegion(s.q)) }},
		{"kept", func(s *sight) float64 { return yes(s.kept[s.i]) }},
		{"after title", func(s *sight) float64 {
			if s.shown < 0 {
				return 0
			}
			return signedLog(s.i - s.shown)
		}},
		{"title shown", func(s *sight) float64 { return yes(s.shown >= 0) }},
		{"after first", func(s *sight) float64 { return signedLog(s.i - s.first) }},
		{"after last", func(s *sight) float64 { return signedLog(s.i - s.last) }},
		{"kept of region", func(s *sight) float64 {
			w := s.passagesIn(s.region)
			return portion(float64(s.keptWords[len(s.all)]), sumOf(s.words, w.lo, w.hi))
		}},

		{"kept of page", func(s *sight) float64 { return portion(float64(s.keptWords[len(s.all)]), float64(s.words[len(s.all)])) }},
		{"kept of prose", func(s *sight) float64 { return portion(float64(s.keptWords[len(s.all)]), float64(s.prose[len(s.all)])) }},
		{"passages of page", func(s *sight) float64 { return logOf(float64(len(s.all))) }},
		{"words of page", func(s *sight) float64 { return logOf(float64(s.words[len(s.all)])) }},
		{"links of page", func(s *sight) float64 { return portion(float64(s.linked[len(s.all)]), float64(s.chars[len(s.all)])) }},
		{"prose of page", func(s *sight) float64 { return portion(float64(s.prose[len(s.all)]), float64(s.words[len(s.all)])) }},
		{"articles", func(s *sight) float64 { return float64(min(5, s.articles)) }},
		{"declared", func(s *sight) float64 { return yes(s.declared.article) }},
	}
	for _, tag := range []string{"p", "li", "div", "pre"} {
		all = append(all, observation{"<" + tag + ">", func(s *sight) float64 { return yes(s.tag(s.q) == tag) }})
	}
	for _, h := range []struct {
		name string
		of   hints
	}{
		{"nav", hintNavigation}, {"comments", hintComments}, {"related", hintRelated}, {"subscribe", hintSubscribe}, {"caption", hintCaption}, {"footer", hintFooter},
		{"aside", hintAside}, {"header", hintHeader}, {"form", hintForm}, {"overlay", hintOverlay}, {"unread", hintUnread}, {"summary", hintSummary},
		{"date", hintDate}, {"body", hintBody},
	} {
		all = append(all, observation{"in " + h.name, func(s *sight) float64 { return yes(s.hint&h.of != 0) }})
		if h.of&(hintCaption|hintSummary|hintComments) != 0 {
			all = append(all, observation{"near " + h.name, func(s *sight) float64 { return yes(s.near&h.of != 0) }})
		}
	}
	for _, d := range []int{-2, -1, 1, 2} {
		other := func(s *sight) *passage {
			if i := s.i + d; i >= 0 && i < len(s.all) {
				return &s.all[i]
			}
			return &passage{}
		}
		name := fmt.Sprintf("next %d ", d)
		if d < 0 {
			name = fmt.Sprintf("last %d ", -d)
		}
		all = append(all,
			observation{name + "words", func(s *sight) float64 { return logOf(float64(other(s).weight())) }},
			observation{name + "in links", func(s *sight) float64 { return other(s).linkShare() }})
		if d == -1 || d == 1 {
			all = append(all,
				observation{name + "ends", func(s *sight) float64 { return yes(other(s).ends) }},
				observation{name + "gap", func(s *sight) float64 {
					b := other(s).box
					return float64(max(-300, min(300, max(b.Y-s.q.box.Y-s.q.box.H, s.q.box.Y-b.Y-b.H))))
				}},
				observation{name + "kept", func(s *sight) float64 {
					i := s.i + d
					return yes(i >= 0 && i < len(s.all) && s.kept[i])
				}})
		}
	}
	for _, n := range []int32{3, 8, 20} {
		all = append(all, observation{fmt.Sprintf("within %d in links", n), func(s *sight) float64 {
			lo, hi := max(0, int32(s.i)-n), min(int32(len(s.all)), int32(s.i)+n+1)
			return portion(sumOf(s.linked, lo, hi), sumOf(s.chars, lo, hi))
		}})
	}
	for _, k := range []int{0, 1, 2, levels} {
		w := func(s *sight) within {
			if k == 0 {
				return s.own
			}
			return s.in[k-1]
		}
		name := fmt.Sprintf("level %d ", k)
		all = append(all,
			observation{name + "passages", func(s *sight) float64 { x := w(s); return logOf(float64(x.hi - x.lo)) }},
			observation{name + "words", func(s *sight) float64 { x := w(s); return logOf(sumOf(s.words, x.lo, x.hi)) }},
			observation{name + "in links", func(s *sight) float64 {
				x := w(s)
				return portion(sumOf(s.linked, x.lo, x.hi), sumOf(s.chars, x.lo, x.hi))
			}},
			observation{name + "length", func(s *sight) float64 {
				x := w(s)
				return portion(sumOf(s.words, x.lo, x.hi), float64(x.hi-x.lo))
			}},
			observation{name + "kept", func(s *sight) float64 {
				x := w(s)
				return portion(sumOf(s.keptWords, x.lo, x.hi), sumOf(s.words, x.lo, x.hi))
			}},
			observation{name + "alike", func(s *sight) float64 { return logOf(float64(s.alike[w(s).node])) }})
		if k == levels {
			all = append(all,
				observation{name + "headings", func(s *sight) float64 {
					x := w(s)
					return portion(sumOf(s.headings, x.lo, x.hi), float64(x.hi-x.lo))
				}},
				observation{name + "nth", func(s *sight) float64 {
					x := w(s)
					return portion(float64(int32(s.i)-x.lo), float64(x.hi-x.lo))
				}})
		}
	}
	return all
}()

func ratioOf(a, b float32) float64 { return portion(float64(a), float64(b)) }

// signedLog is logOf of a distance with its sign.
func signedLog(n int) float64 {
	if n < 0 {
		return -logOf(float64(-n))
	}
	return logOf(float64(n))
}

// observe computes all values for passage i.
func (v *view) observe(i int, values []float32) {
	s := v.look(i)
	for k := range observations {
		x := observations[k].of(&s)
		if x != x {
			x = 0
		}
		values[k] = float32(x)
	}
}
