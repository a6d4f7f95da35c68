package web

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"plat/plat"
	"plat/storage"
	"plat/web/api"
)

// perPage is the number of list entries per page.
const perPage = 50

// showArchive shows the sites and the recent changes.
func (s *Server) showArchive(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	sites, err := s.Store.Stats(r.Context())
	if err != nil {
		return err
	}
	from := p.From()
	if p.Err != nil {
		return p.Err
	}
	data := struct {
		page
		Sum       storage.SiteStats
		SiteCount int
		Sites     []storage.SiteStats
		Recent    []hit
		Pager     pager
		Begin     beginPart
	}{page: s.page("Archive", "archive"), Sum: storage.Total(sites), SiteCount: len(sites)}
	data.Begin = s.begin(data.Sum.Versions)
	data.Sites = sites[min(from, len(sites)):min(from+perPage, len(sites))]
	if from > 0 {
		data.Pager.Prev, data.Pager.PrevName = "/?from="+strconv.Itoa(max(0, from-perPage)), "sites before"
	}
	if from+perPage < len(sites) {
		data.Pager.Next, data.Pager.NextName = "/?from="+strconv.Itoa(from+perPage), "more sites"
	}
	if from == 0 {
		if data.Recent, err = s.recent(r.Context()); err != nil {
			return err
		}
	}
	return s.render(w, http.StatusOK, "archive", data)
}

// urlRow is a URL in a list.
type urlRow struct {
	plat.URLState
	Changed time.Time    // the time of the last version; zero without versions
	Seems   plat.Outcome // see [plat.Version.Seems]
}

// showURLs lists the URLs of a host, or those with a prefix.
func (s *Server) showURLs(w http.ResponseWriter, r *http.Request, p *api.Params) error {
	host, prefix, after := p.Query.Get("host"), p.Query.Get("prefix"), p.Query.Get("after")
	data := struct {
		page
		Heading, Prefix string
		URLs            []urlRow
		Spent           spentPart // on a host
		Pager           pager
	}{Prefix: prefix}
	prefixes := []string{prefix}
	if host != "" {
		data.Heading = host
		prefixes = []string{"http://" + host + "/", "https://" + host + "/"}
		data.Prefix = prefixes[1]
	} else {
		data.Heading = "URLs"
	}
	data.page = s.page(data.Heading, "archive")
	if host != "" && after == "" {
		spent, err := s.spent(r.Context(), strings.ToLower(host), spentDays)
		if err != nil {
			return err
		}
		data.Spent = spentPart{spent, spentDays}
	}
	for _, prefix := range prefixes {
		if len(data.URLs) > perPage {
			break
		}
		// The prefixes are in order: everything under one precedes everything
		// under the next.
		for st, err := range s.Store.States(r.Context(), prefix, after) {
			if err != nil {
				return err
			}
			if st.Kind == plat.FetchJob {
				continue // a sitemap or feed, not a page
			}
			if data.URLs = append(data.URLs, urlRow{URLState: st}); len(data.URLs) > perPage {
				break
			}
		}
	}
	if len(data.URLs) > perPage {
		data.URLs = data.URLs[:perPage]
		data.Pager.Next, data.Pager.NextName = link("/urls", "host", host, "prefix", prefix, "after", data.URLs[perPage-1].URL), "more URLs"
	}
	for i := range data.URLs {
		u := &data.URLs[i]
		if u.Visits == 0 && s.Add != nil {
			data.Refresh = 5 // it is visited soon
		}
		if u.Head == 0 {
			continue
		}
		times, err := s.times(r.Context(), &u.URLState)
		if err != nil {
			return err
		}
		u.Changed = times[u.Head-1]
		if last, err := s.Store.Last(r.Context(), &u.URLState); err == nil {
			u.Seems = last.Seems()
		}
	}
	return s.render(w, http.StatusOK, "urls", data)
}
