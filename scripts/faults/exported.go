package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// mutations are pages, one a line, that browsers read otherwise than simple tools.
const mutations = "export/replay/testdata/mutations.txt"

// scripted is a page whose script makes it one, and whose style sheet is a page as well.
const scripted = `<link rel=stylesheet href=/sheet><svg id=s></svg><script>const e=document.createElement('style');` +
	`e.textContent='<<!---->img src=x onerror=name=1>';document.getElementById('s').append(e)</script>`

// exported exports such pages for players of archives, and searches the pages that players show for
// scripts.
func exported(m *machine) (string, bool, error) {
	b, err := os.ReadFile(mutations)
	if err != nil {
		return "", false, err
	}
	pages := strings.Split(strings.TrimSpace(strings.ReplaceAll(string(b), "BAD", "name='bad'")), "\n")
	pages = append(pages, scripted)
	s := m.site(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sheet" {
			page("<script>name=1</script>p{top:0}")(w, r)
			return
		}
		n, err := strconv.Atoi(r.URL.Path[1:])
		if err != nil || n >= len(pages) {
			http.NotFound(w, r)
			return
		}
		page(fmt.Sprintf("<html><head><title>page %d</title></head><body>%s<p>after</p></body></html>", n, pages[n]))(w, r)
	})
	args := append([]string{"archive", m.store(), "--json", "--log-level", "error", "--resources", "all"}, here...)
	for n := range pages {
		args = append(args, s.at("shop.test", fmt.Sprint("/", n)))
	}
	if _, err := m.run(args...); err != nil {
		return "", false, err
	}
	if r, err := m.run("export", m.store(), "-o", m.file("pages.warc.gz")); err != nil || r.exit != 0 {
		return "", false, fmt.Errorf("export: %w %s", err, r.last())
	}
	records, err := shownPages(m.file("pages.warc.gz"))
	if err == nil && len(records) < len(pages)/2 {
		err = fmt.Errorf("only %d of %d pages are in the file", len(records), len(pages))
	}
	if err != nil {
		return "", false, err
	}
	bad := 0
	for _, page := range records {
		doc, err := html.Parse(strings.NewReader(page))
		if err != nil {
			return "", false, err
		}
		if acts(doc) {
			bad++
		}
	}
	return fmt.Sprintf("%d of %d pages have scripts", bad, len(records)), bad > 0, nil
}

// acts reports whether a parsed page contains a script or an event handler.
func acts(n *html.Node) bool {
	if n.Type == html.ElementNode {
		if n.Data == "script" {
			return true
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(strings.ToLower(a.Key), "on") || strings.HasPrefix(strings.ToLower(strings.TrimSpace(a.Val)), "javascript:") {
				return true
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if acts(c) {
			return true
		}
	}
	return false
}

// shownPages returns the pages of a WARC file that players show: those with a URL of the web.
func shownPages(path string) (pages []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	for record := range strings.SplitSeq(string(all), "WARC/1.1\r\n") {
		head, page, _ := strings.Cut(record, "\r\n\r\n")
		if strings.Contains(head, "WARC-Type: resource") && strings.Contains(head, "WARC-Target-URI: http") && strings.Contains(head, "Content-Type: text/html") {
			pages = append(pages, page)
		}
	}
	return pages, nil
}
