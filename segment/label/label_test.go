package label

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"plat/fixtures"
	"plat/plat"
	"plat/segment"
)

// links draws n links of the given text, one below the other.
func drawLinks(indent string, n int, text string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%sli 0,%d 200x20\n%s  a href=/%d %q\n", indent, 200+20*i, indent, i, text)
	}
	return b.String()
}

const paragraph = "The city council has voted to close the old harbour to lorries from next spring on, after years of complaints by those " +
	"who live beside the road that leads there. The mayor said that the decision had not been easy, but that it was time to act."

func TestLabels(t *testing.T) {
	d := newDescriber(t, Options{})
	// A page is long enough to have a bottom.
	// Around each is a page with a text and an end.
	tail := `
* td 260,1600 640x2000
` + strings.Repeat("  \""+paragraph+"\"\n  br\n", 12) + `
p 0,3990 10x10 "end"
`
	for _, tc := range []struct {
		name    string
		drawing string
		want    plat.Label
		because string // part of it
	}{
		{"an article in the middle", `
* article 200,200 800x1500
  h2 200,200 800x40 size=28 "Harbour closes"
  p 200,250 800x200 "` + paragraph + `"
  p 200,450 800x200 "` + paragraph + `"
  p 200,650 800x200 "` + paragraph + `"
  p 200,850 800x200 "` + paragraph + `"`, plat.LabelMain, "text"},

		{"an article without semantic tags", `
* td 200,200 800x1500
  "` + paragraph + `"
  br
  "` + paragraph + `"
  br
  "` + paragraph + `"
  br
  "` + paragraph + `"`, plat.LabelMain, "paragraphs"},

		{"a headline by itself", `
* h1 200,300 800x60 size=36 "Harbour closes to lorries"
p 200,400 800x200 "` + paragraph + `"`, plat.LabelHeading, "headings 1.00"},

		{"a headline in a div", `
* div 200,300 800x60 size=36 "Harbour closes to lorries"
p 200,400 800x200 "` + paragraph + `"`, plat.LabelHeading, "large font"},

		{"a menu", `
* nav 0,200 200x300
  ul
` + drawLinks("    ", 8, "Section"), plat.LabelNavigation, "in nav 1.00"},

		{"a menu without a landmark", `
* div 300,200 400x300
` + drawLinks("  ", 8, "Section"), plat.LabelNavigation, "menu 1.00"},

		{"titles above a text, which lead to others", `
* div 260,1000 640x400
` + drawLinks("  ", 10, "Harbour closes to lorries after years of complaints"), plat.LabelNavigation, "link share"},

		{"a search form", `
* form.search 300,200 400x40
  input type=text 300,200 200x30
  button 500,200 80x30 "Search"`, plat.LabelForm, "controls"},

		{"a picture", `
* div 300,300 600x400
  img 300,300 600x400`, plat.LabelMedia, "pictures 1.00"},

		{"a table of figures", `
* table 300,300 600x400
  tr
    th "Year"
    th "Ships"
    th "Lorries"
  tr
    td "2006"
    td "120"
    td "3000"
  tr
    td "2007"
    td "110"
    td "3200"`, plat.LabelTable, "head cells"},

		{"a frame of an advertiser's size", `
* div 900,300 300x250
  iframe src=https://ad.doubleclick.net/x 900,300 300x250`, plat.LabelAdvertisement, "ad frame"},

		{"a linked picture under the word that the law demands", `
* div.adbox 900,300 300x270
  div 900,300 300x20 "Anzeige"
  a href=https://shop.test
    img 900,320 300x250`, plat.LabelAdvertisement, "says ad"},

		{"a picture of an advertiser's size alone is a picture", `
* div 300,300 300x250
  img 300,300 300x250`, plat.LabelMedia, ""},

		{"comments", `
* section.comments 200,2000 800x900
  h3 200,2000 800x30 size=20 "12 comments"
  div.comment 200,2040 800x100 "` + paragraph + `"
  div.comment 200,2140 800x100 "` + paragraph + `"`, plat.LabelComments, "named comments"},

		{"a sidebar", `
* aside 950,300 300x900
  h4 950,300 300x20 "About"
  p 950,320 300x80 "` + paragraph + `"
  p 950,400 300x80 "` + paragraph + `"`, plat.LabelSidebar, "in aside 1.00"},

		{"a footer", `
* footer 0,3900 1280x90
  p 0,3900 1280x20 "© 2008 Town council. All rights reserved."
  a href=/i 0,3920 100x20 "Imprint"
  a href=/p 100,3920 100x20 "Privacy"`, plat.LabelFooter, "in footer"},

		{"a footer without a landmark", `
* div 0,3900 1280x90
  p 0,3900 1280x20 "© 2008 Town council. All rights reserved."
  a href=/i 0,3920 100x20 "Imprint"`, plat.LabelFooter, "near end"},

		{"a header", `
* header 0,0 1280x100
  img 0,0 200x60
  div 0,60 1280x20 "Town news since 1901"`, plat.LabelHeader, "in header"},

		{"the header of an article is not the page's", `
* article 200,600 800x900
  header 200,600 800x40
    h2 200,600 800x40 size=24 "Harbour closes"
  p 200,650 800x200 "` + paragraph + `"
  p 200,850 800x200 "` + paragraph + `"
  p 200,1050 800x200 "` + paragraph + `"`, plat.LabelMain, ""},

		{"an overlay", `
! div 0,600 1280x200
  p 0,600 1280x60 "We use cookies and similar things."
  button 0,700 100x30 "Accept"`, plat.LabelOverlay, "over the page"},

		{"nothing visible", `
* div 0,300 1280x0
  p hidden "gone"`, plat.LabelOther, "nothing visible"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := describe(t, d, "en", tc.drawing+tail)
			b := &page.Blocks[1]
			if b.Label != tc.want || !strings.Contains(b.Explanation, tc.because) {
				t.Errorf("%s %.2f (%s), want %s (… %s …)", b.Label, b.Confidence, b.Explanation, tc.want, tc.because)
			}
			if r := &page.Blocks[0]; r.Label != plat.LabelOther || r.Explanation != "whole page" {
				t.Errorf("root: %s (%s)", r.Label, r.Explanation)
			}
		})
	}
}

