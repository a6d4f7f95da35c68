package web

import (
	"context"
	"net/http"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/storage/history"
	"plat/web/api"
)

func (s *Server) apiSites(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit := p.Limit()
	var after struct{ Host string }
	resumed := p.Cursor(&after)
	if p.Err != nil {
		return p.Err
	}
	sites, err := s.Store.Stats(r.Context())
	if err != nil {
		return err
	}
	var items []history.SiteInfo
	for i := range sites {
		switch {
		case resumed && sites[i].Host <= after.Host:
		case len(items) == limit:
			after.Host = items[limit-1].Host
			return replyList(w, r, p, items, after)
		default:
			items = append(items, history.SiteOf(&sites[i]))
		}
	}
	return replyList(w, r, p, items, nil)
}

func (s *Server) apiStats(w http.ResponseWriter, r *http.Request, _ *api.Params) error {
	sites, err := s.Store.Stats(r.Context())
	if err != nil {
		return err
	}
	disk, err := s.Store.Size(r.Context())
	if err != nil {
		return err
	}
	sum := storage.Total(sites)
	return reply(w, r, struct {
		history.SiteInfo
		Sites     int   `json:"sites"`
		DiskBytes int64 `json:"disk_bytes"`
	}{history.SiteOf(&sum), len(sites), disk})
}

// apiURLs lists URLs in their order. The URLs of a host are two lists, one per scheme.
func (s *Server) apiURLs(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	limit, prefix, host := p.Limit(), p.Text("prefix", maxText), p.Text("host", maxText)
	var after struct{ URL string }
	p.Cursor(&after)
	if prefix != "" && host != "" {
		p.Fail("use either prefix or host")
	}
	if p.Err != nil {
		return p.Err
	}
	prefixes := []string{prefix}
	if host != "" {
		prefixes = []string{"http://" + host + "/", "https://" + host + "/"}
	}
	var items []history.StateInfo
	for _, prefix := range prefixes {
		for st, err := range s.Store.States(r.Context(), prefix, after.URL) {
			if err != nil {
				return err
			}
			if st.Kind == plat.FetchJob {
				continue // a sitemap or feed, not a page
			}
			if len(items) == limit {
				after.URL = items[limit-1].URL
				return replyList(w, r, p, items, after)
			}
			items = append(items, history.StateOf(&st))
		}
	}
	return replyList(w, r, p, items, nil)
}

// maxText limits parameters that are compared with texts of the archive, in
// bytes; it equals the limit of a URL.
const maxText = 16 << 10

// stateOf returns the state of a URL whose data is requested; the error is plat.ErrForgotten if
// it was forgotten.
func (s *Server) stateOf(ctx context.Context, url string) (plat.URLState, error) {
	st, err := s.Store.State(ctx, url)
	if err != nil {
		return st, api.OrNotFound(err, "not in this archive: %s", url)
	}
	if st.Gone() {
		return st, api.OrNotFound(plat.ErrForgotten, "not in this archive any more: %s", url)
	}
	return st, nil
}

func (s *Server) apiURL(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u := p.URL()
	if p.Err != nil {
		return p.Err
	}
	st, err := s.stateOf(r.Context(), u)
	if err != nil {
		return err
	}
	return reply(w, r, history.StateOf(&st))
}

type visitInfo struct {
	URL     string       `json:"url"`
	Time    time.Time    `json:"time"`
	Outcome plat.Outcome `json:"outcome"`
	Version int          `json:"version"` // confirmed or stored version; 0 if there is none
	Status  int          `json:"status"`  // HTTP, 0 without a response
	MS      int64        `json:"ms"`
	Bytes   int64        `json:"bytes"` // received from the network
	Error   string       `json:"error,omitempty"`
}

// apiVisits lists visits, latest first. Two visits of a URL never share a
// millisecond, so the time is a unique cursor.
func (s *Server) apiVisits(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	u, limit := p.URL(), p.Limit()
	var before struct{ MS int64 }
	resumed := p.Cursor(&before)
	if p.Err != nil {
		return p.Err
	}
	if _, err := s.stateOf(r.Context(), u); err != nil {
		return err
	}
	var items []visitInfo
	for v, err := range s.Store.Visits(r.Context(), u, 0) {
		switch {
		case err != nil:
			return err
		case resumed && v.Time.UnixMilli() >= before.MS:
			continue
		case len(items) == limit:
			before.MS = items[limit-1].Time.UnixMilli()
			return replyList(w, r, p, items, before)
		}
		items = append(items, visitInfo{v.URL, v.Time.UTC(), v.Outcome, v.Version, v.Status, v.Duration.Milliseconds(), v.Bytes, v.Error})
	}
	return replyList(w, r, p, items, nil)
}
