package label

import (
	"math"
	"slices"
	"strconv"

	"plat"
)

// kind is the rank of a label in labels.
type kind int

const (
	isMain kind = iota
	isHeading
	isNavigation
	isList
	isForm
	isMedia
	isTable
	isAd
	isComments
	isSidebar
	isFooter
	isHeader
	isOverlay
	isOther
	kinds // how many
)

var labels = [kinds]plat.Label{
	isMain: plat.LabelMain, isHeading: plat.LabelHeading, isNavigation: plat.LabelNavigation, isList: plat.LabelList,
	isForm: plat.LabelForm, isMedia: plat.LabelMedia, isTable: plat.LabelTable, isAd: plat.LabelAdvertisement,
	isComments: plat.LabelComments, isSidebar: plat.LabelSidebar, isFooter: plat.LabelFooter,
	isHeader: plat.LabelHeader, isOverlay: plat.LabelOverlay, isOther: plat.LabelOther,
}

// weights says how strongly a feature speaks for (or, negative, against) a
// label. The unit is the logit: +1 multiplies the label's odds by e.
type weights [kinds]float64

// feature is one observation about a block.
type feature struct {
	name string // as Explanation gives it
	flag bool   // its value is 0 or 1: Explanation gives the name alone
	of   func(f *facts) float64
	to   weights
}

