package web

import (
	"context"
	"fmt"
	"iter"
	"math"
	"net/http"
	"regexp"
	"strings"

	"plat/plat"
	"plat/plat/excerpt"
	"plat/plat/saferegexp"
	"plat/storage/history"
	"plat/watch/feed"
	"plat/web/api"
)

// maxPattern limits a filter, in bytes.
const maxPattern = 500

// feedParams are the parameters of feeds; token is read by guard.
var feedParams = []string{"url", "lineage", "limit", "filter", "filterout", "kinds", "labels", "all", "token"}

// feeds registers the feeds of changes.
func (s *Server) feeds(mux *api.Mux) {
	mux.Handle("/feed/{format}", func(w http.ResponseWriter, r *http.Request) {
		s.dated(w, r, func(r *http.Request) error { return s.feed(w, r) })
	}, feedParams...)
}

func (s *Server) feed(w http.ResponseWriter, r *http.Request) error {
	format, ok := feed.Formats[r.PathValue("format")]
	if !ok {
		return api.NotFound("there are feeds as atom, rss and json")
	}
	p := api.ReadParams(r, feedParams, s.Drop)
	u, lineage, ask := p.URL(), int32(p.Number("lineage", 0, 1, math.MaxInt32)), readFeedAsk(p)
	if p.Err != nil {
		return p.Err
	}
	state, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	// The content depends only on which versions there are and the parameters.
	self := api.Self(s.origin(r), r)
	return api.Feed(w, r, s.cache, format.Media, fmt.Sprintf("%s %d-%d %s", s.Version, state.Forgotten, state.Head, self), func(ctx context.Context) (api.Made, error) {
		f, err := s.newFeed(r, &state, lineage, ask, self)
		if err != nil {
			return api.Made{}, err
		}
		body, err := format.Marshal(f)
		return api.Made{Body: body, Updated: f.Updated}, err
	})
}

// feedAsk selects the changes that a feed shows, and their number.
type feedAsk struct {
	feed.Filter
	limit int
}

// readFeedAsk parses the parameters of a feed that select its items.
func readFeedAsk(p *api.Params) *feedAsk {
	limit := p.Limit()
	f := feed.Filter{Match: pattern(p, "filter"), Exclude: pattern(p, "filterout")}
	f.Kinds = several(p, "kinds", plat.Kinds)
	f.Labels = several(p, "labels", plat.Labels)
	f.All = p.Flag("all")
	return &feedAsk{f.WithDefaults(), limit}
}

// several parses comma-separated names, all of which must be in all.
func several[T ~string](p *api.Params, name string, all []T) []T {
	var some []T
	for v := range strings.SplitSeq(p.Query.Get(name), ",") {
		if v = strings.TrimSpace(v); v != "" {
			some = append(some, api.One(p, name, v, all))
		}
	}
	return some
}

// pattern parses a regular expression, nil if it is not given. Go's take time
// linear in their input.
func pattern(p *api.Params, name string) *regexp.Regexp {
	v := p.Text(name, maxPattern)
	if v == "" {
		return nil
	}
	re, err := saferegexp.Compile(v)
	if err != nil {
		p.Fail("%s: %s", name, err)
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
	head, err := s.versionOf(r.Context(), state, state.Head)
	if err != nil {
		return nil, err
	}
	f.Updated = head.Taken.UTC()
	if title := strings.TrimSpace(excerpt.Printable(head.Capture.Title)); title != "" {
		f.Title += ", “" + excerpt.Line(title, 100) + "”"
	}
	q := r.URL.Query()
	q.Set("all", "true")
	q.Del("token")
	f.All = s.origin(r) + r.URL.Path + "?" + q.Encode()
	return f, f.Collect(r.Context(), changes{s}, u, lineage, state.Head, &ask.Filter, ask.limit, pagesAt(s.origin(r)))
}

// changes supplies the items of a feed.
type changes struct{ *Server }

func (c changes) Trees(ctx context.Context, u string, from, to int) iter.Seq2[*plat.Version, error] {
	return c.Store.Trees(ctx, u, from, to)
}

func (c changes) Compared(ctx context.Context, u string, old, now int) (*history.Diff, error) {
	return c.compared(ctx, u, old, now)
}
