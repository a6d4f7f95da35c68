package noise

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"plat/plat"
)

// gapOf returns a judge of a page in which the leaves between two that stay are others: each is a text, or HTML of paragraphs.
func gapOf(old, now, again []plat.Block) *judge {
	var changes []plat.Change
	page := func(in []plat.Block) []plat.Block {
		all := append(append([]plat.Block{leafOf(1, "start")}, in...), leafOf(99, "end"))
		for i := range all {
			all[i].Pos = int32(i)
		}
		return all
	}
	for i := range old {
		changes = append(changes, plat.Change{Kind: plat.Removed, Lineage: old[i].Lineage, Old: int32(i + 1), New: -1})
	}
	for i := range now {
		changes = append(changes, plat.Change{Kind: plat.Added, Lineage: now[i].Lineage, Old: -1, New: int32(i + 1)})
	}
	j := newJudge(Look{Blocks: page(old), At: then}, Look{Blocks: page(now), At: then.Add(time.Hour)}, changes, &Mask{}, nil)
	if again != nil {
		j.verdicts()
		j = j.with(&Again{Look: Look{Blocks: page(again), At: then.Add(time.Hour)}})
	}
	return j
}

// leafHTML returns a leaf of paragraphs.
func leafHTML(lineage int32, paragraphs ...string) plat.Block {
	b := leafOf(lineage, "")
	b.Content = nil
	for i, p := range paragraphs {
		if i > 0 {
			b.Text += "\n"
		}
		b.Text += p
		b.Content = append(b.Content, "<p>"+p+"</p>"...)
	}
	return b
}

// TestAPageThatIsOnlyDividedDifferently: the blocks of a gap have the same tags, and its text differs in nothing that is news.
func TestAPageThatIsOnlyDividedDifferently(t *testing.T) {
	const fixed = "The pier is open on all days"
	one := func(quote string) []plat.Block { return []plat.Block{leafHTML(10, fixed, quote)} }
	two := func(quote string) []plat.Block { return []plat.Block{leafHTML(50, fixed), leafHTML(51, quote)} }
	shut := func(quote string) []plat.Block {
		return []plat.Block{leafHTML(50, "The pier is shut on all days"), leafHTML(51, quote)}
	}
	box := func(quote string) []plat.Block {
		all := two(quote)
		all[1].Content = []byte("<div>" + quote + "</div>")
		return all
	}
	for name, tc := range map[string]struct {
		old, now, again []plat.Block
		want            Reason
	}{
		"a quote that varies":              {one("be bold"), two("stay calm"), two("go on"), TwoLook},
		"a quote that stays in renderings": {one("be bold"), two("stay calm"), two("stay calm"), ""},
		"a word beside the quote":          {one("be bold"), shut("stay calm"), shut("go on"), ""},
		"different tags":                   {one("be bold"), box("stay calm"), box("go on"), ""},
		"as many blocks":                   {two("be bold")[:2], []plat.Block{leafHTML(60, fixed), leafHTML(61, "stay calm")}, []plat.Block{leafHTML(60, fixed), leafHTML(61, "go on")}, ""},
		"no second rendering":              {one("be bold"), two("stay calm"), nil, ""},
	} {
		j := gapOf(tc.old, tc.now, tc.again)
		for i, v := range j.verdicts() {
			if tc.want != "" && v.Why != tc.want {
				t.Errorf("%s: change %d has the reason %q, want %q", name, i, v.Why, tc.want)
			}
		}
		j.found = make([]Verdict, len(j.changes)) // without what other rules say
		for gap, in := range j.byGap() {
			j.dividedOnly(gap, in)
		}
		for i, v := range j.found {
			if v.Why != tc.want {
				t.Errorf("%s: change %d has the reason %q for its division, want %q", name, i, v.Why, tc.want)
			}
		}
	}
}

