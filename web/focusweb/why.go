package focusweb

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"plat/focus/crawler"
	"plat/plat"
	"plat/web/api"
	"plat/web/layout"
)

// explainWait is the time that an explanation waits for a running one.
const explainWait = 15 * time.Second

// explain goes through a crawl again: one at a time, as that takes memory and time as the crawl
// itself did, but for the visits.
func (s *Server) explain(ctx context.Context, w http.ResponseWriter, c *plat.Crawl, u string) (*crawler.Explanation, error) {
	compiler, err := s.compiler()
	if err != nil {
		return nil, err
	}
	select {
	case s.explaining <- struct{}{}:
		defer func() { <-s.explaining }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(explainWait):
		w.Header().Set("Retry-After", "15")
		return nil, &api.Mistake{Code: http.StatusServiceUnavailable, Detail: "an explanation of a different page is running; try again later"}
	}
	why, err := crawler.Explain(ctx, s.store, compiler, c, u)
	if _, ok := errors.AsType[*crawler.TopicError](err); ok {
		return nil, &api.Mistake{Code: http.StatusConflict, Detail: fmt.Sprintf("the topic of the crawl cannot be read: %s", err)}
	}
	return why, err
}

// explained explains the URL that a request names, in the crawl that it names.
func (s *Server) explained(w http.ResponseWriter, r *http.Request, p *api.Params) (*plat.Crawl, *crawler.Explanation, error) {
	u := p.URL()
	if p.Err != nil {
		return nil, nil, p.Err
	}
	c, err := s.crawl(r)
	if err != nil {
		return nil, nil, err
	}
	x, err := s.explain(r.Context(), w, c, u)
	return c, x, err
}

// whyPage explains a page.
type whyPage struct {
	head
	X                      *crawler.Explanation
	Text, Caption, Live    string // its URL; its title; where it is in the web
	Failed, Alias, Cloaked bool
	Expected               string
	Via                    string // the address that led there
	Relevant               string
	From                   []source
	Reasons, Words         []reason
}

type source struct{ Page, Why, Relevance, Match string }

type reason struct{ Name, Value, Counts string }

// wordsShown is the number of displayed topic words.
const wordsShown = 30

// showWhy explains why a page was visited, or waits.
func (s *Server) showWhy(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	c, x, err := s.explained(w, r, p)
	if err != nil {
		return err
	}
	u := x.URL
	data := whyPage{head: s.head(c, "Why"), X: x, Text: layout.Line(u, maxURLShown), Caption: layout.Line(x.Title, maxTitle), Live: layout.Opens(u),
		Failed: x.Outcome.Failed(), Alias: x.Outcome == plat.OutcomeAlias, Cloaked: x.Outcome == plat.OutcomeCloaked, Via: layout.Line(x.RedirectedFrom, maxURLShown), Expected: fmt.Sprintf("%.2f", x.Asked), Relevant: fmt.Sprintf("%.2f", x.Relevance)}
	if x.N == 0 {
		data.Expected = fmt.Sprintf("%.2f", x.Score)
	}
	for _, l := range x.Links {
		data.From = append(data.From, source{layout.Line(l.Page, maxURLShown), whyOf(c.ID, l.Page), fmt.Sprintf("%.2f", l.Relevance), fmt.Sprintf("%.2f", l.Match)})
	}
	if len(x.Links) == 0 && x.From != "" {
		data.From = append(data.From, source{layout.Line(x.From, maxURLShown), whyOf(c.ID, x.From), "–", "–"})
	}
	for _, l := range x.Reasons {
		data.Reasons = append(data.Reasons, reason{layout.Line(l.Name, maxName), fmt.Sprintf("%.2f", l.Value), fmt.Sprintf("%+.2f", l.Counts)})
	}
	for _, l := range x.Words[:min(len(x.Words), wordsShown)] {
		data.Words = append(data.Words, reason{layout.Line(l.Name, maxName), fmt.Sprintf("%.0f", l.Value), fmt.Sprintf("%.3f", l.Counts)})
	}
	return s.render(w, "why", &data)
}
