package label

import (
	_ "embed"
	"math"
	"slices"
	"strconv"
	"sync"

	"plat/plat"
	"plat/segment/classifier"
)

// part is an index of a role.
type part int

const (
	partMain part = iota
	partNavigation
	partBanner
	partFooter
	partSidebar
	partAd
	parts // how many
)

// partRoles are the names of the parts.
var partRoles = [parts]plat.Role{
	partMain: plat.RoleContent, partNavigation: plat.RoleNavigation, partBanner: plat.RoleBanner, partFooter: plat.RoleFooter,
	partSidebar: plat.RoleSidebar, partAd: plat.RoleAdvertisement,
}

// roleModel determines the role of a block, by [roleEvidence]. It is fitted to annotated pages:
// scripts/eval-segment -fit -write.
//
//go:embed role.model
var roleBytes []byte

var roleModel = sync.OnceValue(func() *classifier.Model { return classifier.MustDecode(roleBytes) })

// adjust adds to the scores evidence that is too rare on the annotated pages to be learned. It
// returns the features that decided, "" if the model did.
func adjust(scores []int32, f *facts) string {
	scores[partMain] += f.shared()
	if f.areas > 0 && f.links == 0 {
		scores[partNavigation] = math.MinInt16 // a field for a text is no menu
	}
	lift := func(k part) { scores[k] = max(scores[k], slices.Max(scores)+classifier.Unit) }
	if signs, why := adSigns(f); signs >= 3 {
		lift(partAd)
		return why
	}
	if scores[partFooter] > scores[partMain] || scores[partBanner] > scores[partMain] {
		return "" // a column may reach down into the footer
	}
	if aside := inRole(roleComplementary)(f); f.beside && aside > .5 {
		lift(partSidebar)
		return "beside the text, in aside " + strconv.FormatFloat(aside, 'f', 2, 64)
	}
	// Titles in the column of the text announce texts: they are not a menu.
	if teasers(f) > .7 && f.off < .2 && 2*f.box.W >= f.main.W {
		scores[partMain] += titlesInColumn
	}
	// The column beside a text that has "Archives" and "Recent posts" is not a menu.
	if f.columnTitles >= 2 {
		lift(partSidebar)
		return "titles of a sidebar " + strconv.Itoa(int(f.columnTitles))
	}
	return ""
}

// titlesInColumn is the score for content of titles in the column of the text. Values from 0 to four
// times Unit are the same to within 0.001 of F on annotated pages that the model was not fitted to,
// which seldom have such lists.
const titlesInColumn = 2 * classifier.Unit

// adSigns sums the signs of an advertisement; 3 are enough.
func adSigns(f *facts) (signs float64, why string) {
	if f.adFrame() {
		signs, why = 3.5, "ad frame"
	}
	if f.saysAd() {
		signs, why = signs+3, "says ad"
	}
	if named := named(hintAd)(f); named > .25 {
		signs += 3 * named
		if why == "" {
			why = "named ad " + strconv.FormatFloat(named, 'f', 2, 64)
		}
	}
	return signs, why
}

// adFrame: a frame of an advertiser with little beside it.
func (f *facts) adFrame() bool { return f.adFrames > 0 && f.chars < 200 }

// saysAd: it begins with the word, and is not an article about it.
func (f *facts) saysAd() bool { return f.adWord && f.chars < 1200 }

// judge decides on a role: first between content and its surroundings, by the sum of all other roles,
// then between those. It returns the role's share of the odds.
func judge(scores []int32) (best part, probability float64) {
	most := slices.Max(scores)
	var odds [parts]float64
	sum := 0.0
	for k, s := range scores {
		odds[k] = math.Exp(float64(s-most) / classifier.Unit)
		sum += odds[k]
	}
	if odds[partMain] >= sum*mainFrom {
		return partMain, odds[partMain] / sum
	}
	best = partNavigation
	for k := partNavigation; k < parts; k++ {
		if scores[k] > scores[best] {
			best = k
		}
	}
	return best, odds[best] / sum
}

// mainFrom is the probability from which a block counts as content. Content has most of
// the characters, so it is a little more than one half that gives the best F of both.
const mainFrom = .55
