package watchweb

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/watch/digest"
	"plat/watch/feed"
	"plat/watch/opml"
	"plat/web/api"
	"plat/web/layout"
)

// checkDigest returns why times of a digest cannot be read.
func checkDigest(text string) error {
	if text == "" {
		return nil
	}
	if _, err := digest.Parse(text); err != nil {
		return api.BadRequest("%s", err)
	}
	return nil
}

// formatOf is the format that the path of a feed ends with.
func formatOf(r *http.Request) feed.Format {
	return feed.Formats[r.URL.Path[strings.LastIndexByte(r.URL.Path, '.')+1:]]
}

// feed sends the items of a selection.
func (s *Server) feed(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	sel, limit := selectionOf(p), p.Limit()
	if p.Err != nil {
		return p.Err
	}
	subs, err := s.subscriptions(r.Context(), &sel)
	if err != nil {
		return err
	}
	origin := s.Origin(r)
	f := &feed.Feed{ID: feed.URN("watch", sel.key()), Title: sel.feedTitle(subs), Self: s.self(r), Home: origin + sel.home()}
	return s.send(w, r, stamp(subs), func(ctx context.Context) (api.Made, error) {
		tags := map[string][]string{}
		for _, sub := range subs {
			tags[sub.ID] = sub.Tags
			f.Updated = plat.Later(f.Updated, plat.Later(sub.Latest, sub.Made))
		}
		for it, err := range s.Store.Items(ctx, storage.ItemQuery{Of: sel.Which, Limit: limit}) {
			if err != nil {
				return api.Made{}, err
			}
			f.Entries = append(f.Entries, feed.OfItem(it, tags[it.Subscription], origin+versionOf(it)))
		}
		f.Updated = feed.Latest(f.Entries, f.Updated).UTC()
		body, err := formatOf(r).Marshal(f)
		return api.Made{Body: body, Updated: f.Updated}, err
	})
}

// key identifies a feed in its ID: it never changes.
func (sel *selection) key() string { return fmt.Sprintf("%q %q %q", sel.id, sel.Tag, sel.Group) }

// home is the page that a feed belongs to.
func (sel *selection) home() string {
	if sel.id != "" {
		return "/watch/" + sel.id
	}
	return layout.Link("/watch/items", sel.params()...)
}

func (sel *selection) feedTitle(subs []*storage.Subscribed) string {
	switch name := sel.name(); {
	case sel.id != "":
		return titleOf(&subs[0].Subscription)
	case name != "":
		return "plat: " + name
	}
	return "plat: all subscriptions"
}

// self is the address of a feed.
func (s *Server) self(r *http.Request) string { return api.Self(s.Origin(r), r) }

// stamp returns a hash that changes with a feed of subscriptions: their settings, the number of
// their items, and the latest of these.
func stamp(subs []*storage.Subscribed) string {
	h := sha256.New()
	for _, x := range subs {
		fmt.Fprintf(h, "%s %q %q %q %q %d %d\n", x.ID, x.URL, x.Title, x.Group, x.Tags, x.Items, x.Latest.UnixNano())
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:16])
}

// send sends a feed, or 304 if the client has it. state, the address and the version of plat
// identify its content.
func (s *Server) send(w http.ResponseWriter, r *http.Request, state string, produce func(ctx context.Context) (api.Made, error)) error {
	return api.Feed(w, r, s.Cache, formatOf(r).Media, fmt.Sprintf("%s %s %s", s.Version, state, s.self(r)), produce)
}

// Limits of a feed of digests.
const (
	defaultDigests = 10
	maxDigests     = 60
)

// digestFeed sends the last digests of a selection that have items.
func (s *Server) digestFeed(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	times, period := timesOf(p)
	sel, limit := selectionOf(p), p.Number("limit", defaultDigests, 1, maxDigests)
	if p.Err != nil {
		return p.Err
	}
	subs, err := s.subscriptions(r.Context(), &sel)
	if err != nil {
		return err
	}
	// The periods, latest first.
	var ends []time.Time
	from, to := times.Period(time.Now().UTC(), time.UTC)
	for ends = append(ends, to); len(ends) < limit; ends = append(ends, to) {
		from, to = times.Period(from, time.UTC)
	}
	name, origin := sel.digestName(period), s.Origin(r)
	return s.send(w, r, fmt.Sprintf("%s %d", stamp(subs), ends[0].Unix()), func(ctx context.Context) (api.Made, error) {
		f := &feed.Feed{ID: feed.URN("digests", period+" "+sel.key()), Title: "plat: " + name, Self: s.self(r), Home: origin + layout.Link("/watch/digest", sel.params("period", period)...),
			Updated: ends[len(ends)-1]}
		of, items, err := s.found(ctx, &sel, from, ends[0])
		if err != nil {
			return api.Made{}, err
		}
		for i, end := range ends {
			begin := from
			if i+1 < len(ends) {
				begin = ends[i+1]
			}
			// Items are latest first, so the items of a period are contiguous.
			n := slices.IndexFunc(items, func(it plat.Item) bool { return it.Seen.Before(begin) })
			if n < 0 {
				n = len(items)
			}
			if d := digest.New(name, begin, end, of, items[:n]); d.Sections > 0 {
				f.Entries = append(f.Entries, feed.OfDigest(d, origin+digestAt(&sel, period, end)))
			}
			items = items[n:]
		}
		f.Updated = feed.Latest(f.Entries, f.Updated).UTC()
		body, err := formatOf(r).Marshal(f)
		return api.Made{Body: body, Updated: f.Updated}, err
	})
}

// opml sends the list of the feeds of all subscriptions.
func (s *Server) opml(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	return s.sendList(w, r, p, `attachment; filename="plat.opml"`)
}

// sendList sends the list of a selection; disposition is the Content-Disposition header.
func (s *Server) sendList(w http.ResponseWriter, r *http.Request, p *api.Params, disposition string) error {
	sel := selectionOf(p)
	if p.Err != nil {
		return p.Err
	}
	body, err := s.list(r, &sel)
	if err != nil {
		return err
	}
	if disposition != "" {
		w.Header().Set("Content-Disposition", disposition)
	}
	w.Header().Set("Content-Type", "text/x-opml; charset=utf-8")
	api.WriteBytes(w, r, body)
	return nil
}

// list is the OPML of a selection. It has no date, so that it is the same while nothing changes.
func (s *Server) list(r *http.Request, sel *selection) ([]byte, error) {
	all, err := s.subscriptions(r.Context(), sel)
	if err != nil {
		return nil, err
	}
	subs := make([]plat.Subscription, len(all))
	for i := range all {
		subs[i] = all[i].Subscription
	}
	slices.SortStableFunc(subs, func(a, b plat.Subscription) int { return cmp.Compare(titleOf(&a), titleOf(&b)) })
	origin := s.Origin(r)
	return opml.Of("plat", time.Time{}, subs, func(x *plat.Subscription) string {
		return origin + layout.Link("/watch/feed.atom", "id", x.ID)
	}).Marshal()
}
