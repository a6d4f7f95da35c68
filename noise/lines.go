package noise

import (
	"slices"
	"strings"

	"plat"
)

// mostLines is how many lines that differ are told apart. A block with more is compared by
// its words alone.
const mostLines = 40

// A turnover is the lines that one text has and another has not, in whatever order they
// stand: a list in a block that shows some of many items.
type turnover struct{ came, went []string }

// turn compares the lines of two texts. ok is false if the lines that came are not others
// than those that went: a counter in a line is a matter of words.
func turn(old, new string) (t turnover, ok bool) {
	was, is := strings.Split(old, "\n"), strings.Split(new, "\n")
	if len(was) < 2 && len(is) < 2 {
		return t, false
	}
	t = turnover{came: without(is, was), went: without(was, is)}
	if len(t.came)+len(t.went) > mostLines {
		return t, false
	}
	went := make([]map[string]int, len(t.went))
	for i, s := range t.went {
		went[i] = count(parse(s).all)
	}
	for _, s := range t.came {
		words := parse(s).all
		for _, w := range went {
			if 3*common(words, w) >= len(words) {
				return t, false
			}
		}
	}
	return t, true
}

// common is how many of some words are among others, wherever they stand.
func common(words []token, others map[string]int) (n int) {
	seen := map[string]int{}
	for _, w := range words {
		if seen[w.text]++; seen[w.text] <= others[w.text] {
			n++
		}
	}
	return n
}

// without returns the lines of one list that another does not have, counting equal ones.
func without(all, others []string) (left []string) {
	n := map[string]int{}
	for _, s := range others {
		n[s]++
	}
	for _, s := range all {
		if n[s]--; n[s] < 0 {
			left = append(left, s)
		}
	}
	return left
}

// shareLine reports whether two texts have a line in common.
func shareLine(a, b string) bool {
	was := strings.Split(a, "\n")
	return len(without(was, strings.Split(b, "\n"))) < len(was)
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

// meetLines takes over which lines have come to a block where they come and go.
func (m *Mask) meetLines(lineage int32, old, now string, usual bool) {
	p := m.find(ofLinesOf(lineage))
	if p == nil {
		return
	}
	t, ok := turn(old, now)
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

// lines says why it is no news that a block has other lines: each that came or went does so
// by itself.
func (j *judge) lines(c plat.Change, old, now string) Reason {
	p := j.mask.find(ofLinesOf(c.Lineage))
	if b := j.second[c.Lineage]; b != nil {
		second := textOf(b, c.Folded)
		if t, ok := turn(now, second); ok && !t.empty() {
			return j.turned(p, old, now, second, true)
		}
	}
	if p == nil {
		return ""
	}
	return j.turned(p, old, now, "", false)
}

// part says the same of all blocks between two that stay, where the page may be divided into
// blocks in another way than before.
func (j *judge) part(gap int32) Reason {
	v := j.move()
	if j.again == nil {
		return ""
	}
	text := func(i int) string { return strings.Join(v.texts[gap][i], "\n") }
	if t, ok := turn(text(isNow), text(isAgain)); !ok || t.empty() {
		return ""
	}
	return j.turned(nil, text(isOld), text(isNow), text(isAgain), true)
}

// turned says why it is no news that a text has other lines, by what is known of them and by
// the second look, if it has other lines too.
func (j *judge) turned(p *place, old, now, second string, looked bool) (why Reason) {
	t, ok := turn(old, now)
	if !ok {
		return ""
	}
	varies, again := false, strings.Split(second, "\n")
	if why = Learned; looked {
		u, _ := turn(now, second)
		why, varies = TwoLook, u.balanced()
	}
	has := func(s string) bool { return looked && len(without([]string{s}, again)) == 0 }
	for _, s := range t.came {
		switch {
		case looked && !has(s):
		case j.mask.met(itemOf(s)), p.anything() && t.balanced():
			why = Learned
		default:
			return ""
		}
	}
	for _, s := range t.went {
		switch {
		case has(s), varies && t.balanced():
		case j.mask.met(itemOf(s)), p.anything() && t.balanced():
			why = Learned
		default:
			return ""
		}
	}
	return why
}
