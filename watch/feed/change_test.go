package feed_test

import (
	"strings"
	"testing"
	"time"

	"plat/plat"
	"plat/storage/history"
	"plat/watch/feed"
)

type pages struct{}

func (pages) Diff(string, int, int) string { return "https://plat.test/diff" }
func (pages) Block(string, int32) string   { return "https://plat.test/block" }

// Links and readable attributes are shown with their old and new value, and no title is cut
// off.
func TestAttributesAreShown(t *testing.T) {
	text := "All that we charge is in the price list."
	d := &history.Diff{URL: "https://a.test/", Old: 1, New: 2, NewTaken: time.Unix(0, 0), Changes: []history.ChangeInfo{
		{Kind: plat.Link, Lineage: 1, Label: plat.LabelMain, OldText: &text, NewText: &text, Attributes: []history.AttributeInfo{{Tag: "a", Name: "href", Text: "the <price> list", Old: "p-2025.pdf", New: "p-2026.pdf?a&b"}}},
		{Kind: plat.Image, Lineage: 2, Label: plat.LabelMedia, Attributes: []history.AttributeInfo{{Tag: "img", Name: "alt", New: "A cat"}}},
		{Kind: plat.Link, Lineage: 4, Label: plat.LabelForm, Attributes: []history.AttributeInfo{{Tag: "form", Name: "action", Old: "/order", New: "/pay"}}},
	}}
	all := feed.Changes(d, 0, pages{})
	if len(all) != 3 {
		t.Fatalf("%+v", all)
	}
	if !strings.HasPrefix(all[0].Title, "Link changed: All that we charge") || all[1].Title != "Image changed: media" {
		t.Errorf("titles %q, %q", all[0].Title, all[1].Title)
	}
	for i, want := range []string{`<li>link “the &lt;price&gt; list”: <del>p-2025.pdf</del> <ins>p-2026.pdf?a&amp;b</ins></li>`, `<li>img alt: <ins>A cat</ins></li>`, `<li>form action: <del>/order</del> <ins>/pay</ins></li>`} {
		if !strings.Contains(all[i].HTML, want) {
			t.Errorf("no %s in %s", want, all[i].HTML)
		}
	}
	for _, c := range all {
		if strings.Contains(c.Title, "…") {
			t.Errorf("title %q", c.Title)
		}
	}
}

// A feed contains changes of other markup only if its filter selects them.
func TestFeedsLeaveOtherMarkupOut(t *testing.T) {
	v := &plat.Version{Changes: map[plat.Kind]int{plat.Format: 3}}
	f := feed.Filter{}.WithDefaults()
	if f.MayShow(v) {
		t.Error("format is shown")
	}
	for _, k := range []plat.Kind{plat.Link, plat.Image, plat.Content, plat.Added, plat.Removed} {
		if v := (&plat.Version{Changes: map[plat.Kind]int{k: 1}}); !f.MayShow(v) {
			t.Errorf("%s is not shown", k)
		}
	}
	if f := (feed.Filter{Kinds: []plat.Kind{plat.Format}}).WithDefaults(); !f.MayShow(v) {
		t.Error("format is not shown though it is asked for")
	}
}
