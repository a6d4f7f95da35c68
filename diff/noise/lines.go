package noise

import (
	"slices"
	"strings"

	"plat/plat"
)

// mostLines is the maximum number of differing lines that are compared one by one. A block with more
// is compared only by its words.
const mostLines = 40

// A turnover holds the lines that only one of two texts has, in any order: the items that came to and
// went from a list that shows some of many.
type turnover struct{ came, went []string }

// turn compares the lines of two texts. ok is false if lines that came resemble lines that went: a
// counter in a line is compared by words, and so is a quote after a few fixed words.
func turn(old, new string) (t turnover, ok bool) { return turnOf(old, new, true) }

// turnOf is turn; marks are words only if they are to be counted, or the line is a single word.
func turnOf(old, new string, marks bool) (t turnover, ok bool) {
	was, is := linesOf(old), linesOf(new)
	if len(was) < 2 && len(is) < 2 {
		return t, false
	}
	t = turnover{came: withoutLines(is, was), went: withoutLines(was, is)}
	if len(t.came)+len(t.went) > mostLines {
		return t, false
	}
	if len(t.came) == 1 && len(t.went) == 1 {
		if from, to := edges(scan(t.came[0]), scan(t.went[0])); max(from, to) >= least {
			return t, false
		}
	}
	var went, said []map[string]int
	for _, w := range scanned(t.went) {
		if went = append(went, count(w)); !marks {
			said = append(said, count(spoken(w)))
		}
	}
	for _, came := range scanned(t.came) {
		others := went
		if words := spoken(came); !marks && len(words) > 1 {
			came, others = words, said
		}
		if slices.ContainsFunc(others, func(w map[string]int) bool { return 3*common(came, w) >= len(came) }) {
			return t, false
		}
	}
	return t, true
}

// repeats reports whether a text is another one with some other words: a third of its words, in any
// order, are there too. Marks in two of several words are equal by chance.
func repeats(text, other []token) bool {
	if words := spoken(text); len(words) > 1 {
		text, other = words, spoken(other)
	}
	return 3*common(text, count(other)) >= len(text)
}

// spoken returns the words that are not marks.
func spoken(ws []token) []token {
	return slices.DeleteFunc(slices.Clone(ws), func(t token) bool { return !said(t) })
}

// said reports whether a word is a time, a number or letters.
func said(t token) bool { return strings.IndexByte("a0t", t.shape()) >= 0 }

// edges returns the number of words that two texts have in common at their beginning, and at their
// end, ignoring punctuation.
func edges(a, b []token) (from, to int) {
	for i := 0; i < min(len(a), len(b)) && a[i].text == b[i].text; i++ {
		if said(a[i]) {
			from++
		}
	}
	for i := 1; i <= min(len(a), len(b)) && a[len(a)-i].text == b[len(b)-i].text; i++ {
		if said(a[len(a)-i]) {
			to++
		}
	}
	return from, to
}

// scanned returns the words of some lines.
func scanned(lines []string) [][]token {
	all := make([][]token, len(lines))
	for i, s := range lines {
		all[i] = scan(s)
	}
	return all
}

// common returns the number of words that are also in a multiset of words, in any order.
func common(words []token, others map[string]int) (n int) {
	seen := map[string]int{}
	for _, w := range words {
		if seen[w.text]++; seen[w.text] <= others[w.text] {
			n++
		}
	}
	return n
}

func (t turnover) empty() bool    { return len(t.came)+len(t.went) == 0 }
func (t turnover) balanced() bool { return len(t.came) == len(t.went) }

func ofLinesOf(lineage int32) where { return where{kind: ofLines, lineage: lineage} }

// learnLines learns that lines of a block come and go, and reports whether they do.
func (m *Mask) learnLines(lineage int32, first, second string) bool {
	t, ok := turn(first, second)
	if !ok || t.empty() {
		return false
	}
	known := m.knowsLines(t.came)
	if p := m.learn(ofLinesOf(lineage), hashOf(first)); p != nil && t.balanced() {
		p.came(known)
	}
	for _, s := range append(t.came, t.went...) {
		m.meet(itemOf(s))
	}
	return true
}

// knowsLines reports whether all of some lines were seen to come or go.
func (m *Mask) knowsLines(all []string) bool {
	return !slices.ContainsFunc(all, func(s string) bool { return !m.met(itemOf(s)) })
}

// meetLines records the lines that came to a block whose lines come and go.
func (m *Mask) meetLines(lineage int32, old, now string, usual bool) {
	p := m.find(ofLinesOf(lineage))
	if p == nil {
		return
	}
	t, ok := p.turn(old, now)
	if !ok {
		return
	}
	if p.is(hashOf(now)) && usual && t.balanced() && len(t.came) > 0 {
		p.came(m.knowsLines(t.came))
	}
	for _, s := range t.came {
		m.comes(itemOf(s), usual)
	}
	if usual {
		for _, s := range t.went {
			m.meet(itemOf(s))
		}
	}
}

