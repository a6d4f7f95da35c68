package web

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"plat/export/theme"
	"plat/plat/excerpt"
	"plat/web/api"
	"plat/web/layout"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed static
var staticFiles embed.FS

// templates are the pages, each with the common parts of package layout.
var templates = layout.Parse(pageFiles)

type (
	page     = layout.Page
	feedLink = layout.Feed
	pager    = layout.Pager
)

func (s *Server) page(title, here string) page {
	return page{Title: title, Here: here, Version: s.Version}
}

// pages registers the HTML pages.
func (s *Server) pages(mux *api.Mux) {
	serving := &api.Server{Drop: s.Drop, Failed: s.failed, Limit: func(string) time.Duration { return answerTime }}
	for _, v := range []struct {
		path   string
		params []string // query parameters; all other parameters are rejected
		show   func(w http.ResponseWriter, r *http.Request, p *api.Params) error
	}{
		{"/{$}", []string{"from"}, s.showArchive},
		{"/urls", []string{"host", "prefix", "after"}, s.showURLs},
		{"/url", []string{"url", "from"}, s.showURL},
		{"/version", []string{"url", "version", "by", "inner", "plan"}, s.showVersion},
		{"/diff", []string{"url", "old", "new"}, s.showDiff},
		{"/block", []string{"url", "lineage", "from"}, s.showBlock},
		{"/blocks", []string{"url", "from"}, s.showBlock},
		{"/replay", []string{"url", "version", "by"}, s.showReplay},
		{"/frame", []string{"url", "version", "by"}, s.showFrame},
		{"/search", []string{"q", "site", "label", "since", "until", "now", "from"}, s.showSearch},
		{"/fleet", nil, s.showFleet},
	} {
		mux.Handle("GET "+v.path, func(w http.ResponseWriter, r *http.Request) {
			serving.Serve(w, r, api.NewRoute(http.MethodGet, v.path, v.params, v.show))
		}, v.params...)
	}
	static, err := fs.Sub(staticFiles, "static")
	if err != nil {
		panic(err)
	}
	files := http.StripPrefix("/static/", http.FileServerFS(static))
	mux.Handle("POST /rule", s.setBlockRule)
	mux.Handle("POST /add", s.addPages)
	mux.Handle("GET /static/{file}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=300")
		if r.PathValue("file") == "plat.css" {
			http.ServeContent(w, r, "plat.css", time.Time{}, strings.NewReader(theme.Sheet))
			return
		}
		files.ServeHTTP(w, r)
	})
	mux.Handle("GET "+assetPrefix+"{key}/{manifest}/{entry}", s.serveAsset)
}

// render sends a page.
func (s *Server) render(w http.ResponseWriter, code int, name string, data any) error {
	sent, err := layout.Send(w, code, templates, name, data)
	if sent && err != nil {
		s.Log.Debug("page not sent", "page", name, "error", err)
		return nil
	}
	return err
}

// errorPage sends an error as a page.
func (s *Server) errorPage(w http.ResponseWriter, r *http.Request, code int, detail string) {
	heading := http.StatusText(code)
	data := struct {
		page
		Heading, Detail string
	}{s.page(heading, ""), heading, detail}
	if err := s.render(w, code, "error", data); err != nil {
		s.Log.Error("error page", "error", err)
		http.Error(w, excerpt.Printable(detail), code)
	}
}
