package watchweb

import (
	"net/http"
	"time"

	"plat/storage"
	"plat/watch/follow"
	"plat/web/api"
	"plat/web/layout"
)

// showRemove asks whether a subscription is to be removed, and which visits are to end with it.
func (s *Server) showRemove(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sub, err := s.one(r)
	if err != nil {
		return err
	}
	all, err := follow.Remaining(r.Context(), s.raw, sub)
	if err != nil {
		return err
	}
	begun := 0 // pages that only the subscription has visited
	for _, v := range all {
		if v.Watched {
			begun++
		}
	}
	return s.render(w, "remove", struct {
		layout.Page
		ID, Name, URL  string
		Items          int
		Visited, Begun int
	}{s.page("Remove " + titleOf(&sub.Subscription)), sub.ID, titleOf(&sub.Subscription), sub.URL, sub.Items, len(all), begun})
}

// remove ends a subscription.
func (s *Server) remove(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	f := readForm(r, "stop")
	if f.Err != nil {
		return f.Err
	}
	sub, err := s.one(r)
	if err == nil {
		err = s.end(r, sub, f.Text("stop") != "")
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, "/watch", http.StatusSeeOther)
	return nil
}

// end ends a subscription, and with stop the visits that it has begun.
func (s *Server) end(r *http.Request, sub *storage.Subscribed, stop bool) error {
	if stop {
		all, err := follow.Remaining(r.Context(), s.raw, sub)
		if err == nil {
			_, err = follow.Stop(r.Context(), s.raw, time.Now(), all)
		}
		if err != nil {
			return s.kept(err, "plat watch rm --stop")
		}
	}
	err := s.Store.Unsubscribe(r.Context(), sub.ID)
	return s.kept(api.OrNotFound(err, "there is no subscription %.64q", sub.ID), "plat watch rm")
}
