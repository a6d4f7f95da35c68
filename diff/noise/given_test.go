package noise

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"plat/plat"
)

// leafOf returns a leaf with a text.
func leafOf(lineage int32, text string) plat.Block {
	return plat.Block{Lineage: lineage, Text: text, Content: []byte("<p>" + text + "</p>"), Pos: lineage}
}

// judged returns a judge of two versions whose blocks changed their texts.
func judged(m *Mask, given *Given, texts ...string) *judge {
	var old, now []plat.Block
	var changes []plat.Change
	for i := 0; i < len(texts); i += 2 {
		n := int32(i / 2)
		old, now = append(old, leafOf(n+1, texts[i])), append(now, leafOf(n+1, texts[i+1]))
		changes = append(changes, plat.Change{Kind: plat.Content, Lineage: n + 1, Old: n, New: n})
	}
	return newJudge(Look{Blocks: old, At: then}, Look{Blocks: now, At: then}, changes, m, given)
}

func TestRulesOfUsersDecideFirst(t *testing.T) {
	all := func(is bool) func(plat.Change) bool { return func(plat.Change) bool { return is } }
	part := func(whole bool, old, new []plat.Range) func(plat.Change) (bool, []plat.Range, []plat.Range) {
		return func(plat.Change) (bool, []plat.Range, []plat.Range) { return whole, old, new }
	}
	for name, tc := range map[string]struct {
		given *Given
		want  Reason
	}{
		"none": {nil, ""}, "empty": {&Given{}, ""}, "all of it": {&Given{Ignored: part(true, nil, nil)}, Ignored}, "not all of it": {&Given{Ignored: part(false, nil, nil)}, ""}, "watched": {&Given{Watched: all(true), Ignored: part(true, nil, nil)}, ""}, "not watched": {&Given{Watched: all(false), Ignored: part(true, nil, nil)}, Ignored},
		"the part that differs": {&Given{Ignored: part(false, []plat.Range{{From: 7, To: 9}}, []plat.Range{{From: 7, To: 9}})}, Ignored}, "another part": {&Given{Ignored: part(false, []plat.Range{{From: 0, To: 5}}, []plat.Range{{From: 0, To: 5}})}, ""},
	} {
		j := judged(&Mask{}, tc.given, "Price: 12 now", "Price: 13 now")
		if v := j.verdicts()[0]; v.Why != tc.want {
			t.Errorf("%s: %q, want %q; %+v", name, v.Why, tc.want, v)
		}
	}
	// A moved block is no news; one that moves in each rendering is proven to.
	moved := plat.Change{Kind: plat.Moved, Lineage: 1, Old: 0, New: 0}
	j := newJudge(Look{}, Look{}, []plat.Change{moved}, &Mask{}, nil)
	if v := j.verdicts()[0]; v.Why != Order || !v.nothingNew() == (v.Why != Order) {
		t.Errorf("a moved block: %+v", v)
	}
	again := &Again{Changes: plat.Changes{Blocks: []plat.Change{moved}}}
	if v := j.with(again).verdict(moved, nil); v.Why != TwoLook {
		t.Errorf("one that moves again: %+v", v)
	}
	if v := j.with(&Again{}).verdict(moved, nil); v.Why != Order {
		t.Errorf("one that does not: %+v", v)
	}
	edits := []Edit{{Old: Span{0, 2}, New: Span{0, 3}}, {Old: Span{4, 4}, New: Span{5, 6}}, {Old: Span{6, 8}, New: Span{8, 8}}, {Old: Span{0, 1}, New: Span{0, 1}, Why: Clock}, {Old: Span{9, 12}, New: Span{0, 1}}}
	within(edits, []plat.Range{{From: 0, To: 3}, {From: 6, To: 10}}, []plat.Range{{From: 0, To: 3}})
	var got []string
	for _, e := range edits {
		got = append(got, string(e.Why))
	}
	if strings.Join(got, ",") != "ignored,,ignored,clock," {
		t.Errorf("within ignored ranges: %q", got)
	}
	j = judged(&Mask{}, nil, "one 2 three", "one 4 three", "a", "a b")
	j.found = []Verdict{{Why: TwoLook, Edits: []Edit{{Old: Span{4, 5}, New: Span{4, 5}, Why: TwoLook}}, Old: []plat.Range{{From: 0, To: 1}}}, {Why: Ignored}}
	if j.rulesOnly(); j.found[0].Why != "" || j.found[0].Edits[0].Why != "" || j.found[0].Old != nil || j.found[1].Why != Ignored {
		t.Errorf("by rules alone: %+v", j.found)
	}
	j.found = []Verdict{{Why: Ignored, Edits: []Edit{{Old: Span{4, 5}, New: Span{4, 5}, Why: Ignored}}}, {Why: Learned}}
	if j.rulesOnly(); j.found[0].Why != Ignored || !slices.Equal(j.found[0].New, []plat.Range{{From: 4, To: 5}}) || j.found[1].Why != "" {
		t.Errorf("by rules alone: %+v", j.found)
	}
}

