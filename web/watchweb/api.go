package watchweb

import (
	"net/http"

	"plat/storage"
	"plat/watch/view"
	"plat/web/api"
)

// Addresses of the API.
const (
	apiRoot    = "/api/v1/watch"
	ImportPath = apiRoot + "/import" // its bodies have a limit of their own
)

func (s *Server) apiRoutes() []api.Route {
	return []api.Route{
		api.NewRoute("GET", apiRoot, []string{"url", "tag", "group", "limit", "cursor"}, s.apiList),
		api.NewRoute("POST", apiRoot, nil, s.apiAdd),
		api.NewRoute("GET", apiRoot+"/items", []string{"id", "tag", "group", "unread", "since", "until", "limit", "cursor"}, s.apiItems),
		api.NewRoute("POST", apiRoot+"/read", nil, s.apiRead),
		api.NewRoute("POST", ImportPath, []string{"group", "tag", "every", "budget", "check"}, s.apiImport),
		api.NewRoute("GET", apiRoot+"/export", []string{"tag", "group"}, s.apiExport),
		api.NewRoute("GET", apiRoot+"/channels", nil, s.apiChannels),
		api.NewRoute("POST", apiRoot+"/channels", nil, s.apiPutChannel),
		api.NewRoute("DELETE", apiRoot+"/channels/{name}", nil, s.apiRemoveChannel),
		api.NewRoute("GET", apiRoot+"/{id}", nil, s.apiGet),
		api.NewRoute("PATCH", apiRoot+"/{id}", nil, s.apiChange),
		api.NewRoute("DELETE", apiRoot+"/{id}", []string{"stop"}, s.apiRemove),
	}
}

// apiList lists subscriptions, in the order of their IDs.
func (s *Server) apiList(w http.ResponseWriter, r *http.Request, p *api.Params) error {
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
			return api.WriteList(w, r, p, items, at)
		}
		st, err := s.state(r.Context(), sub.URL)
		if err != nil {
			return err
		}
		one, err := view.Read(r.Context(), s.Store, sub, &st)
		if err != nil {
			return err
		}
		items = append(items, one)
	}
	return api.WriteList(w, r, p, items, nil)
}

// apiGet describes a subscription.
func (s *Server) apiGet(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, st, err := s.oneVisited(r)
	if err != nil {
		return err
	}
	one, err := view.Read(r.Context(), s.Store, sub, &st)
	if err != nil {
		return err
	}
	return api.WriteJSON(w, r, one)
}

// apiItems lists items, latest first.
func (s *Server) apiItems(w http.ResponseWriter, r *http.Request, p *api.Params) error {
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
		return api.WriteList(w, r, p, items, nil)
	}
	return api.WriteList(w, r, p, items, place(storage.PlaceOf(next)))
}

// apiExport sends the subscriptions as OPML.
func (s *Server) apiExport(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	return s.sendList(w, r, p, "")
}

// channel is a channel without its URL, which may contain secrets.
type channel struct {
	Name     string `json:"name"`
	Disabled string `json:"disabled,omitempty"` // why nothing is sent any more
	Waiting  int    `json:"waiting"`            // messages that are not sent yet
}

// apiChannels lists the channels by name.
func (s *Server) apiChannels(w http.ResponseWriter, r *http.Request, p *api.Params) error {
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
	return api.WriteList(w, r, p, items, nil)
}
