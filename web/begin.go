package web

import (
	"net/http"

	"plat/plat"
	"plat/queue"
	"plat/storage"
	"plat/web/api"
)

// beginPart is the part of the start page by which pages come into the archive.
type beginPart struct {
	Empty   bool // the archive has no versions
	Adds    bool // this server has workers, or a queue, and takes URLs
	Watches bool // it takes subscriptions
	Scopes  []choice
	Times   []choice
	Types   []typed // commands, where the server takes no URLs
}

// choice is an entry of a select element.
type choice struct{ Value, Name string }

// typed is a command that users type, and its effect.
type typed struct{ Command, About string }

var (
	beginScopes = []choice{{"", "this page"}, {"host depth=1", "and the pages of its site that it links to"}, {"host depth=2", "and those that these link to"}, {"host", "and all of its site"}}
	beginTimes  = []choice{{"", "once"}, {"hourly", "every hour"}, {"daily", "every day"}, {"weekly", "every week"}}
	beginTypes  = []typed{
		{"plat archive https://example.com/", "archives a page; later again, it shows what has changed"},
		{"plat crawl https://example.com/", "follows the links of a site, and ends"},
		{"plat up https://example.com/ --every daily", "visits pages again and again, and shows the archive as this server does"},
		{"plat watch add https://example.com/", "watches a page for news"},
		{"plat import FILE", "archives pages that were recorded before: WARC, WACZ, HAR, saved pages, a mirror of wget"},
		{"plat watch import FILE", "watches the pages of an OPML file, a list of URLs, or an export of changedetection.io"},
	}
)

// begin returns the part of the start page for an archive with so many versions.
func (s *Server) begin(versions int) beginPart {
	b := beginPart{Empty: versions == 0, Adds: s.Add != nil, Watches: !storage.ReadOnly(s.Store), Scopes: beginScopes, Times: beginTimes, Types: beginTypes}
	if b.Adds {
		b.Types = beginTypes[len(beginTypes)-2:] // files
	}
	return b
}

// addPages takes a URL from the form of the start page.
func (s *Server) addPages(w http.ResponseWriter, r *http.Request) {
	f := api.ReadForm(r, "url", "scope", "every")
	raw, _ := plat.WithScheme(f.Text("url"))
	switch {
	case f.Err != nil:
	case s.Add == nil:
		s.fail(w, r, http.StatusNotFound, "this server visits no pages; plat up does, or type: plat archive, and the URL")
		return
	case raw == "":
		f.Fail("write the URL of a page")
	}
	if f.Err != nil {
		s.failed(w, r, f.Err)
		return
	}
	job, err := queue.Seed{URL: raw, Scope: f.Text("scope"), Every: f.Text("every")}.Job(s.Drop)
	if err != nil {
		s.fail(w, r, http.StatusBadRequest, err.Error())
		return
	}
	if _, err := s.Add(r.Context(), []plat.Job{job}); err != nil {
		s.Log.Error("a URL cannot be added", "error", err)
		w.Header().Set("Retry-After", "5")
		s.fail(w, r, http.StatusServiceUnavailable, "the URL cannot be added now; retry later, the log says why")
		return
	}
	to := link("/urls", "prefix", job.URL)
	if f.Text("scope") != "" {
		to = link("/urls", "host", plat.HostOf(job.URL))
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
