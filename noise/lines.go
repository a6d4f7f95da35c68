package noise

import (
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
	for _, a := range t.came {
		words := parse(a)
		for _, b := range t.went {
			if !gone(words, Edits(Text{Text: a}, Text{Text: b})) {
				return t, false
			}
		}
	}
	return t, true
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
	fresh := false
	for _, s := range t.came {
		fresh = fresh || !m.met(itemOf(s))
	}
	if p := m.learn(ofLinesOf(lineage), hashOf(first)); p != nil && t.balanced() {
		p.came(!fresh)
	}
	for _, s := range append(t.came, t.went...) {
		m.meet(itemOf(s))
	}
	return true
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
	fresh := false
	for _, s := range t.came {
		fresh = fresh || !m.met(itemOf(s))
	}
	if p.is(hashOf(now)) && usual && t.balanced() && len(t.came) > 0 {
		p.came(!fresh)
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
func (j *judge) lines(c plat.Change, old, now string) (why Reason) {
	p := j.mask.find(ofLinesOf(c.Lineage))
	var again []string // lines of the second look
	varies := false    // the looks differ in lines, and have as many
	if b := j.second[c.Lineage]; b != nil {
		second := textOf(b, c.Folded)
		t, ok := turn(now, second)
		if again = strings.Split(second, "\n"); ok && !t.empty() {
			varies = t.balanced()
		} else {
			again = nil
		}
	}
	t, ok := turn(old, now)
	if p == nil && again == nil || !ok {
		return ""
	}
	has := func(s string) bool { return len(without([]string{s}, again)) == 0 }
	if why = Learned; again != nil {
		why = TwoLook
	}
	for _, s := range t.came {
		switch {
		case again != nil && !has(s):
		case j.mask.met(itemOf(s)), p.anything() && t.balanced():
			why = Learned
		default:
			return ""
		}
	}
	for _, s := range t.went {
		switch {
		case again != nil && has(s), varies && t.balanced():
		case j.mask.met(itemOf(s)), p.anything() && t.balanced():
			why = Learned
		default:
			return ""
		}
	}
	return why
}
