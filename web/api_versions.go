package web

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"plat/plat"
	"plat/storage/history"
	"plat/web/api"
)

// apiVersions lists versions, latest first. Only those of the requested page
// are loaded.
func (s *Server) apiVersions(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u, limit := p.URL(), p.Limit()
	var before struct{ Version int }
	resumed := p.Cursor(&before)
	if p.Err != nil {
		return p.Err
	}
	st, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	to := st.Head
	if resumed {
		to = min(to, before.Version-1)
	}
	if to < st.Oldest() {
		return replyList[history.VersionInfo](w, r, p, nil, nil)
	}
	from := max(st.Oldest(), to-limit+1)
	items := make([]history.VersionInfo, 0, to-from+1)
	for v, err := range s.Store.Trees(r.Context(), u, from, to) {
		if err != nil {
			return err
		}
		items = append(items, history.VersionOf(v))
	}
	slices.Reverse(items)
	if from == st.Oldest() {
		return replyList(w, r, p, items, nil)
	}
	before.Version = from
	return replyList(w, r, p, items, before)
}

// versionAsked loads the version given by the parameters url, and version or at.
func (s *Server) versionAsked(r *http.Request, p *api.Params) (*plat.Version, error) {
	u, n, at := p.URL(), p.Version("version"), p.LastMoment("at")
	if !at.IsZero() && p.Query.Has("version") {
		p.Fail("give either version or at")
	}
	if p.Err != nil {
		return nil, p.Err
	}
	if !at.IsZero() {
		times, err := s.Store.Times(r.Context(), u)
		if err != nil {
			return nil, api.OrNotFound(err, "not in this archive: a version of %s", u)
		}
		if n = history.At(times, at); n == 0 {
			return nil, api.NotFound("the first version of %s was taken later, at %s", u, times[0].UTC().Format(time.RFC3339))
		}
	}
	v, err := s.Store.Version(r.Context(), u, n)
	if err != nil {
		return nil, api.OrNotFound(err, "not in this archive: %s of %s", versionName(n), u)
	}
	return v, nil
}

// versionName describes a version number for messages.
func versionName(n int) string {
	if n == 0 {
		return "a version"
	}
	return fmt.Sprintf("version %d", n)
}

func (s *Server) apiVersion(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	texts := p.Flag("text")
	v, err := s.versionAsked(r, p)
	if err != nil {
		return err
	}
	if texts {
		if err := history.LoadAll(r.Context(), s.Store, v.Blocks); err != nil {
			return err
		}
	}
	return reply(w, r, struct {
		history.VersionInfo
		Tree []history.Node `json:"tree"`
	}{history.VersionOf(v), history.TreeOf(v, texts)})
}

// apiText sends the main text of a version.
func (s *Server) apiText(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	v, err := s.versionAsked(r, p)
	if err != nil {
		return err
	}
	t, err := history.TextOf(r.Context(), s.Store, v)
	if err != nil {
		return err
	}
	return reply(w, r, t)
}

// apiPage sends the page of a version, byte for byte, as a download: it is
// untrusted, and browsers must not render it in our origin.
func (s *Server) apiPage(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	v, err := s.versionAsked(r, p)
	if err != nil {
		return err
	}
	page, err := history.Page(r.Context(), s.Store, v)
	if err != nil {
		return err
	}
	head := w.Header()
	head.Set("Content-Type", "application/octet-stream")
	head.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="page-%d.html"`, v.N))
	head.Set("Content-Security-Policy", sealed)
	head.Set("Content-Location", apiRoot+"/page?"+url.Values{"url": {v.URL}, "version": {fmt.Sprint(v.N)}}.Encode())
	send(w, r, page)
	return nil
}

// sealed is the policy for untrusted content that must neither run nor load
// anything.
const sealed = "sandbox; default-src 'none'"

// apiDiff compares two versions; by default the last one with the one before
// it.
func (s *Server) apiDiff(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u, old, now := p.URL(), p.Number("old", 0, 1, api.MaxVersion), p.Version("new")
	if p.Err != nil {
		return p.Err
	}
	state, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	if now == 0 {
		now = state.Head
	}
	if old == 0 {
		if old = now - 1; old < state.Oldest() {
			return api.NotFound("version %d of %s is the oldest that is kept, with no earlier version to compare", now, u)
		}
	}
	d, err := s.compared(r.Context(), u, old, now)
	if err != nil {
		return api.OrNotFound(err, "not in this archive: %s or %s of %s", versionName(old), versionName(now), u)
	}
	return reply(w, r, d)
}

// apiPicture sends a picture of a page. It is addressed by its hash, so it is
// immutable.
func (s *Server) apiPicture(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	h, err := plat.ParseHash(r.PathValue("hash"))
	if err != nil {
		return api.BadRequest("%s", err)
	}
	pic, err := s.Store.Picture(r.Context(), h)
	if err != nil {
		return api.OrNotFound(err, "not in this archive: picture %s", h)
	}
	if !slices.Contains(pictureTypes, pic.Type) {
		return api.NotFound("%s is not a picture of a supported type", h)
	}
	w.Header().Set("Content-Type", pic.Type)
	w.Header().Set("Content-Security-Policy", sealed)
	w.Header().Set("Cache-Control", forever)
	send(w, r, pic.Data)
	return nil
}

// pictureTypes are image types that cannot contain scripts.
var pictureTypes = []string{"image/png", "image/jpeg", "image/webp"}