// TestBlocksThatAreNestedDifferently have the reason of those beside them, unless something else is news.
func TestBlocksThatAreNestedDifferently(t *testing.T) {
	for name, tc := range map[string]struct {
		kinds []plat.Kind
		whys  []Reason
		same  bool // the content of the formats
		want  string
	}{
		"a format beside a known one":      {[]plat.Kind{plat.Added, plat.Format}, []Reason{Learned, ""}, true, "learned learned"},
		"the first known one counts":       {[]plat.Kind{plat.Format, plat.Added, plat.Removed}, []Reason{"", TwoLook, Learned}, true, "two-look two-look learned"},
		"no known one":                     {[]plat.Kind{plat.Added, plat.Format}, []Reason{"", ""}, true, " "},
		"a block that came is news":        {[]plat.Kind{plat.Added, plat.Added, plat.Format}, []Reason{Learned, "", ""}, true, "learned  "},
		"a content that changed is news":   {[]plat.Kind{plat.Added, plat.Content}, []Reason{Learned, ""}, true, "learned "},
		"the format differs in its markup": {[]plat.Kind{plat.Added, plat.Format}, []Reason{Learned, ""}, false, "learned "},
	} {
		j := &judge{}
		var in []int
		for i, k := range tc.kinds {
			b := plat.Block{Hash: plat.HashOf([]byte{1})}
			other := b
			if !tc.same {
				other.Hash = plat.HashOf([]byte{2})
			}
			j.old.Blocks, j.now.Blocks = append(j.old.Blocks, b), append(j.now.Blocks, other)
			c := plat.Change{Kind: k, Old: int32(i), New: int32(i)}
			switch k {
			case plat.Added:
				c.Old = -1
			case plat.Removed:
				c.New = -1
			}
			j.changes, j.found, in = append(j.changes, c), append(j.found, Verdict{Why: tc.whys[i]}), append(in, i)
		}
		j.standOtherwise(in)
		got := ""
		for i, v := range j.found {
			if i > 0 {
				got += " "
			}
			got += string(v.Why)
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// TestLinksThatLeadElsewhereAreNews where blocks come and go, if all renderings agree.
func TestLinksThatLeadElsewhereAreNews(t *testing.T) {
	link := func(lineage int32, to, text string) plat.Block {
		b := leafOf(lineage, text)
		b.Content = []byte(fmt.Sprintf(`<p><a href="/%s">%s</a></p>`, to, text))
		return b
	}
	for name, tc := range map[string]struct {
		now, again plat.Block
		none       bool // no second rendering
		spent      bool // nor the budget for one
		why, want  Reason
	}{
		"elsewhere": {link(50, "other", "Tickets"), link(50, "other", "Tickets"), false, false, Learned, ""}, "to the same place": {link(50, "old", "Tickets"), link(50, "old", "Tickets"), false, false, Learned, Learned}, "elsewhere each time": {link(50, "other", "Tickets"), link(50, "third", "Tickets"), false, false, Learned, Learned},
		"a different text": {link(50, "other", "Prices"), link(50, "other", "Prices"), false, false, Learned, Learned}, "ignored": {link(50, "other", "Tickets"), link(50, "other", "Tickets"), false, false, Ignored, Ignored},
		"no second rendering yet": {link(50, "other", "Tickets"), plat.Block{}, true, false, Learned, ""}, "no second rendering any more": {link(50, "other", "Tickets"), plat.Block{}, true, true, Learned, Learned},
	} {
		var again []plat.Block
		if !tc.none {
			again = []plat.Block{tc.again}
		}
		j := gapOf([]plat.Block{link(10, "old", "Tickets")}, []plat.Block{tc.now}, again)
		if tc.spent {
			for j.mask.mayLook() {
				j.mask.looked()
			}
		}
		j.found = []Verdict{{Why: tc.why}, {Why: tc.why}}
		gaps := j.byGap()
		if len(gaps) != 1 {
			t.Fatalf("%s: gaps %v", name, gaps)
		}
		for gap, in := range gaps {
			j.retargeted(gap, in)
		}
		if j.found[1].Why != tc.want || j.found[0].Why != tc.why {
			t.Errorf("%s: the reasons are %q and %q, want %q and %q", name, j.found[0].Why, j.found[1].Why, tc.why, tc.want)
		}
	}
}

// TestRangesThatAreQuiet: a few equal words between two ranges are equal by chance.
func TestRangesThatAreQuiet(t *testing.T) {
	text := parse("a b c d e f g h 7 i j k")
	edit := func(part string, why Reason) Edit { return Edit{New: spanOf(text.text, part), Why: why} }
	of := func(e *Edit) Span { return e.New }
	for name, tc := range map[string]struct {
		edits []Edit
		want  string
	}{
		"one": {[]Edit{edit("b", TwoLook)}, "b"}, "none": {[]Edit{edit("b", "")}, ""}, "two words between": {[]Edit{edit("a", TwoLook), edit("d", TwoLook)}, "a b c d"}, "three words between": {[]Edit{edit("a", TwoLook), edit("e", TwoLook)}, "a|e"}, "a number between": {[]Edit{edit("h", TwoLook), edit("i", TwoLook)}, "h|i"},
		"news between": {[]Edit{edit("a", TwoLook), edit("b", ""), edit("c", TwoLook)}, "a|c"}, "an empty one between": {[]Edit{edit("a", TwoLook), {Why: TwoLook}, edit("b", TwoLook)}, "a b"}, "news first": {[]Edit{edit("a", ""), edit("b", TwoLook)}, "b"},
	} {
		got := ""
		for i, r := range quiet(tc.edits, text, of) {
			if i > 0 {
				got += "|"
			}
			got += text.text[r.From:r.To]
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	many := ""
	var all []Edit
	for i := range maxRanges + 5 {
		from := len(many)
		many += "x 1 "
		all = append(all, Edit{New: Span{from, from + 1}, Why: TwoLook})
		_ = i
	}
	if n := len(quiet(all, parse(many), of)); n != maxRanges {
		t.Errorf("%d ranges are listed, want %d", n, maxRanges)
	}
	for _, tc := range []struct{ a, b, want []plat.Range }{
		{nil, nil, nil}, {[]plat.Range{{From: 1, To: 3}}, []plat.Range{{From: 3, To: 5}}, []plat.Range{{From: 1, To: 5}}}, {[]plat.Range{{From: 1, To: 3}}, []plat.Range{{From: 4, To: 5}}, []plat.Range{{From: 1, To: 3}, {From: 4, To: 5}}}, {[]plat.Range{{From: 1, To: 9}}, []plat.Range{{From: 4, To: 5}}, []plat.Range{{From: 1, To: 9}}}, {[]plat.Range{{From: 6, To: 9}}, []plat.Range{{From: 4, To: 7}}, []plat.Range{{From: 4, To: 9}}},
	} {
		if got := both(tc.a, tc.b); !slices.Equal(got, tc.want) {
			t.Errorf("%v and %v are %v, want %v", tc.a, tc.b, got, tc.want)
		}
	}
	x := joint{text: "ab cd ef gh"}
	x.add(parse(x.text).all, 5)
	if x.quiet != nil {
		t.Error("four words are enough for five")
	}
	x.add(parse(x.text).all[1:3], 2) // "cd ef"
	for text, want := range map[string]string{"ab cd ef gh": "[{3 8}]", "cd ef": "[{0 5}]", "d e": "[{0 3}]", "ab ": "[]", "ef gh": "[{0 2}]", "xy": "[]", "ab c": "[{3 4}]"} {
		if got := fmt.Sprint(x.in(&plat.Block{Text: text})); got != want {
			t.Errorf("of %q %s is quiet, want %s", text, got, want)
		}
	}
}

// TestKnownItemsWhoseLinksLeadElsewhereAreNews, though their words are known to come and go.
func TestKnownItemsWhoseLinksLeadElsewhereAreNews(t *testing.T) {
	const red, blue = "Red boats leave early all week", "Blue boats leave late all week"
	item := func(lineage int32, words, to string) plat.Block {
		b := leafOf(lineage, words+" Tickets")
		b.Content = []byte("<p>" + words + ` <a href="/` + to + `">Tickets</a></p>`)
		return b
	}
	for to, want := range map[string]Reason{"old": Learned, "other": ""} {
		j := gapOf([]plat.Block{item(10, red, "old")}, []plat.Block{item(50, blue, to)}, nil)
		j.mask = metAll(red+" Tickets", blue+" Tickets")
		if v := j.verdicts(); v[0].Why != Learned || v[1].Why != want {
			t.Errorf("a link to %s: the reasons are %q and %q, want %q and %q", to, v[0].Why, v[1].Why, Learned, want)
		}
	}
}

// TestTextThatIsInADifferentBlockNow is no news where blocks come and go: the words that are new are the rest.
func TestTextThatIsInADifferentBlockNow(t *testing.T) {
	const first, second = "The pier is open on all days", "Boats leave for the island at noon"
	old := []plat.Block{leafOf(1, "start"), leafHTML(10, first, second), leafOf(99, "end")}
	now := []plat.Block{leafOf(1, "start"), leafHTML(10, first), leafHTML(11, second, "Tickets are sold on board"), leafOf(99, "end")}
	for _, page := range [][]plat.Block{old, now} {
		for i := range page {
			page[i].Pos = int32(i)
		}
	}
	changes := plat.Changes{Blocks: []plat.Change{{Kind: plat.Content, Lineage: 10, Old: 1, New: 1}, {Kind: plat.Added, Lineage: 11, Old: -1, New: 2}}}
	w, err := Weigh(New, Look{Blocks: old, At: then}, Look{Blocks: now, At: then.Add(time.Hour)}, &changes, &Mask{}, nil, func() (*Again, error) {
		return &Again{Look: Look{Blocks: now, At: then.Add(time.Hour)}}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := func(text string) []plat.Range { return []plat.Range{{From: 0, To: len(text)}} }
	want := []plat.SelfChange{
		{Lineage: 10, Kind: plat.Same, Why: string(Elsewhere), Old: all(first + "\n" + second), New: all(first)},
		{Lineage: 11, Kind: plat.Same, Why: string(Elsewhere), New: all(second)},
	}
	if len(changes.Blocks) != 2 || len(w.SelfChanges) != 2 {
		t.Fatalf("%+v, self-changes %+v", changes.Blocks, w.SelfChanges)
	}
	for i, s := range w.SelfChanges {
		if s.Lineage != want[i].Lineage || s.Kind != want[i].Kind || s.Why != want[i].Why || !slices.Equal(s.Old, want[i].Old) || !slices.Equal(s.New, want[i].New) {
			t.Errorf("self-change %+v, want %+v", s, want[i])
		}
	}
}
