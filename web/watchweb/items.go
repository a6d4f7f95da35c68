package watchweb

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/web/api"
	"plat/web/layout"
)

const (
	itemsPerPage = 50
	maxLines     = 3   // of an excerpt
	maxExcerpt   = 400 // characters of it
)

// entry is an item on a page.
type entry struct {
	ID       string
	Kind     plat.ItemKind
	Title    string
	Href     string // its link; empty if a page must not link there
	Site     string // host of that
	Sub, Of  string // subscription: its ID and title
	Before   string // of one that was changed
	Lines    []string
	Dated    time.Time
	Seen     time.Time
	Unread   bool
	Version  string // plat's page of the version
	Compared string // comparison of the version with the one before; empty for the first
	Page     string
}

// entryOf returns an item for display. Without sub it shows the ID of its subscription.
func entryOf(it *plat.Item, sub *storage.Subscribed) entry {
	e := entry{ID: it.ID, Kind: it.Kind, Href: layout.Opens(it.URL), Sub: it.Subscription, Of: it.Subscription, Dated: it.Dated, Seen: it.Seen, Page: it.Page,
		Version: versionOf(it)}
	e.Site = plat.HostOf(cmp.Or(e.Href, it.Page))
	text := it.Excerpt
	if it.Kind == plat.ItemChanged {
		// As package follow writes it.
		if was, ok := strings.CutPrefix(text, "Before: "); ok {
			was, text, _ = strings.Cut(was, "\n")
			e.Before = layout.Line(was, maxExcerpt)
		}
	}
	left := maxExcerpt
	for l := range strings.Lines(text) {
		if l = layout.Line(l, left); l != "" {
			e.Lines = append(e.Lines, l)
			left -= len([]rune(l))
		}
		if len(e.Lines) == maxLines || left < 10 {
			break
		}
	}
	e.Title = layout.Line(it.Title, maxTitle)
	if e.Title == "" && len(e.Lines) > 0 {
		e.Title, e.Lines = e.Lines[0], e.Lines[1:]
	}
	e.Title = cmp.Or(e.Title, layout.Line(plat.WithoutUser(it.URL), maxTitle), "Untitled")
	if it.Version > 1 {
		e.Compared = layout.Link("/diff", "url", it.Page, "new", strconv.Itoa(it.Version))
	}
	if sub != nil {
		e.Of = titleOf(&sub.Subscription)
		e.Unread = it.Seen.After(sub.ReadTo)
	}
	return e
}

// versionOf is plat's page of the version in which an item was found, at the item's block.
func versionOf(it *plat.Item) string {
	to := layout.Link("/version", "url", it.Page, "version", strconv.Itoa(it.Version))
	if it.Lineage > 0 {
		to += "#b-" + strconv.Itoa(int(it.Lineage))
	}
	return to
}

// day is the items that were seen on a day.
type day struct {
	Date  time.Time
	Items []entry
}

// byDay groups items that are in the order of when they were seen.
func byDay(all []entry) []day {
	var days []day
	for _, e := range all {
		date := e.Seen.UTC().Truncate(24 * time.Hour)
		if len(days) == 0 || !days[len(days)-1].Date.Equal(date) {
			days = append(days, day{Date: date})
		}
		last := &days[len(days)-1]
		last.Items = append(last.Items, e)
	}
	return days
}

// place is a storage.ItemPlace as a cursor.
type place struct {
	Seen time.Time
	ID   string
}

// after reads the parameter of a place.
func after(p *api.Params) storage.ItemPlace {
	var at place
	p.Query.Set("cursor", p.Query.Get("after"))
	p.Cursor(&at)
	p.Query.Del("cursor")
	return storage.ItemPlace(at)
}

func placeOf(it *plat.Item) string { return api.CursorOf(place(storage.PlaceOf(it))) }

// unreadRead is the number of items per query when read items are left out, and unreadMost the
// maximum number of items read for a page. Queries for more than mostNamed subscriptions do not
// name them: with so many names a store is slower than without them.
const (
	unreadRead = 500
	unreadMost = storage.MaxItems
	mostNamed  = 200
)

