package label

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"plat/plat"
	"plat/segment/classifier"
)

func TestEvidenceForRoles(t *testing.T) {
	f := facts{
		box: plat.Rect{X: 100, Y: 400, W: 200, H: 160}, page: plat.Rect{W: 1000, H: 2000}, view: plat.Rect{W: 1000, H: 800}, main: plat.Rect{X: 350, Y: 240, W: 500, H: 80},
		chars: 31, mass: 40, linkChars: 62 / 4, links: 7, shortLinks: 2, items: 3, paraChars: 31, headChars: 0, maxSize: 24, bodySize: 16, sizes: 31 * 20, fields: 1, controls: 15,
		mediaArea: 8000, fixed: 10, rights: 2, firstRun: 3, endRun: 13, start: 50, texts: 15.5, before: 62, off: .25, columnTitles: 2, pageLinks: .125,
	}
	f.roles[roleMain] = 10
	page := facts{mass: 200, chars: 1023, texts: 310, maxSize: 48}
	page.roles[roleMain] = 100
	want := map[string]float64{
		"left gap": .1, "right gap": .7, "width": .2, "y": .5, "gap to end": 1.8, "y from end": 2, "height": .2, "place": .24, "characters": 5, "share of page": .2, "link share": 15. / 31, "number of links": 3,
		"short links": 2. / 7, "number of items": 2, "in paragraphs": 1, "in headings": 0, "largest font": 1.5, "usual font": 1.25, "fields": 1, "number of controls": 4, "picture area": .25, "stays in place": .25, "says rights": 2,
		"length of runs": math.Log2(4.1), "before it": .25, "after it": .55, "beside column": .25, "above text": -.4, "below text": .1, "width by text": .4,
		"left of text": .05, "right of text": -.75, "titles beside": 2, "links of page": .125, "main text": .5, "of main text": .05, "main text of page": 310. / 1023, "main text before": .2, "height of page": 2.5, "text of page": 10, "largest of page": 3, "font by largest": .5, "background": 1, "text colour": -.2126, "same background": 0, "main elsewhere": .375,
	}
	s := scene{f: &f, parent: &facts{}, region: &facts{}, page: &page,
		block: &plat.Block{Background: plat.RGBA(255, 255, 255, 255), Color: plat.RGBA(0, 0, 0, 255)}, main: &plat.Block{Background: plat.RGBA(0, 0, 0, 255), Color: plat.RGBA(255, 0, 0, 255)}}
	for _, e := range nested {
		if got := e.of(&s, s.f); math.Abs(got-want[e.name]) > 1e-6 {
			t.Errorf("%s is %v, want %v", e.name, got, want[e.name])
		}
	}
	for _, e := range own {
		if got := e.of(&s); math.Abs(got-want[e.name]) > 1e-6 {
			t.Errorf("%s is %v, want %v", e.name, got, want[e.name])
		}
	}
	if n := len(nested) + len(own); n != len(want) {
		t.Errorf("%d values of %d are known", len(want), n)
	}
	values := make([]float32, len(roleEvidence))
	one := facts{rights: 1}
	s.parent, s.region = &one, &facts{rights: 3}
	s.observe(values)
	for i, e := range roleEvidence {
		if want, ok := map[string]float32{"says rights": 2, "parent says rights": 1, "region says rights": 3, "text": .062}[e.name]; ok && math.Abs(float64(values[i]-want)) > 1e-6 {
			t.Errorf("%s is %v, want %v", e.name, values[i], want)
		}
		if values[i] != values[i] {
			t.Errorf("%s is no number", e.name)
		}
	}
}

func TestEvidenceOfBlocksWithoutContent(t *testing.T) {
	s := scene{f: &facts{columnTitles: 9}, page: &facts{}, block: &plat.Block{}}
	for _, e := range own {
		want := 0.0
		switch e.name {
		case "titles beside":
			want = 3
		case "main text of page":
			want = .5
		}
		if got := e.of(&s); got != want {
			t.Errorf("%s is %v, want %v", e.name, got, want)
		}
	}
	for name, tc := range map[string]struct {
		f    facts
		want float64
	}{
		"usual font":         {facts{}, 1},
		"picture area":       {facts{mediaArea: 1}, 0},
		"length of runs":     {facts{chars: 3}, 2},
		"number of controls": {facts{controls: 3}, 2},
	} {
		for _, e := range nested {
			if e.name != name {
				continue
			}
			if got := e.of(&s, &tc.f); got != tc.want {
				t.Errorf("%s is %v, want %v", name, got, tc.want)
			}
		}
	}
	for _, e := range nested {
		if e.name == "picture area" {
			if got := e.of(&s, &facts{mediaArea: 300, box: plat.Rect{W: 10, H: 10}}); got != 1 {
				t.Errorf("pictures cover %v of a block", got)
			}
		}
		if e.name == "usual font" {
			if got := e.of(&s, &facts{chars: 1, sizes: 20}); got != 1 {
				t.Errorf("without a usual font it is %v", got)
			}
		}
	}
	if ratio(1, 0) != 0 || ratio(1, -1) != 0 || ratio(1, 2) != .5 || lightness(plat.RGBA(255, 255, 255, 0)) < .9999 || lightness(plat.RGBA(0, 255, 0, 255)) != .7152 || lightness(plat.RGBA(0, 0, 255, 255)) != .0722 {
		t.Error("ratio or lightness")
	}
}

