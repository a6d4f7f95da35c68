package label

import (
	"strings"
	"testing"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
	"plat/segment/article"
	"plat/segment/classifier"
)

// TestWhichBlocksMayBeComments: advertisements are not, nor parts of the frame of a page without a sign of comments.
func TestWhichBlocksMayBeComments(t *testing.T) {
	roles := func(of part) []int32 {
		scores := make([]int32, parts)
		for i := range scores {
			scores[i] = -20 * classifier.Unit
		}
		scores[of] = 0
		return scores
	}
	named := func(share int32) (f facts) {
		f.chars, f.mass = 100, 100
		f.hints[hintComments] = share
		return f
	}
	ad := named(90)
	ad.adFrames, ad.discussed, ad.commentWord = 1, true, true
	empty := named(90)
	empty.chars = 0
	for name, tc := range map[string]struct {
		f          facts
		role       part
		asked, say bool // the model decides; the heading decides
	}{
		"content":                       {facts{chars: 100, mass: 100}, partMain, true, false},
		"a menu":                        {facts{chars: 100, mass: 100}, partNavigation, false, false},
		"a menu in a discussion":        {facts{chars: 100, mass: 100, discussed: true}, partNavigation, true, false},
		"a menu named comments":         {named(25), partNavigation, true, false},
		"a menu hardly named so":        {named(24), partNavigation, false, false},
		"content hardly named so":       {named(24), partMain, true, false},
		"a picture in a menu":           {empty, partNavigation, false, false},
		"a picture in the content":      {empty, partMain, true, false},
		"an advertisement":              {ad, partMain, false, false},
		"the heading":                   {facts{chars: 9, mass: 9, discussed: true, commentWord: true}, partNavigation, false, true},
		"a word of a heading elsewhere": {facts{chars: 9, mass: 9, commentWord: true}, partNavigation, false, false},
	} {
		g := pageWith([]plat.Block{{Parent: -1, Slot: -1}, {}}, facts{chars: 100, mass: 100}, tc.f)
		c := g.classifying()
		s := g.scene(1, &c.near)
		got := c.said(s, roles(tc.role))
		if want := tc.say; want != (got == classifier.Unit) || tc.asked == (got == notAsked) && !want {
			t.Errorf("%s: %d", name, got)
		}
		explained := c.explainComments(&tc.f)
		if is := strings.Contains(explained, "says comments, in discussion"); is != (tc.f.discussed && tc.f.commentWord) {
			t.Errorf("%s: explained by %q", name, explained)
		}
	}
}

// TestAPageIsDividedAndDescribedAtOnce compares with the single steps.
func TestAPageIsDividedAndDescribedAtOnce(t *testing.T) {
	snap := fixtures.Snapshot(t, "site-1")
	d := newDescriber(t, Options{})
	got, err := d.Divide(snap, segment.Params{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	cut, err := segment.Segment(snap, segment.Params{})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Describe(snap, &cut.Page, cut.Spans, cut.Visible()); err != nil {
		t.Fatal(err)
	}
	if len(got.Blocks) != len(cut.Blocks) {
		t.Fatalf("%d blocks, want %d", len(got.Blocks), len(cut.Blocks))
	}
	labels := map[plat.Label]int{}
	for i := range cut.Blocks {
		a, b := &got.Blocks[i], &cut.Blocks[i]
		if labels[a.Label]++; a.Label != b.Label || a.Topic != b.Topic || a.Role != b.Role {
			t.Errorf("block %d: %s, %q; want %s, %q", i, a.Label, a.Topic, b.Label, b.Topic)
		}
	}
	if len(labels) < 2 {
		t.Errorf("labels %v", labels)
	}
	want := article.Look(snap).Article(&cut.Page)
	if a := got.Article(); a.Title == "" || a.Title != want.Title || a.Kind != want.Kind || len(a.Text) < 100 || a.Text != want.Text {
		t.Errorf("the article %q, %s: %.80s; want %q, %s: %.80s", a.Title, a.Kind, a.Text, want.Title, want.Kind, want.Text)
	}
	if _, err := d.Divide(&plat.Snapshot{Nodes: make([]plat.Node, 1)}, segment.Params{Level: -99}, nil); err == nil {
		t.Error("a page of no level is divided")
	}
}
