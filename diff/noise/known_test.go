package noise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// shownEdits lists edits with their texts.
func shownEdits(old, new string, all []Edit) string {
	var out []string
	for _, e := range all {
		out = append(out, fmt.Sprintf("%s>%s:%s", old[e.Old.From:e.Old.To], new[e.New.From:e.New.To], e.Why))
	}
	return strings.Join(out, " ")
}

// metAll returns a mask that has met these texts.
func metAll(items ...string) *Mask {
	m := &Mask{}
	for _, s := range items {
		m.meet(itemOf(s))
	}
	return m
}

func TestKnownItemsAtTheEndsOfAText(t *testing.T) {
	for _, tc := range []struct {
		items []string
		text  string
		want  string // y for each word of a known item
	}{
		{nil, "be bold", "nn"}, {[]string{"be bold"}, "be bold", "yy"}, {[]string{"be bold"}, "sold be bold", "nyy"}, {[]string{"be bold"}, "be bold sold out", "yynn"}, {[]string{"bold", "be bold"}, "x be bold", "nyy"}, {[]string{"be bold", "go on"}, "go on x be bold", "yynyy"}, {[]string{"5 6"}, "x 5 6", "nnn"}, {[]string{"bold"}, "a bold x", "nnn"}, {[]string{"a", "a b"}, "a b c", "yyn"}, {[]string{"x"}, "", ""},
	} {
		w := parse(tc.text)
		got := ""
		for _, is := range metAll(tc.items...).ends(w, w.all) {
			got += map[bool]string{true: "y", false: "n"}[is]
		}
		if got != tc.want {
			t.Errorf("%q in %q: %s, want %s", tc.items, tc.text, got, tc.want)
		}
	}
	for _, tc := range []struct {
		items    []string
		old, new string
		want     string
	}{
		{nil, "a b", "c d", "a b>c d:"}, {[]string{"be bold"}, "go", "sold be bold", "go>: >sold: >be bold:learned"}, {[]string{"go", "be bold"}, "go", "be bold", "go>be bold:"}, {[]string{"go"}, "go on", "x", "go>:learned on>: >x:"}, {[]string{"be bold"}, "go", strings.Repeat("x ", 57) + "be bold", "go>: >" + strings.TrimSpace(strings.Repeat("x ", 57)) + ": >be bold:learned"}, {[]string{"be bold"}, "go", strings.Repeat("x ", 58) + "be bold", "go>" + strings.Repeat("x ", 58) + "be bold:"},
	} {
		old, new := parse(tc.old), parse(tc.new)
		e := []Edit{{Old: Span{0, len(tc.old)}, New: Span{0, len(tc.new)}}}
		if got := shownEdits(tc.old, tc.new, metAll(tc.items...).known(e, old, new)); got != tc.want {
			t.Errorf("%q, %.30q to %.30q: %s", tc.items, tc.old, tc.new, got)
		}
	}
	m := &Mask{}
	m.learn(item(itemOf("be bold")), 0).shape = once
	e := []Edit{{Old: Span{0, 2}, New: Span{0, 9}}}
	if got := m.known(e, parse("go"), parse("x be bold")); len(got) != 1 {
		t.Errorf("an item that came once is known: %+v", got)
	}
}

func TestWordsInAnotherOrderEachTime(t *testing.T) {
	for _, tc := range []struct {
		old, new string
		again    string // - for none
		want     string
	}{
		{"a b c", "c b a", "-", ""}, {"a b", "b d", "-", "a>: >d:"}, {"a b", "b d", "b e", "a>:two-look >d:two-look"}, {"a b", "b d", "b d", "a>: >d:"}, {"a a", "a", "-", "a>:"}, {"a", "a a", "a", ">a:two-look"}, {"5 b", "b d", "b e", "5>: >d:two-look"}, {"a b c", "c d e", "c d f", "a>:two-look b>: >d: >e:two-look"},
	} {
		var again *words
		if tc.again != "-" {
			again = parse(tc.again)
		}
		if got := shownEdits(tc.old, tc.new, shuffled(parse(tc.old), parse(tc.new), again)); got != tc.want {
			t.Errorf("%s to %s, %s again: %q, want %q", tc.old, tc.new, tc.again, got, tc.want)
		}
	}
}

func TestTwoSecondRenderingsExplainMore(t *testing.T) {
	const was, is = "a b", "c d"
	old, new := parse(was), parse(is)
	open := []Edit{{Old: Span{0, 3}, New: Span{0, 3}}}
	for _, tc := range []struct {
		others []Edit
		want   string
	}{
		{nil, "a b>c d:"}, {[]Edit{{Old: Span{0, 3}, New: Span{0, 3}, Why: TwoLook}}, "a b>c d:two-look"}, {[]Edit{{Old: Span{0, 1}, New: Span{0, 1}, Why: TwoLook}, {Old: Span{2, 3}, New: Span{2, 3}}}, "a>:two-look b>: >c:two-look >d:"}, {[]Edit{{Old: Span{2, 3}, New: Span{2, 3}, Why: Clock}}, "a>: b>:two-look >c: >d:two-look"},
	} {
		if got := shownEdits(was, is, joined(slices.Clone(open), tc.others, old, new)); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.others, got, tc.want)
		}
	}
	if got := joined([]Edit{{Old: Span{0, 1}, New: Span{0, 1}, Why: Clock}}, open, old, new); len(got) != 1 || got[0].Why != Clock {
		t.Errorf("an explained edit is %+v", got)
	}
}

