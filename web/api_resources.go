package web

import (
	"cmp"
	"mime"
	"net/http"
	"strconv"

	"plat/plat"
	"plat/web/api"
)

// resourceInfo describes a resource that a page's appearance depends on.
type resourceInfo struct {
	URL    string          `json:"url"`
	Type   string          `json:"type"`
	Status int             `json:"status"`         // HTTP; 0 if the browser does not report it
	Left   plat.OmitReason `json:"left,omitempty"` // why it is not stored
	Size   int64           `json:"size"`
	Hash   string          `json:"hash,omitempty"`
}

// apiResources lists the resources of a version, ordered by URL.
func (s *Server) apiResources(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit := p.Limit()
	var after struct {
		Version int // pinned, so that a newer version does not change the list
		URL     string
	}
	resumed := p.Cursor(&after)
	if resumed && p.Version("version") == 0 {
		p.Query.Set("version", strconv.Itoa(after.Version))
	}
	v, err := s.versionAsked(r, p)
	if err != nil || v.Resources.IsZero() {
		if err == nil {
			err = replyList[resourceInfo](w, r, p, nil, nil)
		}
		return err
	}
	all, err := s.Store.Manifest(r.Context(), v.Resources)
	if err != nil {
		return err
	}
	var items []resourceInfo
	for i := range all {
		x := &all[i]
		switch {
		case resumed && x.URL <= after.URL:
			continue
		case len(items) == limit:
			after.Version, after.URL = v.N, items[limit-1].URL
			return replyList(w, r, p, items, after)
		}
		info := resourceInfo{URL: x.URL, Type: x.Type, Status: x.Status, Left: x.Left, Size: x.Size}
		if x.Left == "" {
			info.Hash = x.Hash.String()
		}
		items = append(items, info)
	}
	return replyList(w, r, p, items, nil)
}

// apiResource sends the bytes of a resource as a download, because they are
// untrusted.
func (s *Server) apiResource(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	h, err := plat.ParseHash(r.PathValue("hash"))
	if err != nil {
		return api.BadRequest("%s", err)
	}
	data, err := s.Store.Resource(r.Context(), h)
	if err != nil {
		return api.OrNotFound(err, "not in this archive: resource %s", h)
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	name := cmp.Or(p.Query.Get("name"), h.Short())
	w.Header().Set("Content-Disposition", cmp.Or(mime.FormatMediaType("attachment", map[string]string{"filename": name}), "attachment"))
	w.Header().Set("Content-Security-Policy", sealed)
	w.Header().Set("Cache-Control", forever)
	send(w, r, data)
	return nil
}
