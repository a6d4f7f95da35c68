package replay

import (
	"regexp"
	"strings"

	nethtml "golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
)

// refused are the files that a document was not allowed to load, by [plat.RefusedFiles]. Its replay shows none of them, though
// other documents of the page show them; nil: it was allowed to load all.
type refused struct{ images, fonts, sheets map[string]bool }

func refusedBy(r *plat.RefusedFiles) *refused {
	set := func(urls []string) map[string]bool {
		m := make(map[string]bool, len(urls))
		for _, u := range urls {
			m[u] = true
		}
		return m
	}
	return &refused{set(r.Images), set(r.Fonts), set(r.Sheets)}
}

// has reports whether a reference leads to a file of a list.
func (r *refused) has(list map[string]bool, base *weburl.Base, ref string) bool {
	switch {
	case len(list) == 0:
		return false
	case isData(ref):
		return list["data"]
	}
	for url := range base.Spellings(ref) {
		url = weburl.WithoutFragment(url)
		if list[url] || list["blob"] && strings.HasPrefix(url, "blob:") {
			return true
		}
	}
	return false
}

// image reports whether a reference leads to a refused image.
func (r *refused) image(base *weburl.Base, ref string) bool {
	return r != nil && r.has(r.images, base, ref)
}

// inSheet reports whether a reference of a style sheet, of the value of a property or of an @import rule, leads to a refused file.
func (r *refused) inSheet(base *weburl.Base, ref, property string, importing bool) bool {
	switch {
	case r == nil:
		return false
	case importing:
		return r.has(r.sheets, base, ref)
	case property == "src":
		return r.has(r.fonts, base, ref)
	}
	return r.has(r.images, base, ref)
}

// otherFilter matches what a style sheet has that may refer to filters of other files.
var otherFilter = regexp.MustCompile(`(?i)filter\s*:[^;{}]*url\(\s*["']?[^"'#)\s]`)

// sheetInside writes the style sheet of a <link> as a <style> element, or reports that its file serves as well. It does not if
// the document was not allowed to load files that it refers to, or if it refers to filters of drawings, of which a document gets copies.
func (w *rewriter) sheetInside(t *nethtml.Token, href string) bool {
	f := w.doc()
	drawn := w.Assets.prefix != "" && w.sprites.holds(w.Assets.manifest, f.origin)
	if f.refused == nil && !drawn || w.sprites.load == nil {
		return false
	}
	var entry int
	found := false
	for _, base := range f.bases() {
		for url := range base.Spellings(href) {
			if i, ok := w.Assets.manifest.Index(weburl.WithoutFragment(url)); ok && !found {
				entry, found = i, w.Assets.manifest[i].Left == ""
			}
		}
	}
	if !found || SafeType(w.Assets.manifest[entry].Type) != typeCSS || w.Assets.manifest[entry].Size > maxDrawings-int64(w.inside) {
		return false
	}
	data, err := w.sprites.load(entry)
	if err != nil {
		w.sprites.err = err
		return false
	}
	if f.refused == nil && !otherFilter.Match(data) {
		return false
	}
	at := w.Assets.manifest[entry].URL
	if final := w.Assets.sheets[at]; final != "" {
		at = final
	}
	r := w.cssRewriter([]*weburl.Base{weburl.NewBase(at)})
	css := r.rewrite(w.scripted(string(data)))
	if !r.differs {
		return false
	}
	w.inside += len(css)
	w.styleOf(t, css)
	return true
}

// holds reports whether a manifest has a drawing from an origin.
func (s *sprites) holds(m plat.Manifest, at string) bool {
	if s.files == nil {
		s.files = map[string]bool{}
		for i := range m {
			if m[i].Left == "" && SafeType(m[i].Type) == typeSVG {
				s.files[origin(m[i].URL)] = true
			}
		}
	}
	return s.files[at]
}
