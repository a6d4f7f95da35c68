package focusweb

import (
	"math"
	"net/http"
	"strconv"

	"plat/focus/crawler"
	"plat/plat"
	"plat/web/api"
)

const apiRoot = "/api/v1/focus"

// maxLabels is the maximum number of pages in one request.
const maxLabels = 1000

func (s *Server) apiRoutes() []api.Route {
	return []api.Route{
		api.NewRoute("GET", apiRoot, []string{"limit", "cursor"}, s.apiList),
		api.NewRoute("POST", apiRoot, nil, s.apiBegin),
		api.NewRoute("GET", apiRoot+"/{id}", nil, s.apiGet),
		api.NewRoute("DELETE", apiRoot+"/{id}", nil, s.apiRemove),
		api.NewRoute("GET", apiRoot+"/{id}/pages", []string{"belongs", "after", "limit"}, s.apiPages),
		api.NewRoute("GET", apiRoot+"/{id}/why", []string{"url"}, s.apiWhy),
		api.NewRoute("POST", apiRoot+"/{id}/labels", nil, s.apiLabel),
		api.NewRoute("POST", apiRoot+"/{id}/state", nil, s.apiState),
	}
}

// apiList lists crawls, in the order of their IDs.
func (s *Server) apiList(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit := p.Limit()
	var at struct{ ID string }
	p.Cursor(&at)
	if p.Err != nil {
		return p.Err
	}
	var items []*crawler.Status
	for c, err := range s.store.Crawls(r.Context()) {
		if err != nil {
			return err
		}
		if c.ID <= at.ID {
			continue
		}
		if len(items) == limit {
			at.ID = items[limit-1].ID
			return api.WriteList(w, r, p, items, at)
		}
		st, err := crawler.StatusOf(r.Context(), s.store, c)
		if err != nil {
			return err
		}
		items = append(items, st)
	}
	return api.WriteList(w, r, p, items, nil)
}

// apiGet describes a crawl.
func (s *Server) apiGet(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	_, st, err := s.status(r)
	if err != nil {
		return err
	}
	return api.WriteJSON(w, r, st)
}

// stored sends a crawl that was stored.
func (s *Server) stored(w http.ResponseWriter, r *http.Request, c *plat.Crawl, code int) error {
	st, err := crawler.StatusOf(r.Context(), s.store, c)
	if err != nil {
		return err
	}
	return api.WriteStored(w, code, st)
}

// crawlRequest is the request for a new crawl.
type crawlRequest struct {
	About   string   `json:"about"`
	Topic   string   `json:"topic"` // ID or name of a ready topic
	URLs    []string `json:"urls"`
	Name    string   `json:"name"`
	Pages   *int     `json:"pages"`
	PerHost int      `json:"per_host"`
	Order   string   `json:"order"`
	Least   float64  `json:"least"`
	Keep    bool     `json:"keep"`
	Scope   string   `json:"scope"`

	// When pages that belong are visited again.
	Every  string `json:"every"`
	Budget string `json:"budget"`
}

// apiBegin begins a crawl.
func (s *Server) apiBegin(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	var ask crawlRequest
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	again, err := revisit(ask.Every, ask.Budget)
	if err != nil {
		return err
	}
	set := &crawler.Settings{About: ask.About, Crawl: plat.Crawl{Name: ask.Name, Pages: crawler.DefaultPages, PerHost: ask.PerHost, Order: ask.Order, Least: ask.Least, Keep: ask.Keep, Scope: ask.Scope, Revisit: again}}
	if ask.Pages != nil {
		set.Pages = *ask.Pages
	}
	c, err := s.started(r, set, ask.Topic, ask.URLs)
	if err != nil {
		return err
	}
	w.Header().Set("Location", apiRoot+"/"+c.ID)
	return s.stored(w, r, c, http.StatusCreated)
}

// apiRemove removes a crawl.
func (s *Server) apiRemove(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	if err := s.removed(r); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// apiPages lists the pages for which a crawl has asked, in that order.
func (s *Server) apiPages(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit, after, belongs := p.Limit(), p.Number("after", 0, 0, math.MaxInt32), p.Flag("belongs")
	if p.Err != nil {
		return p.Err
	}
	c, err := s.crawl(r)
	if err != nil {
		return err
	}
	report, err := crawler.ReadReport(r.Context(), s.store, c.ID)
	if err != nil {
		return err
	}
	verdicts := crawler.VerdictsOf(c, report)
	list := api.Part[crawler.Page]{Items: []crawler.Page{}}
	for x, err := range s.store.Asked(r.Context(), c.ID, after, false) {
		if err != nil {
			return err
		}
		if v := verdicts.Of(x); p.Query.Has("belongs") && (x.Visited.IsZero() || v.Same || v.Belongs != belongs) {
			continue
		}
		if len(list.Items) == limit {
			list.Next = api.Following(w, r, p, "after", strconv.Itoa(list.Items[limit-1].N))
			break
		}
		list.Items = append(list.Items, verdicts.Page(x))
	}
	return api.WriteJSON(w, r, list)
}

// apiWhy explains a page.
func (s *Server) apiWhy(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	_, x, err := s.explained(w, r, p)
	if err != nil {
		return err
	}
	return api.WriteJSON(w, r, x)
}

// apiLabel stores users' labels of pages.
func (s *Server) apiLabel(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	var all []crawler.PageLabel
	if err := api.Body(r, &all); err != nil {
		return err
	}
	if len(all) == 0 || len(all) > maxLabels {
		return api.BadRequest("%d labels: send 1 to %d", len(all), maxLabels)
	}
	for i := range all {
		u, err := plat.Canonical(all[i].URL, s.Drop)
		if err != nil {
			return err
		}
		all[i].URL = u
	}
	c, err := s.say(r, all)
	if err != nil {
		return err
	}
	st, err := crawler.StatusOf(r.Context(), s.store, c)
	if err != nil {
		return err
	}
	if st.Unknown, err = crawler.Unknown(r.Context(), s.store, c.ID, all); err != nil {
		return err
	}
	return api.WriteJSON(w, r, st)
}

// apiState stops or resumes a crawl.
func (s *Server) apiState(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	var ask struct {
		State   plat.CrawlState `json:"state"`
		Pages   *int            `json:"pages"`
		PerHost *int            `json:"per_host"`
	}
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	if ask.State != plat.CrawlRuns && ask.State != plat.CrawlPaused {
		return api.BadRequest("state: %.40q: write %s or %s", ask.State, plat.CrawlRuns, plat.CrawlPaused)
	}
	c, err := s.turn(r, ask.State, crawler.Resumption{Pages: ask.Pages, PerHost: ask.PerHost})
	if err != nil {
		return err
	}
	return s.stored(w, r, c, http.StatusOK)
}
