package watchweb

import (
	"context"
	"net/http"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/watch/digest"
	"plat/web/api"
	"plat/web/layout"
)

// periods are short for times of a digest.
var periods = map[string]string{"": "daily 07:00", "daily": "daily 07:00", "weekly": "weekly mon 07:00"}

// timesOf reads the times of a digest; text is the parameter, with abbreviations expanded.
func timesOf(p *api.Params) (t digest.Times, text string) {
	text = p.Text("period", maxText)
	if full, ok := periods[strings.ToLower(text)]; ok {
		text = full
	}
	t, err := digest.Parse(text)
	if err != nil {
		p.Fail("period: %s", err)
	}
	return t, text
}

// digestOf collects the items of a period; more reports that there were too many, and the
// earliest are left out.
func (s *Server) digestOf(ctx context.Context, name string, sel *selection, from, to time.Time) (d *digest.Digest, more bool, err error) {
	subs, items, err := s.found(ctx, sel, from, to)
	if err != nil {
		return nil, false, err
	}
	return digest.New(name, from, to, subs, items), len(items) == storage.MaxItems, nil
}

// found returns the items of a period and their subscriptions.
func (s *Server) found(ctx context.Context, sel *selection, from, to time.Time) (subs []plat.Subscription, items []plat.Item, err error) {
	of := map[string]bool{}
	var ids []string
	for it, err := range s.Store.Items(ctx, storage.ItemQuery{Of: sel.Which, Since: from, Until: to, Limit: storage.MaxItems}) {
		if err != nil {
			return nil, nil, err
		}
		items = append(items, *it)
		if !of[it.Subscription] {
			of[it.Subscription] = true
			ids = append(ids, it.Subscription)
		}
	}
	if len(ids) == 0 {
		return nil, nil, nil
	}
	which := storage.Which{IDs: ids}
	if len(ids) > mostNamed {
		which = sel.Which
	}
	for sub, err := range s.Store.Subscriptions(ctx, which) {
		if err != nil {
			return nil, nil, err
		}
		subs = append(subs, sub.Subscription)
	}
	return subs, items, nil
}

// section is the part of a digest about one subscription, as it is shown.
type section struct {
	ID, Name string
	Counts   digest.Counts
	Items    []entry
	More     int
}

// part is the part of a digest about a group.
type part struct {
	Name     string
	Counts   digest.Counts
	Sections []section
}

// Limits of the page of a digest.
const (
	shownOfOne = 50    // items of a subscription
	shownInAll = 1_000 // items of all
)

// showDigest shows the items of the last period, or of the one that ended before a time.
func (s *Server) showDigest(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	times, period := timesOf(p)
	sel, at := selectionOf(p), p.Moment("at")
	if p.Err != nil {
		return p.Err
	}
	if at.IsZero() {
		at = time.Now()
	}
	if sel.id != "" {
		if _, err := s.subscriptions(r.Context(), &selection{storage.Which{IDs: sel.IDs}, sel.id}); err != nil {
			return err
		}
	}
	from, to := times.Period(at.UTC(), time.UTC)
	d, more, err := s.digestOf(r.Context(), sel.digestName(period), &sel, from, to)
	if err != nil {
		return err
	}
	data := struct {
		layout.Page
		Period   string
		Periods  []string
		Sel      map[string]string
		D        *digest.Digest
		SoFar    []entry // unread, since the end of the last digest
		SoMore   bool
		Unread   string // all of them
		From, To time.Time
		More     bool
		Parts    []part
		Feeds    []layout.Feed
		Pager    layout.Pager
	}{Page: s.page(d.Title()), Period: period, Periods: []string{"hourly", "daily 07:00", "weekly mon 07:00"}, Sel: map[string]string{"id": sel.id, "tag": sel.Tag, "group": sel.Group},
		D: d, From: from, To: to, More: more, Parts: partsOf(d)}
	if p.Query.Get("at") == "" {
		found, next, err := s.items(r.Context(), storage.ItemQuery{Of: sel.Which, Since: to, Limit: itemsPerPage}, true)
		if err != nil {
			return err
		}
		if data.SoFar, err = s.entries(r.Context(), found); err != nil {
			return err
		}
		data.SoMore, data.Unread = next != nil, layout.Link("/watch/items", sel.params("unread", "true")...)
	}
	for _, f := range layout.Formats {
		data.Feeds = append(data.Feeds, layout.Feed{Name: f.Name, Title: f.Name + ": digests", Type: f.Media, Href: layout.Link("/watch/digest."+f.Path, sel.params("period", period)...)})
	}
	data.Page.Feeds = data.Feeds
	data.Pager = layout.Pager{Prev: digestAt(&sel, period, from), PrevName: "the digest before"}
	if next := times.Next(to, time.UTC); !next.After(time.Now()) {
		data.Pager.Next, data.Pager.NextName = digestAt(&sel, period, next), "the next digest"
	}
	return s.render(w, "digest", &data)
}

// digestName is the name of a digest.
func (sel *selection) digestName(period string) string {
	every, _, _ := strings.Cut(period, " ")
	name := strings.ToUpper(every[:1]) + strings.ToLower(every[1:]) + " digest"
	if of := sel.name(); of != "" {
		name += ", " + of
	}
	return name
}

// digestAt is the address of the digest that came at a time.
func digestAt(sel *selection, period string, at time.Time) string {
	return layout.Link("/watch/digest", sel.params("period", period, "at", at.UTC().Format(time.RFC3339))...)
}

// partsOf are the groups of a digest, as they are shown.
func partsOf(d *digest.Digest) []part {
	var all []part
	left := shownInAll
	for _, g := range d.Groups {
		x := part{Name: layout.Line(g.Name, maxTitle), Counts: g.Counts}
		for i := range g.Sections {
			from := &g.Sections[i]
			sec := section{ID: from.Subscription.ID, Name: titleOf(&from.Subscription), Counts: from.Counts}
			for k := range from.Items[:min(len(from.Items), shownOfOne, left)] {
				e := entryOf(&from.Items[k], nil)
				e.Of = sec.Name
				sec.Items = append(sec.Items, e)
			}
			left -= len(sec.Items)
			sec.More = len(from.Items) - len(sec.Items)
			x.Sections = append(x.Sections, sec)
		}
		all = append(all, x)
	}
	return all
}
