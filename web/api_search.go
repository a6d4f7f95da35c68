package web

import (
	"math"
	"net/http"
	"strings"

	"plat"
	"plat/history"
	"plat/storage"
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
func (s *Server) apiSearch(w http.ResponseWriter, r *http.Request, p *params) error {
	limit := p.limit()
	q := storage.Search{
		Words: p.text("q", maxWords), Host: strings.ToLower(p.text("host", maxText)), URL: p.text("prefix", maxText), Label: p.label(),
		Since: p.moment("since"), Until: p.moment("until"), Gone: p.flag("gone"), Standing: p.flag("standing"), Limit: limit,
	}
	texts := p.flag("text")
	var at struct{ Offset int }
	if p.cursor(&at); at.Offset < 0 || at.Offset > math.MaxInt32 {
		p.fail("invalid cursor; start again without it")
	}
	if p.err != nil {
		return p.err
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
	answer := struct {
		part[hitInfo]
		Total      int  `json:"total"`
		More       bool `json:"more"`
		Behind     int  `json:"behind"`
		Unreadable int  `json:"unreadable"`
	}{part[hitInfo]{Items: make([]hitInfo, len(blocks))}, res.Total, res.More, res.Behind, res.Unreadable}
	for i := range res.Hits {
		h := &res.Hits[i]
		seen, err := s.seenOf(r.Context(), h.URL)
		if err != nil {
			return err
		}
		answer.Items[i] = hitInfo{SpanInfo: history.SpanOf(&h.Span, seen), Score: h.Score, Snippet: []snippetPart{}}
		for _, part := range storage.Snippet(blocks[i].Text, q.Words, aroundMatch) {
			answer.Items[i].Snippet = append(answer.Items[i].Snippet, snippetPart(part))
		}
		if texts {
			answer.Items[i].Text = &blocks[i].Text
		}
	}
	if at.Offset += len(blocks); len(blocks) > 0 && at.Offset < res.Total {
		answer.Next = nextPage(w, r, p, at)
	}
	return reply(w, r, answer)
}
