package digest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/plat/excerpt"
)

// Digest lists the items of subscriptions in a period. Pages, mails and feed entries are made
// from it.
type Digest struct {
	ID       string // hash of name and period, the same for every process
	Name     string
	From, To time.Time // times at which items were seen: From inclusive, To exclusive
	Counts   Counts
	Sections int     // subscriptions with items
	Groups   []Group // by name, subscriptions without a group last
}

// Group is the part of a digest about the subscriptions of a group.
type Group struct {
	Name     string // empty for subscriptions without a group
	Counts   Counts
	Sections []Section // by title, then ID
}

// Section is the part of a digest about one subscription.
type Section struct {
	Subscription plat.Subscription
	Title        string // title of the subscription, or else its URL
	Counts       Counts
	Items        []plat.Item // latest first
}

// Counts are numbers of items by kind.
type Counts struct{ New, Changed, Removed, Text int }

// Total returns the number of all items.
func (c Counts) Total() int { return c.New + c.Changed + c.Removed + c.Text }

// String returns a text such as "3 new, 1 changed", or "nothing new".
func (c Counts) String() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{c.New, "new"}, {c.Changed, "changed"}, {c.Removed, "gone"}, {c.Text, "added text"}} {
		if p.n > 0 {
			what := p.what
			if p.n > 1 && what == "added text" {
				what = "added texts"
			}
			parts = append(parts, fmt.Sprintf("%d %s", p.n, what))
		}
	}
	if len(parts) == 0 {
		return "nothing new"
	}
	return strings.Join(parts, ", ")
}

// add counts an item.
func (c *Counts) add(k plat.ItemKind) {
	switch k {
	case plat.ItemChanged:
		c.Changed++
	case plat.ItemRemoved:
		c.Removed++
	case plat.ItemText:
		c.Text++
	default:
		c.New++
	}
}

// New groups the items of the given subscriptions that were seen in a period. It leaves out
// duplicates, and the items of the first check of a page. The result does not depend on the
// order of subs and items.
func New(name string, from, to time.Time, subs []plat.Subscription, items []plat.Item) *Digest {
	d := &Digest{ID: idOf(name, from, to), Name: name, From: from, To: to}
	of := map[string][]plat.Item{}
	known := map[string]bool{}
	for i := range items {
		it := &items[i]
		if it.Kind == plat.ItemPresent || it.Seen.Before(from) || !it.Seen.Before(to) || known[it.ID] {
			continue
		}
		known[it.ID] = true
		of[it.Subscription] = append(of[it.Subscription], *it)
	}
	groups := map[string]*Group{}
	for i := range subs {
		s := Section{Subscription: subs[i], Title: cmp.Or(subs[i].Title, subs[i].URL), Items: of[subs[i].ID]}
		if len(s.Items) == 0 {
			continue
		}
		delete(of, subs[i].ID) // a subscription that is given twice appears once
		slices.SortFunc(s.Items, func(a, b plat.Item) int {
			return cmp.Or(b.When().Compare(a.When()), b.Seen.Compare(a.Seen), cmp.Compare(a.ID, b.ID))
		})
		g := groups[s.Subscription.Group]
		if g == nil {
			g = &Group{Name: s.Subscription.Group}
			groups[g.Name] = g
		}
		for i := range s.Items {
			s.Counts.add(s.Items[i].Kind)
			g.Counts.add(s.Items[i].Kind)
			d.Counts.add(s.Items[i].Kind)
		}
		g.Sections = append(g.Sections, s)
		d.Sections++
	}
	for _, g := range groups {
		slices.SortFunc(g.Sections, func(a, b Section) int {
			return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.Subscription.ID, b.Subscription.ID))
		})
		d.Groups = append(d.Groups, *g)
	}
	slices.SortFunc(d.Groups, func(a, b Group) int {
		if (a.Name == "") != (b.Name == "") {
			return cmp.Compare(b.Name, a.Name) // the empty name is last
		}
		return cmp.Compare(a.Name, b.Name)
	})
	return d
}

// idOf returns an ID of 26 lower-case letters and digits.
func idOf(name string, from, to time.Time) string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %s", from.UnixNano(), to.UnixNano(), name)
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)[:16]))
}

// Title returns the heading of a digest.
func (d *Digest) Title() string {
	pages := "pages"
	if d.Sections == 1 {
		pages = "page"
	}
	title := d.Counts.String()
	if d.Sections > 0 {
		title += fmt.Sprintf(" on %d %s", d.Sections, pages)
	}
	if d.Name != "" {
		title = line(d.Name, maxTitle) + ": " + title
	}
	return title
}

// Lengths of the text of a digest.
const (
	maxTitle   = 200 // characters
	maxExcerpt = 300
	maxItems   = 50 // items of a subscription
)

// Text writes a digest as plain text, times in the location of From and To. Texts of pages
// are one line each, without control characters.
func (d *Digest) Text() string {
	const at = "Mon 2 Jan 2006 15:04"
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s to %s\n", d.Title(), d.From.Format(at), d.To.Format(at+" MST"))
	for _, g := range d.Groups {
		if name := line(g.Name, maxTitle); name != "" {
			fmt.Fprintf(&b, "\n== %s (%s)\n", name, g.Counts)
		} else if len(d.Groups) > 1 {
			fmt.Fprintf(&b, "\n== Others (%s)\n", g.Counts)
		}
		for _, s := range g.Sections {
			fmt.Fprintf(&b, "\n%s (%s)\n%s\n", line(s.Title, maxTitle), s.Counts, line(s.Subscription.URL, 0))
			for i := range s.Items {
				if i == maxItems {
					fmt.Fprintf(&b, "\n… and %d more\n", len(s.Items)-maxItems)
					break
				}
				b.WriteString(itemText(&s.Items[i]))
			}
		}
	}
	return b.String()
}

// itemText returns the title, excerpt and URL of an item, each on its line if not empty.
func itemText(it *plat.Item) string {
	title := line(it.Title, maxTitle)
	more := line(it.Excerpt, maxExcerpt)
	if title == "" {
		title, more = more, ""
	}
	title = cmp.Or(title, line(plat.WithoutUser(it.URL), 0), "Untitled")
	switch it.Kind {
	case plat.ItemChanged:
		title = "Changed: " + title
	case plat.ItemRemoved:
		title = "Gone: " + title
	}
	text := "\n- " + title + "\n"
	for _, s := range []string{more, line(plat.WithoutUser(it.URL), 0)} {
		if s != "" {
			text += "  " + s + "\n"
		}
	}
	return text
}

// line returns a text on one line. most limits its length in characters; 0: no limit.
func line(s string, most int) string {
	s = strings.Join(strings.Fields(excerpt.Printable(s)), " ")
	if most > 0 {
		s = excerpt.Line(s, most)
	}
	return s
}
