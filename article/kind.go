package article

import (
	"strings"

	"plat"
)

// kindOf says what kind of page this is, which decides what its text is: a page is an
// article if it tells so, or if somebody has written it at some time and prose is most of
// its content; if not, what it declares, or what most of it is. a is what is found if it is
// an article.
func (t *text) kindOf(d *declared, a *Article, blocks []plat.Block) plat.PageKind {
	c := contentOf(blocks)
	evidence := t.evidence(d, a, &c)
	switch {
	case d.product():
		return plat.KindProduct
	case d.forum || evidence < strong && c.comments > .5*c.chars:
		return plat.KindForum
	case evidence >= enough:
		return plat.KindArticle
	case c.linked > mostLinks*c.chars || c.lists > .5*c.chars:
		return plat.KindList
	}
	return plat.KindReference
}

// enough evidence makes an article, and strong evidence one with any number of comments.
const enough, strong = 2, 3

// evidence adds up what tells an article: what the page declares is worth most, and more
// than both an author and a day, of which many another page has one. Against it stands text
// that is looked up rather than read: code, tables, definitions.
func (t *text) evidence(d *declared, a *Article, c *content) (points float64) {
	if d.article {
		points += 3
	}
	switch author, day := len(a.Authors) > 0, a.Date != ""; {
	case author && day:
		points += 3
	case day:
		points++
	case author:
		points += .5 // manuals name theirs, too
	}
	structured, prose := t.structured(), float64(len(a.Text))/max(1, c.bytes)
	if structured < .1 && prose >= .6 {
		points++
	}
	if structured < .005 && prose >= .8 {
		points++
	}
	if structured >= .2 {
		points--
	}
	return points
}

// mostLinks is the share of links from which a content is a list of other pages.
const mostLinks = .5

// content sums up the content of a page, in characters.
type content struct {
	chars, linked, lists, comments float64
	bytes                          float64 // of the text
}

func contentOf(blocks []plat.Block) (c content) {
	for i := range blocks {
		b := &blocks[i]
		if !ofContent(b) {
			continue
		}
		n := float64(b.TextLen)
		c.chars += n
		c.linked += n * float64(b.LinkShare)
		c.bytes += float64(len(b.Text))
		switch b.Label {
		case plat.LabelList:
			c.lists += n
		case plat.LabelComments:
			c.comments += n
		}
	}
	return c
}

// structured is the share of the text that stands in code, tables of data and definitions.
// Tables that lay out a page hold paragraphs.
func (t *text) structured() float64 {
	in, all := 0, 0
	for i := range t.all {
		q := &t.all[i]
		if !q.seen || t.at[q.first].all&boilerplate != 0 {
			continue
		}
		all += q.chars
		switch tag := t.tag(q); {
		case tag == "pre", tag == "dt", tag == "dd":
			in += q.chars
		case (tag == "td" || tag == "th") && !q.prose():
			in += q.chars
		}
	}
	if all == 0 {
		return 0
	}
	return float64(in) / float64(all)
}

// product reports whether the page declares that it is about one product.
func (d *declared) product() bool {
	return d.products == 1 || d.products == 0 && strings.HasPrefix(strings.ToLower(d.first("og:type")), "product")
}

// typed notes a type of schema.org that the page says of itself.
func (d *declared) typed(name string) {
	name = name[strings.LastIndexAny(name, "/#:")+1:]
	switch {
	case name == "DiscussionForumPosting", name == "QAPage":
		d.forum = true
	case name == "Product", name == "ProductGroup":
		d.products++
	case name == "TechArticle", name == "APIReference", name == "JobPosting":
	case strings.HasSuffix(name, "Article"), strings.HasSuffix(name, "Posting"), name == "Report", name == "Review", name == "Recipe":
		d.articles++
	}
}
