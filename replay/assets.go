package replay

import (
	"strconv"
	"strings"

	"plat"
)

// Assets are the resources of one version and the paths they are served under.
type Assets struct {
	manifest plat.Manifest
	prefix   string // of their paths; empty: they keep their own URLs
}

// Path returns where the resource of an absolute URL is served, "" if it is not
// stored. A fragment of the URL is kept.
func (a *Assets) Path(url string) string {
	url, fragment, _ := strings.Cut(url, "#")
	i, ok := a.manifest.Index(url)
	if !ok || a.manifest[i].Left != "" {
		return ""
	}
	p := a.prefix + strconv.Itoa(i)
	if a.prefix == "" {
		p = url
	}
	if fragment != "" {
		p += "#" + fragment
	}
	return p
}

// SafeType returns the media type to serve a resource with: one that browsers
// never treat as a page or a script.
func SafeType(media string) string {
	switch {
	case media == "text/css", strings.HasPrefix(media, "font/"), strings.HasPrefix(media, "image/"),
		strings.HasPrefix(media, "application/font-"), strings.HasPrefix(media, "application/x-font-"), media == "application/vnd.ms-fontobject":
		return media
	}
	return "application/octet-stream"
}
