package noise

import (
	"testing"

	"plat/plat"
)

// judgeOfGap returns a judge of a page in which blocks of the first texts went between two that stay,
// and blocks of the second came.
func judgeOfGap(m *Mask, went, came []string) *judge {
	old, now := []plat.Block{leafOf(1, "start")}, []plat.Block{leafOf(1, "start")}
	var changes []plat.Change
	for i, s := range went {
		b := leafOf(int32(10+i), s)
		changes, old = append(changes, plat.Change{Kind: plat.Removed, Lineage: b.Lineage, Old: int32(len(old)), New: -1}), append(old, b)
	}
	for i, s := range came {
		b := leafOf(int32(50+i), s)
		changes, now = append(changes, plat.Change{Kind: plat.Added, Lineage: b.Lineage, Old: -1, New: int32(len(now))}), append(now, b)
	}
	old, now = append(old, leafOf(99, "end")), append(now, leafOf(99, "end"))
	return newJudge(Look{Blocks: old, At: then}, Look{Blocks: now, At: then}, changes, m, nil)
}

func TestAnythingMayComeWhereManyHaveCome(t *testing.T) {
	one, two, three := []string{"red boats"}, []string{"blue nets", "big sails"}, []string{"blue nets", "big sails", "old oars"}
	for name, tc := range map[string]struct {
		shape, more uint8
		gap         int32
		went, came  []string
		left, here  Reason // of the first block that went and the first that came
	}{
		"as many": {2, 1, 1, one, two[:1], Learned, Learned}, "two for two": {2, 9, 1, two, []string{"old oars", "red boats"}, Learned, Learned}, "more came": {2, 1, 1, one, two, Learned, ""}, "more went": {2, 1, 1, three, one, "", Learned}, "one went": {2, 1, 1, one, nil, "", ""}, "one came": {2, 1, 1, nil, one, "", ""},
		"few items are known": {1, 9, 1, one, two[:1], "", ""}, "none is expected": {2, 0, 1, one, two[:1], "", ""}, "another place": {2, 9, 99, one, two[:1], "", ""},
	} {
		m := &Mask{}
		p := m.learn(where{kind: ofGap, lineage: tc.gap}, 7)
		p.shape, p.more = tc.shape, tc.more
		j := judgeOfGap(m, tc.went, tc.came)
		if len(tc.went) > 0 {
			if got := j.went(&j.old.Blocks[1]); got != tc.left {
				t.Errorf("%s: a block went for the reason %q, want %q", name, got, tc.left)
			}
		}
		if len(tc.came) > 0 {
			if got := j.came(&j.now.Blocks[1]); got != tc.here {
				t.Errorf("%s: a block came for the reason %q, want %q", name, got, tc.here)
			}
		}
	}
}

// An item of few words is known only where items come and go.
func TestKnownItemsComeAndGo(t *testing.T) {
	for _, tc := range []struct {
		text string
		gap  bool
		want Reason
	}{
		{"one two three four", false, Learned}, {"one two three", false, ""}, {"one two three", true, Learned}, {"sold", true, Learned}, {"sold", false, ""},
	} {
		m := metAll(tc.text)
		if tc.gap {
			m.learn(where{kind: ofGap, lineage: 1}, 7)
		}
		came, went := judgeOfGap(m, nil, []string{tc.text}), judgeOfGap(m, []string{tc.text}, nil)
		if a, b := came.came(&came.now.Blocks[1]), went.went(&went.old.Blocks[1]); a != tc.want || b != tc.want {
			t.Errorf("%s: came for the reason %q, went for %q, want %q", tc.text, a, b, tc.want)
		}
	}
}

// A stretch within another one has its texts to itself.
func TestEditsCountForTheShortestStretch(t *testing.T) {
	const was, is = "Quote: be bold always. Offer: red boats now. Imprint", "Quote: be bold always. Offer: blue nets now. Imprint"
	for name, tc := range map[string]struct {
		stretches []string
		edit      Edit
		met, once []string // items that are known afterwards, and those that came once
	}{
		"usual": {[]string{"red boats"}, Edit{Why: Learned}, []string{"red boats", "blue nets"}, nil}, "news": {[]string{"red boats"}, Edit{}, nil, []string{"blue nets"}},
		"within another": {[]string{"be bold always. Offer: red boats now", "red boats"}, Edit{Why: Learned}, []string{"red boats", "blue nets"}, nil}, "the other way": {[]string{"red boats", "be bold always. Offer: red boats now"}, Edit{Why: Learned}, []string{"red boats", "blue nets"}, nil}, "elsewhere": {[]string{"be bold"}, Edit{Why: Learned}, nil, nil}, "at last": {[]string{"red boats", "red boats now. Imprint"}, Edit{}, nil, []string{"blue nets"}},
	} {
		m := &Mask{}
		for _, s := range tc.stretches {
			m.learn(where{kind: ofStretch, lineage: 3, words: parse(was).aroundStretch(spanOf(was, s))}, 1)
		}
		tc.edit.Old, tc.edit.New = spanOf(was, "red boats"), spanOf(is, "blue nets")
		old, now := leafOf(3, was), leafOf(3, is)
		m.meetWords(plat.Change{Lineage: 3}, &old, &now, Verdict{Edits: []Edit{tc.edit}})
		items := 0
		for _, p := range m.places {
			if p.kind == ofItem {
				items++
			}
		}
		if items != len(tc.met)+len(tc.once) {
			t.Errorf("%s: %d items", name, items)
		}
		for _, s := range tc.met {
			if !m.met(itemOf(s)) {
				t.Errorf("%s: %s is not met", name, s)
			}
		}
		for _, s := range tc.once {
			if p := m.find(item(itemOf(s))); p == nil || p.shape != once {
				t.Errorf("%s: %s is %+v", name, s, p)
			}
		}
	}
}