func TestStretchesGrowTogether(t *testing.T) {
	m := &Mask{}
	learn := func(first, second, in string) string {
		m.learnStretch(3, parse(first), parse(second), spanOf(first, in))
		var all []string
		for _, p := range m.places {
			if p.kind != ofStretch {
				continue
			}
			if in, ok := parse(first).stretch(p.words); ok {
				all = append(all, fmt.Sprintf("%s/%d,%d,%d", strings.TrimSpace(first[in.From:in.To]), p.shape, p.more, p.size))
			}
		}
		return strings.Join(all, " ")
	}
	const page = "Quote: be bold always. Offer: red boats. Imprint"
	if got := learn(page, "Quote: stay calm. Offer: red boats. Imprint", "be bold always"); got != "be bold always/1,6,3" {
		t.Errorf("a stretch: %s", got)
	}
	if got := learn(page, "Quote: stay calm. Offer: blue nets. Imprint", "red boats"); got != "be bold always/1,6,3 red boats/1,6,2" {
		t.Errorf("two stretches: %s", got)
	}
	if got := learn(page, "Quote: x. Offer: blue nets. Imprint", "bold always. Offer"); got != "red boats/1,6,2 be bold always. Offer/1,6,5" {
		t.Errorf("one that begins in another: %s", got)
	}
	n := 0
	for _, p := range m.places {
		if p.kind == ofStretch {
			n++
		}
	}
	if n > 2 || !m.met(itemOf("be bold always")) || !m.met(itemOf("stay calm")) || !m.met(itemOf("red boats")) || m.met(itemOf("other")) {
		t.Errorf("%d stretches, of %d places", n, len(m.places))
	}
	for _, tc := range []struct{ first, second, want string }{{"a b c", "c b a", "o"}, {"a 1 b", "a 2 b", "w0"}, {"a x b", "a y b", "wa"}, {"a 1 b", "a x b", "w\x00"}, {"a one two b", "a three b", "sii"}, {"a", "b", "wa"}} {
		m := &Mask{}
		m.learnWords(3, parse(tc.first), parse(tc.second))
		got := ""
		for _, p := range m.places {
			if got += string(p.kind); p.kind == ofWord {
				got += string(p.shape)
			}
		}
		if got != tc.want {
			t.Errorf("of %q and %q is learnt %q, want %q", tc.first, tc.second, got, tc.want)
		}
	}
	m = &Mask{}
	m.learnWords(3, parse("a 1 b"), parse("a 2 b"))
	if m.learnWords(3, parse("a x b"), parse("a y b")); len(m.places) != 1 || m.places[0].shape != anyShape {
		t.Errorf("a word that is a number at times: %+v", m.places)
	}
	old, new := parse("a 5 b"), parse("a z b")
	all := []Edit{{Old: Span{2, 3}, New: Span{2, 3}}, {Old: Span{0, 1}, New: Span{0, 1}}, {Old: Span{2, 3}, New: Span{2, 3}, Why: Clock}}
	if m.explain(3, old, new, all); all[0].Why != Learned || all[1].Why != "" || all[2].Why != Clock {
		t.Errorf("explained: %+v", all)
	}
	m.places[0].shape = '0'
	all[0].Why = ""
	if m.explain(3, old, new, all); all[0].Why != "" {
		t.Errorf("letters in place of a number: %+v", all)
	}
	if m.explain(4, old, parse("a 7 b"), all); all[0].Why != "" {
		t.Errorf("in another block: %+v", all)
	}
	if m.explain(3, old, parse("a 7 b"), all); all[0].Why != Learned {
		t.Errorf("a number: %+v", all)
	}
}