// The role and the content of a block are independent: parts of a menu have the menu's role and
// label, whatever they hold.
func TestBlocksAroundTheContentHoldSomethingToo(t *testing.T) {
	text := "\n* div 260,700 900x2000\n" + strings.Repeat("  \""+paragraph+"\"\n  br\n", 12) + "\np 0,3990 10x10 \"end\"\n"
	for _, tc := range []struct {
		name    string
		drawing string // of the block, and of its surroundings
		tag     string
		role    plat.Role
		holds   plat.Holds
		want    plat.Label
	}{
		{"a list of links in a menu", `
+ nav 0,200 200x400
  h4 0,200 200x20 "Sections"
  * ul 0,230 200x300
` + drawLinks("    ", 8, "Section"), "ul", plat.RoleNavigation, plat.HoldsList, plat.LabelNavigation},
		{"a search form in a banner", `
+ header 0,0 1280x100
  img 0,0 200x60
  p 0,60 300x20 "Town news since 1901"
  * form.search-form 900,20 300x40
    input type=text 900,20 200x30
    button 1100,20 80x30 "Search"`, "form", plat.RoleBanner, plat.HoldsForm, plat.LabelForm},
		{"a banner with a search form", `
* header 0,0 1280x100
  img 0,0 200x60
  p 0,60 300x20 "Town news since 1901"
  form 900,20 300x40
    input type=text 900,20 200x30
    button 1100,20 80x30 "Search"`, "header", plat.RoleBanner, plat.HoldsForm, plat.LabelHeader},
		{"a list in the content", `
* ul 260,600 900x400
` + drawLinks("  ", 10, "Harbour closes to lorries after years of complaints"), "ul", plat.RoleContent, plat.HoldsList, plat.LabelList},
		{"a form in the content", `
* form 260,600 900x300
  p 260,600 900x20 "Write to us"
  input type=text 260,620 200x30
  textarea 260,660 600x100
  button 260,780 80x30 "Send"`, "form", plat.RoleContent, plat.HoldsForm, plat.LabelForm},
		{"a notice over the page", `
! div 0,600 1280x200
  form 0,600 1280x60
    input type=text 0,600 600x30
    button 0,700 100x30 "Subscribe"`, "div", plat.RoleOverlay, plat.HoldsForm, plat.LabelOverlay},
		{"nothing visible", `
* div 0,300 1280x0
  p hidden "gone"`, "div", plat.RoleOther, plat.HoldsOther, plat.LabelOther},
	} {
		t.Run(tc.name, func(t *testing.T) {
			page := describe(t, newDescriber(t, Options{}), "en", tc.drawing+text)
			i := slices.IndexFunc(page.Blocks, func(b plat.Block) bool { return b.Leaf() && b.Tag == tc.tag })
			if b := &page.Blocks[i]; b.Role != tc.role || b.Holds != tc.holds || b.Label != tc.want {
				t.Errorf("%s holding %s, labelled %s %.2f (%s), want %s holding %s, labelled %s", b.Role, b.Holds, b.Label, b.Confidence, b.Explanation, tc.role, tc.holds, tc.want)
			}
			if r := &page.Blocks[0]; r.Role != plat.RoleOther || r.Holds != plat.HoldsOther {
				t.Errorf("the whole page: %s holding %s", r.Role, r.Holds)
			}
		})
	}
}

