package diff

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"

	"plat/plat"
	"plat/plat/weburl"
	"plat/segment/markup"
)

// File is an image or a style sheet with different bytes under the same URL.
type File struct {
	URL      string
	Type     string // media type
	Old, New *plat.Resource
	Blocks   []int32 // those of the new version that contain it; empty: style sheets, and their images
	Why      string  // reason of package noise why it is not news; empty: it is
}

// Style reports whether the file is a style sheet.
func (f *File) Style() bool { return f.Type == "text/css" }

// Show adds the changed images and style sheets to a comparison, see [OtherFiles]; if there are any,
// Differs is true. A pair of blocks with a changed image becomes Image if it is unchanged, or differs
// at most in place, markup or hidden text. A changed file in no block makes the layout Image, unless
// it is Content. Files that are not news change no kinds. held, if not nil, reports whether no part of
// a change is news: of such a pair only the image is.
func (r *Result) Show(files []File, new *Side, held func(*plat.Change) bool) {
	if r.Files = files; len(r.Files) == 0 {
		return
	}
	at := make(map[string]*File, len(r.Files))
	for i := range r.Files {
		if f := &r.Files[i]; !f.Style() {
			at[f.URL] = f
		}
	}
	base := baseOf(new)
	of := map[int32]int{} // changes, by new block
	for i := range r.Blocks {
		if n := r.Blocks[i].New; n >= 0 {
			of[n] = i
		}
	}
	r.Differs = true
	for _, l := range leaves(new.Blocks) {
		named := false
		for _, u := range images(l.Content, base) {
			if f := at[u]; f != nil && !slices.Contains(f.Blocks, l.index) {
				f.Blocks, named = append(f.Blocks, l.index), named || f.Why == ""
			}
		}
		i, changed := of[l.index]
		switch {
		case !named || r.Old[l.index] < 0:
		case !changed:
			r.Blocks = append(r.Blocks, plat.Change{Kind: plat.Image, Lineage: l.Lineage, Old: r.Old[l.index], New: l.index})
		case r.Blocks[i].Old < 0: // only segmented differently
		default:
			c := &r.Blocks[i]
			switch {
			case held != nil && held(c):
				c.Kind, c.Folded = plat.Image, false
			case c.Kind == plat.Moved, c.Kind == plat.Format, c.Kind == plat.Volatile, c.Kind == plat.Invisible:
				c.Kind = plat.Image
			}
		}
	}
	r.sort(new.Blocks)
	if slices.ContainsFunc(r.Files, func(f File) bool { return f.Why == "" && len(f.Blocks) == 0 }) && r.Layout != plat.Content {
		r.Layout = plat.Image
	}
}

// sort puts the changes in the order of the new leaves, and those of removed ones last.
func (r *Result) sort(new []plat.Block) {
	rank := map[int32]int{-1: len(new)}
	for i, l := range leaves(new) {
		rank[l.index] = i
	}
	slices.SortStableFunc(r.Blocks, func(a, b plat.Change) int { return rank[a.New] - rank[b.New] })
}

// OtherFiles returns the images and style sheets that both versions store, with different bytes, and the file of which they
// show a page.
func OtherFiles(old, new plat.Manifest) (all []File) {
	for i := range new {
		n := &new[i]
		if n.URL != plat.FileURL && (n.Left != "" || n.Type != "text/css" && !strings.HasPrefix(n.Type, "image/") || !strings.HasPrefix(n.URL, "http") && !strings.HasPrefix(n.URL, "blob:")) {
			continue // what scripts insert or draw differs each time
		}
		if o, ok := old.Find(n.URL); ok && o.Left == "" && o.Hash != n.Hash {
			all = append(all, File{URL: n.URL, Type: n.Type, Old: o, New: n})
		}
	}
	return all
}

// baseOf returns the base URL of a version.
func baseOf(s *Side) *weburl.Base {
	base := weburl.NewBase(s.URL)
	if s.Layout == nil {
		return base
	}
	for z := html.NewTokenizer(bytes.NewReader(s.Layout.HTML)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return base
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.Data == "body" {
				return base
			}
			for _, a := range t.Attr {
				if t.Data == "base" && a.Key == "href" {
					return base.At(a.Val)
				}
			}
		}
	}
}

// images returns the URLs of the images in a piece of HTML.
func images(content []byte, base *weburl.Base) (all []string) {
	add := func(ref string) {
		if ref = strings.TrimSpace(ref); ref == "" || strings.HasPrefix(ref, "data:") {
			return
		}
		for to := range base.Spellings(ref) {
			all = append(all, weburl.WithoutFragment(to))
		}
	}
	for z := html.NewTokenizer(bytes.NewReader(content)); ; {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			for _, a := range t.Attr {
				switch a.Key {
				case "src", "poster", "background", "data":
					add(a.Val)
				case "href", "xlink:href":
					if t.Data == "image" {
						add(a.Val)
					}
				case "srcset":
					for _, c := range markup.Candidates(a.Val) {
						add(c.URL)
					}
				case "style":
					for rest := a.Val; ; {
						_, after, ok := strings.Cut(rest, "url(")
						if !ok {
							break
						}
						ref, more, _ := strings.Cut(after, ")")
						add(strings.Trim(ref, `"' `))
						rest = more
					}
				}
			}
		}
	}
}
