package noise

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/plat"
)

// TestWhichTextsReturned: both texts were at a place where enough texts took turns, not long ago.
func TestWhichTextsReturned(t *testing.T) {
	at := func(lineage int32) where { return where{kind: ofTurns, lineage: lineage} }
	text := func(n uint32) where { return where{kind: ofVariant, item: n} }
	for name, tc := range map[string]struct {
		shape, age byte
		known      []uint32 // texts
		want       Reason
	}{
		"enough": {leastReturned, backAndForth, []uint32{1, 2}, Returned}, "too few": {leastReturned - 1, 0, []uint32{1, 2}, ""}, "one that lasted": {leastReturned, backAndForth + 1, []uint32{1, 2}, ""},
		"a new text": {leastReturned, 0, []uint32{1}, ""}, "from a new text": {leastReturned, 0, []uint32{2}, ""}, "many": {99, 0, []uint32{3, 2, 1}, Returned},
	} {
		m := &Mask{}
		p := m.learn(at(2), 0)
		p.shape, p.age = tc.shape, tc.age
		for _, n := range tc.known {
			m.learn(text(n), 0)
		}
		j := judged(m, nil, "a", "b", "c", "d")
		j.found = make([]Verdict, 2)
		// Of a place that is not known nothing returned; the next one is judged all the same.
		j.returned([]swap{{0, at(1), text(1), text(2)}, {1, at(2), text(1), text(2)}})
		if j.found[0].Why != "" || j.found[1].Why != tc.want {
			t.Errorf("%s: %q and %q, want none and %q", name, j.found[0].Why, j.found[1].Why, tc.want)
		}
	}
}

// TestTurnsAreCountedUntilOneLasts: a text counts when it comes back, the first time after others.
func TestTurnsAreCountedUntilOneLasts(t *testing.T) {
	at := where{kind: ofTurns, lineage: 1}
	text := func(n uint32) where { return where{kind: ofVariant, item: n} }
	m := &Mask{}
	for i, want := range []byte{0, 0, 1, 2, 2, 2} { // after 1→2, 2→3, 3→1, 1→2, 2→1, 1→2
		turn := [][2]uint32{{1, 2}, {2, 3}, {3, 1}, {1, 2}, {2, 1}, {1, 2}}[i]
		if m.swapped([]swap{{0, at, text(turn[0]), text(turn[1])}}); m.find(at).shape != want {
			t.Errorf("after turn %d, %d texts came back, want %d", i, m.find(at).shape, want)
		}
	}
	if m.find(at).age = backAndForth; m.find(at).shape != 2 {
		t.Fatal("no turns")
	}
	if m.swapped([]swap{{0, at, text(2), text(3)}}); m.find(at).shape != 3 || m.find(at).age != 0 {
		t.Errorf("one that nearly lasted: %+v", *m.find(at))
	}
	m.find(at).age = backAndForth + 1
	if m.swapped([]swap{{0, at, text(3), text(4)}}); m.find(at).shape != 0 {
		t.Errorf("after one that lasted, %d texts count", m.find(at).shape)
	}
	// The oldest of too many texts are dropped, and no place is learnt beyond the bound.
	m = &Mask{}
	for n := range uint32(mostVariants + 3) {
		m.learn(text(n), 0).age = byte(100 - n)
	}
	m.learn(at, 0).age = 200
	m.dropVariants()
	left := []uint32{}
	for i := range m.places {
		if m.places[i].kind == ofVariant {
			left = append(left, m.places[i].item)
		}
	}
	if len(left) != mostVariants || slices.Min(left) != 3 || m.find(at) == nil {
		t.Errorf("texts %v are left", left)
	}
	full := &Mask{}
	for n := range mostPlaces {
		full.learn(where{kind: ofItem, item: uint32(n)}, 0)
	}
	if full.swapped([]swap{{0, at, text(1), text(2)}}); len(full.places) != mostPlaces || full.find(at) != nil {
		t.Errorf("a full mask has %d places", len(full.places))
	}
}