func TestFeaturesWithoutAFunction(t *testing.T) {
	view, page, box := plat.Rect{W: 1000, H: 800}, plat.Rect{W: 1000, H: 4000}, func(x, y, w, h float32) plat.Rect { return plat.Rect{X: x, Y: y, W: w, H: h} }
	named := facts{mass: 10}
	named.hints[hintComments] = 6
	for _, tc := range []struct {
		name string
		f    facts
		want float64
	}{
		{"paragraphs", facts{chars: 75, paraChars: 75}, .5}, {"paragraphs", facts{chars: 300, paraChars: 75}, .25},
		{"head cells", facts{headCells: 2, rows: 2}, 1}, {"head cells", facts{headCells: 1, rows: 2}, 0}, {"head cells", facts{headCells: 2, rows: 1}, 0},
		{"ad frame", facts{adFrames: 1, chars: 199}, 1}, {"ad frame", facts{adFrames: 1, chars: 200}, 0}, {"ad frame", facts{}, 0},
		{"ad size", facts{box: box(0, 0, 300, 250), media: 1, chars: 199}, 1}, {"ad size", facts{box: box(0, 0, 300, 250), frames: 1}, 1}, {"ad size", facts{box: box(0, 0, 300, 250)}, 0}, {"ad size", facts{box: box(0, 0, 300, 250), media: 1, chars: 200}, 0}, {"ad size", facts{box: box(0, 0, 310, 250), media: 1}, 0},
		{"says ad", facts{adWord: true, chars: 1199}, 1}, {"says ad", facts{adWord: true, chars: 1200}, 0}, {"says ad", facts{}, 0}, {"says comments", facts{commentWord: true}, 1}, {"named comments", named, .2}, {"in discussion", facts{discussed: true}, 1},
		{"wide", facts{box: box(0, 0, 600, 1), page: page}, 1}, {"wide", facts{box: box(0, 0, 599, 1), page: page}, 0}, {"left", facts{box: box(100, 0, 299, 1), page: page}, 1}, {"left", facts{box: box(100, 0, 300, 1), page: page}, 0},
		{"region below", facts{below: true}, 1}, {"small region", facts{region: .1}, math.Exp(-1)}, {"near end", facts{box: box(0, 3000, 1, 850), page: page, view: view}, math.Exp(-1)}, {"near end", facts{box: box(0, 3000, 1, 2000), page: page}, 1},
		{"links beyond usual", facts{chars: 10, linkChars: 5, pageLinks: .2}, .3}, {"long text", facts{chars: 750}, .5}, {"long runs", facts{chars: 120, firstRun: 1, endRun: 4}, .5}, {"long runs", facts{chars: 200}, 1}, {"off column", facts{off: .3}, .3},
		{"narrow, off column", facts{off: .3, box: box(0, 0, 69, 1), main: box(0, 0, 100, 1)}, .3}, {"narrow, off column", facts{off: .3, box: box(0, 0, 70, 1), main: box(0, 0, 100, 1)}, 0},
		{"above main text", facts{box: box(0, 0, 1, 110), main: box(0, 100, 1, 1)}, 1}, {"above main text", facts{box: box(0, 0, 1, 111), main: box(0, 100, 1, 1)}, 0}, {"most text", facts{most: true}, 1},
	} {
		for _, feature := range contentFeatures {
			if feature.name != tc.name {
				continue
			}
			if got := feature.of(&tc.f); math.Abs(got-tc.want) > 1e-6 {
				t.Errorf("%s of %s is %v, want %v", tc.name, said(tc.f), got, tc.want)
			}
		}
	}
}

