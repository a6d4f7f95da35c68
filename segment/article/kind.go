package article

import (
	"slices"
	"strings"

	"plat/plat"
	"plat/plat/calendar"
)

// kindOf returns the kind of a page, which decides its text: a product or a forum if it declares so, or has one button
// of a cart, or is mostly comments and no article; an article by [kindModel]; else the kind of most of its
// content. A page with several texts is an article only if it declares so. a is the result if the page is an article.
func (r *Reading) kindOf(a *Article, blocks []plat.Block) plat.PageKind {
	c := contentOf(blocks)
	sight := r.pageSight(r.main, a)
	d := r.declared
	likely := sight.article()
	switch {
	case d.product() || !d.article && r.carts() == 1:
		return plat.KindProduct
	case d.forum || likely < articleFrom && c.comments > .5*c.chars:
		return plat.KindForum
	case likely >= articleFrom && a.Text != "" && (d.article || sight.texts < manyTexts):
		return plat.KindArticle
	case c.linked > mostLinks*c.chars || c.lists > .5*c.chars || sight.texts >= manyTexts:
		return plat.KindList
	}
	return plat.KindReference
}

// byTitle returns 1 for an author and for a day of publication that the page declares or shows near
// its title, and ½ for those found elsewhere.
func (t *text) byTitle(d *declared, a *Article, title int) (author, day float64) {
	if len(a.Authors) > 0 {
		author = .5
	}
	if a.Date != "" && !t.farDay {
		day = .5
	}
	if len(d.authors) > 0 {
		author *= 2
	}
	if d.published != "" || len(d.all(publishedNames)) > 0 || calendar.InPath(t.URL) != "" {
		day *= 2
	}
	const lines = 12
	for i := max(0, title-lines); i <= min(title+lines, len(t.all)-1); i++ {
		q := &t.all[i]
		l, about := readLine(q.text, t.dates())
		if tag := t.tag(q); q.prose() && !about || tag == "td" || tag == "th" {
			continue
		}
		if author == .5 && slices.ContainsFunc(a.Authors, func(name string) bool { return strings.Contains(q.text, name) }) {
			author = 1
		}
		if day == .5 && (t.stamp(q) != "" || about && len(l.dates) > 0 || len(q.text) < calendar.MaxText/2 && dated(q)) {
			day = 1
		}
	}
	return author, day
}

// manyTexts is the number of texts from which no text is the main one.
const manyTexts = 4

// texts counts the elements that a page declares to be texts of their own and that have
// prose; comments are not among them.
func (t *text) texts() (n int) {
	for i := int32(0); i < int32(len(t.at)); i++ {
		if t.Nodes[i].Name != "article" || t.at[i].all&hintComments != 0 {
			continue
		}
		if t.holds(i).prose > 0 {
			n++
		}
		i = t.at[i].end - 1
	}
	return n
}

// articleFrom is the probability from which a page is an article, with any number of comments.
const articleFrom = .6

// mostLinks is the share of links from which a content is a list of other pages.
const mostLinks = .5

// content sums up the content of a page, in characters.
type content struct{ chars, linked, lists, comments float64 }

func contentOf(blocks []plat.Block) (c content) {
	for i := range blocks {
		b := &blocks[i]
		if !ofContent(b) {
			continue
		}
		n := float64(b.TextLen)
		c.chars += n
		c.linked += n * float64(b.LinkShare)
		switch b.Label {
		case plat.LabelList:
			c.lists += n
		case plat.LabelComments:
			c.comments += n
		}
	}
	return c
}

// structured returns the share of the text that is in code, tables of data and definitions. Tables
// that lay out a page contain paragraphs.
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

// carts counts the buttons and links that put something into a cart.
func (t *text) carts() (n int) {
	for i := range t.Nodes {
		e := &t.Nodes[i]
		if e.Kind != plat.ElementNode || !t.at[i].seen || !e.HasBox || e.Box.Empty() {
			continue
		}
		said := ""
		switch e.Name {
		case "button", "a":
			if e.End-int32(i) < wrapper {
				for k := int32(i) + 1; k < min(e.End, int32(len(t.Nodes))); k++ {
					if t.Nodes[k].Kind == plat.TextNode {
						said += t.Nodes[k].Value
					}
				}
			}
		case "input":
			said, _ = e.Attr("value")
		}
		if len(said) < 60 && cartWords[strings.ToLower(squeeze(said))] {
			n++
		}
	}
	return n
}

// cartWords are the labels of shopping cart buttons.
var cartWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range []string{
		"add to cart", "add to basket", "add to bag", "add to shopping cart", "buy now", "in den warenkorb", "in den einkaufswagen", "ajouter au panier",
		"añadir al carrito", "añadir a la cesta", "agregar al carrito", "aggiungi al carrello", "adicionar ao carrinho", "in winkelwagen", "lägg i varukorg",
		"læg i kurv", "legg i handlekurv", "lisää ostoskoriin", "dodaj do koszyka", "в корзину", "добавить в корзину", "加入购物车", "加入購物車", "カートに入れる", "장바구니에 담기", "장바구니",
	} {
		m[w] = true
	}
	return m
}()

// product reports whether the page declares that it is about one product.
func (d *declared) product() bool {
	return d.products == 1 || d.products == 0 && strings.HasPrefix(strings.ToLower(d.first("og:type")), "product")
}

// typed records a schema.org type that the page declares.
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