func TestLeavesBetweenThoseThatStay(t *testing.T) {
	blocks := []plat.Block{{Lineage: 1, Text: "a"}, {Lineage: 2, Text: "be bold"}, {Lineage: 3, Text: "b"}, {Lineage: 4, Text: "c"}, {Lineage: 5, Text: "d"}}
	for name, tc := range map[string]struct {
		learn func(m *Mask)
		want  string
	}{
		"all stay": {func(*Mask) {}, "0 1 2 3 4"}, "an item that was met": {func(m *Mask) { m.meet(itemOf("be bold")) }, "0 1 1 3 4"}, "one that came once": {func(m *Mask) { m.learn(item(itemOf("be bold")), 0).shape = once }, "0 1 2 3 4"},
		"a text that varies as a whole": {func(m *Mask) { m.learn(where{kind: ofStretch, lineage: 3, words: whole}, 1) }, "0 1 2 2 4"}, "a part of a text": {func(m *Mask) {
			m.learn(where{kind: ofStretch, lineage: 3, words: parse("x y z").aroundStretch(Span{2, 3})}, 1)
		}, "0 1 2 3 4"},
	} {
		m := &Mask{}
		tc.learn(m)
		var gaps []string
		for _, gap := range m.leaves(blocks, func(*plat.Block) bool { return true }) {
			gaps = append(gaps, fmt.Sprint(gap))
		}
		if got := strings.Join(gaps, " "); got != tc.want {
			t.Errorf("%s: gaps %s, want %s", name, got, tc.want)
		}
	}
	for range (&Mask{}).leaves(blocks, func(*plat.Block) bool { return false }) {
		break // the rest is not asked for
	}
}

func TestItemsThatCameAreMet(t *testing.T) {
	was := []plat.Block{{Lineage: 1, Text: "a"}, {Lineage: 3, Text: "b"}, {Lineage: 4, Text: "sold"}}
	is := []plat.Block{{Lineage: 1, Text: "a"}, {Lineage: 9, Text: "be bold"}, {Lineage: 3, Text: "b"}, {Lineage: 4, Text: "other"}}
	came := plat.Change{Kind: plat.Added, Old: -1, New: 1, Lineage: 9}
	for name, tc := range map[string]struct {
		gap     int32
		known   bool
		change  plat.Change
		verdict Verdict
		want    string // the number of unknown items of the gap, the arrivals it expects, and the items that were met
	}{
		"usual": {1, false, came, Verdict{Why: Learned}, "3 12 be bold"}, "news": {1, false, came, Verdict{}, "3 12"}, "known": {1, true, came, Verdict{}, "2 4 be bold"}, "in another gap": {3, false, came, Verdict{Why: Learned}, "2 5"},
		"one that went": {1, false, plat.Change{Kind: plat.Removed, Old: 2, New: -1, Lineage: 4}, Verdict{Why: Learned}, "3 12 sold"}, "one that went as news": {1, false, plat.Change{Kind: plat.Removed, Old: 2, New: -1, Lineage: 4}, Verdict{}, "3 12"}, "one for another": {3, false, plat.Change{Kind: plat.Content, Old: 2, New: 3, Lineage: 4}, Verdict{Why: Learned, Other: true}, "3 12 sold other"}, "another text": {3, false, plat.Change{Kind: plat.Content, Old: 2, New: 3, Lineage: 4}, Verdict{Why: Learned}, "2 5"},
	} {
		m := &Mask{}
		p := m.learn(where{kind: ofGap, lineage: tc.gap}, 7)
		p.shape, p.more = 2, 5
		if tc.known {
			m.meet(itemOf("be bold"))
		}
		m.meetAll(Look{Blocks: was}, Look{Blocks: is}, []plat.Change{tc.change}, []Verdict{tc.verdict})
		p = m.gap(tc.gap)
		got := fmt.Sprint(p.shape, " ", p.more)
		for _, text := range []string{"be bold", "sold", "other", "a", "b"} {
			if m.met(itemOf(text)) {
				got += " " + text
			}
		}
		if got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	m := &Mask{}
	if m.meetAll(Look{Blocks: was}, Look{Blocks: is}, []plat.Change{came}, []Verdict{{Why: Learned}}); len(m.places) != 0 {
		t.Errorf("a mask without places learns %+v", m.places)
	}
}

func TestYearsOfCopyrightNotices(t *testing.T) {
	now := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		old, new string
		was, is  string // the edit
		want     bool
	}{
		{"© 2025", "© 2026", "2025", "2026", true}, {"© 2026", "© 2026", "2026", "2026", false}, {"© 2027", "© 2026", "2027", "2026", false}, {"© 2024", "© 2025", "2024", "2025", false}, {"© 12", "© 2026", "12", "2026", false}, {"2025", "2026", "2025", "2026", false},
		{"© 2019", "© 2019-2026", "", "-2026", true}, {"© 2025", "© 2025-2026", "", "-2026", true}, {"© 2026", "© 2026-2026", "", "-2026", false}, {"© Ann", "© Ann-2026", "", "-2026", false}, {"© 2019", "© 2019 2026", "", "2026", false}, {"© 2019", "© 2019", "2019", "", false},
	} {
		old, new := parse(tc.old), parse(tc.new)
		e := &Edit{Old: spanOf(tc.old, tc.was), New: spanOf(tc.new, tc.is)}
		if tc.was == "" {
			e.Old = Span{len(tc.old), len(tc.old)}
		}
		if tc.is == "" {
			e.New = Span{len(tc.new), len(tc.new)}
		}
		if got := newYear(old, new, e, now); got != tc.want {
			t.Errorf("%s to %s: a new year is %v", tc.old, tc.new, got)
		}
	}
}
