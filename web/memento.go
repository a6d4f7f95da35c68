package web

import (
	"context"
	"net/http"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
	"plat/web/memento"
)

// mementosOf finds the versions of the URL at the end of a request path.
func (s *Server) mementosOf(ctx context.Context, raw string) (*memento.List, error) {
	u, err := plat.Canonical(raw, s.Drop)
	if err != nil {
		return nil, err
	}
	state, err := s.Store.State(ctx, u)
	if n := 0; err == nil {
		err = storage.Kept(&state, &n)
	}
	if err != nil {
		return nil, api.OrNotFound(err, "the archive has no version of %s", u)
	}
	times, err := s.times(ctx, &state)
	if err != nil {
		return nil, err
	}
	return memento.NewList(u, times), nil
}

// origin is the external origin of this server, for absolute links: PublicURL,
// or else the request's host.
func (s *Server) origin(r *http.Request) string {
	if s.PublicURL != "" {
		return s.PublicURL
	}
	return "http://" + r.Host
}

// dated serves Memento requests, which bypass the mux: it checks the method and
// sets the response's time limit.
func (s *Server) dated(w http.ResponseWriter, r *http.Request, answer func(r *http.Request) error) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		s.fail(w, r, http.StatusMethodNotAllowed, "use GET or HEAD")
		return
	}
	ctx, done := context.WithTimeout(r.Context(), answerTime)
	defer done()
	r = r.WithContext(ctx)
	if err := answer(r); err != nil {
		s.failed(w, r, err)
	}
}

// timegate redirects to the memento nearest to Accept-Datetime, or to the last
// one without it (RFC 7089 section 4.1, pattern 2.1).
func (s *Server) timegate(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		w.Header().Set("Vary", "accept-datetime")
		m, err := s.mementosOf(r.Context(), rest)
		if err != nil {
			return err
		}
		at := len(m.N) - 1
		if asked := r.Header.Get("Accept-Datetime"); asked != "" {
			t, err := memento.ParseDatetime(asked)
			if err != nil {
				return api.BadRequest("%s", err)
			}
			at = m.Near(t)
		}
		w.Header().Set("Link", m.Links(s.origin(r), at))
		redirect(w, memento.Path(m.URL, m.Taken[at]))
		return nil
	})
}

// redirect redirects to a path of this server. It sets the header itself:
// http.Redirect would clean the path and remove one of a URL's two slashes.
func redirect(w http.ResponseWriter, path string) {
	w.Header().Set("Location", path)
	w.WriteHeader(http.StatusFound)
}

// memento sends a version: with mp_ or no modifier rewritten for viewing, with id_ byte for byte.
// If no version has this time, it redirects to the nearest.
func (s *Server) memento(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		from, to, mod, raw, err := memento.Parse(rest)
		if err != nil {
			return api.BadRequest("%s", err)
		}
		m, err := s.mementosOf(r.Context(), raw)
		if err != nil {
			return err
		}
		at := m.Within(from, to)
		w.Header().Set("Link", m.Links(s.origin(r), at))
		if there := memento.PathWith(m.URL, m.Taken[at], mod); r.RequestURI != there {
			redirect(w, there)
			return nil
		}
		v, err := s.Store.Version(r.Context(), m.URL, m.N[at])
		if err != nil {
			return err
		}
		w.Header().Set("Memento-Datetime", m.Taken[at].Format(http.TimeFormat))
		if mod != "id_" {
			s.replay(w, r, v)
			return nil
		}
		page, err := history.Page(r.Context(), s.Store, v)
		if err != nil {
			w.Header().Del("Memento-Datetime")
			return err
		}
		// Rendered with an opaque origin; it loads and runs nothing.
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Header().Set("Content-Security-Policy", sealed)
		send(w, r, page)
		return nil
	})
}

// timemap lists the mementos of a URL.
func (s *Server) timemap(w http.ResponseWriter, r *http.Request, rest string) {
	s.dated(w, r, func(r *http.Request) error {
		format, part, raw, err := memento.ParseTimeMap(rest)
		if err != nil {
			return api.BadRequest("%s", err)
		}
		m, err := s.mementosOf(r.Context(), raw)
		if err != nil {
			return err
		}
		parts := m.Parts()
		if part > parts {
			return api.NotFound("this TimeMap has %d parts", parts)
		}
		if format == "json" {
			return reply(w, r, m.JSON(s.origin(r), part, parts))
		}
		w.Header().Set("Content-Type", "application/link-format")
		send(w, r, []byte(m.Text(s.origin(r), part, parts)))
		return nil
	})
}