// lines returns the evidence about the lines of a block.
func (j *judge) lines(c plat.Change, now string) *turning {
	x := &turning{mask: j.mask, place: j.mask.find(ofLinesOf(c.Lineage))}
	for k := j; k != nil; k = k.earlier {
		if b := k.second[c.Lineage]; b != nil {
			x.look(now, textOf(b, c.Folded))
		}
	}
	return x
}

// part returns the reason why changed lines in the blocks of a gap are not news, empty if they are.
// The page may divide the gap into blocks differently.
func (j *judge) part(gap int32) Reason {
	v := j.move()
	if why, ok := v.parts[gap]; ok || v.leaves[gap] == nil {
		return why
	}
	x := turning{mask: j.mask, place: j.mask.gap(gap)}
	if j.again != nil {
		x.look(v.text(gap, isNow), v.text(gap, isAgain))
	}
	v.parts[gap] = x.why(v.text(gap, isOld), v.text(gap, isNow))
	return v.parts[gap]
}

// A turning is the evidence that lines of a text come and go: from the mask, and from second
// renderings.
type turning struct {
	mask   *Mask
	place  *place      // nil: lines are not known to come and go there
	looks  [][]string  // lines of the second renderings whose lines differ from the first
	others [][][]token // for each of these, the lines that the first rendering lacks
	varies bool        // one of these replaces lines by as many
}

// look adds a second rendering, if its lines differ.
func (x *turning) look(now, second string) {
	if t, ok := turn(now, second); ok && !t.empty() {
		x.looks = append(x.looks, linesOf(second))
		x.others = append(x.others, scanned(t.came))
		x.varies = x.varies || t.balanced()
	}
}

// turn compares the lines of two texts, if there is any evidence about them.
func (x *turning) turn(old, now string) (t turnover, ok bool) {
	if x.place == nil && len(x.looks) == 0 {
		return t, false
	}
	return x.place.turn(old, now)
}

// turn compares the lines of two texts at a place where lines come and go, or nowhere: where unknown lines
// come, marks are equal by chance.
func (p *place) turn(old, now string) (t turnover, ok bool) {
	return turnOf(old, now, !p.anything())
}

// why returns the reason why no line that came or went is news, empty if one is.
func (x *turning) why(old, now string) (why Reason) {
	t, ok := x.turn(old, now)
	if !ok {
		return ""
	}
	if why = Learned; len(x.looks) > 0 {
		why = TwoLook
	}
	for _, r := range append(x.came(t), x.went(t)...) {
		switch r {
		case "":
			return ""
		case Learned:
			why = Learned
		}
	}
	return why
}

// came returns the reason why each line that came is not news, empty if it is.
func (x *turning) came(t turnover) (why []Reason) {
	went := scanned(t.went)
	for _, s := range t.came {
		switch {
		case x.written(scan(s), went):
			why = append(why, "")
		case slices.ContainsFunc(x.looks, func(look []string) bool { return !slices.Contains(look, s) }):
			why = append(why, TwoLook)
		case x.mask.met(itemOf(s)), x.place.anything() && t.balanced():
			why = append(why, Learned)
		default:
			why = append(why, "")
		}
	}
	return why
}

// written reports whether a line that came begins or ends with words that no line that went has
// there, but a new line of each second rendering has: an author's text beside words that vary. One
// word that only two renderings share may be chance.
func (x *turning) written(is []token, went [][]token) bool {
	from, to := len(is), len(is)
	for _, look := range x.others {
		a, b := 0, 0
		for _, other := range look {
			n, m := edges(is, other)
			a, b = max(a, n), max(b, m)
		}
		from, to = min(from, a), min(to, b)
	}
	switch len(x.others) {
	case 0:
		return false
	case 1:
		from, to = from-1, to-1
	}
	for _, other := range went {
		a, b := edges(is, other)
		from, to = from-a, to-b
	}
	return from > 0 || to > 0
}

// went returns the reason why each line that went is not news, empty if it is. Where the mask has
// lines that come and go, the line must be one of them, or be back in the second rendering.
func (x *turning) went(t turnover) (why []Reason) {
	for _, s := range t.went {
		back := slices.ContainsFunc(x.looks, func(l []string) bool { return slices.Contains(l, s) })
		switch {
		case back || x.place == nil && x.varies && t.balanced():
			why = append(why, TwoLook)
		case x.mask.met(itemOf(s)):
			why = append(why, Learned)
		default:
			why = append(why, "")
		}
	}
	return why
}

// marks returns the ranges of the lines that come and go in two texts whose other lines are news.
func (x *turning) marks(old, now string) (inOld, inNow []plat.Range) {
	t, ok := x.turn(old, now)
	if !ok {
		return nil, nil
	}
	return rangesOf(old, t.went, x.went(t)), rangesOf(now, t.came, x.came(t))
}

// rangesOf returns the ranges of the lines in some that have a reason.
func rangesOf(text string, some []string, why []Reason) (all []plat.Range) {
	n := map[string]int{}
	for i, s := range some {
		if why[i] != "" {
			n[s]++
		}
	}
	for from, to := range eachLine(text) {
		s := text[from:to]
		if n[s]--; n[s] >= 0 && s != "" {
			all = append(all, plat.Range{From: from, To: to})
		}
	}
	return all
}
