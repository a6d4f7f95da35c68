package noise

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"plat/diff/noise/attributes"
	"plat/plat"
)

func TestLinesThatComeAndGo(t *testing.T) {
	lines := func(n int, prefix string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprint(prefix, strings.Repeat("x", i+1)))
		}
		return strings.Join(all, "\n")
	}
	for _, tc := range []struct {
		old, new   string
		came, went string
		ok         bool
	}{
		{"a", "b", "", "", false}, {"a\nb", "b", "", "a", true}, {"a", "a\nb", "b", "", true}, {"a\nb", "b\na", "", "", true}, {"a\na", "a", "", "a", true}, {lines(20, "a") + "\nz", lines(20, "b") + "\nz", lines(20, "b"), lines(20, "a"), true}, {lines(21, "a") + "\nz", lines(20, "b") + "\nz", "", "", false},
		{"one two three\nz", "one two four\nz", "", "", false}, {"one two three\nz", "one four five\nz", "", "", false}, {"one two three\nz", "one four five six\nz", "one four five six", "one two three", true}, {"x of the mill at noon it is\nz", "x of the day a b c d e f g\nz", "", "", false},
	} {
		got, ok := turn(tc.old, tc.new)
		if ok != tc.ok || ok && (strings.Join(got.came, "\n") != tc.came || strings.Join(got.went, "\n") != tc.went) {
			t.Errorf("%.30q and %.30q: %.60q, %v", tc.old, tc.new, got, ok)
		}
	}
	for _, tc := range []struct {
		a, b     string
		from, to int
	}{{"a b c", "a b d", 2, 0}, {"a, b c", "a, b d", 2, 0}, {"x b c", "y b c", 0, 2}, {"a", "a", 1, 1}, {"", "a", 0, 0}, {"a b", "a b", 2, 2}, {"1 b !", "1 c !", 1, 0}} {
		if from, to := edges(scan(tc.a), scan(tc.b)); from != tc.from || to != tc.to {
			t.Errorf("%q and %q share %d and %d words", tc.a, tc.b, from, to)
		}
	}
	if n := common(scan("a a b c"), count(scan("a b b"))); n != 2 {
		t.Errorf("%d words in common", n)
	}
	if (turnover{}).empty() != true || (turnover{came: []string{"a"}}).empty() || (turnover{came: []string{"a"}}).balanced() || !(turnover{came: []string{"a"}, went: []string{"b"}}).balanced() {
		t.Error("turnovers")
	}
	for _, tc := range [][3]string{{"a b a", "a", "b a"}, {"a", "a a", ""}, {"", "a", ""}, {"a b", "", "a b"}} {
		if got := strings.Join(withoutLines(strings.Fields(tc[0]), strings.Fields(tc[1])), " "); got != tc[2] {
			t.Errorf("%s without %s: %s", tc[0], tc[1], got)
		}
	}
	if !sharedLine("a\nb", "c\nb") || sharedLine("a\nb", "c") || sharedLine("a / b / c", "a / b / d") {
		t.Error("shared lines")
	}
	for _, tc := range []struct {
		is     string
		went   []string
		others [][]string
		want   bool
	}{
		{"sold out now x", nil, nil, false}, {"sold out now x", nil, [][]string{{"sold out now y"}}, true}, {"sold x", nil, [][]string{{"sold y"}}, false}, {"sold out x", nil, [][]string{{"sold out y"}}, true}, {"sold x", nil, [][]string{{"sold y"}, {"sold z"}}, true}, {"sold x", nil, [][]string{{"sold y"}, {"other"}}, false}, {"x is new", nil, [][]string{{"y is new"}}, true},
		{"sold out x", []string{"sold out w"}, [][]string{{"sold out y"}}, false}, {"sold out x", []string{"sold w"}, [][]string{{"sold out y"}, {"sold out z"}}, true}, {"sold out x", nil, [][]string{{"a", "sold out y", "sold z"}}, true},
	} {
		x := &turning{}
		for _, o := range tc.others {
			x.others = append(x.others, scanned(o))
		}
		if got := x.written(scan(tc.is), scanned(tc.went)); got != tc.want {
			t.Errorf("%q beside %q, %q: written %v", tc.is, tc.others, tc.went, got)
		}
	}
}

