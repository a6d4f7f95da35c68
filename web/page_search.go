package web

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"plat/export/theme"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
)

// hit is a search result on the page.
type hit struct {
	storage.Hit
	Topic   string
	Label   plat.Label
	Seen    time.Time // the last visit that found it
	Snippet []storage.Part
}

// aroundMatch is the length of a snippet in characters.
const aroundMatch = 280

// showSearch finds block versions by words, site, label and time.
func (s *Server) showSearch(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	ctx, q := r.Context(), p.Query
	data := struct {
		page
		Q, Site, Since, Until, Now string
		Label                      string
		Labels                     []plat.Label
		Asked                      bool
		Found                      string
		Behind, Unreadable         int
		Hits                       []hit
		Pager                      pager
	}{
		page: s.page("Search", "search"), Q: p.Text("q", maxWords), Site: q.Get("site"), Label: q.Get("label"), Since: q.Get("since"),
		Until: q.Get("until"), Now: api.One(p, "now", q.Get("now"), []string{"standing", "gone"}), Labels: append([]plat.Label{"content"}, plat.Labels...),
	}
	from := p.From()
	find := storage.Search{Words: data.Q, Labels: p.Labels(), Gone: data.Now == "gone", Standing: data.Now == "standing",
		Since: p.Moment("since"), Until: p.Moment("until"), Offset: from, Limit: perPage}
	if p.Err != nil {
		return p.Err
	}
	find.Host, find.URL = storage.Site(data.Site)
	if !find.Until.IsZero() {
		find.Until = find.Until.AddDate(0, 0, 1) // inclusive: an end date includes that day
	}
	data.Asked = r.URL.RawQuery != ""
	if data.Asked {
		if data.Q != "" {
			data.page = s.page(data.Q+" – Search", "search")
		}
		res, err := s.Store.Search(ctx, find)
		if err != nil {
			return err
		}
		if data.Hits, err = s.hits(ctx, res.Hits, data.Q); err != nil {
			return err
		}
		data.Behind, data.Unreadable = res.Behind, res.Unreadable
		data.Found = theme.Count(res.Total) + " blocks"
		if res.Total == 1 {
			data.Found = "1 block"
		}
		if res.More {
			data.Found = "More than " + data.Found
		}
		if more := from + perPage; more < res.Total {
			q.Set("from", strconv.Itoa(more))
			data.Pager.Next, data.Pager.NextName = "/search?"+q.Encode(), "more"
		}
		if from > 0 {
			q.Set("from", strconv.Itoa(max(0, from-perPage)))
			data.Pager.Prev, data.Pager.PrevName = "/search?"+q.Encode(), "before"
		}
	}
	return s.render(w, http.StatusOK, "search", data)
}

// hits loads the texts of hits and makes their snippets.
func (s *Server) hits(ctx context.Context, found []storage.Hit, words string) ([]hit, error) {
	blocks := make([]plat.Block, len(found))
	for i := range found {
		blocks[i] = found[i].Block
	}
	if err := s.loadTexts(ctx, blocks); err != nil {
		return nil, err
	}
	all := make([]hit, len(found))
	for i, f := range found {
		h := hit{Hit: f, Topic: excerpt.Line(f.Block.Topic, 100), Label: f.Block.Label}
		h.Snippet = storage.Snippet(blocks[i].Text, words, aroundMatch)
		seen, err := s.seenOf(ctx, f.URL)
		if err != nil {
			return nil, err
		}
		h.Seen = seen[min(f.Last, len(seen))-1]
		all[i] = h
	}
	return all, nil
}

// How many contents the start page lists, and of how many they are chosen.
const (
	recentShown = 10
	recentRead  = 40
)

// recent returns the spans that began last, without self-changes.
func (s *Server) recent(ctx context.Context) ([]hit, error) {
	res, err := s.Store.Search(ctx, storage.Search{Limit: recentRead})
	if err != nil {
		return nil, err
	}
	var all []hit
	for _, f := range res.Hits {
		v, err := s.version(ctx, f.URL, f.First)
		if err != nil {
			return nil, err
		}
		if plat.SelfChangeOf(v.SelfChanges, f.Lineage).Suppressed() {
			continue
		}
		all = append(all, hit{Hit: f, Topic: excerpt.Line(f.Block.Topic, 100), Label: f.Block.Label})
		if len(all) == recentShown {
			break
		}
	}
	return all, nil
}

// loadTexts loads the texts of blocks of many pages. A damaged block is left
// without text.
func (s *Server) loadTexts(ctx context.Context, blocks []plat.Block) error {
	return history.LoadIntact(ctx, s.Store, blocks, func(b *plat.Block, err error) {
		s.Log.Error("a block cannot be read; run plat verify", "hash", b.Hash.Short(), "error", err)
	})
}
