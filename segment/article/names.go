package article

import (
	"strings"

	"plat/plat"
)

// hints are the roles suggested by an element's tag, role, class and id. Names
// are arbitrary; trust.go decides which to use.
type hints uint32

const (
	hintNavigation hints = 1 << iota
	hintComments
	hintShare
	hintRelated
	hintAd
	hintSubscribe
	hintByline
	hintCaption
	hintFooter
	hintAside
	hintHeader
	hintForm
	hintOverlay
	hintUnread // for screen readers or printers
	hintTags
	hintSummary // from here on not boilerplate
	hintAuthor
	hintDate
	hintBody // the text itself
)

// boilerplate surrounds a text without being part of it.
const (
	lastBoilerplate = hintTags
	boilerplate     = lastBoilerplate<<1 - 1
)

// hintWords are typical parts of names, see [plat.NameWords]. They are those
// used by readability, trafilatura and similar tools.
var hintWords = map[hints]string{
	hintNavigation: "nav navbar navigation menu menubar submenu breadcrumb breadcrumbs pagination pager paging toolbar topbar sitemap",
	hintComments:   "comment comments commentlist commentform comlist disqus respond replies reply discussion livefyre kommentar kommentare guestbook remark",
	hintShare:      "share shares sharing sharebar sharebox sharedaddy shareaholic sharethis social socials addthis addtoany socialmedia follow likes tweetmeme",
	hintRelated:    "related recommended recommendation recommendations recommend trending popular mostread mostpopular outbrain taboola teasers teaserlist promo promos promotion upnext latest readmore morestories crosslinks",
	hintAd:         "ad ads adv advert adverts advertisement advertisements advertising adsense adsbygoogle adslot adunit adbox adspace adcontainer adwrapper sponsor sponsors dfp gpt doubleclick anzeige anzeigen werbung publicity publicidad affiliate",
	hintSubscribe:  "newsletter newsletters subscribe subscription signup signin login register registration abo optin mailchimp donate donation cta",
	hintByline:     "byline bylines dateline timestamp postmeta postinfo entrymeta authorbox authorinfo bio biography pubdate publishdate readtime",
	hintCaption:    "caption captions figcaption credit credits imagecredit copyright photocredit bildunterschrift bildnachweis imagecaption attribution gallery slideshow carousel slider lightbox",
	hintFooter:     "footer foot colophon disclaimer imprint impressum legal",
	hintAside:      "sidebar sidebars aside widget widgets rail marginal marginalspalte rightcol leftcol",
	hintHeader:     "masthead branding banner logo",
	hintForm:       "search searchform searchbox poll survey voting rating ratings",
	hintOverlay:    "cookie cookies consent gdpr modal popup popover overlay tooltip rollover hovercard",
	hintUnread:     "visuallyhidden",
	hintTags:       "tags taglist tagcloud keywords categories postcategories entrytags topics",
	hintSummary:    "dek subline standfirst abstract summary subtitle excerpt subhead subheading subheadline deck",
	hintAuthor:     "author authors autor autoren autorin auteur byline writer creator redakteur verfasser contributor",
	hintDate:       "date datum dateline published pubdate publishdate publish time timestamp posted datetime fecha",
	hintBody:       "articlebody articletext articlecontent entrycontent postcontent postbody storybody storytext bodytext maintext fulltext textbody",
}

// hintPairs are two-word names with a specific meaning.
var hintPairs = map[string]hints{
	"article body": hintBody, "article text": hintBody, "article content": hintBody, "entry content": hintBody, "post content": hintBody,
	"post body": hintBody, "story body": hintBody, "story text": hintBody, "body text": hintBody, "body content": hintBody, "text content": hintBody, "main text": hintBody,
	"sr only": hintUnread, "screen reader": hintUnread, "visually hidden": hintUnread, "print only": hintUnread,
	"post meta": hintByline, "entry meta": hintByline, "article meta": hintByline, "meta info": hintByline, "author box": hintByline, "author info": hintByline,
	"author bio": hintByline, "about author": hintByline, "posted on": hintByline, "publish date": hintByline, "post info": hintByline, "read time": hintByline, "reading time": hintByline,
	"author name": hintByline, "article info": hintByline,
	"most read": hintRelated, "most popular": hintRelated, "read more": hintRelated, "read also": hintRelated, "see also": hintRelated, "more stories": hintRelated, "also like": hintRelated,
	"next prev": hintRelated, "prev next": hintRelated, "previous next": hintRelated, "post navigation": hintNavigation,
	"more on": hintRelated, "more from": hintRelated, "up next": hintRelated,
	"table contents": hintNavigation, "skip link": hintNavigation, "right rail": hintAside, "left rail": hintAside, "right col": hintAside,
}