func TestMasksCountAndForget(t *testing.T) {
	p := place{last: 7, age: 3}
	if p.is(7) || p.age != 3 || !p.is(8) || p.age != 0 || p.last != 8 {
		t.Errorf("%+v", p)
	}
	for _, tc := range []struct {
		shape, more byte
		known       bool
		want        string
		anything    bool
	}{{0, 0, false, "1 6", false}, {1, 6, false, "2 9", true}, {2, 9, true, "2 8", true}, {2, 1, true, "2 0", false}, {2, 0, true, "2 0", false}, {1, 9, true, "1 8", false}, {254, 9, false, "254 255", true}} {
		p := place{shape: tc.shape, more: tc.more}
		if p.came(tc.known); fmt.Sprint(p.shape, " ", p.more) != tc.want || p.anything() != tc.anything {
			t.Errorf("%+v: %d %d, anything %v", tc, p.shape, p.more, p.anything())
		}
	}
	if (*place)(nil).anything() {
		t.Error("anything may come to no place")
	}
	m := &Mask{}
	if !m.isNew() || m.Varies() || m.mayLook() != true {
		t.Error("an empty mask is not new")
	}
	for n := 1; n <= 7; n++ {
		if may := m.Spend(New); may != (n <= 6) || m.spent != min(120, 20*n) {
			t.Errorf("second rendering %d: %v, %d spent", n, may, m.spent)
		}
	}
	for n := 1; n <= 20; n++ {
		if m.Visited(); m.mayLook() != (n == 20) {
			t.Errorf("after %d visits: %d spent", n, m.spent)
		}
	}
	if m.spent = 120; !m.Spend(Always) || m.spent != 120 || m.isNew() {
		t.Errorf("%d spent", m.spent)
	}
	m = &Mask{places: []place{{where: where{kind: ofWord, lineage: 3}, age: 19}, {where: where{kind: ofItem, item: 5}, shape: once}}}
	if m.Visited(); len(m.places) != 2 || !m.Varies() || m.met(5) || m.met(6) {
		t.Errorf("%+v", m.places)
	}
	if m.Visited(); len(m.places) != 1 || m.Varies() {
		t.Errorf("%+v", m.places)
	}
	if m.meet(5); !m.met(5) || !m.Varies() || m.places[0].age != 0 {
		t.Errorf("%+v", m.places)
	}
	m.places = append(m.places, place{where: where{kind: ofWord, lineage: 9}}, place{where: where{kind: ofWord, lineage: 4}})
	if m.keep(Look{Blocks: []plat.Block{{Lineage: 4}, {Lineage: 9, Slot: -1}}}); len(m.places) != 2 || m.places[1].lineage != 4 {
		t.Errorf("%+v are kept", m.places)
	}
	for i := range 300 {
		m.learn(item(uint32(100+i)), 1)
	}
	if len(m.places) != 250 || m.learn(item(9999), 1) != nil || m.learn(item(100), 2).last != 2 {
		t.Errorf("%d places", len(m.places))
	}
	m = &Mask{}
	m.learn(where{kind: ofMarkup}, 0).shape = 2
	if !m.knowsLayout(2) || m.knowsLayout(3) || (&Mask{}).knowsLayout(0) {
		t.Error("the layout varies as much")
	}
	if m.LearnFile("a", "1"); !m.KnowsFile("a", "2") || m.KnowsFile("b", "1") || m.places[1].last != uint16(hashOf("2")) {
		t.Error("files")
	}
	m.learn(where{kind: ofOrder, lineage: 3}, 1)
	if !m.knowsOrder(3, 5) || m.knowsOrder(4, 5) || m.places[2].last != 5 {
		t.Error("orders")
	}
}

