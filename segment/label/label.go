package label

import (
	"math"
	"slices"
	"strconv"

	"plat/plat"
	"plat/segment/classifier"
)

// kind is an index of a kind of content.
type kind int

const (
	isText kind = iota
	isHeading
	isList
	isForm
	isMedia
	isTable
	isComments
	isOther
	kinds // how many
)

// kindHolds maps kinds to their names.
var kindHolds = [kinds]plat.Holds{
	isText: plat.HoldsText, isHeading: plat.HoldsHeading, isList: plat.HoldsList, isForm: plat.HoldsForm,
	isMedia: plat.HoldsMedia, isTable: plat.HoldsTable, isComments: plat.HoldsComments, isOther: plat.HoldsOther,
}

// weights holds how strongly a feature counts for (or, negative, against) each kind. The unit is the
// logit: +1 multiplies the kind's odds by e.
type weights [kinds]float64

// feature is one observation about a block.
type feature struct {
	name string // as Explanation gives it
	flag bool   // of those with weights: its value is 0 or 1, and Explanation gives the name alone
	of   func(f *facts) float64
	to   weights
}

// features determine the content of a block: a kind's score is the sum over the features of value ×
// weight. Values are 0 to 1, or −1 to 1.
//
// Weights follow one order: declarations by the author (landmarks) are worth 3, visible properties 1
// to 2 each, so that two or three of these equal or overrule a declaration, and names in the source
// 1.
//
// A model determines the role of a block (content, menu, footer …), from all of these features and
// more; see [roleEvidence].
var features = []feature{
	{name: "in dialog", of: inRole(roleDialog)},
	{name: "named overlay", of: named(hintOverlay)},

	// Landmarks.
	{name: "in nav", of: inRole(roleNavigation)},
	{"in main", false, inRole(roleMain), weights{isText: 1}},
	{"in article", false, inRole(roleArticle), weights{isText: 1}},
	{name: "in aside", of: inRole(roleComplementary)},
	{name: "in header", of: inRole(roleBanner)},
	{name: "in footer", of: inRole(roleContentinfo)},
	{"in form", false, inRole(roleForm), weights{isForm: 2.5}},
	{"in table", false, inRole(roleTable), weights{isTable: 2.5}},
	{"in figure", false, inRole(roleFigure), weights{isMedia: 2}},
	{"headings", false, headings, weights{isHeading: 3}},

	// Text and links.
	{"text", false, amount(500), weights{isText: 2, isHeading: -3, isMedia: -1, isForm: -.5}},
	{"paragraphs", false, func(f *facts) float64 { return share(f.paraChars, f.chars) * amount(150)(f) }, weights{isText: 2}},
	{"links", false, links, weights{isList: 1, isText: -2, isTable: -.5, isForm: -.5}},
	{"menu", false, menu, weights{isText: -.5}},
	{"teasers", false, teasers, weights{isList: 2.5, isText: -.5}},
	{"items", false, items, weights{isList: 1.5}},
	{"large font", false, largeFont, weights{isHeading: 2, isText: .3}},
	{"few words", false, fewWords, weights{isHeading: 1, isText: -1.5, isOther: .3}},

	// Non-text content.
	{"pictures", false, pictures, weights{isMedia: 3, isText: -.5}},
	{"controls", false, controls, weights{isForm: 3.5}},
	{"cells", false, cells, weights{isTable: 2.5}},
	{"head cells", true, func(f *facts) float64 { return is(f.headCells > 1 && f.rows > 1) }, weights{isTable: 2}},

	// Explicit signs of advertisements and comments.
	{name: "ad frame", of: func(f *facts) float64 { return is(f.adFrame()) }},
	{name: "ad size", of: func(f *facts) float64 { return is(adSize(f.box) && f.media+f.frames > 0 && f.chars < 200) }},
	{name: "says ad", of: func(f *facts) float64 { return is(f.saysAd()) }},
	{name: "named ad", of: named(hintAd)},
	{"says comments", true, func(f *facts) float64 { return is(f.commentWord) }, weights{isComments: 3}},
	{"named comments", false, mostly(named(hintComments)), weights{isComments: 6}},

	// Position.
	{name: "top", of: top},
	{name: "masthead", of: masthead},
	{name: "bottom", of: bottom},
	{name: "wide", of: func(f *facts) float64 { return is(f.box.W >= .6*f.page.W) }},
	{name: "side", of: side},
	{"centre", true, centre, weights{isText: .8}},

	// Names.
	{name: "named nav", of: named(hintNavigation)},
	{name: "named sidebar", of: named(hintSidebar)},
	{name: "named header", of: named(hintHeader)},
	{name: "named footer", of: named(hintFooter)},
	{"named article", false, named(hintArticle), weights{isText: 1}},
	{"named form", false, named(hintForm), weights{isForm: .7}},
	{"named media", false, named(hintMedia), weights{isMedia: .7}},

	// Position relative to other blocks.
	{name: "region below", of: func(f *facts) float64 { return is(f.below) }},
	{name: "small region", of: func(f *facts) float64 { return math.Exp(-f.region / .1) }},
	{name: "near end", of: func(f *facts) float64 { return nearness(f.page.H - f.box.Y - f.box.H) }},
	{name: "left", of: func(f *facts) float64 { return is(f.box.X+f.box.W < .4*f.page.W) }},
	{name: "links beyond usual", of: func(f *facts) float64 { return links(f) - f.pageLinks }},
	{name: "long text", of: amount(1500)},
	{name: "long runs", of: longRuns},
	{name: "off column", of: func(f *facts) float64 { return f.off }},
	{name: "narrow, off column", of: func(f *facts) float64 { return f.off * is(f.box.W < .7*f.main.W) }},
	{name: "above main text", of: func(f *facts) float64 { return is(f.box.Y+f.box.H <= f.main.Y+10) }},
	{name: "most text", of: func(f *facts) float64 { return is(f.most) }},
}

