package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"plat"
	"plat/excerpt"
	"plat/feed"
)

// Limits of feeds.
const (
	maxFeedVersions = 500 // latest versions of a URL that are searched for changes
	maxCompared     = 60  // versions compared per response
	maxPattern      = 500 // bytes of a filter
)

// feedParams are the parameters of feeds; token is read by guard.
var feedParams = []string{"url", "lineage", "limit", "filter", "filterout", "kinds", "labels", "token"}

// feeds registers the feeds of changes.
func (s *Server) feeds(mux *http.ServeMux) {
	mux.HandleFunc("/feed/{format}", func(w http.ResponseWriter, r *http.Request) {
		s.dated(w, r, func(r *http.Request) error { return s.feed(w, r) })
	})
}

func (s *Server) feed(w http.ResponseWriter, r *http.Request) error {
	format, ok := feed.Formats[r.PathValue("format")]
	if !ok {
		return &mistake{http.StatusNotFound, "there are feeds as atom, rss and json"}
	}
	p := s.readParams(r, feedParams)
	u, lineage, ask := p.url(), int32(p.number("lineage", 0, 1, math.MaxInt32)), readFeedAsk(p)
	if p.err != nil {
		return p.err
	}
	state, err := s.Store.State(r.Context(), u)
	if err != nil {
		return missing(err, "not in this archive: %s", u)
	}
	// The content depends only on the last version and the parameters.
	self := s.feedSelf(r)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", s.Version, state.Head, self))
	tag := `W/"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`
	w.Header().Set("ETag", tag)
	w.Header().Set("Cache-Control", "private, no-cache")
	if strings.Contains(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	made, err := remember(r.Context(), s.cache, "feed "+tag, func(m madeFeed) int64 { return int64(len(m.body)) }, func(ctx context.Context) (madeFeed, error) {
		f, err := s.newFeed(r, &state, lineage, ask, self)
		if err != nil {
			return madeFeed{}, err
		}
		body, err := format.Marshal(f)
		return madeFeed{body, f.Updated}, err
	})
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", format.Media)
	http.ServeContent(w, r, "", made.updated, bytes.NewReader(made.body))
	return nil
}

// feedAsk selects the changes that a feed shows, and their number.
type feedAsk struct {
	feed.Filter
	limit int
}

// readFeedAsk parses the parameters of a feed that select its items.
func readFeedAsk(p *params) *feedAsk {
	limit := p.limit()
	f := feed.Filter{Match: p.pattern("filter"), Exclude: p.pattern("filterout")}
	f.Kinds = several(p, "kinds", plat.Kinds)
	f.Labels = several(p, "labels", plat.Labels)
	return &feedAsk{f.WithDefaults(), limit}
}

// several parses comma-separated names, all of which must be in all.
func several[T ~string](p *params, name string, all []T) []T {
	var some []T
	for v := range strings.SplitSeq(p.query.Get(name), ",") {
		if v = strings.TrimSpace(v); v != "" {
			some = append(some, one(p, name, v, all))
		}
	}
	return some
}

// pattern parses a regular expression, nil if it is not given. Go's take time
// linear in their input.
func (p *params) pattern(name string) *regexp.Regexp {
	v := p.text(name, maxPattern)
	if v == "" {
		return nil
	}
	re, err := regexp.Compile(v)
	if err != nil {
		p.fail("%s: %s", name, err)
	}
	return re
}

// pagesAt builds absolute links to our pages at an origin.
type pagesAt string

func (o pagesAt) Diff(u string, old, now int) string {
	return string(o) + link("/diff", "url", u, "old", fmt.Sprint(old), "new", fmt.Sprint(now))
}

func (o pagesAt) Block(u string, lineage int32) string {
	return string(o) + link("/block", "url", u, "lineage", fmt.Sprint(lineage))
}

// madeFeed is a serialised feed.
type madeFeed struct {
	body    []byte
	updated time.Time
}

// newFeed collects the content of a feed.
func (s *Server) newFeed(r *http.Request, state *plat.URLState, lineage int32, ask *feedAsk, self string) (*feed.Feed, error) {
	u := state.URL
	f := &feed.Feed{ID: u + "#plat", Title: "Changes of " + u, Self: self, Home: s.origin(r) + link("/url", "url", u), Updated: state.Last.UTC()}
	if lineage > 0 {
		f.ID = fmt.Sprintf("%s-%d", f.ID, lineage)
		f.Title = fmt.Sprintf("Changes of block %d of %s", lineage, u)
		f.Home = s.origin(r) + link("/block", "url", u, "lineage", fmt.Sprint(lineage))
	}
	if state.Head == 0 {
		return f, nil
	}
	head, err := s.version(r.Context(), u, state.Head)
	if err != nil {
		return nil, err
	}
	f.Updated = head.Taken.UTC()
	if title := excerpt.XML(head.Capture.Title); title != "" {
		f.Title += ", “" + excerpt.Line(title, 100) + "”"
	}
	f.Items, err = s.feedItems(r.Context(), u, lineage, state.Head, ask, s.origin(r))
	return f, err
}

// feedSelf is the address of a feed without its token, because feeds are
// shared.
func (s *Server) feedSelf(r *http.Request) string {
	q := url.Values{}
	for name, values := range r.URL.Query() {
		if name != "token" {
			q[name] = values
		}
	}
	return s.origin(r) + r.URL.Path + "?" + q.Encode()
}

// feedItems returns the selected changes of a URL, or of one lineage, latest
// first. It skips versions that cannot contain any.
func (s *Server) feedItems(ctx context.Context, u string, lineage int32, head int, ask *feedAsk, origin string) ([]feed.Item, error) {
	const window = 20
	var items []feed.Item
	compared := 0
	for to := head; to > 1 && to > head-maxFeedVersions; to -= window {
		from := max(1, to-window)
		var trees []*plat.Version
		for v, err := range s.Store.Trees(ctx, u, from, to) {
			if err != nil {
				return nil, err
			}
			trees = append(trees, v)
		}
		for i := len(trees) - 1; i > 0; i-- {
			old, now := trees[i-1], trees[i]
			if !ask.MayShow(now.Changes) || lineage > 0 && ask.Unaffected(old, now, lineage) {
				continue
			}
			if compared++; compared > maxCompared {
				return items, nil
			}
			d, err := s.compared(ctx, u, old.N, now.N)
			if err != nil {
				return nil, err
			}
			for _, it := range feed.Items(d, lineage, pagesAt(origin)) {
				if ask.Wants(&it) {
					items = append(items, it)
				}
				if len(items) == ask.limit {
					return items, nil
				}
			}
		}
	}
	return items, nil
}