// longestPart is the maximum length of words that are only matched as a whole.
const longestPart = 6

// hintParts are stems that match anywhere in a long word, as in
// "relatedarticles" and "wpnewsletterbox".
var hintParts = []struct {
	part string
	hint hints
}{
	{"comment", hintComments}, {"newsletter", hintSubscribe}, {"sidebar", hintAside}, {"breadcrumb", hintNavigation}, {"advert", hintAd},
	{"sponsor", hintAd}, {"related", hintRelated}, {"recommend", hintRelated}, {"caption", hintCaption}, {"copyright", hintCaption}, {"byline", hintByline}, {"shar", hintShare},
	{"paginat", hintNavigation}, {"cookie", hintOverlay}, {"footer", hintFooter}, {"articlebody", hintBody}, {"social", hintShare}, {"subscri", hintSubscribe},
}

// tagHints and roleHints are the semantics defined by HTML (section 4.3) and
// WAI-ARIA 1.2 (section 5.3.4).
var tagHints = map[string]hints{
	"nav": hintNavigation, "menu": hintNavigation, "aside": hintAside, "footer": hintFooter, "figcaption": hintCaption, "figure": hintCaption,
	"form": hintForm, "fieldset": hintForm, "address": hintByline, "dialog": hintOverlay, "header": hintHeader, "time": hintDate, "caption": hintCaption,
}

var roleHints = map[string]hints{
	"navigation": hintNavigation, "menu": hintNavigation, "menubar": hintNavigation, "banner": hintHeader, "complementary": hintAside,
	"contentinfo": hintFooter, "search": hintForm, "form": hintForm, "dialog": hintOverlay, "alertdialog": hintOverlay, "tooltip": hintOverlay,
}

// wordHints is hintWords inverted.
var wordHints = func() map[string]hints {
	m := map[string]hints{}
	for h, words := range hintWords {
		for w := range strings.FieldsSeq(words) {
			m[w] |= h
		}
	}
	return m
}()

// maxName limits how much of a name is read, in bytes.
const maxName = 512

// reader parses names, each distinct one once. A wary one ignores classes and ids
// of boilerplate, except for kinds that may be longer than the text.
type reader struct {
	known map[string]hints
	wary  bool
}

// hintsOf returns the hints of element n.
func (r *reader) hintsOf(n *plat.Node) hints {
	set := tagHints[n.Name]
	for i := range n.Attrs {
		switch a := &n.Attrs[i]; a.Name {
		case "class", "id":
			h, ok := r.known[a.Value]
			if !ok {
				h = nameHints(a.Value)
				if r.wary {
					h &^= boilerplate &^ long
				}
				r.known[a.Value] = h
			}
			set |= h
		case "role":
			set |= roleHints[a.Value]
		case "itemprop", "property":
			switch a.Value[strings.LastIndexByte(a.Value, ':')+1:] {
			case "articleBody", "text":
				if a.Name == "itemprop" {
					set |= hintBody
				}
			case "author", "creator":
				set |= hintAuthor
			case "datePublished", "dateCreated", "dateModified", "issued", "created", "date":
				set |= hintDate
			}
		case "rel":
			if a.Value == "author" {
				set |= hintAuthor
			}
		case "aria-hidden":
			if a.Value == "true" && n.Name != "body" && n.Name != "html" {
				set |= hintUnread
			}
		}
	}
	return set
}

// nameHints returns the hints of a class or id.
func nameHints(name string) hints {
	var set hints
	last := ""
	name = name[:min(len(name), maxName)]
	if strings.Contains(name, "tag-") || strings.Contains(name, "category-") {
		name = withoutTopics(name)
	}
	for w, whole := range plat.NameWords(name) {
		switch {
		case len(w) <= 3 && !whole: // fragments of generated names such as "hJpAdRP", split at camel case
		case last == "with" || last == "has" || last == "no" || last == "without" || last == "one":
			// "content-with-sidebar" is not a sidebar.
		default:
			set |= wordHints[w] | hintPairs[last+" "+w]
			if len(w) <= longestPart {
				break
			}
			for _, p := range hintParts {
				if strings.Contains(w, p.part) {
					set |= p.hint
				}
			}
		}
		last = w
	}
	return set
}

// withoutTopics drops names that state a text's topic, as WordPress puts them
// on every post: "category-advertising tag-social-media".
func withoutTopics(name string) string {
	var kept []string
	for w := range strings.FieldsSeq(name) {
		if !strings.HasPrefix(w, "tag-") && !strings.HasPrefix(w, "category-") {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