// contentFeatures adds, at the end, the features that the model of roles does not use.
var contentFeatures = append(features[:len(features):len(features)],
	feature{"in discussion", true, func(f *facts) float64 { return is(f.discussed) }, weights{isComments: 8}})

// mostly is 0 up to one half, and rises to 1: some comments in a text do not make it one.
func mostly(of func(*facts) float64) func(*facts) float64 {
	return func(f *facts) float64 { return max(0, 2*of(f)-1) }
}

// start is the score before any feature: a block without visible content is "other".
var start = weights{isOther: 1}

// classifying is the shared data for labelling the blocks of a page.
type classifying struct {
	model  *classifier.Model
	g      *gathered
	near   surroundings
	values []float32 // of commentsEvidence, which begins with roleEvidence
	input  classifier.Input
	worth  []int32     // of commentsEvidence
	told   [64]float64 // values of features

	comments classifier.Input

	group []int32   // by block: see alike
	means []verdict // of the groups
}

func (g *gathered) classifying() *classifying {
	return &classifying{model: roleModel(), g: g, near: g.survey(), values: make([]float32, len(commentsEvidence)), worth: make([]int32, len(commentsEvidence))}
}

// label sets the role of block i, its kind of content, its label with the confidence, and the
// deciding features.
func (c *classifying) label(i int, b *plat.Block) {
	s := c.g.scene(i, &c.near)
	if s.f.root || s.f.mass == 0 && !s.f.overlay {
		b.Role, b.Holds = plat.RoleOther, plat.HoldsOther
		b.Label, b.Confidence, b.Explanation = plat.LabelOf(b.Role, b.Holds, 1), 1, "whole page"
		if !s.f.root {
			b.Explanation = "nothing visible"
		}
		return
	}
	var v verdict
	k := c.group[i]
	if k > 0 {
		v = c.means[k]
		c.held(s.f) // for the explanation
	} else {
		v = c.weigh(s)
	}
	role, probability := judge(v.roles[:])
	alone := c.g.alone(i, b)
	if role == partAd {
		alone = ""
	}
	if alone != "" {
		role, probability = partMain, 1
	}
	held, share := best(&v.holds)
	said := v.said >= 0
	if said {
		role, held, share = partMain, isComments, 1
		probability = classifier.Probability(v.said)
	}
	b.Role, b.Holds = partRoles[role], kindHolds[held]
	if s.f.overlay && !staysAround(s.f, role, probability) {
		b.Role = plat.RoleOverlay
	}
	b.Label = plat.LabelOf(b.Role, b.Holds, share)
	switch {
	case b.Role == plat.RoleOverlay:
		b.Confidence, b.Explanation = 1, "over the page"
	case said:
		if k > 0 {
			c.weigh(s)
		}
		b.Confidence, b.Explanation = rounded(probability), c.explainComments(s.f)
	case alone != "":
		b.Confidence, b.Explanation = rounded(share), alone
	case b.Role == plat.RoleContent:
		b.Confidence, b.Explanation = rounded(probability*share), c.explainContent(held)
	case b.Label == plat.LabelForm:
		b.Confidence, b.Explanation = rounded(share), c.explainContent(held)
	case v.why == "":
		if k > 0 {
			c.read(s)
		}
		b.Confidence, b.Explanation = rounded(probability), c.explain(role)
	default:
		b.Confidence, b.Explanation = rounded(probability), v.why
	}
	if by := s.f.shared(); by < 0 && b.Role != plat.RoleContent || by > 0 && b.Role == plat.RoleContent {
		b.Explanation = together(s.f.onOthers(), b.Explanation)
	}
}