// TestWhichTextsAreSwapped: whole sentences without numbers, for others of which they are no part.
func TestWhichTextsAreSwapped(t *testing.T) {
	const a, b = "the pier is closed all day", "boats leave from the other quay"
	for _, tc := range []struct {
		old, new string
		want     bool
	}{
		{a, b, true}, {"one two three four five", b, true}, {"one two three four", b, false}, {a, "one two three four", false}, {a, "one two three four five", true},
		{a + " 5", b, false}, {a, b + " at 12:00", false}, {a, b + ", five", true}, {a, a + " and all night", false}, {a + " and all night", a, false},
		// Less than a third of the words may be the same, and two at the ends.
		{"the old boats nets sails oars ropes", "the old birds fish crabs clams seals", true}, {"the old boats nets sails oars", "the old birds fish crabs clams", false}, {"old boats nets sails oars ropes the", "birds fish old crabs clams the seals", true},
		{"the old red boats nets sails oars ropes masts keels", "the old red birds fish crabs clams seals whales gulls", false}, {"boats the old red nets sails oars ropes masts keels", "birds fish the old red crabs clams seals whales gulls", true}, {"the boats nets sails oars ropes masts keels old red", "the birds fish crabs clams seals whales gulls old red", false},
		{"the old boats, nets, sails, oars and ropes", "the old birds; fish; crabs; clams or seals", true},
	} {
		j := judged(&Mask{}, nil, tc.old, tc.new)
		if got := len(j.swaps()) > 0; got != tc.want {
			t.Errorf("%q for %q is a swap: %v", tc.new, tc.old, got)
		}
	}
	j := judged(&Mask{}, nil, a, b)
	for name, change := range map[string]func(c *plat.Change){
		"folded": func(c *plat.Change) { c.Folded = true }, "a format": func(c *plat.Change) { c.Kind = plat.Format }, "new": func(c *plat.Change) { c.Old = -1 }, "gone": func(c *plat.Change) { c.New = -1 },
	} {
		one := judged(&Mask{}, nil, a, b)
		if change(&one.changes[0]); len(one.swaps()) > 0 {
			t.Errorf("a change that is %s is a swap", name)
		}
	}
	if j.given = (&Given{Watched: func(plat.Change) bool { return true }}); len(j.swaps()) > 0 {
		t.Error("a change that is watched is a swap")
	}
	// At most two blocks take turns at a visit, and what has a different reason does not.
	for n, want := range map[int]int{mostTurns: mostTurns, mostTurns + 1: 0} {
		var texts []string
		for range n {
			texts = append(texts, a, b)
		}
		j := judged(&Mask{}, nil, texts...)
		j.found = make([]Verdict, n)
		if got := len(j.turns(j.swaps())); got != want {
			t.Errorf("of %d texts %d take turns, want %d", n, got, want)
		}
		j.found[0].Why = TwoLook
		if got := len(j.turns(j.swaps())); got != min(n-1, mostTurns) {
			t.Errorf("of %d texts, one of which varies, %d take turns", n, got)
		}
		j.found[0] = Verdict{Why: Returned}
		if got := len(j.turns(j.swaps())); got != want {
			t.Errorf("of %d texts, one of which returned, %d take turns", n, got)
		}
		j.found[0] = Verdict{Kind: plat.Link}
		if got := len(j.turns(j.swaps())); got != min(n-1, mostTurns) {
			t.Errorf("of %d texts, one of which has a link that is news, %d take turns", n, got)
		}
	}
}

// TestReasonsOfChanges: a change keeps the reason that it has, and one that is watched gets none.
func TestReasonsOfChanges(t *testing.T) {
	j := judged(&Mask{}, &Given{Watched: func(c plat.Change) bool { return c.Lineage == 3 }}, "a", "b", "c", "d", "e", "f", "g", "h")
	j.found = []Verdict{{}, {Why: Clock}, {}, {}}
	j.because(TwoLook, []int{0, 1, 2})
	if got := fmt.Sprintf("%q", []Reason{j.found[0].Why, j.found[1].Why, j.found[2].Why, j.found[3].Why}); got != fmt.Sprintf("%q", []Reason{TwoLook, Clock, "", ""}) {
		t.Errorf("reasons %s", got)
	}
	for kind, want := range map[plat.Kind]int{"": 0, plat.Same: 0, plat.Volatile: 1, plat.Invisible: 2, plat.Format: 3, plat.Link: 3, plat.Image: 3, plat.Content: 4, plat.Added: 4, plat.Removed: 4, plat.Moved: 4} {
		if weight(kind) != want {
			t.Errorf("%s weighs %d, want %d", kind, weight(kind), want)
		}
	}
	// Only what is at least a format, and has no reason, may be news.
	for _, tc := range []struct {
		kind   plat.Kind
		why    Reason
		layout plat.Kind
		known  byte
		want   bool
	}{
		{plat.Content, "", plat.Same, 0, true}, {plat.Format, "", plat.Same, 0, true}, {plat.Invisible, "", plat.Same, 0, false}, {plat.Content, TwoLook, plat.Same, 0, false},
		{plat.Volatile, "", plat.Format, 0, true}, {plat.Volatile, "", plat.Invisible, 0, false}, {plat.Volatile, "", plat.Format, 3, false}, {plat.Volatile, "", plat.Content, 3, true}, {plat.Volatile, "", plat.Format, 2, true},
	} {
		m := &Mask{}
		if tc.known > 0 {
			m.learn(where{kind: ofMarkup}, 0).shape = tc.known
		}
		c := &plat.Changes{Layout: tc.layout, Blocks: []plat.Change{{Kind: tc.kind}}}
		if got := anyNews(c, []Verdict{{Why: tc.why}}, m); got != tc.want {
			t.Errorf("%s for %q, layout %s with %d known, may be news: %v", tc.kind, tc.why, tc.layout, tc.known, got)
		}
	}
}

