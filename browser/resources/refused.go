package resources

import (
	"encoding/json"
	"slices"

	"plat/browser/tab"
	"plat/plat"
	"plat/plat/weburl"
)

// unloaded is a document with the refused URLs that it has not loaded.
type unloaded struct {
	Path []int32  `json:"path"`
	URLs []string `json:"urls"`
}

// urlsOf returns the URLs of refusals as a list in JSON.
func urlsOf(refusals []tab.Refusal) string {
	urls := []string{}
	for _, r := range refusals {
		urls = append(urls, weburl.WithoutFragment(r.URL))
	}
	b, err := json.Marshal(urls)
	if err != nil {
		return "[]" // cannot happen
	}
	return string(b)
}

// refused returns the files that security policies have refused to load, for each document, of those that the archive has,
// because others have loaded them. Chrome does not say which documents were refused a file: those that have not loaded it. It covers
// the documents of the page's own origin.
func (k *keeper) refused(refusals []tab.Refusal, documents []unloaded) (all []plat.RefusedFiles) {
	for _, d := range documents {
		of := plat.RefusedFiles{Path: d.Path}
		for _, r := range refusals {
			url := weburl.WithoutFragment(r.URL)
			scheme := (url == "data" || url == "blob") && len(documents) == 1
			if to := listOf(&of, r.Directive); to != nil && (scheme || k.seen[url]) && slices.Contains(d.URLs, url) && !slices.Contains(*to, url) {
				*to = append(*to, url)
			}
		}
		if of.Images == nil && of.Fonts == nil && of.Sheets == nil {
			continue
		}
		for _, list := range []*[]string{&of.Images, &of.Fonts, &of.Sheets} {
			slices.Sort(*list)
		}
		all = append(all, of)
	}
	return all
}

// listOf returns the list of files that a directive is about, nil if a replay shows no such files.
func listOf(r *plat.RefusedFiles, directive string) *[]string {
	switch directive {
	case "img-src":
		return &r.Images
	case "font-src":
		return &r.Fonts
	case "style-src", "style-src-elem":
		return &r.Sheets
	}
	return nil
}
