package label

import (
	"strings"

	"plat/plat"
)

// role is the nearest ARIA landmark around a node.
type role uint8

const (
	roleNone role = iota
	roleBanner
	roleNavigation
	roleMain
	roleArticle
	roleComplementary
	roleContentinfo
	roleForm
	roleTable
	roleDialog
	roleFigure
	roles // how many
)

var rolesByName = map[string]role{
	"banner": roleBanner, "navigation": roleNavigation, "menu": roleNavigation, "menubar": roleNavigation,
	"main": roleMain, "article": roleArticle, "complementary": roleComplementary, "contentinfo": roleContentinfo,
	"search": roleForm, "form": roleForm, "table": roleTable, "grid": roleTable, "dialog": roleDialog,
	"alertdialog": roleDialog, "figure": roleFigure,
}

// roleOf returns the landmark of element n, or up, the one around it (WAI-ARIA
// 1.2 section 5.3.4; HTML-AAM for the tags).
func roleOf(n *plat.Node, up role) role {
	if r, ok := n.Attr("role"); ok {
		if r, ok := rolesByName[strings.ToLower(strings.TrimSpace(r))]; ok {
			return r
		}
	}
	switch n.Name {
	case "nav", "menu":
		return roleNavigation
	case "main":
		return roleMain
	case "article":
		return roleArticle
	case "aside":
		return roleComplementary
	case "search": // not <form>: some frameworks wrap whole pages in one
		return roleForm
	case "dialog":
		return roleDialog
	case "figure":
		return roleFigure
	case "header", "footer":
		// Inside sectioning content it belongs to that, not to the page.
		if up == roleNone || up == roleForm {
			if n.Name == "header" {
				return roleBanner
			}
			return roleContentinfo
		}
	}
	return up
}

// hint is the purpose suggested by an element's class or id. Names are
// arbitrary, so hints are the weakest evidence.
type hint uint8

const (
	hintAd hint = iota
	hintComments
	hintNavigation
	hintSidebar
	hintHeader
	hintFooter
	hintArticle
	hintOverlay
	hintForm
	hintMedia
	hints // how many
)

type hintSet uint16

func (s hintSet) has(h hint) bool { return s>>h&1 != 0 }

// hintWords are typical parts of names, see [plat.NameWords].
var hintWords = [hints]string{
	hintAd:         "ad ads adv advert adverts advertisement advertising adsense adsbygoogle adslot adunit adbox adspace sponsor sponsors sponsored dfp gpt doubleclick taboola outbrain",
	hintComments:   "comment comments commentlist commentary disqus respond replies discussion",
	hintNavigation: "nav navbar navigation menu menubar submenu breadcrumb breadcrumbs topnav subnav mainnav pagination pager toc tabs",
	hintSidebar:    "sidebar sidebars rail aside widget widgets leftcol rightcol leftcolumn rightcolumn",
	hintHeader:     "header masthead topbar logo branding",
	hintFooter:     "footer foot colophon copyright",
	hintArticle:    "article entry post story maincontent",
	hintOverlay:    "cookie cookies consent gdpr modal popup overlay lightbox",
	hintForm:       "search searchbox searchform login signup signin newsletter subscribe",
	hintMedia:      "gallery carousel slideshow slider video player",
}

func newHints() map[string]hint {
	m := map[string]hint{}
	for h, words := range hintWords {
		for w := range strings.FieldsSeq(words) {
			m[w] = hint(h)
		}
	}
	return m
}

// maxName limits how much of a name is read, in bytes.
const maxName = 512

// hintsOf reads the class and the id of n.
func (d *Describer) hintsOf(n *plat.Node) hintSet {
	var set hintSet
	for i := range n.Attrs {
		if a := &n.Attrs[i]; a.Name == "class" || a.Name == "id" {
			set |= d.hintsIn(a.Value)
		}
	}
	return set
}

// hintsIn returns the hints of one name. Short words inside compound names count too, unlike in
// plat/article: here a hint is one of many weights, there it discards text. Random names, such as
// "ga3c1ad07", do not count.
func (d *Describer) hintsIn(name string) hintSet {
	var set hintSet
	name = name[:min(len(name), maxName)]
	digits := 0
	for i := range len(name) {
		if name[i] >= '0' && name[i] <= '9' {
			digits++
		}
	}
	for w := range plat.NameWords(name) {
		if len(w) < 4 && digits >= 3 {
			continue
		}
		if h, ok := d.hints[w]; ok {
			set |= 1 << h
		}
	}
	return set
}

// adSizes are the display sizes that advertisers book most, width × height in
// px: the IAB's (New Ad Portfolio 2017 and the fixed-size guidelines before it).
var adSizes = [...][2]float32{
	{728, 90}, {970, 90}, {970, 250}, {468, 60}, {234, 60}, {300, 250}, {336, 280}, {250, 250}, {200, 200}, {180, 150},
	{160, 600}, {120, 600}, {300, 600}, {120, 240}, {125, 125}, {240, 400}, {320, 50}, {320, 100}, {300, 50}, {300, 100},
	{970, 66}, {300, 1050},
}

// adSize reports whether a box has one of the sizes, within 2 px.
func adSize(r plat.Rect) bool {
	for _, s := range adSizes {
		if dw, dh := r.W-s[0], r.H-s[1]; dw >= -2 && dw <= 2 && dh >= -2 && dh <= 2 {
			return true
		}
	}
	return false
}

// adHosts are parts of addresses that serve only advertisements.
var adHosts = [...]string{
	"doubleclick.", "googlesyndication.", "googleadservices.", "amazon-adsystem.", "adnxs.", "adservice.", "criteo.",
	"taboola.", "outbrain.", "adform.", "rubiconproject.", "openx.", "pubmatic.",
}

func adHost(url string) bool {
	url = url[:min(len(url), maxName)]
	for _, h := range adHosts {
		if strings.Contains(url, h) {
			return true
		}
	}
	return false
}

// adWords are the labels that pages must put above an advertisement.
var adWords = set(`ad ads advert advertisement advertisements advertising sponsored promoted anzeige anzeigen werbung
publicité publicidad anuncio pubblicità publicidade advertentie реклама annons annonse annonce mainos 广告 廣告 広告 推广`)

// commentWords are usual headings of comments.
var commentWords = set(`comment comments commenting kommentar kommentare commentaire commentaires comentario comentarios
commento commenti comentário comentários reacties kommentarer комментарии комментариев kommentit 评论 評論 留言 コメント 댓글`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}