func TestRareEvidenceAdjustsTheScores(t *testing.T) {
	const unit = classifier.Unit
	column := plat.Rect{W: 100}
	in := func(r role, share int32, f facts) facts {
		f.mass, f.roles[r] = 100, share
		return f
	}
	ad := func(share int32, f facts) facts {
		f.mass, f.hints[hintAd] = 100, share
		return f
	}
	for _, tc := range []struct {
		name   string
		scores []int32 // main, navigation, banner, footer, sidebar, ad
		f      facts
		want   string
	}{
		{"nothing", []int32{5, 4, 3, 2, 1, 0}, facts{}, "[5 4 3 2 1 0] "},
		{"a frame of an ad", []int32{5, 4, 3, 2, 1, 0}, facts{adFrames: 1}, fmt.Sprint([]int32{5, 4, 3, 2, 1, 5 + unit}, " ad frame")},
		{"a block that says so", []int32{5, 4, 3, 2, 1, 0}, facts{adWord: true}, fmt.Sprint([]int32{5, 4, 3, 2, 1, 5 + unit}, " says ad")},
		{"a name for all", []int32{5, 4, 3, 2, 1, 9 * unit}, ad(100, facts{}), fmt.Sprint([]int32{5, 4, 3, 2, 1, 10 * unit}, " named ad 1.00")},
		{"a name for most", []int32{5, 4, 3, 2, 1, 0}, ad(99, facts{}), "[5 4 3 2 1 0] "},
		{"a frame and a name", []int32{5, 4, 3, 2, 1, 0}, ad(99, facts{adFrames: 1}), fmt.Sprint([]int32{5, 4, 3, 2, 1, 5 + unit}, " ad frame")},
		{"an aside beside the text", []int32{5, 4, 3, 2, 1, 0}, in(roleComplementary, 51, facts{beside: true}), fmt.Sprint([]int32{5, 4, 3, 2, 5 + unit, 0}, " beside the text, in aside 0.51")},
		{"half an aside", []int32{5, 4, 3, 2, 1, 0}, in(roleComplementary, 50, facts{beside: true}), "[5 4 3 2 1 0] "},
		{"an aside elsewhere", []int32{5, 4, 3, 2, 1, 0}, in(roleComplementary, 100, facts{}), "[5 4 3 2 1 0] "},
		{"a footer beside the text", []int32{5, 4, 3, 6, 1, 0}, in(roleComplementary, 100, facts{beside: true}), "[5 4 3 6 1 0] "},
		{"one as likely", []int32{5, 4, 3, 5, 1, 0}, in(roleComplementary, 100, facts{beside: true}), fmt.Sprint([]int32{5, 4, 3, 5, 5 + unit, 0}, " beside the text, in aside 1.00")},
		{"a banner", []int32{5, 4, 6, 2, 1, 0}, in(roleComplementary, 100, facts{beside: true}), "[5 4 6 2 1 0] "},
		{"titles of a sidebar", []int32{5, 4, 3, 2, 1, 0}, facts{columnTitles: 2}, fmt.Sprint([]int32{5, 4, 3, 2, 5 + unit, 0}, " titles of a sidebar 2")},
		{"one title", []int32{5, 4, 3, 2, 1, 0}, facts{columnTitles: 1}, "[5 4 3 2 1 0] "},
		{"teasers in the column", []int32{5, 4, 3, 2, 1, 0}, facts{chars: 10, linkChars: 10, links: 3, box: plat.Rect{W: 50}, main: column}, fmt.Sprint([]int32{5 + 2*unit, 4, 3, 2, 1, 0}, " ")},
		{"narrow ones", []int32{5, 4, 3, 2, 1, 0}, facts{chars: 10, linkChars: 10, links: 3, box: plat.Rect{W: 49}, main: column}, "[5 4 3 2 1 0] "},
		{"ones beside it", []int32{5, 4, 3, 2, 1, 0}, facts{chars: 10, linkChars: 10, links: 3, box: plat.Rect{W: 50}, main: column, off: .2}, "[5 4 3 2 1 0] "},
		{"of the template", []int32{5, 4, 3, 2, 1, 0}, facts{mass: 10, others: 6, template: 6}, fmt.Sprint([]int32{5 - 3*unit/2, 4, 3, 2, 1, 0}, " ")},
	} {
		why := adjust(tc.scores, &tc.f)
		if got := fmt.Sprint(tc.scores, " ", why); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestOtherPagesCountForOrAgainstContent(t *testing.T) {
	const unit = classifier.Unit
	for _, tc := range []struct {
		f    facts
		want int32
		says string
	}{
		{facts{mass: 10}, 0, "on none of 0 other pages"}, {facts{others: 6}, 0, "on none of 6 other pages"}, {facts{others: 6, mass: 10, template: 5}, 0, "mostly on most of 6 other pages"}, {facts{others: 6, mass: 10, template: 6, on: 4}, -3 * unit / 2, "on 4 of 6 other pages"},
		{facts{others: 6, mass: 10, template: 6, chars: 10, linkChars: 5}, -3 * unit / 2, "mostly on most of 6 other pages"}, {facts{others: 6, mass: 10, template: 6, chars: 10, linkChars: 6}, -5 * unit / 2, "mostly on most of 6 other pages"},
		{facts{others: 6, mass: 10, unique: 9}, 0, "on none of 6 other pages"}, {facts{others: 6, mass: 10, unique: 10}, unit / 2, "on none of 6 other pages"}, {facts{others: 6, mass: 10, unique: 10, template: 6}, -3 * unit / 2, "mostly on most of 6 other pages"},
	} {
		if got := tc.f.shared(); got != tc.want || tc.f.onOthers() != tc.says {
			t.Errorf("%s: %d, %s; want %d, %s", said(tc.f), got, tc.f.onOthers(), tc.want, tc.says)
		}
	}
}

func TestARoleIsJudgedAgainstAllOthers(t *testing.T) {
	at := func(odds float64) int32 { return int32(math.Round(math.Log(odds) * classifier.Unit)) }
	for _, tc := range []struct {
		main, banner, ad float64 // odds; of all others next to nothing
		want             part
		probability      float64
	}{
		{60, 40, 1e-9, partMain, .6}, {56, 44, 1e-9, partMain, .56}, {54, 46, 1e-9, partBanner, .46}, {54, 23, 23, partBanner, .23}, {54, 20, 26, partAd, .26}, {1, 1e-9, 3, partAd, .75},
	} {
		scores := make([]int32, parts)
		for i := range scores {
			scores[i] = at(1e-12)
		}
		scores[partMain], scores[partBanner], scores[partAd] = at(tc.main), at(tc.banner), at(tc.ad)
		if got, p := judge(scores); got != tc.want || math.Abs(p-tc.probability) > .01 {
			t.Errorf("%v to %v to %v: %s with %.3f", tc.main, tc.banner, tc.ad, partRoles[got], p)
		}
	}
}

func TestWhatStaysAroundAPageIsNoOverlay(t *testing.T) {
	view := plat.Rect{W: 1000, H: 800}
	dialog := facts{view: view, mass: 10}
	dialog.roles[roleDialog] = 6
	half := facts{view: view, mass: 10}
	half.roles[roleDialog], half.hints[hintOverlay] = 5, 5
	popup := facts{view: view, mass: 10}
	popup.hints[hintOverlay] = 6
	for _, tc := range []struct {
		f           facts
		role        part
		probability float64
		want        bool
	}{
		{facts{}, partNavigation, .6, true}, {facts{}, partNavigation, .59, false}, {facts{}, partSidebar, .6, true}, {facts{}, partFooter, 1, false}, {facts{}, partMain, 1, false}, {dialog, partNavigation, 1, false}, {half, partNavigation, 1, true}, {popup, partNavigation, 1, false},
		{facts{view: view, box: plat.Rect{Y: 160}, links: 2}, partBanner, .6, true}, {facts{view: view, box: plat.Rect{Y: 161}, links: 2}, partBanner, .6, false}, {facts{view: view, box: plat.Rect{Y: 160}, links: 1}, partBanner, .6, false},
	} {
		if got := staysAround(&tc.f, tc.role, tc.probability); got != tc.want {
			t.Errorf("%s as %s, %v: %v", said(tc.f), partRoles[tc.role], tc.probability, got)
		}
	}
}

func TestWordsOfTheFirstLineAnnounceABlock(t *testing.T) {
	d := newDescriber(t, Options{})
	for text, want := range map[string]string{
		"Advertisement": "true false", "Anzeige ": "true false", "Ad: ropes": "false false", "An ad": "false false", "12 comments": "false true", "Leave us a comment": "false true", "Please leave us a comment": "false false", "": "false false", "3 Kommentare": "false true",
		"comments " + strings.Repeat("x", 51): "false true", "comments " + strings.Repeat("x", 52): "false false",
	} {
		var f facts
		d.words("en", nil).announced(&f, text)
		if got := fmt.Sprint(f.adWord, f.commentWord); got != want {
			t.Errorf("%.30q: %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]bool{
		"© 2008": true, "Copyright Ann": true, "Powered by plat": true, "All rights reserved": true, "(C)": true, "copy right": false, "": false, "版权所有": true, "(x) (c)": true, "rights": false,
	} {
		if saysRights(text) != want {
			t.Errorf("%q names an owner: %v", text, !want)
		}
	}
	for text, want := range map[string]bool{
		"Archives": true, " Recent Posts:": true, "Archives of the harbour": false, "archives" + strings.Repeat(" ", 52): true, "archives" + strings.Repeat(" ", 53): false, "": false, "КАТЕГОРИИ": false, "Рубрики": true, "归档": true,
	} {
		if besideTitle(text) != want {
			t.Errorf("%q is a title beside a text: %v", text, !want)
		}
	}
	for text, want := range map[string]bool{
		"Your Comment": true, "reply": true, "": false, "message": false, strings.Repeat("x", 193) + "comment": true, strings.Repeat("x", 194) + "comment": false, "留言": true,
	} {
		if asksForComment(text) != want {
			t.Errorf("%.20q asks for a comment: %v", text, !want)
		}
	}
}