func TestMasksAreEncoded(t *testing.T) {
	m := Mask{spent: 120, places: []place{
		{where: where{kind: ofWord, lineage: 300, words: around{1, 2, 3, 4, 5, 6}}, shape: 'a', last: 0x1234}, {where: where{kind: ofStretch, lineage: 1<<31 - 1, words: around{1 << 31, 2, 255, 4, 5, 6}}, shape: 7, more: 8, size: 9, last: 65535, age: 2}, {where: where{kind: ofItem, item: 1 << 30}, shape: once, age: 3},
		{where: where{kind: ofMarkup, lineage: 2, item: 77}, shape: 3, last: 1, age: 4}, {where: where{kind: ofGap, lineage: 0}, shape: 3, more: 4, size: 5, last: 2, age: 5}, {where: where{kind: ofLines, lineage: 5}, shape: 1, more: 2, last: 3, age: 6}, {where: where{kind: ofOrder, lineage: 6}, last: 9, age: 20},
		{where: where{kind: ofTurns, lineage: 700}, shape: 6, age: 2}, {where: where{kind: ofVariant, item: 1 << 20}, shape: once, age: 4},
	}}
	s := m.Encode()
	got, err := DecodeMask(s)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("%+v, %v; want %+v", got, err, m)
	}
	ends := map[int]bool{0: true, 2: true} // of places
	for i := range m.places {
		part := Mask{spent: m.spent, places: slices.Clone(m.places[:i+1])}
		ends[len(part.Encode())] = true
	}
	for n := range len(s) {
		if _, err := DecodeMask(s[:n]); (err == nil) != ends[n] || err != nil && !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("the first %d bytes of %d: %v", n, len(s), err)
		}
	}
	for name, s := range map[string]string{"another format": "\x01" + s[1:], "too much spent": "\x02\x79", "a place that is too old": "\x02\x00o\x15\x00\x00\x00\x00", "an unknown kind": "\x02\x00z\x00\x00\x00\x00\x00", "a lineage that is too large": "\x02\x00o\x00\x00\x80\x80\x80\x80\x08\x00\x00"} {
		if _, err := DecodeMask(s); !errors.Is(err, plat.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, s := range []string{"\x02\x78", "\x02\x00o\x14\x00\x00\x00\x00"} {
		if _, err := DecodeMask(s); err != nil {
			t.Errorf("%q: %v", s, err)
		}
	}
	full := Mask{spent: 1}
	for i := range 200 {
		full.learn(item(uint32(i)), 0).age = byte(i % 3)
	}
	if s := full.Encode(); len(s) != 954+1-2 && len(s) > 960 || len(full.places) != (960-2)/7 || full.places[0].age != 0 {
		t.Errorf("%d bytes of %d places", len(s), len(full.places))
	}
	if (&Mask{}).Encode() != "" || (&Mask{spent: 1}).Encode() != "\x02\x01" {
		t.Error("empty masks")
	}
}

func TestEditsInStepAreProven(t *testing.T) {
	was, is := parse("a 1 b"), parse("c 2 4")
	e := func(from, to, a, b int, why Reason) Edit { return Edit{Old: Span{from, to}, New: Span{a, b}, Why: why} }
	for _, tc := range []struct {
		edits          []Edit
		inStep, proven bool
	}{
		{nil, false, false}, {[]Edit{e(0, 3, 0, 3, TwoLook)}, true, true}, {[]Edit{e(0, 3, 0, 3, Learned)}, true, false}, {[]Edit{e(4, 5, 4, 5, TwoLook)}, false, false}, {[]Edit{e(0, 1, 0, 3, TwoLook)}, false, false}, {[]Edit{e(0, 1, 0, 1, TwoLook), e(2, 3, 2, 3, Clock)}, true, false},
	} {
		if got := inStep(was, is, tc.edits); got != tc.inStep {
			t.Errorf("%v are in step: %v", tc.edits, got)
		}
		if got := proven(was, is, tc.edits); got != tc.proven {
			t.Errorf("%v are proven: %v", tc.edits, got)
		}
	}
	looks := func(kinds ...plat.Kind) (all []*Again) {
		for _, k := range kinds {
			all = append(all, &Again{Changes: plat.Changes{Layout: k}})
		}
		return all
	}
	for _, tc := range []struct {
		k    plat.Kind
		all  []*Again
		want bool
	}{{plat.Volatile, nil, false}, {plat.Volatile, looks(plat.Same), false}, {plat.Same, looks(plat.Same), false}, {plat.Volatile, looks(plat.Same, plat.Volatile), true}, {plat.Format, looks(plat.Volatile), false}, {plat.Volatile, looks(plat.Format), true}} {
		if got := layoutVaries(tc.k, tc.all); got != tc.want {
			t.Errorf("%s varies: %v", tc.k, got)
		}
	}
	for _, tc := range []struct {
		layout  plat.Kind
		proven  []bool
		looks   []*Again
		want    bool
		verdict string
	}{{plat.Same, nil, nil, true, ""}, {plat.Same, []bool{true, false}, nil, false, ""}, {plat.Same, []bool{true}, nil, true, ""}, {plat.Volatile, []bool{true}, nil, false, ""}, {plat.Volatile, nil, looks(plat.Volatile), true, ""}, {plat.Invisible, nil, looks(plat.Invisible), false, ""}} {
		var verdicts []Verdict
		for _, p := range tc.proven {
			verdicts = append(verdicts, Verdict{Proven: p})
		}
		if got := byThemselves(plat.Changes{Layout: tc.layout}, verdicts, tc.looks); got != tc.want {
			t.Errorf("layout %s, %v: %v", tc.layout, tc.proven, got)
		}
	}
	known := &Mask{}
	known.learn(where{kind: ofMarkup}, 0).shape = 3
	for _, tc := range []struct {
		layout, block plat.Kind
		why           Reason
		m             *Mask
		want          bool
	}{{plat.Same, plat.Content, "", &Mask{}, true}, {plat.Same, plat.Content, Learned, &Mask{}, false}, {plat.Same, plat.Format, "", &Mask{}, true}, {plat.Same, plat.Invisible, "", &Mask{}, false}, {plat.Format, plat.Volatile, "", &Mask{}, true}, {plat.Format, plat.Volatile, "", known, false}, {plat.Content, plat.Volatile, "", known, true}, {plat.Invisible, plat.Volatile, "", &Mask{}, false}} {
		c := &plat.Changes{Layout: tc.layout, Blocks: []plat.Change{{Kind: tc.block}}}
		if got := anyNews(c, []Verdict{{Why: tc.why}}, tc.m); got != tc.want {
			t.Errorf("layout %s, block %s %q: news %v", tc.layout, tc.block, tc.why, got)
		}
	}
	for k, want := range map[plat.Kind]int{plat.Same: 0, "": 0, plat.Volatile: 1, plat.Invisible: 2, plat.Format: 3, plat.Link: 3, plat.Image: 3, plat.Content: 4, plat.Moved: 4} {
		if weight(k) != want {
			t.Errorf("%s weighs %d", k, weight(k))
		}
	}
	if a := (&Again{}); a.same() || !(&Again{Changes: plat.Changes{Layout: plat.Same}}).same() || (&Again{Changes: plat.Changes{Layout: plat.Same, Blocks: make([]plat.Change, 1)}}).same() {
		t.Error("renderings that are the same")
	}
	day := func(n int) time.Time { return then.AddDate(0, 0, n) }
	for _, tc := range []struct{ at, until, first, last int }{{1, 3, 1, 3}, {3, 1, 3, 3}, {2, 2, 2, 2}} {
		if got := (&Look{At: day(tc.at), Until: day(tc.until)}).seen(); got != (seen{day(tc.first), day(tc.last)}) {
			t.Errorf("%+v: %v", tc, got)
		}
	}
}

func TestBlocksOfTwoVersionsAndARendering(t *testing.T) {
	block := func(lineage int32, text string) plat.Block {
		return plat.Block{Lineage: lineage, Text: text, Content: []byte("<p>" + text + "</p>")}
	}
	look := func(bs ...plat.Block) Look {
		for i := range bs {
			bs[i].Pos = int32(i)
		}
		return Look{Blocks: bs}
	}
	old, now, again := look(block(1, "Menu"), block(2, "Offer: boats today"), block(3, "Imprint")), look(block(1, "Menu"), block(4, "Offer: nets today"), block(3, "Imprint")), look(block(1, "Menu"), block(5, "Offer: ropes tomorrow"), block(3, "Imprint"))
	changes := []plat.Change{{Kind: plat.Content, Lineage: 4, Old: -1, New: 1}, {Kind: plat.Content, Lineage: 2, Old: 1, New: -1}}
	j := newJudge(old, now, changes, &Mask{}, nil)
	v := j.move()
	if v.gap[&j.now.Blocks[1]] != 1 || v.gap[&j.old.Blocks[1]] != 1 || v.gap[&j.now.Blocks[2]] != 1 || v.came[1] != 1 || v.went[1] != 1 || !v.balanced(1) || v.slots(1) || len(v.vary) != 0 || v.gap[&j.now.Blocks[0]] != 0 {
		t.Errorf("%+v", v)
	}
	if got := v.text(1, isOld) + "|" + v.text(1, isNow); got != "Offer: boats today\nImprint|Offer: nets today\nImprint" {
		t.Errorf("texts %q", got)
	}
	j = j.with(&Again{Look: again, Changes: plat.Changes{Blocks: []plat.Change{{Kind: plat.Content, Lineage: 4, Old: 1, New: -1}, {Kind: plat.Moved, Lineage: 3}}}})
	if v = j.move(); !v.vary[1] || !v.slots(1) || !v.balanced(7) || v.slots(7) || !j.shifted[3] || j.shifted[4] {
		t.Errorf("with a second rendering: %+v", v)
	}
	if !j.comes(&j.now.Blocks[1]) || j.comes(&j.now.Blocks[2]) {
		t.Error("what comes is not told from what stays")
	}
	if got := j.counterpart("Offer: nets today"); got != "Offer: ropes tomorrow" {
		t.Errorf("the counterpart is %q", got)
	}
	if got := j.counterpart("Nothing of it"); got != "" {
		t.Errorf("the counterpart of another line is %q", got)
	}
	if got := j.oldWords(); got != "  Offer : boats today " {
		t.Errorf("the words before are %q", got)
	}
	if j.returns(&j.old.Blocks[1]) || !j.returns(&j.again.Blocks[1]) || j.returns(&j.old.Blocks[0]) {
		t.Error("what returns")
	}
	for text, want := range map[string]bool{"Offer:  ropes": true, "ropes": true, "rope": false, "nets": false, "tomorrow Imprint": true} {
		if got := j.shows(text, false); got != want {
			t.Errorf("the second rendering shows %q: %v", text, got)
		}
	}
	for _, tc := range []struct {
		a, b string
		few  int
		want bool
	}{{"Offer: nets", "Offer: ropes", 2, true}, {"Offer: nets", "Offer: ropes", 0, true}, {"Sold nets", "Sold ropes", 2, true}, {"Sold nets", "Sold ropes", 0, false}, {"all of it nets", "all of it ropes", 2, false}, {"5 nets", "5 ropes", 2, false}, {"nets", "nets", 2, false}, {"nets sold out now", "ropes sold out now", 2, false}, {"! nets", "! ropes", 0, true}} {
		if got := j.sharesOld(tc.a, tc.b, tc.few); got != tc.want {
			t.Errorf("%q and %q, %d by chance: %v", tc.a, tc.b, tc.few, got)
		}
	}
	var order []int32
	for _, b := range leaves([]plat.Block{{Lineage: 1, Slot: 1}, {Lineage: 2, Slot: -1}, {Lineage: 3, Slot: 0, Pos: 1}, {Lineage: 4, Slot: 0}}) {
		order = append(order, b.Lineage)
	}
	if !slices.Equal(order, []int32{4, 3, 1}) {
		t.Errorf("leaves in the order %v", order)
	}
}

func TestAttributesThatVary(t *testing.T) {
	block := func(html string) *plat.Block { return &plat.Block{Lineage: 3, Content: []byte(html)} }
	learned := func(html ...string) *Mask {
		m := &Mask{}
		m.learnAttributes(3, block(html[0]), block(html[1]))
		return m
	}
	for name, tc := range map[string]struct {
		old, now, second string
		m                *Mask
		want             string // differ, vary
	}{
		"nothing differs": {`<p class=a>x</p>`, `<p class=a>x</p>`, "", &Mask{}, "false true"}, "a class": {`<p class=a>x</p>`, `<p class=b>x</p>`, "", &Mask{}, "true false"}, "a class that varies": {`<p class=a>x</p>`, `<p class=b>x</p>`, `<p class=c>x</p>`, &Mask{}, "true true"}, "one that both renderings have": {`<p class=a>x</p>`, `<p class=b>x</p>`, `<p class=b>x</p>`, &Mask{}, "true false"},
		"one that varied before": {`<p class=a>x</p>`, `<p class=b>x</p>`, "", learned(`<p class=c>x</p>`, `<p class=d>x</p>`), "true true"}, "of another block": {`<p class=a>x</p>`, `<p class=b>x</p>`, "", &Mask{places: []place{{where: where{kind: ofMarkup, lineage: 4}}}}, "true false"},
	} {
		j := newJudge(Look{}, Look{}, nil, tc.m, nil)
		var second *plat.Block
		if tc.second != "" {
			second = block(tc.second)
		}
		differ, vary, _ := j.attributes(block(tc.old), block(tc.now), second)
		if got := fmt.Sprint(differ, " ", vary); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
	var a, b strings.Builder
	for i := range 30 {
		fmt.Fprintf(&a, "<p class=a%d></p>", i)
		fmt.Fprintf(&b, "<i class=b%d></i>", i)
	}
	if all := attributes.Differing(attributes.Of([]byte(a.String())), attributes.Of([]byte(b.String()))); len(all) > 20 {
		if m := learned(a.String(), b.String()); len(m.places) != 20 {
			t.Errorf("%d attributes are learned of one rendering", len(m.places))
		}
	}
}
