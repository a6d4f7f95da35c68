package feed

import (
	"cmp"
	"fmt"
	"html"
	"strings"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/watch/digest"
)

// maxDigest is the length of a digest's HTML in bytes beyond which items are only counted, so
// that several digests fit in a feed.
const maxDigest = 40_000

// digestExtension holds plat's extension fields of a digest in JSON Feed.
type digestExtension struct {
	ID      string `json:"id"`
	From    string `json:"from"`
	To      string `json:"to"`
	New     int    `json:"new"`
	Changed int    `json:"changed"`
	Removed int    `json:"removed"`
	Text    int    `json:"text"`
}

// OfDigest returns the entry of a digest, its title and a list of its items. page is the
// address of its page in plat.
func OfDigest(d *digest.Digest, page string) Entry {
	const at = "2006-01-02T15:04:05Z07:00"
	return Entry{ID: URN("digest", d.ID), Title: plain(d.Title()), Link: page, HTML: digestHTML(d), Published: d.To.UTC(), Updated: d.To.UTC(),
		Extension: digestExtension{d.ID, d.From.UTC().Format(at), d.To.UTC().Format(at), d.Counts.New, d.Counts.Changed, d.Counts.Removed, d.Counts.Text}}
}

// digestHTML lists the items of a digest under their groups and subscriptions.
func digestHTML(d *digest.Digest) string {
	text := func(s string, most int) string { return html.EscapeString(excerpt.Line(words(plain(s)), most)) }
	link := func(address, label string) string {
		if !opens(address) {
			return label
		}
		return `<a href="` + html.EscapeString(excerpt.URL(plat.WithoutUser(address))) + `">` + label + `</a>`
	}
	var b strings.Builder
	shown := 0
	for _, g := range d.Groups {
		if g.Name != "" && b.Len() < maxDigest {
			fmt.Fprintf(&b, "<h2>%s (%s)</h2>", text(g.Name, maxTitle), g.Counts)
		}
		for _, s := range g.Sections {
			if b.Len() >= maxDigest {
				break
			}
			fmt.Fprintf(&b, "<h3>%s (%s)</h3><ul>", link(s.Subscription.URL, text(s.Title, maxTitle)), s.Counts)
			for i := range s.Items {
				if b.Len() >= maxDigest {
					break
				}
				it := &s.Items[i]
				b.WriteString("<li>" + itemWords[it.Kind] + link(it.URL, cmp.Or(text(it.Title, maxTitle), text(it.Excerpt, maxTitle), text(plat.WithoutUser(it.URL), maxTitle), "Untitled")))
				if it.Title != "" && it.Excerpt != "" && it.Kind != plat.ItemRemoved {
					b.WriteString("<br>" + text(it.Excerpt, maxTitle))
				}
				b.WriteString("</li>")
				shown++
			}
			b.WriteString("</ul>")
		}
	}
	if more := d.Counts.Total() - shown; more > 0 {
		fmt.Fprintf(&b, "<p>… and %d more</p>", more)
	}
	if b.Len() == 0 {
		return "<p>Nothing new</p>"
	}
	return b.String()
}