// features is the method: a block's score for a label is the sum over the
// features of value × weight. The label is the best one of the likelier side
// (see below); Confidence is its share in the soft-max of all scores. Values
// are 0 to 1, or −1 to 1.
//
// Manual weights follow one order: declarations by the author (landmarks) are
// worth 3, visible properties (shares of links, text, pictures; position; size)
// 1 to 2 each, so that two or three of these equal or overrule a declaration,
// and names in the source 1.
//
// These weights distinguish labels within one side. The most important
// question, whether a block is content or boilerplate, is decided by all
// features together with weights fitted to human annotations ([around]), which
// add to the scores of one side and subtract from the other.
var features = []feature{
	// An overlay is labelled as such regardless of its content.
	{"over the page", true, func(f *facts) float64 { return is(f.overlay) }, weights{isOverlay: 9}},
	{"in dialog", false, inRole(roleDialog), weights{isOverlay: 3}},
	{"named overlay", false, named(hintOverlay), weights{isOverlay: 1}},

	// Landmarks.
	{"in nav", false, inRole(roleNavigation), weights{isNavigation: 3}},
	{"in main", false, inRole(roleMain), weights{isMain: 1, isFooter: -1.5, isHeader: -1.5, isSidebar: -1}},
	{"in article", false, inRole(roleArticle), weights{isMain: 1, isFooter: -1.5, isHeader: -1.5, isSidebar: -.5}},
	{"in aside", false, inRole(roleComplementary), weights{isSidebar: 3, isMain: -1}},
	{"in header", false, inRole(roleBanner), weights{isHeader: 3, isMain: -1, isFooter: -1}},
	{"in footer", false, inRole(roleContentinfo), weights{isFooter: 3.5, isMain: -1.5, isHeader: -1}},
	{"in form", false, inRole(roleForm), weights{isForm: 2.5}},
	{"in table", false, inRole(roleTable), weights{isTable: 2.5}},
	{"in figure", false, inRole(roleFigure), weights{isMedia: 2}},
	{"headings", false, headings, weights{isHeading: 3}},

	// Text and links.
	{"text", false, amount(500), weights{isMain: 2, isHeading: -3, isHeader: -1, isMedia: -1, isForm: -.5}},
	{"paragraphs", false, func(f *facts) float64 { return share(f.paraChars, f.chars) * amount(150)(f) },
		weights{isMain: 2, isNavigation: -1, isHeader: -1}},
	{"links", false, links, weights{isNavigation: 1.5, isList: 1, isMain: -2, isTable: -.5, isForm: -.5}},
	{"menu", false, menu, weights{isNavigation: 2, isFooter: .3, isMain: -.5}},
	{"teasers", false, teasers, weights{isList: 2.5, isMain: -.5}},
	{"items", false, items, weights{isList: 1.5, isNavigation: .5}},
	{"large font", false, largeFont, weights{isHeading: 2, isMain: .3}},
	{"few words", false, fewWords, weights{isHeading: 1, isMain: -1.5, isOther: .3}},

	// Non-text content.
	{"pictures", false, pictures, weights{isMedia: 3, isMain: -.5}},
	{"controls", false, controls, weights{isForm: 3.5}},
	{"cells", false, cells, weights{isTable: 2.5}},
	{"head cells", true, func(f *facts) float64 { return is(f.headCells > 1 && f.rows > 1) }, weights{isTable: 2}},

	// Explicit signs of advertisements and comments.
	{"ad frame", true, func(f *facts) float64 { return is(f.adFrames > 0 && f.chars < 200) }, weights{isAd: 3.5}},
	{"ad size", true, func(f *facts) float64 { return is(adSize(f.box) && f.media+f.frames > 0 && f.chars < 200) },
		weights{isAd: 1.5}},
	{"says ad", true, func(f *facts) float64 { return is(f.adWord && f.chars < 1200) }, weights{isAd: 3}},
	{"named ad", false, named(hintAd), weights{isAd: 3}},
	{"says comments", true, func(f *facts) float64 { return is(f.commentWord) }, weights{isComments: 2}},
	{"named comments", false, named(hintComments), weights{isComments: 3}},

	// Position.
	{"top", true, top, weights{isHeader: 1.5, isNavigation: .5, isFooter: -2, isMain: -1}},
	{"masthead", true, masthead, weights{isHeader: 2, isNavigation: -.5}},
	{"bottom", true, bottom, weights{isFooter: 2.5, isHeader: -2, isMain: -1}},
	{"wide", true, func(f *facts) float64 { return is(f.box.W >= .6*f.page.W) },
		weights{isHeader: .5, isFooter: .5, isSidebar: -1.5}},
	{"side", true, side, weights{isSidebar: 2, isMain: -1, isHeader: -.5}},
	{"centre", true, centre, weights{isMain: .8, isSidebar: -1}},

	// Names.
	{"named nav", false, named(hintNavigation), weights{isNavigation: 1}},
	{"named sidebar", false, named(hintSidebar), weights{isSidebar: 1}},
	{"named header", false, named(hintHeader), weights{isHeader: 1.5}},
	{"named footer", false, named(hintFooter), weights{isFooter: 1.5}},
	{"named article", false, named(hintArticle), weights{isMain: 1}},
	{"named form", false, named(hintForm), weights{isForm: .7}},
	{"named media", false, named(hintMedia), weights{isMedia: .7}},

	// Position relative to other blocks: only for the sides.
	{"any block", true, func(*facts) float64 { return 1 }, weights{}},
	{"region below", true, func(f *facts) float64 { return is(f.below) }, weights{}},
	{"small region", false, func(f *facts) float64 { return math.Exp(-f.region / .1) }, weights{}},
	{"near end", false, func(f *facts) float64 { return nearness(f.page.H - f.box.Y - f.box.H) }, weights{}},
	{"left", true, func(f *facts) float64 { return is(f.box.X+f.box.W < .4*f.page.W) }, weights{}},
	{"links beyond usual", false, func(f *facts) float64 { return links(f) - f.pageLinks }, weights{}},
	{"long text", false, amount(1500), weights{}},
	{"long runs", false, longRuns, weights{}},
	{"off column", false, func(f *facts) float64 { return f.off }, weights{}},
	{"narrow, off column", false, func(f *facts) float64 { return f.off * is(f.box.W < .7*f.main.W) }, weights{}},
	{"above main text", true, func(f *facts) float64 { return is(f.box.Y+f.box.H <= f.main.Y+10) }, weights{}},
	{"most text", true, func(f *facts) float64 { return is(f.most) }, weights{}},
}

// start is the score before any feature: a block without visible content is
// "other".
var start = weights{isOther: 1}

