package watchweb

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/watch/follow"
	"plat/watch/view"
	"plat/web/api"
)

// subscriptionRequest is a request to create or change a subscription; missing fields keep their value.
type subscriptionRequest struct {
	URL    *string          `json:"url"`
	Title  *string          `json:"title"`
	Depth  *int             `json:"depth"`
	Group  *string          `json:"group"`
	Tags   *[]string        `json:"tags"`
	Feeds  *[]string        `json:"feeds"`
	Blocks *[]int32         `json:"blocks"`
	Muted  *[]int32         `json:"muted"`
	Labels *[]plat.Label    `json:"labels"`
	Kinds  *[]plat.ItemKind `json:"kinds"`
	Match  *[]string        `json:"match"`
	Except *[]string        `json:"except"`
	Tell   *[]string        `json:"tell"`
	Digest *string          `json:"digest"`
	Paused *bool            `json:"paused"`

	// The schedule of the page.
	Every  string `json:"every"`
	Budget string `json:"budget"`
}

// set takes a value that is given.
func set[T any](to *T, given *T) {
	if given != nil {
		*to = *given
	}
}

func (w *subscriptionRequest) fill(s *plat.Subscription) {
	set(&s.Title, w.Title)
	set(&s.Depth, w.Depth)
	set(&s.Group, w.Group)
	set(&s.Feeds, w.Feeds)
	set(&s.Blocks, w.Blocks)
	set(&s.Muted, w.Muted)
	set(&s.Labels, w.Labels)
	set(&s.Kinds, w.Kinds)
	set(&s.Match, w.Match)
	set(&s.Except, w.Except)
	set(&s.Digest, w.Digest)
	set(&s.Paused, w.Paused)
	if w.Tags != nil {
		s.Tags = follow.Names(*w.Tags)
	}
	if w.Tell != nil {
		s.Tell = follow.Names(*w.Tell)
	}
}

// apiAdd subscribes to a page.
func (s *Server) apiAdd(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	var ask subscriptionRequest
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	if ask.URL == nil {
		return api.BadRequest("write the url of a page")
	}
	u, err := plat.Canonical(*ask.URL, s.Drop)
	if err != nil {
		return err
	}
	sub := &plat.Subscription{URL: u}
	ask.fill(sub)
	if err := s.subscribe(r, sub, queue.Seed{Every: ask.Every, Budget: ask.Budget}, false); err != nil {
		return err
	}
	w.Header().Set("Location", apiRoot+"/"+sub.ID)
	return s.stored(w, r, sub.ID, http.StatusCreated)
}

// stored sends a subscription that was stored.
func (s *Server) stored(w http.ResponseWriter, r *http.Request, id string, code int) error {
	sub, err := s.Store.Subscription(r.Context(), id)
	if err != nil {
		return err
	}
	st, err := s.state(r.Context(), sub.URL)
	if err != nil {
		return err
	}
	one, err := view.Read(r.Context(), s.Store, sub, &st)
	if err != nil {
		return err
	}
	return api.WriteStored(w, code, one)
}

// apiChange changes the named fields of a subscription.
func (s *Server) apiChange(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	var ask subscriptionRequest
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	if ask.URL != nil {
		return api.BadRequest("the url of a subscription cannot change; add a new subscription")
	}
	was := sub.Feeds
	ask.fill(&sub.Subscription)
	if err := s.subscribe(r, &sub.Subscription, queue.Seed{Every: ask.Every, Budget: ask.Budget}, !slices.Equal(sub.Feeds, was)); err != nil {
		return err
	}
	return s.stored(w, r, sub.ID, http.StatusOK)
}

// apiRemove ends a subscription, and with stop the visits that it has begun.
func (s *Server) apiRemove(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	stop := p.Flag("stop")
	if p.Err != nil {
		return p.Err
	}
	sub, err := s.one(r)
	if err == nil {
		err = s.end(r, sub, stop)
	}
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}

// apiRead marks items read.
func (s *Server) apiRead(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	var ask struct {
		ID    string    `json:"id"`
		Tag   string    `json:"tag"`
		Group string    `json:"group"`
		To    time.Time `json:"to"` // now
	}
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	if ask.To.IsZero() {
		ask.To = time.Now()
	}
	sel := selection{storage.Which{Tag: ask.Tag, Group: ask.Group}, ask.ID}
	if ask.ID != "" {
		sel.IDs = []string{ask.ID}
	}
	n, err := s.markRead(r, &sel, ask.To)
	if err != nil {
		return err
	}
	return api.WriteJSON(w, r, map[string]int{"read": n})
}

// mayChannels reports whether channels may be changed.
func (s *Server) mayChannels() error {
	if s.Channels {
		return nil
	}
	return &api.Mistake{Code: http.StatusForbidden, Detail: "this server does not let channels be changed over HTTP; use plat watch channel, or start it with --edit-channels"}
}

// local reports whether a channel runs a command of this machine, or has its secrets sent: with
// either a client could have more than this server gives it.
func local(raw string) bool {
	scheme, _, _ := strings.Cut(strings.TrimSpace(raw), ":")
	return strings.EqualFold(scheme, "command") || strings.Contains(raw, "$")
}

// apiPutChannel adds a channel, or takes the place of that with its name.
func (s *Server) apiPutChannel(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	if err := s.mayChannels(); err != nil {
		return err
	}
	var ask struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	if err := api.Body(r, &ask); err != nil {
		return err
	}
	c := plat.Channel{Name: ask.Name, URL: ask.URL}
	if err := errors.Join(follow.CheckName(c.Name), storage.CheckChannel(&c)); err != nil {
		return api.BadRequest("%s", err)
	}
	switch {
	case ask.URL == "":
		return api.BadRequest("write the url of the channel")
	case local(ask.URL):
		return &api.Mistake{Code: http.StatusForbidden, Detail: "commands, and secrets of this machine ($NAME, $file:PATH), are not named over HTTP; use plat watch channel"}
	}
	if err := follow.CheckURL(c.URL); err != nil {
		return api.BadRequest("%s", err)
	}
	if err := s.Store.PutChannel(r.Context(), &c); err != nil {
		return s.kept(err, "plat watch channel")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// apiRemoveChannel removes a channel and its messages.
func (s *Server) apiRemoveChannel(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	if err := s.mayChannels(); err != nil {
		return err
	}
	name := r.PathValue("name")
	if err := s.Store.RemoveChannel(r.Context(), name); err != nil {
		return s.kept(api.OrNotFound(err, "there is no channel %.64q", name), "plat watch channel")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
