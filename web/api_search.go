package web

import (
	"math"
	"net/http"
	"strings"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
)

// hitInfo is a span that matches a search.
type hitInfo struct {
	history.SpanInfo
	Score   float64       `json:"score"`
	Snippet []snippetPart `json:"snippet"`
}

// snippetPart is a piece of a snippet.
type snippetPart struct {
	Text  string `json:"text"`
	Match bool   `json:"match"` // matches the search
}

// apiSearch lists the best matching spans in the order of the index. While the
// index grows, positions in the list may shift.
func (s *Server) apiSearch(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit := p.Limit()
	q := storage.Search{
		Words: p.Text("q", maxWords), Host: strings.ToLower(p.Text("host", maxText)), URL: p.Text("prefix", maxText), Labels: p.Labels(),
		Since: p.Moment("since"), Until: p.Moment("until"), Gone: p.Flag("gone"), Standing: p.Flag("standing"), Limit: limit,
	}
	texts := p.Flag("text")
	var at struct{ Offset int }
	if p.Cursor(&at); at.Offset < 0 || at.Offset > math.MaxInt32 {
		p.Fail("invalid cursor; start again without it")
	}
	if p.Err != nil {
		return p.Err
	}
	q.Offset = at.Offset
	res, err := s.Store.Search(r.Context(), q)
	if err != nil {
		return err
	}
	blocks := make([]plat.Block, len(res.Hits))
	for i := range res.Hits {
		blocks[i] = res.Hits[i].Block
	}
	if err := s.loadTexts(r.Context(), blocks); err != nil {
		return err
	}
	list := struct {
		api.Part[hitInfo]
		Total      int  `json:"total"`
		More       bool `json:"more"`
		Behind     int  `json:"behind"`
		Unreadable int  `json:"unreadable"`
	}{api.Part[hitInfo]{Items: make([]hitInfo, len(blocks))}, res.Total, res.More, res.Behind, res.Unreadable}
	for i := range res.Hits {
		h := &res.Hits[i]
		seen, err := s.seenOf(r.Context(), h.URL)
		if err != nil {
			return err
		}
		list.Items[i] = hitInfo{SpanInfo: history.SpanOf(&h.Span, seen), Score: h.Score, Snippet: []snippetPart{}}
		for _, part := range storage.Snippet(blocks[i].Text, q.Words, aroundMatch) {
			list.Items[i].Snippet = append(list.Items[i].Snippet, snippetPart(part))
		}
		if texts {
			list.Items[i].Text = &blocks[i].Text
		}
	}
	if at.Offset += len(blocks); len(blocks) > 0 && at.Offset < res.Total {
		list.Next = api.NextPage(w, r, p, at)
	}
	return reply(w, r, list)
}