// classify returns the label, its confidence and the deciding features.
func classify(f *facts) (plat.Label, float32, string) {
	switch {
	case f.root:
		return plat.LabelOther, 1, "whole page"
	case f.mass == 0 && !f.overlay:
		return plat.LabelOther, 1, "nothing visible"
	}
	var values [64]float64
	score := start
	outside := 0.0
	for i := range features {
		v := features[i].of(f)
		if v == 0 || v != v { // NaN: from empty boxes
			continue
		}
		values[i] = v
		outside += v * around[i]
		for k, w := range features[i].to {
			score[k] += v * w
		}
	}
	for k := range kinds {
		score[k] += sign(k) * outside
	}
	// First choose the side by the sum over its labels, then the label.
	most := slices.Max(score[:])
	var sides [2]float64
	for k := range kinds {
		sides[sideOf(k)] += math.Exp(score[k] - most)
	}
	on := 0
	if sides[1] > sides[0] {
		on = 1
	}
	best, sum := kind(-1), sides[0]+sides[1]
	for k := range kinds {
		if sideOf(k) == on && (best < 0 || score[k] > score[best]) {
			best = k
		}
	}
	sum /= math.Exp(score[best] - most)
	// Three digits, because it is stored with each version.
	return labels[best], float32(math.Round(1000/sum) / 1000), explain(best, values[:len(features)])
}

// around holds the fitted weight of each feature for boilerplate against
// content.
var around = func() []float64 {
	w := make([]float64, len(features))
	for i := range features {
		w[i] = aroundWeights[features[i].name]
	}
	return w
}()

// sideOf is 1 for boilerplate labels, 0 for the others.
func sideOf(k kind) int {
	if Boilerplate(labels[k]) {
		return 1
	}
	return 0
}

// sign is + ½ for boilerplate labels, − ½ for the others.
func sign(k kind) float64 { return float64(sideOf(k)) - .5 }

// Boilerplate reports whether a label denotes content that repeats on all pages
// of a site: menus, header, footer, sidebar, forms, advertisements, overlays.
func Boilerplate(l plat.Label) bool {
	switch l {
	case plat.LabelNavigation, plat.LabelHeader, plat.LabelFooter, plat.LabelSidebar,
		plat.LabelAdvertisement, plat.LabelOverlay, plat.LabelForm:
		return true
	}
	return false
}

// constant is the feature that all blocks have, so it explains nothing.
var constant = slices.IndexFunc(features, func(f feature) bool { return f.name == "any block" })

// maxExplanation is the longest Explanation, in characters.
const maxExplanation = 40

// explain names the features that contributed most to a label, as many as fit.
func explain(k kind, values []float64) string {
	b := make([]byte, 0, 2*maxExplanation)
	var told uint64 // bit i: feature i is in b
	for {
		// The largest remaining one; ties go to the first in the table.
		next, most := -1, .25
		for i, v := range values {
			if c := v * (features[i].to[k] + sign(k)*around[i]); i != constant && told>>i&1 == 0 && c > most {
				next, most = i, c
			}
		}
		if next < 0 {
			break
		}
		told |= 1 << next
		f := &features[next]
		size := len(b)
		if size > 0 {
			b = append(b, ", "...)
		}
		b = append(b, f.name...)
		if !f.flag {
			b = append(b, ' ')
			b = strconv.AppendFloat(b, values[next], 'f', 2, 64)
		}
		if len(b) > maxExplanation {
			return string(b[:size])
		}
	}
	if len(b) == 0 {
		return "nothing stands out"
	}
	return string(b)
}

// look sets the facts of block i that are not sums over its nodes.
func (g *gathered) look(i int, w *words) {
	f, b := &g.facts[i], &g.page.Blocks[i]
	f.overlay = g.overlays[i]
	f.root = b.Rule == plat.RuleRoot && b.Parent < 0
	f.box = b.Box
	f.page = plat.Rect{W: g.snap.Width, H: g.height}
	f.view = g.snap.Viewport
	if f.page.W <= 0 {
		f.page.W = f.view.W
	}
	f.bodySize = g.bodySize
	if f.endRun > f.firstRun {
		w.announced(f, g.runs[f.firstRun].text)
	}
}

// announced searches the first line of a block for the words that introduce
// advertisements and comments.
func (w *words) announced(f *facts, text string) {
	if len(text) > 60 {
		return
	}
	n := 0
	only := false
	w.each(text, func(word string, s script) bool {
		n++
		var buf [maxStop]byte
		if key, ok := lowerInto(buf[:], word); ok {
			f.commentWord = f.commentWord || commentWords[string(key)]
			only = n == 1 && adWords[string(key)]
		}
		return n < 4
	})
	f.adWord = only
}