// TestWhatRenderingsProve: all differences are proven, and the layout hardly differs.
func TestWhatRenderingsProve(t *testing.T) {
	looks := func(kinds ...plat.Kind) (all []*Again) {
		for _, k := range kinds {
			all = append(all, &Again{Changes: plat.Changes{Layout: k}})
		}
		return all
	}
	for _, tc := range []struct {
		layout plat.Kind
		proven []bool
		looks  []*Again
		want   bool
	}{
		{plat.Same, nil, nil, true}, {plat.Same, []bool{true, true}, nil, true}, {plat.Same, []bool{true, false}, nil, false}, {plat.Same, []bool{false}, nil, false},
		{plat.Volatile, []bool{true}, looks(plat.Volatile), true}, {plat.Volatile, []bool{true}, looks(plat.Same), false}, {plat.Volatile, []bool{true}, looks(plat.Same, plat.Content), true}, {plat.Volatile, []bool{true}, nil, false}, {plat.Invisible, []bool{true}, looks(plat.Content), false},
	} {
		var verdicts []Verdict
		for _, is := range tc.proven {
			verdicts = append(verdicts, Verdict{Proven: is})
		}
		if got := byThemselves(plat.Changes{Layout: tc.layout}, verdicts, tc.looks); got != tc.want {
			t.Errorf("%s with %v proven and %d renderings: %v", tc.layout, tc.proven, len(tc.looks), got)
		}
	}
	was, is := parse("Views 120 and 7 boats"), parse("Views 121 and x boats")
	edit := func(old, new string, why Reason) Edit {
		return Edit{Old: spanOf(was.text, old), New: spanOf(is.text, new), Why: why}
	}
	ran := edit("120", "121", Clock)
	ran.ran = true
	for name, tc := range map[string]struct {
		edits []Edit
		want  bool
	}{
		"nothing": {nil, false}, "a number": {[]Edit{edit("120", "121", TwoLook)}, true}, "a number, for a different reason": {[]Edit{edit("120", "121", Learned)}, false}, "a word for a number": {[]Edit{edit("7", "x", TwoLook)}, false},
		"both": {[]Edit{edit("120", "121", TwoLook), edit("7", "x", TwoLook)}, false}, "a time that runs": {[]Edit{ran}, true}, "with a number": {[]Edit{ran, edit("120", "121", TwoLook)}, true}, "with a word": {[]Edit{ran, edit("7", "x", TwoLook)}, false}, "with the time a page took": {[]Edit{ran, edit("7", "x", MadeIn)}, true}, "the time a page took alone": {[]Edit{edit("120", "121", MadeIn)}, false},
		"more words": {[]Edit{edit("120", "121 and", TwoLook)}, false},
	} {
		if got := proven(was, is, tc.edits); got != tc.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if (&Again{Changes: plat.Changes{Layout: plat.Same}}).same() != true || (&Again{Changes: plat.Changes{Layout: plat.Format}}).same() || (&Again{Changes: plat.Changes{Layout: plat.Same, Blocks: []plat.Change{{}}}}).same() {
		t.Error("renderings that are the same")
	}
}

// TestTheTextOfASecondRendering is that of its leaves in the order of the page.
func TestTheTextOfASecondRendering(t *testing.T) {
	blocks := []plat.Block{{Slot: -1, Text: "parent"}, {Slot: 1, Text: "third"}, {Slot: 0, Pos: 1, Text: "second\n part"}, {Slot: 0, Pos: 0, Text: "first"}}
	j := judged(&Mask{}, nil, "a", "b").with(&Again{Look: Look{Blocks: blocks, At: then.Add(time.Second)}})
	var got []string
	for _, b := range leaves(blocks) {
		got = append(got, b.Text)
	}
	if strings.Join(got, "|") != "first|second\n part|third" {
		t.Errorf("leaves %q", got)
	}
	for text, want := range map[string]bool{"first second": true, "second part third": true, "first": true, "parent": false, "fir": false} {
		if j.shows(text, false) != want {
			t.Errorf("the rendering has %q: %v", text, !want)
		}
	}
	if j.shows("first", true) {
		t.Error("a text is folded")
	}
	if p := j.page(false); j.page(false) != p || j.page(true) == p {
		t.Error("the texts of a rendering are read more than once, or are one")
	}
}

// TestAttributesInWhichTimesRan: nothing else differs, and a time has moved as time has.
func TestAttributesInWhichTimesRan(t *testing.T) {
	for _, tc := range []struct {
		was, is string
		want    bool
	}{
		{"at 12:00:01", "at 12:00:11", true}, {"at 12:00:01", "by 12:00:11", false}, {"at 12:00:01 x", "at 12:00:11 y", false}, {"at 12:00:01", "at 12:00:51", false}, {"a", "a", false}, {"a", "b", false},
		{"from 12:00:01 to 17:00:01", "from 12:00:11 to 17:00:11", true}, {"from 12:00:01 to 17:00:01", "from 12:00:11 by 17:00:11", false}, {"a 12:00:01 to 17:00:01", "b 12:00:11 to 17:00:11", false}, {"12:00:01 and 5", "12:00:11 and 6", false},
	} {
		if got := onlyRan(tc.was, then, tc.is, then.Add(10*time.Second)); got != tc.want {
			t.Errorf("%q, ten seconds later %q: only a time ran: %v", tc.was, tc.is, got)
		}
	}
}

// TestTimesFitTheFirstAndTheLastSight: a text may have been there for long.
func TestTimesFitTheFirstAndTheLastSight(t *testing.T) {
	token := func(text string) *token { return &parse(text).all[0] }
	const hour = time.Hour
	for _, tc := range []struct {
		a, b        string
		first, last time.Duration // before the second text
		want        Reason
	}{
		{"14:00:01", "15:00:01", hour, hour, Clock}, {"14:00:01", "15:00:01", hour, 0, ""}, {"14:00:01", "15:00:01", 2 * hour, hour, ""}, {"14:00:01", "15:00:01", 2 * hour, 2 * hour, ""}, {"14:00:01", "15:00:01", hour, hour - time.Second, Clock}, {"14:00:01", "15:00:01", hour, 2 * hour, Clock},
	} {
		if got := same(token(tc.a), seen{then.Add(-tc.first), then.Add(-tc.last)}, token(tc.b), then); got != tc.want {
			t.Errorf("%s, first seen %v and last %v before %s: %q, want %q", tc.a, tc.first, tc.last, tc.b, got, tc.want)
		}
	}
}

// TestBlocksThatComeWithAVariant: a number in one that came or went is news, and then nothing is a variant.
func TestBlocksThatComeWithAVariant(t *testing.T) {
	for name, tc := range map[string]struct {
		went, came []string
		want       Reason
	}{
		"words": {[]string{"red boats"}, []string{"blue nets"}, Variant}, "a number came": {nil, []string{"7 nets"}, ""}, "a number went": {[]string{"7 nets"}, nil, ""}, "a number is beside them": {[]string{"red boats"}, []string{"blue nets", "7 sails"}, ""}, "a numeral of a different script": {nil, []string{"٧ nets"}, ""},
	} {
		m := &Mask{}
		m.learn(where{kind: ofWord, lineage: 9}, 0)
		pair := where{kind: ofItem, item: 1}
		m.learn(pair, 0).age = 2
		j := judgeOfGap(m, tc.went, tc.came)
		j.found = make([]Verdict, len(j.changes))
		j.variant(func() (where, bool) { return pair, true })
		for i := range j.found {
			if j.found[i].Why != tc.want {
				t.Errorf("%s: change %d has the reason %q, want %q", name, i, j.found[i].Why, tc.want)
			}
		}
		if age := m.find(pair).age; (age == 0) != (tc.want == Variant) {
			t.Errorf("%s: the pair is of age %d", name, age)
		}
	}
}