// alone says why a block is content whatever it looks like; "" if it may be anything.
func (g *gathered) alone(i int, b *plat.Block) string {
	switch f := &g.facts[i]; {
	case g.foreign:
		return "the document is no HTML" // but a drawing, or data, all of which is shown for its own sake
	case b.Leaf() && f.chars > 0 && f.chars == g.facts[0].chars:
		return "all text of the page"
	}
	return ""
}

// together joins two explanations, or returns the first if both are too long.
func together(a, b string) string {
	if len(a)+len(b)+2 > maxExplanation {
		return a
	}
	return a + ", " + b
}

// staysAround reports whether a block that stays in place is a menu or a header that does not scroll,
// rather than a notice in front of the content.
func staysAround(f *facts, role part, probability float64) bool {
	if probability < .6 || inRole(roleDialog)(f) > .5 || named(hintOverlay)(f) > .5 {
		return false
	}
	return role == partNavigation || role == partSidebar || role == partBanner && f.box.Y <= .2*f.view.H && f.links > 1
}

// telling are the indexes of the features with a weight for a kind of content.
var telling = func() (all []int) {
	for i := range contentFeatures {
		if contentFeatures[i].to != (weights{}) {
			all = append(all, i)
		}
	}
	return all
}()

// held returns the scores of the kinds of content.
func (c *classifying) held(f *facts) weights {
	score := start
	c.told = [len(c.told)]float64{}
	for _, i := range telling {
		v := contentFeatures[i].of(f)
		if v == 0 || v != v { // NaN: from empty boxes
			continue
		}
		c.told[i] = v
		for k, w := range contentFeatures[i].to {
			score[k] += v * w
		}
	}
	return score
}

// best returns the kind with the highest score, and its share of the odds.
func best(score *weights) (best kind, share float64) {
	for k := range kinds {
		if score[k] > score[best] {
			best = k
		}
	}
	sum := 0.0
	for k := range kinds {
		sum += math.Exp(score[k] - score[best])
	}
	return best, 1 / sum
}

// explainContent names the features that contributed most to a kind of content.
func (c *classifying) explainContent(held kind) string {
	return told(len(contentFeatures), func(i int) (string, bool, float64, float64) {
		return contentFeatures[i].name, contentFeatures[i].flag, c.told[i], c.told[i] * contentFeatures[i].to[held]
	})
}

// explain names the features that spoke most for a role, against content.
func (c *classifying) explain(role part) string {
	clear(c.worth)
	c.model.Explain(&c.input, int(role), 1, c.worth)
	c.model.Explain(&c.input, int(partMain), -1, c.worth)
	return told(len(roleEvidence), func(i int) (string, bool, float64, float64) {
		return roleEvidence[i].name, false, float64(c.values[i]), float64(c.worth[i]) / classifier.Unit
	})
}

// rounded is in 1/64, because it is stored with each version.
func rounded(share float64) float32 { return float32(math.Round(64*share) / 64) }

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

// maxExplanation is the longest Explanation, in characters.
const maxExplanation = 40

// told names the n features that contributed most, as many as fit.
func told(n int, of func(i int) (name string, flag bool, value, worth float64)) string {
	b := make([]byte, 0, 2*maxExplanation)
	var done [4]int
	for count := range len(done) {
		// The largest remaining one; ties go to the first.
		next, most := -1, .25
		for i := range n {
			if _, _, _, w := of(i); w > most && !slices.Contains(done[:count], i) {
				next, most = i, w
			}
		}
		if next < 0 {
			break
		}
		done[count] = next
		name, flag, value, _ := of(next)
		size := len(b)
		if size > 0 {
			b = append(b, ", "...)
		}
		b = append(b, name...)
		if !flag {
			b = append(b, ' ')
			b = strconv.AppendFloat(b, value, 'f', 2, 64)
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