func is(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func share(part, whole int32) float64 {
	if whole <= 0 {
		return 0
	}
	return min(float64(part)/float64(whole), 1)
}

func inRole(r role) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.roles[r], f.mass) }
}

func named(h hint) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.hints[h], f.mass) }
}

// amount is the share of a number of characters that the text reaches, at most
// 1.
func amount(full int32) func(*facts) float64 {
	return func(f *facts) float64 { return share(f.chars, full) }
}

func links(f *facts) float64 { return share(f.linkChars, f.chars) }

// menu: three or more links, most of them short, little else.
func menu(f *facts) float64 {
	if f.links < 3 {
		return 0
	}
	return share(f.shortLinks, f.links) * links(f)
}

// teasers: three or more links as long as titles.
func teasers(f *facts) float64 {
	long := f.links - f.shortLinks
	if long < 3 {
		return 0
	}
	return share(long, f.links) * max(links(f), .5)
}

// items: parts of a repetition; eight count full.
func items(f *facts) float64 {
	if f.items < 3 {
		return 0
	}
	return share(f.items, 8)
}

// headings: the share of a short text inside heading elements.
func headings(f *facts) float64 {
	if f.chars > 200 || f.links > 2 {
		return 0
	}
	return share(f.headChars, f.chars)
}

// largeFont: a short text in twice the page's usual font size counts full.
func largeFont(f *facts) float64 {
	if f.bodySize <= 0 || f.chars > 200 || f.chars == 0 {
		return 0
	}
	return max(0, min(float64(f.maxSize/f.bodySize)-1, 1))
}

// fewWords: falls from 1 without text to 0 at 120 characters.
func fewWords(f *facts) float64 { return max(0, 1-float64(f.chars)/120) }

// pictures: the share of the box that they cover, less if there is text too.
func pictures(f *facts) float64 {
	area := f.box.Area()
	if area <= 0 || f.media+f.frames == 0 {
		return 0
	}
	return min(f.mediaArea/area, 1) * math.Exp(-float64(f.chars)/300)
}

// controls: their share of the content; fields count double.
func controls(f *facts) float64 {
	if f.fields == 0 && f.controls < 2 {
		return 0
	}
	n := float64(f.controls + f.fields)
	return n * mediaMass / (n*mediaMass + float64(f.chars))
}

// cells: a grid of small texts is data, one of large texts is a layout table.
func cells(f *facts) float64 {
	if f.rows < 2 || f.cells < 6 || f.cells < 2*f.rows {
		return 0
	}
	per := float64(f.chars) / float64(f.cells)
	return max(0, 1-per/80) * (1 - links(f)*.5) * is(f.mass < 2*f.chars)
}

// top: begins in the first quarter of the first screen and ends in its upper
// half.
func top(f *facts) float64 {
	return is(!f.box.Empty() && f.box.Y <= .25*f.view.H && f.box.Y+f.box.H <= .5*f.view.H)
}

// bottom: begins in the last eighth of the page, or ends the page without being
// tall; only on pages longer than one screen.
func bottom(f *facts) float64 {
	end := f.box.Y + f.box.H
	return is(!f.box.Empty() && f.page.H > f.view.H &&
		(f.box.Y >= .9*f.page.H || end >= .97*f.page.H && f.box.H <= .6*f.view.H && f.box.Y >= .6*f.page.H))
}

// masthead: begins at the very top, spans most of the width and is taller than
// a bar of links.
func masthead(f *facts) float64 {
	return is(top(f) == 1 && f.box.Y <= 60 && f.box.W >= .6*f.page.W && f.box.H >= 60)
}

// side: a narrow, tall box in the left or right third, not at the top. A low
// box is part of a column, not the column.
func side(f *facts) float64 {
	if f.box.Empty() || f.page.W <= 0 || f.box.W > .36*f.page.W || f.box.H < 350 {
		return 0
	}
	middle := (f.box.X + f.box.W/2) / f.page.W
	return is((middle < .3 || middle > .7) && top(f) == 0)
}

// centre: at least 40 % of the page wide, across its middle.
func centre(f *facts) float64 {
	m := f.page.W / 2
	return is(f.box.W >= .4*f.page.W && f.box.X <= m && f.box.X+f.box.W >= m && top(f) == 0 && bottom(f) == 0)
}