func TestTextBetweenIgnoredRangesIsCompared(t *testing.T) {
	const was, is = "Views 12, stock 5, price 3", "Views 14, stock 5, price 4"
	r := func(from, to int) plat.Range { return plat.Range{From: from, To: to} }
	for _, tc := range []struct {
		old, new []plat.Range
		want     string
	}{
		{nil, nil, "12>14: 3>4:"}, {[]plat.Range{r(6, 8)}, []plat.Range{r(6, 8)}, "12>14:ignored 3>4:"}, {[]plat.Range{r(16, 17)}, []plat.Range{r(16, 17)}, "12>14: 3>4:"}, {[]plat.Range{r(6, 8), r(25, 26)}, []plat.Range{r(6, 8), r(25, 26)}, "12>14:ignored 3>4:ignored"}, {[]plat.Range{r(7, 8)}, []plat.Range{r(7, 8)}, "12>14: 3>4:"},
	} {
		j := judged(&Mask{}, nil, was, is)
		var got []string
		for _, e := range j.between(j.changes[0], parse(was), parse(is), tc.old, tc.new) {
			got = append(got, fmt.Sprintf("%s>%s:%s", was[e.Old.From:e.Old.To], is[e.New.From:e.New.To], e.Why))
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("without %v: %q, want %s", tc.old, got, tc.want)
		}
	}
}

func TestTwoStatesOfAPageAlternate(t *testing.T) {
	a, b, c := Look{Blocks: []plat.Block{leafOf(1, "red boats")}}, Look{Blocks: []plat.Block{leafOf(1, "blue boats")}}, Look{Blocks: []plat.Block{leafOf(2, "green boats")}}
	ab, ok := pairOf(a, b)
	if ba, _ := pairOf(b, a); !ok || ab != ba {
		t.Errorf("a pair depends on its order: %v, %v", ab, ba)
	}
	if ac, _ := pairOf(a, c); ac == ab {
		t.Error("two pairs are one")
	}
	if _, ok := pairOf(a, a); ok {
		t.Error("a state and itself are a pair")
	}
	m := &Mask{}
	m.learn(where{kind: ofWord, lineage: 9}, 0)
	if m.flip(ab); m.find(ab).shape != once {
		t.Errorf("the first change: %+v", m.find(ab))
	}
	m.find(ab).age = 3
	if m.flip(ab); m.find(ab).shape != 0 || m.find(ab).age != 0 {
		t.Errorf("the change back: %+v", m.find(ab))
	}
	m.find(ab).age = 4
	if m.flip(ab); m.find(ab).shape != once {
		t.Errorf("a change after many visits: %+v", m.find(ab))
	}
	for name, tc := range map[string]struct {
		shape, age byte
		old, now   string
		why        Reason
		given      *Given
		want       Reason
	}{
		"two states": {0, 3, "red boats", "blue boats", "", nil, Variant}, "the first time": {once, 0, "red boats", "blue boats", "", nil, ""}, "after four visits": {0, 4, "red boats", "blue boats", "", nil, ""}, "a number": {0, 0, "5 boats", "7 boats", "", nil, ""}, "what is no news": {0, 0, "red boats", "blue boats", Learned, nil, Learned}, "watched": {0, 0, "red boats", "blue boats", "", &Given{Watched: func(plat.Change) bool { return true }}, ""},
	} {
		m := &Mask{}
		p := m.learn(ab, 0)
		p.shape, p.age = tc.shape, tc.age
		m.learn(where{kind: ofWord, lineage: 9}, 0)
		j := judged(m, tc.given, tc.old, tc.now)
		was, is := parse(tc.old), parse(tc.now)
		j.found = []Verdict{{Why: tc.why, Edits: edits(was, seen{then, then}, is, then)}}
		if j.variant(func() (where, bool) { return ab, true }); j.found[0].Why != tc.want {
			t.Errorf("%s: %q, want %q", name, j.found[0].Why, tc.want)
		}
	}
	for _, tc := range []struct {
		c    plat.Change
		v    Verdict
		want bool
	}{{plat.Change{Kind: plat.Content}, Verdict{}, true}, {plat.Change{Kind: plat.Link}, Verdict{}, false}, {plat.Change{Kind: plat.Content}, Verdict{Why: Order}, false}, {plat.Change{Kind: plat.Content}, Verdict{Kind: plat.Link}, false}} {
		if got := otherWords(tc.c, tc.v); got != tc.want {
			t.Errorf("%+v, %+v: other words %v", tc.c, tc.v, got)
		}
	}
}
