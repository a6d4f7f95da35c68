// Package layout has the common parts of all HTML pages of the server: head, navigation and foot,
// the picture of a version with its blocks, links to further pages of a list.
package layout

import (
	"bytes"
	"embed"
	"html/template"
	"io/fs"
	"net/http"
	"net/url"
	"strings"

	"plat/export/theme"
	"plat/plat"
	"plat/plat/excerpt"
	"plat/plat/weburl"
)

//go:embed layout.html
var files embed.FS

// Page is the data common to all pages.
type Page struct {
	Title   string
	Here    string // its entry in the navigation
	Version string // of plat
	Feeds   []Feed
	Sheet   string // style sheet beside the common one, a file of /static/, or empty
	Script  string // script beside the common one
	Refresh int    // seconds after which the browser asks again; 0: never
}

// Feed is a feed offered on a page.
type Feed struct{ Name, Title, Type, Href string }

// Formats are the feed formats as pages offer them.
var Formats = []struct{ Name, Path, Media string }{
	{"Atom", "atom", "application/atom+xml"}, {"RSS", "rss", "application/rss+xml"}, {"JSON Feed", "json", "application/feed+json"},
}

// Pager links to the previous and next page of a list.
type Pager struct{ Prev, PrevName, Next, NextName string }

// Parse returns the pages whose templates are in the folder pages of a file system, by name
// without extension, each with the common parts and those in the folder pages/parts.
func Parse(pages fs.FS) map[string]*template.Template {
	all := map[string]*template.Template{}
	names, err := fs.Glob(pages, "pages/*.html")
	if err != nil {
		panic(err)
	}
	shared, err := fs.Glob(pages, "pages/parts/*.html")
	if err != nil {
		panic(err)
	}
	for _, n := range names {
		t := template.Must(theme.New().ParseFS(files, "layout.html"))
		all[strings.TrimSuffix(strings.TrimPrefix(n, "pages/"), ".html")] = template.Must(t.ParseFS(pages, append(shared, n)...))
	}
	return all
}

// Send renders a page and sends it. It is rendered completely first, so that an error in the
// middle becomes an error page: if sent is false, nothing was. Hostile characters in it are those of
// archived pages and of requests, and are removed, see [excerpt.HTML].
func Send(w http.ResponseWriter, code int, pages map[string]*template.Template, name string, data any) (sent bool, err error) {
	var b bytes.Buffer
	if err := pages[name].ExecuteTemplate(&b, name+".html", data); err != nil {
		return false, err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-cache")
	}
	w.WriteHeader(code)
	_, err = w.Write(excerpt.HTML(b.Bytes()))
	return true, err
}

// Link builds a path of this server with parameters, in pairs of name and value; empty values
// are omitted.
func Link(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// Line is an untrusted text on one line of at most most characters, without control characters
// and bidirectional overrides.
func Line(s string, most int) string {
	if len(s) > 64*most {
		s = s[:64*most] // the rest is cleaned below
	}
	return excerpt.Line(strings.Join(strings.Fields(excerpt.Printable(s)), " "), most)
}

// Opens returns an untrusted address, without user and password, if a page may lead to it: an absolute
// one of the web.
func Opens(raw string) string {
	to := weburl.Resolve(raw)
	if !weburl.IsWeb(to) {
		return ""
	}
	return excerpt.URL(plat.WithoutUser(to))
}