// For blocks stored without role, the label implies the original values: the two are stored only
// where the label does not imply them.
func TestLabelsImplyNothingElse(t *testing.T) {
	d := newDescriber(t, Options{})
	for _, name := range fixtures.Names() {
		snap := fixtures.Snapshot(t, name)
		cut, err := segment.Segment(snap, segment.Params{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Describe(snap, &cut.Page, cut.Spans, cut.Visible()); err != nil {
			t.Fatal(err)
		}
		for i := range cut.Blocks {
			b := &cut.Blocks[i]
			if role, holds := b.Implied(); b.Role == "" || b.Holds == "" || role != "" && role != b.Role || holds != "" && holds != b.Holds {
				t.Errorf("%s: block %d, labelled %s %.3f, is %q holding %q; implied is %q holding %q", name, i, b.Label, b.Confidence, b.Role, b.Holds, role, holds)
			}
		}
	}
}

// Text that folds out of a menu is part of it.
func TestFoldedBlocksAreLikeTheirNeighbour(t *testing.T) {
	snap, page, spans, visible := build(t, `
+ nav 0,200 200x400
  * ul 0,230 200x300
`+drawLinks("    ", 8, "Section")+`
  * div 0,530 200x0
    p hidden "Sports"
* p 260,700 900x2000 "`+strings.Repeat(paragraph+" ", 8)+`"`)
	menu, folded := &page.Blocks[2], &page.Blocks[3]
	folded.Folded = []int32{0, 6}
	if err := newDescriber(t, Options{}).Describe(snap, page, spans, visible); err != nil {
		t.Fatal(err)
	}
	if folded.Explanation != "folded" || menu.Role != plat.RoleNavigation || folded.Role != menu.Role || folded.Holds != menu.Holds || folded.Label != menu.Label {
		t.Errorf("%s holding %s, labelled %s (%s), beside %s holding %s, labelled %s", folded.Role, folded.Holds, folded.Label, folded.Explanation, menu.Role, menu.Holds, menu.Label)
	}
}

func TestPartsOfAnOverlayAreOverlays(t *testing.T) {
	snap, page, spans, visible := build(t, `
+ div 0,600 1280x200
  * p 0,600 1280x60 "We use cookies and similar things."
  * div 0,700 1280x60
    button 0,700 100x30 "Accept"`)
	page.Blocks[1].Rule = plat.RuleOverlay
	if err := newDescriber(t, Options{}).Describe(snap, page, spans, visible); err != nil {
		t.Fatal(err)
	}
	for i := range page.Blocks[1:] {
		if got := page.Blocks[i+1].Label; got != plat.LabelOverlay {
			t.Errorf("block %d: %s", i+1, got)
		}
	}
}

func TestInnerBlocksSumTheirParts(t *testing.T) {
	page := describe(t, newDescriber(t, Options{}), "en", `
+ div 300,200 400x300
  * ul 300,200 400x150
`+drawLinks("    ", 6, "Section")+`
  * ul 300,350 400x150
`+drawLinks("    ", 6, "Part")+`
p 0,3990 10x10 "end"`)
	if b := page.Blocks[1]; !strings.Contains(b.Explanation, "links 1.00") {
		t.Errorf("inner block: %s (%s)", b.Label, b.Explanation)
	}
}

func TestFeaturesFitIntoExplanations(t *testing.T) {
	if len(features) > 64 {
		t.Fatalf("%d features: classifying has room for 64", len(features))
	}
	seen := map[string]bool{}
	for _, e := range roleEvidence {
		if seen[e.name] {
			t.Errorf("two features are named %q", e.name)
		}
		seen[e.name] = true
		if n := utf8.RuneCountInString(e.name) + len(" 0.00"); n > maxExplanation {
			t.Errorf("%q does not fit into Explanation", e.name)
		}
	}
}

// The model in the program was fitted to the features that the program computes.
func TestTheModelHasTheFeaturesOfTheProgram(t *testing.T) {
	if m := roleModel(); m.Classes != int(parts) || !slices.Equal(m.Names, namesOf(roleEvidence)) {
		t.Error("the model has other features or classes: scripts/eval-segment -fit -write")
	}
	if m := commentsModel(); m.Classes != 1 || !slices.Equal(m.Names, namesOf(commentsEvidence)) {
		t.Error("the model of comments has other features: scripts/eval-segment -fit -write")
	}
	if n := len(roleBytes) + len(commentsBytes); n > 140<<10 {
		t.Errorf("the models have %d bytes", n)
	}
}

// Position decides between boilerplate and content: the same links are a menu
// below the text and a list of teasers inside it.
func TestPositionDecidesTheSide(t *testing.T) {
	links := func(indent string) string { return drawLinks(indent, 6, "Another story of the town and its harbour") }
	below := describe(t, newDescriber(t, Options{}), "en", `
+ div 0,0 1280x2400
  * p 200,100 800x2000 "`+strings.Repeat(paragraph+" ", 8)+`"
+ div 0,3700 1280x200
  * ul 0,3700 1280x200
`+links("    "))
	within := describe(t, newDescriber(t, Options{}), "en", `
+ div 0,0 1280x3900
  * p 200,100 800x2000 "`+strings.Repeat(paragraph+" ", 8)+`"
  * ul 200,2200 800x200
`+links("    ")+`
  * p 200,2500 800x1400 "`+strings.Repeat(paragraph+" ", 4)+`"`)
	find := func(p *plat.Page) *plat.Block {
		for i := range p.Blocks {
			if b := &p.Blocks[i]; b.Leaf() && b.Tag == "ul" {
				return b
			}
		}
		t.Fatal("there is no list")
		return nil
	}
	if b := find(below); !Boilerplate(b.Label) {
		t.Errorf("below the text: %s (%s)", b.Label, b.Explanation)
	}
	if b := find(within); Boilerplate(b.Label) {
		t.Errorf("in the text: %s (%s)", b.Label, b.Explanation)
	}
}

// The block of most text is not an overlay, even if a dialog has more.
func TestOverlaysAreNotTheMainText(t *testing.T) {
	snap, page, spans, visible := build(t, `
* p 200,100 800x400 "`+paragraph+`"
* div 0,600 1280x800 "`+strings.Repeat(paragraph+" ", 8)+`"`)
	page.Blocks[2].Rule = plat.RuleOverlay
	g := newDescriber(t, Options{}).gather(snap, page, spans, visible, nil)
	if s := g.survey(); s.main != 1 || s.region != 1 {
		t.Errorf("main %d, region %d, want 1 and 1", s.main, s.region)
	}
}

func TestDescribeRefusesSlicesThatDoNotFit(t *testing.T) {
	d := newDescriber(t, Options{})
	snap, page, spans, visible := build(t, `* p 0,0 400x20 "text"`)
	if err := d.Describe(snap, page, spans[1:], visible); err == nil {
		t.Error("too few spans: no error")
	}
	if err := d.Describe(snap, page, spans, visible[1:]); err == nil {
		t.Error("too few visibilities: no error")
	}
	if page.Blocks[1].Label != "" || page.Blocks[1].Topic != "" {
		t.Error("a block was touched")
	}
	if err := d.Describe(&plat.Snapshot{}, &plat.Page{}, nil, nil); err != nil {
		t.Errorf("an empty page: %v", err)
	}
}

func TestNewRefusesThresholdsBelowZero(t *testing.T) {
	for _, opt := range []Options{{TopicWords: -1}, {ExtractWords: -1}, {MinFrequency: -2}} {
		if _, err := New(opt); err == nil {
			t.Errorf("%+v: no error", opt)
		}
	}
}

// The result is the same from a second Describer, from one that has processed other pages, and from
// concurrent calls.
func TestDescribeIsDeterministic(t *testing.T) {
	drawing := drawPage(pickEnglish) + "* p 0,9000 400x40 \"" + chineseText + "\"\n"
	want := describe(t, newDescriber(t, Options{}), "", drawing).Blocks
	d := newDescriber(t, Options{})
	describe(t, d, "zh", `* p "`+chineseText+`"`)
	got := make(chan []plat.Block)
	for range 4 {
		snap, page, spans, visible := build(t, drawing)
		go func() {
			if err := errors.Join(d.Describe(snap, page, spans, visible), d.Describe(snap, page, spans, visible)); err != nil {
				t.Error(err)
			}
			got <- page.Blocks
		}()
	}
	for range 4 {
		if g := <-got; !reflect.DeepEqual(g, want) {
			t.Error("described differently")
		}
	}
}

// FuzzDescribe checks that Describe handles any text and tree, and that its
// results can always be stored.
func FuzzDescribe(f *testing.F) {
	f.Add("The council voted", "ad-box mainNav", "en", []byte{1, 2, 3, 4, 5, 6, 7, 8}, float32(300), float32(250))
	f.Add("国务院总理 a\xff", "", "zh", []byte{0, 0, 0, 0, 255, 255, 9}, float32(math.NaN()), float32(math.Inf(1)))
	f.Add("ภาษาไทย é’s l'homme ー々", "x", "fr", []byte{}, float32(-1), float32(0))
	d := newDescriber(f, Options{})
	d.chinese.Both() // load now: the fuzzer would report the first input with Han as hanging
	names := []string{"div", "a", "h1", "p", "img", "iframe", "input", "li", "td", "br", "nav", "header", "body"}
	f.Fuzz(func(t *testing.T, text, class, language string, tree []byte, w, h float32) {
		if len(tree) > 200 {
			tree = tree[:200]
		}
		snap := &plat.Snapshot{Language: language, Viewport: plat.Rect{W: 1280, H: h}, Width: w, Height: h}
		snap.Styles = []plat.Style{{Display: "block", FontSize: 16, FontWeight: 400}, {Display: "inline", FontSize: h, FontWeight: -1}}
		page := &plat.Page{}
		var spans []plat.Span
		var visible []bool
		at := func(i int) int32 { // any number, including far out of range
			if len(tree) == 0 {
				return 0
			}
			return int32(int8(tree[(i%len(tree)+len(tree))%len(tree)]))
		}
		for i, b := range tree {
			n := plat.Node{
				Kind: plat.NodeKind(b % 7), HasBox: b%5 != 0, Parent: at(i + 1), End: at(i + 2), Style: at(i + 3),
				Box: plat.Rect{X: float32(b), Y: w, W: w, H: h}, Name: names[int(b)%len(names)],
			}
			if n.Kind == plat.TextNode {
				n.Value = text[min(len(text), int(b)%16):]
			}
			if n.Kind == plat.ElementNode {
				n.Attrs = []plat.Attr{{Name: "class", Value: class}, {Name: "role", Value: class}, {Name: "src", Value: text}}
			}
			snap.Nodes = append(snap.Nodes, n)
			visible = append(visible, b%3 != 0)
			if i%3 == 0 {
				page.Blocks = append(page.Blocks, plat.Block{
					Parent: at(i + 4), Rule: plat.Rule(b % 16), Slot: at(i + 5), Box: plat.Rect{X: w, Y: h, W: w, H: float32(b)},
				})
				spans = append(spans, plat.Span{First: at(i + 6), End: at(i + 7)})
			}
		}
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		first := append([]plat.Block(nil), page.Blocks...)
		if err := d.Describe(snap, page, spans, visible); err != nil {
			t.Fatal(err)
		}
		for i := range page.Blocks {
			b := &page.Blocks[i]
			if !utf8.ValidString(b.Topic) || utf8.RuneCountInString(b.Topic) > maxTopic || b.Label == "" || b.Explanation == "" ||
				utf8.RuneCountInString(b.Explanation) > maxExplanation || !(b.Confidence >= 0 && b.Confidence <= 1) {
				t.Errorf("block %d: topic %q, label %q %v (%s)", i, b.Topic, b.Label, b.Confidence, b.Explanation)
			}
			if b.Topic != first[i].Topic || b.Label != first[i].Label {
				t.Errorf("block %d: described differently a second time", i)
			}
		}
	})
}
