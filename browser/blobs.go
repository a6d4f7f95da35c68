package browser

import (
	"regexp"
	"strconv"
	"strings"

	"plat/plat"
)

// blobURL matches the URL of data that a script has made (File API, section 8.3). It ends in a random name,
// different at each visit.
var blobURL = regexp.MustCompile(`blob:(https?://[^/\s"'()<>]{1,300}|null)/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)

// blobNames replaces the random names in blob: URLs by the rank of their first occurrence in the page, so
// that a page differs only if its data do.
type blobNames map[string]string

// name returns the name of a blob: URL.
func (n blobNames) name(url string) string {
	if n[url] == "" {
		n[url] = url[:strings.LastIndexByte(url, '/')+1] + strconv.Itoa(len(n)+1)
	}
	return n[url]
}

func (n blobNames) in(text string) string {
	if !strings.Contains(text, "blob:") {
		return text
	}
	return blobURL.ReplaceAllStringFunc(text, n.name)
}

// page replaces the names in the attributes and style sheets of a page.
func (n blobNames) page(s *plat.Snapshot) {
	for i := range s.Nodes {
		node := &s.Nodes[i]
		for k := range node.Attrs {
			node.Attrs[k].Value = n.in(node.Attrs[k].Value)
		}
		if node.Kind == plat.TextNode && node.Parent >= 0 && s.Nodes[node.Parent].Name == "style" {
			node.Value = n.in(node.Value)
		}
	}
}

// resources replaces the names of resources, and those in style sheets.
func (n blobNames) resources(all []plat.Resource) {
	for i := range all {
		r := &all[i]
		r.URL = n.in(r.URL)
		if (r.Type == "text/css" || r.URL == plat.PageStateURL) && r.Left == "" && strings.Contains(string(r.Data), "blob:") {
			r.Data = []byte(n.in(string(r.Data)))
			r.Size, r.Hash = int64(len(r.Data)), plat.HashOf(r.Data)
		}
	}
}
