package watchweb

import (
	"net/http"

	"plat/storage"
	"plat/watch/view"
	"plat/web/answer"
	"plat/web/query"
	"plat/web/routes"
)

// Addresses of the API.
const (
	apiRoot    = "/api/v1/watch"
	ImportPath = apiRoot + "/import" // its bodies have a limit of their own
)

func (s *Server) apiRoutes() []routes.Route {
	return []routes.Route{
		routes.At("GET", apiRoot, []string{"url", "tag", "group", "limit", "cursor"}, s.apiList),
		routes.At("POST", apiRoot, nil, s.apiAdd),
		routes.At("GET", apiRoot+"/items", []string{"id", "tag", "group", "unread", "since", "until", "limit", "cursor"}, s.apiItems),
		routes.At("POST", apiRoot+"/read", nil, s.apiRead),
		routes.At("POST", ImportPath, []string{"group", "tag", "every", "budget", "check"}, s.apiImport),
		routes.At("GET", apiRoot+"/export", []string{"tag", "group"}, s.apiExport),
		routes.At("GET", apiRoot+"/channels", nil, s.apiChannels),
		routes.At("POST", apiRoot+"/channels", nil, s.apiPutChannel),
		routes.At("DELETE", apiRoot+"/channels/{name}", nil, s.apiRemoveChannel),
		routes.At("GET", apiRoot+"/{id}", nil, s.apiGet),
		routes.At("PATCH", apiRoot+"/{id}", nil, s.apiChange),
		routes.At("DELETE", apiRoot+"/{id}", nil, s.apiRemove),
	}
}

// apiList lists subscriptions, in the order of their IDs.
func (s *Server) apiList(w http.ResponseWriter, r *http.Request, p *query.Params) error {
	limit := p.Limit()
	which := storage.Which{Tag: p.Text("tag", maxText), Group: p.Text("group", maxText)}
	if p.Query.Has("url") {
		which.URL = p.URL()
	}
	var at struct{ ID string }
	p.Cursor(&at)
	if p.Err != nil {
		return p.Err
	}
	var items []view.Subscription
	for sub, err := range s.Store.Subscriptions(r.Context(), which) {
		if err != nil {
			return err
		}
		if sub.ID <= at.ID {
			continue
		}
		if len(items) == limit {
			at.ID = items[limit-1].ID
			return answer.List(w, r, p, items, at)
		}
		st, err := s.state(r.Context(), sub.URL)
		if err != nil {
			return err
		}
		items = append(items, view.SubscriptionOf(sub, &st))
	}
	return answer.List(w, r, p, items, nil)
}

// apiGet describes a subscription.
func (s *Server) apiGet(w http.ResponseWriter, r *http.Request, _ *query.Params) error {
	sub, st, err := s.oneVisited(r)
	if err != nil {
		return err
	}
	return answer.JSON(w, r, view.SubscriptionOf(sub, &st))
}

// apiItems lists items, latest first.
func (s *Server) apiItems(w http.ResponseWriter, r *http.Request, p *query.Params) error {
	sel, unread := selectionOf(p), p.Flag("unread")
	q := storage.ItemQuery{Of: sel.Which, Since: p.Moment("since"), Until: p.Moment("until"), Limit: p.Limit()}
	var at place
	p.Cursor(&at)
	q.After = storage.ItemPlace(at)
	if p.Err != nil {
		return p.Err
	}
	if sel.id != "" {
		if _, err := s.subscriptions(r.Context(), &sel); err != nil {
			return err
		}
	}
	found, next, err := s.items(r.Context(), q, unread)
	if err != nil {
		return err
	}
	items := make([]view.Item, len(found))
	for i, it := range found {
		items[i] = view.ItemOf(it)
	}
	if next == nil {
		return answer.List(w, r, p, items, nil)
	}
	return answer.List(w, r, p, items, place(storage.PlaceOf(next)))
}

// apiExport sends the subscriptions as OPML.
func (s *Server) apiExport(w http.ResponseWriter, r *http.Request, p *query.Params) error {
	return s.sendList(w, r, p, "")
}

// channel is a channel as it is told of: without its URL, which may have secrets in it.
type channel struct {
	Name     string `json:"name"`
	Disabled string `json:"disabled,omitempty"` // why nothing is sent any more
	Waiting  int    `json:"waiting"`            // messages that are not sent yet
}

// apiChannels lists the channels by name.
func (s *Server) apiChannels(w http.ResponseWriter, r *http.Request, p *query.Params) error {
	waiting, err := s.Store.Backlogs(r.Context())
	if err != nil {
		return err
	}
	var items []channel
	for c, err := range s.Store.Channels(r.Context()) {
		if err != nil {
			return err
		}
		items = append(items, channel{c.Name, c.Disabled, waiting[c.Name].Messages})
	}
	return answer.List(w, r, p, items, nil)
}