// items returns the selected items, and the last of them if there are more, else nil. unread
// leaves out the items that were read.
func (s *Server) items(ctx context.Context, q storage.ItemQuery, unread bool) (all []*plat.Item, next *plat.Item, err error) {
	most := q.Most()
	q.Limit = most + 1
	readTo := map[string]time.Time{}
	if unread {
		q.Limit = max(q.Limit, unreadRead)
		var ids []string
		for sub, err := range s.Store.Subscriptions(ctx, q.Of) {
			if err != nil {
				return nil, nil, err
			}
			if sub.Unread > 0 {
				readTo[sub.ID] = sub.ReadTo
				ids = append(ids, sub.ID)
			}
		}
		if len(ids) == 0 {
			return nil, nil, nil
		}
		if len(ids) <= mostNamed {
			q.Of = storage.Which{IDs: ids}
		}
	}
	var last *plat.Item
	for n := 0; ; {
		got := 0
		for it, err := range s.Store.Items(ctx, q) {
			if err != nil {
				return nil, nil, err
			}
			got++
			if !unread || unseen(readTo, it) {
				if len(all) == most {
					return all, last, nil
				}
				all = append(all, it)
			}
			last = it
		}
		if n += got; !unread || got < q.Limit {
			return all, nil, nil
		}
		if n >= unreadMost {
			return all, last, nil
		}
		q.After = storage.PlaceOf(last)
	}
}

// unseen reports whether an item is of a subscription with unread items, and one of them.
func unseen(readTo map[string]time.Time, it *plat.Item) bool {
	to, ok := readTo[it.Subscription]
	return ok && it.Seen.After(to)
}

// entries are items as they are shown, with the titles of their subscriptions.
func (s *Server) entries(ctx context.Context, all []*plat.Item) ([]entry, error) {
	var ids []string
	of := map[string]*storage.Subscribed{}
	for _, it := range all {
		if _, ok := of[it.Subscription]; !ok {
			of[it.Subscription] = nil
			ids = append(ids, it.Subscription)
		}
	}
	if len(ids) > 0 {
		for sub, err := range s.Store.Subscriptions(ctx, storage.Which{IDs: ids}) {
			if err != nil {
				return nil, err
			}
			of[sub.ID] = sub
		}
	}
	out := make([]entry, len(all))
	for i, it := range all {
		out[i] = entryOf(it, of[it.Subscription])
	}
	return out, nil
}

// showItems shows items, latest first.
func (s *Server) showItems(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	sel, unread, from := selectionOf(p), p.Flag("unread"), after(p)
	if p.Err != nil {
		return p.Err
	}
	data := struct {
		layout.Page
		Heading string
		Sel     map[string]string
		Unread  bool
		Of      *storage.Subscribed
		OfName  string
		Other   string // the same, unread only or not
		Days    []day
		N       int
		First   bool
		Now     time.Time
		Feeds   []layout.Feed
		Pager   layout.Pager
	}{Heading: "Items", Unread: unread, First: from == storage.ItemPlace{}, Now: time.Now().UTC()}
	if sel.id != "" {
		subs, err := s.subscriptions(r.Context(), &sel)
		if err != nil {
			return err
		}
		data.Of, data.OfName = subs[0], titleOf(&subs[0].Subscription)
		data.Heading = data.OfName
	} else if name := sel.name(); name != "" {
		data.Heading = "Items: " + name
	}
	data.Sel = map[string]string{"id": sel.id, "tag": sel.Tag, "group": sel.Group}
	data.Page, data.Feeds = s.page(data.Heading), feedLinks(&sel, data.Heading)
	data.Page.Feeds = data.Feeds
	found, next, err := s.items(r.Context(), storage.ItemQuery{Of: sel.Which, After: from, Limit: itemsPerPage}, unread)
	if err != nil {
		return err
	}
	all, err := s.entries(r.Context(), found)
	if err != nil {
		return err
	}
	data.N, data.Days = len(all), byDay(all)
	flag := ""
	if unread {
		flag = "true"
		data.Other = layout.Link("/watch/items", sel.params()...)
	} else {
		data.Other = layout.Link("/watch/items", sel.params("unread", "true")...)
	}
	if next != nil {
		data.Pager.Next, data.Pager.NextName = layout.Link("/watch/items", sel.params("unread", flag, "after", placeOf(next))...), "older items"
	}
	if !data.First {
		data.Pager.Prev, data.Pager.PrevName = layout.Link("/watch/items", sel.params("unread", flag)...), "latest items"
	}
	return s.render(w, "items", &data)
}
